// The few analytic functions of the control laws, on integers, so that a run gives the same octets
// on every machine. Q32: 1.0 is 1 << 32.
#ifndef SLUICE_BASE_FIXED_H
#define SLUICE_BASE_FIXED_H

#include <stdint.h>

#define FIXED_ONE (1ULL << 32)

// exp(-x) in Q32 of an x in Q32, within 0.501 units of the last place; 0 from x = 23 on.
uint64_t fixed_exp_neg(uint64_t x_q32);

// -ln(p) in Q32 of a p in Q32, 1 .. FIXED_ONE; same accuracy as fixed_exp_neg.
uint64_t fixed_neg_ln(uint64_t p_q32);

// The largest integer with a square of at most x.
uint32_t fixed_sqrt(uint64_t x);

// a * b of two Q32, b <= FIXED_ONE or the product known to fit.
static inline uint64_t fixed_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 32);
}

#endif
