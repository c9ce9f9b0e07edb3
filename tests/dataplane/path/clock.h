// A real clock, for the tests of workers that are threads: nanoseconds since it began.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_CLOCK_H
#define SLUICE_TESTS_DATAPLANE_PATH_CLOCK_H

#include <time.h>

#include "dataplane/base/units.h"

static uint64_t clock_start_ns;

static inline uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * S_IN_NS + (uint64_t)now.tv_nsec - clock_start_ns;
}

static inline void clock_begin(void)
{
    clock_start_ns = 0;
    clock_start_ns = clock_ns();
}

#endif
