// The only interface of the dataplane for control and the lab: commands in, counters and events
// out, and the far ends of ring ports. Time is an argument; nothing below reads a clock.
#ifndef SLUICE_DATAPLANE_DATAPLANE_H
#define SLUICE_DATAPLANE_DATAPLANE_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/units.h"
#include "dataplane/state/at.h"
#include "dataplane/state/command.h"
#include "dataplane/state/event.h"
#include "dataplane/stats/stats.h"
#include "dataplane/view/view.h"

struct rte_ring;
struct rte_mempool;

#define DP_CLASS_FIELDS(MUST, MAY, T)                                                              \
    COMMAND_CLASS_VALUES(MUST, T)                                                                  \
    MUST(T, U8, scope, 0, SCHED_SCOPE_FLOW, "the queue that the AQM watches: NSE, cell, MS, flow") \
    MUST(T, BOOL, flows, 0, 1, "a queue for each flow")                                            \
    MUST(T, U8, aqm, 0, 255, "which AQM, by its place in aqm.def")                                 \
    MUST(T, AQM_PARAMS, aqm_params, 0, AQM_PARAMS_MAX, "all of its parameters")
FIELD_STRUCT(dp_class, DP_CLASS_FIELDS);
FIELD_LIST_STRUCT(dp_classes, dp_class, CLASS_COUNT);
extern const struct field_record dp_class_record;
#define FIELD_TYPE_CLASSES struct dp_classes
#define FIELD_KIND_CLASSES FIELD_LIST, &dp_class_record

#define DP_PORT_FIELDS(MUST, MAY, T)                                                             \
    MUST(T, OCTETS, device, 1, 255,                                                              \
         "net_ring, a PCI address, or a DPDK device with its arguments")                         \
    MUST(T, U32, rx_frames, 1, 65536, "frames that wait at the port: of a ring, or descriptors") \
    MUST(T, U32, tx_frames, 1, 65536, "frames that wait behind it")                              \
    MUST(T, MAC, mac, 0, 0, "our Ethernet address; zeros: the device's own")                     \
    MUST(T, U32, ipv4, 0, UINT32_MAX, "our IPv4 address; 0: none")                               \
    MUST(T, U8, ipv4_prefix, 0, 32, "its prefix length on the link")                             \
    MUST(T, U32, ipv4_gateway, 0, UINT32_MAX, "our gateway; 0: all addresses are on the link")   \
    MUST(T, IPV6, ipv6, 0, 0, "our IPv6 address; zeros: none")                                   \
    MUST(T, U8, ipv6_prefix, 0, 128, "its prefix length on the link")                            \
    MUST(T, IPV6, ipv6_gateway, 0, 0, "our gateway; zeros: all addresses are on the link")       \
    MUST(T, U16, udp_port, 1, 65535, "our UDP port")                                             \
    MUST(T, U16, mtu_octets, 576, 9000, "the largest IP packet on the link")
FIELD_STRUCT(dp_port, DP_PORT_FIELDS);
extern const struct field_record dp_port_record;
#define FIELD_TYPE_DP_PORT struct dp_port
#define FIELD_KIND_DP_PORT FIELD_RECORD, &dp_port_record

#define DP_CONFIG_FIELDS(MUST, MAY, T)                                                     \
    MUST(T, U32, nses, 1, 4096, "how many NSEs there is room for")                         \
    MUST(T, U32, nsvcs, 1, 16384, "how many NS-VCs")                                       \
    MUST(T, U32, ggsns, 1, 4096, "how many GGSNs")                                         \
    MUST(T, U32, bvcs, 1, 65536, "how many cells")                                         \
    MUST(T, U32, mss, 1, 4194304, "how many MSs")                                          \
    MUST(T, U32, pdps, 1, 4194304, "how many PDP contexts")                                \
    MUST(T, U32, worker_mss, 0, 4194304, "how many MSs a worker has room for; 0: for all") \
    MUST(T, U32, worker_pdps, 0, 4194304, "how many PDP contexts; 0: for all")             \
    MUST(T, U32, pfcs_an_ms, 1, SCHED_SLOTS, "packet flows of an MS")                      \
    MUST(T, U32, flows_a_pfc, 0, 64, "queues by flow, a power of two; 0: none")            \
    MUST(T, U32, flow_quantum_octets, 64, 65535, "of the round over flows")                \
    MUST(T, U32, queue_packets, 1, 4194304, "most N-PDUs queued")                          \
    MUST(T, U64, queue_octets, 1, UINT32_MAX, "most octets queued")                        \
    MUST(T, U32, nse_packets, 0, 4194304, "most N-PDUs queued for an NSE; 0: as all")      \
    MUST(T, U64, nse_octets, 0, UINT32_MAX, "most octets of them")                         \
    MUST(T, BOOL, tail_drop, 0, 1, "a full limit refuses arriving N-PDUs")                 \
    MUST(T, U64, hold_ns, 0, INT64_MAX,                                                    \
         "how much longer than its lifetime an N-PDU may stay, its MS frozen; 0: any")     \
    MUST(T, U32, bvc_packets, 1, 4194304, "most N-PDUs queued for a cell")                 \
    MUST(T, U64, bvc_octets, 1, UINT32_MAX, "most octets of them")                         \
    MUST(T, U32, ms_packets, 1, 4194304, "most N-PDUs queued for an MS")                   \
    MUST(T, U64, ms_octets, 1, UINT32_MAX, "most octets of them")                          \
    MUST(T, U64, bvc_delay_ns, 0, INT64_MAX,                                               \
         "time in the BSS that a cell's bucket may stand for; 0: any")                     \
    MUST(T, U64, ms_delay_ns, 0, INT64_MAX, "the same of an MS's bucket")                  \
    MUST(T, U64, pfc_delay_ns, 0, INT64_MAX, "the same of a packet flow's bucket")         \
    MUST(T, CLASSES, classes, CLASS_COUNT, CLASS_COUNT, "the traffic classes, by number")  \
    MUST(T, U64, seed, 0, INT64_MAX, "of the AQMs' random numbers")                        \
    MUST(T, U64, teid_seed, 0, INT64_MAX, "of the TEIDs' random bits; 0: the system says") \
    MUST(T, U32, workers, 1, DP_WORKERS_MAX, "threads of the path")                        \
    MUST(T, BOOL, real_time, 0, 1, "the clock is real: waits may end 65 us late")          \
    MUST(T, U32, ms_options_octets, 0, COMMAND_OCTETS,                                     \
         "room an MS has for its optional elements (command ms_options); 0: none")         \
    MUST(T, U32, error_indications_per_s, 0, 100000,                                       \
         "GTP-U error indications of each worker at most")                                 \
    MUST(T, U64, ready_ns, 0, INT64_MAX,                                                   \
         "an MS not heard of for so long is in standby, and paged; 0: never")              \
    MUST(T, DP_PORT, gn, 0, 0, "the port towards the GGSN")                                \
    MUST(T, DP_PORT, gb, 0, 0, "the port towards the BSS")

FIELD_STRUCT(dp_config, DP_CONFIG_FIELDS);
extern const struct field dp_config_fields[];
extern const uint32_t dp_config_field_count;

struct dp;
struct dp_worker;

// The memory that a dataplane of this configuration takes, for the EAL.
uint64_t dp_memory_octets(const struct dp_config *config);

// NULL on an error; `why` then names the fault, or the exhausted resource.
struct dp *dp_create(const struct dp_config *config, const char **why);

// Drops all queued packets (reason `shutdown`) and frees all memory. Returns the number of buffers
// missing from their pools: 0, unless the caller still holds one.
uint32_t dp_destroy(struct dp *dp);

// Gives a worker a command, from control's thread. 0 (for a PDP context its TEID), or:
// -EAGAIN         try again; nothing has changed: a ring is full, there is no buffer for a PDU to
//                 send, or a worker has not handled a cell's removal yet. The condition ends when
//                 workers go on, even if no events are taken
// -ERANGE         a value or an id beyond its limits, contradicting values of a class or an AQM, a
//                 PDU without octets or an LLC frame larger than any
// -EEXIST         the id, the NSAPI of the MS, the TLLI or BVCI of the NSE, or the endpoint exists
// -ENOENT         an id in the command does not exist
// -EBUSY          the thing to remove still has something below it
// -ENOSPC         an NSE has 16 NS-VCs at most; the cell's worker has no room for one more MS or
//                 context, or for a moving MS
// -EAFNOSUPPORT   the port has no address of that family
// -EADDRNOTAVAIL  no address of another station: none, multicast, broadcast, our own
// -EMSGSIZE       a PDU larger than the link's MTU, or optional elements of an MS of more octets
//                 than the configuration has room for
// -ENOTSUP        GEA1, GEA2, GEA5
// -EINVAL         unknown command or algorithm, a key of another length, or another number of
//                 parameters than the AQM has
int64_t dp_command(struct dp *dp, const struct command *command);

// Finds an MS or a cell by its TLLI or BVCI in control's own records, without asking a worker.
// EVENT_NONE: there is none. A former TLLI counts until the next ms_tlli of the MS.
uint32_t dp_ms_of(const struct dp *dp, uint32_t nse, uint32_t tlli);
uint32_t dp_bvc_of(const struct dp *dp, uint32_t nse, uint32_t bvci);
// The cell of an MS, and its TLLI.
uint32_t dp_ms_cell(const struct dp *dp, uint32_t ms, uint32_t *tlli);
// The result that an ms_move to that cell would have: 0, -ENOSPC if its worker is full, and such.
int dp_ms_may_move(const struct dp *dp, uint32_t ms, uint32_t bvc);
// The free places at the worker of that NSE; the NSE need not exist.
void dp_worker_left(const struct dp *dp, uint32_t nse, uint32_t *mss, uint32_t *pdps);

// The place of an MS (state/at.h). For any thread; for an MS that moves or ends meanwhile it is the
// old place. The record at the place names its MS.
uint32_t dp_ms_at(const struct dp *dp, uint32_t ms);

// The id is not free: the cell exists, its removal is not carried out yet, or an event about an MS
// that left it is unread.
bool dp_bvc_held(struct dp *dp, uint32_t bvc);

// All workers have carried out all commands.
bool dp_settled(const struct dp *dp);

// True: the worker has answered the last query, and may get another. Until then the worker writes
// into the query.
bool dp_answered(const struct dp *dp, uint32_t worker);
void dp_ask(struct dp *dp, uint32_t worker, struct dp_query *query);

// The commands as functions over described structs; their target is the struct dp.
extern const struct field_call dp_calls[];
extern const uint32_t dp_call_count;

// Places in a worker's ring of events, of which one stays empty: at 200 000 events a second the
// ring bridges 40 ms in which control does not run.
#define DP_EVENT_RING 8192u

// The next event: of each NSE and worker the oldest first, in turns; false if there is none. The
// event's PDU is readable until dp_event_done gives its buffer back. An id that was freed or reused
// since the event is EVENT_NONE.
bool dp_event(struct dp *dp, struct event *event);
void dp_event_done(struct dp *dp, const struct event *event);

// Control begins a round: it takes 16 events of each NSE, and 16 of unknown senders, in order of
// arrival; further events wait behind those of the others.
void dp_events_round(struct dp *dp);

// PDUs dropped because their NSE had used up its share of control's memory for events.
uint64_t dp_events_shed(const struct dp *dp);

// Moves events from the rings into control's memory, up to 16 MiB, where dp_event finds them: for
// control when it waits for a worker in the middle of a procedure.
void dp_events_keep(struct dp *dp);

struct dp_worker *dp_worker(struct dp *dp, uint32_t worker);

// One round of the worker. Returns now_ns while work is left, else the time of the next call;
// TIME_NEVER when only a frame, a command or a port with room again can bring work.
uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns);

// Lends the worker's downlink a clock and counts its cycles by stage there; NULL ends it.
struct stages;
void dp_stages(struct dp_worker *worker, struct stages *stages);

struct dp_queued {
    uint64_t packets, octets;
};

const struct stats_worker *dp_stats(const struct dp_worker *worker);
struct dp_queued dp_queued(const struct dp_worker *worker); // downlink N-PDUs

// Packets received by a port and still held: downlink N-PDUs or uplink segments, and fragments.
struct dp_held {
    struct dp_queued inner, fragments;
};
struct dp_held dp_held(const struct dp_worker *worker, enum stats_side side);

// The link state of a port's device: "up", "down", or "gone" if the device no longer exists.
// dp_link_look asks the device, in control's thread; dp_link returns the last answer, in any.
const char *dp_link_look(struct dp *dp, enum stats_side side);
const char *dp_link(const struct dp *dp, enum stats_side side);
// The name of its DPDK driver.
const char *dp_driver(const struct dp *dp, enum stats_side side);

// The port has counted a frame as sent, and fragments of it still wait for room; one frame at most.
bool dp_in_pieces(const struct dp_worker *worker, enum stats_side side);

// Traffic of a cell, an MS, or all cells of an NSE, in frames and octets: LLC PDUs sent, control's
// included, and LLC PDUs of user data received (of an MS only octets); downlink N-PDUs dropped (an
// MS's modulo 2^32) and queued. An MS's sent frames count user data since its last key, modulo 2^32
// for each LLE. The counts begin when the node is created and are of its worker in control's
// records; so they are right once the dataplane is settled. Zeros: no such id.
struct dp_traffic {
    uint64_t down_frames, down_octets, up_frames, up_octets;
    uint64_t dropped_npdus;
    struct dp_queued queued;
};
struct dp_traffic dp_bvc_traffic(const struct dp *dp, uint32_t bvc);
struct dp_traffic dp_nse_traffic(const struct dp *dp, uint32_t nse); // reads every cell
struct dp_traffic dp_ms_traffic(const struct dp *dp, uint32_t ms);

// Property S8, for packets and octets of both directions: in = headers + aside + out + dropped +
// held.
bool dp_balanced(const struct dp_worker *worker);

// The network's side of a ring port: a simulated network puts frames from `pool` into `to_port`,
// and takes and frees frames from `from_port`.
struct dp_far_end {
    struct rte_ring *to_port, *from_port;
    struct rte_mempool *pool;
};

struct dp_far_end dp_far_end(const struct dp *dp, enum stats_side side, uint32_t worker);

// The worker that owns a TEID of ours: its far end on Gn takes the TEID's G-PDUs.
uint32_t dp_teid_worker(const struct dp *dp, uint32_t teid);

#endif
