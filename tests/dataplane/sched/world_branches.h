// The branches of a node where a full limit costs one of them an N-PDU: see world_loss.c.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_BRANCHES_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

struct branch {
    uint32_t id;
    double queued, weight;
    double kept; // of that: half sent, so nobody can take it
    bool signals, gives;
};

struct branches {
    struct branch *of;
    uint32_t n, lost; // lost: the number of the one that loses
};

// No other that could give an N-PDU is larger for its share than the one that loses would be with
// `step` more; signalling gives last.
bool world_is_largest(const struct branches *b, double step);

// Of so much room, what max-min filling would give the one that loses if it asked for all that it
// can get. Signalling is filled first; nobody gets more than is queued, nor less than is kept.
double world_share(const struct branches *b, double room);

#endif
