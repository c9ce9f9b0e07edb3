// A TEID that Sluice gives: the worker, random bits, and the context's index at this worker. Worker
// and index take as many bits as workers and places need; with 16 workers and four million places
// 6 bits are random. The random bits are never 0, so no context has TEID 0, which GTP-C reserves. A
// TEID of a previous context at the same index is unknown.
#ifndef SLUICE_STATE_TEID_H
#define SLUICE_STATE_TEID_H

#include <stdbool.h>
#include <stdint.h>

#define TEID_INDEX_BITS_MAX  22
#define TEID_WORKER_BITS_MAX 4
#define TEID_INDEX_COUNT     (1u << TEID_INDEX_BITS_MAX)
#define TEID_NOBODYS         1u // a TEID that no context and no free place ever has

// The number of bits for worker and index.
struct teid_bits {
    uint8_t worker, index;
};

static inline uint8_t teid_bits_of(uint32_t count)
{
    return count > 1 ? (uint8_t)(32 - __builtin_clz(count - 1)) : 0;
}

static inline struct teid_bits teid_bits(uint32_t workers, uint32_t places)
{
    return (struct teid_bits){teid_bits_of(workers), teid_bits_of(places)};
}

static inline uint32_t teid_make(struct teid_bits bits, uint32_t worker, uint32_t random,
                                 uint32_t index)
{
    return (uint32_t)((uint64_t)worker << (32 - bits.worker)) | random << bits.index | index;
}

static inline uint32_t teid_worker(struct teid_bits bits, uint32_t teid)
{
    return (uint32_t)((uint64_t)teid >> (32 - bits.worker));
}

static inline uint32_t teid_index(struct teid_bits bits, uint32_t teid)
{
    return teid & ((1u << bits.index) - 1);
}

static inline uint32_t teid_random(struct teid_bits bits, uint32_t teid)
{
    return (uint32_t)((uint64_t)teid << bits.worker & UINT32_MAX) >> bits.worker >> bits.index;
}

// The TEID for the next context at a place; `former` is the TEID of the previous one, or
// teid_make(bits, worker, 0, index) at first. The TEIDs are predictable from `seed` and `turn`.
// With a hash (else NULL) it is one that the device takes to the worker's queue, if there is one.
struct port_hash;
uint32_t state_teid_after(struct teid_bits bits, uint64_t seed, uint32_t turn, uint32_t former,
                          const struct port_hash *hash);

#endif
