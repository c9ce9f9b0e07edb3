// The LLC frame check sequence (TS 44.064 clause 5.5): CRC-24, generator 0x1BBA1B5, bits low first,
// register preset to ones, result complemented and sent low octet first.
//
// The variants: a byte table, the reference; slicing-by-8, for any x86-64; carry-less
// multiplication (PCLMULQDQ), and that in 256-bit and in 512-bit registers. All give the same FCS
// at every length and read nothing outside the message. fcs_choose() selects the fastest variant of
// this processor, once; before that call fcs() is the byte table.
#ifndef SLUICE_WIRE_FCS_H
#define SLUICE_WIRE_FCS_H

#include <stdbool.h>
#include <stdint.h>

#define FCS_MASK 0xffffffu

struct fcs_variant {
    const char *name;
    uint32_t bits; // of its registers
    bool (*supported)(void);
    uint32_t (*fcs)(const uint8_t *b, uint32_t n);
};

// From the slowest to the fastest; the first two are always supported.
extern const struct fcs_variant fcs_variants[];
extern const uint32_t fcs_variant_count;

// Makes fcs() the fastest supported variant, and returns that variant.
const struct fcs_variant *fcs_choose(void);

// From now on none with more bits is chosen, as on a processor without them.
void fcs_limit(uint32_t bits);

extern uint32_t (*fcs)(const uint8_t *b, uint32_t n);

// For the variants by carry-less multiplication: powers of x mod G, reflected, for each 64 bits of
// a message's end: the last has x^24, each one before it 64 more.
#define FCS_LANES 36u
extern const uint64_t fcs_to_end[FCS_LANES];

static inline uint32_t fcs_get(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
}

static inline void fcs_put(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
}

uint32_t fcs_table(const uint8_t *b, uint32_t n);
uint32_t fcs_slicing8(const uint8_t *b, uint32_t n);
uint32_t fcs_pclmul(const uint8_t *b, uint32_t n);
uint32_t fcs_vpclmul_256(const uint8_t *b, uint32_t n);
uint32_t fcs_vpclmul_512(const uint8_t *b, uint32_t n);

#endif
