// The dataplane's only face to control and to the lab: commands in, counters out, and the far ends
// of its ports. Time is an argument; nothing below reads a clock.
#ifndef SLUICE_DATAPLANE_DATAPLANE_H
#define SLUICE_DATAPLANE_DATAPLANE_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/units.h"
#include "dataplane/state/command.h"
#include "dataplane/stats/stats.h"

struct rte_ring;
struct rte_mempool;

// One of an AQM's parameters, in the order of its table. Only a level has a unit (enum
// aqm_level_unit); else it is 0.
#define DP_AQM_PARAM_FIELDS(MUST, MAY, T)                                    \
    MUST(T, U8, unit, 0, AQM_LEVEL_PDUS, "of a level: time, octets, N-PDUs") \
    MUST(T, U64, value, 0, (1ULL << AQM_LEVEL_UNIT_SHIFT) - 1, "the value")
FIELD_STRUCT(dp_aqm_param, DP_AQM_PARAM_FIELDS);
FIELD_LIST_STRUCT(dp_aqm_params, dp_aqm_param, AQM_PARAMS_MAX);
extern const struct field_record dp_aqm_param_record;
#define FIELD_TYPE_AQM_PARAMS struct dp_aqm_params
#define FIELD_KIND_AQM_PARAMS FIELD_LIST, &dp_aqm_param_record

#define DP_CLASS_FIELDS(MUST, MAY, T)                                                            \
    MUST(T, U32, weight, 1, SCHED_WEIGHT_MAX, "its share; signalling goes first whatever it is") \
    MUST(T, U32, packets, 1, 4194304, "most N-PDUs of the class queued")                         \
    MUST(T, U64, octets, 1, UINT32_MAX, "most octets of them")                                   \
    MUST(T, U64, lifetime_ns, 0, INT64_MAX, "of an N-PDU in SGSN and BSS; 0 is for ever")        \
    MUST(T, U64, bss_least_ns, 0, INT64_MAX, "what of it is left for the BSS at least")          \
    MUST(T, U64, bss_most_ns, 0, INT64_MAX, "and at most; 0 is no such limit")                   \
    MUST(T, U8, scope, 0, SCHED_SCOPE_FLOW, "whose queue the AQM watches: NSE, cell, MS, flow")  \
    MUST(T, BOOL, flows, 0, 1, "a queue for each flow")                                          \
    MUST(T, U8, aqm, 0, 255, "which AQM, by its place in aqm.def")                               \
    MUST(T, AQM_PARAMS, aqm_params, 0, AQM_PARAMS_MAX, "all of its parameters")
FIELD_STRUCT(dp_class, DP_CLASS_FIELDS);
FIELD_LIST_STRUCT(dp_classes, dp_class, CLASS_COUNT);
extern const struct field_record dp_class_record;
#define FIELD_TYPE_CLASSES struct dp_classes
#define FIELD_KIND_CLASSES FIELD_LIST, &dp_class_record

#define DP_CONFIG_FIELDS(MUST, MAY, T)                                                    \
    MUST(T, U32, nses, 1, 4096, "how many NSEs there is room for")                        \
    MUST(T, U32, bvcs, 1, 65536, "how many cells")                                        \
    MUST(T, U32, mss, 1, 4194304, "how many MSs")                                         \
    MUST(T, U32, pdps, 1, 4194304, "how many PDP contexts")                               \
    MUST(T, U32, pfcs_an_ms, 1, SCHED_SLOTS, "packet flows of an MS")                     \
    MUST(T, U32, flows_a_pfc, 0, 64, "queues by flow, a power of two; 0: none")           \
    MUST(T, U32, flow_quantum_octets, 64, 65535, "of the round over flows")               \
    MUST(T, U32, queue_packets, 1, 4194304, "most N-PDUs queued")                         \
    MUST(T, U64, queue_octets, 1, UINT32_MAX, "most octets queued")                       \
    MUST(T, U32, bvc_packets, 1, 4194304, "most N-PDUs queued for a cell")                \
    MUST(T, U64, bvc_octets, 1, UINT32_MAX, "most octets of them")                        \
    MUST(T, U32, ms_packets, 1, 4194304, "most N-PDUs queued for an MS")                  \
    MUST(T, U64, ms_octets, 1, UINT32_MAX, "most octets of them")                         \
    MUST(T, U64, bvc_delay_ns, 0, INT64_MAX,                                              \
         "time in the BSS that a cell's bucket may stand for; 0: any")                    \
    MUST(T, U64, ms_delay_ns, 0, INT64_MAX, "the same of an MS's bucket")                 \
    MUST(T, U64, pfc_delay_ns, 0, INT64_MAX, "the same of a packet flow's bucket")        \
    MUST(T, CLASSES, classes, CLASS_COUNT, CLASS_COUNT, "the traffic classes, by number") \
    MUST(T, U64, seed, 0, INT64_MAX, "of the AQMs' random numbers")                       \
    MUST(T, U32, gn_ring_frames, 1, 65536, "frames that wait at the Gn port")             \
    MUST(T, U32, gb_ring_frames, 1, 65536, "frames that wait behind the Gb port")         \
    MUST(T, U32, gn_address, 0, UINT32_MAX, "our IPv4 address on Gn")                     \
    MUST(T, MAC, gn_mac, 0, 0, "our Ethernet address on Gn")                              \
    MUST(T, U16, gn_mtu_octets, 576, 9000, "MTU of Gn")                                   \
    MUST(T, U32, gb_address, 0, UINT32_MAX, "our IPv4 address on Gb")                     \
    MUST(T, MAC, gb_mac, 0, 0, "our Ethernet address on Gb")                              \
    MUST(T, U16, gb_port, 1, 65535, "our UDP port on Gb")                                 \
    MUST(T, U16, gb_mtu_octets, 576, 9000, "MTU of Gb")

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

// Control's side. 0 (for a PDP context its TEID), or -EAGAIN (the ring is full: nothing is lost,
// try again), -ERANGE (a value or an id beyond its limits), -EEXIST (that id, or that NSAPI of the
// MS), -ENOENT (what it names), -EBUSY (to be removed, and something is still below it), -ENOTSUP
// (GEA1, GEA2, GEA5), -EINVAL (no such command or algorithm, or a key of another length).
int64_t dp_command(struct dp *dp, const struct command *command);

// The worker has taken every command off the ring.
bool dp_settled(const struct dp *dp);

// The commands as functions that take described structs; the target is the struct dp.
extern const struct field_call dp_calls[];
extern const uint32_t dp_call_count;

struct dp_worker *dp_worker(struct dp *dp);

// One round of the worker. Returns now_ns while work is left, else when to call again; TIME_NEVER
// when only a frame, a command or a port that takes frames again can bring work.
uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns);

struct dp_queued {
    uint64_t packets, octets;
};

const struct stats_worker *dp_stats(const struct dp_worker *worker);
struct dp_queued dp_queued(const struct dp_worker *worker);

// Property S8, for packets and octets: in = headers + out + dropped + queued.
bool dp_balanced(const struct dp_worker *worker);

// The network's side of a ring port: who plays the network puts frames from `pool` into `to_port`
// and takes, and frees, what comes out of `from_port`.
struct dp_far_end {
    struct rte_ring *to_port, *from_port;
    struct rte_mempool *pool;
};

struct dp_far_end dp_gn_far_end(const struct dp *dp);
struct dp_far_end dp_gb_far_end(const struct dp *dp);

#endif
