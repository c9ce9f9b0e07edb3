// Hints, which change nothing but the time: which way is rare, and which lines of the cache will be
// needed soon.
#ifndef SLUICE_GI_HINTS_H
#define SLUICE_GI_HINTS_H

#include <stdbool.h>
#include <stddef.h>

#define GI_LINE_OCTETS 64

static inline bool gi_rarely(bool condition)
{
    return __builtin_expect(condition, false);
}

// Not the compiler's own: it leaves out calls of functions that do nothing else.
static inline void gi_fetch(const void *at)
{
    __asm__ volatile("prefetcht0 %0" : : "m"(*(const char *)at));
}

static inline void gi_fetch_lines(const void *from, size_t octets)
{
    for (size_t at = 0; at < octets; at += GI_LINE_OCTETS)
        gi_fetch((const char *)from + at);
}

// To be written; the other thread has had them last.
static inline void gi_own_lines(const void *from, size_t octets)
{
    for (size_t at = 0; at < octets; at += GI_LINE_OCTETS)
        __asm__ volatile("prefetchw %0" : : "m"(((const char *)from)[at]));
}

#endif
