// The dataplane's only face to control and to the lab: commands in, counters out, and the far ends
// of its ports. Time is an argument; nothing below reads a clock.
#ifndef SLUICE_DATAPLANE_DATAPLANE_H
#define SLUICE_DATAPLANE_DATAPLANE_H

#include "dataplane/base/units.h"
#include "dataplane/state/command.h"
#include "dataplane/stats/stats.h"

struct rte_ring;
struct rte_mempool;

#define DP_CONFIG_FIELDS(MUST, MAY, T)                                            \
    MUST(T, U32, nses, 1, 4096, "how many NSEs there is room for")                \
    MUST(T, U32, bvcs, 1, 65536, "how many cells")                                \
    MUST(T, U32, mss, 1, 4194304, "how many MSs")                                 \
    MUST(T, U32, pdps, 1, 4194304, "how many PDP contexts")                       \
    MUST(T, U32, queue_packets, 1, 4194304, "most N-PDUs queued")                 \
    MUST(T, U64, queue_octets, 1, UINT64_MAX, "most octets queued")               \
    MUST(T, U32, gn_ring_frames, 1, 65536, "frames that wait at the Gn port")     \
    MUST(T, U32, gb_ring_frames, 1, 65536, "frames that wait behind the Gb port") \
    MUST(T, U32, gn_address, 0, UINT32_MAX, "our IPv4 address on Gn")             \
    MUST(T, MAC, gn_mac, 0, 0, "our Ethernet address on Gn")                      \
    MUST(T, U16, gn_mtu_octets, 576, 9000, "MTU of Gn")                           \
    MUST(T, U32, gb_address, 0, UINT32_MAX, "our IPv4 address on Gb")             \
    MUST(T, MAC, gb_mac, 0, 0, "our Ethernet address on Gb")                      \
    MUST(T, U16, gb_port, 1, 65535, "our UDP port on Gb")                         \
    MUST(T, U16, gb_mtu_octets, 576, 9000, "MTU of Gb")

FIELD_STRUCT(dp_config, DP_CONFIG_FIELDS);
extern const struct field dp_config_fields[];
extern const uint32_t dp_config_field_count;

struct dp;
struct dp_worker;

// The memory that such a dataplane takes, for the EAL.
uint64_t dp_memory_octets(const struct dp_config *config);

// NULL if there is too little memory; errno says what.
struct dp *dp_create(const struct dp_config *config);

// Drops what is queued (reason `shutdown`) and frees all. Returns the buffers that did not come
// back to their pools: 0, unless somebody still holds one.
uint32_t dp_destroy(struct dp *dp);

// Control's side. 0 (for a PDP context its TEID), or -EAGAIN (the ring is full: nothing is lost,
// try again), -ERANGE (an id beyond the configured limits), -EEXIST, -ENOENT (the parent).
int64_t dp_command(struct dp *dp, const struct command *command);

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
