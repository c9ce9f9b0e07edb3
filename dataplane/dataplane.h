// The dataplane's only face to control and to the lab: commands in, counters out, and the far ends
// of its ports. Time is an argument; nothing below reads a clock.
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

#define DP_CLASS_FIELDS(MUST, MAY, T)                                                           \
    COMMAND_CLASS_VALUES(MUST, T)                                                               \
    MUST(T, U8, scope, 0, SCHED_SCOPE_FLOW, "whose queue the AQM watches: NSE, cell, MS, flow") \
    MUST(T, BOOL, flows, 0, 1, "a queue for each flow")                                         \
    MUST(T, U8, aqm, 0, 255, "which AQM, by its place in aqm.def")                              \
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
    MUST(T, U8, ipv4_prefix, 0, 32, "what of it is the link's, and so its broadcast address")    \
    MUST(T, U32, ipv4_gateway, 0, UINT32_MAX, "where all else goes; 0: all is on the link")      \
    MUST(T, IPV6, ipv6, 0, 0, "our IPv6 address; zeros: none")                                   \
    MUST(T, U8, ipv6_prefix, 0, 128, "what of it is the link's")                                 \
    MUST(T, IPV6, ipv6_gateway, 0, 0, "where all else goes; zeros: all is on the link")          \
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
    MUST(T, BOOL, tail_drop, 0, 1, "who comes to a full limit is refused")                 \
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

// The memory that such a dataplane takes, for the EAL.
uint64_t dp_memory_octets(const struct dp_config *config);

// NULL, and `why` says in words what is wrong, or what there is too little of.
struct dp *dp_create(const struct dp_config *config, const char **why);

// Drops what is queued (reason `shutdown`) and frees all. Returns the buffers that did not come
// back to their pools: 0, unless somebody still holds one.
uint32_t dp_destroy(struct dp *dp);

// Control's side. 0 (for a PDP context its TEID), or:
// -EAGAIN         not now, nothing has happened: a ring is full, there is no buffer for a PDU to
//                 send, or a worker has not come past a cell's removal; it ends when workers go on,
//                 whether events are taken or not
// -ERANGE         a value or an id beyond its limits, values of a class or an AQM that do not go
//                 together, a PDU without octets or an LLC frame larger than any
// -EEXIST         that id, that NSAPI of the MS, that TLLI or BVCI of the NSE, that endpoint
// -ENOENT         what it names
// -EBUSY          to be removed, and something is still below it
// -ENOSPC         an NSE has 16 NS-VCs at most; the worker of that cell has no room for one more MS
//                 or context, nor for one that moves to it
// -EAFNOSUPPORT   the port has no address of that family
// -EADDRNOTAVAIL  an address that no other station has: none, multicast, broadcast, our own
// -EMSGSIZE       a PDU larger than the link takes, or optional elements of an MS of more octets
//                 than the config has room for
// -ENOTSUP        GEA1, GEA2, GEA5
// -EINVAL         no such command or algorithm, a key of another length, or another number of
//                 parameters than the AQM has
int64_t dp_command(struct dp *dp, const struct command *command);

// By what the wire says and by what control has said itself: no worker is asked. EVENT_NONE: there
// is none. A TLLI that an MS had before counts until another command of the MS's TLLI.
uint32_t dp_ms_of(const struct dp *dp, uint32_t nse, uint32_t tlli);
uint32_t dp_bvc_of(const struct dp *dp, uint32_t nse, uint32_t bvci);
// The cell that an MS is in, and its TLLI.
uint32_t dp_ms_cell(const struct dp *dp, uint32_t ms, uint32_t *tlli);
// Whether an ms_move to that cell would be accepted, or find its worker full (-ENOSPC) and such.
int dp_ms_may_move(const struct dp *dp, uint32_t ms, uint32_t bvc);
// What the worker of that NSE, which need not be there, has room for still.
void dp_worker_left(const struct dp *dp, uint32_t nse, uint32_t *mss, uint32_t *pdps);

// Where an MS is (state/at.h). For any thread; of an MS that moves or ends meanwhile it is where it
// was. What is found there says whose it is.
uint32_t dp_ms_at(const struct dp *dp, uint32_t ms);

// The id is not free: there is such a cell, its removal has not been carried out yet, or an MS is
// still to be told of that has left it.
bool dp_bvc_held(struct dp *dp, uint32_t bvc);

// The workers have carried out every command.
bool dp_settled(const struct dp *dp);

// True: the worker has answered what it was asked, and may be asked again. Until then the query is
// its: it may write there.
bool dp_answered(const struct dp *dp, uint32_t worker);
void dp_ask(struct dp *dp, uint32_t worker, struct dp_query *query);

// The commands as functions that take described structs; the target is the struct dp.
extern const struct field_call dp_calls[];
extern const uint32_t dp_call_count;

// A worker's events wait in a ring of so many places, one of them empty: at 200 000 a second it
// bridges 40 ms in which control does not run.
#define DP_EVENT_RING 8192u

// What workers have to tell, oldest first of each, in turn; false if there is nothing. Its PDU lies
// in a buffer that dp_event_done gives back; until then it may be read. An id that stands for
// another by now, or for nobody, is EVENT_NONE.
bool dp_event(struct dp *dp, struct event *event);
void dp_event_done(struct dp *dp, const struct event *event);

// Control begins a round: of each NSE 16 events, and 16 of strangers, are taken in the order in
// which they came; more of them wait for the others'.
void dp_events_round(struct dp *dp);

// PDUs of those who sent so many that there was no memory left for theirs.
uint64_t dp_events_shed(const struct dp *dp);

// Takes what workers have told so far into memory of control's own, up to 16 MiB, for dp_event to
// find there: for a control that waits for a worker in the middle of what it does.
void dp_events_keep(struct dp *dp);

struct dp_worker *dp_worker(struct dp *dp, uint32_t worker);

// One round of the worker. Returns now_ns while work is left, else when to call again; TIME_NEVER
// when only a frame, a command or a port that takes frames again can bring work.
uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns);

// Lends the worker's downlink a clock, and counts there where its cycles go; NULL ends it.
struct stages;
void dp_stages(struct dp_worker *worker, struct stages *stages);

struct dp_queued {
    uint64_t packets, octets;
};

const struct stats_worker *dp_stats(const struct dp_worker *worker);
struct dp_queued dp_queued(const struct dp_worker *worker); // downlink N-PDUs

// What has come to a port and is held: downlink N-PDUs or uplink segments, and fragments.
struct dp_held {
    struct dp_queued inner, fragments;
};
struct dp_held dp_held(const struct dp_worker *worker, enum stats_side side);

// What a port's device says of its link: "up", "down", or "gone" when there is no such device any
// more. dp_link_look asks, for control's thread; dp_link, for any, has what it found last.
const char *dp_link_look(struct dp *dp, enum stats_side side);
const char *dp_link(const struct dp *dp, enum stats_side side);
// Its driver, by DPDK's name.
const char *dp_driver(const struct dp *dp, enum stats_side side);

// The port has counted a frame as sent of which fragments still wait for room; there is one at
// most.
bool dp_in_pieces(const struct dp_worker *worker, enum stats_side side);

// Of a cell, an MS, or all cells of an NSE, in frames and octets: LLC PDUs sent, control's among
// them, and those of user data that came (of an MS no frames; of those sent to it user data counts
// since its last key, modulo 2^32 for each LLE); downlink N-PDUs dropped (an MS's modulo 2^32) and
// queued. Counted from when it was made, by the worker that has it by what control has said; so
// right when that is settled. Zeros: there is no such id.
struct dp_traffic {
    uint64_t down_frames, down_octets, up_frames, up_octets;
    uint64_t dropped_npdus;
    struct dp_queued queued;
};
struct dp_traffic dp_bvc_traffic(const struct dp *dp, uint32_t bvc);
struct dp_traffic dp_nse_traffic(const struct dp *dp, uint32_t nse); // looks at every cell
struct dp_traffic dp_ms_traffic(const struct dp *dp, uint32_t ms);

// Property S8, for packets and octets of both directions: in = headers + aside + out + dropped +
// held.
bool dp_balanced(const struct dp_worker *worker);

// The network's side of a ring port: who plays the network puts frames from `pool` into `to_port`
// and takes, and frees, what comes out of `from_port`.
struct dp_far_end {
    struct rte_ring *to_port, *from_port;
    struct rte_mempool *pool;
};

struct dp_far_end dp_far_end(const struct dp *dp, enum stats_side side, uint32_t worker);

// The worker that owns a TEID of ours: at whose far end on Gn its G-PDUs go in.
uint32_t dp_teid_worker(const struct dp *dp, uint32_t teid);

#endif
