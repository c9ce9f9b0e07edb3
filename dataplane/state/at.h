// Where an MS is, in one word: its worker, and its place in that worker's arrays.
#ifndef SLUICE_STATE_AT_H
#define SLUICE_STATE_AT_H

#include <stdint.h>

#define DP_WORKERS_MAX     16
#define DP_AT_WORKER_SHIFT 24

static inline uint32_t dp_at(uint32_t worker, uint32_t place)
{
    return worker << DP_AT_WORKER_SHIFT | place;
}

static inline uint32_t dp_at_worker(uint32_t at)
{
    return at >> DP_AT_WORKER_SHIFT;
}

static inline uint32_t dp_at_place(uint32_t at)
{
    return at & ((1u << DP_AT_WORKER_SHIFT) - 1);
}

#endif
