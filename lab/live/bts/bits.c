// See bits.h.
#include "lab/live/bts/bits.h"

uint64_t bits_take(struct bits *bits, uint32_t n)
{
    uint64_t value = 0;
    if (n > bits->end - bits->next) {
        bits->next = bits->end;
        bits->over = true;
        return 0;
    }
    for (; n > 0; n--, bits->next++)
        value = value << 1 | (bits->at[bits->next / 8] >> (7 - bits->next % 8) & 1);
    return value;
}

void bits_skip(struct bits *bits, uint32_t n)
{
    bits->over |= n > bits->end - bits->next;
    bits->next = bits->over ? bits->end : bits->next + n;
}

void bits_skip_optional(struct bits *bits, uint32_t n)
{
    if (bits_flag(bits))
        bits_skip(bits, n);
}

void bits_put(uint8_t *b, uint32_t *next, uint64_t value, uint32_t n)
{
    while (n-- > 0) {
        uint8_t bit = (uint8_t)(0x80 >> *next % 8);
        if (value >> n & 1)
            b[*next / 8] |= bit;
        else
            b[*next / 8] &= (uint8_t)~bit;
        (*next)++;
    }
}
