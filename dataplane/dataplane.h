// The only interface of the dataplane for control and the lab: commands in, counters and events
// out, and the far ends of ring ports. Time is an argument; nothing below reads a clock.
#ifndef SLUICE_DATAPLANE_DATAPLANE_H
#define SLUICE_DATAPLANE_DATAPLANE_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/units.h"
#include "dataplane/mirror/mirror.h"
#include "dataplane/port/steering.h"
#include "dataplane/state/at.h"
#include "dataplane/state/command.h"
#include "dataplane/state/event.h"
#include "dataplane/stats/stats.h"
#include "dataplane/trace/trace.h"
#include "dataplane/view/view.h"

struct rte_mbuf;
struct rte_ring;
struct rte_mempool;

#define DP_CLASS_FIELDS(MUST, MAY, T)                                                              \
    COMMAND_CLASS_VALUES(MUST, T)                                                                  \
    MUST(T, U8, scope, 0, SCHED_SCOPE_FLOW, "the queue that the AQM watches: NSE, cell, MS, flow") \
    MUST(T, BOOL, flows, 0, 1, "a queue for each flow")                                            \
    MUST(T, BOOL, refuse_late, 0, 1,                                                               \
         "refuse what its flow's share would send late in its lifetime")                           \
    MUST(T, U64, window_ns, 0, 100 * S_IN_NS, "of its share, a flow's receive window at most; 0")  \
    MUST(T, U8, aqm, 0, 255, "which AQM, by its place in aqm.def")                                 \
    MUST(T, AQM_PARAMS, aqm_params, 0, AQM_PARAMS_MAX, "all of its parameters")
FIELD_STRUCT(dp_class, DP_CLASS_FIELDS);
FIELD_LIST_STRUCT(dp_classes, dp_class, CLASS_COUNT);
extern const struct field_record dp_class_record;
#define FIELD_TYPE_CLASSES struct dp_classes
#define FIELD_KIND_CLASSES FIELD_LIST, &dp_class_record

#define DP_PORT_FIELDS(MUST, KEY, T)                                                  \
    MUST(T, OCTETS, device, 1, 255,                                                   \
         "net_ring, a PCI address, or a DPDK device with its arguments")              \
    KEY(T, COUNT, rx_frames, "rx_frames", NULL, 1, 65536, 0,                          \
        "size of each worker's receive ring, in frames")                              \
    KEY(T, COUNT, tx_frames, "tx_frames", NULL, 1, 65536, 0,                          \
        "size of each worker's transmit ring, in frames")                             \
    MUST(T, MAC, mac, 0, 0, "the port's Ethernet address; zeros: the device's own")   \
    MUST(T, U32, address, 0, UINT32_MAX, "the port's IPv4 address; 0: none")          \
    KEY(T, COUNT, prefix, "prefix", NULL, 1, 32, 24,                                  \
        "prefix length of the link; other addresses are reached through the gateway") \
    MUST(T, U32, gateway, 0, UINT32_MAX, "the router to other addresses; 0: none")    \
    MUST(T, IPV6, address6, 0, 0, "the port's IPv6 address; zeros: none")             \
    KEY(T, COUNT, prefix6, "prefix6", NULL, 1, 128, 64,                               \
        "prefix length of the link; used with gateway6 only")                         \
    MUST(T, IPV6, gateway6, 0, 0, "the router to other addresses; zeros: none")       \
    MUST(T, U16, port, 1, 65535, "the port's UDP port")                               \
    KEY(T, SIZE, mtu_octets, "mtu", NULL, 576, 9000, 1500,                            \
        "the largest IP packet that this link carries")                               \
    KEY(T, COUNT, vlan, "vlan", "none", 1, 4094, 0,                                   \
        "VID of the port's VLAN (802.1Q); gn and gb may then be at one device")
FIELD_KEYS_STRUCT(dp_port, DP_PORT_FIELDS);
extern const struct field_record dp_port_record;
#define FIELD_TYPE_DP_PORT struct dp_port
#define FIELD_KIND_DP_PORT FIELD_RECORD, &dp_port_record

#define DP_QUEUE_KEYS(KEY, T)                                                                      \
    KEY(T, COUNT, queue_packets, "queue.packets", NULL, 1, COMMAND_PACKETS_MOST, 4096,             \
        "the most N-PDUs that wait in all (queue_full)")                                           \
    KEY(T, SIZE, queue_octets, "queue.octets", NULL, COMMAND_OCTETS_LEAST, COMMAND_OCTETS_MOST,    \
        4000000, "the most octets of N-PDUs that wait in all (queue_full)")                        \
    KEY(T, COUNT, nse_packets, "queue.nse_packets", "as in all", 1, COMMAND_PACKETS_MOST, 0,       \
        "the most N-PDUs that wait for one NSE (nse_full)")                                        \
    KEY(T, SIZE, nse_octets, "queue.nse_octets", "as in all", COMMAND_OCTETS_LEAST,                \
        COMMAND_OCTETS_MOST, 0,                                                                    \
        "the most octets of N-PDUs that wait for one NSE (nse_full); needs nse_packets")           \
    KEY(T, COUNT, cell_packets, "queue.cell_packets", NULL, 1, COMMAND_PACKETS_MOST, 1024,         \
        "the most N-PDUs that wait for one cell (bvc_full)")                                       \
    KEY(T, SIZE, cell_octets, "queue.cell_octets", NULL, COMMAND_OCTETS_LEAST,                     \
        COMMAND_OCTETS_MOST, 1000000,                                                              \
        "the most octets of N-PDUs that wait for one cell (bvc_full)")                             \
    KEY(T, COUNT, ms_packets, "queue.ms_packets", NULL, 1, COMMAND_PACKETS_MOST, 256,              \
        "the most N-PDUs that wait for one MS (ms_full)")                                          \
    KEY(T, SIZE, ms_octets, "queue.ms_octets", NULL, COMMAND_OCTETS_LEAST, COMMAND_OCTETS_MOST,    \
        128000, "the most octets of N-PDUs that wait for one MS (ms_full)")                        \
    KEY(T, COUNT, overflow, "queue.overflow", NULL, DP_OVERFLOW_LARGEST, DP_OVERFLOW_TAIL,         \
        DP_OVERFLOW_LARGEST,                                                                       \
        "what a full limit drops: the head of the queue that is largest for its share, or, as in " \
        "the published studies, the arriving N-PDU; a class's own limit always drops the latter")  \
    KEY(T, TIME, hold_ns, "queue.hold", "unlimited", 1 * S_IN_NS, 10000 * S_IN_NS, 300 * S_IN_NS,  \
        "how long beyond its lifetime an N-PDU may wait while its MS is frozen or stopped "        \
        "(expired)")                                                                               \
    KEY(T, COUNT, queue_flows, "queue.flows", "none", 2, 64, 16,                                   \
        "the number of queues by flow of a packet flow, in a class with flows = true")             \
    KEY(T, SIZE, flow_quantum_octets, "queue.flow_quantum", NULL, 256, 65535, 300,                 \
        "octets that a queue by flow may send in its turn")                                        \
    KEY(T, TIME, turn_ns, "queue.turn", NULL, 0, 10 * S_IN_NS, 0,                                  \
        "how long an MS's turn in its class lasts, by the R in use of its cell: so many of the "   \
        "largest LLC PDUs as it sends in that time, but one at least and four at most")
enum dp_overflow { DP_OVERFLOW_LARGEST, DP_OVERFLOW_TAIL };

#define DP_DELAY(KEY, T, name, key, owner)                                                     \
    KEY(T, TIME, name, key, "as offered", 0, 100 * S_IN_NS, 0,                                 \
        "fill " owner " bucket only to what its rate sends in this time, and one LLC PDU by "  \
        "the N201-U in use, to two LLC PDUs at least while the BSS tells the bucket's level: " \
        "the rest waits here, where an AQM acts, and not in the BSS; 0 s: use the whole "      \
        "bucket")
#define DP_GB_KEYS(KEY, T)                                                                        \
    DP_DELAY(KEY, T, cell_delay_ns, "gb.cell_delay", "a cell's")                                  \
    DP_DELAY(KEY, T, ms_delay_ns, "gb.ms_delay", "an MS's")                                       \
    DP_DELAY(KEY, T, pfc_delay_ns, "gb.pfc_delay", "a packet flow's")                             \
    KEY(T, TIME, ready_ns, "gb.ready", "none", 2 * S_IN_NS, 186 * 60 * S_IN_NS, 0,                \
        "the READY timer (23.060 6.1.1): an MS not heard for that long is paged before its "      \
        "next packet; none: never")                                                               \
    KEY(T, CHOICE, gb_steering, "gb.steering", "auto peer rss strays", 0, DP_GB_STEERINGS - 1, 0, \
        "how frames come to their worker, if there are several: rules of the device by the "      \
        "NS-VC's peer and its UDP port; its hash of addresses and ports; handed on by the "       \
        "worker that got them; or the first of these that the device can do")
enum { DP_GB_STEERINGS = 4 };
#define DP_GN_KEYS(KEY, T)                                                                        \
    KEY(T, COUNT, error_indications_per_s, "gn.error_indications", NULL, 0, 100000, 100,          \
        "the most GTP-U error indications a second, for unknown TEIDs")                           \
    KEY(T, CHOICE, gn_steering, "gn.steering", "auto address teid rss strays", 0,                 \
        PORT_STEERING_STRAYS, PORT_STEERING_AUTO,                                                 \
        "how frames come to their worker, if there are several: rules of the device by address, " \
        "one for each worker in gn.address; rules by TEID; its hash of chosen TEIDs; handed on "  \
        "by the worker that got them; or the first of these that the device can do")

#define DP_ADDRESS_FIELDS(MUST, MAY, T)                   \
    MUST(T, U32, address, 0, UINT32_MAX, "IPv4; 0: none") \
    MUST(T, IPV6, address6, 0, 0, "IPv6; zeros: none")
FIELD_STRUCT(dp_address, DP_ADDRESS_FIELDS);
FIELD_LIST_STRUCT(dp_addresses, dp_address, DP_WORKERS_MAX);
extern const struct field_record dp_address_record;
#define FIELD_TYPE_DP_ADDRESSES struct dp_addresses
#define FIELD_KIND_DP_ADDRESSES FIELD_LIST, &dp_address_record

#define DP_ROOM(KEY, T, name, most, what) \
    KEY(T, COUNT, name, "room." #name, NULL, 1, most, 0, what " that there is room for")
#define DP_ROOM_WORKER(KEY, T, name, most, what)                     \
    KEY(T, COUNT, name, "room." #name, "as many as all", 1, most, 0, \
        what " that each worker has room for; an MS does not move to a full worker")
#define DP_ROOM_KEYS(KEY, T)                                       \
    DP_ROOM(KEY, T, nses, 4096, "NSEs")                            \
    DP_ROOM(KEY, T, nsvcs, 16384, "NS-VCs")                        \
    DP_ROOM(KEY, T, ggsns, 4096, "GGSNs")                          \
    DP_ROOM(KEY, T, bvcs, 65536, "cells")                          \
    DP_ROOM(KEY, T, mss, 4194304, "MSs")                           \
    DP_ROOM(KEY, T, pdps, 4194304, "PDP contexts")                 \
    DP_ROOM_WORKER(KEY, T, worker_mss, 4194304, "MSs")             \
    DP_ROOM_WORKER(KEY, T, worker_pdps, 4194304, "PDP contexts")   \
    KEY(T, COUNT, room_pfcs, "room.pfcs", NULL, 1, SCHED_SLOTS, 0, \
        "packet flows of each MS, one for each class and PFI of its contexts")

// The documentation lists the keys in this order, block by block.
#define DP_CONFIG_FIELDS(MUST, KEY, T)                                                    \
    DP_ROOM_KEYS(KEY, T)                                                                  \
    DP_QUEUE_KEYS(KEY, T)                                                                 \
    DP_GB_KEYS(KEY, T)                                                                    \
    DP_GN_KEYS(KEY, T)                                                                    \
    KEY(T, COUNT, workers, "run.workers", NULL, 1, DP_WORKERS_MAX, 1,                     \
        "threads that forward packets; each NSE belongs to one of them")                  \
    MUST(T, CLASSES, classes, CLASS_COUNT, CLASS_COUNT, "the traffic classes, by number") \
    MUST(T, U64, seed, 0, INT64_MAX, "seed of the AQMs' random numbers")                  \
    MUST(T, U64, secret_seed, 0, INT64_MAX,                                               \
         "seed of what nobody may guess, TEIDs and the hash of flows; 0: the system's")   \
    MUST(T, BOOL, real_time, 0, 1, "the clock is real: waits may end 65 us late")         \
    MUST(T, U32, ms_options_octets, 0, COMMAND_OCTETS,                                    \
         "room an MS has for its optional elements (command ms_options); 0: none")        \
    MUST(T, DP_PORT, gn, 0, 0, "the port towards the GGSN")                               \
    MUST(T, DP_PORT, gb, 0, 0, "the port towards the BSS")                                \
    MUST(T, DP_ADDRESSES, gn_addresses, 0, DP_WORKERS_MAX,                                \
         "the SGSN's addresses on Gn, one for each worker; none: that of `gn` is all's")

FIELD_KEYS_STRUCT(dp_config, DP_CONFIG_FIELDS);
extern const struct field dp_config_fields[];
extern const uint32_t dp_config_field_count;

struct dp;
struct dp_worker;

// The memory that a dataplane of this configuration takes, for the EAL.
uint64_t dp_memory_octets(const struct dp_config *config);

// NULL on an error; `why` then names the fault, or the exhausted resource.
struct dp *dp_create(const struct dp_config *config, const char **why);

// The same where workers are threads at different NUMA nodes: by(self, worker, make, it) has
// make(it) called in that worker's thread, and waits. What a worker uses is then near it, if there
// is memory; a device's buffers are at the device's node.
typedef void dp_by_worker_fn(void *self, uint32_t worker, void (*make)(void *it), void *it);
struct dp *dp_create_by(const struct dp_config *config, dp_by_worker_fn *by, void *self,
                        const char **why);

// The NUMA node of a worker's memory, of a port's device, and of the device's buffers; -1: unknown,
// or none.
int dp_worker_node(const struct dp *dp, uint32_t worker);
int dp_device_node(const struct dp *dp, enum stats_side side);
int dp_buffers_node(const struct dp *dp, enum stats_side side);

// Drops all queued packets (reason `shutdown`) and frees all memory. Returns the number of buffers
// missing from their pools: 0, unless the caller still holds one.
uint32_t dp_destroy(struct dp *dp);

// The same where the process ends next: devices are stopped and not closed, and DPDK's memory is
// left to the kernel. DPDK writes zeros over what is freed to it, most of the time of an end.
uint32_t dp_end(struct dp *dp);

// Gives a worker a command, from control's thread. 0 (for a PDP context its TEID), or:
// -EAGAIN         try again; nothing has changed: a ring is full, there is no buffer for a PDU to
//                 send, or a worker has not handled a cell's removal yet. The condition ends when
//                 workers go on, even if no events are taken
// -ERANGE         a value or an id beyond its limits, contradicting values of a class or an AQM, a
//                 PDU without octets or an LLC frame larger than any
// -EEXIST         the id, the NSAPI of the MS, the TLLI or BVCI of the NSE, the endpoint, or a GGSN
//                 with GTP-C and that address exists; a stranger's TLLI is an MS's
// -ENOENT         an id in the command does not exist
// -EBUSY          the thing to remove still has something below it
// -ENOSPC         an NSE has 16 NS-VCs at most; the cell's worker has no room for one more MS or
//                 context, or for a moving MS
// -EAFNOSUPPORT   the port has no address of that family
// -EADDRNOTAVAIL  no address of another station: none, multicast, broadcast, our own
// -EMSGSIZE       a PDU larger than the link's MTU, or optional elements of an MS of more octets
//                 than the configuration has room for
// -ENOTSUP        GEA1, GEA2, GEA5; a datagram to a GGSN without GTP-C
// -EADDRINUSE     GTP-C's UDP port is Gn's for GTP-U
// -EINVAL         unknown command or algorithm, a key of another length, or another number of
//                 parameters than the AQM has
int64_t dp_command(struct dp *dp, const struct command *command);

// Finds an MS or a cell by its TLLI or BVCI in control's own records, without asking a worker.
// EVENT_NONE: there is none. A former TLLI, or one to come, counts until the next ms_tlli of the
// MS.
uint32_t dp_ms_of(const struct dp *dp, uint32_t nse, uint32_t tlli);
uint32_t dp_bvc_of(const struct dp *dp, uint32_t nse, uint32_t bvci);
// The same TLLI in all NSEs: at most `most` MSs. Returns how many.
uint32_t dp_mss_of(const struct dp *dp, uint32_t tlli, uint32_t *ms, uint32_t most);
// The cell of an MS, and its TLLI.
uint32_t dp_ms_cell(const struct dp *dp, uint32_t ms, uint32_t *tlli);
// The result that an ms_move to that cell would have: 0, -ENOSPC if its worker is full, and such.
int dp_ms_may_move(const struct dp *dp, uint32_t ms, uint32_t bvc);
// The free places at the worker of that NSE; the NSE need not exist.
void dp_worker_left(const struct dp *dp, uint32_t nse, uint32_t *mss, uint32_t *pdps);

// How long an MS has been silent: the time from its last good frame of user data, or from control's
// command that made, moved or released it, to the time that dp_events_now has told. 0 while
// such a command is on its way to the worker; TIME_NEVER if there is no such MS. It is off by at
// most two state_ticks (34 ms). For control's thread.
uint64_t dp_ms_silence_ns(const struct dp *dp, uint32_t ms);

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
// The answer at once, where one thread runs all workers.
void dp_look(const struct dp *dp, uint32_t worker, struct dp_query *query, uint64_t now_ns);

// The trace (trace/trace.h), for the one thread that asks. While no worker traces: forgets what was
// traced, and gets ready to trace that; -ENOMEM. Then VIEW_TRACE gives each worker
// dp_trace(worker), and later NULL. Records can be taken at any time, oldest first, the next `n` of
// a worker.
int dp_trace_begin(struct dp *dp, const struct trace_wish *wish);
struct trace *dp_trace(const struct dp *dp, uint32_t worker);
uint32_t dp_trace_take(struct dp *dp, uint32_t worker, struct trace_record *records, uint32_t n);
struct trace_progress dp_trace_progress(const struct dp *dp);

// The commands as functions over described structs; their target is the struct dp.
extern const struct field_call dp_calls[];
extern const uint32_t dp_call_count;

// Places in a worker's ring of events, of which one stays empty: at 200 000 events a second the
// ring bridges 40 ms in which control does not run.
#define DP_EVENT_RING 8192u

// The next event: of each turn and worker the oldest first, in turns; false if there is none. The
// event's PDU is readable until dp_event_done gives its buffer back. An id that was freed or reused
// since the event is EVENT_NONE.
bool dp_event(struct dp *dp, struct event *event);
void dp_event_done(struct dp *dp, const struct event *event);

// Tells events the time. Until control has taken or deferred all that had come, it takes 16 events
// of each NSE's BSS, 16 of each NSE's phones, 16 of each GGSN, and 16 of unknown senders, in order
// of arrival; further events of these turns wait behind the others'.
void dp_events_now(struct dp *dp, uint64_t now_ns);

// PDUs dropped because others of their turn filled its part of the memory for waiting events.
uint64_t dp_events_shed(const struct dp *dp);
// Phones' PDUs dropped because they had waited too long.
uint64_t dp_events_shed_late(const struct dp *dp);

// Moves events from the rings into control's memory, up to 16 MiB, where dp_event finds them: for
// control when it waits for a worker in the middle of a procedure.
void dp_events_keep(struct dp *dp);

// The device's rules by peer follow the NS-VCs: makes or ends one at most, in control's thread;
// true: there is more to do. Nothing waits for that, as frames without a rule are handed on.
bool dp_rules_follow(struct dp *dp);
// How many NS-VCs have a rule, and for how many the device refused one; *why: the last time. False:
// Gb's frames do not come by "peer". The counts are for any thread, the reason for control's:
// others give NULL.
bool dp_rules(const struct dp *dp, uint32_t *made, uint32_t *refused, const char **why);

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
// dp_link_look asks the device, in control's thread; dp_link returns the last answer, in any. So
// does dp_nic for what the device has counted and its link's speed (0: unknown); NULL: it is rings,
// or Gn's device, which counts for both.
const char *dp_link_look(struct dp *dp, enum stats_side side);
const char *dp_link(const struct dp *dp, enum stats_side side);
const struct stats_nic *dp_nic(const struct dp *dp, enum stats_side side, uint32_t *mbit_per_s);
// The name of the DPDK driver of a port's device.
const char *dp_driver(const struct dp *dp, enum stats_side side);

// The VLAN of a port, 0: none, and who takes its tags off and puts them on.
uint16_t dp_vlan(const struct dp *dp, enum stats_side side, const char **how);

// Where the UDP checksums of a port's frames over IPv6 are computed; NULL: it has no such address.
const char *dp_sums(const struct dp *dp, enum stats_side side);

// How frames of a port come to the worker that they are for, and why not in a better way (empty: it
// is the best, or the one that was wished). NULL: there is one worker, or it is not for the device
// to say.
const char *dp_steering(const struct dp *dp, enum stats_side side, const char **lacks);

// The port has counted a frame as sent, and fragments of it still wait for room; one frame at most.
bool dp_in_pieces(const struct dp_worker *worker, enum stats_side side);

// Traffic of a cell, an MS, or all cells of an NSE, in frames and octets: LLC PDUs sent, control's
// included, and LLC PDUs of user data received (of an MS only octets); downlink N-PDUs dropped (an
// MS's modulo 2^32) and queued. An MS's sent frames count user data since its last key, modulo 2^32
// for each LLE. The counts begin when the NSE, cell or MS is created. They are read from the worker
// that control's records name, so they are exact once the dataplane is settled. Zeros: no such id.
struct dp_traffic {
    uint64_t down_frames, down_octets, up_frames, up_octets;
    uint64_t dropped_npdus;
    struct dp_queued queued;
};
struct dp_traffic dp_bvc_traffic(const struct dp *dp, uint32_t bvc);
struct dp_traffic dp_nse_traffic(const struct dp *dp, uint32_t nse); // reads every cell
struct dp_traffic dp_ms_traffic(const struct dp *dp, uint32_t ms);
// The MS that the cell's last LLC PDU of user data was for; EVENT_NONE: none, or it has left the
// cell. For control's thread.
uint32_t dp_bvc_last_ms(const struct dp *dp, uint32_t bvc);
// How many packet flows of the cell's MSs have something queued; without those of MSs that are
// frozen or stopped. Read as traffic is.
uint32_t dp_bvc_waiting(const struct dp *dp, uint32_t bvc);

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

// Has dropped(self, packet, reason, ...) called for each packet that a worker drops, before it is
// freed, and with DROP_NONE for each frame of Gb that it gives to control; NULL ends that. For a
// simulated network, whose one thread runs all workers.
typedef void dp_dropped_fn(void *self, const struct rte_mbuf *packet, enum drop_reason reason,
                           const struct stats_drop *drops, uint32_t octets);
void dp_watch_drops(dp_dropped_fn *dropped, void *self);

// ---- Mirrors: copies of all frames, and of dropped packets, for a capture ----

// Makes a mirror for each worker, whose only reader may be another thread. 0, or a negative errno;
// -EBUSY: there are mirrors. For workers that are threads of their own.
int dp_mirrors_open(struct dp *dp, uint32_t snap_octets, uint64_t epoch_ns);
// Each worker uses its mirror from its next poll on, or no longer; from any thread.
void dp_mirrors_on(struct dp *dp);
void dp_mirrors_off(struct dp *dp);
// After that: no worker uses one any more.
bool dp_mirrors_rest(const struct dp *dp);
// Once they rest, or the workers have ended.
void dp_mirrors_close(struct dp *dp);
struct mirror *dp_mirror(struct dp *dp, uint32_t worker); // NULL: there is none

// The worker that owns a TEID of this SGSN: the worker's far end on Gn takes the TEID's G-PDUs.
uint32_t dp_teid_worker(const struct dp *dp, uint32_t teid);

#endif
