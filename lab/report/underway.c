// See underway.h.
#include "lab/report/underway.h"

#include <stdlib.h>

#include "lab/engine/need.h"

#define SLOTS_FIRST 1024

static uint32_t home_of(const struct underway *u, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15 >> 32) & (u->slots - 1);
}

// The slot with the key, or the free one where it would be.
static struct underway_entry *slot_of(const struct underway *u, uint64_t key)
{
    uint32_t i = home_of(u, key);
    while (u->slot[i].key && u->slot[i].key != key)
        i = (i + 1) & (u->slots - 1);
    return &u->slot[i];
}

static void grow(struct underway *u)
{
    struct underway old = *u;
    u->slots = old.slots ? 2 * old.slots : SLOTS_FIRST;
    u->slot = need(calloc(u->slots, sizeof *u->slot));
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.slot[i].key)
            *slot_of(u, old.slot[i].key) = old.slot[i];
    free(old.slot);
}

struct underway_entry *underway_add(struct underway *u, uint64_t key)
{
    if (4 * (uint64_t)(u->entries + 1) > 3 * (uint64_t)u->slots)
        grow(u);
    struct underway_entry *entry = slot_of(u, key);
    if (entry->key)
        return NULL;
    u->entries++;
    entry->key = key;
    return entry;
}

struct underway_entry *underway_find(const struct underway *u, uint64_t key)
{
    struct underway_entry *entry = u->slots ? slot_of(u, key) : NULL;
    return entry && entry->key ? entry : NULL;
}

// An entry further on moves into the hole if its search would begin at the hole or before.
void underway_remove(struct underway *u, struct underway_entry *entry)
{
    uint32_t mask = u->slots - 1, hole = (uint32_t)(entry - u->slot);
    for (uint32_t i = (hole + 1) & mask; u->slot[i].key; i = (i + 1) & mask) {
        uint32_t from_home = (i - home_of(u, u->slot[i].key)) & mask;
        if (from_home < ((i - hole) & mask))
            continue;
        u->slot[hole] = u->slot[i];
        hole = i;
    }
    u->slot[hole] = (struct underway_entry){0};
    u->entries--;
}

void underway_release(struct underway *u)
{
    free(u->slot);
    *u = (struct underway){0};
}
