// The nodes of the scheduler and their links, for this folder alone.
//
//   NSE   ready: in the ring of ready NSEs; its ready cells by turns, or by virtual time in a heap
//   cell  seven classes, each a ring of PFCs that may send (DRR), a start tag a class (SFQ)
//   MS    64 octets, followed by its PFCs, 80 octets each: a record of 64 + 80 k octets
//   PFC   a queue, or queues by flow
//
// A node that its bucket refuses (PFC, MS, cell or NSE) leaves its ring or heap and waits in the
// wheel. The PFCs of a waiting or frozen MS may stay in their rings; a round that meets one removes
// it, so an MS costs the same for any number of PFCs. tests/dataplane/sched/check.c has the
// invariants.
#ifndef SLUICE_SCHED_SCHED_TREE_H
#define SLUICE_SCHED_SCHED_TREE_H

#include "dataplane/base/rng.h"
#include "dataplane/sched/sched.h"
#include "dataplane/sched/sched_gate.h"
#include "dataplane/sched/sched_heap.h"
#include "dataplane/sched/sched_rank.h"
#include "dataplane/sched/sched_total.h"

#define TREE_NONE UINT32_MAX

// gcc does not follow `inline` alone, and takes a function that only prefetches for one without
// effect.
#define SCHED_INLINE inline __attribute__((always_inline))

// The kinds of node that the wheel's ids name.
enum tree_kind { TREE_MS, TREE_PFC, TREE_BVC, TREE_NSE };
#define TREE_KIND_SHIFT 30
#define TREE_ID_MASK    ((1u << TREE_KIND_SHIFT) - 1)
#define TREE_SLOT_BITS  3
static inline uint32_t tree_id(enum tree_kind kind, uint32_t id)
{
    return (uint32_t)kind << TREE_KIND_SHIFT | id;
}

struct tree_queue {
    union {
        struct {
            uint32_t head, tail; // slots
        };
        uint64_t owing; // of a PFC with flow queues: a bit for each flow that may owe something
    };
    uint64_t total;
};

enum {
    PFC_LIMITED = 4, // of the slot with the bucket: it has refused a PDU, and passed none since
    PFC_IN_RING = 8,
    PFC_TURN = 16,    // its DRR turn has begun
    PFC_BY_FLOW = 32, // its queues are by flow
    PFC_SHARES = 64,  // uses the bucket of another slot, its leader: see sched_share.c
    PFC_LEADS = 128   // other slots use its bucket
};
#define PFC_SHARED (PFC_SHARES | PFC_LEADS)

struct tree_pfc {
    struct bucket bucket;    // of a sharing PFC max_octets is the leader's slot
    struct tree_queue queue; // with flow queues: who may owe, and their total
    uint32_t next, prev; // in the ring of its class; `next` of others: the round in which it left
    int32_t deficit;     // a debt, or what is left of the turn; later rounds pay: sched_ring_pay
    uint32_t wheel_ref;
    uint16_t sent_octets; // of the head N-PDU; 0: not begun
    uint16_t n201_u;      // at the begin of the head N-PDU
    uint16_t head_info;   // octets and LLE of the head: see queue_info
    uint8_t traffic_class;
    uint8_t state;
    uint64_t tag; // start tag within the MS, compared only among data, or among signalling
    uint32_t share_octets_per_s;
    uint8_t share_uses; // uses of the cached share left
    uint8_t flow;       // flow of the head N-PDU
    uint8_t place : 2;  // in the ring: enum ring_place
    bool odd_turn : 1;  // its last turn began, or was passed on, in a round with an odd number
    bool ranked : 1;    // among the largest of its class: see sched_candidates.c
    bool stirred : 1;   // its AQM is stirred (aqm.h), if the AQM watches one PFC's queue
    bool asked : 1;     // the AQM was called for the last N-PDU, so it may be called again
    uint8_t young;      // its index in the list of young PFCs: see sched_candidates.c
};
static_assert(sizeof(struct tree_pfc) == 80,
              "an MS and its PFC are three lines, wherever they begin");

enum {
    MS_OWN = 32,       // has values of its own; else it is on its cell's defaults
    MS_LIMITED = 64,   // came out of the wheel and has sent nothing since
    MS_CANDIDATE = 128 // some of its queues are candidates: see sched_candidates.c
};

// Nothing delays it, now or since its last PDU.
#define MS_USUAL (GATE_EXISTS | MS_OWN | MS_CANDIDATE)

struct tree_ms {
    struct bucket bucket;
    uint64_t away_ns; // the total time frozen; while frozen, the time at which its clock stopped
    uint64_t total;
    uint32_t bvc;
    uint32_t wheel_ref;
    uint16_t n201_u[SCHED_LLES];
    uint16_t lle_open; // 4 bits an LLE: slot + 1 of the PFC with a half-sent N-PDU there
    uint8_t state;
    uint8_t slots;       // a bit for each PFC it has
    uint8_t backlog;     // ... with a backlog
    uint8_t blocked;     // ... blocked by its own bucket: waiting or stopped
    uint8_t lle_waiters; // ... that waits for another PFC's half-sent N-PDU
    uint8_t last; // slot that sent data last: its tag is data's virtual time while none competes
};
static_assert(sizeof(struct tree_ms) == 64, "an MS");

// An MS's neighbours in the list of its cell's MSs, the last reset of the cell applied to it, and a
// bit for each LLE that it uses.
#define TREE_MATE_BITS 24
#define TREE_MATE_MASK ((1u << TREE_MATE_BITS) - 1)
struct tree_mate {
    uint32_t next : TREE_MATE_BITS;
    uint32_t resets : 8;
    uint32_t prev : TREE_MATE_BITS;
    uint32_t lles : 8;
};
static_assert(sizeof(struct tree_mate) == 8, "an MS's mates");

struct tree_flow {
    struct tree_queue queue;
    int32_t deficit;
    uint16_t tag;       // of the flow that it belongs to, or belonged to last
    uint8_t next;       // flow + 1; of one in no list: the round in which it left
    uint8_t list : 2;   // LIST_NONE and others: see sched_parts.h
    bool shared : 1;    // N-PDUs of other tags are in it, too
    bool signalled : 1; // by a mark or a drop since one was spared: see aqm_spares
    bool stirred : 1;   // as a PFC's, if the AQM watches one flow's queue
    bool asked : 1;     // as a PFC's
};
static_assert(sizeof(struct tree_flow) == 24, "a flow");

struct tree_flows {
    uint64_t used;            // a bit for each flow in a list
    uint8_t head[3], tail[3]; // flow + 1, by list - 1
    uint8_t round, round_end; // round_end: flow + 1, of the list of old ones
};

// The place of a PFC in the ring of its class: see sched_ring.h.
enum ring_place { RING_SMALL, RING_CREDIT, RING_LARGE, RING_PLACES, RING_REST = RING_PLACES };

struct tree_class {
    uint64_t tag;        // S(c)
    uint32_t head;       // PFC; TREE_NONE: the class is idle
    uint32_t backlogged; // PFCs with a backlog, waiting or not
    uint64_t total;
    uint64_t standing;      // the part of `total` whose MSs are frozen or stopped
    uint32_t standing_pfcs; // likewise of `backlogged`
    // The ring's order (sched_ring.h): by enum ring_place the last PFC of that place, or TREE_NONE;
    // the last of those whose turn is still to come in this round; the number of the round. One
    // that has begun an N-PDU may count where it was before, in the first place, or in neither.
    uint32_t last[RING_PLACES];
    uint32_t round_end, round;
    uint32_t rank_top[2]; // of its MSs, by packets and by octets: see sched_candidates.c
};

enum {
    BVC_READY = 32,
    BVC_RESETS = 64, // by a reset, until the buckets of its MSs are empty
    BVC_DUE = 128    // its MSs are being visited: see sched_roll.c
};
#define BVC_SHUT (GATE_SHUT | BVC_RESETS)

// The structure that holds a ready cell (sched_ready.c): one of two rings, or the heap.
enum ready_ring { READY_STRICT, READY_TURNS, READY_TIMED };
#define READY_RINGS 2

// What every packet of a cell touches: its first cache line, and that of its class.
struct tree_bvc {
    _Alignas(64) struct bucket bucket;
    uint64_t virtual; // v(b): the last start tag served
    uint64_t total;
    uint64_t offset;     // O(b)
    uint32_t next, prev; // in a ring of the ready cells of its NSE
    uint16_t nse;
    uint8_t state;
    uint8_t active;         // a bit for each class whose ring is not empty
    uint8_t backlogged;     // a bit for each class with a backlog
    uint8_t late;           // a bit for each class with a half-sent N-PDU that is late
    uint8_t kept;           // its MSs are ranked: bits of OVERFLOW_KEPT
    uint8_t ready_ring : 2; // of a ready one: enum ready_ring
    uint8_t turn_more : 2;  // the largest LLC PDUs of an MS's turn, beyond one
    bool untimed : 1;       // it was served by turns: its virtual time is meaningless
    struct tree_class of_class[CLASS_COUNT];
};
static_assert(sizeof(struct tree_class) == 64 && offsetof(struct tree_bvc, of_class) == 64,
              "each in a cache line");
static_assert(sizeof(struct tree_bvc) == 512, "many cells take turns: a larger one costs misses");

// The rest of a cell. Packets of MSs without values of their own touch the defaults.
struct tree_bvc_rest {
    _Alignas(32) struct leak defaults; // in one line
    uint32_t wheel_ref, mss;
    uint8_t giving[2]; // by packets and by octets, a bit for each class that has ranked MSs
    // its MSs, and the visits to them (see sched_roll.c)
    uint8_t resets, resets_open; // count of resets; resets since the last complete visit of its MSs
    uint32_t roll;               // head of the list; TREE_NONE
    uint32_t visits_left;
    uint32_t due_next, due_prev;
    // its candidates: the first; the next unranked one (see sched_candidates.c)
    uint32_t candidates, candidates_left;
};

enum {
    NSE_READY = 32,
    NSE_BY_TIME = 64 // it has a CIR and is full: see sched_ready.c
};

struct tree_nse {
    _Alignas(64) struct bucket bucket;
    uint64_t virtual;           // v(pipe)
    uint64_t turns_key;         // by time: the virtual time of the cells in the ring of turns
    uint64_t full_ns;           // the earliest end of being full
    uint64_t full_span_ns;      // the least time full after a refusal: see sched_ready.c
    uint32_t first;             // the ready cell to serve next
    uint32_t ring[READY_RINGS]; // of them; TREE_NONE: empty
    uint32_t timed;             // the ready cells are in the heap
    uint32_t heap_root, heap_last;
    uint32_t next, prev;
    uint32_t wheel_ref, bvcs;
    uint32_t bvcs_backlogged[CLASS_COUNT];
    uint8_t state;
    uint32_t rank_top[2]; // of its cells
    uint64_t total[CLASS_COUNT];
    uint64_t standing[CLASS_COUNT]; // the part of it whose MSs are frozen or stopped
};

// A Bmax as the BSS offered it, and whether the BSS has told the bucket's level since.
struct tree_offer {
    uint32_t octets : 31; // or more
    bool told : 1;
};
static_assert(sizeof(struct tree_offer) == 4, "of each MS, and of each packet flow");

// For a cell's effective Bmax: the number of MSs by largest N201-U, in steps, and what the BSS
// offered. See sched_sizes_slow.c.
#define TREE_SIZES 47
struct tree_sizes {
    uint64_t some; // a bit for each step with an MS
    uint32_t mss[TREE_SIZES];
    struct tree_offer offer, default_offer; // nobody tells the level of a default bucket
    uint32_t more;                          // sched_bvc_more
};

// A queue that a full limit may have to find: see sched_candidates.c.
struct tree_candidate {
    uint32_t pfc;        // TREE_NONE: a free one
    uint32_t next, prev; // in its cell; of a free one the next free one
};
#define TREE_YOUNG 128u

// A class in the form of the hot path.
struct tree_rule {
    _Alignas(64) uint64_t tag_an_octet; // 2^32 / weight; of signalling 2^32
    uint64_t deadline_ns;               // the SGSN's part of the lifetime
    uint64_t lifetime_ns, bss_most_ns;
    const struct aqm *aqm;
    struct aqm_calm calm; // of an AQM that watches one PFC's queue; else never calm
    bool asks_in;         // it has an enqueue function
    bool asks_in_busy;    // ... to call also if the queue is not empty
    uint64_t limit;       // total_limit
    uint32_t stay_most;   // in steps of real time: see pdu_stay
    uint32_t scope;       // enum sched_scope
    uint64_t late_ms;     // 5/8 of deadline_ns, of a class with refuse_late; else 0
    uint64_t total;       // queued, in all
};

struct sched {
    uint8_t *ms_base;
    size_t ms_stride;
    struct pdu *slot;
    uint32_t slot_free; // first free slot
    uint32_t slots; // more than may be queued, so that a full list of drops costs no arriving N-PDU
    uint32_t nse_ready; // in the ring of ready NSEs, the one whose turn it is
    uint32_t drop_count;
    struct tree_bvc *bvc;
    struct tree_bvc_rest *bvc_rest;
    struct tree_nse *nse;
    struct tree_mate *mate;     // for each MS
    uint32_t bvcs_due;          // in the ring of cells with due visits, the one whose turn it is
    struct heap_family *family; // sched_heap.h; NSE n keeps number n
    struct heap_link *family_link;
    uint32_t *heap_at; // of each cell
    uint32_t family_free;
    uint32_t reweigh_bvc; // cells from here on have not adapted to the last change of weights
    uint64_t total;
    struct rng rng;
    struct tree_rule rule[CLASS_COUNT];
    uint64_t *backlogged; // a bit for each MS
    struct tree_flow *flow;
    struct tree_flows *flows;
    // The AQMs' vars by scope: for each NSE and cell a set per class, for each PFC, for each flow;
    // as long as the configured disciplines need.
    uint8_t *vars[SCHED_SCOPES];
    uint32_t vars_octets[SCHED_SCOPES];
    // the largest, by packets and by octets: see sched_candidates.c
    struct rank rank[2];
    uint32_t rank_top[2];   // of the NSEs
    uint32_t *candidate_of; // the candidate of each PFC; TREE_NONE: none
    struct tree_candidate *candidate;
    uint32_t candidate_free;
    uint32_t candidates_end, candidates_left; // the end of the used ones; the next unranked one
    uint32_t young[TREE_YOUNG], young_at;     // the PFCs that began last; TREE_NONE: ended
    uint32_t young_left;                      // so many of them may be unranked
    uint8_t kept;                             // all are ranked: bits of OVERFLOW_KEPT
    // ranks are kept above high (of all, of a cell), and until at most low is queued
    struct sched_limit high, bvc_high, low, bvc_low;
    uint64_t high_total, bvc_high_total, ms_total; // total_limit: below these all limits have room
    struct sched_limit watched;                    // the lesser of an NSE's limit and of all's
    uint64_t least_octets;                         // the smallest limit's octets
    // the search for expired N-PDUs
    uint64_t expiry_ns;
    uint32_t expiry_ms;
    bool ages; // some class has a lifetime
    bool expiry_broke_off;
    bool reweighed; // a weight has changed since the beginning
    // LLC frames that wait in the caller: when to offer them, and the nodes reserved for them
    uint64_t frames_at_ns;
    uint32_t reserved_mss, reserved;
    uint32_t strangers;                 // frames that wait for phones that are no MSs
    uint32_t reserved_id[SCHED_FRAMES]; // cells and NSEs
    // inputs of the effective Bmax; NULL where no bucket has a delay
    struct tree_sizes *sizes;
    struct tree_offer *ms_offer;  // of an MS's own values
    struct tree_offer *pfc_offer; // by MS and slot
    struct sched_config config;
    struct sched_drop drop[SCHED_DROPS];
    struct wheel wheel;
};

static inline struct tree_ms *tree_ms(const struct sched *s, uint32_t ms)
{
    return (struct tree_ms *)(s->ms_base + ms * s->ms_stride);
}

static inline uint32_t tree_pfc_id(uint32_t ms, uint32_t slot)
{
    return ms << TREE_SLOT_BITS | slot;
}

static inline uint32_t tree_pfc_ms(uint32_t pfc)
{
    return pfc >> TREE_SLOT_BITS;
}

static inline uint32_t tree_pfc_slot(uint32_t pfc)
{
    return pfc & ((1u << TREE_SLOT_BITS) - 1);
}

static inline struct tree_pfc *tree_pfc_of(struct tree_ms *ms, uint32_t slot)
{
    return (struct tree_pfc *)(ms + 1) + slot;
}

static inline struct tree_pfc *tree_pfc(const struct sched *s, uint32_t pfc)
{
    return tree_pfc_of(tree_ms(s, tree_pfc_ms(pfc)), tree_pfc_slot(pfc));
}

// Its index in an array of all PFCs.
static inline size_t tree_pfc_index(const struct sched *s, uint32_t pfc)
{
    return (size_t)tree_pfc_ms(pfc) * s->config.pfcs_an_ms + tree_pfc_slot(pfc);
}

static inline uint8_t *tree_vars(const struct sched *s, enum sched_scope scope, size_t index)
{
    return s->vars[scope] + index * s->vars_octets[scope];
}

// The lines of both: an MS and its first PFC are three lines, wherever the record begins.
static SCHED_INLINE void tree_prefetch(const struct tree_ms *m, const struct tree_pfc *p)
{
    __builtin_prefetch(m, 1);
    __builtin_prefetch(p, 1);
    __builtin_prefetch((const uint8_t *)(p + 1) - 1, 1);
}

// PFCs of an MS that share one bucket, that of their leader. Few do.
static inline bool pfc_is_shared(const struct tree_pfc *p)
{
    return __builtin_expect(p->state & PFC_SHARED, 0);
}

static inline uint32_t pfc_leader(const struct tree_pfc *p, uint32_t slot)
{
    return p->state & PFC_SHARES ? p->bucket.max_octets : slot;
}

static inline bool pfc_signals(const struct tree_pfc *p)
{
    return p->traffic_class == CLASS_SIGNALLING;
}

static inline struct bucket *pfc_bucket(struct tree_ms *m, struct tree_pfc *p)
{
    if (__builtin_expect(p->state & PFC_SHARES, 0))
        return &tree_pfc_of(m, p->bucket.max_octets)->bucket;
    return &p->bucket;
}

static inline const struct bucket *pfc_bucket_read(struct tree_ms *m, const struct tree_pfc *p)
{
    if (__builtin_expect(p->state & PFC_SHARES, 0))
        return &tree_pfc_of(m, p->bucket.max_octets)->bucket;
    return &p->bucket;
}

static inline struct gate bvc_gate(const struct sched *s, uint32_t bvc)
{
    return (struct gate){&s->bvc[bvc].state, &s->bvc_rest[bvc].wheel_ref};
}

static inline struct gate tree_gate(const struct sched *s, uint32_t id)
{
    uint32_t at = id & TREE_ID_MASK;
    switch ((enum tree_kind)(id >> TREE_KIND_SHIFT)) {
    case TREE_MS:
        return gate_of(tree_ms(s, at));
    case TREE_PFC:
        return gate_of(tree_pfc(s, at));
    case TREE_BVC:
        return bvc_gate(s, at);
    default:
        return gate_of(&s->nse[at]);
    }
}

static inline bool tree_before(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) < 0;
}

// Virtual time of so many octets in a class, in 2^-20 octets of weight 1. Tags wrap and are
// compared by difference.
static inline uint64_t tree_tag(const struct sched *s, uint32_t class, uint32_t octets)
{
    return octets * s->rule[class].tag_an_octet >> 12;
}

// An MS's clock stops while the MS is frozen or stopped.
static inline uint64_t tree_ms_clock(const struct tree_ms *ms, uint64_t now_ns)
{
    return ms->state & (GATE_BLOCKED | GATE_STOPPED) ? ms->away_ns : now_ns - ms->away_ns;
}

#endif
