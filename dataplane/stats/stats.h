// The counters and drop reasons of a worker, from counters.def and drops.def. One writer (the
// worker), any reader; plain 64-bit adds. A packet that no class claims counts under CLASS_COUNT.
#ifndef SLUICE_STATS_STATS_H
#define SLUICE_STATS_STATS_H

#include <stdint.h>

#include "dataplane/base/classes.h"

enum drop_reason {
#define DROP(name, help) DROP_##name,
#include "dataplane/stats/drops.def"
#undef DROP
    DROP_COUNT,
    DROP_NONE = DROP_COUNT // a packet that passed
};

struct stats_drop {
    uint64_t packets, octets;
};

#define STATS_SCOPE_worker(name)
#define STATS_SCOPE_class(name) uint64_t name;
struct stats_class {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_drop drop[DROP_COUNT];
};
#undef STATS_SCOPE_worker
#undef STATS_SCOPE_class

#define STATS_SCOPE_worker(name) uint64_t name;
#define STATS_SCOPE_class(name)
struct stats_worker {
#define COUNTER(scope, name, unit, help) STATS_SCOPE_##scope(name)
#include "dataplane/stats/counters.def"
#undef COUNTER
    struct stats_class of_class[CLASS_COUNT + 1];
};
#undef STATS_SCOPE_worker
#undef STATS_SCOPE_class

enum stats_scope { STATS_SCOPE_WORKER, STATS_SCOPE_CLASS };

// Descriptors, for who prints every counter alike.
struct stats_counter {
    const char *name, *unit, *help;
    enum stats_scope scope;
    uint32_t offset; // in struct stats_worker or struct stats_class
};

extern const struct stats_counter stats_counters[];
extern const uint32_t stats_counter_count;
extern const char *const drop_names[DROP_COUNT];
extern const char *const drop_helps[DROP_COUNT];

// What is left of packets and octets: the ledger of property S8. Octets of an N-PDU count without
// its outer headers, so those are a row of their own.
struct stats_ledger {
    uint64_t in, headers, out, dropped;
};

struct stats_balance {
    struct stats_ledger packets, octets;
    // The same, split where a frame becomes an N-PDU.
    uint64_t npdu_packets, npdu_octets;
    struct stats_drop dropped_frames, dropped_npdus;
};

struct stats_balance stats_balance(const struct stats_worker *stats);

#endif
