// See world.h: a bucket at each node as the oracle sees it (S1), and what must not wait (S6).
#include "tests/dataplane/sched/world_inside.h"

struct world_bucket world_bucket_empty(const struct world *w)
{
    return (struct world_bucket){.replay.at_ns = w->now_ns};
}

// The effective Bmax, worked out anew: what the BSS sends in its delay, and one PDU.
void world_bucket_set(struct world *w, struct world_bucket *b, struct bucket_terms offered,
                      uint64_t delay_ns)
{
    uint64_t octets = offered.max_octets, bit_per_s = 100ULL * offered.rate;
    uint64_t used = (uint64_t)((unsigned __int128)bit_per_s * delay_ns / 8000000000u);
    if (delay_ns != 0 && used + w->config.pdu_octets_max < octets)
        octets = used + w->config.pdu_octets_max;
    if (b->unlimited) // there was no bucket: the new one is empty
        b->replay = (struct replay_bucket){.at_ns = w->now_ns};
    b->offered = offered;
    b->unlimited = offered.rate == BUCKET_UNLIMITED;
    replay_set(&b->replay, w->now_ns, b->unlimited ? 0 : bit_per_s, octets);
}

// The BSS knows only what it offered. Returns the level in the scheduler's units.
uint64_t world_bucket_ratio(struct world *w, struct world_bucket *b, uint32_t percent)
{
    b->replay.level = (__int128)b->offered.max_octets * percent * REPLAY_OCTET / 100;
    b->replay.at_ns = w->now_ns;
    return bucket_level_of_ratio(b->offered.max_octets, percent);
}

bool world_conforms(const struct world_bucket *b, uint32_t octets, uint64_t at_ns)
{
    return b->unlimited || replay_conforms(&b->replay, at_ns, octets);
}

// NULL: it has none.
const struct world_bucket *world_pfc_bucket(const struct world *w, const struct world_pfc *p)
{
    (void)w;
    return p->limited ? &p->bucket : NULL;
}

bool world_pfc_conforms(const struct world *w, const struct world_pfc *p, uint32_t octets,
                        uint64_t at_ns)
{
    const struct world_bucket *b = world_pfc_bucket(w, p);
    return !b || world_conforms(b, octets, at_ns);
}

static bool pass(struct world_bucket *b, uint32_t octets, uint64_t at_ns)
{
    return b->unlimited || replay_send(&b->replay, at_ns, octets);
}

void world_charge(struct world *w, uint32_t pfc, uint32_t llc_octets)
{
    struct world_pfc *p = &w->pfc[pfc];
    struct world_ms *m = &w->ms[p->ms];
    struct world_cell *c = &w->cell[m->cell];
    struct world_nse *n = &w->nse[c->nse];
    uint32_t pipe_octets = llc_octets + w->config.pipe_header_octets;
    if (p->limited)
        assert_true(pass(&p->bucket, llc_octets, w->now_ns));
    assert_true(pass(&m->bucket, llc_octets, w->now_ns));
    assert_true(pass(&c->bucket, llc_octets, w->now_ns));
    assert_true(pass(&n->bucket, pipe_octets, w->now_ns));
    p->sent_octets += llc_octets;
    p->sent_pdus++;
    m->sent_octets += llc_octets;
    m->sent_pdus++;
    c->class_octets[p->traffic_class] += llc_octets;
    n->sent_octets += pipe_octets;
}

void world_charge_frame(struct world *w, uint32_t ms, uint32_t octets)
{
    struct world_ms *m = &w->ms[ms];
    struct world_cell *c = &w->cell[m->cell];
    struct world_nse *n = &w->nse[c->nse];
    assert_false(m->stands || c->blocked);
    assert_true(pass(&m->bucket, octets, w->now_ns));
    assert_true(pass(&c->bucket, octets, w->now_ns));
    assert_true(pass(&n->bucket, octets + w->config.pipe_header_octets, w->now_ns));
}

static void judge_level(struct sched_bucket found, const struct world_bucket *b, uint64_t now_ns)
{
    if (b->unlimited)
        return;
    uint64_t level = (uint64_t)(replay_level(&b->replay, now_ns) / 100);
    assert_int_equal(found.level, level);
    assert_int_equal(found.terms.rate, b->offered.rate);
    assert_int_equal(found.terms.max_octets, b->replay.octets);
}

// All charged or none: who was not charged for what went, or for what did not go, differs here.
void world_judge_levels(const struct world *w)
{
    for (uint32_t i = 0; i < w->nses; i++)
        judge_level(sched_nse_bucket(w->sched, i, w->now_ns), &w->nse[i].bucket, w->now_ns);
    for (uint32_t i = 0; i < w->cells; i++)
        judge_level(sched_bvc_bucket(w->sched, i, w->now_ns), &w->cell[i].bucket, w->now_ns);
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists)
            judge_level(sched_ms_bucket(w->sched, i, w->now_ns), &w->ms[i].bucket, w->now_ns);
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists && w->pfc[i].limited)
            judge_level(sched_pfc_bucket(w->sched, w->pfc[i].ms, w->pfc[i].slot, w->now_ns),
                        &w->pfc[i].bucket, w->now_ns);
}

// ---- S6. In which order conforming heads go is the scheduler's; so it may idle only if some
// head that could be first does not conform. `sure` is an MS whose every possible head conforms to
// its PFC and its MS: it is surely in its cell's order. A cell surely has work for the pipe if one
// of its MSs is sure and every head that could be first there conforms to the cell. ----

struct cell_view {
    bool sure, sure_signalling;   // an MS of it is
    bool all_fit, signalling_fit; // every possible head conforms to the cell
    uint32_t largest;
};

// Another PFC of the MS has its first N-PDU on the same LLE.
static bool lle_is_wanted(const struct world *w, uint32_t pfc, uint32_t lle)
{
    for (uint32_t i = 0; i < w->pfcs; i++) {
        const struct world_pfc *other = &w->pfc[i];
        if (i != pfc && other->exists && other->ms == w->pfc[pfc].ms && other->head != WORLD_NONE &&
            w->npdu[other->head].lle == lle && !(other->limited && other->bucket.offered.rate == 0))
            return true;
    }
    return false;
}

// LLC octets of an N-PDU from its first piece to its last.
static uint32_t whole_octets(const struct world *w, struct world_npdu n)
{
    uint32_t sum = 0, llc_octets;
    n.n201_u = w->ms[w->pfc[n.pfc].ms].n201_u[n.lle];
    do {
        n.sent = (uint16_t)(n.sent + world_piece(w, &n, &llc_octets));
        sum += llc_octets;
    } while (n.sent < n.octets);
    return sum;
}

// What the PFC's bucket has to pass before the head goes: the whole N-PDU where others want the
// LLE, and it could.
static uint32_t pfc_needs(const struct world *w, uint32_t pfc, uint32_t llc_octets)
{
    const struct world_pfc *p = &w->pfc[pfc];
    const struct world_npdu *n = &w->npdu[p->head];
    uint32_t whole = n->sent ? llc_octets : whole_octets(w, *n);
    bool could = whole <= p->bucket.replay.octets;
    return could && lle_is_wanted(w, pfc, n->lle) ? whole : llc_octets;
}

struct ms_view {
    bool any[2], all[2]; // by signalling or not: heads that their PFC lets go; their MS lets all go
    uint32_t largest[2]; // that both let go
};

// Its head, or in its place the rest of what is half sent on that LLE, which surely goes only in
// the order of its own PFC.
static void view_head(const struct world *w, uint32_t pfc, uint64_t at_ns, struct ms_view *v)
{
    const struct world_pfc *p = &w->pfc[pfc];
    uint32_t octets, kind = p->traffic_class == CLASS_SIGNALLING;
    if (!p->exists || p->head == WORLD_NONE)
        return;
    uint32_t started = w->ms[p->ms].started[w->npdu[p->head].lle];
    const struct world_npdu *n = &w->npdu[started == WORLD_NONE ? p->head : started];
    world_piece(w, n, &octets);
    if (!world_pfc_conforms(w, &w->pfc[n->pfc], n->pfc == pfc ? pfc_needs(w, pfc, octets) : octets,
                            at_ns))
        return;
    v->any[kind] = v->any[kind] || n->pfc == pfc;
    if (!world_conforms(&w->ms[p->ms].bucket, octets, at_ns))
        v->all[kind] = false;
    else if (octets > v->largest[kind])
        v->largest[kind] = octets;
}

// An MS on defaults may be 100 ms late after a change of them.
bool world_ms_in_time(const struct world *w, const struct world_ms *m, uint64_t at_ns)
{
    return m->own || at_ns >= w->cell[m->cell].default_set_ns + 100 * MS_IN_NS ||
           w->cell[m->cell].default_set_ns == 0;
}

static void view_ms(const struct world *w, uint32_t ms, const struct ms_view *v, uint64_t at_ns,
                    struct cell_view *cell)
{
    const struct world_ms *m = &w->ms[ms];
    const struct world_bucket *b = &w->cell[m->cell].bucket;
    bool sure = world_ms_in_time(w, m, at_ns) && !m->stands;
    if (m->stands || m->frames)
        return;
    cell->sure_signalling = cell->sure_signalling || (sure && v->any[1] && v->all[1]);
    cell->sure = cell->sure || (sure && (v->any[1] ? v->all[1] : v->any[0] && v->all[0]));
    for (uint32_t kind = 0; kind < 2; kind++) {
        bool fits = v->largest[kind] == 0 || world_conforms(b, v->largest[kind], at_ns);
        cell->all_fit = cell->all_fit && fits;
        cell->signalling_fit = cell->signalling_fit && (kind == 0 || fits);
        cell->largest = v->largest[kind] > cell->largest ? v->largest[kind] : cell->largest;
    }
}

static void view_cells(const struct world *w, uint64_t at_ns, struct cell_view *cell)
{
    struct ms_view *ms = calloc(w->mss + 1, sizeof *ms);
    for (uint32_t i = 0; i < w->mss; i++)
        ms[i].all[0] = ms[i].all[1] = true;
    for (uint32_t i = 0; i < w->pfcs; i++)
        view_head(w, i, at_ns, &ms[w->pfc[i].ms]);
    for (uint32_t i = 0; i < w->cells; i++)
        cell[i].all_fit = cell[i].signalling_fit = true;
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists)
            view_ms(w, i, &ms[i], at_ns, &cell[w->ms[i].cell]);
    free(ms);
}

// Nothing goes at that time: is that right? With flow queues the heads are not known.
void world_judge_idle(const struct world *w, uint64_t at_ns)
{
    struct cell_view *cell = calloc(w->cells + 1, sizeof *cell);
    struct world_kept kept = world_kept(w, at_ns, true);
    view_cells(w, at_ns, cell);
    for (uint32_t i = 0; i < w->nses; i++) {
        uint32_t largest = 0, busy = WORLD_NONE;
        for (uint32_t b = 0; b < w->cells; b++) {
            const struct cell_view *c = &cell[b];
            if (!w->cell[b].exists || w->cell[b].nse != i || w->cell[b].blocked || kept.cell[b])
                continue;
            largest = c->largest > largest ? c->largest : largest;
            if (c->sure_signalling ? c->signalling_fit : c->sure && c->all_fit)
                busy = b;
        }
        largest += w->config.pipe_header_octets;
        if (busy != WORLD_NONE && !kept.nse[i] && world_conforms(&w->nse[i].bucket, largest, at_ns))
            fail_msg("NSE %u idles at %llu though cell %u has what conforms", i,
                     (unsigned long long)at_ns, busy);
    }
    world_kept_free(kept);
    free(cell);
}
