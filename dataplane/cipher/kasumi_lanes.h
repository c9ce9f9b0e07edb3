// Transposes key stream blocks of many streams and XORs them to the octets of each stream, in
// vector registers of V_OCTETS octets; the including file defines V_OCTETS.
#ifndef SLUICE_CIPHER_KASUMI_LANES_H
#define SLUICE_CIPHER_KASUMI_LANES_H

#include <immintrin.h>
#include <string.h>

#include "dataplane/cipher/kasumi.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t V __attribute__((vector_size(V_OCTETS)));

#define V_BLOCKS (V_OCTETS / KASUMI_BLOCK_OCTETS) // in a register; XORed to a stream at once

// Block i of a row belongs to stream i.
INLINE void lanes_put(V *row, uint32_t stream, uint64_t block)
{
    ((uint64_t __attribute__((may_alias)) *)row)[stream] = block;
}

INLINE uint64_t lanes_get(const V *row, uint32_t stream)
{
    return ((const uint64_t __attribute__((may_alias)) *)row)[stream];
}

#if V_OCTETS == 64
#define LEVELS 3
#define EVEN(level, a, b)                                                      \
    ((level) == 0   ? __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) \
     : (level) == 1 ? __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)  \
                    : __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11))
#define ODD(level, a, b)                                                        \
    ((level) == 0   ? __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)  \
     : (level) == 1 ? __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15) \
                    : __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15))
#else
#define LEVELS 2
#define EVEN(level, a, b)                                     \
    ((level) == 0 ? __builtin_shufflevector(a, b, 0, 4, 2, 6) \
                  : __builtin_shufflevector(a, b, 0, 1, 4, 5))
#define ODD(level, a, b)                                      \
    ((level) == 0 ? __builtin_shufflevector(a, b, 1, 5, 3, 7) \
                  : __builtin_shufflevector(a, b, 2, 3, 6, 7))
#endif

// Transposes: block i of row j becomes block j of row i.
INLINE void lanes_turn(V r[V_BLOCKS])
{
#pragma GCC unroll 3
    for (uint32_t level = 0; level < LEVELS; level++)
#pragma GCC unroll 8
        for (uint32_t i = 0; i < V_BLOCKS; i++)
            if (!(i >> level & 1)) {
                V a = r[i], b = r[i + (1u << level)];
                r[i] = EVEN(level, a, b);
                r[i + (1u << level)] = ODD(level, a, b);
            }
}

INLINE void lanes_xor_octets(uint8_t *at, V with, uint32_t octets)
{
    V v;
    if (octets >= V_OCTETS) {
        memcpy(&v, at, sizeof v);
        v ^= with;
        memcpy(at, &v, sizeof v);
        return;
    }
#if V_OCTETS == 64
    __mmask64 mask = (1ULL << octets) - 1;
    v = (V)_mm512_maskz_loadu_epi8(mask, at) ^ with;
    _mm512_mask_storeu_epi8(at, mask, (__m512i)v);
#else
    const uint8_t *k = (const uint8_t *)&with;
    for (uint32_t i = 0; i < octets; i++)
        at[i] ^= k[i];
#endif
}

// XORs `blocks` blocks (at most V_BLOCKS) of each stream, from block `first` on; row b, at
// rows + b * apart, has one block for each stream.
INLINE void lanes_xor(const V *rows, uint32_t apart, const struct kasumi_stream *streams,
                      uint32_t n, uint32_t first, uint32_t blocks)
{
    uint32_t from = first * KASUMI_BLOCK_OCTETS, most = blocks * KASUMI_BLOCK_OCTETS;
    for (uint32_t i = 0; i < n; i += V_BLOCKS) {
        V r[V_BLOCKS];
        for (uint32_t b = 0; b < V_BLOCKS; b++)
            r[b] = rows[b * apart + i / V_BLOCKS];
        lanes_turn(r);
#pragma GCC unroll 8
        for (uint32_t e = 0; e < V_BLOCKS; e++)
            if (i + e < n && streams[i + e].length_octets > from) {
                uint32_t left = streams[i + e].length_octets - from;
                lanes_xor_octets(streams[i + e].octets + from, r[e], left < most ? left : most);
            }
    }
}

#endif
