// The FCS by carry-less multiplication of 256-bit registers, for processors with VPCLMULQDQ and
// without AVX-512. Only this file is compiled with -mavx2 -mvpclmulqdq.
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/fcs_carryless.h"

typedef __m256i block;

static block load(const void *b)
{
    return _mm256_loadu_si256(b);
}

static block added(block a, block b)
{
    return _mm256_xor_si256(a, b);
}

static block both(block a, block b)
{
    return _mm256_and_si256(a, b);
}

static block product(block a, block b)
{
    return added(_mm256_clmulepi64_epi128(a, b, 0x00), _mm256_clmulepi64_epi128(a, b, 0x11));
}

static __m128i halves(block a)
{
    return _mm_xor_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

static block first_block(const uint8_t *b, uint32_t r)
{
    uint32_t more = r > 16 ? r - 16 : 0;
    return _mm256_set_m128i(fcs_moved_up(b + more, r - more), fcs_moved_up(b, more));
}

#include "dataplane/wire/fcs_lanes.h"

uint32_t fcs_vpclmul_256(const uint8_t *b, uint32_t n)
{
    return fcs_by_lanes(b, n);
}
