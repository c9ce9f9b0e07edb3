// The plain model of a cell's radio (model_send.h): arrival, calls, discards, and their order.
#ifndef TESTS_LAB_RADIO_MODEL_H
#define TESTS_LAB_RADIO_MODEL_H

#include "tests/lab/radio/model_send.h"

// --- Arrival -------------------------------------------------------------------------------------

// All of the PDU's blocks have arrived.
static bool model_is_whole(const struct model_tbf *tbf, uint32_t number)
{
    if (!tbf->pdu[number].complete)
        return false;
    for (uint32_t i = 0; i < tbf->blocks; i++)
        if (tbf->block[i].first <= number && number <= tbf->block[i].last && !tbf->block[i].arrived)
            return false;
    return true;
}

static void model_deliver(uint32_t ms, uint32_t way)
{
    struct model_tbf *tbf = &model.tbf[ms][way];
    for (uint32_t i = 0; i < tbf->blocks; i++)
        tbf->block[i].arrived = tbf->block[i].right;
    for (uint32_t i = 0; i < tbf->pdus; i++) {
        if (!tbf->pdu[i].held)
            continue;
        if (!model_is_whole(tbf, i))
            return;
        model_leave(ms, way, i, ARRIVED);
        if (way == RADIO_DOWN && i % 3 == 0) // an answer, as cell.h's MSs with `answers` give
            model_up(ms, 40);
    }
}

static void model_receive(void)
{
    if ((uint64_t)(model.period + 1) * model.config.period_ns > model.now_ns)
        return;
    model.arriving = true;
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        for (;;) {
            uint32_t first = UINT32_MAX;
            for (uint32_t ms = 0; ms < model.mss; ms++) {
                const struct model_tbf *tbf = &model.tbf[ms][way];
                if (tbf->first_sent &&
                    (first == UINT32_MAX || tbf->first_sent < model.tbf[first][way].first_sent))
                    first = ms;
            }
            if (first == UINT32_MAX)
                break;
            model.tbf[first][way].first_sent = 0;
            model_deliver(first, way);
        }
    model.arriving = false;
}

// --- Calls, discards -----------------------------------------------------------------------------

static void model_end_tbf(uint32_t ms, uint32_t way)
{
    struct model_tbf *tbf = &model.tbf[ms][way];
    tbf->place = MODEL_RESTS;
    tbf->open = tbf->sets_up = tbf->stalled = tbf->sleeps = false;
    tbf->blocks = tbf->sent_octets = tbf->stalls = 0;
    for (uint32_t i = 0; i < tbf->pdus; i++) {
        tbf->pdu[i].begun = tbf->pdu[i].complete = false;
        if (tbf->pdu[i].held && tbf->pdu[i].late)
            model_leave(ms, way, i, RADIO_LOSS_up_late);
    }
}

static void model_lose_all(uint32_t ms, uint32_t way, enum radio_loss why)
{
    for (uint32_t i = 0; i < model.tbf[ms][way].pdus; i++)
        if (model.tbf[ms][way].pdu[i].held)
            model_leave(ms, way, i, why);
}

static void model_event(uint32_t ms, enum radio_event event)
{
    model_note(ms, 0, 0, 0, ARRIVED + 1 + event);
    if (event == RADIO_FLUSH)
        model.tbf[ms][RADIO_DOWN].buffer = model.tbf[ms][RADIO_DOWN].pdus;
}

static void model_flush_down(uint32_t ms)
{
    model.flush_ns[ms] = 0;
    model_lose_all(ms, RADIO_DOWN, RADIO_LOSS_preempted);
    model.tbf[ms][RADIO_DOWN].more = false;
    model_event(ms, RADIO_FLUSH);
}

static void model_channel(uint32_t ms, bool had)
{
    struct model_tbf *down = &model.tbf[ms][RADIO_DOWN];
    if (had == model_has(ms))
        return;
    if (had) {
        model_end_tbf(ms, RADIO_DOWN);
        model_end_tbf(ms, RADIO_UP);
        model_event(ms, RADIO_TAKEN);
        model.taken_order[ms] = ++model.order;
        if (model.config.hold_taken_ns)
            model.flush_ns[ms] = model.now_ns + model.config.hold_taken_ns;
        else
            model_flush_down(ms);
        return;
    }
    bool has_down = model_has_more(down);
    model.flush_ns[ms] = 0;
    down->sleeps = has_down && model.config.resume == RADIO_RESUME_BY_ACTIVITY;
    model_event(ms, RADIO_BACK);
    if (has_down)
        model_wake(ms, RADIO_DOWN);
    if (model_has_more(&model.tbf[ms][RADIO_UP]))
        model_wake(ms, RADIO_UP);
}

static void model_discard(void)
{
    for (;;) {
        struct model_pdu *first = NULL;
        uint32_t of = 0, number = 0;
        for (uint32_t ms = 0; ms < model.mss; ms++)
            for (uint32_t i = 0; i < model.tbf[ms][RADIO_UP].pdus; i++) {
                struct model_pdu *pdu = &model.tbf[ms][RADIO_UP].pdu[i];
                if (pdu->held && !pdu->late && (!first || pdu->came < first->came)) {
                    first = pdu;
                    of = ms;
                    number = i;
                }
            }
        if (!first || first->since_ns + model.config.up_discard_ns > model.now_ns)
            return;
        first->late = true;
        if (!first->begun)
            model_leave(of, RADIO_UP, number, RADIO_LOSS_up_late);
    }
}

// --- The whole -----------------------------------------------------------------------------------

static void model_join(void)
{
    bool up_opens[MODEL_MSS] = {false};
    uint64_t before = model.order;
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        for (;;) {
            uint32_t first = UINT32_MAX;
            for (uint32_t ms = 0; ms < model.mss; ms++) {
                const struct model_tbf *tbf = &model.tbf[ms][way];
                if (tbf->place == MODEL_WAITS && tbf->due == model.period &&
                    (first == UINT32_MAX || tbf->order < model.tbf[first][way].order))
                    first = ms;
            }
            if (first == UINT32_MAX)
                break;
            struct model_tbf *tbf = &model.tbf[first][way];
            tbf->place = MODEL_TURNS;
            tbf->order = ++model.order;
            up_opens[first] |= way == RADIO_UP && tbf->sets_up;
            tbf->sets_up = false;
        }
    for (uint64_t order = before; order <= model.order; order++) // in the order of joining
        for (uint32_t ms = 0; ms < model.mss; ms++)
            if (up_opens[ms] && model.tbf[ms][RADIO_UP].order == order) {
                up_opens[ms] = false;
                model_event(ms, RADIO_UP_OPEN);
                model_active(ms);
            }
}

// Of the MSs whose flush is due, the one whose channel was taken first; UINT32_MAX: none.
static uint32_t model_flush_first(void)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t ms = 0; ms < model.mss; ms++)
        if (model.flush_ns[ms] && model.flush_ns[ms] <= model.now_ns &&
            (first == UINT32_MAX || model.taken_order[ms] < model.taken_order[first]))
            first = ms;
    return first;
}

// Every MS with steps has those of the last one that has begun, or the first; the blocks of a rate
// are the cell's.
static void model_walk(void)
{
    for (uint32_t ms = 0; ms < model.mss; ms++)
        for (uint32_t i = 0; i < model.steps[ms]; i++) {
            const struct model_step *step = &model.step[ms][i];
            struct model_laws *law = &model.own[ms][RADIO_DOWN];
            if (i > 0 && step->at_ns > model.period * model.config.period_ns)
                break;
            law->bler_ppm = step->bler_ppm;
            law->octets = law->rate ? law->octets : step->octets;
            law->blocks = law->rate ? 1 : step->blocks;
        }
}

static void model_instant(void)
{
    model_receive();
    if (model.config.up_discard_ns)
        model_discard();
    for (uint32_t ms; (ms = model_flush_first()) != UINT32_MAX;)
        model_flush_down(ms);
    if ((uint64_t)(model.period + 1) * model.config.period_ns > model.now_ns)
        return;
    model.period++;
    model_join();
    model_walk();
    model_share(RADIO_DOWN);
    model_share(RADIO_UP);
}

// The laws are given in full: what the radio makes of its codings is for other tests.
static void model_begin(const struct radio_config *config, uint32_t mss, uint64_t seed)
{
    struct cell_log *log = model.log;
    memset(&model, 0, sizeof model);
    model.log = log ? log : calloc(CELL_LOG_MAX, sizeof *log);
    model.config = *config;
    model.mss = mss;
    model.slots = config->slots;
    while (model.round_trip * config->period_ns < config->round_trip_ns)
        model.round_trip++;
    rng_seed(&model.rng, seed, 7);
}

// Everything up to this time; `through`: and what happens at it.
static void model_run(uint64_t until_ns, bool through)
{
    for (;;) {
        uint64_t next_ns = (uint64_t)(model.period + 1) * model.config.period_ns;
        for (uint32_t ms = 0; ms < model.mss; ms++) {
            if (model.flush_ns[ms] && model.flush_ns[ms] < next_ns)
                next_ns = model.flush_ns[ms];
            const struct model_tbf *up = &model.tbf[ms][RADIO_UP];
            for (uint32_t i = 0; i < up->pdus && model.config.up_discard_ns; i++) {
                uint64_t late_ns = up->pdu[i].since_ns + model.config.up_discard_ns;
                if (up->pdu[i].held && !up->pdu[i].late && late_ns < next_ns)
                    next_ns = late_ns;
            }
        }
        if (next_ns > until_ns || (next_ns == until_ns && !through))
            break;
        model.now_ns = next_ns;
        model_instant();
    }
    model.now_ns = until_ns;
}

static uint32_t model_add_pdu(uint32_t ms, uint32_t way, uint32_t octets)
{
    struct model_tbf *tbf = &model.tbf[ms][way];
    assert_true(tbf->pdus < MODEL_PDUS);
    tbf->pdu[tbf->pdus].octets = octets;
    return tbf->pdus++;
}

static void model_down(uint32_t ms, uint32_t octets)
{
    model_add_pdu(ms, RADIO_DOWN, octets);
    model.tbf[ms][RADIO_DOWN].more = true;
    if (model_has(ms))
        model.tbf[ms][RADIO_DOWN].sleeps = false;
    model_wake(ms, RADIO_DOWN);
}

static void model_up(uint32_t ms, uint32_t octets)
{
    uint32_t number = model_add_pdu(ms, RADIO_UP, octets);
    model_enter(ms, RADIO_UP, number);
    uint64_t held = 0, most = model.config.up_buffer_octets;
    for (uint32_t i = 0; i <= number; i++)
        held += model.tbf[ms][RADIO_UP].pdu[i].held ? model.tbf[ms][RADIO_UP].pdu[i].octets : 0;
    if (most && held > most)
        model_leave(ms, RADIO_UP, number, RADIO_LOSS_up_full);
    else
        model_wake(ms, RADIO_UP);
}

static void model_flush(uint32_t ms, uint32_t way)
{
    model_receive();
    model_end_tbf(ms, way);
    model_lose_all(ms, way, RADIO_LOSS_flushed);
    if (model.tbf[ms][way].more)
        model_wake(ms, way);
}

static void model_call(uint32_t ms, bool begins)
{
    model_receive();
    bool had = model_has(ms);
    model.calls[ms] += begins ? 1 : -1;
    model_channel(ms, had);
}

static void model_set_slots(uint32_t slots, uint32_t taken)
{
    bool had[MODEL_MSS];
    model_receive();
    for (uint32_t ms = 0; ms < model.mss; ms++)
        had[ms] = model_has(ms);
    model.slots = slots;
    model.taken = taken;
    for (uint32_t ms = 0; ms < model.mss; ms++)
        model_channel(ms, had[ms]);
}

#endif
