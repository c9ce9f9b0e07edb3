// Hash tables from a name to an id, 8 octets an entry. An entry is the name's hash and an id; the
// name itself is in the id's own record, so the caller compares it there. Open addressing with an
// eighth more places than names, Robin Hood order (an entry farther from its home takes the place
// of a nearer one), so a search ends early even in a full table; a removal shifts the following
// entries back and leaves no tombstone.
#ifndef SLUICE_STATE_NAMES_H
#define SLUICE_STATE_NAMES_H

#include <stdint.h>

#define NAMES_NONE UINT32_MAX

struct names_entry {
    uint32_t hash;
    uint32_t id_and_1; // 0: the place is free
};

struct names {
    struct names_entry *entry;
    uint32_t places;
};

// The hash of a value that is unique only within its NSE.
static inline uint32_t names_hash(uint32_t nse, uint32_t value)
{
    uint64_t hash = ((uint64_t)nse << 32 | value) * 0x9e3779b97f4a7c15u; // 2^64 / golden ratio
    hash ^= hash >> 32;
    return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

static inline uint32_t names_home(const struct names *names, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * names->places >> 32);
}

static inline uint32_t names_after(const struct names *names, uint32_t at)
{
    return at + 1 < names->places ? at + 1 : 0;
}

// The distance of the entry at that place from its home.
static inline uint32_t names_distance(const struct names *names, uint32_t at)
{
    uint32_t home = names_home(names, names->entry[at].hash);
    return at >= home ? at - home : at + names->places - home;
}

// Iterates the ids of all entries with that hash; NAMES_NONE: no more.
struct names_search {
    uint32_t hash, at, distance;
};

static inline struct names_search names_search(const struct names *names, uint32_t hash)
{
    return (struct names_search){.hash = hash, .at = names_home(names, hash)};
}

static inline uint32_t names_next(const struct names *names, struct names_search *s)
{
    for (;;) {
        const struct names_entry *entry = &names->entry[s->at];
        if (entry->id_and_1 == 0 || names_distance(names, s->at) < s->distance)
            return NAMES_NONE;
        s->at = names_after(names, s->at);
        s->distance++;
        if (entry->hash == s->hash)
            return entry->id_and_1 - 1;
    }
}

// The caller ensures room for the added name, and removes only names that exist.
void state_names_add(struct names *names, uint32_t hash, uint32_t id);
void state_names_remove(struct names *names, uint32_t hash, uint32_t id);

// A table for at most so many names. 0 or -ENOMEM.
int state_names_setup(struct names *names, uint32_t most);
void state_names_release(struct names *names);
uint32_t state_names_in_use(const struct names *names); // scans every place
uint64_t state_names_octets(uint32_t most);             // of the EAL, in whole cache lines

#endif
