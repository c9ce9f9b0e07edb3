// See world.h: building, the event loop, the sources.
#include "tests/dataplane/sched/world_inside.h"
#include "tests/dataplane/sched/check.h"

#include <string.h>

#define ROUNDS_MAX 100000 // of takes at one instant: more is a scheduler that spins

struct sched_config world_config(void)
{
    static const uint32_t weight[CLASS_COUNT] = {1, 900, 900, 50, 35, 15, 5};
    struct sched_config c = {.nses = 4,
                             .bvcs = 16,
                             .mss = 128,
                             .pfcs_an_ms = SCHED_SLOTS,
                             .first_header_octets = 10,
                             .next_header_octets = 9,
                             .llc_octets = 6,
                             .flow_quantum_octets = 300,
                             .pdu_octets_max = 1526,
                             .tail_drop = true,
                             .seed = 1};
    c.limit = c.bvc_limit = c.ms_limit = (struct sched_limit){1024, 1024 * 1600};
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        c.of_class[i] = (struct sched_class){.weight = weight[i],
                                             .limit = c.limit,
                                             .lifetime_ns = SCHED_INFINITE,
                                             .bss_most_ns = SCHED_INFINITE,
                                             .scope = SCHED_SCOPE_PFC};
        assert_null(aqm_setup(&c.of_class[i].aqm, &aqm_tail_drop, NULL));
    }
    return c;
}

static void *zeroed(size_t count, size_t octets)
{
    void *at = calloc(count + 1, octets);
    assert_non_null(at);
    return at;
}

struct world *world_open(const struct sched_config *config)
{
    struct world *w = zeroed(1, sizeof *w);
    uint64_t octets = (sched_octets(config) + 63) / 64 * 64;
    *w = (struct world){
        .config = *config, .batch = 4, .check_every = 1, .npdu_free = WORLD_NONE, .now_ns = 1};
    w->memory = aligned_alloc(64, octets);
    assert_non_null(w->memory);
    memset(w->memory, 0, octets);
    w->config.pipe_owner = w;
    assert_int_equal(sched_setup(&w->sched, &w->config, w->memory), 0);
    w->nse = zeroed(config->nses, sizeof *w->nse);
    w->cell = zeroed(config->bvcs, sizeof *w->cell);
    w->ms = zeroed(config->mss, sizeof *w->ms);
    w->pfc = zeroed(config->mss * SCHED_SLOTS, sizeof *w->pfc);
    return w;
}

static void world_judge(struct world *w)
{
    const char *wrong = sched_check(w->sched);
    if (wrong)
        fail_msg("sched_check at %llu ns: %s", (unsigned long long)w->now_ns, wrong);
    world_judge_ledger(w);
    world_judge_levels(w);
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists) {
            struct sched_queued q = sched_ms_queued(w->sched, i);
            assert_int_equal(q.packets, w->ms[i].packets);
            assert_int_equal(q.octets, w->ms[i].octets);
        }
}

void world_close(struct world *w)
{
    world_judge(w);
    free(w->nse);
    free(w->cell);
    free(w->ms);
    free(w->pfc);
    free(w->source);
    free(w->npdu);
    free(w->sent);
    free(w->memory);
    free(w);
}

uint32_t world_add_nse(struct world *w, struct bucket_terms cir)
{
    uint32_t id = w->nses++;
    assert_int_equal(sched_nse_add(w->sched, id, cir, w->now_ns), 0);
    w->nse[id].bucket = world_bucket_empty(w);
    world_bucket_set(w, &w->nse[id].bucket, cir, 0, 0);
    return id;
}

uint32_t world_add_cell(struct world *w, uint32_t nse, struct bucket_terms terms,
                        struct bucket_terms ms_default)
{
    uint32_t id = w->cells++;
    assert_int_equal(sched_bvc_add(w->sched, id, nse, w->now_ns), 0);
    w->cell[id] = (struct world_cell){.nse = nse, .exists = true, .bucket = world_bucket_empty(w)};
    world_cell_set(w, id, terms, ms_default);
    return id;
}

static void ms_starts_on_defaults(struct world *w, uint32_t ms)
{
    struct world_ms *m = &w->ms[ms];
    m->own = false;
    m->bucket = world_bucket_empty(w);
    world_sizes_follow(w);
    world_bucket_set(w, &m->bucket, w->cell[m->cell].ms_default, w->config.ms_delay_ns,
                     world_cell_largest(w, m->cell));
}

uint32_t world_add_ms(struct world *w, uint32_t cell, uint16_t n201_u)
{
    uint32_t id = w->mss++;
    assert_int_equal(sched_ms_add(w->sched, id, cell, n201_u, w->now_ns), 0);
    w->ms[id] = (struct world_ms){.cell = cell, .exists = true};
    for (uint32_t i = 0; i < SCHED_LLES; i++) {
        w->ms[id].n201_u[i] = n201_u;
        w->ms[id].started[i] = WORLD_NONE;
    }
    ms_starts_on_defaults(w, id);
    return id;
}

uint32_t world_add_pfc(struct world *w, uint32_t ms, uint32_t slot, enum traffic_class class)
{
    uint32_t id = w->pfcs++;
    assert_true(id < w->config.mss * SCHED_SLOTS);
    assert_int_equal(sched_pfc_add(w->sched, ms, slot, class), 0);
    w->pfc[id] = (struct world_pfc){.ms = ms,
                                    .slot = slot,
                                    .traffic_class = class,
                                    .exists = true,
                                    .head = WORLD_NONE,
                                    .tail = WORLD_NONE,
                                    .bucket = world_bucket_empty(w)};
    return id;
}

uint32_t world_add_simple(struct world *w, uint32_t cell, enum traffic_class class)
{
    return world_add_pfc(w, world_add_ms(w, cell, 1520), 0, class);
}

// ---- Sources ----

// xorshift64* (Vigna)
uint64_t world_draw(uint64_t *state, uint64_t least, uint64_t most)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return least + (*state * 0x2545f4914f6cdd1dULL >> 16) % (most - least + 1);
}

uint32_t world_add_source(struct world *w, struct world_source source)
{
    if (w->sources == w->source_room) {
        w->source_room = w->source_room ? 2 * w->source_room : 16;
        w->source = realloc(w->source, w->source_room * sizeof *w->source);
        assert_non_null(w->source);
    }
    source.random = (source.seed + 1) * 0x9e3779b97f4a7c15ULL;
    source.stop_ns = source.stop_ns ? source.stop_ns : TIME_NEVER;
    source.start_ns = source.start_ns > w->now_ns ? source.start_ns : w->now_ns;
    source.next_ns = source.start_ns;
    w->source[w->sources] = source;
    return w->sources++;
}

uint32_t world_add_greedy(struct world *w, uint32_t pfc, uint16_t least, uint16_t most)
{
    return world_add_source(
        w,
        (struct world_source){.pfc = pfc, .least = least, .most = most, .depth = 6, .seed = pfc});
}

static bool source_put(struct world *w, uint32_t id)
{
    struct world_source *s = &w->source[id];
    struct world_npdu n = {
        .pfc = s->pfc, .source = id, .number = s->count++, .lle = s->lle, .ect = s->ect};
    n.octets = (uint16_t)world_draw(&s->random, s->least, s->most);
    n.flow = s->flows ? (uint32_t)world_draw(&s->random, 1, s->flows) * 0x9e3779b9u : s->flow_hash;
    return world_put_from(w, n) == DROP_NONE;
}

// Of a source in turn on and off: whether it is on now, and when that changes.
static bool source_is_on(const struct world *w, const struct world_source *s, uint64_t *change_ns)
{
    uint64_t cycle = s->on_ns + s->off_ns, since = w->now_ns - s->start_ns;
    *change_ns = TIME_NEVER;
    if (w->now_ns >= s->stop_ns || w->now_ns < s->start_ns || !w->pfc[s->pfc].exists)
        return false;
    if (s->off_ns == 0)
        return true;
    bool on = since % cycle < s->on_ns;
    *change_ns = w->now_ns - since % cycle + (on ? s->on_ns : cycle);
    return on;
}

static void source_fill(struct world *w, uint32_t id)
{
    uint64_t change_ns;
    if (!source_is_on(w, &w->source[id], &change_ns))
        return;
    bool more = true; // at a full limit its N-PDUs may be refused, or drive out its own
    while (more && w->source[id].queued < w->source[id].depth) {
        uint32_t queued = w->source[id].queued;
        more = source_put(w, id) && w->source[id].queued > queued;
    }
}

static bool is_deep(const struct world_source *s)
{
    return s->most_queued && s->queued >= s->most_queued;
}

static void source_run(struct world *w, uint32_t id)
{
    struct world_source *s = &w->source[id];
    uint64_t change_ns;
    bool on = source_is_on(w, s, &change_ns);
    if (s->depth)
        source_fill(w, id);
    else
        for (uint32_t i = 0; on && i < s->burst && !is_deep(&w->source[id]); i++)
            source_put(w, id);
    s = &w->source[id];
    s->next_ns = s->depth || !on ? change_ns : w->now_ns + s->interval_ns;
    if (s->next_ns >= s->stop_ns)
        s->next_ns = TIME_NEVER;
}

// ---- The loop ----

uint32_t world_take(struct world *w)
{
    struct sched_grant grant[WORLD_BATCH];
    uint32_t fill[WORLD_BATCH];
    uint32_t frames = world_offer_frames(w);
    uint32_t n = sched_take(w->sched, grant, w->batch - frames, w->now_ns);
    assert_true(n <= w->batch);
    world_collect_drops(w); // first: what was dropped is in nobody's way any more
    for (uint32_t i = 0; i < n; i++)
        fill[i] = world_granted(w, &grant[i]);
    world_judge_ledger(w);
    for (uint32_t i = 0; i < n; i++)
        if (fill[i] != WORLD_NONE && w->source[fill[i]].depth)
            source_fill(w, fill[i]);
    return frames + n;
}

// Everything that there is to do now.
static void step(struct world *w)
{
    for (uint32_t i = 0; i < w->sources; i++)
        if (w->source[i].next_ns <= w->now_ns)
            source_run(w, i);
    uint32_t rounds = 0;
    do {
        if (rounds++ == ROUNDS_MAX)
            fail_msg("spins at %llu ns", (unsigned long long)w->now_ns);
    } while (world_take(w) == w->batch || sched_next_ns(w->sched, w->now_ns) <= w->now_ns);
    w->settled_ns = w->now_ns;
    if (w->steps++ % w->check_every == 0)
        world_judge(w);
    if (w->judge_work)
        world_judge_idle(w, w->now_ns);
}

static uint64_t next_event_ns(const struct world *w)
{
    uint64_t next_ns = sched_next_ns(w->sched, w->now_ns);
    for (uint32_t i = 0; i < w->sources; i++)
        next_ns = w->source[i].next_ns < next_ns ? w->source[i].next_ns : next_ns;
    next_ns = next_ns > w->now_ns ? next_ns : w->now_ns;
    if (w->poll_ns && next_ns != TIME_NEVER)
        next_ns = (next_ns + w->poll_ns - 1) / w->poll_ns * w->poll_ns;
    return next_ns;
}

// Until just before that time nothing went: rightly so?
static void advance(struct world *w, uint64_t to_ns)
{
    if (w->judge_work && to_ns > w->now_ns + 1 && !w->poll_ns)
        world_judge_idle(w, to_ns - 1);
    w->now_ns = to_ns;
}

void world_run(struct world *w, uint64_t until_ns)
{
    for (uint64_t next_ns; (next_ns = next_event_ns(w)) <= until_ns;) {
        advance(w, next_ns);
        step(w);
    }
    advance(w, until_ns);
    world_judge(w);
}
