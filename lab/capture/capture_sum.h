// The sum that the internet checksum is made of (RFC 1071), over words of 32 bits as this machine
// loads them: where the checksum is right it folds to 0xffff in either order of octets.
#ifndef SLUICE_LAB_CAPTURE_SUM_H
#define SLUICE_LAB_CAPTURE_SUM_H

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

// Of less than 2^32 words: to be added to, and folded.
static inline uint64_t capture_sum(const uint8_t *b, uint32_t n)
{
    uint64_t sum = 0;
    if (n >= CAPTURE_SUM_FEW) {
        sum = capture_sum_words(b, n & ~7u);
        b += n & ~7u;
        n &= 7;
    }
    for (uint32_t word; n >= 4; b += 4, n -= 4) {
        memcpy(&word, b, sizeof word);
        sum += word;
    }
    uint32_t rest = 0;
    for (uint32_t i = 0; i < n; i++)
        rest |= (uint32_t)b[i] << 8 * i;
    return sum + rest;
}

static inline uint16_t capture_sum_fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

#endif
