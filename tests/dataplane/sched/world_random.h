// Random worlds and random changes of them, for the tests that judge whatever happens.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_RANDOM_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_RANDOM_H

#include "tests/dataplane/sched/world.h"

struct world_wish {
    uint32_t nses, cells, mss, pfcs; // at most
    uint16_t octets;                 // > 0: every N-PDU has so many, in one piece
    bool flow_queues;                // in some classes
    bool limits;                     // small ones
    bool lifetimes;
    bool in_full;          // as in sched_config
    bool sparse;           // one N-PDU at a time from each source, and most PFCs of one class
    bool holds;            // no N-PDU stays for ever, its MS frozen
    const struct aqm *aqm; // of every class; NULL: tail drop
    enum sched_scope scope;
};

struct world *world_random(uint64_t *random, const struct world_wish *wish);

// One change of anything: rates, ratios, credits, weights, blocks, freezing, moves, flushes; LLC
// frames.
void world_random_change(struct world *w, uint64_t *random);

// Random changes after random times, until so many LLC PDUs have gone or so many changes are made.
void world_random_life(struct world *w, uint64_t *random, uint32_t pdus, uint32_t changes);

// A rate from 100 bit/s to 6.5 Mbit/s, every order of magnitude alike.
uint32_t world_random_rate(uint64_t *random);

#endif
