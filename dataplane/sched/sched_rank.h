// Finds the largest entry of a parent: entries of one size are in one list (a bin), and a parent's
// bins are a ring in order of size, of which the parent knows the largest. When the size of an
// entry changes, the entry moves to the bin of its new size, bin by bin; a new entry searches from
// the nearer end. A parent has few different sizes: n of them sum to at least n squared / 2.
// Entries and bins are numbers; the memory is given once. An entry is in at most one parent's ring.
#ifndef SLUICE_SCHED_SCHED_RANK_H
#define SLUICE_SCHED_SCHED_RANK_H

#include <stdbool.h>
#include <stdint.h>

#define RANK_NONE UINT32_MAX

struct rank_entry {
    uint32_t next, prev; // in its bin, a ring
    uint32_t bin;        // RANK_NONE: the entry is unranked
};

struct rank_bin {
    uint32_t up, down; // the next larger and smaller one; the largest's `up` is the smallest
    uint32_t first;    // of its entries; of a free bin the next free bin
    uint32_t size;
};

struct rank {
    struct rank_entry *entry;
    struct rank_bin *bin;
    uint32_t free;
};

// One bin more than entries: a bin is empty only within a call.
void sched_rank_setup(struct rank *r, struct rank_entry *entry, struct rank_bin *bin,
                      uint32_t entries);

// Sets an entry's size; 0 removes it. `top` is the parent's largest bin, RANK_NONE if it has none.
void sched_rank_set(struct rank *r, uint32_t *top, uint32_t entry, uint32_t size);

static inline bool rank_has(const struct rank *r, uint32_t entry)
{
    return r->entry[entry].bin != RANK_NONE;
}

// An entry of the largest size; RANK_NONE: there is none.
static inline uint32_t rank_first(const struct rank *r, uint32_t top)
{
    return top == RANK_NONE ? RANK_NONE : r->bin[top].first;
}

#endif
