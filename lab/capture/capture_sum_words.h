// One loop, compiled for several processors: whole words of 64 bits, of which both halves are
// added. The index is of 64 bits: the compiler takes words one by one where one of 32 may wrap.
#include <stddef.h>

#include "lab/capture/capture_sum.h"

static inline uint64_t sum_words(const uint8_t *b, uint32_t n)
{
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word;
        memcpy(&word, b + i, sizeof word);
        low += (uint32_t)word;
        high += word >> 32;
    }
    return low + high;
}
