// Functions between the files of the scheduler, by file. Short ones on the hot path are inline.
#ifndef SLUICE_SCHED_SCHED_PARTS_H
#define SLUICE_SCHED_SCHED_PARTS_H

#include "dataplane/sched/sched_tree.h"

// ---- sched_ready.c: the ready cells of an NSE ----
#define READY_FULL_PDUS 1024 // after a refusal a pipe is full for at least so many PDUs
void sched_ready_add(struct sched *s, struct tree_nse *n, uint32_t bvc);
void sched_ready_remove(struct sched *s, struct tree_nse *n, uint32_t bvc);
// After a change of the cell's classes or tags, or after one of its PDUs went.
void sched_ready_renew(struct sched *s, struct tree_nse *n, uint32_t bvc, bool served);
// Switches the NSE's cells to turns; to virtual time.
void sched_ready_by_turns(struct sched *s, struct tree_nse *n);
void sched_ready_in_time(struct sched *s, struct tree_nse *n);
static inline bool ready_by_time(const struct tree_nse *n)
{
    return n->state & NSE_BY_TIME;
}

// ---- sched_bvc.c: rings of PFCs; cells and NSEs ready, waiting, idle ----
uint32_t sched_bvc_next_class(const struct tree_bvc *c);
uint64_t sched_bvc_key(const struct tree_bvc *c); // its virtual time at its pipe
// The class has a half-sent N-PDU that has outlived the SGSN's part of its lifetime: it goes before
// all other data of the cell, so that what has been sent of it was not in vain. It is charged to
// its class as ever. late_settle: forgets what has ended, or is held.
void sched_bvc_is_late(struct sched *s, uint32_t bvc, uint32_t class);
void sched_bvc_late_settle(struct sched *s, struct tree_bvc *c);
// Sets the virtual time of a cell with user data to `key`.
void sched_bvc_starts_at(struct tree_bvc *c, uint64_t key);
// A cell that becomes ready again has no credit for the PDUs that its pipe sent meanwhile, but for
// a few PDUs; if its own PDUs went by turns, it has neither credit nor debt.
void sched_bvc_comes_back(const struct sched *s, struct tree_bvc *c, const struct tree_nse *n);
void sched_bvc_ring_add(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc);
// first: a PFC that has begun an N-PDU goes on before another of its class begins (S12). last: a
// PFC has ended an N-PDU that other PFCs went before. yield: a PFC that was in front, or is the
// first, has ended an N-PDU, but not its turn: its place is that of its next N-PDU.
void sched_bvc_ring_first(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc);
void sched_bvc_ring_last(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_bvc *c);
void sched_bvc_ring_yield(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_bvc *c);
// settle: its next N-PDU may be another one, or no longer go on credit: takes the place of that.
void sched_bvc_ring_settle(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc);
void sched_bvc_ring_remove(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc);
// Another PFC is the first of that class.
void sched_bvc_head_changes(struct sched *s, uint32_t class, uint32_t bvc);
// After any change of a cell's readiness, or of its order among the ready cells.
void sched_bvc_refresh(struct sched *s, uint32_t bvc);
// The cell is first by turns and stays ready: passes the turn on.
static inline void bvc_has_had_turn(struct tree_nse *n, const struct tree_bvc *c)
{
    n->first = n->ring[READY_TURNS] = c->next;
}
// Like sched_bvc_refresh, after one of the cell's PDUs went.
void sched_bvc_served(struct sched *s, uint32_t bvc);
void sched_bvc_wait(struct sched *s, uint32_t bvc, uint64_t at_ns);
// The PDU that the cell, or its pipe, waits for may no longer be first in the order.
void sched_bvc_look_again(struct sched *s, uint32_t bvc);
// Adapts some cells to new weights: limits each tag's lead to one PDU at its new weight.
void sched_bvcs_reweigh(struct sched *s);
void sched_nse_refresh(struct sched *s, uint32_t nse);
void sched_nse_wait(struct sched *s, uint32_t nse, uint64_t at_ns);

// A PDU of that class goes, by virtual time.
static inline void bvc_passes(struct tree_bvc *c, struct tree_nse *n, const struct tree_class *k)
{
    if (c->state & BVC_READY && c->ready_ring == READY_TURNS)
        sched_bvc_starts_at(c, n->turns_key);
    c->untimed = false;
    uint64_t key = c->offset + k->tag;
    if (tree_before(n->virtual, key))
        n->virtual = key;
}

// A class becomes active: no credit for its idle time. An empty cell's clock follows its pipe's.
static inline void bvc_class_wakes(struct tree_bvc *c, const struct tree_nse *n, uint32_t class)
{
    struct tree_class *k = &c->of_class[class];
    bool empty = !(c->active & ~(1u << CLASS_SIGNALLING));
    if (empty && tree_before(c->virtual, n->virtual - c->offset))
        c->virtual = n->virtual - c->offset;
    if (tree_before(k->tag, c->virtual))
        k->tag = c->virtual;
}

// ---- sched_queue.c: N-PDUs in slots, queues by flow ----
// Unsent octets and LLE of an N-PDU, in 16 bits; more count as the most, beyond any segment.
#define QUEUE_INFO_OCTETS 0x3fffu
static inline uint16_t queue_info(uint32_t octets, uint32_t lle)
{
    return (uint16_t)((octets < QUEUE_INFO_OCTETS ? octets : QUEUE_INFO_OCTETS) | lle << 14);
}

static inline size_t queue_flow_index(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    return tree_pfc_index(s, pfc) * s->config.flows_a_pfc + flow;
}
static inline struct tree_flow *queue_flow(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    return &s->flow[queue_flow_index(s, pfc, flow)];
}

static inline struct tree_flows *queue_flows(const struct sched *s, uint32_t pfc)
{
    return &s->flows[tree_pfc_index(s, pfc)];
}

// The flow that an N-PDU with that hash joins, now.
uint32_t sched_queue_flow_of(const struct sched *s, uint32_t pfc, uint32_t hash);
// The number of flows that have N-PDUs, or have this one that arrives.
static inline uint32_t queue_flows_with(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    return (uint32_t)__builtin_popcountll(queue_flows(s, pfc)->used | 1ULL << flow);
}

void sched_queue_choose_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p);
// The lists of flows, in their order: those that have little queued, new ones, and the rest.
enum { LIST_NONE, LIST_SMALL, LIST_NEW, LIST_OLD };
static inline bool queue_flow_is_small(const struct sched *s, uint32_t pfc,
                                       const struct tree_pfc *p)
{
    return queue_flow(s, pfc, p->flow)->list == LIST_SMALL;
}
// Chooses the next flow, if there are flow queues; then p->head_info is valid.
static inline void queue_choose(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    if (p->state & PFC_BY_FLOW)
        sched_queue_choose_flow(s, pfc, p);
}

// by_flow: that of the PFC, which a caller may know when it is compiled.
static SCHED_INLINE struct pdu *queue_head_of(const struct sched *s, uint32_t pfc,
                                              const struct tree_pfc *p, bool by_flow)
{
    return &s->slot[by_flow ? queue_flow(s, pfc, p->flow)->queue.head : p->queue.head];
}

static inline struct pdu *queue_head(const struct sched *s, uint32_t pfc, const struct tree_pfc *p)
{
    return queue_head_of(s, pfc, p, p->state & PFC_BY_FLOW);
}

// An MS's turn in its class.
static inline uint32_t turn_octets(const struct sched *s, const struct tree_bvc *c)
{
    return (1u + c->turn_more) * s->config.pdu_octets_max;
}

// What an MS may owe its class, and a flow its MS, for small N-PDUs that went before their turn:
// two turns of one LLC PDU. Its debt from a turn is almost one, and its next turn may be a round
// late.
static inline int32_t credit_octets(const struct sched *s)
{
    return 2 * (int32_t)s->config.pdu_octets_max;
}

// ---- sched_ms.c: an MS's own order, its waits and those of its PFCs ----
struct tree_piece {
    uint32_t octets, llc_octets;
    bool last;
};

static inline struct tree_piece piece_of(const struct sched *s, uint32_t n201_u, uint32_t header,
                                         uint32_t info)
{
    uint32_t room = n201_u + s->config.llc_octets - header;
    uint32_t left = info & QUEUE_INFO_OCTETS;
    uint32_t octets = left > room ? room : left;
    return (struct tree_piece){octets, octets + header, left <= room};
}

static inline struct tree_piece pdu_first_piece(const struct sched *s, const struct tree_ms *m,
                                                uint32_t info)
{
    return piece_of(s, m->n201_u[info >> 14], s->config.first_header_octets, info);
}

static inline struct tree_piece pfc_piece(const struct sched *s, const struct tree_ms *m,
                                          const struct tree_pfc *p)
{
    if (p->sent_octets == 0)
        return pdu_first_piece(s, m, p->head_info);
    return piece_of(s, p->n201_u, s->config.next_header_octets, p->head_info);
}

static inline uint32_t ms_lle_open(const struct tree_ms *m, uint32_t lle)
{
    return m->lle_open >> 4 * lle & 15;
}

static inline void ms_lle_set(struct tree_ms *m, uint32_t lle, uint32_t open)
{
    m->lle_open = (uint16_t)((m->lle_open & ~(15u << 4 * lle)) | open << 4 * lle);
}

// The slot whose PDU goes at this slot's turn: its own, or that of the PFC whose half-sent N-PDU
// keeps the LLE. So a PFC never waits for another PFC's turn.
static inline uint32_t pfc_stand_in(const struct tree_ms *m, const struct tree_pfc *p,
                                    uint32_t slot)
{
    uint32_t open = ms_lle_open(m, p->head_info >> 14);
    return open == 0 || p->sent_octets ? slot : open - 1;
}

// The LLE of the PFC's head is kept by a half-sent N-PDU that its own bucket or stop holds.
static inline bool pfc_lle_is_held(const struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    uint32_t goes = pfc_stand_in(m, p, slot);
    return goes != slot && m->blocked >> goes & 1;
}

static inline bool pfc_may_send(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                struct tree_pfc *p)
{
    if (!p->queue.total || p->state & (GATE_WAITS | GATE_STOPPED))
        return false;
    queue_choose(s, pfc, p);
    if (!pfc_lle_is_held(m, p, tree_pfc_slot(pfc)))
        return true;
    m->lle_waiters |= (uint8_t)(1u << tree_pfc_slot(pfc));
    return false;
}

// The unsent rest of the head N-PDU, in octets of LLC PDUs.
uint32_t sched_pfc_rest_octets(const struct sched *s, const struct tree_ms *m,
                               const struct tree_pfc *p);
// The octets that the PFC's own bucket must pass before its next PDU goes: see sched_ms.c.
uint32_t sched_pfc_whole_octets(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                                uint32_t slot);
static inline uint32_t pfc_bucket_octets(const struct sched *s, struct tree_ms *m,
                                         const struct tree_pfc *p, uint32_t slot,
                                         const struct tree_piece *piece)
{
    if (p->sent_octets || piece->last || pfc_bucket_read(m, p)->rate == BUCKET_UNLIMITED)
        return piece->llc_octets;
    return sched_pfc_whole_octets(s, m, p, slot);
}

static inline struct bucket_terms ms_terms(const struct sched *s, const struct tree_ms *m)
{
    return m->state & MS_OWN ? bucket_terms(&m->bucket) : s->bvc_rest[m->bvc].defaults.terms;
}

static inline uint64_t ms_level(const struct sched *s, const struct tree_ms *m, uint64_t now_ns)
{
    if (ms_terms(s, m).rate == BUCKET_UNLIMITED)
        return 0;
    if (m->state & MS_OWN)
        return bucket_level(&m->bucket, now_ns);
    return bucket_default_level(&m->bucket, &s->bvc_rest[m->bvc].defaults, now_ns);
}

static inline bool ms_stands(const struct tree_ms *m)
{
    return m->state & (GATE_BLOCKED | GATE_STOPPED);
}

// More or less of a class stands in a cell: `step` as a total, and PFCs; both may be negative.
static inline void standing_count(struct sched *s, uint32_t bvc, uint32_t class, uint64_t step,
                                  uint32_t pfcs)
{
    struct tree_bvc *c = &s->bvc[bvc];
    c->of_class[class].standing += step;
    c->of_class[class].standing_pfcs += pfcs;
    s->nse[c->nse].standing[class] += step;
}

// The MS sends no user data: it is frozen or stopped, or an LLC frame goes first.
static inline bool ms_is_held(const struct tree_ms *m)
{
    return m->state & GATE_SHUT;
}

// A bit for each PFC with a backlog that is not blocked by its own bucket.
static inline uint32_t ms_competing(const struct tree_ms *m)
{
    return m->backlog & ~(uint32_t)m->blocked;
}

// At most one PFC competes, so there is no order within the MS.
static inline bool ms_is_simple(const struct tree_ms *m)
{
    uint32_t competing = ms_competing(m);
    return !(competing & (competing - 1));
}

// The slot that goes next by the MS's own order; TREE_NONE if none may send.
uint32_t sched_ms_next_slot(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns);
// at_ns TIME_NEVER: until its cell's defaults, or another value that it waits on, change.
static inline void ms_wait(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t at_ns)
{
    gate_wait(&s->wheel, gate_of(m), tree_id(TREE_MS, ms), at_ns);
}
// Puts the PFCs that may send into their rings.
void sched_ms_ready(struct sched *s, uint32_t ms, struct tree_ms *m);
// For an MS that does not wait: into the wheel or the rings, as its bucket decides.
void sched_ms_settle(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns);
// After a change of the MS's values, state or queue heads.
void sched_ms_update(struct sched *s, uint32_t ms, uint64_t now_ns);
// An N-PDU of that LLE is gone: a PFC that waits for room to send its own N-PDU whole may stop
// waiting (sched_pfc_whole_octets).
void sched_ms_blocked_look_again(struct sched *s, uint32_t ms, uint32_t lle, uint64_t now_ns);
static inline void ms_lle_is_left(struct sched *s, uint32_t ms, uint32_t lle, uint64_t now_ns)
{
    if (__builtin_expect(tree_ms(s, ms)->blocked != 0, 0))
        sched_ms_blocked_look_again(s, ms, lle, now_ns);
}
// The same after a change of queue heads, or of their first pieces.
void sched_ms_heads_change(struct sched *s, uint32_t ms, uint64_t now_ns);
void sched_pfc_wait(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint64_t at_ns);
// The bucket refuses the PFC's PDU until then: the PFC waits, or the sharing PFCs wait as one.
void sched_pfc_refused(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                       uint64_t at_ns, uint64_t now_ns);
// Ends the wait of the PFC, and of the PFCs that share its bucket.
void sched_pfc_unwait(struct sched *s, uint32_t pfc, struct tree_pfc *p);
// The time at which its own bucket passes its next PDU.
uint64_t sched_pfc_conforms_at(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                               uint64_t now_ns);
// Ends the wait of this PFC alone, by the wheel or a new value.
void sched_pfc_is_free(struct sched *s, uint32_t pfc, struct tree_pfc *p);
// The PFC may send now: into its ring.
void sched_pfc_joins(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p);
// The PFC's queue is no longer empty.
void sched_pfc_begins(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                      uint64_t now_ns);
// Its queue is empty. Who empties one of an MS that waits calls sched_ms_update afterwards, which
// ends the wait.
void sched_pfc_ends(struct sched *s, uint32_t pfc);

// ---- sched_tags.c: start tags within an MS ----
// Signalling first, then the least tag.
static inline bool pfc_own_first(const struct tree_pfc *a, const struct tree_pfc *b)
{
    bool a_signals = pfc_signals(a), b_signals = pfc_signals(b);
    return a_signals != b_signals ? a_signals : tree_before(a->tag, b->tag);
}
// Those of the slots whose PFCs are of signalling, or of data.
uint32_t sched_ms_of_kind(struct tree_ms *m, uint32_t slots, bool signals);
// After a change of weights: limits each PFC's lead over the others to one PDU. While weights stay
// the lead never exceeds that.
void sched_ms_limit_debts(const struct sched *s, struct tree_ms *m);
// PFCs that wake have no credit for octets that these others sent meanwhile, and those of
// signalling a small debt at most; PFCs that wake together keep their tags' distances.
void sched_ms_forget_credit(const struct sched *s, struct tree_ms *m, uint32_t wake,
                            uint32_t others);
// The same for one PFC, which competes with all of its MS.
void sched_pfc_forget_credit(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                             uint32_t slot);
static inline void pfc_forget_credit(const struct sched *s, struct tree_ms *m,
                                     const struct tree_pfc *p, uint32_t slot)
{
    if (m->last != slot || m->backlog & ~(1u << slot))
        sched_pfc_forget_credit(s, m, p, slot);
}

// ---- sched_share.c: PFCs that share a bucket ----
// A bit for each slot that shares the bucket.
uint32_t sched_share_members(struct tree_ms *m, uint32_t slot);
// The slot whose PDU goes at this slot's turn, if no half-sent N-PDU keeps its LLE.
uint32_t sched_share_goes(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                          uint64_t now_ns);
// The same for any slot, sharing or not.
static inline uint32_t pfc_goes(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                                uint64_t now_ns)
{
    uint32_t goes = pfc_stand_in(m, tree_pfc_of(m, slot), slot);
    if (!pfc_is_shared(tree_pfc_of(m, goes)))
        return goes;
    return sched_share_goes(s, ms, m, goes, now_ns);
}
// One of them waits, so all with a backlog do.
bool sched_share_some_waits(struct tree_ms *m, uint32_t slot);
static inline bool share_waits(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    return pfc_is_shared(p) && sched_share_some_waits(m, slot);
}
static inline bool share_is_limited(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    return pfc_is_shared(p) && tree_pfc_of(m, pfc_leader(p, slot))->state & PFC_LIMITED;
}
void sched_share_limit(struct tree_ms *m, struct tree_pfc *p, uint32_t slot, bool limited);
// For members that do not wait: if the bucket refuses their first PDU, all wait. True: they wait.
bool sched_share_settle(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                        uint64_t now_ns);
void sched_share_wait(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                      uint64_t at_ns);
void sched_share_free(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot);
// A member has no backlog, or leaves.
void sched_share_left(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot);
// The PDU that the members wait for may be another one now.
void sched_share_look_again(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                            uint64_t now_ns);
// The members may send now: into their rings.
void sched_share_joins(struct sched *s, uint32_t ms, struct tree_ms *m);

// ---- sched_aqm.c: what an AQM sees; lifetime; the list of drops ----
// Appends to the list of drops; the caller unlinks the N-PDU.
void sched_list_drop(struct sched *s, const struct tree_pfc *p, const struct pdu *pdu,
                     enum drop_reason reason);
void sched_drop_head(struct sched *s, uint32_t pfc, enum drop_reason reason);
void sched_drop_begun(struct sched *s, uint32_t pfc, struct tree_pfc *p); // it has expired

// ---- LLC frames that wait in the caller (sched_frame.c) ----
static inline bool frames_any(const struct sched *s)
{
    return s->reserved_mss || s->strangers;
}

// After a change that an LLC frame may wait for.
static inline void frames_look_again(struct sched *s)
{
    if (frames_any(s))
        s->frames_at_ns = 0;
}

// ---- sched_roll.c: the MSs of a cell, and visits to all of them ----
void sched_roll_join(struct sched *s, uint32_t ms, uint32_t bvc);
void sched_roll_leave(struct sched *s, uint32_t ms, uint32_t bvc);
// After a change of a value that the cell's MSs wait on: visits each of them, soon.
void sched_roll_visit(struct sched *s, uint32_t bvc);
// Empties all buckets of the cell's MSs and of their PFCs.
void sched_roll_reset(struct sched *s, uint32_t bvc);
void sched_roll_forget(struct sched *s, uint32_t bvc); // the cell is removed
// The MS has not been visited since its cell's reset: its buckets count as empty.
static inline bool roll_is_stale(const struct sched *s, uint32_t ms, const struct tree_ms *m)
{
    return s->mate[ms].resets != s->bvc_rest[m->bvc].resets;
}
// To call before setting the MS's buckets: empties them if the MS is stale. True if it was.
bool sched_roll_refresh(struct sched *s, uint32_t ms, uint64_t now_ns);
// Makes a bounded number of due visits. True: a cell can send again, and LLC frames that waited for
// it must be offered before any PDU is sent.
bool sched_roll_work(struct sched *s, uint64_t now_ns);

// ---- sched_expiry.c: expires N-PDUs of queues that a bucket stops ----
void sched_expire(struct sched *s, uint64_t now_ns);

// The wheel's `moved`.
void sched_tree_moved(void *owner, uint32_t id, uint32_t ref);

#endif
