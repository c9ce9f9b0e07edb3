// Who has most: the entries of a parent stand in lists by size (bins), all of a list of one size,
// and a parent's lists in order, in a ring of which it knows the largest. When the size of an
// entry changes it moves to the list of the new size, list by list; a new entry searches for its
// list from the nearer end. Sizes of one parent that differ are few: so many add up to
// half their number squared. Entries and lists are numbers; the memory is given once. An entry is
// in one parent's ring at most.
#ifndef SLUICE_SCHED_SCHED_RANK_H
#define SLUICE_SCHED_SCHED_RANK_H

#include <stdbool.h>
#include <stdint.h>

#define RANK_NONE UINT32_MAX

struct rank_entry {
    uint32_t next, prev; // in its list, a ring
    uint32_t bin;        // RANK_NONE: it is in none
};

struct rank_bin {
    uint32_t up, down; // the next larger and smaller one; the largest's `up` is the smallest
    uint32_t first;    // of its entries; of a free one the next free one
    uint32_t size;
};

struct rank {
    struct rank_entry *entry;
    struct rank_bin *bin;
    uint32_t free;
};

// One list more than entries: none is empty, but for a moment.
void rank_setup(struct rank *r, struct rank_entry *entry, struct rank_bin *bin, uint32_t entries);

// `top` is the parent's largest list, RANK_NONE if it has none; 0: the entry goes out.
void rank_set(struct rank *r, uint32_t *top, uint32_t entry, uint32_t size);

static inline bool rank_has(const struct rank *r, uint32_t entry)
{
    return r->entry[entry].bin != RANK_NONE;
}

// One of the largest; RANK_NONE: there is none.
static inline uint32_t rank_first(const struct rank *r, uint32_t top)
{
    return top == RANK_NONE ? RANK_NONE : r->bin[top].first;
}

#endif
