// The state of one round of the scheduler: a PDU and every node above it.
#ifndef SLUICE_SCHED_SCHED_ROUND_H
#define SLUICE_SCHED_SCHED_ROUND_H

#include "dataplane/sched/sched_parts.h"

struct round {
    uint32_t nse, bvc, ms, slot, pfc;
    struct tree_nse *n;
    struct tree_bvc *c;
    struct tree_ms *m;
    struct tree_pfc *p;
    struct tree_piece piece;
    uint32_t turn;        // the class whose turn it is; another class's PDU may go instead
    bool late;            // its class goes first by sched_bvc_is_late
    bool stands_in;       // it goes in place of another MS's PDU, as its N-PDU has begun
    uint32_t pipe_octets; // with a CIR: see round_conforms_nse
    uint64_t level_nse, level_bvc, level_ms, level_pfc; // undefined at a level without a bucket
    uint64_t sojourn_ns;
};

static inline void round_hold(struct sched *s, struct round *r, uint32_t ms, uint32_t slot)
{
    r->ms = ms;
    r->slot = slot;
    r->pfc = tree_pfc_id(ms, slot);
    r->m = tree_ms(s, ms);
    r->p = tree_pfc_of(r->m, slot);
    r->piece = pfc_piece(s, r->m, r->p);
}

// Tests one level, which may have no bucket; returns the present level.
static inline bool round_conforms(const struct bucket *b, uint32_t octets, uint64_t now_ns,
                                  uint64_t *level)
{
    *level = 0;
    if (b->rate == BUCKET_UNLIMITED)
        return true;
    *level = bucket_level(b, now_ns);
    return bucket_conforms(*level, bucket_terms(b), octets);
}

static inline uint32_t round_pfc_octets(const struct sched *s, const struct round *r)
{
    return pfc_bucket_octets(s, r->m, r->p, r->slot, &r->piece);
}

static inline bool round_conforms_pfc(const struct sched *s, struct round *r, uint64_t now_ns)
{
    return round_conforms(pfc_bucket(r->m, r->p), round_pfc_octets(s, r), now_ns, &r->level_pfc);
}

static inline bool round_conforms_ms(const struct sched *s, struct round *r, uint64_t now_ns)
{
    if (r->m->state & MS_OWN)
        return round_conforms(&r->m->bucket, r->piece.llc_octets, now_ns, &r->level_ms);
    r->level_ms = 0;
    struct leak *defaults = &s->bvc_rest[r->bvc].defaults;
    if (defaults->terms.rate == BUCKET_UNLIMITED)
        return true;
    leak_follow(defaults, now_ns);
    r->level_ms = bucket_default_level(&r->m->bucket, defaults, now_ns);
    return bucket_conforms(r->level_ms, defaults->terms, r->piece.llc_octets);
}

static inline bool round_conforms_bvc(struct round *r, uint64_t now_ns)
{
    return round_conforms(&r->c->bucket, r->piece.llc_octets, now_ns, &r->level_bvc);
}

static inline uint32_t round_pipe_octets(const struct sched *s, const struct round *r)
{
    const struct sched_config *c = &s->config;
    uint32_t octets = r->piece.llc_octets;
    if (!c->pipe_octets)
        return octets + c->pipe_header_octets;
    uint32_t context = r->p ? queue_head(s, r->pfc, r->p)->context : SCHED_NO_CONTEXT;
    return c->pipe_octets(c->pipe_owner, r->ms, context, octets);
}

// The PDU is later charged with the octets tested here. An empty bucket does not limit its pipe.
static inline bool round_conforms_pipe(struct sched *s, struct round *r, uint32_t pipe_octets,
                                       uint64_t now_ns)
{
    r->pipe_octets = pipe_octets;
    bool conforms = round_conforms(&r->n->bucket, r->pipe_octets, now_ns, &r->level_nse);
    if (r->level_nse == 0 && ready_by_time(r->n) && now_ns > r->n->full_ns)
        sched_ready_by_turns(s, r->n);
    return conforms;
}

static inline bool round_conforms_nse(struct sched *s, struct round *r, uint64_t now_ns)
{
    r->level_nse = r->pipe_octets = 0;
    if (r->n->bucket.rate == BUCKET_UNLIMITED)
        return true;
    return round_conforms_pipe(s, r, round_pipe_octets(s, r), now_ns);
}

static inline void round_charge_at(struct bucket *b, uint64_t *level, uint64_t units,
                                   uint64_t now_ns)
{
    if (b->rate == BUCKET_UNLIMITED)
        return;
    *level += units;
    b->level = *level;
    b->at_ns = now_ns;
}

static inline void round_charge_above(struct round *r, uint64_t units, uint64_t now_ns)
{
    round_charge_at(&r->c->bucket, &r->level_bvc, units, now_ns);
    if (r->n->bucket.rate != BUCKET_UNLIMITED)
        round_charge_at(&r->n->bucket, &r->level_nse, r->pipe_octets * BUCKET_UNITS_AN_OCTET,
                        now_ns);
}

// Charges every level but the PFC's.
static inline void round_charge(const struct sched *s, struct round *r, uint64_t now_ns)
{
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    round_charge_above(r, units, now_ns);
    if (r->m->state & MS_OWN) {
        round_charge_at(&r->m->bucket, &r->level_ms, units, now_ns);
        return;
    }
    const struct leak *defaults = &s->bvc_rest[r->bvc].defaults;
    if (defaults->terms.rate != BUCKET_UNLIMITED) {
        r->level_ms += units;
        bucket_default_set(&r->m->bucket, defaults, r->level_ms, now_ns);
    }
}

static inline void round_charge_all(const struct sched *s, struct round *r, uint64_t now_ns)
{
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    round_charge_at(pfc_bucket(r->m, r->p), &r->level_pfc, units, now_ns);
    round_charge(s, r, now_ns);
}

// The clocks of the cell and its pipe follow the class whose turn it is, even if the PDU is of
// another class, which may be far ahead.
static inline void round_clocks(const struct round *r)
{
    const struct tree_class *k = &r->c->of_class[r->turn];
    if (r->turn == CLASS_SIGNALLING || r->late) // out of the order by tags
        return;
    if (ready_by_time(r->n))
        bvc_passes(r->c, r->n, k);
    if (tree_before(r->c->virtual, k->tag))
        r->c->virtual = k->tag;
}

// Advances the start tags; of signalling only the PFC's, which has a clock apart (sched_tags.c). A
// class with an empty ring wakes with this PDU.
static SCHED_INLINE void round_tags(const struct sched *s, struct round *r)
{
    uint32_t class = r->p->traffic_class;
    struct tree_class *k = &r->c->of_class[class];
    uint64_t step = tree_tag(s, class, r->piece.llc_octets);
    r->p->tag += step;
    if (class == CLASS_SIGNALLING)
        return;
    if (k->head == TREE_NONE)
        bvc_class_wakes(r->c, r->n, class);
    round_clocks(r);
    k->tag += step;
    r->m->last = (uint8_t)r->slot;
    if (ready_by_time(r->n))
        return;
    r->c->offset -= step; // no virtual time by turns: neither credit nor debt
    r->c->untimed = true;
}

static inline uint64_t round_lifetime_left(const struct tree_rule *rule, uint64_t sojourn_ns)
{
    if (rule->lifetime_ns == SCHED_INFINITE)
        return rule->bss_most_ns;
    uint64_t left_ns = sojourn_ns < rule->lifetime_ns ? rule->lifetime_ns - sojourn_ns : 0;
    return left_ns < rule->bss_most_ns ? left_ns : rule->bss_most_ns;
}

static SCHED_INLINE void round_grant(const struct round *r, const struct pdu *pdu,
                                     uint64_t lifetime_ns, struct sched_grant *g)
{
    g->buffer = pdu->buffer;
    g->lifetime_ns = lifetime_ns;
    g->sojourn_ns = r->sojourn_ns;
    g->ms = r->ms;
    g->carried = pdu->carried;
    g->npdu_octets = pdu->octets;
    g->offset = r->p->sent_octets;
    g->octets = (uint16_t)r->piece.octets;
    g->slot = (uint8_t)r->slot;
    g->traffic_class = r->p->traffic_class;
    g->last = r->piece.last;
}

// NSEs take turns.
static inline void round_passes_turn(struct sched *s, const struct round *r)
{
    if (s->nse_ready == r->nse)
        s->nse_ready = r->n->next;
}

// The cell has no competing PFC or cell: a PDU of it skips the rings.
static inline bool round_way_is_free(const struct tree_bvc *c, const struct tree_nse *n)
{
    return !c->active && !(c->state & (GATE_WAITS | BVC_SHUT)) &&
           !(n->state & (GATE_WAITS | GATE_SHUT)) && (n->first == TREE_NONE || !ready_by_time(n));
}

// ---- sched_send.c ----
// The PDU conforms at all levels: applies AQM and lifetime, charges all levels and fills the grant.
// False if it was dropped instead. Afterwards the PFC and its MS wait, if they must.
bool sched_round_send(struct sched *s, struct round *r, uint64_t now_ns, struct sched_grant *g);

// ---- sched_fast.c ----
// Does up to n usual rounds on the fast path, until one is unusual; the caller then does that one
// in full. Each gives the result of the full way.
uint32_t sched_fast_rounds(struct sched *s, uint64_t now_ns, struct sched_grant *grants,
                           uint32_t n);

// The same for an MS that the wheel brings back. False: nothing was done.
bool sched_fast_fired(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns,
                      struct sched_grant *g);

// ---- sched_fire.c ----
// Wakes up to `ids` nodes that the wheel brings back. PDUs without a competitor go at once, up to
// `n` grants, counted in *taken. Returns the number of nodes.
uint32_t sched_fire(struct sched *s, uint32_t ids, bool exact, struct sched_grant *grants,
                    uint32_t n, uint32_t *taken, uint64_t now_ns);

#endif
