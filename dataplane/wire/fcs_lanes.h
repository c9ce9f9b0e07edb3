// The FCS by carry-less multiplication, for registers of any width: fcs_pclmul.c and
// fcs_256_vpclmul.c say what a register is, and include this.
//
// Each 64 bits of the message are multiplied by their own power of x mod G, x^distance from the
// end, so no product waits for another; all are added, which gives a sum of degree 87, reduced once
// (fcs_carryless.h). G divides x^255 + 1: octets 255 apart have the same weight, so those of a long
// message are added before any multiplication.
//
// Blocks are counted back from the message's end. The first one holds the octets that do not fill
// a block, behind zeros, which do not change a CRC. Nothing outside the message is read.
#ifndef SLUICE_WIRE_FCS_LANES_H
#define SLUICE_WIRE_FCS_LANES_H

#include "dataplane/wire/fcs_carryless.h"

#define BLOCK  ((uint32_t)sizeof(block))
#define LANES  (BLOCK / 8) // of 64 bits
#define BLOCKS (256 / BLOCK)
#define LEAST  16u // octets; from a shorter message no register can be loaded

// The preset of the register complements the first three octets of the message: as much of them as
// lies in the block that begins `before` octets before the message, or, negative, behind its begin.
static block preset(int before)
{
    static const uint8_t octets[32 + 32 + 32] = {[32] = 0xff, 0xff, 0xff};
    return load(octets + 32 - before);
}

// The block that ends `back` blocks before the message's end, by its powers.
static block weighted(block a, uint32_t back)
{
    return product(a, load(&fcs_to_end[FCS_LANES - LANES * (back + 1)]));
}

// The sum of one block of each period; the last period ends at `end`. A period is an octet shorter
// than its blocks.
static block periods_block(const uint8_t *end, uint32_t periods, uint32_t back)
{
    const uint8_t *b = end - BLOCK * (back + 1);
    block a = load(b);
    for (uint32_t i = 1; i < periods; i++)
        a = added(a, load(b - FCS_PERIOD * i));
    static const uint8_t but_first[32] = {
        0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    };
    return back == BLOCKS - 1 ? both(a, load(but_first)) : a;
}

static inline uint32_t fcs_by_lanes(const uint8_t *b, uint32_t n)
{
    if (n < LEAST)
        return fcs_table(b, n);
    // the beginning of the message, with the whole preset, and whole periods behind it
    uint32_t periods = (n - 3) / FCS_PERIOD;
    const uint8_t *end = b + n, *begin_end = end - FCS_PERIOD * periods;
    uint32_t whole = ((uint32_t)(begin_end - b) - 1) / BLOCK; // blocks behind the first
    uint32_t r = (uint32_t)(begin_end - b) - BLOCK * whole;
    block sum = weighted(added(first_block(b, r), preset((int)(BLOCK - r))), whole);
    if (r < 3)
        sum = added(sum, weighted(preset(-(int)r), whole - 1));
    for (uint32_t i = 0; i < whole; i++)
        sum = added(sum, weighted(load(begin_end - BLOCK * (i + 1)), i));
    if (periods)
        for (uint32_t i = 0; i < BLOCKS; i++)
            sum = added(sum, weighted(periods_block(end, periods, i), i));
    return fcs_reduced(halves(sum));
}

#endif
