// A TEID of ours names its place: worker 4 bits, generation 6, index 22, which is the worker's own
// id. The generation starts at 1, so that 0, which GTP-C reserves, is never given out, and a TEID
// of a former owner of the index is unknown.
#ifndef SLUICE_STATE_TEID_H
#define SLUICE_STATE_TEID_H

#include <stdint.h>

#define TEID_INDEX_BITS      22
#define TEID_GENERATION_BITS 6
#define TEID_INDEX_COUNT     (1u << TEID_INDEX_BITS)
#define TEID_NOBODYS         1u // no context ever has it

static inline uint32_t teid_make(uint32_t worker, uint32_t generation, uint32_t index)
{
    return worker << (TEID_GENERATION_BITS + TEID_INDEX_BITS) | generation << TEID_INDEX_BITS |
           index;
}

static inline uint32_t teid_worker(uint32_t teid)
{
    return teid >> (TEID_GENERATION_BITS + TEID_INDEX_BITS);
}

static inline uint32_t teid_generation(uint32_t teid)
{
    return teid >> TEID_INDEX_BITS & ((1u << TEID_GENERATION_BITS) - 1);
}

// The one that follows, for the next owner of an index: 1 to 63, and round.
static inline uint32_t teid_generation_after(uint32_t generation)
{
    return generation % ((1u << TEID_GENERATION_BITS) - 1) + 1;
}

static inline uint32_t teid_index(uint32_t teid)
{
    return teid & (TEID_INDEX_COUNT - 1);
}

#endif
