// See wheel.h: the memory, which always suffices. No chunk is empty, and only the first of a slot
// is partly filled, so f full chunks and p others hold at least 9 f + p entries, p <= WHEEL_SLOTS:
// E entries need at most one chunk each up to a slot for each, and one more for every nine that
// follow. An added entry takes a chunk only if it then is a chunk's first, and a removal never
// takes one, so the free list is empty only when that many are in use.
#include "dataplane/sched/wheel.h"

#include <string.h>

static uint32_t chunks(uint32_t entries)
{
    return entries <= WHEEL_SLOTS ? entries
                                  : WHEEL_SLOTS + (entries - WHEEL_SLOTS) / WHEEL_CHUNK_IDS;
}

uint64_t sched_wheel_octets(uint32_t entries_max)
{
    return (uint64_t)chunks(entries_max) * sizeof(struct wheel_chunk);
}

void sched_wheel_setup(struct wheel *wheel, void *memory, uint32_t entries_max,
                       void (*moved)(void *owner, uint32_t id, uint32_t ref), void *owner)
{
    memset(wheel, 0, sizeof *wheel);
    wheel->chunk = memory;
    wheel->entries_max = entries_max;
    wheel->moved = moved;
    wheel->owner = owner;
    for (uint32_t i = 0; i < chunks(entries_max); i++)
        wheel->chunk[i].next = i + 1;
    for (uint32_t i = 0; i < WHEEL_SLOTS; i++)
        wheel->head[i] = WHEEL_SLOT_EMPTY;
}
