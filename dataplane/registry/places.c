// See places.h.
#include "dataplane/registry/places.h"

#include <rte_malloc.h>

#define WORD_BITS 64u

static uint32_t words(uint32_t n)
{
    return n / WORD_BITS + 1;
}

uint64_t registry_places_octets(uint32_t n)
{
    return (words(n) * sizeof(uint64_t) + 63) & ~63ULL;
}

// The bits after the last place are set, as if those places were taken.
bool registry_places_setup(struct places *places, uint32_t n)
{
    *places =
        (struct places){.taken = rte_zmalloc("places", words(n) * sizeof(uint64_t), 64), .n = n};
    if (!places->taken)
        return false;
    places->taken[n / WORD_BITS] = UINT64_MAX << n % WORD_BITS;
    places->left = n;
    return true;
}

void registry_places_release(struct places *places)
{
    rte_free(places->taken);
    *places = (struct places){0};
}

static bool is_taken(const struct places *places, uint32_t place)
{
    return places->taken[place / WORD_BITS] >> place % WORD_BITS & 1;
}

static uint32_t free_one(const struct places *places)
{
    uint32_t word = places->next / WORD_BITS;
    uint64_t there = ~places->taken[word] & UINT64_MAX << places->next % WORD_BITS;
    while (!there) {
        word = (word + 1) % words(places->n);
        there = ~places->taken[word];
    }
    return word * WORD_BITS + (uint32_t)__builtin_ctzll(there);
}

uint32_t registry_places_take(struct places *places, uint32_t preferred)
{
    uint32_t place = preferred;
    if (preferred >= places->n || is_taken(places, preferred)) {
        place = free_one(places);
        places->next = place + 1;
    }
    places->taken[place / WORD_BITS] |= 1ULL << place % WORD_BITS;
    places->left--;
    return place;
}

void registry_places_give(struct places *places, uint32_t place)
{
    places->taken[place / WORD_BITS] &= ~(1ULL << place % WORD_BITS);
    places->left++;
}
