// Queued packets and octets in one word, and limits of them in one word.
#ifndef SLUICE_SCHED_SCHED_TOTAL_H
#define SLUICE_SCHED_SCHED_TOTAL_H

#include "dataplane/sched/sched.h"

// A total: packets and octets in one word, so that one addition counts both.
#define TOTAL_PACKET_SHIFT 40
static inline uint64_t total_of(uint32_t octets)
{
    return 1ULL << TOTAL_PACKET_SHIFT | octets;
}

static inline uint32_t total_packets(uint64_t total)
{
    return (uint32_t)(total >> TOTAL_PACKET_SHIFT);
}

static inline uint64_t total_octets(uint64_t total)
{
    return total & ((1ULL << TOTAL_PACKET_SHIFT) - 1);
}

// A limit as one word, from which one subtraction takes a total: above either number is a guard
// bit, which falls if that number becomes negative.
#define TOTAL_GUARDS (1ULL << 63 | 1ULL << (TOTAL_PACKET_SHIFT - 1))
static inline uint64_t total_limit(const struct sched_limit *limit)
{
    return TOTAL_GUARDS | (uint64_t)limit->packets << TOTAL_PACKET_SHIFT | limit->octets;
}

// Whether `more`, one N-PDU, exceeds the limit.
static inline bool total_is_full(uint64_t total, uint64_t more, uint64_t limit)
{
    return (~(limit - total - more) & TOTAL_GUARDS) != 0;
}

#endif
