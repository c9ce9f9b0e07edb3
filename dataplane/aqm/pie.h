// PIE's state of a queue (RFC 8033), open to its test. Probabilities are in units of 1e-18: so
// the decimal bounds of the RFC, and its gains in millionths a second times ns, are exact.
#ifndef SLUICE_AQM_PIE_H
#define SLUICE_AQM_PIE_H

#include <stdbool.h>
#include <stdint.h>

#define PIE_ONE 1000000000000000000ULL

struct pie_vars {
    uint64_t p;        // drop_prob_, at most PIE_ONE
    uint64_t sum;      // accu_prob_: of p since the last signal, at most 9.5
    uint64_t next_ns;  // of the next update; 0: no update yet
    uint64_t delay_ns; // qdelay_old_
    uint64_t burst_ns; // burst_allowance_: what is left of it
    bool quiet;        // delay below half of QDELAY_REF
};

#endif
