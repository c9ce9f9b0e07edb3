// See world.h: changes of the tree, asked of the scheduler and made in the mirror.
#include "tests/dataplane/sched/world_inside.h"

void world_nse_set(struct world *w, uint32_t nse, struct bucket_terms cir)
{
    assert_int_equal(sched_nse_set(w->sched, nse, cir, w->now_ns), 0);
    world_bucket_set(w, &w->nse[nse].bucket, cir, 0, 0);
}

static void cell_follows(struct world *w, uint32_t cell, struct bucket_terms terms,
                         struct bucket_terms ms_default)
{
    struct world_cell *c = &w->cell[cell];
    uint32_t largest = world_cell_largest(w, cell);
    world_bucket_set(w, &c->bucket, terms, w->config.bvc_delay_ns, largest);
    c->ms_default = ms_default;
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists && w->ms[i].cell == cell && !w->ms[i].own)
            world_bucket_set(w, &w->ms[i].bucket, ms_default, w->config.ms_delay_ns, largest);
    world_sizes_follow(w);
}

void world_cell_set(struct world *w, uint32_t cell, struct bucket_terms terms,
                    struct bucket_terms ms_default)
{
    assert_int_equal(sched_bvc_set(w->sched, cell, terms, ms_default, w->now_ns), 0);
    cell_follows(w, cell, terms, ms_default);
}

void world_cell_more(struct world *w, uint32_t cell, uint32_t mss)
{
    assert_int_equal(sched_bvc_more(w->sched, cell, mss), 0);
    w->cell[cell].more = mss;
    world_sizes_follow(w);
}

static void empty(const struct world *w, struct world_bucket *b)
{
    b->replay.level = 0;
    b->replay.at_ns = w->now_ns;
}

// B = 0 for all of the cell.
void world_cell_reset(struct world *w, uint32_t cell)
{
    struct bucket_terms stopped = {0};
    assert_int_equal(sched_bvc_reset(w->sched, cell, w->now_ns), 0);
    w->cell[cell].bucket = world_bucket_empty(w);
    w->cell[cell].more = 0;
    cell_follows(w, cell, stopped, stopped);
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists && w->ms[i].cell == cell)
            empty(w, &w->ms[i].bucket);
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists && w->pfc[i].limited && w->ms[w->pfc[i].ms].cell == cell)
            empty(w, &w->pfc[i].bucket);
    world_judge_levels(w);
}

void world_cell_block(struct world *w, uint32_t cell, bool blocked)
{
    assert_int_equal(sched_bvc_block(w->sched, cell, blocked, w->now_ns), 0);
    w->cell[cell].blocked = blocked;
}

static void credit(struct world *w, struct world_bucket *b, uint32_t octets)
{
    __int128 level = replay_level(&b->replay, w->now_ns) - (__int128)octets * REPLAY_OCTET;
    b->replay.level = level > 0 ? level : 0;
    b->replay.at_ns = w->now_ns;
}

void world_cell_credit(struct world *w, uint32_t cell, uint32_t octets)
{
    assert_int_equal(sched_bvc_credit(w->sched, cell, octets, w->now_ns), 0);
    credit(w, &w->cell[cell].bucket, octets);
}

void world_cell_ratio(struct world *w, uint32_t cell, uint32_t percent)
{
    uint64_t level = world_bucket_ratio(w, &w->cell[cell].bucket, percent);
    assert_int_equal(sched_bvc_level(w->sched, cell, level, w->now_ns), 0);
    w->cell[cell].bucket.told = true;
    world_sizes_follow(w);
}

// Its clock stands while it is frozen by command or by R = 0 of its own.
void world_ms_clock_follows(struct world *w, uint32_t ms)
{
    struct world_ms *m = &w->ms[ms];
    bool stands = m->frozen || (m->own && m->bucket.offered.rate == 0);
    if (stands && !m->stands)
        m->stands_since_ns = w->now_ns;
    if (!stands && m->stands)
        m->away_ns += w->now_ns - m->stands_since_ns;
    m->stands = stands;
}

void world_ms_set(struct world *w, uint32_t ms, struct bucket_terms terms)
{
    assert_int_equal(sched_ms_set(w->sched, ms, terms, w->now_ns), 0);
    w->ms[ms].own = true;
    world_bucket_set(w, &w->ms[ms].bucket, terms, w->config.ms_delay_ns, world_ms_largest(w, ms));
    world_ms_clock_follows(w, ms);
}

void world_ms_default(struct world *w, uint32_t ms)
{
    assert_int_equal(sched_ms_default(w->sched, ms, w->now_ns), 0);
    w->ms[ms].own = false;
    world_bucket_set(w, &w->ms[ms].bucket, w->cell[w->ms[ms].cell].ms_default,
                     w->config.ms_delay_ns, world_cell_largest(w, w->ms[ms].cell));
    world_ms_clock_follows(w, ms);
}

void world_ms_ratio(struct world *w, uint32_t ms, uint32_t percent)
{
    uint64_t level = world_bucket_ratio(w, &w->ms[ms].bucket, percent);
    assert_int_equal(sched_ms_level(w->sched, ms, level, w->now_ns), 0);
    w->ms[ms].bucket.told = w->ms[ms].own;
    world_sizes_follow(w);
}

void world_ms_credit(struct world *w, uint32_t ms, uint32_t octets)
{
    assert_int_equal(sched_ms_credit(w->sched, ms, octets, w->now_ns), 0);
    credit(w, &w->ms[ms].bucket, octets);
}

void world_ms_n201_u(struct world *w, uint32_t ms, uint32_t lle, uint16_t n201_u)
{
    assert_int_equal(sched_ms_n201_u(w->sched, ms, lle, n201_u, w->now_ns), 0);
    w->ms[ms].n201_u[lle] = n201_u;
    world_sizes_follow(w);
}

void world_ms_lles(struct world *w, uint32_t ms, uint32_t lles)
{
    assert_int_equal(sched_ms_lles(w->sched, ms, lles, w->now_ns), 0);
    w->ms[ms].lles = lles;
    world_sizes_follow(w);
}

void world_ms_extra(struct world *w, uint32_t ms, uint32_t octets)
{
    w->ms[ms].extra = octets;
    assert_int_equal(sched_nse_look_again(w->sched, w->cell[w->ms[ms].cell].nse), 0);
}

void world_ms_freeze(struct world *w, uint32_t ms)
{
    assert_int_equal(sched_ms_freeze(w->sched, ms, w->now_ns), 0);
    w->ms[ms].frozen = true;
    world_ms_clock_follows(w, ms);
}

void world_ms_release(struct world *w, uint32_t ms)
{
    assert_int_equal(sched_ms_release(w->sched, ms, w->now_ns), 0);
    w->ms[ms].frozen = false;
    world_ms_clock_follows(w, ms);
}

void world_ms_move(struct world *w, uint32_t ms, uint32_t cell)
{
    struct world_ms *m = &w->ms[ms];
    assert_int_equal(sched_ms_move(w->sched, ms, cell, w->now_ns), 0);
    if (m->cell == cell) // it is there: nothing changes
        return;
    m->cell = cell;
    m->own = false;
    m->bucket = world_bucket_empty(w);
    for (uint32_t i = 0; i < w->pfcs; i++) // values for a PFC were the old cell's too
        if (w->pfc[i].ms == ms)
            w->pfc[i].limited = false;
    world_sizes_follow(w);
    world_bucket_set(w, &m->bucket, w->cell[cell].ms_default, w->config.ms_delay_ns,
                     world_cell_largest(w, cell));
    world_ms_clock_follows(w, ms);
}

// Whether a call that drops has to be repeated: it says so, and has done something.
static bool is_more(struct world *w, int err)
{
    uint32_t n = world_collect_drops(w);
    world_judge_ledger(w);
    assert_true(err == 0 || (err == -SCHED_MORE && n > 0));
    return err != 0;
}

void world_ms_flush(struct world *w, uint32_t ms)
{
    while (is_more(w, sched_ms_flush(w->sched, ms, DROP_flushed, w->now_ns)))
        ;
    assert_int_equal(w->ms[ms].packets, 0);
}

void world_ms_remove(struct world *w, uint32_t ms)
{
    world_frames_forget(w, ms);
    while (is_more(w, sched_ms_remove(w->sched, ms, DROP_removed, w->now_ns)))
        ;
    assert_int_equal(w->ms[ms].packets, 0);
    w->ms[ms].exists = false;
    world_sizes_follow(w);
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].ms == ms)
            w->pfc[i].exists = false;
}

void world_pfc_set(struct world *w, uint32_t pfc, struct bucket_terms terms)
{
    struct world_pfc *p = world_flow(w, pfc);
    assert_int_equal(sched_pfc_set(w->sched, p->ms, w->pfc[pfc].slot, terms, w->now_ns), 0);
    if (!p->limited)
        p->bucket = world_bucket_empty(w);
    p->limited = true;
    world_bucket_set(w, &p->bucket, terms, w->config.pfc_delay_ns, world_ms_largest(w, p->ms));
}

void world_pfc_unlimit(struct world *w, uint32_t pfc)
{
    struct world_pfc *p = world_flow(w, pfc);
    assert_int_equal(sched_pfc_unlimit(w->sched, p->ms, w->pfc[pfc].slot, w->now_ns), 0);
    p->limited = false;
}

void world_pfc_ratio(struct world *w, uint32_t pfc, uint32_t percent)
{
    struct world_pfc *p = world_flow(w, pfc);
    uint64_t level = world_bucket_ratio(w, &p->bucket, percent);
    assert_int_equal(sched_pfc_level(w->sched, p->ms, w->pfc[pfc].slot, level, w->now_ns), 0);
    p->bucket.told = true;
    world_sizes_follow(w);
}

void world_pfc_credit(struct world *w, uint32_t pfc, uint32_t octets)
{
    struct world_pfc *p = world_flow(w, pfc);
    assert_int_equal(sched_pfc_credit(w->sched, p->ms, w->pfc[pfc].slot, octets, w->now_ns), 0);
    credit(w, &p->bucket, octets);
}

// What the world judges by: weights are for who measures shares.
void world_class_set(struct world *w, enum traffic_class class, const struct sched_class *values)
{
    struct sched_class *k = &w->config.of_class[class];
    assert_int_equal(sched_class_set(w->sched, class, values), 0);
    k->weight = values->weight;
    k->limit = values->limit;
    k->lifetime_ns = values->lifetime_ns;
    k->bss_least_ns = values->bss_least_ns;
    k->bss_most_ns = values->bss_most_ns;
}

// One leaves the others of its bucket; the first of those has it then, if it was its own.
static void bucket_passes(struct world *w, uint32_t pfc)
{
    uint32_t heir = WORLD_NONE;
    w->pfc[pfc].shares = 0;
    for (uint32_t i = 0; i < w->pfcs; i++) {
        struct world_pfc *p = &w->pfc[i];
        if (p->shares != pfc + 1)
            continue;
        if (heir == WORLD_NONE) {
            heir = i;
            p->bucket = w->pfc[pfc].bucket;
            p->limited = w->pfc[pfc].limited;
        }
        p->shares = heir == i ? 0 : heir + 1;
    }
}

void world_pfc_remove(struct world *w, uint32_t pfc)
{
    struct world_pfc *p = &w->pfc[pfc];
    while (is_more(w, sched_pfc_remove(w->sched, p->ms, p->slot, DROP_removed, w->now_ns)))
        ;
    assert_int_equal(p->head, WORLD_NONE);
    p->exists = false;
    bucket_passes(w, pfc);
}

struct world_pfc *world_flow(const struct world *w, uint32_t pfc)
{
    return &w->pfc[w->pfc[pfc].shares ? w->pfc[pfc].shares - 1 : pfc];
}

void world_pfc_share(struct world *w, uint32_t pfc, uint32_t with)
{
    struct world_pfc *p = &w->pfc[pfc];
    assert_int_equal(sched_pfc_share(w->sched, p->ms, p->slot, w->pfc[with].slot, w->now_ns), 0);
    uint32_t leader = (uint32_t)(world_flow(w, with) - w->pfc);
    if (world_flow(w, pfc) == &w->pfc[leader])
        return;
    bucket_passes(w, pfc);
    p->shares = leader + 1;
    p->limited = false;
}
