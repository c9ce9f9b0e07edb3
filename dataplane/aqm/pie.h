// PIE's memory of a queue, open to its test. Probabilities are in units of 1e-18: the decimal
// bounds of RFC 8033 and its gains in millionths a second times nanoseconds are then exact.
#ifndef SLUICE_AQM_PIE_H
#define SLUICE_AQM_PIE_H

#include <stdbool.h>
#include <stdint.h>

#define PIE_ONE 1000000000000000000ULL

struct pie_vars {
    uint64_t p;       // at most PIE_ONE
    uint64_t sum;     // of p since the last signal, at most 9.5
    uint64_t next_ns; // the next update; 0: never looked at
    uint64_t delay_ns;
    uint64_t burst_ns; // what is left of the allowance
    bool quiet;        // delay below half of ref
};

#endif
