// One loop, compiled for several processors: whole words of 64 bits, of which both halves are
// added: what is beyond 64 bits is lost of `all`, but not of what is left when the upper halves are
// taken off. The index is of 64 bits: the compiler takes words one by one where one of 32 may wrap.
#include <stddef.h>

#include "lab/capture/capture_sum.h"

static inline uint64_t sum_words(const uint8_t *b, uint32_t n)
{
    uint64_t all = 0, high = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word;
        memcpy(&word, b + i, sizeof word);
        all += word;
        high += word >> 32;
    }
    return all - (high << 32) + high;
}
