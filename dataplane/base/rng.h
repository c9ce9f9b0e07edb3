// Random numbers of a run: xoshiro256** seeded by splitmix64 (public domain algorithms by Blackman
// and Vigna). Integers only, so that a seed gives the same octets on every machine; therefore
// rng_exponential uses von Neumann's comparison method and not a library's log().
#ifndef SLUICE_BASE_RNG_H
#define SLUICE_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream);
uint64_t rng_next(struct rng *rng);

// The seed; 0: a random number of the system, for what nobody may guess.
uint64_t rng_secret(uint64_t seed);

// Uniform in 0 .. bound - 1; bound > 0.
uint64_t rng_below(struct rng *rng, uint64_t bound);

// Exponential with that mean, in the mean's unit; at most 64 means.
uint64_t rng_exponential(struct rng *rng, uint64_t mean);

#endif
