// Fields of bits, the most significant first, as RLC/MAC control messages and the rest octets of RR
// messages have them. Reading past the end gives zeros and is remembered, so that a decoder looks
// once, at its end.
#ifndef SLUICE_LAB_LIVE_BTS_BITS_H
#define SLUICE_LAB_LIVE_BTS_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct bits {
    const uint8_t *at;
    uint32_t end, next; // in bits
    bool over;          // something was read behind the end
};

// At most 64 bits.
uint64_t bits_take(struct bits *bits, uint32_t n);
void bits_skip(struct bits *bits, uint32_t n);
// n bits that are there if the bit before is 1.
void bits_skip_optional(struct bits *bits, uint32_t n);
static inline bool bits_flag(struct bits *bits)
{
    return bits_take(bits, 1);
}

// Overwrites n bits from *next on; the caller knows that there is room.
void bits_put(uint8_t *b, uint32_t *next, uint64_t value, uint32_t n);

#endif
