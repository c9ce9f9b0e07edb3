// Units of time and data. Time is uint64_t nanoseconds since the run began.
#ifndef SLUICE_BASE_UNITS_H
#define SLUICE_BASE_UNITS_H

#include <stdint.h>

#define S_IN_NS  1000000000ULL
#define MS_IN_NS 1000000ULL

// "No wake-up wanted": later than any time of a run.
#define TIME_NEVER UINT64_MAX

#define OCTETS_IN_BITS 8

// Transmission time of `octets` on a line of that rate, rounded up: a line is never early.
static inline uint64_t units_line_time_ns(uint32_t octets, uint64_t rate_bit_per_s)
{
    uint64_t bits_ns = (uint64_t)octets * OCTETS_IN_BITS * S_IN_NS;
    return (bits_ns + rate_bit_per_s - 1) / rate_bit_per_s;
}

#endif
