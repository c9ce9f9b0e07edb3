// See capture_sum.h.
#include "lab/capture/capture_sum_words.h"

uint64_t (*capture_sum_words)(const uint8_t *b, uint32_t n) = capture_sum_words_any;

uint64_t capture_sum_words_any(const uint8_t *b, uint32_t n)
{
    return sum_words(b, n);
}

void capture_sum_choose(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        capture_sum_words = capture_sum_words_avx512;
    else if (__builtin_cpu_supports("avx2"))
        capture_sum_words = capture_sum_words_avx2;
}
