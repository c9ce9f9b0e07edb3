// The FCS by carry-less multiplication of 128-bit registers. Only this file is compiled with
// -mpclmul -msse4.1 alone.
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/fcs_carryless.h"

typedef __m128i block;

static block load(const void *b)
{
    return _mm_loadu_si128(b);
}

static block added(block a, block b)
{
    return _mm_xor_si128(a, b);
}

static block both(block a, block b)
{
    return _mm_and_si128(a, b);
}

static block product(block a, block b)
{
    return added(_mm_clmulepi64_si128(a, b, 0x00), _mm_clmulepi64_si128(a, b, 0x11));
}

static __m128i halves(block a)
{
    return a;
}

static block first_block(const uint8_t *b, uint32_t r)
{
    return fcs_moved_up(b, r);
}

#include "dataplane/wire/fcs_lanes.h"

uint32_t fcs_pclmul(const uint8_t *b, uint32_t n)
{
    return fcs_by_lanes(b, n);
}
