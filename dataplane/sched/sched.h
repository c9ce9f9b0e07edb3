// The scheduler: which LLC PDU goes next, and when. A tree of NSE (the Gb pipe) > BVC (cell) > MS >
// PFC (packet flow), a leaky bucket at each level (TS 48.018 8.2.3.2, bucket.h), seven traffic
// classes. The unit is the next LLC PDU: the next segment of an N-PDU at its LLE's N201-U.
//
// Properties (tests/dataplane/sched has a test named after each):
//   S1 conformance   nothing is sent that a bucket refuses; all levels are charged or none
//   S2 exactness     a backlogged bucket passes R t / 8 octets, less than one PDU off
//   S3 sharing       (cell, class) pairs share by weighted max-min, signalling first
//   S4 fairness      MSs of one class of a cell get equal octets
//   S5 isolation     a blocked node delays no sibling
//   S6 work          the pipe never idles while a PDU that is first in its order conforms
//   S7 order         a queue never reorders
//   S8 conservation  in = out + dropped + queued, in N-PDUs and octets, at each return
//   S9 cost          O(1) a packet
//   S10 change       new values hold at once, after the time before is settled at the old ones; MSs
//                    that wait on their cell's defaults adopt new ones in sched_take, a bounded
//                    number a call
//   S11 isolation    at a full limit the queue that is largest for its share loses its head; one
//       of loss      below 0.9 of its max-min share loses nothing
//   S12 goes on      after its first segment no N-PDU of its class and cell begins before its last,
//                    unless its PFC, MS or LLE is held; its first leaves within the SGSN's part of
//                    the lifetime, and beyond that its rest goes before all other data of its cell
//   S13 sparse first an MS that asks for less than half its fair share of a class waits, beyond its
//                    own buckets, for the N-PDU that has begun and for others like it, whatever the
//                    number of MSs with a backlog; and gets its fair share and a turn at most. By
//                    flow, so does a small N-PDU of a flow like that in a packet flow with a
//                    backlog, on credit of two turns; it goes before large ones of sparse MSs
//
// The scheduler frees no buffer: it appends dropped N-PDUs, with reasons, to a list that the caller
// empties. A buffer is a handle. It reads no clock (now_ns never goes back) and allocates nothing:
// its memory is given once. sched_*_setup.c build and change the tree.
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

// The queue that a class's AQM watches.
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
    uint64_t bss_least_ns, bss_most_ns; // the least and the most of it that the BSS gets
    enum sched_scope scope;
    struct aqm aqm;
    bool flow_queues; // the PFC's N-PDUs in queues by flow, served by DRR, sparse flows first
    // With flow_queues: refuse an N-PDU whose turn would come late in its lifetime, by its flow's
    // share. Like flow_queues, it stays as it was set up.
    bool refuse_late;
};

#define SCHED_WEIGHT_MAX 10000

#define SCHED_TURN_PDUS_MOST 4

#define SCHED_NO_CONTEXT UINT32_MAX // of a control LLC frame

struct sched_config {
    uint32_t nses, bvcs, mss;
    uint32_t pfcs_an_ms;          // 1 .. SCHED_SLOTS
    uint32_t flows_a_pfc;         // queues by flow, a power of two up to 64; 0: none
    uint32_t flow_quantum_octets; // of their DRR
    // An MS's turn in its class: the largest LLC PDUs that its cell's rate sends in that time, from
    // one to SCHED_TURN_PDUS_MOST.
    uint64_t turn_ns;
    struct sched_limit limit, bvc_limit, ms_limit; // in all, per cell, per MS
    struct sched_limit nse_limit;                  // per NSE; 0 packets: none
    bool tail_drop; // at a full limit: refuse the arriving N-PDU, drop none of the largest queue
    // How much longer than its lifetime an N-PDU of a frozen or stopped MS may stay in real time:
    // then it expires, up to 2.2 s and a search late. SCHED_INFINITE, 0, or more than 4.8 h with
    // the lifetime: no such end.
    uint64_t hold_ns;
    // Octets of an LLC PDU beside its piece of the N-PDU: for the first piece of an N-PDU, and for
    // later ones; and LLC's own part of them (header and FCS), which N201-U does not count. So a
    // first piece is at most n201_u + llc_octets - first_header_octets. On Gb: 10, 9 and 6.
    uint32_t first_header_octets, next_header_octets, llc_octets;
    // Returns the octets of an LLC PDU on the line, for its NSE's pipe. Called only for a pipe with
    // a CIR, at each test of the PDU; `context` is the N-PDU's, or SCHED_NO_CONTEXT. After a change
    // of its result the caller calls sched_nse_look_again. NULL: LLC PDU and pipe_header_octets.
    uint32_t (*pipe_octets)(const void *owner, uint32_t ms, uint32_t context, uint32_t llc_octets);
    const void *pipe_owner;
    uint32_t pipe_header_octets;
    uint32_t pdu_octets_max;                          // the largest LLC PDU
    uint64_t bvc_delay_ns, ms_delay_ns, pfc_delay_ns; // D of the effective Bmax; 0: all of Bmax
    bool in_full;                                     // no fast path: the reference for their test
    // For real time at full load: a wait may end 65.5 us late (rates stay exact, as the leak goes
    // on), which saves reading the wheel's running slot.
    bool coarse;
    uint64_t seed;
    struct sched_class of_class[CLASS_COUNT];
};

// A piece of an N-PDU, charged at every level, to be sent now.
struct sched_grant {
    void *buffer;
    uint64_t lifetime_ns; // what is left of it for the BSS; SCHED_INFINITE
    uint64_t sojourn_ns;
    uint32_t ms;
    PDU_CARRIED;             // `mark`: only with the first piece
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
    bool traced;
};

struct sched;

// Errors of set-up functions, returned negative; sched_err_text says them in words.
enum sched_err {
    SCHED_OK,
#define SCHED_ERR(name, text) SCHED_##name,
#include "dataplane/sched/sched_err.def"
#undef SCHED_ERR
    SCHED_ERR_COUNT
};
const char *sched_err_text(int err);

// The memory for sched_setup, which must be aligned to 64 octets and zeroed.
uint64_t sched_octets(const struct sched_config *config);
int sched_setup(struct sched **sched, const struct sched_config *config, void *memory);

// ---- The tree. Each function returns 0, or -enum sched_err and changes nothing. ----

// terms.rate BUCKET_UNLIMITED: no CIR.
int sched_nse_add(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns);
int sched_nse_set(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns);
// A blocked NSE gets no PDUs; its queues, buckets and timers go on.
int sched_nse_block(struct sched *s, uint32_t nse, bool blocked);
int sched_nse_remove(struct sched *s, uint32_t nse);
// The PDU that the pipe waits for may have another size now (pipe_octets).
int sched_nse_look_again(struct sched *s, uint32_t nse);

// A new cell is stopped until its first sched_bvc_set.
int sched_bvc_add(struct sched *s, uint32_t bvc, uint32_t nse, uint64_t now_ns);
int sched_bvc_set(struct sched *s, uint32_t bvc, struct bucket_terms terms,
                  struct bucket_terms ms_default, uint64_t now_ns);
// Until the next reset the cell's effective bucket has room for N-PDUs of so many MSs more than the
// rates say.
int sched_bvc_more(struct sched *s, uint32_t bvc, uint32_t mss);
// As after a BVC-RESET: the buckets of the cell, of its MSs and of their PFCs are empty, and the
// cell is stopped until the next sched_bvc_set. MSs and PFCs keep values of their own.
int sched_bvc_reset(struct sched *s, uint32_t bvc, uint64_t now_ns);
// A blocked cell gets no PDUs; its bucket keeps its values and leaks.
int sched_bvc_block(struct sched *s, uint32_t bvc, bool blocked, uint64_t now_ns);
int sched_bvc_remove(struct sched *s, uint32_t bvc);

// The new MS is on its cell's defaults.
int sched_ms_add(struct sched *s, uint32_t ms, uint32_t bvc, uint16_t n201_u, uint64_t now_ns);
int sched_ms_set(struct sched *s, uint32_t ms, struct bucket_terms terms, uint64_t now_ns);
int sched_ms_default(struct sched *s, uint32_t ms, uint64_t now_ns);
int sched_ms_n201_u(struct sched *s, uint32_t ms, uint32_t lle, uint16_t n201_u, uint64_t now_ns);
// The LLEs that the MS uses, a bit each; 0, as initially: all. The effective buckets of the MS and
// of its cell must hold the N201-U of these.
int sched_ms_lles(struct sched *s, uint32_t ms, uint32_t lles, uint64_t now_ns);
// The queue of a frozen MS waits and does not age, but expires after hold_ns, a half-sent N-PDU as
// well; R = 0 of the MS's own (sched_ms_set) freezes as well.
int sched_ms_freeze(struct sched *s, uint32_t ms, uint64_t now_ns);
int sched_ms_release(struct sched *s, uint32_t ms, uint64_t now_ns);
// Moves the MS to another cell of the same scheduler, with queue, age and AQM state; its bucket
// starts empty, on the new cell's defaults, and its PFCs have no values. N-PDUs beyond the new
// cell's limit are not dropped.
int sched_ms_move(struct sched *s, uint32_t ms, uint32_t bvc, uint64_t now_ns);
// Moves the MS to another scheduler (sched_move_slow.c) in three steps: leave, which hands its
// N-PDUs over in their order; arrive; each N-PDU arrives. An N-PDU is refused only if the limit of
// all queues is full; then it stays the caller's. `pdu.arrived_ns` is by the MS's clock, which
// moves along, `pdu.came` in real time, which both schedulers share.
struct sched_baggage_pfc {
    uint16_t sent_octets, n201_u; // of a half-sent N-PDU
    uint8_t traffic_class;
    uint8_t leader; // the slot that owns its bucket
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

// Drops the queued N-PDUs of the MS, as many as the list of drops takes; -SCHED_MORE: empty the
// list and call again.
int sched_ms_flush(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns);
// Flushes the MS, then removes it; -SCHED_MORE as above.
int sched_ms_remove(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns);

// A PFC without values of its own is limited by its MS alone.
int sched_pfc_add(struct sched *s, uint32_t ms, uint32_t slot, enum traffic_class traffic_class);
int sched_pfc_set(struct sched *s, uint32_t ms, uint32_t slot, struct bucket_terms terms,
                  uint64_t now_ns);
int sched_pfc_unlimit(struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns);
// Makes the PFC use the bucket of slot `with` of the same MS: both are of one packet flow. Setting
// or reading the bucket of either then means the shared one, which survives the removal of `with`.
int sched_pfc_share(struct sched *s, uint32_t ms, uint32_t slot, uint32_t with, uint64_t now_ns);
int sched_pfc_remove(struct sched *s, uint32_t ms, uint32_t slot, enum drop_reason reason,
                     uint64_t now_ns);

// Sets the level as the BSS reports it: bucket_level_of_ratio(its Bmax, its bucket-full ratio).
// Until new values come the effective Bmax has room for two LLC PDUs: see sched_sizes_slow.c.
int sched_bvc_level(struct sched *s, uint32_t bvc, uint64_t level, uint64_t now_ns);
int sched_ms_level(struct sched *s, uint32_t ms, uint64_t level, uint64_t now_ns);
int sched_pfc_level(struct sched *s, uint32_t ms, uint32_t slot, uint64_t level, uint64_t now_ns);
// Lowers the level by octets that the BSS has discarded (LLC-DISCARDED, 48.018).
int sched_bvc_credit(struct sched *s, uint32_t bvc, uint32_t octets, uint64_t now_ns);
int sched_ms_credit(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns);
int sched_pfc_credit(struct sched *s, uint32_t ms, uint32_t slot, uint32_t octets, uint64_t now_ns);

// Changes the values of a class: weight and lifetimes hold at once, the limit for later arrivals.
// Scope, AQM and flow queues stay. The next calls of sched_take adapt the start tags.
int sched_class_set(struct sched *s, uint32_t class, const struct sched_class *values);
// Replaces all parameters of the class's AQM, which stays the same discipline.
int sched_class_aqm(struct sched *s, uint32_t class, const uint64_t *params, uint32_t count);

// ---- The path of a packet ----

// Prefetch, some packets ahead of sched_put: the cache lines of a packet flow; with queues by
// flow, those of the flow; once these have come, half as many packets ahead, that of the last
// N-PDU queued there.
void sched_prefetch(const struct sched *s, uint32_t ms, uint32_t slot);
void sched_prefetch_flow(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash);
void sched_prefetch_tail(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash);

// Queues an N-PDU (the caller sets buffer, octets, context, lle, ect, flow_hash). DROP_NONE, or the
// reason of a refusal: then the N-PDU stays the caller's and is not in the list of drops.
enum drop_reason sched_put(struct sched *s, uint32_t ms, uint32_t slot, const struct pdu *pdu,
                           uint64_t now_ns);

// Grants at most n LLC PDUs that may go now. After fewer than n, sched_next_ns says when to call
// again. The caller empties the list of drops after each call.
uint32_t sched_take(struct sched *s, struct sched_grant *grants, uint32_t n, uint64_t now_ns);

// At most now_ns: there is, or may be, a grant (or the list of drops was full); else the time of
// the next one; TIME_NEVER if only an N-PDU or a change can bring work.
uint64_t sched_next_ns(struct sched *s, uint64_t now_ns);

// For a caller without room: the next time for sched_take, with n = 0, to expire N-PDUs.
uint64_t sched_expiry_ns(const struct sched *s, uint64_t now_ns);

// Control's LLC frames wait in the caller, SCHED_FRAMES of them at most, and go before all user
// data of their MS. The caller offers the first frame of each MS, in order of arrival; a frame that
// conforms at NSE, cell and MS is charged there and goes. A refused frame reserves its MS, and the
// cell or the NSE that refused it, until it has gone (sched_frame.c).
//
// sched_ms_reserve: the MS has such frames, or no longer any. sched_stranger_waits: a frame to a
// phone that is no MS has come, or is gone; the caller offers all of these, in their cell's order.
// sched_frames_due: whether an offer may succeed now; if so, the caller offers all of them, or
// calls sched_frames_again.
void sched_ms_reserve(struct sched *s, uint32_t ms, bool waits, uint64_t now_ns);
bool sched_frames_due(struct sched *s, uint64_t now_ns);
bool sched_frame_goes(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns);
void sched_stranger_waits(struct sched *s, bool waits);
// `pipe_octets`: what it counts as at the NSE's bucket.
bool sched_stranger_goes(struct sched *s, uint32_t bvc, uint32_t octets, uint32_t pipe_octets,
                         uint64_t now_ns);
void sched_frames_again(struct sched *s);
// The lifetime left for the BSS after a sojourn; SCHED_INFINITE. False: too little.
bool sched_lifetime_left(const struct sched *s, uint32_t class, uint64_t sojourn_ns,
                         uint64_t *left_ns);

// The octets a second that a flow of an existing PFC can expect now: the PFC's share by the rates
// and weights of all levels, among its flows with N-PDUs (all of it without queues by flow).
uint32_t sched_flow_share(const struct sched *s, uint32_t ms, uint32_t slot);

// Returns the N-PDUs dropped since the last call, and empties the list.
uint32_t sched_dropped(struct sched *s, const struct sched_drop **drops);

// ---- Reading ----
struct sched_queued {
    uint64_t packets, octets; // N-PDUs with a last piece not granted yet
};
struct sched_queued sched_queued(const struct sched *s);
struct sched_queued sched_bvc_queued(const struct sched *s, uint32_t bvc);
// Packet flows of the cell's MSs that have something queued; not of frozen or stopped MSs.
uint32_t sched_bvc_waiting(const struct sched *s, uint32_t bvc);
struct sched_queued sched_ms_queued(const struct sched *s, uint32_t ms);

// Bucket levels in units of 1e-7 bit, and the values in force (with the effective Bmax).
struct sched_bucket {
    uint64_t level;
    struct bucket_terms terms;
};
struct sched_bucket sched_nse_bucket(const struct sched *s, uint32_t nse, uint64_t now_ns);
struct sched_bucket sched_bvc_bucket(const struct sched *s, uint32_t bvc, uint64_t now_ns);
struct sched_bucket sched_ms_bucket(const struct sched *s, uint32_t ms, uint64_t now_ns);
struct sched_bucket sched_pfc_bucket(const struct sched *s, uint32_t ms, uint32_t slot,
                                     uint64_t now_ns);

// The present state of a node. False: no such node.
struct sched_view {
    struct sched_bucket bucket;
    struct sched_queued queued;
    // The sojourn of an N-PDU, by its MS's clock: of an MS and a packet flow the oldest N-PDU (with
    // flow queues, the oldest among the flows that are next); of a cell the oldest among those next
    // in their class, of which there is none while all its MSs wait for their buckets; of an NSE 0.
    uint64_t sojourn_ns;
    uint32_t above, below;        // a cell's NSE, an MS's cell; an NSE's cells, a cell's MSs
    uint8_t traffic_class;        // of a packet flow
    bool own;                     // of an MS: it has values of its own
    bool waits;                   // for its bucket
    bool stopped;                 // by R = 0, or for lack of values
    bool frozen;                  // of an MS
    struct bucket_terms defaults; // of a cell, for its MSs
};
bool sched_nse_view(const struct sched *s, uint32_t nse, uint64_t now_ns, struct sched_view *view);
bool sched_bvc_view(const struct sched *s, uint32_t bvc, uint64_t now_ns, struct sched_view *view);
bool sched_ms_view(const struct sched *s, uint32_t ms, uint64_t now_ns, struct sched_view *view);
bool sched_pfc_view(const struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns,
                    struct sched_view *view);
// The N201-U of an LLE of an existing MS.
uint16_t sched_ms_n201_u_of(const struct sched *s, uint32_t ms, uint32_t lle);
// The cell of the MS; UINT32_MAX: no such MS.
uint32_t sched_ms_bvc(const struct sched *s, uint32_t ms);
// The queued N-PDUs of a class, in all or in an existing cell.
struct sched_queued sched_class(const struct sched *s, uint32_t traffic_class);
struct sched_queued sched_bvc_class(const struct sched *s, uint32_t bvc, uint32_t traffic_class,
                                    uint64_t now_ns, uint64_t *sojourn_ns);

// ---- One N-PDU (sched_hold.c) ----
// The end of a queue: the mark of the N-PDU that came last, if there is one, and whether the AQM is
// asked about N-PDUs that come, and that go.
struct sched_tail {
    struct sched_queued queued; // in that queue
    uint32_t flow;              // which of the queues by flow
    bool by_flow, mark, asks_in, asks_out;
};
struct sched_tail sched_tail(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash);

// What holds an N-PDU that is queued there; of several things the first in this list.
enum sched_holder {
#define SCHED_HOLDER(name, text) SCHED_HELD_BY_##name,
#include "dataplane/sched/sched_holder.def"
#undef SCHED_HOLDER
    SCHED_HOLDERS
};
extern const char *const sched_holder_names[SCHED_HOLDERS];
extern const char *const sched_holder_texts[SCHED_HOLDERS];
struct sched_hold {
    enum sched_holder by;
    struct sched_bucket bucket; // of a level
    uint32_t octets;            // that the bucket must pass
    uint64_t until_ns;          // when it will; TIME_NEVER: only a new value helps
};
struct sched_hold sched_hold(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash,
                             const void *buffer, uint64_t now_ns);

#endif
