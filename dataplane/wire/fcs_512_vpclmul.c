// The FCS by carry-less multiplication of 512-bit registers. The method is that of fcs_lanes.h with
// two differences. A load has a mask of octets, so the first block is one load; octets outside a
// mask are never touched. And with blocks of 64 octets it is quicker to fold a block into the next
// one (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", 2009) than
// to multiply each by its own powers; only the last one is.
//
// X_n is x^n mod G, reflected; tests/dataplane/wire/fcs_test.c derives the constants again.
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/fcs_carryless.h"

#define X_535 0xfb4733 // n = 512 + 64 - 41: the register advanced by a block, first halves
#define X_471 0x693f3c // n = 512 - 41: the last halves; 41 corrects the position of products

#define BLOCK     64u
#define LONG_FROM (4 * BLOCK + 1) // octets: a first block and four more

static __m512i load(const uint8_t *b)
{
    return _mm512_loadu_si512(b);
}

static __m512i added(__m512i a, __m512i b, __m512i c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

// The preset of the register complements the message's first octets.
static __m512i complemented(__m512i a, __mmask64 octets)
{
    return _mm512_xor_si512(a, _mm512_movm_epi8(octets));
}

// a advanced by a block, plus next.
static __m512i fold(__m512i a, __m512i next)
{
    const __m512i by_block = _mm512_broadcast_i32x4(_mm_set_epi64x(X_471, X_535));
    return added(_mm512_clmulepi64_epi128(a, by_block, 0x00),
                 _mm512_clmulepi64_epi128(a, by_block, 0x11), next);
}

// The last r octets of a block that ends at b + r, with the preset; r is 1 .. 64.
static __m512i first_block(const uint8_t *b, uint32_t r)
{
    uint32_t zeros = BLOCK - r;
    __m512i a = _mm512_maskz_loadu_epi8(~0ULL << zeros, (const void *)((uintptr_t)b - zeros));
    return complemented(a, 7ULL << zeros);
}

// `a` is the sum up to the block that ends at b, where at least FCS_PERIOD * periods + 4 * BLOCK
// octets begin. Adds each period to the octets FCS_PERIOD behind it, and folds the last four blocks
// to one.
static __m512i add_periods(__m512i a, const uint8_t *b, uint32_t periods)
{
    const __m512i but_last = _mm512_maskz_set1_epi8(~0ULL >> 1, -1);
    __m512i a1 = load(b + BLOCK), a2 = load(b + 2 * BLOCK), a3 = load(b + 3 * BLOCK);
    for (; periods; periods--) {
        b += FCS_PERIOD;
        a = _mm512_xor_si512(a, load(b));
        a1 = _mm512_xor_si512(a1, load(b + BLOCK));
        a2 = _mm512_xor_si512(a2, load(b + 2 * BLOCK));
        // its last octet is also the first of the load above
        a3 = _mm512_ternarylogic_epi64(load(b + 3 * BLOCK), a3, but_last, 0x78);
    }
    return fold(fold(fold(a, a1), a2), a3);
}

// Every 64 bits of the last block, multiplied by their power of x.
static __m128i weighted(__m512i a)
{
    const __m512i to_end = load((const uint8_t *)&fcs_to_end[FCS_LANES - BLOCK / 8]);
    a = _mm512_xor_si512(_mm512_clmulepi64_epi128(a, to_end, 0x00),
                         _mm512_clmulepi64_epi128(a, to_end, 0x11));
    __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

uint32_t fcs_vpclmul_512(const uint8_t *b, uint32_t n)
{
    if (n < 3) // shorter than the preset
        return fcs_table(b, n);
    uint32_t periods = n < LONG_FROM ? 0 : (n - LONG_FROM) / FCS_PERIOD;
    uint32_t r = (n - FCS_PERIOD * periods - 1) % BLOCK + 1;
    const uint8_t *end = b + n;
    __m512i a = first_block(b, r);
    b += r;
    if (b < end) {
        a = fold(a, complemented(load(b), 3ULL >> (r - 1)));
        if (n >= LONG_FROM) {
            a = add_periods(a, b, periods);
            b += FCS_PERIOD * periods + 3 * BLOCK;
        }
        for (b += BLOCK; b < end; b += BLOCK)
            a = fold(a, load(b));
    }
    return fcs_reduced(weighted(a));
}
