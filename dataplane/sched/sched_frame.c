// Control's LLC frames. They wait in the caller, in order of arrival, and are offered here one by
// one: a frame that conforms at NSE, cell and MS is charged at all three and goes
// (TS 48.018 8.2.3.2); it has no packet flow. A frame to a stranger, a phone that is no MS, is
// charged at NSE and cell: no bucket is kept for it, as it gets little before it is an MS.
//
// Smaller PDUs must not starve a refused frame, so nodes are reserved for it: its MS while the MS
// has any frame, and the cell or the NSE whose bucket refused it, until all frames are offered
// again. No other frame is tried behind a reserved cell or NSE, so frames keep their order there.
// Invariant: while no frame waits, nothing is reserved after the next offer.
#include "dataplane/sched/sched_round.h"

void sched_ms_reserve(struct sched *s, uint32_t ms, bool waits, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    if (waits == !!(m->state & GATE_RESERVED))
        return;
    m->state ^= GATE_RESERVED;
    s->reserved_mss += waits ? 1 : UINT32_MAX;
    s->frames_at_ns = 0;
    sched_ms_update(s, ms, now_ns);
}

static void reservation_end(struct sched *s, uint32_t id)
{
    uint32_t at = id & TREE_ID_MASK;
    if (id >> TREE_KIND_SHIFT == TREE_NSE) {
        s->nse[at].state &= (uint8_t)~GATE_RESERVED;
        sched_nse_refresh(s, at);
    } else if (s->bvc[at].state & GATE_RESERVED) { // else the cell was removed meanwhile
        s->bvc[at].state &= (uint8_t)~GATE_RESERVED;
        sched_bvc_refresh(s, at);
    }
}

bool sched_frames_due(struct sched *s, uint64_t now_ns)
{
    if (now_ns < s->frames_at_ns)
        return false;
    for (uint32_t i = 0; i < s->reserved; i++)
        reservation_end(s, s->reserved_id[i]);
    s->reserved = 0;
    s->frames_at_ns = TIME_NEVER;
    return true;
}

void sched_frames_again(struct sched *s)
{
    s->frames_at_ns = 0;
}

static bool reserve(struct sched *s, enum tree_kind kind, uint32_t at)
{
    if (s->reserved == SCHED_FRAMES)
        return false;
    s->reserved_id[s->reserved++] = tree_id(kind, at);
    return true;
}

static bool conforms_nse(struct sched *s, struct round *r, uint32_t pipe_octets, uint64_t now_ns)
{
    if (r->m)
        return round_conforms_nse(s, r, now_ns);
    return r->n->bucket.rate == BUCKET_UNLIMITED || round_conforms_pipe(s, r, pipe_octets, now_ns);
}

// A cell or an NSE whose bucket refuses the frame is reserved for it. `pipe_octets`: of a
// stranger's frame.
static bool conforms(struct sched *s, struct round *r, uint32_t pipe_octets, uint64_t now_ns)
{
    uint32_t octets = r->piece.llc_octets;
    uint64_t at_ns = TIME_NEVER;
    if (r->m && !round_conforms_ms(s, r, now_ns)) {
        at_ns = bucket_conforms_at(r->level_ms, ms_terms(s, r->m), octets, now_ns);
    } else if (!round_conforms_bvc(r, now_ns)) {
        if (reserve(s, TREE_BVC, r->bvc)) {
            r->c->state |= GATE_RESERVED;
            sched_bvc_refresh(s, r->bvc);
            at_ns = bucket_conforms_at(r->level_bvc, bucket_terms(&r->c->bucket), octets, now_ns);
        }
    } else if (!conforms_nse(s, r, pipe_octets, now_ns)) {
        if (reserve(s, TREE_NSE, r->nse)) {
            r->n->state |= GATE_RESERVED;
            sched_nse_refresh(s, r->nse);
            at_ns = bucket_conforms_at(r->level_nse, bucket_terms(&r->n->bucket), r->pipe_octets,
                                       now_ns);
        }
    } else {
        return true;
    }
    if (at_ns < s->frames_at_ns)
        s->frames_at_ns = at_ns;
    return false;
}

// `m`: NULL, of a stranger. What is not read here is not cleared.
static void begin(struct sched *s, struct round *r, uint32_t ms, struct tree_ms *m, uint32_t bvc,
                  uint32_t octets)
{
    r->ms = ms;
    r->m = m;
    r->p = NULL;
    r->bvc = bvc;
    r->c = &s->bvc[bvc];
    r->nse = r->c->nse;
    r->n = &s->nse[r->nse];
    r->piece.llc_octets = octets;
    r->level_nse = r->level_bvc = r->level_ms = 0;
    r->pipe_octets = 0;
}

bool sched_frame_goes(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct round r;
    begin(s, &r, ms, m, m->bvc, octets);
    if (ms_stands(m) || r.c->state & BVC_SHUT || r.n->state & GATE_SHUT)
        return false;
    if (!conforms(s, &r, 0, now_ns))
        return false;
    round_charge(s, &r, now_ns);
    return true;
}

void sched_stranger_waits(struct sched *s, bool waits)
{
    s->strangers += waits ? 1 : UINT32_MAX;
    s->frames_at_ns = 0;
}

bool sched_stranger_goes(struct sched *s, uint32_t bvc, uint32_t octets, uint32_t pipe_octets,
                         uint64_t now_ns)
{
    struct round r;
    begin(s, &r, TREE_NONE, NULL, bvc, octets);
    if (r.c->state & BVC_SHUT || r.n->state & GATE_SHUT || !conforms(s, &r, pipe_octets, now_ns))
        return false;
    round_charge_above(&r, octets * BUCKET_UNITS_AN_OCTET, now_ns);
    return true;
}

bool sched_lifetime_left(const struct sched *s, uint32_t class, uint64_t sojourn_ns,
                         uint64_t *left_ns)
{
    *left_ns = round_lifetime_left(&s->rule[class], sojourn_ns);
    return sojourn_ns <= s->rule[class].deadline_ns;
}
