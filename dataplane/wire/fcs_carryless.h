// What the variants of the FCS by carry-less multiplication share.
// Only files that are compiled with -mpclmul -msse4.1 include this.
#ifndef SLUICE_WIRE_FCS_CARRYLESS_H
#define SLUICE_WIRE_FCS_CARRYLESS_H

#include <immintrin.h>
#include <stdint.h>

#include "dataplane/wire/fcs.h"

#define FCS_PERIOD     255u // octets: x^(8 * 255) mod G is 1
#define FCS_POLYNOMIAL 0x15b0bbb
#define FCS_QUOTIENT   0xbcb0be2a211002e7 // floor(x^87 / G)

// The sum of all products, of degree 87, reduced by Barrett with 64-bit quotients, and inverted.
static inline uint32_t fcs_reduced(__m128i sum)
{
    const __m128i barrett = _mm_set_epi64x(FCS_POLYNOMIAL, (long long)FCS_QUOTIENT);
    __m128i t = _mm_clmulepi64_si128(sum, barrett, 0x00);
    t = _mm_clmulepi64_si128(t, barrett, 0x10);
    return ~(uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, t), 2) & FCS_MASK;
}

// The 16 octets at b moved up by 16 - n octets, with zeros below; n is 0 .. 16.
static inline __m128i fcs_moved_up(const uint8_t *b, uint32_t n)
{
    static const uint8_t places[32] = {
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,
        6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    };
    return _mm_shuffle_epi8(_mm_loadu_si128((const void *)b),
                            _mm_loadu_si128((const void *)(places + n)));
}

#endif
