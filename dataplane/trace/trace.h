// The trace: of a few packets every stage of their way, each a record with its time. A packet is a
// downlink N-PDU, or an uplink N-PDU with the LLC frames that bring it. Another thread gives a
// worker a trace and takes the trace away (VIEW_TRACE of view/view.h), so a worker that traces
// nothing reads a pointer once a burst, and no more.
//
// Records go into a ring of the worker's own, with room for what usual packets need; one that finds
// the ring full is counted as lost, and the worker goes on. A traced N-PDU has the bit `traced` in
// its struct pdu, which travels with it to its grant or its drop, and its number in its buffer
// (hash.fdir.hi). What holds a queued N-PDU is looked up at the end of a poll, for at most
// TRACE_OPEN N-PDUs: all that a poll does happens at one time, so no wait is missed.
//
// All workers together trace `packets` packets; then each worker drops its pointer by itself.
#ifndef SLUICE_TRACE_TRACE_H
#define SLUICE_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/aqm/aqm.h"
#include "dataplane/sched/sched.h"

#define TRACE_PACKETS_MAX 256u // of one trace
#define TRACE_OPEN        64u  // queued N-PDUs of a worker at a time; more are not traced meanwhile
#define TRACE_HOLDS       24u  // records of what holds one N-PDU; more are counted as lost
#define TRACE_RECORDS     4096u // of a worker's ring
#define TRACE_ANY         UINT32_MAX

enum trace_stage {
#define TRACE_STAGE(name, end, help) TRACE_##name,
#include "dataplane/trace/trace.def"
#undef TRACE_STAGE
    TRACE_STAGES
};
extern const char *const trace_stage_names[TRACE_STAGES];
extern const bool trace_stage_ends[TRACE_STAGES];

// What holds a packet: what the scheduler says (enum sched_holder), or the Gb port.
enum { TRACE_HELD_BY_PORT = SCHED_HOLDERS, TRACE_HOLDERS };

// The AQM's word; none: it is not asked there, or a full limit came first.
enum trace_verdict { TRACE_PASS, TRACE_MARK, TRACE_DROP, TRACE_NO_VERDICT, TRACE_VERDICTS };

struct trace_record {
    uint64_t time_ns;
    uint16_t packet; // its number
    uint8_t stage;   // the first one, received or frame, tells the way
    union {
        struct {
            uint32_t ms_id, bvc_id, teid; // the MS and the cell by control's ids
            uint16_t octets;
            uint8_t slot, traffic_class, nsapi;
            bool ect;
        } received;
        struct {
            uint32_t ahead_npdus, ahead_octets; // in its queue
            uint8_t traffic_class, verdict;
            uint8_t flow; // which of the queues by flow
            bool by_flow;
        } enqueue;
        struct {
            uint64_t level_octets, until_ns; // of a bucket, as for the next segment alone
            uint32_t rate;                   // in 100 bit/s
            uint32_t bucket_octets, octets;  // Bmax, and of that segment
            uint8_t by;
        } held;
        struct {
            uint64_t sojourn_ns;
            uint8_t traffic_class, verdict;
        } dequeue;
        struct {
            uint32_t lifetime_ms; // BSSGP_LIFETIME_INFINITE_MS: endless
            uint16_t offset, octets, llc_octets, nu, npdu_number;
            uint8_t sapi, segment;
            bool last, ce;
        } segment;
        struct {
            uint32_t ms_id, bvc_id, nsvc_id;
            uint16_t llc_octets, nu;
            uint8_t sapi;
            bool enciphered;
        } frame;
        struct {
            bool enciphered;
        } llc;
        struct {
            uint16_t octets, npdu_number;
            uint8_t nsapi, segment;
            bool more;
        } sndcp;
        struct {
            uint32_t octets;
            uint8_t segments; // of an uplink N-PDU
        } sent;
        struct {
            uint8_t reason; // enum drop_reason
        } dropped;
    };
};
_Static_assert(sizeof(struct trace_record) == 48, "a record of a ring");

// What is to be traced; TRACE_ANY: every MS, every cell.
struct trace_wish {
    uint32_t ms_id, bvc_id;
    uint32_t packets; // 1 .. TRACE_PACKETS_MAX
};

// Of all workers.
struct trace_shared {
    struct trace_wish wish;
    uint16_t first; // number of the first packet
    uint32_t taken; // packets begun; may exceed wish.packets by one for each worker
};

// A traced N-PDU between Gn and Gb.
struct trace_open {
    const void *buffer;
    uint64_t came_ns;
    uint32_t ms, flow_hash;
    uint16_t number;
    uint8_t slot, traffic_class, by, holds;
    bool left;     // the scheduler has let go of all of it
    bool marked;   // at enqueue
    bool asks_out; // its AQM judges at dequeue
};

// Of one worker, which owns it while the worker has its address.
struct rte_ring;
struct trace {
    struct trace_shared *shared;
    struct trace **owner;   // where the worker keeps the address
    const uint64_t *now_ns; // the worker's, of this poll
    struct rte_ring *ring;  // of struct trace_record
    uint64_t lost;          // records; written by the worker, read by any thread, as are the next
    uint32_t going;         // packets that have not ended
    uint32_t opens;
    struct trace_open open[TRACE_OPEN];
};

// ---- Any packet ----
struct state;
struct state_ms;
struct state_pdp;
bool trace_wants(const struct trace *t, uint32_t ms_id, uint32_t bvc_id);
// Begins a packet; 0: enough are traced.
uint16_t trace_begin(struct trace *t);
// The worker lets go of its trace once enough are traced and none of its own is under way.
void trace_rest(struct trace *t);
void trace_put(struct trace *t, uint16_t number, struct trace_record record);
// The last record of a packet; one of an earlier trace has none.
void trace_end(struct trace *t, uint16_t number, struct trace_record record);
void trace_sent(struct trace *t, uint16_t number, uint32_t octets, uint8_t segments);
void trace_dropped(struct trace *t, uint16_t number, enum drop_reason reason);

// ---- Downlink N-PDUs (trace_down.c). A trace of NULL does nothing. ----
struct rte_mbuf;
// An N-PDU of that context has come, and goes to the queue: sets pdu->traced, or does not.
void trace_down(struct trace *t, const struct state *state, const struct state_pdp *pdp,
                struct rte_mbuf *m, struct pdu *pdu);
// The same, and it is dropped before it comes there.
void trace_down_refused(struct trace *t, const struct state *state, const struct state_pdp *pdp,
                        const struct rte_mbuf *m, enum drop_reason reason);
// A traced N-PDU has been put into its queue, or was refused.
void trace_down_put(struct trace *t, const struct sched *sched, uint32_t ms, uint32_t slot,
                    const struct pdu *pdu, enum drop_reason reason);
// A piece of a traced N-PDU is framed; ms->sent counts it already. Returns the N-PDU's number.
uint16_t trace_down_segment(struct trace *t, const struct sched_grant *grant,
                            const struct state_ms *ms, const struct state_pdp *pdp,
                            uint32_t llc_octets, uint32_t lifetime_ms);
// A traced N-PDU ends otherwise than by a sent frame.
void trace_down_dropped(struct trace *t, const void *buffer, enum drop_reason reason);
void trace_down_moved(struct trace *t, const void *buffer);
// The port took the last frame of that N-PDU.
void trace_down_sent(struct trace *t, uint16_t number, uint32_t octets);
// All of it is granted, and waits for a buffer.
void trace_down_granted(struct trace *t, const void *buffer);
// At the end of a poll: records what holds each traced N-PDU, if that is another than before.
void trace_down_look(struct trace *t, const struct sched *sched);

// ---- For the other thread (trace_slow.c) ----
#define TRACE_WORKERS_MAX 16
struct traces {
    struct trace_shared shared;
    uint32_t workers;
    struct trace *of[TRACE_WORKERS_MAX];
};
// Memory for a worker's records, at its first use, at the worker's NUMA node (below 0: anywhere);
// the number of records is a power of two. False: out of memory.
bool trace_add(struct traces *traces, struct trace **owner, const uint64_t *now_ns,
               uint32_t records, int node);
// While no worker has a trace: forgets what was traced, and takes another wish.
void trace_start(struct traces *traces, const struct trace_wish *wish);
// Takes at most n records, the oldest first; returns their number.
uint32_t trace_take(struct traces *traces, uint32_t worker, struct trace_record *records,
                    uint32_t n);
struct trace_progress {
    uint32_t packets, going; // begun; of these, not ended
    uint64_t lost;           // records
    uint16_t first;          // number of the first packet
};
struct trace_progress trace_progress(const struct traces *traces);
void trace_free(struct traces *traces);

#endif
