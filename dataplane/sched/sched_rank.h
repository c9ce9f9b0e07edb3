// Who has most, in constant time: the entries of a parent stand in lists by size (bins), the sizes
// of a list within 1/16 of each other, and a parent's lists in order, in a ring of which it knows
// the largest. An entry moves from list to list as its size changes; most moves are to the next
// one. Entries and lists are numbers; the memory is given once. An entry is in one parent's ring at
// most.
#ifndef SLUICE_SCHED_SCHED_RANK_H
#define SLUICE_SCHED_SCHED_RANK_H

#include <stdbool.h>
#include <stdint.h>

#define RANK_NONE UINT32_MAX

struct rank_entry {
    uint32_t next, prev; // in its list, a ring
    uint32_t bin;
};

struct rank_bin {
    uint32_t up, down; // the next larger and smaller one; the largest's `up` is the smallest
    uint32_t first;    // of its entries; of a free one the next free one
    uint32_t level;
};

struct rank {
    struct rank_entry *entry;
    struct rank_bin *bin;
    uint32_t free;
};

// Sizes to levels: exact up to 32, then 16 levels to each power of two.
static inline uint32_t rank_level(uint32_t size)
{
    if (size < 16)
        return size;
    uint32_t shift = 27 - (uint32_t)__builtin_clz(size);
    return shift * 16 + (size >> shift);
}

// `entries` lists are enough: none is empty.
void rank_setup(struct rank *r, struct rank_entry *entry, struct rank_bin *bin, uint32_t entries);

// `top` is the parent's largest list, RANK_NONE if it has none. Level 0 stands for being in no
// list: an entry comes from it and goes to it.
void rank_move(struct rank *r, uint32_t *top, uint32_t entry, uint32_t from, uint32_t to);

// The next entry in the order from the largest on; RANK_NONE at the end.
static inline uint32_t rank_first(const struct rank *r, uint32_t top)
{
    return top == RANK_NONE ? RANK_NONE : r->bin[top].first;
}
uint32_t rank_next(const struct rank *r, uint32_t top, uint32_t entry);

#endif
