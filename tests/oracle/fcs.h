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
#define FCS_SHIFT(reg)  ((reg) >> 1 ^ ((reg)&1 ? FCS_GENERATOR_BELOW_X24 : 0))
#define FCS_SHIFTS(reg) FCS_SHIFT(FCS_SHIFT(FCS_SHIFT(FCS_SHIFT(UINT32_C(reg)))))

// The register is preset to ones, the remainder is complemented; the low octet is sent first.
static inline uint32_t plain_fcs(const uint8_t *octets, size_t n)
{
    static const uint32_t of_four_bits[16] = {
        FCS_SHIFTS(0),  FCS_SHIFTS(1),  FCS_SHIFTS(2),  FCS_SHIFTS(3),
        FCS_SHIFTS(4),  FCS_SHIFTS(5),  FCS_SHIFTS(6),  FCS_SHIFTS(7),
        FCS_SHIFTS(8),  FCS_SHIFTS(9),  FCS_SHIFTS(10), FCS_SHIFTS(11),
        FCS_SHIFTS(12), FCS_SHIFTS(13), FCS_SHIFTS(14), FCS_SHIFTS(15)};
    uint32_t reg = 0xffffff;
    for (size_t i = 0; i < n; i++) {
        reg = reg >> 4 ^ of_four_bits[(reg ^ octets[i]) & 15];
        reg = reg >> 4 ^ of_four_bits[(reg ^ octets[i] >> 4) & 15];
    }
    return reg ^ 0xffffff;
}

#endif
