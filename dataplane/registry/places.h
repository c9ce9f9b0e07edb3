// Marks the taken places of a worker's arrays. Control gives each MS and each PDP context of the
// worker a place. For registry/ only.
#ifndef SLUICE_REGISTRY_PLACES_H
#define SLUICE_REGISTRY_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct places {
    uint64_t *taken; // a bit for each place
    uint32_t n, left;
    uint32_t next; // where the search for a free place begins: a freed place is reused late
};

bool registry_places_setup(struct places *places, uint32_t n);
void registry_places_release(struct places *places);
uint64_t registry_places_octets(uint32_t n);

// Takes the preferred place if that place exists and is free, else any. At least one is free.
uint32_t registry_places_take(struct places *places, uint32_t preferred);
void registry_places_give(struct places *places, uint32_t place);

#endif
