// The FCS eight octets a step, each looked up in a table of its own (slicing-by-8: M. Kounavis, F.
// Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC Generation", 2008), for
// processors without PCLMULQDQ. The tables take 8 KiB of the first-level cache.
//
// An entry is linear in the bits of its octet, so the compiler computes all 2048 from the entries
// of the single bits of eight octets; these 64 entries are steps of one bit through the register.
#include "dataplane/wire/fcs.h"

#include <string.h>

#define POLYNOMIAL 0xad85dd // the generator without x^24, reflected

#define STEP(v) ((v) >> 1 ^ (((v)&1) ? POLYNOMIAL : 0))

// A table's entries of single bits. Bit 7 is next to the end of the message; each lower bit is one
// step further from it, and bit 7 is one step further than `after`, bit 0 of the next octet.
#define BITS(of, after)                                                                 \
    of##7 = STEP(after), of##6 = STEP(of##7), of##5 = STEP(of##6), of##4 = STEP(of##5), \
    of##3 = STEP(of##4), of##2 = STEP(of##3), of##1 = STEP(of##2), of##0 = STEP(of##1)

enum {
    BITS(A, 1),
    BITS(B, A0),
    BITS(C, B0),
    BITS(D, C0),
    BITS(E, D0),
    BITS(F, E0),
    BITS(G, F0),
    BITS(H, G0)
};

// v plus every sum of the first n bits of an octet, SUMS_n.
#define SUMS_1(v, of) (v), (v) ^ of##0
#define SUMS_2(v, of) SUMS_1(v, of), SUMS_1((v) ^ of##1, of)
#define SUMS_3(v, of) SUMS_2(v, of), SUMS_2((v) ^ of##2, of)
#define SUMS_4(v, of) SUMS_3(v, of), SUMS_3((v) ^ of##3, of)
#define SUMS_5(v, of) SUMS_4(v, of), SUMS_4((v) ^ of##4, of)
#define SUMS_6(v, of) SUMS_5(v, of), SUMS_5((v) ^ of##5, of)
#define SUMS_7(v, of) SUMS_6(v, of), SUMS_6((v) ^ of##6, of)
#define SUMS_8(v, of) SUMS_7(v, of), SUMS_7((v) ^ of##7, of)

// tables[i][octet] = the register after that octet and i octets of zeros.
static const uint32_t tables[8][256] = {
    {SUMS_8(0, A)}, {SUMS_8(0, B)}, {SUMS_8(0, C)}, {SUMS_8(0, D)},
    {SUMS_8(0, E)}, {SUMS_8(0, F)}, {SUMS_8(0, G)}, {SUMS_8(0, H)},
};

uint32_t fcs_slicing8(const uint8_t *b, uint32_t n)
{
    uint64_t crc = FCS_MASK;
    for (; n >= 8; b += 8, n -= 8) {
        uint64_t eight;
        memcpy(&eight, b, 8);
        eight ^= crc;
        crc = tables[7][eight & 0xff] ^ tables[6][eight >> 8 & 0xff] ^
              tables[5][eight >> 16 & 0xff] ^ tables[4][eight >> 24 & 0xff] ^
              tables[3][eight >> 32 & 0xff] ^ tables[2][eight >> 40 & 0xff] ^
              tables[1][eight >> 48 & 0xff] ^ tables[0][eight >> 56];
    }
    for (; n; b++, n--)
        crc = crc >> 8 ^ tables[0][(crc ^ *b) & 0xff];
    return ~(uint32_t)crc & FCS_MASK;
}
