// The counters and drop reasons of a worker, from counters.def and drops.def. One writer (the
// worker), any reader; plain 64-bit adds.
#ifndef SLUICE_STATS_STATS_H
#define SLUICE_STATS_STATS_H

#include <stdint.h>

#include "dataplane/base/classes.h"

enum drop_reason {
#define DROP(scope, name, help) DROP_##name,
#include "dataplane/stats/drops.def"
#undef DROP
    DROP_COUNT,
    DROP_NONE = DROP_COUNT // a packet that passed
};

// Those of a downlink N-PDU, which a cell and an MS count each for itself: their places there.
#define STATS_IF_NPDU_port(otherwise, ...)  otherwise
#define STATS_IF_NPDU_class(otherwise, ...) __VA_ARGS__
#define STATS_IF_NPDU_up(otherwise, ...)    otherwise
#define STATS_IF_NPDU_both(otherwise, ...)  __VA_ARGS__
#define STATS_IF_NPDU_any(otherwise, ...)   otherwise
enum stats_npdu_drop {
#define DROP(scope, name, help) STATS_IF_NPDU_##scope(, STATS_NPDU_##name, )
#include "dataplane/stats/drops.def"
#undef DROP
    STATS_NPDU_DROPS
};

struct stats_drop {
    uint64_t packets, octets;
};

enum stats_side { STATS_GN, STATS_GB, STATS_SIDES };
extern const char *const stats_side_names[STATS_SIDES];

// The counters of one scope. A scope that packets can end in has a count for each drop reason.
#define STATS_SCOPE_worker(name)
#define STATS_SCOPE_class(name)
#define STATS_SCOPE_up(name)
#define STATS_SCOPE_nic(name)
#define STATS_SCOPE_port(name) uint64_t name;
struct stats_port {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_drop drop[DROP_COUNT];
};
#undef STATS_SCOPE_port
#define STATS_SCOPE_port(name)

#undef STATS_SCOPE_nic
#define STATS_SCOPE_nic(name) uint64_t name;
struct stats_nic {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
};
#undef STATS_SCOPE_nic
#define STATS_SCOPE_nic(name)

// N-PDUs by how long they were in Sluice when their last LLC PDU was made, without the time for
// which their MS was frozen. A place has those above the bound before and of at most its own. The
// bounds double, from 1 ns below 2^20 ns (1.05 ms); the last that is shown is 68.7 s, and all
// places behind it are shown as one. There is a place for any time, so that none has to be cut.
#define STATS_DELAYS           18 // that are shown
#define STATS_DELAY_STEP_SHIFT 20
#define STATS_DELAY_PLACES     (64 - STATS_DELAY_STEP_SHIFT + 1)
struct stats_delays {
    uint64_t npdus[STATS_DELAY_PLACES];
    uint64_t sum_ns;
};

static inline uint64_t stats_delay_bound_ns(uint32_t i)
{
    return (1ULL << (STATS_DELAY_STEP_SHIFT + i)) - 1;
}

static inline void stats_delay_add(struct stats_delays *delays, uint64_t ns)
{
    const uint64_t least = STATS_DELAY_STEP_SHIFT - 1;
    uint64_t highest_bit = 63 - (uint32_t)__builtin_clzll(ns | 1ULL << least);
    delays->npdus[highest_bit - least]++;
    delays->sum_ns += ns;
}

#undef STATS_SCOPE_class
#define STATS_SCOPE_class(name) uint64_t name;
struct stats_class {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_drop drop[DROP_COUNT];
    struct stats_delays delays;
};
#undef STATS_SCOPE_class
#define STATS_SCOPE_class(name)

#undef STATS_SCOPE_up
#define STATS_SCOPE_up(name) uint64_t name;
struct stats_up {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_drop drop[DROP_COUNT];
};
#undef STATS_SCOPE_up
#define STATS_SCOPE_up(name)

#undef STATS_SCOPE_worker
#define STATS_SCOPE_worker(name) uint64_t name;
struct stats_worker {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_port of_port[STATS_SIDES];
    struct stats_class of_class[CLASS_COUNT];
    struct stats_up up;
};
#undef STATS_SCOPE_worker
#undef STATS_SCOPE_class
#undef STATS_SCOPE_port
#undef STATS_SCOPE_up
#undef STATS_SCOPE_nic

enum stats_scope {
    STATS_SCOPE_WORKER,
    STATS_SCOPE_PORT,
    STATS_SCOPE_NIC,
    STATS_SCOPE_CLASS,
    STATS_SCOPE_UP
};

// Descriptors of all counters, for generic output.
struct stats_counter {
    const char *name, *unit, *help;
    enum stats_scope scope;
    uint32_t offset; // in the struct of its scope
};

extern const struct stats_counter stats_counters[];
extern const uint32_t stats_counter_count;
extern const char *const stats_drop_names[DROP_COUNT];
extern const char *const stats_drop_helps[DROP_COUNT];
extern const char *const stats_npdu_names[STATS_NPDU_DROPS];
extern const uint8_t stats_npdu_of[DROP_COUNT]; // STATS_NPDU_DROPS: it is none of an N-PDU

void stats_delays_shown(const struct stats_delays *delays, uint64_t shown[STATS_DELAYS]);

// The ledger of property S8, one per direction, in frames (or N-PDUs, or segments) and octets:
//   in + moved = headers + aside + out + dropped + held (`held` is the path's, not a counter)
// The octets of passed packets count without outer headers, so headers are an entry of their own;
// `aside` is traffic for the port itself, for control or for another worker, and fragments joined
// to another one.
struct stats_ledger {
    uint64_t in, headers, aside, out, dropped;
};

struct stats_balance {
    struct stats_ledger packets, octets;
    // The same, split where a frame becomes an N-PDU or segment: the packets that came out of
    // frames, those dropped as frames, and those dropped later.
    uint64_t inner_packets, inner_octets;
    struct stats_drop dropped_frames, dropped_inner;
    // Packets that came with MSs from other workers, less those that left with MSs, modulo 2^64.
    struct stats_drop moved;
};

struct stats_balance stats_balance(const struct stats_worker *stats);    // the downlink
struct stats_balance stats_balance_up(const struct stats_worker *stats); // the uplink

#endif
