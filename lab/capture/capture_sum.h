// The sum that the internet checksum is made of (RFC 1071), over words of 64 bits as this machine
// loads them: where the checksum is right it folds to 0xffff in either order of octets.
#ifndef SLUICE_LAB_CAPTURE_SUM_H
#define SLUICE_LAB_CAPTURE_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CAPTURE_SUM_FEW 128 // octets, for which no loop over wide registers pays

// Of whole words of 64 bits; n is a multiple of 8.
extern uint64_t (*capture_sum_words)(const uint8_t *b, uint32_t n);
uint64_t capture_sum_words_any(const uint8_t *b, uint32_t n);
uint64_t capture_sum_words_avx2(const uint8_t *b, uint32_t n);
uint64_t capture_sum_words_avx512(const uint8_t *b, uint32_t n);
// Takes the best that the processor has; once, before there is a second thread.
void capture_sum_choose(void);

// With the carry, as ones' complement has it.
static inline uint64_t capture_sum_add(uint64_t sum, uint64_t more)
{
    sum += more;
    return sum + (sum < more);
}

// To be added to.
static inline uint64_t capture_sum(const uint8_t *b, uint32_t n)
{
    uint64_t sum = 0, word = 0;
    const uint8_t *end = b + n;
    bool any_word = n >= 8;
    if (n >= CAPTURE_SUM_FEW) {
        sum = capture_sum_words(b, n & ~7u);
        n &= 7;
    }
    for (; n >= 8; n -= 8, b += 8) {
        memcpy(&word, b, sizeof word);
        sum = capture_sum_add(sum, word);
    }
    if (n && any_word) { // the last octets, with some in front of them that are shifted out
        memcpy(&word, end - 8, sizeof word);
        word >>= 64 - 8 * n;
        return capture_sum_add(sum, word);
    }
    for (uint32_t i = 0; i < n; i++)
        word |= (uint64_t)b[i] << 8 * i;
    return n ? word : sum;
}

// Does it fold to 0xffff? That is, is it a multiple of 0xffff, and not 0? The product of these is
// within one such number of 2^64 then, and never else.
static inline bool capture_sum_is_right(uint64_t sum)
{
    uint64_t ones = UINT64_MAX / UINT16_MAX;
    __asm__("" : "+r"(ones)); // else it is no product, but shifts and sums, one after the other
    return sum * ones >= -ones;
}

#endif
