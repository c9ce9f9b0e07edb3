// The branches of a node where a full limit costs one of them an N-PDU: see world_loss.c.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_BRANCHES_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

struct branch {
    uint32_t id;
    double queued, weight;
    bool signals, gives; // gives: it has an N-PDU that is not half sent
    bool full;           // while filling
};

struct branches {
    struct branch *of;
    uint32_t n, lost; // lost: the number of the one that loses
};

// No other that could give an N-PDU, and has as much as `overlooked`, is larger for its share by
// more than a tenth; signalling gives last.
bool world_is_largest(const struct branches *b, double overlooked);

// The level to which filling rises in so much room: each branch gets its weight times it, but no
// more than it has queued; `endless`, UINT32_MAX: none, takes all it can get. INFINITY: there is
// enough for all. Signalling is filled first.
double world_level(const struct branches *b, double room, uint32_t endless);

#endif
