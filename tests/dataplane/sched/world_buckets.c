// See world.h: a bucket at each node as the oracle sees it (S1), and what must not wait (S6).
#include "tests/dataplane/sched/world_inside.h"

struct world_bucket world_bucket_empty(const struct world *w)
{
    return (struct world_bucket){.replay.at_ns = w->now_ns};
}

// How far a bucket may be filled, by the documents alone: what R sends in the delay and one PDU; of
// a bucket whose level the BSS tells at least two PDUs and a per cent of Bmax; of a cell that needs
// several MSs for its R, at least an N-PDU of each besides; at most Bmax.
static uint64_t effective(const struct world_bucket *b, uint64_t delay_ns, uint32_t largest_octets,
                          uint32_t mss)
{
    uint64_t bit_per_s = 100ULL * b->offered.rate, most = b->offered.max_octets;
    uint64_t used = (uint64_t)((unsigned __int128)bit_per_s * delay_ns / 8000000000u);
    used += largest_octets;
    uint64_t rounding = most / 100 < largest_octets ? most / 100 : largest_octets;
    uint64_t least = largest_octets + (b->told ? largest_octets + rounding : 0);
    least += mss > 1 ? 1500ull * mss : 0;
    used = used < least ? least : used;
    return delay_ns != 0 && used < most ? used : most;
}

static uint32_t ms_n201_u(const struct world_ms *m)
{
    uint32_t most = 0;
    for (uint32_t lle = 0; lle < SCHED_LLES; lle++)
        if ((m->lles == 0 || m->lles >> lle & 1) && m->n201_u[lle] > most)
            most = m->n201_u[lle];
    return most;
}

uint32_t world_ms_largest(const struct world *w, uint32_t ms)
{
    return ms_n201_u(&w->ms[ms]) + w->config.llc_octets;
}

// In steps of 30 from 140.
uint32_t world_cell_largest(const struct world *w, uint32_t cell)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->mss; i++)
        if (w->ms[i].exists && w->ms[i].cell == cell && ms_n201_u(&w->ms[i]) > most)
            most = ms_n201_u(&w->ms[i]);
    if (most == 0)
        return 0;
    while ((most - 140) % 30)
        most++;
    return most + w->config.llc_octets;
}

// How many MSs it takes until their R are the cell's, or less than that by a sixteenth of one, and
// as many more as was said; as far as the cell has so many.
static uint32_t side_by_side(const struct world *w, uint32_t cell)
{
    const struct world_cell *c = &w->cell[cell];
    uint64_t sum = 0, one = c->ms_default.rate;
    uint32_t mss = 0, wanted = 0;
    for (uint32_t i = 0; i < w->mss; i++)
        mss += w->ms[i].exists && w->ms[i].cell == cell;
    if (one == 0 || one == BUCKET_UNLIMITED || c->bucket.unlimited || c->bucket.offered.rate == 0)
        return 1;
    for (; (wanted == 0 || 16 * sum + one < 16ull * c->bucket.offered.rate) && wanted < mss;
         wanted++)
        sum += one;
    return wanted + c->more < mss ? wanted + c->more : mss;
}

static void size_follows(struct world_bucket *b, uint64_t delay_ns, uint32_t largest_octets,
                         uint32_t mss)
{
    if (!b->unlimited)
        b->replay.octets = effective(b, delay_ns, largest_octets, mss);
}

void world_sizes_follow(struct world *w)
{
    for (uint32_t i = 0; i < w->cells; i++)
        size_follows(&w->cell[i].bucket, w->config.bvc_delay_ns, world_cell_largest(w, i),
                     side_by_side(w, i));
    for (uint32_t i = 0; i < w->mss; i++) {
        struct world_ms *m = &w->ms[i];
        if (!m->exists)
            continue;
        size_follows(&m->bucket, w->config.ms_delay_ns,
                     m->own ? world_ms_largest(w, i) : world_cell_largest(w, m->cell), 1);
    }
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists && w->pfc[i].limited)
            size_follows(&w->pfc[i].bucket, w->config.pfc_delay_ns,
                         world_ms_largest(w, w->pfc[i].ms), 1);
}

void world_bucket_set(struct world *w, struct world_bucket *b, struct bucket_terms offered,
                      uint64_t delay_ns, uint32_t largest_octets)
{
    uint64_t bit_per_s = 100ULL * offered.rate;
    if (b->unlimited) // there was no bucket: the new one is empty
        b->replay = (struct replay_bucket){.at_ns = w->now_ns};
    b->offered = offered;
    b->unlimited = offered.rate == BUCKET_UNLIMITED;
    b->told = false;
    uint64_t octets = effective(b, delay_ns, largest_octets, 1);
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
    const struct world_pfc *flow = world_flow(w, (uint32_t)(p - w->pfc));
    return flow->limited ? &flow->bucket : NULL;
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

uint32_t world_pipe(const void *world, uint32_t ms, uint32_t context, uint32_t llc_octets)
{
    const struct world *w = world;
    uint32_t of_pfc = context == SCHED_NO_CONTEXT ? 0 : context % 4;
    return llc_octets + w->ms[ms].extra + of_pfc + (llc_octets > 700 ? 48 : 0);
}

uint32_t world_pipe_octets(const struct world *w, uint32_t ms, uint32_t pfc, uint32_t llc_octets)
{
    if (!w->config.pipe_octets)
        return llc_octets + w->config.pipe_header_octets;
    return world_pipe(w, ms, pfc == WORLD_NONE ? SCHED_NO_CONTEXT : pfc, llc_octets);
}

void world_charge(struct world *w, uint32_t pfc, uint32_t llc_octets)
{
    struct world_pfc *p = &w->pfc[pfc];
    struct world_ms *m = &w->ms[p->ms];
    struct world_cell *c = &w->cell[m->cell];
    struct world_nse *n = &w->nse[c->nse];
    uint32_t pipe_octets = world_pipe_octets(w, p->ms, pfc, llc_octets);
    if (world_flow(w, pfc)->limited)
        assert_true(pass(&world_flow(w, pfc)->bucket, llc_octets, w->now_ns));
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
    assert_true(pass(&n->bucket, world_pipe_octets(w, ms, WORLD_NONE, octets), w->now_ns));
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
        if (w->pfc[i].exists && world_flow(w, i)->limited)
            judge_level(sched_pfc_bucket(w->sched, w->pfc[i].ms, w->pfc[i].slot, w->now_ns),
                        &world_flow(w, i)->bucket, w->now_ns);
}

// ---- S6. In which order conforming heads go is the scheduler's; so it may idle only if some
// head that could be first does not conform. `sure` is an MS whose every possible head conforms to
// its PFC and its MS: it is surely in its cell's order. A cell surely has work for the pipe if one
// of its MSs is sure and every head that could be first there conforms to the cell. ----

struct cell_view {
    bool sure, sure_signalling;   // an MS of it is
    bool all_fit, signalling_fit; // every possible head conforms to the cell
    uint32_t largest;             // at the pipe
};

// Another PFC of the MS has its first N-PDU on the same LLE.
static bool lle_is_wanted(const struct world *w, uint32_t pfc, uint32_t lle)
{
    for (uint32_t i = 0; i < w->pfcs; i++) {
        const struct world_pfc *other = &w->pfc[i];
        if (i != pfc && other->exists && other->ms == w->pfc[pfc].ms && other->head != WORLD_NONE &&
            w->npdu[other->head].lle == lle &&
            !(world_flow(w, i)->limited && world_flow(w, i)->bucket.offered.rate == 0))
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
    bool could = whole <= world_flow(w, pfc)->bucket.replay.octets;
    return could && lle_is_wanted(w, pfc, n->lle) ? whole : llc_octets;
}

// Which of those that share a bucket is first is the scheduler's: that one surely goes only if the
// bucket lets all of them, or, where some are half sent, one of those.
static bool flow_lets(const struct world *w, uint32_t pfc, uint64_t at_ns)
{
    bool all = true, begun = false, some = false;
    for (uint32_t i = 0; i < w->pfcs; i++) {
        uint32_t octets;
        if (!w->pfc[i].exists || w->pfc[i].head == WORLD_NONE ||
            world_flow(w, i) != world_flow(w, pfc))
            continue;
        const struct world_npdu *n = &w->npdu[w->pfc[i].head];
        world_piece(w, n, &octets);
        bool lets = world_pfc_conforms(w, &w->pfc[i], pfc_needs(w, i, octets), at_ns);
        all = all && lets;
        begun = begun || n->sent;
        some = some || (n->sent && lets);
    }
    return begun ? some : all;
}

struct ms_view {
    bool any[2], all[2]; // by signalling or not: heads that their PFC lets go; their MS lets all go
    uint32_t largest[2]; // that both let go
    uint32_t largest_pipe[2];
};

// That PDU may go at a turn of that kind, as its PFC lets it.
static void view_pdu(const struct world *w, const struct world_npdu *n, uint32_t kind,
                     uint64_t at_ns, struct ms_view *v)
{
    uint32_t ms = w->pfc[n->pfc].ms, octets;
    world_piece(w, n, &octets);
    if (!world_conforms(&w->ms[ms].bucket, octets, at_ns)) {
        v->all[kind] = false;
        return;
    }
    uint32_t pipe_octets = world_pipe_octets(w, ms, n->pfc, octets);
    if (octets > v->largest[kind])
        v->largest[kind] = octets;
    if (pipe_octets > v->largest_pipe[kind])
        v->largest_pipe[kind] = pipe_octets;
}

// Its head, or in its place the rest of what is half sent on that LLE, which surely goes only in
// the order of its own PFC. NULL: its own bucket refuses that.
static const struct world_npdu *head_that_goes(const struct world *w, uint32_t pfc, uint64_t at_ns)
{
    const struct world_pfc *p = &w->pfc[pfc];
    uint32_t octets, started = w->ms[p->ms].started[w->npdu[p->head].lle];
    const struct world_npdu *n = &w->npdu[started == WORLD_NONE ? p->head : started];
    world_piece(w, n, &octets);
    if (n->pfc == pfc)
        octets = pfc_needs(w, pfc, octets);
    return world_pfc_conforms(w, &w->pfc[n->pfc], octets, at_ns) ? n : NULL;
}

// The PFC whose PDU goes in the place of its head: the one that keeps its LLE, if there is one.
static uint32_t keeper_of(const struct world *w, uint32_t pfc)
{
    uint32_t started = w->ms[w->pfc[pfc].ms].started[w->npdu[w->pfc[pfc].head].lle];
    return started == WORLD_NONE ? pfc : w->npdu[started].pfc;
}

// At a PFC's turn a PDU of any PFC that shares its bucket may go, of whatever kind; or of one that
// shares the bucket of the PFC that keeps that one's LLE. `but` is counted already.
static void view_flow(const struct world *w, uint32_t pfc, uint32_t but, uint32_t kind,
                      uint64_t at_ns, struct ms_view *v)
{
    for (uint32_t i = 0; i < w->pfcs; i++) {
        const struct world_pfc *p = &w->pfc[i];
        if (p->ms != w->pfc[pfc].ms || i == but || !p->exists || p->head == WORLD_NONE ||
            world_flow(w, i) != world_flow(w, pfc))
            continue;
        const struct world_npdu *n = head_that_goes(w, i, at_ns);
        if (n)
            view_pdu(w, n, kind, at_ns, v);
        uint32_t keeper = keeper_of(w, i);
        if (but != WORLD_NONE && world_flow(w, keeper) != world_flow(w, pfc))
            view_flow(w, keeper, WORLD_NONE, kind, at_ns, v);
    }
}

static void view_head(const struct world *w, uint32_t pfc, uint64_t at_ns, struct ms_view *v)
{
    const struct world_pfc *p = &w->pfc[pfc];
    uint32_t kind = p->traffic_class == CLASS_SIGNALLING;
    if (!p->exists || p->head == WORLD_NONE)
        return;
    const struct world_npdu *n = head_that_goes(w, pfc, at_ns);
    v->any[kind] = v->any[kind] || (n && n->pfc == pfc && flow_lets(w, pfc, at_ns));
    if (n)
        view_pdu(w, n, kind, at_ns, v);
    view_flow(w, keeper_of(w, pfc), pfc, kind, at_ns, v);
}

static void view_ms(const struct world *w, uint32_t ms, const struct ms_view *v, uint64_t at_ns,
                    struct cell_view *cell)
{
    const struct world_ms *m = &w->ms[ms];
    const struct world_bucket *b = &w->cell[m->cell].bucket;
    bool sure = !m->stands;
    if (m->stands || m->frames)
        return;
    cell->sure_signalling = cell->sure_signalling || (sure && v->any[1] && v->all[1]);
    // Signalling that its bucket may let go, and the MS does not, may be what it waits for.
    cell->sure = cell->sure || (sure && v->all[1] && (v->any[1] || (v->any[0] && v->all[0])));
    for (uint32_t kind = 0; kind < 2; kind++) {
        bool fits = v->largest[kind] == 0 || world_conforms(b, v->largest[kind], at_ns);
        cell->all_fit = cell->all_fit && fits;
        cell->signalling_fit = cell->signalling_fit && (kind == 0 || fits);
        if (v->largest_pipe[kind] > cell->largest)
            cell->largest = v->largest_pipe[kind];
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
        if (busy != WORLD_NONE && !kept.nse[i] && world_conforms(&w->nse[i].bucket, largest, at_ns))
            fail_msg("NSE %u idles at %llu though cell %u has what conforms", i,
                     (unsigned long long)at_ns, busy);
    }
    world_kept_free(kept);
    free(cell);
}
