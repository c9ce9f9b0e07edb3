// The control law of CoDel and COBALT (RFC 8289 section 5), on integers.
#ifndef SLUICE_AQM_CODEL_H
#define SLUICE_AQM_CODEL_H

#include <stdint.h>

#include "dataplane/base/fixed.h"

// interval / sqrt(count), the addend of RFC 8289's control_law(); count > 0. Rounded down: less
// than 1 ns short for an interval below 2^32 ns (4.29 s), less than 2^-30 of a longer one.
static inline uint64_t codel_gap_ns(uint64_t interval_ns, uint32_t count)
{
    uint32_t high = (uint32_t)(interval_ns >> 32);
    uint32_t shift = high ? 32 - (uint32_t)__builtin_clz(high) : 0;
    uint64_t scaled = interval_ns >> shift;
    return (uint64_t)fixed_sqrt(scaled * scaled / count) << shift;
}

#endif
