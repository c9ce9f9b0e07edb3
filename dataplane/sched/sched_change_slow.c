// See sched.h: sets buckets, blocks, freezes, moves, flushes. A bucket is settled at its old rate
// before a new one holds (S10).
#include "dataplane/sched/sched_change.h"
#include "dataplane/sched/sched_ring.h"
#include "dataplane/sched/sched_overflow.h"

static int there_or_free(bool exists, bool there)
{
    return exists == there ? 0 : there ? -SCHED_MISSING : -SCHED_EXISTS;
}

int sched_change_nse(const struct sched *s, uint32_t nse, bool there)
{
    return nse >= s->config.nses ? -SCHED_BAD_ID : there_or_free(s->nse[nse].state != 0, there);
}

int sched_change_bvc(const struct sched *s, uint32_t bvc, bool there)
{
    return bvc >= s->config.bvcs ? -SCHED_BAD_ID : there_or_free(s->bvc[bvc].state != 0, there);
}

int sched_change_ms(const struct sched *s, uint32_t ms, bool there)
{
    return ms >= s->config.mss ? -SCHED_BAD_ID : there_or_free(tree_ms(s, ms)->state != 0, there);
}

int sched_change_pfc(const struct sched *s, uint32_t ms, uint32_t slot)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    if (slot >= s->config.pfcs_an_ms)
        return -SCHED_BAD_ID;
    return tree_ms(s, ms)->slots & 1u << slot ? 0 : -SCHED_MISSING;
}

int sched_change_terms(struct bucket_terms terms)
{
    return terms.rate <= BUCKET_RATE_MAX || terms.rate == BUCKET_UNLIMITED ? 0 : -SCHED_BAD_RATE;
}

int sched_change_n201_u(const struct sched *s, uint16_t n201_u)
{
    bool fits = n201_u + s->config.llc_octets <= s->config.pdu_octets_max;
    return n201_u >= CHANGE_N201_U_MIN && n201_u <= CHANGE_N201_U_MAX && fits ? 0
                                                                              : -SCHED_BAD_N201_U;
}

static void state_set(uint8_t *state, uint8_t bit, bool on)
{
    *state = (uint8_t)(on ? *state | bit : *state & ~bit);
}

static uint64_t pdus_ns(const struct sched *s, struct bucket_terms terms, uint64_t pdus)
{
    return terms.rate ? pdus * s->config.pdu_octets_max * BUCKET_UNITS_AN_OCTET / terms.rate : 0;
}

static uint8_t turn_more(const struct sched *s, struct bucket_terms terms)
{
    if (terms.rate == BUCKET_UNLIMITED)
        return 0;
    unsigned __int128 octets =
        (unsigned __int128)s->config.turn_ns * terms.rate / BUCKET_UNITS_AN_OCTET;
    for (uint8_t more = SCHED_TURN_PDUS_MOST - 1; more; more--)
        if (octets >= (more + 1u) * s->config.pdu_octets_max)
            return more;
    return 0;
}

int sched_nse_set(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns)
{
    int fault = sched_change_nse(s, nse, true);
    if (!fault)
        fault = sched_change_terms(cir);
    if (fault)
        return fault;
    struct tree_nse *n = &s->nse[nse];
    bucket_set(&n->bucket, cir, now_ns);
    if (cir.rate == BUCKET_UNLIMITED)
        sched_ready_by_turns(s, n);
    n->full_span_ns = pdus_ns(s, cir, READY_FULL_PDUS);
    n->full_ns = now_ns;
    gate_unwait(&s->wheel, gate_of(&s->nse[nse]));
    state_set(&n->state, GATE_STOPPED, cir.rate == 0);
    sched_nse_refresh(s, nse);
    frames_look_again(s);
    return 0;
}

int sched_nse_block(struct sched *s, uint32_t nse, bool blocked)
{
    int fault = sched_change_nse(s, nse, true);
    if (fault)
        return fault;
    state_set(&s->nse[nse].state, GATE_BLOCKED, blocked);
    sched_nse_refresh(s, nse);
    frames_look_again(s);
    return 0;
}

int sched_nse_look_again(struct sched *s, uint32_t nse)
{
    int fault = sched_change_nse(s, nse, true);
    if (fault)
        return fault;
    gate_unwait(&s->wheel, gate_of(&s->nse[nse]));
    sched_nse_refresh(s, nse);
    frames_look_again(s);
    return 0;
}

int sched_bvc_set(struct sched *s, uint32_t bvc, struct bucket_terms terms,
                  struct bucket_terms ms_default, uint64_t now_ns)
{
    int fault = sched_change_bvc(s, bvc, true);
    if (!fault)
        fault = sched_change_terms(terms);
    if (!fault)
        fault = sched_change_terms(ms_default);
    if (fault)
        return fault;
    struct tree_bvc *c = &s->bvc[bvc];
    bucket_set(&c->bucket, sched_sizes_of_bvc(s, bvc, terms, ms_default.rate), now_ns);
    c->turn_more = turn_more(s, terms) & 3;
    struct leak *defaults = &s->bvc_rest[bvc].defaults;
    struct bucket_terms old = defaults->terms, new = sched_sizes_of_default(s, bvc, ms_default);
    leak_set(defaults, new, now_ns);
    // in a cell without queued N-PDUs no MS waits on defaults
    if (c->total && (new.rate != old.rate || new.max_octets != old.max_octets))
        sched_roll_visit(s, bvc);
    gate_unwait(&s->wheel, bvc_gate(s, bvc));
    state_set(&c->state, GATE_STOPPED, terms.rate == 0);
    sched_bvc_refresh(s, bvc);
    sched_bvc_look_again(s, bvc);
    return 0;
}

int sched_bvc_block(struct sched *s, uint32_t bvc, bool blocked, uint64_t now_ns)
{
    (void)now_ns;
    int fault = sched_change_bvc(s, bvc, true);
    if (fault)
        return fault;
    state_set(&s->bvc[bvc].state, GATE_BLOCKED, blocked);
    sched_bvc_refresh(s, bvc);
    sched_bvc_look_again(s, bvc);
    return 0;
}

int sched_bvc_reset(struct sched *s, uint32_t bvc, uint64_t now_ns)
{
    struct bucket_terms none = {0};
    int fault = sched_bvc_set(s, bvc, none, none, now_ns);
    if (fault)
        return fault;
    sched_sizes_bvc_reset(s, bvc);
    sched_roll_reset(s, bvc);
    return sched_change_bvc_level(s, bvc, 0, now_ns);
}

static void count_standing(struct sched *s, uint32_t bvc, const struct tree_pfc *p, bool more)
{
    uint64_t total = p->queue.total;
    if (total)
        standing_count(s, bvc, p->traffic_class, more ? total : -total, more ? 1 : UINT32_MAX);
}

void sched_change_standing(struct sched *s, uint32_t ms, uint8_t bit, bool on, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    bool stood = ms_stands(m);
    uint64_t clock_ns = tree_ms_clock(m, now_ns);
    state_set(&m->state, bit, on);
    bool stands = ms_stands(m);
    if (stands == stood)
        return;
    m->away_ns = stands ? clock_ns : now_ns - clock_ns;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1)
        count_standing(s, m->bvc, tree_pfc_of(m, (uint32_t)__builtin_ctz(slots)), stands);
}

int sched_ms_set(struct sched *s, uint32_t ms, struct bucket_terms terms, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (!fault)
        fault = sched_change_terms(terms);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    sched_roll_refresh(s, ms, now_ns);
    terms = sched_sizes_of_ms(s, ms, terms);
    uint64_t level = ms_level(s, m, now_ns);
    m->state |= MS_OWN;
    m->bucket = (struct bucket){level, now_ns, terms.rate, terms.max_octets};
    sched_change_standing(s, ms, GATE_STOPPED, terms.rate == 0, now_ns);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_ms_default(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    sched_roll_refresh(s, ms, now_ns);
    uint64_t level = ms_level(s, m, now_ns);
    m->state &= (uint8_t)~MS_OWN;
    bucket_default_set(&m->bucket, &s->bvc_rest[m->bvc].defaults, level, now_ns);
    sched_change_standing(s, ms, GATE_STOPPED, false, now_ns);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_ms_n201_u(struct sched *s, uint32_t ms, uint32_t lle, uint16_t n201_u, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (!fault)
        fault = lle < SCHED_LLES ? sched_change_n201_u(s, n201_u) : -SCHED_BAD_ID;
    if (fault)
        return fault;
    uint32_t was = sched_sizes_n201_u(s, ms);
    tree_ms(s, ms)->n201_u[lle] = n201_u;
    sched_sizes_ms_changes(s, ms, was);
    sched_ms_heads_change(s, ms, now_ns);
    return 0;
}

static int freeze(struct sched *s, uint32_t ms, bool on, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    sched_change_standing(s, ms, GATE_BLOCKED, on, now_ns);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_ms_freeze(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    return freeze(s, ms, true, now_ns);
}

int sched_ms_release(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    return freeze(s, ms, false, now_ns);
}

static void count_in_bvc(struct sched *s, uint32_t bvc, const struct tree_pfc *p, bool stands,
                         bool in)
{
    struct tree_bvc *c = &s->bvc[bvc];
    uint64_t step = in ? p->queue.total : -p->queue.total;
    c->total += step;
    c->of_class[p->traffic_class].total += step;
    s->nse[c->nse].total[p->traffic_class] += step;
    if (p->queue.total)
        bvc_backlog(s, &s->bvc[bvc], p->traffic_class, in);
    if (stands)
        count_standing(s, bvc, p, in);
}

// The caller has ended the wait of a waiting PFC.
static void pfc_stop(struct sched *s, uint32_t pfc, bool on)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    uint32_t slot = tree_pfc_slot(pfc);
    if (!on && tree_pfc(s, pfc)->state & GATE_STOPPED)
        sched_pfc_is_free(s, pfc, tree_pfc(s, pfc));
    state_set(&tree_pfc_of(m, slot)->state, GATE_STOPPED, on);
    state_set(&m->blocked, (uint8_t)(1u << slot), on);
}

int sched_ms_move(struct sched *s, uint32_t ms, uint32_t bvc, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (!fault)
        fault = sched_change_bvc(s, bvc, true);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    uint32_t from = m->bvc;
    if (bvc == from)
        return 0;
    gate_unwait(&s->wheel, gate_of(m));
    sched_overflow_leave(s, ms);
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        struct tree_pfc *p = tree_pfc(s, pfc);
        sched_pfc_unwait(s, pfc, p);
        if (p->state & PFC_IN_RING)
            sched_bvc_ring_remove(s, pfc, p, from);
        count_in_bvc(s, from, p, ms_stands(m), false);
        count_in_bvc(s, bvc, p, ms_stands(m), true);
        p->bucket = (struct bucket){
            .rate = BUCKET_UNLIMITED, .at_ns = now_ns, .max_octets = pfc_leader(p, 0)};
        p->state &= (uint8_t)~PFC_LIMITED;
        pfc_stop(s, pfc, false);
        p->share_uses = 0;
        p->deficit = 0; // it has had no turn there
        p->next = s->bvc[bvc].of_class[p->traffic_class].round - 1;
    }
    sched_bvc_look_again(s, from);
    sched_roll_leave(s, ms, from);
    sched_roll_join(s, ms, bvc);
    m->bvc = bvc;
    sched_overflow_return(s, ms);
    sched_overflow_settle(s, from);
    sched_sizes_ms_goes(s, ms, from);
    sched_sizes_ms_comes(s, ms, bvc);
    m->state &= (uint8_t) ~(MS_OWN | MS_LIMITED);
    bucket_default_set(&m->bucket, &s->bvc_rest[bvc].defaults, 0, now_ns);
    sched_change_standing(s, ms, GATE_STOPPED, false, now_ns);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_change_flush(struct sched *s, uint32_t pfc, enum drop_reason reason)
{
    struct tree_pfc *p = tree_pfc(s, pfc);
    while (p->queue.total) {
        if (s->drop_count == SCHED_DROPS)
            return -SCHED_MORE;
        queue_choose(s, pfc, p);
        sched_drop_head(s, pfc, reason);
    }
    return 0;
}

int sched_ms_flush(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->backlog; slots && !fault; slots &= slots - 1)
        fault = sched_change_flush(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)), reason);
    sched_ms_update(s, ms, now_ns);
    return fault;
}

int sched_pfc_set(struct sched *s, uint32_t ms, uint32_t slot, struct bucket_terms terms,
                  uint64_t now_ns)
{
    int fault = sched_change_pfc(s, ms, slot);
    if (!fault)
        fault = sched_change_terms(terms);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    sched_roll_refresh(s, ms, now_ns);
    terms = sched_sizes_of_pfc(s, ms, pfc_leader(p, slot), terms);
    sched_pfc_unwait(s, tree_pfc_id(ms, slot), p);
    bucket_set(pfc_bucket(m, p), terms, now_ns);
    uint32_t members = sched_share_members(m, slot);
    for (uint32_t slots = members; slots; slots &= slots - 1)
        pfc_stop(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)), terms.rate == 0);
    sched_ms_update(s, ms, now_ns);
    for (uint32_t slots = members; slots; slots &= slots - 1)
        ms_lle_is_left(s, ms, tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->head_info >> 14,
                       now_ns);
    return 0;
}

int sched_pfc_unlimit(struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns)
{
    struct bucket_terms none = {BUCKET_UNLIMITED, 0};
    return sched_pfc_set(s, ms, slot, none, now_ns);
}
