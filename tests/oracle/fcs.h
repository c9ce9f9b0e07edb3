// The FCS of LLC (TS 44.064 5.5), once for all tests in C, with nothing of the code that they
// judge. That it is right is known by published vectors and frames as captured
// (dataplane/wire/fcs_test.c, gb_receiver_test.c), and by frames whose FCS a separate program
// divided out (typed_frames.h).
#ifndef TESTS_ORACLE_FCS_H
#define TESTS_ORACLE_FCS_H

#include <stddef.h>
#include <stdint.h>

// Bits go LSB first, so the coefficient of x^23 stands in bit 0 of the register.
#define FCS_X(power) (UINT32_C(1) << (23 - (power)))
#define FCS_GENERATOR_BELOW_X24                                                          \
    (FCS_X(23) | FCS_X(21) | FCS_X(20) | FCS_X(19) | FCS_X(17) | FCS_X(16) | FCS_X(15) | \
     FCS_X(13) | FCS_X(8) | FCS_X(7) | FCS_X(5) | FCS_X(4) | FCS_X(2) | FCS_X(0))
#define FCS_SLICES 4

// What an octet, with so many octets of 0 behind it, leaves in an empty register.
static inline uint32_t (*fcs_left(void))[256]
{
    static uint32_t left[FCS_SLICES][256];
    if (left[0][1] != 0)
        return left;
    for (uint32_t octet = 0; octet < 256; octet++) {
        uint32_t reg = octet;
        for (int slice = 0; slice < FCS_SLICES; slice++) {
            for (int bit = 0; bit < 8; bit++)
                reg = reg >> 1 ^ (reg & 1 ? FCS_GENERATOR_BELOW_X24 : 0);
            left[slice][octet] = reg;
        }
    }
    return left;
}

// The register is preset to ones, the remainder is complemented; the low octet is sent first. Four
// octets at a time, for most of a test's time goes here.
static inline uint32_t plain_fcs(const uint8_t *octets, size_t n)
{
    uint32_t(*left)[256] = fcs_left();
    uint32_t reg = 0xffffff;
    for (; n >= FCS_SLICES; n -= FCS_SLICES, octets += FCS_SLICES)
        reg = left[3][(reg ^ octets[0]) & 255] ^ left[2][(reg >> 8 ^ octets[1]) & 255] ^
              left[1][(reg >> 16 ^ octets[2]) & 255] ^ left[0][octets[3]];
    for (; n > 0; n--)
        reg = reg >> 8 ^ left[0][(reg ^ *octets++) & 255];
    return reg ^ 0xffffff;
}

#endif
