// The scheduler: which LLC PDU goes next, and when. A tree of NSE (the Gb pipe) > BVC (cell) > MS >
// PFC (packet flow), a leaky bucket at each level (TS 48.018 8.2.3.2, bucket.h), seven traffic
// classes. The unit is the next LLC PDU: the next segment of an N-PDU at its LLE's N201-U.
//
// What holds (tests/dataplane/sched proves each by its name):
//   S1 conformance   nothing is sent that a bucket refuses; all levels are charged or none
//   S2 exactness     a backlogged bucket passes R t / 8 octets, less than one PDU off
//   S3 sharing       (cell, class) pairs share by weighted max-min, signalling first
//   S4 fairness      MSs of one class of a cell get equal octets
//   S5 isolation     who is blocked delays no sibling
//   S6 work          the pipe never idles while a PDU that is first in its order conforms
//   S7 order         a queue never reorders
//   S8 conservation  in = out + dropped + queued, in N-PDUs and octets, at each return
//   S9 cost          O(1) a packet
//   S10 change       new values hold at once, after settling at the old ones; MSs that wait by
//                    their cell's defaults hear of new ones in sched_take, a bounded number a call
//   S11 isolation    at a full limit the queue that is largest for its share loses its head; one
//       of loss      below 0.9 of its max-min share loses nothing
//   S12 goes on      after its first segment no N-PDU of its class and cell begins before its last,
//                    unless its PFC, MS or LLE is held; its first leaves within the lifetime
//
// It frees nothing: what it drops is appended, with the reason, to a list that the caller empties.
// It knows a buffer only as a handle, reads no clock (now_ns never goes back) and allocates
// nothing: its memory is given once. What sets up or changes the tree is in sched_*_setup.c.
#ifndef SLUICE_SCHED_SCHED_H
#define SLUICE_SCHED_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/aqm/aqm.h"
#include "dataplane/sched/bucket.h"
#include "dataplane/sched/pdu.h"
#include "dataplane/stats/stats.h"

#define SCHED_SLOTS    8 // PFCs of an MS at most; a slot is a PFC's number within its MS
#define SCHED_LLES     4
#define SCHED_DROPS    512
#define SCHED_FRAMES   256        // LLC frames that may wait: see sched_frame_goes
#define SCHED_INFINITE UINT64_MAX // a lifetime

// Whose queue an AQM watches.
enum sched_scope {
    SCHED_SCOPE_NSE,  // all N-PDUs of the class in the NSE
    SCHED_SCOPE_BVC,  // ... in the cell
    SCHED_SCOPE_PFC,  // of one PFC of an MS
    SCHED_SCOPE_FLOW, // of one flow of the PFC; needs flow queues
    SCHED_SCOPES
};

struct sched_limit {
    uint32_t packets;
    uint64_t octets;
};

struct sched_class {
    uint32_t weight; // 1 .. SCHED_WEIGHT_MAX; signalling has none, it goes first
    struct sched_limit limit;
    uint64_t lifetime_ns;               // SGSN and BSS together; SCHED_INFINITE
    uint64_t bss_least_ns, bss_most_ns; // what of it the BSS gets at least and at most
    enum sched_scope scope;
    struct aqm aqm;
    bool flow_queues; // the PFC's N-PDUs in queues by flow, served by DRR, sparse flows first
};

#define SCHED_WEIGHT_MAX 10000

#define SCHED_NO_CONTEXT UINT32_MAX // of an LLC frame

struct sched_config {
    uint32_t nses, bvcs, mss;
    uint32_t pfcs_an_ms;          // 1 .. SCHED_SLOTS
    uint32_t flows_a_pfc;         // queues by flow, a power of two up to 64; 0: none
    uint32_t flow_quantum_octets; // of their DRR
    struct sched_limit limit, bvc_limit, ms_limit; // in all, per cell, per MS
    struct sched_limit nse_limit;                  // per NSE; 0 packets: none
    bool tail_drop; // at a full limit the N-PDU that comes is refused, none of the largest queue's
    // How much longer than its lifetime an N-PDU may stay in real time, its MS frozen or stopped:
    // then it expires, up to 2.2 s and a sweep late. SCHED_INFINITE, 0, or more than 4.8 h with the
    // lifetime: for ever.
    uint64_t hold_ns;
    // What an LLC PDU has besides its piece of the N-PDU: the first of an N-PDU, and the next ones;
    // and how much of it is the LLC's own (header and FCS), which N201-U does not count. So a first
    // piece is at most n201_u + llc_octets - first_header_octets. On Gb: 10, 9 and 6.
    uint32_t first_header_octets, next_header_octets, llc_octets;
    // What an LLC PDU takes of its NSE's pipe, which whoever frames it knows. Asked where a pipe
    // has a CIR alone, each time that the PDU is tested; `context` is its N-PDU's, or
    // SCHED_NO_CONTEXT. Where the answer comes to be another one, sched_nse_look_again has to
    // follow. NULL: the LLC PDU and pipe_header_octets.
    uint32_t (*pipe_octets)(const void *owner, uint32_t ms, uint32_t context, uint32_t llc_octets);
    const void *pipe_owner;
    uint32_t pipe_header_octets;
    uint32_t pdu_octets_max;                          // the largest LLC PDU
    uint64_t bvc_delay_ns, ms_delay_ns, pfc_delay_ns; // D of the effective Bmax; 0: all of Bmax
    bool in_full; // no short ways: what those are tested against
    // For real time at full load: a wait ends up to 65.5 us late (rates stay exact, since what
    // leaks meanwhile is not lost), which saves looking into the wheel's running slot.
    bool coarse;
    uint64_t seed;
    struct sched_class of_class[CLASS_COUNT];
};

// A piece of an N-PDU that has been charged and goes now.
struct sched_grant {
    void *buffer;
    uint64_t lifetime_ns; // what is left of it for the BSS; SCHED_INFINITE
    uint64_t sojourn_ns;
    uint32_t ms;
    PDU_CARRIED;             // `mark`: of its first piece alone
    uint16_t npdu_octets;    // of the whole N-PDU
    uint16_t offset, octets; // this piece
    uint8_t slot, traffic_class;
    bool last; // the buffer is the caller's from here on
};

struct sched_drop {
    void *buffer;
    uint16_t octets;
    uint8_t traffic_class;
    uint8_t reason; // enum drop_reason
};

struct sched;

// Why a set-up function refused, as a negative number; sched_err_text says it in words.
enum sched_err {
    SCHED_OK,
#define SCHED_ERR(name, text) SCHED_##name,
#include "dataplane/sched/sched_err.def"
#undef SCHED_ERR
    SCHED_ERR_COUNT
};
const char *sched_err_text(int err);

// Memory to give to sched_setup, aligned to 64 octets and zeroed.
uint64_t sched_octets(const struct sched_config *config);
int sched_setup(struct sched **sched, const struct sched_config *config, void *memory);

// ---- The tree. Each returns 0 or -enum sched_err and, refused, has changed nothing. ----

// terms.rate BUCKET_UNLIMITED: no CIR.
int sched_nse_add(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns);
int sched_nse_set(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns);
// Nothing goes to a blocked NSE; all else goes on as it is.
int sched_nse_block(struct sched *s, uint32_t nse, bool blocked);
int sched_nse_remove(struct sched *s, uint32_t nse);
// The PDU that its pipe waits for may be of another size there than it was (pipe_octets).
int sched_nse_look_again(struct sched *s, uint32_t nse);

// A new cell is stopped until its first sched_bvc_set.
int sched_bvc_add(struct sched *s, uint32_t bvc, uint32_t nse, uint64_t now_ns);
int sched_bvc_set(struct sched *s, uint32_t bvc, struct bucket_terms terms,
                  struct bucket_terms ms_default, uint64_t now_ns);
// As after a BVC-RESET: the buckets of the cell, of its MSs and of their PFCs are empty, and the
// cell is stopped until the next sched_bvc_set. MSs and PFCs keep values of their own.
int sched_bvc_reset(struct sched *s, uint32_t bvc, uint64_t now_ns);
// Nothing goes to a blocked cell; its bucket keeps its values and goes on leaking.
int sched_bvc_block(struct sched *s, uint32_t bvc, bool blocked, uint64_t now_ns);
int sched_bvc_remove(struct sched *s, uint32_t bvc);

// On the defaults of its cell.
int sched_ms_add(struct sched *s, uint32_t ms, uint32_t bvc, uint16_t n201_u, uint64_t now_ns);
int sched_ms_set(struct sched *s, uint32_t ms, struct bucket_terms terms, uint64_t now_ns);
int sched_ms_default(struct sched *s, uint32_t ms, uint64_t now_ns);
int sched_ms_n201_u(struct sched *s, uint32_t ms, uint32_t lle, uint16_t n201_u, uint64_t now_ns);
// Which LLEs it uses, a bit each; 0, and until it is said: all. Their N201-U is what its effective
// buckets and its cell's have to hold.
int sched_ms_lles(struct sched *s, uint32_t ms, uint32_t lles, uint64_t now_ns);
// Frozen, the queue waits and does not age, but stays no longer than hold_ns allows; R = 0 of its
// own (sched_ms_set) freezes as well.
int sched_ms_freeze(struct sched *s, uint32_t ms, uint64_t now_ns);
int sched_ms_release(struct sched *s, uint32_t ms, uint64_t now_ns);
// To another cell of the same scheduler, queue, age and AQM state with it; its bucket starts empty,
// on the new cell's defaults, and its PFCs are without values. N-PDUs that the new cell has no room
// for are not dropped.
int sched_ms_move(struct sched *s, uint32_t ms, uint32_t bvc, uint64_t now_ns);
// To another scheduler (sched_move_setup.c), in three steps: it leaves, handing over its N-PDUs in
// their order; it arrives; each N-PDU arrives. There is no room for one only if all queues together
// are full; then it stays the caller's. `pdu.arrived_ns` is by the MS's clock, which it takes
// along, `pdu.came` in real time, which is the same there.
struct sched_baggage_pfc {
    uint16_t sent_octets, n201_u; // of a half-sent N-PDU
    uint8_t traffic_class;
    uint8_t leader; // the slot whose bucket it uses
    uint8_t aqm_vars[AQM_VARS_OCTETS];
};
struct sched_baggage {
    uint64_t away_ns, clock_ns;
    uint8_t stands, slots, lles;
    uint16_t n201_u[SCHED_LLES];
    struct sched_baggage_pfc pfc[SCHED_SLOTS];
};
typedef void sched_leave_fn(void *self, uint32_t slot, const struct pdu *pdu);
int sched_ms_leave(struct sched *s, uint32_t ms, struct sched_baggage *baggage,
                   sched_leave_fn *leave, void *self, uint64_t now_ns);
int sched_ms_arrive(struct sched *s, uint32_t ms, uint32_t bvc, const struct sched_baggage *baggage,
                    uint64_t now_ns);
enum drop_reason sched_ms_arrive_npdu(struct sched *s, uint32_t ms, uint32_t slot,
                                      const struct pdu *pdu, const struct sched_baggage *baggage,
                                      uint64_t now_ns);

// Drops what is queued for the MS, as far as the list of drops has room: -SCHED_MORE says that it
// was full and there is more, so empty the list and call again.
int sched_ms_flush(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns);
// Flushes, then removes; -SCHED_MORE as above.
int sched_ms_remove(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns);

// Without values of its own a PFC is limited by its MS alone.
int sched_pfc_add(struct sched *s, uint32_t ms, uint32_t slot, enum traffic_class traffic_class);
int sched_pfc_set(struct sched *s, uint32_t ms, uint32_t slot, struct bucket_terms terms,
                  uint64_t now_ns);
int sched_pfc_unlimit(struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns);
// It uses the bucket of `with` from here on, another slot of the same MS: they are one packet flow
// of several classes. What is set or read of the bucket at any of them is that of all; the bucket
// lives on when `with` is removed.
int sched_pfc_share(struct sched *s, uint32_t ms, uint32_t slot, uint32_t with, uint64_t now_ns);
int sched_pfc_remove(struct sched *s, uint32_t ms, uint32_t slot, enum drop_reason reason,
                     uint64_t now_ns);

// The level as the BSS sees it: bucket_level_of_ratio(its Bmax, its bucket-full ratio).
int sched_bvc_level(struct sched *s, uint32_t bvc, uint64_t level, uint64_t now_ns);
int sched_ms_level(struct sched *s, uint32_t ms, uint64_t level, uint64_t now_ns);
int sched_pfc_level(struct sched *s, uint32_t ms, uint32_t slot, uint64_t level, uint64_t now_ns);
// So many octets are off the level: the BSS has thrown them away (LLC-DISCARDED, 48.018).
int sched_bvc_credit(struct sched *s, uint32_t bvc, uint32_t octets, uint64_t now_ns);
int sched_ms_credit(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns);
int sched_pfc_credit(struct sched *s, uint32_t ms, uint32_t slot, uint32_t octets, uint64_t now_ns);

// Other values of a class: its weight and lifetimes hold at once, its limit for what comes. Scope,
// AQM and queues by flow are as they were. The next calls of sched_take put the tags right.
int sched_class_set(struct sched *s, uint32_t class, const struct sched_class *values);
// Other parameters of the same discipline, all of them.
int sched_class_aqm(struct sched *s, uint32_t class, const uint64_t *params, uint32_t count);

// ---- The way of a packet ----

// Ask for the lines of that queue, and then, when those have come, for that of its last N-PDU: some
// packets ahead of sched_put, and half as many.
void sched_prefetch(const struct sched *s, uint32_t ms, uint32_t slot);
void sched_prefetch_tail(const struct sched *s, uint32_t ms, uint32_t slot);

// Queues an N-PDU (buffer, octets, context, lle, ect, flow_hash are the caller's). DROP_NONE, or
// why not: then it stays the caller's and is not in the list of drops.
enum drop_reason sched_put(struct sched *s, uint32_t ms, uint32_t slot, const struct pdu *pdu,
                           uint64_t now_ns);

// The next LLC PDUs that may go now, at most n. Fewer than n: see sched_next_ns for when to call
// again. Empty the list of drops after each call.
uint32_t sched_take(struct sched *s, struct sched_grant *grants, uint32_t n, uint64_t now_ns);

// now_ns or before it: there is, or may be, something to take (or the list of drops was full); else
// when there will be; TIME_NEVER if only an N-PDU or a change can bring work.
uint64_t sched_next_ns(struct sched *s, uint64_t now_ns);

// The same for who takes nothing now: when sched_take, with n = 0, is to look for what has expired.
uint64_t sched_expiry_ns(const struct sched *s, uint64_t now_ns);

// LLC frames of control's, which wait elsewhere, SCHED_FRAMES of them at most, and go before all
// user data of their MS. Of each MS the first is offered in the order in which they came; if it
// conforms at NSE, cell and MS it is charged there and goes. One that does not keeps its MS, and
// the cell or the NSE that refused it, for itself until it has gone (sched_frame.c).
//
// sched_ms_reserve: the MS has such frames, or no longer any. sched_frames_due: whether it is of
// use to offer them now; if so, all that wait are to be offered, or sched_frames_again called.
void sched_ms_reserve(struct sched *s, uint32_t ms, bool waits, uint64_t now_ns);
bool sched_frames_due(struct sched *s, uint64_t now_ns);
bool sched_frame_goes(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns);
void sched_frames_again(struct sched *s);
// What is left of a class's lifetime for the BSS after so long; SCHED_INFINITE. False: too little.
bool sched_lifetime_left(const struct sched *s, uint32_t class, uint64_t sojourn_ns,
                         uint64_t *left_ns);

// What was dropped since the last call; the list is then empty.
uint32_t sched_dropped(struct sched *s, const struct sched_drop **drops);

// ---- Reading ----
struct sched_queued {
    uint64_t packets, octets; // N-PDUs whose last piece has not gone
};
struct sched_queued sched_queued(const struct sched *s);
struct sched_queued sched_bvc_queued(const struct sched *s, uint32_t bvc);
struct sched_queued sched_ms_queued(const struct sched *s, uint32_t ms);

// Bucket levels in units of 1e-7 bit, and what is in force (after the effective Bmax).
struct sched_bucket {
    uint64_t level;
    struct bucket_terms terms;
};
struct sched_bucket sched_nse_bucket(const struct sched *s, uint32_t nse, uint64_t now_ns);
struct sched_bucket sched_bvc_bucket(const struct sched *s, uint32_t bvc, uint64_t now_ns);
struct sched_bucket sched_ms_bucket(const struct sched *s, uint32_t ms, uint64_t now_ns);
struct sched_bucket sched_pfc_bucket(const struct sched *s, uint32_t ms, uint32_t slot,
                                     uint64_t now_ns);

// A node as it is now. False: there is no such node.
struct sched_view {
    struct sched_bucket bucket;
    struct sched_queued queued;
    // How long an N-PDU has waited, by its MS's clock: of an MS and a packet flow its oldest one
    // (with queues by flow, the oldest of those whose turn is next); of a cell the oldest of those
    // that are next in their class; of an NSE 0.
    uint64_t sojourn_ns;
    uint32_t above, below;        // a cell's NSE, an MS's cell; an NSE's cells, a cell's MSs
    uint8_t traffic_class;        // of a packet flow
    bool own;                     // of an MS: values of its own
    bool waits;                   // for its bucket
    bool stopped;                 // by R = 0, or for want of values
    bool frozen;                  // of an MS
    struct bucket_terms defaults; // of a cell, for its MSs
};
bool sched_nse_view(const struct sched *s, uint32_t nse, uint64_t now_ns, struct sched_view *view);
bool sched_bvc_view(const struct sched *s, uint32_t bvc, uint64_t now_ns, struct sched_view *view);
bool sched_ms_view(const struct sched *s, uint32_t ms, uint64_t now_ns, struct sched_view *view);
bool sched_pfc_view(const struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns,
                    struct sched_view *view);
// The N201-U of an LLE of an MS that there is.
uint16_t sched_ms_n201_u_of(const struct sched *s, uint32_t ms, uint32_t lle);
// The cell that the MS is in; UINT32_MAX: there is no such MS.
uint32_t sched_ms_bvc(const struct sched *s, uint32_t ms);
// A class, of all, or of a cell that there is.
struct sched_queued sched_class(const struct sched *s, uint32_t traffic_class);
struct sched_queued sched_bvc_class(const struct sched *s, uint32_t bvc, uint32_t traffic_class,
                                    uint64_t now_ns, uint64_t *sojourn_ns);

// For tests: NULL, or which invariant of the whole structure does not hold.
const char *sched_check(const struct sched *s);

#endif
