// Which places of a worker's arrays are taken: control gives them out, one for each MS and each PDP
// context that the worker has. For registry/ alone.
#ifndef SLUICE_REGISTRY_PLACES_H
#define SLUICE_REGISTRY_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct places {
    uint64_t *taken; // a bit for each
    uint32_t n, left;
    uint32_t next; // where to look for a free one, so that one given back rests for long
};

bool registry_places_setup(struct places *places, uint32_t n);
void registry_places_release(struct places *places);
uint64_t registry_places_octets(uint32_t n);

// The preferred one, if it is free and there is such a one, else any: there are some left.
uint32_t registry_places_take(struct places *places, uint32_t preferred);
void registry_places_give(struct places *places, uint32_t place);

#endif
