// Progressive filling: the weighted max-min shares of (cell, class) pairs on one pipe. A level L
// rises from 0 and each pair gets weight x L, until its demand is met, its cell is full (that is
// L(b)) or the pipe is full (L): x = min(d, w min(L, L(b))). Pairs that go first (signalling) are
// filled by themselves, with equal weights, before all others.
#ifndef SLUICE_TESTS_ORACLE_FILLING_H
#define SLUICE_TESTS_ORACLE_FILLING_H

#include <stdbool.h>
#include <stdint.h>

#define FILLING_CELLS 64
#define FILLING_PAIRS (FILLING_CELLS * 8)

struct filling_pair {
    uint32_t cell;
    bool first;
    double weight; // of no use if first
    double demand; // INFINITY: all it can get
    double share;  // the answer
};

// Rates in any one unit; INFINITY: no limit. Every demand must be finite or limited by one.
void filling(struct filling_pair *pairs, uint32_t count, const double *cell_rates, uint32_t cells,
             double pipe_rate);

#endif
