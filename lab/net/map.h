// Pointers by a number of 64 bits: a table of open addressing that doubles when half full. Nothing
// walks through it, so that no order depends on it.
#ifndef SLUICE_LAB_NET_MAP_H
#define SLUICE_LAB_NET_MAP_H

#include <stdint.h>

struct map_slot {
    uint64_t key;
    void *value; // NULL: the slot is free
};

// All zeros is an empty map.
struct map {
    struct map_slot *slot;
    uint32_t entries, room; // room: 0 or a power of two
};

// NULL: no such key.
void *map_find(const struct map *map, uint64_t key);

// 0, or -EEXIST. The value is not NULL.
int map_add(struct map *map, uint64_t key, void *value);

// Returns the value, or NULL for an unknown key.
void *map_remove(struct map *map, uint64_t key);

void map_release(struct map *map);

#endif
