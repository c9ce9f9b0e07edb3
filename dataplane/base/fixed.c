// See fixed.h. exp: x = k ln 2 + r, and the Taylor series of exp(-r) to its 14th term, in Q58,
// whose remainder is below 2^-48. ln: the binary digits of the logarithm to base 2 by repeated
// squaring of the mantissa. Both are rounded once, at the end.
#include "dataplane/base/fixed.h"

#define Q58      (1ULL << 58)
#define LN2_Q58  199786072581291495ULL
#define LN2_Q64  12786308645202655660ULL
#define LOG_BITS 44

// 1 / n! in Q58
static const uint64_t taylor[] = {Q58,
                                  Q58,
                                  Q58 / 2,
                                  Q58 / 6,
                                  Q58 / 24,
                                  Q58 / 120,
                                  Q58 / 720,
                                  Q58 / 5040,
                                  Q58 / 40320,
                                  Q58 / 362880,
                                  Q58 / 3628800,
                                  Q58 / 39916800,
                                  Q58 / 479001600,
                                  Q58 / 6227020800,
                                  Q58 / 87178291200};

uint64_t fixed_exp_neg(uint64_t x_q32)
{
    if (x_q32 >= 23 * FIXED_ONE)
        return 0;
    uint64_t x = x_q32 << 26;
    uint32_t halvings = (uint32_t)(x / LN2_Q58);
    uint64_t r = x % LN2_Q58;
    uint64_t sum = 0;
    for (uint32_t n = sizeof taylor / sizeof taylor[0]; n-- > 0;)
        sum = taylor[n] - (uint64_t)(((unsigned __int128)r * sum) >> 58);
    uint32_t shift = 26 + halvings;
    return (sum + (1ULL << (shift - 1))) >> shift;
}

uint64_t fixed_neg_ln(uint64_t p_q32)
{
    uint32_t zeros = (uint32_t)__builtin_clzll(p_q32);
    uint64_t mantissa = p_q32 << zeros; // Q63, 1 .. below 2
    uint64_t log = 0;
    for (uint32_t i = 0; i < LOG_BITS; i++) {
        unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
        uint32_t digit = (uint32_t)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + digit));
        log = log << 1 | digit;
    }
    // p = 2^(31 - zeros) * mantissa
    uint64_t neg_log2 = ((uint64_t)(zeros - 31) << LOG_BITS) - log;
    unsigned __int128 neg_ln = (unsigned __int128)neg_log2 * LN2_Q64;
    return (uint64_t)((neg_ln >> (LOG_BITS + 31)) + 1) >> 1;
}

uint32_t fixed_sqrt(uint64_t x)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        uint64_t next = root | bit;
        if (next * next <= x)
            root |= bit;
    }
    return root;
}
