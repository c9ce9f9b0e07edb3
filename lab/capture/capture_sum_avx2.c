// See capture_sum.h: compiled for AVX2.
#include "lab/capture/capture_sum_words.h"

uint64_t capture_sum_words_avx2(const uint8_t *b, uint32_t n)
{
    return sum_words(b, n);
}
