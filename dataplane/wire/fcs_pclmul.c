// The FCS by carry-less multiplication. CRC-24 is computed as a 32-bit CRC with the generator G(x)
// x^8: M(x) x^32 mod G(x) x^8 = (M(x) x^24 mod G(x)) x^8, and in reflected order that factor leaves
// the 24 bits in place. Method: V. Gopal et al., "Fast CRC Computation for Generic Polynomials
// Using PCLMULQDQ" (2009): fold by four lanes, then by one, then reduce by Barrett. The constants
// are reflect32(x^n mod G x^8) << 1; tests/dataplane/wire/fcs_test.c derives them again. Only this
// file is compiled with -mpclmul -msse4.1.
#include "dataplane/wire/fcs.h"

#include <immintrin.h>
#include <string.h>

#define X_544      0x1a04c88 // n = 4 * 128 + 32
#define X_480      0x0693f3c // n = 4 * 128 - 32
#define X_160      0x16380ce // n = 128 + 32
#define X_96       0x09c73a8 // n = 128 - 32
#define X_64       0x02a2fce
#define POLYNOMIAL 0x15b0bbb
#define QUOTIENT   0x211002e7 // floor(x^64 / G x^8)

#define LANE 16u

static __m128i load(const uint8_t *b)
{
    return _mm_loadu_si128((const __m128i *)b);
}

// a advanced by the distance of the pair of constants, plus next.
static __m128i fold(__m128i a, __m128i constants, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(a, constants, 0x00);
    __m128i high = _mm_clmulepi64_si128(a, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

static uint32_t reduce(__m128i a)
{
    const __m128i mask32 = _mm_setr_epi32(-1, 0, 0, 0);
    const __m128i x_160_96 = _mm_set_epi64x(X_96, X_160);
    const __m128i barrett = _mm_set_epi64x(QUOTIENT, POLYNOMIAL);
    __m128i t = _mm_clmulepi64_si128(a, x_160_96, 0x10);
    a = _mm_xor_si128(_mm_srli_si128(a, 8), t);
    t = _mm_clmulepi64_si128(_mm_and_si128(a, mask32), _mm_set_epi64x(0, X_64), 0x00);
    a = _mm_xor_si128(_mm_srli_si128(a, 4), t);
    t = _mm_clmulepi64_si128(_mm_and_si128(a, mask32), barrett, 0x10);
    t = _mm_clmulepi64_si128(_mm_and_si128(t, mask32), barrett, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, t), 1);
}

// The 16 octets of this table from i on, as a shuffle, move a register up by 16 - i octets.
static const uint8_t shift[48] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

// Adds the last r octets (0 < r < 16): with zeros in front, which do not change a CRC, a and the
// tail become two whole lanes. `end` is behind the message, which has at least 16 octets.
static __m128i fold_tail(__m128i a, const uint8_t *end, uint32_t r, __m128i constants)
{
    __m128i first = _mm_shuffle_epi8(a, load(shift + r));
    __m128i rest = _mm_shuffle_epi8(a, load(shift + LANE + r));
    __m128i tail = load(end - LANE);
    // octets of `rest` past 15 - r are zero; those of the tail lane before 16 - r must be
    __m128i keep = _mm_cmpgt_epi8(_mm_setzero_si128(), load(shift + LANE + r));
    return fold(first, constants, _mm_or_si128(rest, _mm_and_si128(tail, keep)));
}

static __m128i fold_four_lanes(const uint8_t **b, uint32_t *n, __m128i start)
{
    const __m128i constants = _mm_set_epi64x(X_480, X_544);
    const __m128i x_160_96 = _mm_set_epi64x(X_96, X_160);
    __m128i a[4];
    for (int i = 0; i < 4; i++)
        a[i] = load(*b + LANE * (uint32_t)i);
    a[0] = _mm_xor_si128(a[0], start);
    for (*b += 64, *n -= 64; *n >= 64; *b += 64, *n -= 64)
        for (int i = 0; i < 4; i++)
            a[i] = fold(a[i], constants, load(*b + LANE * (uint32_t)i));
    for (int i = 1; i < 4; i++)
        a[i] = fold(a[i - 1], x_160_96, a[i]);
    return a[3];
}

uint32_t fcs_pclmul(const uint8_t *b, uint32_t n)
{
    if (n < LANE)
        return fcs_table(b, n);
    const __m128i x_160_96 = _mm_set_epi64x(X_96, X_160);
    const __m128i start = _mm_cvtsi32_si128(FCS_MASK);
    __m128i a;
    if (n >= 64) {
        a = fold_four_lanes(&b, &n, start);
    } else {
        a = _mm_xor_si128(load(b), start);
        b += LANE;
        n -= LANE;
    }
    for (; n >= LANE; b += LANE, n -= LANE)
        a = fold(a, x_160_96, load(b));
    if (n)
        a = fold_tail(a, b + n, n, x_160_96);
    return ~reduce(a) & FCS_MASK;
}
