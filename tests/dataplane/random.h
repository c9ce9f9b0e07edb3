// Random numbers for tests, apart from the project's own. The seed is fixed, so that a failure
// comes again; TEST_SEED=N in the environment looks elsewhere. Each test that draws prints its
// seed. The numbers are a file's own: one that draws without a beginning has one by itself.
#ifndef TESTS_DATAPLANE_RANDOM_H
#define TESTS_DATAPLANE_RANDOM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t random_state;

static inline void random_begin(void)
{
    const char *seed = getenv("TEST_SEED");
    random_state = seed ? strtoull(seed, NULL, 0) | 1 : 20240229;
    print_message("# TEST_SEED=%llu\n", (unsigned long long)random_state);
}

// xorshift64* (Vigna)
static inline uint64_t random_next(void)
{
    if (random_state == 0)
        random_begin();
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1dULL;
}

// least .. most; each end of the range comes up more often than by chance.
static inline uint64_t random_in(uint64_t least, uint64_t most)
{
    uint64_t kind = random_next() % 16;
    if (kind < 2)
        return kind ? least : most;
    return most - least == UINT64_MAX ? random_next() : least + random_next() % (most - least + 1);
}

static inline void random_fill(void *at, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        ((uint8_t *)at)[i] = (uint8_t)(random_next() >> 32);
}

#endif
