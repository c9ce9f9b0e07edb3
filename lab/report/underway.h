// The packets under way, by PDP context, direction and IP id: a hash table with open addressing and
// linear probing; a removal moves later entries up, so no slot is lost. The table doubles at 3/4 of
// its slots and never shrinks, so its memory is bounded by the most packets that were under way at
// once.
#ifndef SLUICE_LAB_REPORT_UNDERWAY_H
#define SLUICE_LAB_REPORT_UNDERWAY_H

#include <stdbool.h>
#include <stdint.h>

struct underway_entry {
    uint64_t key; // from underway_key; 0: the slot is free
    uint64_t sent_ns;
    uint32_t flow, cell;
    uint16_t octets;
    uint8_t traffic_class;
    bool ect;
};

struct underway { // zeroed: empty
    struct underway_entry *slot;
    uint32_t slots, entries; // slots: a power of two
};

static inline uint64_t underway_key(uint32_t context, unsigned way, uint16_t id)
{
    return ((uint64_t)context << 17 | (uint64_t)way << 16 | id) + 1;
}

static inline uint32_t underway_context(uint64_t key)
{
    return (uint32_t)((key - 1) >> 17);
}

static inline unsigned underway_way(uint64_t key)
{
    return (key - 1) >> 16 & 1;
}

// NULL: the key is there already.
struct underway_entry *underway_add(struct underway *underway, uint64_t key);
struct underway_entry *underway_find(const struct underway *underway, uint64_t key); // or NULL
// Other entries may move.
void underway_remove(struct underway *underway, struct underway_entry *entry);
void underway_release(struct underway *underway);

#endif
