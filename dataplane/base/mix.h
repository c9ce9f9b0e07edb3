// A step of a keyed hash: multiplies 64 by 64 bits and adds both halves without carry. With a
// secret in each factor nobody can choose inputs whose results agree.
#ifndef SLUICE_BASE_MIX_H
#define SLUICE_BASE_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
