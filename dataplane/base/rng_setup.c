// See rng.h: a random number of the system.
#include <sys/random.h>

#include "dataplane/base/rng.h"

uint64_t rng_secret(uint64_t seed)
{
    while (!seed && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = 0;
    return seed;
}
