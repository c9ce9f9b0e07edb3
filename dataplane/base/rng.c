// See rng.h. rng_exponential follows J. von Neumann, "Various techniques used in connection with
// random digits" (1951): the length of the first descending run of uniforms is odd with probability
// exp(-u), so an accepted u is the fraction and each rejected run adds one whole unit.
#include "dataplane/base/rng.h"

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t x = splitmix(&seed) ^ (stream * 0xd1342543de82ef95ULL);
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix(&x);
}

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    // Rejecting the incomplete last interval keeps every value equally likely.
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t x;
    do
        x = rng_next(rng);
    while (x >= limit);
    return x % bound;
}

// One descending run: whether its length is odd; its first value is the candidate fraction.
static int run_is_odd(struct rng *rng, uint64_t *first)
{
    uint64_t last = *first = rng_next(rng);
    int odd = 1;
    for (uint64_t u = rng_next(rng); u < last; u = rng_next(rng)) {
        last = u;
        odd = !odd;
    }
    return odd;
}

uint64_t rng_exponential(struct rng *rng, uint64_t mean)
{
    uint64_t whole = 0;
    uint64_t fraction;
    while (!run_is_odd(rng, &fraction) && whole < 63)
        whole++;
    return whole * mean + (uint64_t)(((unsigned __int128)fraction * mean) >> 64);
}
