// The sending half of model.h.
//
// A plain model of a cell's radio, as an oracle: the laws of radio.h once more, without lists of
// who is active, without a window's ring and without sleeping. Every period is run, and every
// question is answered by looking at all blocks and PDUs there ever were. PDUs are numbers. Errors
// are drawn in the order of sending, as the radio does.
#ifndef TESTS_LAB_RADIO_MODEL_SEND_H
#define TESTS_LAB_RADIO_MODEL_SEND_H

#include "dataplane/base/rng.h"
#include "tests/lab/radio/cell.h"

#define MODEL_PDUS   4096 // of an MS in one way
#define MODEL_BLOCKS 32768
#define MODEL_MSS    8
#define MODEL_STEPS  8
#define MODEL_ALL    (2 * MODEL_MSS)

struct model_pdu {
    uint64_t since_ns, from_ns, came; // came: in which order, of all
    uint32_t octets;
    bool held, begun, complete, late;
};

// Carries octets of the PDUs from `first` to `last`.
struct model_block {
    uint32_t first, last, period;
    uint64_t sent; // in which order, of all
    bool right, arrived;
};

enum model_place { MODEL_RESTS, MODEL_WAITS, MODEL_TURNS };

struct model_tbf {
    struct model_pdu pdu[MODEL_PDUS];
    struct model_block block[MODEL_BLOCKS];
    uint32_t pdus, blocks, sent_octets;
    uint32_t buffer; // downlink: PDUs from here on are still in the BSC's buffer
    enum model_place place;
    uint32_t due, last_sent;
    uint64_t order; // of waiting and of turns
    uint32_t rank;
    uint64_t closes_ns, first_sent;
    struct radio_use use;
    uint32_t stalls; // periods without its turn because of the window, since it sent
    bool open, sets_up, stalled, more, sleeps;
};

struct model_laws {
    uint32_t octets, blocks, slots, window, bler_ppm, control_ppm;
    uint64_t rate, setup_ns, beside_ns, release_ns;
};

// From a time on, of an MS's downlink.
struct model_step {
    uint64_t at_ns;
    uint32_t octets, blocks, bler_ppm;
};

static struct model {
    struct radio_config config;
    struct model_laws law[RADIO_WAYS]; // of the cell
    struct model_laws own[MODEL_MSS][RADIO_WAYS];
    struct model_step step[MODEL_MSS][MODEL_STEPS];
    uint32_t steps[MODEL_MSS];
    struct model_tbf tbf[MODEL_MSS][RADIO_WAYS];
    uint64_t flush_ns[MODEL_MSS], taken_order[MODEL_MSS]; // flush_ns 0: none
    uint32_t calls[MODEL_MSS], mss, slots, taken;
    bool arriving;
    uint32_t period, round_trip; // period: the last one that started
    uint64_t order, credit[RADIO_WAYS], control[RADIO_WAYS], now_ns;
    struct radio_counts counts[RADIO_WAYS];
    struct radio_use use[RADIO_WAYS];
    struct cell_log *log;
    uint32_t logs;
    struct rng rng;
} model;

static void model_up(uint32_t ms, uint32_t octets);

static bool model_has(uint32_t ms)
{
    return model.calls[ms] == 0 && model.slots > model.taken;
}

// `why` is a radio_loss, ARRIVED, or an event beyond that.
static void model_note(uint32_t ms, uint32_t way, uint32_t number, uint32_t octets, uint32_t why)
{
    assert_true(model.logs < CELL_LOG_MAX);
    model.log[model.logs++] = (struct cell_log){model.now_ns, ms, way, number, octets, why};
}

static void model_enter(uint32_t ms, uint32_t way, uint32_t number)
{
    struct model_pdu *pdu = &model.tbf[ms][way].pdu[number];
    pdu->held = true;
    pdu->came = ++model.order;
    pdu->since_ns = model.now_ns;
    pdu->from_ns = model.now_ns + model.config.up_reaction_ns + (model.arriving ? 0 : 1);
    model.counts[way].in.packets++;
    model.counts[way].in.octets += pdu->octets;
}

static void model_leave(uint32_t ms, uint32_t way, uint32_t number, uint32_t why)
{
    struct model_pdu *pdu = &model.tbf[ms][way].pdu[number];
    struct radio_counts *c = &model.counts[way];
    struct radio_amount *amount = why == ARRIVED ? &c->out : &c->lost[why];
    pdu->held = false;
    amount->packets++;
    amount->octets += pdu->octets;
    model_note(ms, way, number, pdu->octets, why);
}

// --- Waiting and set-up --------------------------------------------------------------------------

static void model_wait(struct model_tbf *tbf, uint32_t due)
{
    tbf->place = MODEL_WAITS;
    tbf->due = due;
    tbf->order = ++model.order;
}

static bool model_is_open(const struct model_tbf *tbf)
{
    return tbf->open && (tbf->place != MODEL_RESTS || model.now_ns < tbf->closes_ns);
}

// The first PDU that is not sent whole, or NULL.
static struct model_pdu *model_unsent(struct model_tbf *tbf)
{
    for (uint32_t i = 0; i < tbf->pdus; i++)
        if (tbf->pdu[i].held && !tbf->pdu[i].complete)
            return &tbf->pdu[i];
    return NULL;
}

// All periods up to now have started, but while blocks arrive not the one that starts at this time.
static uint32_t model_next_period(struct model_tbf *tbf, uint32_t way)
{
    uint32_t next = (uint32_t)(model.now_ns / model.config.period_ns) + !model.arriving;
    while (way == RADIO_UP && next * model.config.period_ns < model_unsent(tbf)->from_ns)
        next++;
    return next;
}

static void model_wake(uint32_t ms, uint32_t way)
{
    struct model_tbf *tbf = &model.tbf[ms][way], *other = &model.tbf[ms][!way];
    uint32_t next = model_next_period(tbf, way);
    if (tbf->place == MODEL_TURNS || tbf->sleeps || !model_has(ms))
        return;
    if (model_is_open(tbf)) {
        bool fixed = tbf->sets_up || tbf->stalled || tbf->due <= next;
        if (tbf->place == MODEL_RESTS || !fixed)
            model_wait(tbf, next);
        return;
    }
    const struct model_laws *law = &model.own[ms][way];
    uint64_t end_ns = model.now_ns;
    end_ns += model_is_open(other) && !other->sets_up ? law->beside_ns : law->setup_ns;
    while ((uint64_t)next * model.config.period_ns < end_ns)
        next++;
    tbf->open = tbf->sets_up = true;
    model.counts[way].tbfs++;
    model_wait(tbf, next);
}

static void model_active(uint32_t ms)
{
    struct model_tbf *down = &model.tbf[ms][RADIO_DOWN];
    if (down->sleeps) {
        down->sleeps = false;
        model_wake(ms, RADIO_DOWN);
    }
}

// --- Sending -------------------------------------------------------------------------------------

static struct model_pdu *model_next_pdu(struct model_tbf *tbf, uint32_t way, uint32_t ms)
{
    struct model_pdu *pdu = model_unsent(tbf);
    if (pdu)
        return way == RADIO_DOWN || pdu->from_ns <= model.now_ns ? pdu : NULL;
    if (way == RADIO_UP || !tbf->more)
        return NULL;
    if (tbf->buffer == tbf->pdus) {
        tbf->more = false;
        return NULL;
    }
    model_enter(ms, way, tbf->buffer);
    if (model.config.order == RADIO_ORDER_RANK)
        tbf->rank = cell_rank(ms, tbf->buffer);
    return &tbf->pdu[tbf->buffer++];
}

static bool model_has_more(struct model_tbf *tbf)
{
    return model_unsent(tbf) || tbf->more;
}

// An octet at a time: a PDU that ends with room left pays an octet.
static bool model_fill(struct model_tbf *tbf, uint32_t way, uint32_t ms)
{
    struct model_block *block = &tbf->block[tbf->blocks];
    struct model_pdu *pdu;
    bool any = false;
    uint32_t room = model.own[ms][way].octets;
    while (room > 0 && (pdu = model_next_pdu(tbf, way, ms))) {
        if (!any)
            block->first = (uint32_t)(pdu - tbf->pdu);
        block->last = (uint32_t)(pdu - tbf->pdu);
        any = pdu->begun = true;
        for (; room > 0 && tbf->sent_octets < pdu->octets; room--) {
            tbf->sent_octets++;
            tbf->use.octets++;
            model.use[way].octets++;
        }
        if (tbf->sent_octets == pdu->octets) {
            pdu->complete = true;
            tbf->sent_octets = 0;
            room -= room > 0;
        }
    }
    return any;
}

// Blocks are acknowledged up to the first one that did not arrive a round trip ago.
static uint32_t model_oldest(const struct model_tbf *tbf, uint32_t period)
{
    uint32_t i = 0;
    while (i < tbf->blocks && tbf->block[i].arrived &&
           tbf->block[i].period + model.round_trip <= period)
        i++;
    return i;
}

// The wrong block that was sent first, or NULL.
static struct model_block *model_wrong(struct model_tbf *tbf)
{
    struct model_block *first = NULL;
    for (uint32_t i = 0; i < tbf->blocks; i++)
        if (!tbf->block[i].right && (!first || tbf->block[i].sent < first->sent))
            first = &tbf->block[i];
    return first;
}

static bool model_send_block(uint32_t ms, uint32_t way)
{
    struct model_tbf *tbf = &model.tbf[ms][way];
    struct radio_counts *c = &model.counts[way];
    struct model_block *block = model_wrong(tbf);
    if (block && block->period + model.round_trip <= model.period) {
        c->blocks_again++;
    } else {
        if (tbf->blocks - model_oldest(tbf, model.period) >= model.own[ms][way].window) {
            tbf->stalled = model_has_more(tbf);
            return false;
        }
        assert_true(tbf->blocks < MODEL_BLOCKS);
        if (!model_fill(tbf, way, ms))
            return false;
        block = &tbf->block[tbf->blocks++];
    }
    block->arrived = false;
    block->period = tbf->last_sent = model.period;
    block->sent = ++model.order;
    uint32_t bler_ppm = model.own[ms][way].bler_ppm;
    block->right = bler_ppm == 0 || rng_below(&model.rng, 1000000) >= bler_ppm;
    c->blocks++;
    c->blocks_wrong += !block->right;
    return true;
}

static void model_rest(uint32_t ms, uint32_t way)
{
    struct model_tbf *tbf = &model.tbf[ms][way];
    const struct model_block *wrong = model_wrong(tbf);
    uint32_t due = wrong ? wrong->period + model.round_trip : UINT32_MAX;
    if (tbf->stalled) {
        const struct model_block *oldest = &tbf->block[model_oldest(tbf, model.period)];
        if (oldest->right && oldest->period + model.round_trip < due)
            due = oldest->period + model.round_trip;
        model.counts[way].stalls++;
    } else if (model_has_more(tbf)) {
        uint32_t next = model_next_period(tbf, way);
        due = next < due ? next : due;
    }
    tbf->place = MODEL_RESTS;
    uint64_t end = tbf->last_sent + model.round_trip;
    if (due != UINT32_MAX)
        model_wait(tbf, due);
    else
        tbf->closes_ns = (end > model.period ? end : model.period) * model.config.period_ns +
                         model.own[ms][way].release_ns;
}

static bool model_before(const struct model_tbf *a, const struct model_tbf *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->order < b->order;
}

// The MS whose TBF of the way has that place and the least rank and order, or UINT32_MAX.
static uint32_t model_first(uint32_t way, enum model_place place)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t ms = 0; ms < model.mss; ms++)
        if (model.tbf[ms][way].place == place &&
            (first == UINT32_MAX || model_before(&model.tbf[ms][way], &model.tbf[first][way])))
            first = ms;
    return first;
}

static uint32_t model_slots(uint32_t way)
{
    const struct model_laws *law = &model.law[way];
    uint32_t slots = model.slots > model.taken ? model.slots - model.taken : 0;
    if (law->rate) {
        model.credit[way] += law->rate * slots / model.config.slots * model.config.period_ns;
        for (slots = 0; model.credit[way] >= law->octets * 8ULL * S_IN_NS; slots++)
            model.credit[way] -= law->octets * 8ULL * S_IN_NS;
    }
    uint32_t free = 0;
    for (uint32_t i = 0; i < slots; i++) {
        model.counts[way].slots++;
        model.control[way] += law->control_ppm;
        if (model.control[way] >= 1000000) {
            model.control[way] -= 1000000;
            model.counts[way].slots_control++;
        } else {
            free++;
        }
    }
    return free;
}

// had: it had its place in the turns when the period started. What its window cost it counts when
// it has its place again.
static void model_count_use(struct model_tbf *tbf, bool had, uint32_t used, uint32_t most,
                            uint32_t idle)
{
    if (had) {
        tbf->use.periods += tbf->stalls;
        tbf->stalls = 0;
    }
    if (used > 0 || (had && tbf->place == MODEL_TURNS))
        tbf->use.periods++;
    else if (tbf->stalled)
        tbf->stalls++;
    tbf->use.slots += used;
    tbf->use.could += used;
    for (; idle > 0 && used > 0 && used != most && !tbf->stalled; idle--, used++)
        tbf->use.could++;
}

// It sent in the last second, and may have more slots than that. 0 slots of an MS: no limit.
static bool model_could_have_more(uint32_t ms, uint32_t way, uint32_t used)
{
    const struct model_tbf *tbf = &model.tbf[ms][way];
    uint64_t periods = model.period - tbf->last_sent + 1;
    uint32_t most = model.own[ms][way].slots;
    return tbf->blocks > 0 && periods * model.config.period_ns <= S_IN_NS && !tbf->stalled &&
           (most == 0 || used < most);
}

// The cell's: if anybody sent, an idle slot is given to the first who sent in the last second and
// could have had one more.
static void model_count_cell(uint32_t way, const uint32_t used[MODEL_MSS], uint32_t idle)
{
    struct radio_use *use = &model.use[way];
    uint32_t all = 0;
    bool waits = false;
    for (uint32_t ms = 0; ms < model.mss; ms++) {
        all += used[ms];
        waits |= model.tbf[ms][way].place == MODEL_TURNS;
    }
    use->slots += all;
    use->could += all;
    use->periods += all > 0 || waits;
    for (uint32_t ms = 0; ms < model.mss && all > 0; ms++)
        for (uint32_t n = used[ms]; idle > 0 && model_could_have_more(ms, way, n); n++, idle--)
            use->could++;
}

static void model_share(uint32_t way)
{
    uint32_t used[MODEL_MSS] = {0}, ms, full = 0, full_ms[MODEL_MSS], slots = 0;
    bool had[MODEL_MSS];
    for (ms = 0; ms < model.mss; ms++)
        had[ms] = model.tbf[ms][way].place == MODEL_TURNS;
    for (slots = model_first(way, MODEL_TURNS) == UINT32_MAX ? 0 : model_slots(way); slots > 0;) {
        if ((ms = model_first(way, MODEL_TURNS)) == UINT32_MAX)
            break;
        struct model_tbf *tbf = &model.tbf[ms][way];
        uint32_t sent = 0;
        tbf->stalled = false;
        while (sent < model.own[ms][way].blocks && model_send_block(ms, way))
            sent++;
        if (sent == 0) {
            model_rest(ms, way);
            continue;
        }
        slots--;
        model.counts[way].slots_used++;
        tbf->order = ++model.order;
        if (used[ms]++ == 0)
            tbf->first_sent = ++model.order;
        if (used[ms] == model.own[ms][way].slots) {
            tbf->place = MODEL_RESTS; // for the rest of the period
            full_ms[full++] = ms;
        }
    }
    for (uint32_t i = 0; i < full; i++) {
        model.tbf[full_ms[i]][way].place = MODEL_TURNS;
        model.tbf[full_ms[i]][way].order = ++model.order;
    }
    for (ms = 0; ms < model.mss; ms++)
        model_count_use(&model.tbf[ms][way], had[ms], used[ms], model.own[ms][way].slots, slots);
    model_count_cell(way, used, slots);
}

#endif
