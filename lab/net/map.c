// See map.h. Linear probing; a removal moves the entries behind it up, so that no slot is a
// tombstone.
#include "lab/net/map.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/engine/need.h"

#define ROOM_LEAST 16

static uint32_t home_of(const struct map *map, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> 32) & (map->room - 1);
}

// The key's slot, or the free one where it belongs.
static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
    uint32_t i = home_of(map, key);
    while (map->slot[i].value && map->slot[i].key != key)
        i = (i + 1) & (map->room - 1);
    return &map->slot[i];
}

void *map_find(const struct map *map, uint64_t key)
{
    return map->entries ? slot_of(map, key)->value : NULL;
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->room = old.room ? 2 * old.room : ROOM_LEAST;
    map->slot = need(calloc(map->room, sizeof *map->slot));
    for (uint32_t i = 0; i < old.room; i++)
        if (old.slot[i].value)
            *slot_of(map, old.slot[i].key) = old.slot[i];
    free(old.slot);
}

int map_add(struct map *map, uint64_t key, void *value)
{
    if (2 * map->entries >= map->room)
        grow(map);
    struct map_slot *slot = slot_of(map, key);
    if (slot->value)
        return -EEXIST;
    *slot = (struct map_slot){key, value};
    map->entries++;
    return 0;
}

// Fills the hole at i with the next entry that may stand there, and so on.
static void close_hole(struct map *map, uint32_t i)
{
    uint32_t mask = map->room - 1;
    for (uint32_t j = (i + 1) & mask; map->slot[j].value; j = (j + 1) & mask) {
        uint32_t home = home_of(map, map->slot[j].key);
        if (((j - home) & mask) < ((j - i) & mask))
            continue;
        map->slot[i] = map->slot[j];
        i = j;
    }
    map->slot[i] = (struct map_slot){0};
}

void *map_remove(struct map *map, uint64_t key)
{
    if (!map->entries)
        return NULL;
    struct map_slot *slot = slot_of(map, key);
    void *value = slot->value;
    if (!value)
        return NULL;
    close_hole(map, (uint32_t)(slot - map->slot));
    map->entries--;
    return value;
}

void map_release(struct map *map)
{
    free(map->slot);
    *map = (struct map){0};
}
