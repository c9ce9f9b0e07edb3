// Inside the scheduler: its nodes and how they hang together. Nobody outside this folder includes
// this.
//
//   NSE   ready: in the ring of ready NSEs; its ready cells by turns, or by virtual time in a heap
//   cell  seven classes, each a ring of PFCs that may send (DRR), a start tag a class (SFQ)
//   MS    64 octets, followed by its PFCs, 80 octets each: a record of 64 + 80 k octets
//   PFC   a queue, or queues by flow
//
// A node whose bucket refuses leaves its place and waits in the wheel: PFC, MS, cell or NSE. The
// PFCs of a waiting or frozen MS may still be in their rings; whoever meets one takes it out, so an
// MS costs the same whatever number of PFCs it has. Invariants are in sched_check.c.
#ifndef SLUICE_SCHED_SCHED_TREE_H
#define SLUICE_SCHED_SCHED_TREE_H

#include "dataplane/base/rng.h"
#include "dataplane/sched/sched.h"
#include "dataplane/sched/sched_heap.h"
#include "dataplane/sched/sched_rank.h"
#include "dataplane/sched/sched_total.h"
#include "dataplane/sched/wheel.h"

#define TREE_NONE UINT32_MAX

// gcc does not take the hint alone.
#define SCHED_INLINE inline __attribute__((always_inline))

// What the wheel's ids name.
enum tree_kind { TREE_MS, TREE_PFC, TREE_CELL, TREE_NSE };
#define TREE_KIND_SHIFT 30
#define TREE_ID_MASK    ((1u << TREE_KIND_SHIFT) - 1)
#define TREE_SLOT_BITS  3
static inline uint32_t tree_id(enum tree_kind kind, uint32_t id)
{
    return (uint32_t)kind << TREE_KIND_SHIFT | id;
}

struct tree_queue {
    uint32_t head, tail; // slots
    uint64_t total;
};

enum {
    PFC_LIMITED = 1, // of who leads: its bucket has refused a PDU, and passed none since
    PFC_IN_RING = 2,
    PFC_WAITS = 4,    // in the wheel, for its bucket; of several that share it, one is
    PFC_STOPPED = 8,  // R = 0
    PFC_TURN = 16,    // its DRR turn has begun
    PFC_BY_FLOW = 32, // its queues are by flow
    PFC_SHARES = 64,  // uses the bucket of another slot: see sched_share.c
    PFC_LEADS = 128   // others use its bucket
};
#define PFC_SHARED (PFC_SHARES | PFC_LEADS)

struct tree_pfc {
    struct bucket bucket;    // of one that shares, max_octets is the slot that leads
    struct tree_queue queue; // with flow queues head and tail are unused
    uint32_t next, prev;     // in the ring of its class
    int32_t deficit;
    uint32_t wheel_ref;
    uint16_t sent_octets; // of the head N-PDU; 0: not begun
    uint16_t n201_u;      // at which the head N-PDU was begun
    uint16_t head_info;   // octets and LLE of the head: see queue_info
    uint8_t traffic_class;
    uint8_t state;
    uint64_t tag; // start tag within the MS
    uint32_t share_octets_per_s;
    uint8_t share_uses; // until it is worked out anew
    uint8_t flow;       // flow of the head N-PDU
    bool ranked : 1;    // among the largest of its class: see sched_places.c
    bool stirred : 1;   // its AQM is, where that watches one PFC's queue
    bool asked : 1;     // it was when the last N-PDU left, so it may be again
    uint8_t young;      // where it was written down as it began: see sched_places.c
};
static_assert(sizeof(struct tree_pfc) == 80,
              "an MS and its PFC are three lines, wherever they begin");

enum {
    MS_EXISTS = 1,
    MS_OWN = 2,     // has values of its own, else its cell's defaults
    MS_FROZEN = 4,  // by command
    MS_STOPPED = 8, // own R = 0: frozen as well
    MS_WAITS = 16,
    MS_LIMITED = 32,  // came out of the wheel and has sent nothing since
    MS_RESERVED = 64, // an LLC frame waits for it: see sched_frame.c
    MS_PLACED = 128   // some of its queues have a place: see sched_places.c
};

#define MS_USUAL (MS_EXISTS | MS_OWN | MS_PLACED) // nothing holds it, and nothing has

struct tree_ms {
    struct bucket bucket;
    uint64_t away_ns; // the time it was frozen in all; while it is frozen, where its clock stands
    uint64_t total;
    uint32_t cell;
    uint32_t wheel_ref;
    uint16_t n201_u[SCHED_LLES];
    uint16_t lle_open; // of each LLE 4 bits: slot + 1 of the PFC whose N-PDU is half sent there
    uint8_t state;
    uint8_t slots;       // a bit for each PFC it has
    uint8_t backlog;     // ... that has something queued
    uint8_t blocked;     // ... that its own bucket keeps: waiting or stopped
    uint8_t lle_waiters; // ... that waits for another's half-sent N-PDU
    uint8_t last; // slot that sent last: its tag is the MS's virtual time while none competes
};
static_assert(sizeof(struct tree_ms) == 64, "an MS");

// Its neighbours in the roll of its cell, and which reset of the cell it has come to.
#define TREE_MATE_BITS 24
#define TREE_MATE_MASK ((1u << TREE_MATE_BITS) - 1)
struct tree_mate {
    uint32_t next : TREE_MATE_BITS;
    uint32_t resets : 8;
    uint32_t prev;
};
static_assert(sizeof(struct tree_mate) == 8, "an MS's mates");

struct tree_flow {
    struct tree_queue queue;
    int32_t deficit;
    uint8_t next; // flow + 1
    uint8_t list; // 0: none, 1: new, 2: old
    bool lingers; // empty, seen so once
};
static_assert(sizeof(struct tree_flow) == 24, "a flow");

struct tree_flows {
    uint8_t head[3], tail[3]; // flow + 1, by list
};

struct tree_class {
    uint64_t tag;        // S(c)
    uint32_t head;       // PFC; TREE_NONE: the class is idle
    uint32_t backlogged; // PFCs with something queued, wherever they wait
    uint64_t total;
    uint32_t rank_top[2]; // of its MSs, by packets and by octets: see sched_places.c
};

enum {
    CELL_EXISTS = 1,
    CELL_READY = 2,
    CELL_WAITS = 4,
    CELL_STOPPED = 8,   // R = 0
    CELL_BLOCKED = 16,  // by command
    CELL_RESERVED = 32, // an LLC frame waits for its bucket
    CELL_RESETS = 64,   // by a reset, until its MSs' buckets are empty
    CELL_DUE = 128      // its MSs are being visited: see sched_roll.c
};
#define CELL_STANDS (CELL_STOPPED | CELL_BLOCKED | CELL_RESERVED | CELL_RESETS)

// Where a ready cell stands (sched_ready.c): in one of two rings, or in the heap.
enum ready_place { READY_STRICT, READY_TURNS, READY_TIMED };
#define READY_RINGS 2

struct tree_cell {
    struct bucket bucket;
    uint64_t virtual; // v(b): the last start tag served
    uint64_t total;
    uint32_t next, prev; // in a ring of the ready cells of its NSE
    uint32_t nse;
    uint8_t state;
    uint8_t active;     // a bit for each class whose ring is not empty
    uint8_t backlogged; // a bit for each class that has something queued
    uint8_t place;      // of a ready one: enum ready_place
    bool untimed;       // it was served by turns: its place in virtual time means nothing
    uint8_t kept;       // whether its MSs are ranked: bits as by ROOM_KEPT
    uint8_t giving[2];  // by packets and by octets, a bit for each class that has ranked MSs
    uint32_t wheel_ref, mss;
    uint64_t offset; // O(b)
    struct tree_class of_class[CLASS_COUNT];
    struct leak defaults;
    // its MSs, and the visits to them (see sched_roll.c)
    uint32_t roll; // the first of them; TREE_NONE
    uint32_t visits_left;
    uint32_t due_next, due_prev;
    uint8_t resets, resets_open; // counts them; those since its MSs were last all visited
    // places of its queues: the first; the next that may not be ranked yet (see sched_places.c)
    uint32_t places, places_left;
};

enum {
    NSE_EXISTS = 1,
    NSE_READY = 2,
    NSE_WAITS = 4,
    NSE_STOPPED = 8,
    NSE_RESERVED = 16,
    NSE_BY_TIME = 32, // it has a CIR and is full: see sched_ready.c
    NSE_BLOCKED = 64
};
#define NSE_STANDS (NSE_STOPPED | NSE_RESERVED | NSE_BLOCKED)

struct tree_nse {
    struct bucket bucket;
    uint64_t virtual;           // v(pipe)
    uint64_t turns_key;         // by time: what those in the ring of turns are taken for
    uint64_t full_ns;           // until then it counts as full, if not longer
    uint64_t full_span_ns;      // which is so long after it has refused: see sched_ready.c
    uint32_t first;             // of its ready cells
    uint32_t ring[READY_RINGS]; // of them; TREE_NONE: empty
    uint32_t timed;             // in the heap
    uint32_t heap_root, heap_last;
    uint32_t next, prev;
    uint32_t wheel_ref, cells;
    uint32_t cells_backlogged[CLASS_COUNT];
    uint8_t state;
    uint32_t rank_top[2]; // of its cells
    uint64_t total[CLASS_COUNT];
};

// Of a cell, for its effective Bmax: how many MSs have which largest N201-U, in steps, and what the
// BSS offered. See sched_sizes_setup.c.
#define TREE_SIZES 47
struct tree_sizes {
    uint64_t some; // a bit for each step that has an MS
    uint32_t mss[TREE_SIZES];
    uint32_t offered_octets, default_octets;
};

// The place of a queue that may have to be found when a limit is full: see sched_places.c.
struct tree_place {
    uint32_t pfc;        // TREE_NONE: it is free
    uint32_t next, prev; // of its cell; of a free one the next free one
};
#define TREE_YOUNG 128u

// A class as the hot path wants it.
struct tree_rule {
    uint64_t tag_an_octet; // 2^32 / weight
    uint64_t deadline_ns;  // the SGSN's part of the lifetime
    uint64_t lifetime_ns, bss_least_ns, bss_most_ns;
    const struct aqm *aqm;
    struct aqm_calm calm; // of that AQM, where it watches one PFC's queue; else never
    bool asks_in;         // it wants to be asked at enqueue
    bool asks_in_busy;    // and also if the queue is not empty
    uint64_t limit;       // total_limit
    uint32_t stay_most;   // in steps of real time: see pdu_stay
    uint32_t scope;       // enum sched_scope
    uint64_t total;       // queued, in all
};

struct sched {
    uint8_t *ms_base;
    size_t ms_stride;
    struct pdu *slot;
    uint32_t slot_free; // first free slot
    uint32_t slots;     // more than may be queued: a full list of drops costs no N-PDU that comes
    uint32_t nse_ready; // of the ring of ready NSEs, whose turn it is
    uint32_t drop_count;
    struct tree_cell *cell;
    struct tree_nse *nse;
    struct tree_mate *mate; // for each MS
    uint32_t cells_due;     // whose MSs are to be visited: of the ring of those, whose turn it is
    struct heap_family *family; // sched_heap.h; NSE n keeps number n
    struct heap_link *family_link;
    uint32_t *heap_at; // of each cell
    uint32_t family_free;
    uint32_t reweigh_cell; // from here on cells have not seen the last change of weights
    uint64_t total;
    struct rng rng;
    struct tree_rule rule[CLASS_COUNT];
    uint64_t *backlogged; // a bit for each MS
    struct tree_flow *flow;
    struct tree_flows *flows;
    // What AQMs remember, by the scope of a class: of each NSE and cell a set for each class, of
    // each PFC, of each flow. As long as the disciplines configured there need.
    uint8_t *vars[SCHED_SCOPES];
    uint32_t vars_octets[SCHED_SCOPES];
    // who has most, by packets and by octets: see sched_places.c
    struct rank rank[2];
    uint32_t rank_top[2]; // of the NSEs
    uint32_t *place_of;   // the place of each PFC, TREE_NONE: it has none
    struct tree_place *place;
    uint32_t place_free;
    uint32_t places_end,
        places_left; // none above has ever been taken; not ranked yet, from there on
    uint32_t young[TREE_YOUNG], young_at; // PFCs that began last; TREE_NONE: it has ended again
    uint32_t young_left;                  // so many of them may not be ranked yet
    uint8_t kept;                         // whether all are ranked: bits as by ROOM_KEPT
    // with so much of it, or of a cell's, ranks are kept; until there is no more than that
    struct sched_limit high, bvc_high, low, bvc_low;
    uint64_t high_total, bvc_high_total, ms_total; // total_limit: below them there is room for all
    struct sched_limit watched;                    // the lesser of an NSE's limit and of all's
    uint64_t least_octets;                         // what every limit can hold
    // the sweep for what has expired
    uint64_t swept_ns;
    uint32_t sweep_ms;
    bool ages; // some class has a lifetime
    bool sweep_broke_off;
    bool reweighed; // some weight has changed since the beginning
    // LLC frames that wait elsewhere: when to try them, and what is kept for them
    uint64_t frames_at_ns;
    uint32_t reserved_mss, reserved;
    uint32_t reserved_id[SCHED_FRAMES]; // cells and NSEs
    // what effective Bmaxs are worked out from; NULL where no bucket has a delay of its own
    struct tree_sizes *sizes;
    uint8_t *ms_lles;      // a bit for each LLE that the MS uses
    uint32_t *ms_offered;  // Bmax of an MS's own values
    uint32_t *pfc_offered; // by MS and slot
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

// Its place where PFCs stand one behind the other.
static inline size_t tree_pfc_place(const struct sched *s, uint32_t pfc)
{
    return (size_t)tree_pfc_ms(pfc) * s->config.pfcs_an_ms + tree_pfc_slot(pfc);
}

static inline uint8_t *tree_vars(const struct sched *s, enum sched_scope scope, size_t place)
{
    return s->vars[scope] + place * s->vars_octets[scope];
}

// The lines of both: of an MS and its first PFC all three, wherever the record begins.
static SCHED_INLINE void tree_prefetch(const struct tree_ms *m, const struct tree_pfc *p)
{
    __builtin_prefetch(m, 1);
    __builtin_prefetch(p, 1);
    __builtin_prefetch((const uint8_t *)(p + 1) - 1, 1);
}

// Several PFCs of an MS may share one bucket, that of the one that leads. Few do.
static inline bool pfc_is_shared(const struct tree_pfc *p)
{
    return __builtin_expect(p->state & PFC_SHARED, 0);
}

static inline uint32_t pfc_leader(const struct tree_pfc *p, uint32_t slot)
{
    return p->state & PFC_SHARES ? p->bucket.max_octets : slot;
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

static inline bool tree_before(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) < 0;
}

// Virtual time of so many octets in a class, in 2^-20 octets of weight 1. Tags run round; they are
// compared by their difference.
static inline uint64_t tree_tag(const struct sched *s, uint32_t class, uint32_t octets)
{
    return octets * s->rule[class].tag_an_octet >> 12;
}

// An MS's clock stands while it is frozen.
static inline uint64_t tree_ms_clock(const struct tree_ms *ms, uint64_t now_ns)
{
    return ms->state & (MS_FROZEN | MS_STOPPED) ? ms->away_ns : now_ns - ms->away_ns;
}

#endif
