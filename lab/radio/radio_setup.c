// A radio and its MSs come and go.
#include "lab/radio/radio_parts.h"

#include "lab/engine/need.h"

enum mode { MODE_RATE, MODE_GPRS, MODE_EGPRS };

static const struct coding {
    enum mode mode;
    uint32_t blocks, octets;
} codings[RADIO_CODINGS] = {
#define CODING(NAME, words, mode, blocks, octets) \
    [RADIO_CODING_##NAME] = {MODE_##mode, blocks, octets},
#include "lab/radio/codings.def"
#undef CODING
};

// By the slots of the MS, 1 to 8: the largest windows of 44.060 9.1.9.2.
static uint32_t window_by_mode(enum mode mode, uint32_t slots)
{
    static const uint32_t egprs[] = {192, 256, 384, 512, 640, 768, 896, 1024};
    if (mode == MODE_RATE)
        return UINT32_MAX;
    return mode == MODE_GPRS ? 64 : egprs[(slots < 8 ? slots : 8) - 1];
}

// What the coding decides; the law comes with the keys as they are.
static struct tbf_law law_of(struct tbf_law law, uint32_t coding)
{
    const struct coding *c = &codings[coding];
    if (c->mode != MODE_RATE) {
        law.blocks = c->blocks;
        law.block_octets = c->octets;
    }
    if (law.slots_most == 0)
        law.slots_most = UINT32_MAX;
    if (law.window == 0)
        law.window = window_by_mode(c->mode, law.slots_most);
    return law;
}

#define LAW(config, way)                                                          \
    law_of((struct tbf_law){.blocks = 1,                                          \
                            .block_octets = (uint32_t)(config)->way##_pdu_octets, \
                            .slots_most = (config)->way##_slots,                  \
                            .window = (config)->way##_window,                     \
                            .bler_ppm = (config)->way##_bler_ppm,                 \
                            .setup_ns = (config)->way##_setup_ns,                 \
                            .setup_beside_ns = (config)->way##_setup_beside_ns,   \
                            .release_ns = (config)->way##_release_ns},            \
           (config)->way##_coding)

struct radio *radio_create(struct engine *engine, const struct radio_config *config,
                           const struct radio_owner *owner, uint64_t seed, uint64_t stream)
{
    struct radio *radio = need(calloc(1, sizeof *radio));
    struct share *down = &radio->share[RADIO_DOWN], *up = &radio->share[RADIO_UP];
    radio->engine = engine;
    radio->config = *config;
    radio->owner = *owner;
    radio->armed_ns = TIME_NEVER;
    radio->slots = config->slots;
    radio->round_trip =
        (uint32_t)((config->round_trip_ns + config->period_ns - 1) / config->period_ns);
    engine_timer_init(&radio->timer, radio_fire, radio);
    rng_seed(&radio->rng, seed, stream);
    down->law = LAW(config, down);
    up->law = LAW(config, up);
    down->rate_bit_per_s = config->down_coding ? 0 : config->down_rate_bit_per_s;
    up->rate_bit_per_s = config->up_coding ? 0 : config->up_rate_bit_per_s;
    down->control_ppm = config->down_control_ppm;
    up->control_ppm = config->up_control_ppm;
    return radio;
}

void radio_follow(struct radio *radio, struct radio_trace *trace)
{
    radio_trace_free(radio->share[RADIO_DOWN].trace);
    radio->share[RADIO_DOWN].trace = trace;
}

static uint32_t free_index(struct radio *radio)
{
    for (uint32_t i = 0; i < radio->ms_room; i++)
        if (!radio->ms[i])
            return i;
    uint32_t room = radio->ms_room ? 2 * radio->ms_room : 16, first = radio->ms_room;
    radio->ms = need(realloc(radio->ms, room * sizeof *radio->ms));
    while (radio->ms_room < room)
        radio->ms[radio->ms_room++] = NULL;
    return first;
}

// The cell's keys and the MS's over them. A cell that is given as a rate has no coding schemes: its
// blocks and its window are for all MSs.
static void set_own(struct radio *radio, struct radio_ms *ms, const struct radio_own *own)
{
    struct radio_config config = radio->config;
    if (field_change(radio_config_fields, radio_config_field_count, &config, own->keys) != 0)
        abort();
    ms->walk = own->walk;
    if (ms->walk) { // the window is that of CS or of MCS
        config.down_coding = ms->walk->row[0].coding;
        config.down_bler_ppm = ms->walk->row[0].bler_ppm;
    }
    if (radio->config.down_coding == RADIO_CODING_RATE)
        config.down_coding = RADIO_CODING_RATE;
    if (radio->config.up_coding == RADIO_CODING_RATE)
        config.up_coding = RADIO_CODING_RATE;
    ms->own[RADIO_DOWN] = LAW(&config, down);
    ms->own[RADIO_UP] = LAW(&config, up);
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        ms->tbf[way].law = &ms->own[way];
}

void radio_walk_to(const struct radio *radio, struct radio_ms *ms, uint64_t now_ns)
{
    struct tbf_law *law = &ms->own[RADIO_DOWN];
    while (ms->walk_next < ms->walk->rows && ms->walk->row[ms->walk_next].at_ns <= now_ns) {
        const struct radio_walk_row *row = &ms->walk->row[ms->walk_next++];
        law->bler_ppm = row->bler_ppm;
        if (radio->share[RADIO_DOWN].rate_bit_per_s)
            continue;
        law->blocks = codings[row->coding].blocks;
        law->block_octets = codings[row->coding].octets;
    }
}

uint32_t radio_add_ms(struct radio *radio, uint32_t number, const struct radio_own *own)
{
    struct radio_ms *ms = need(calloc(1, sizeof *ms));
    ms->index = free_index(radio);
    ms->number = number;
    ms->entry = ++radio->entries;
    radio->ms[ms->index] = ms;
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        ms->tbf[way].ms = ms;
        ms->tbf[way].way = (uint8_t)way;
        ms->tbf[way].law = &radio->share[way].law;
    }
    if (own)
        set_own(radio, ms, own);
    return ms->index;
}

// Out of those that sent in the last period.
static void forget_sent(struct share *share, const struct tbf *tbf)
{
    if (!tbf->in_sent)
        return;
    struct tbf *before = NULL;
    for (struct tbf *at = share->sent_first; at != tbf; at = at->next_sent)
        before = at;
    *(before ? &before->next_sent : &share->sent_first) = tbf->next_sent;
    if (share->sent_last == tbf)
        share->sent_last = before;
}

static void free_ms(struct radio *radio, struct radio_ms *ms)
{
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        forget_sent(&radio->share[way], &ms->tbf[way]);
        free(ms->tbf[way].block);
        free(ms->tbf[way].wrong);
    }
    channel_forget(radio, ms);
    radio->ms[ms->index] = NULL;
    free(ms);
}

void radio_remove_ms(struct radio *radio, uint32_t ms, uint64_t now_ns)
{
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        radio->ms[ms]->tbf[RADIO_DOWN].more = false;
        radio_flush(radio, ms, way, RADIO_LOSS_left, now_ns);
    }
    free_ms(radio, radio->ms[ms]);
    radio_arm(radio, now_ns);
}

void radio_destroy(struct radio *radio)
{
    engine_cancel(radio->engine, &radio->timer);
    for (uint32_t i = 0; i < radio->ms_room; i++)
        if (radio->ms[i])
            free_ms(radio, radio->ms[i]);
    free(radio->ms);
    free(radio->plan);
    radio_trace_free(radio->share[RADIO_DOWN].trace);
    free(radio);
}
