// See sched_rank.h.
#include "dataplane/sched/sched_rank.h"

void sched_rank_setup(struct rank *r, struct rank_entry *entry, struct rank_bin *bin,
                      uint32_t entries)
{
    *r = (struct rank){.entry = entry, .bin = bin};
    for (uint32_t i = 0; i < entries; i++)
        entry[i].bin = RANK_NONE;
    for (uint32_t i = 0; i <= entries; i++)
        bin[i].first = i + 1;
}

// The end of the ring nearer to that size.
static uint32_t nearer_end(const struct rank *r, uint32_t top, uint32_t size)
{
    uint32_t bottom = r->bin[top].up;
    return size > r->bin[bottom].size + (r->bin[top].size - r->bin[bottom].size) / 2 ? top : bottom;
}

// The bin of that size, or the largest one below it, or, if all are larger, the smallest; searched
// from `at` on.
static uint32_t near(const struct rank *r, uint32_t top, uint32_t at, uint32_t size)
{
    uint32_t bottom = r->bin[top].up;
    while (at != top && r->bin[r->bin[at].up].size <= size)
        at = r->bin[at].up;
    while (at != bottom && r->bin[at].size > size)
        at = r->bin[at].down;
    return at;
}

// A new bin above `below`, or, if `below` is larger, as the smallest of all.
static uint32_t bin_add(struct rank *r, uint32_t *top, uint32_t below, uint32_t size)
{
    uint32_t i = r->free;
    struct rank_bin *b = &r->bin[i];
    r->free = b->first;
    *b = (struct rank_bin){.up = i, .down = i, .first = RANK_NONE, .size = size};
    if (below == RANK_NONE) {
        *top = i;
        return i;
    }
    bool smallest = r->bin[below].size > size;
    b->down = smallest ? *top : below;
    b->up = r->bin[b->down].up;
    r->bin[b->up].down = i;
    r->bin[b->down].up = i;
    if (!smallest && below == *top)
        *top = i;
    return i;
}

static void bin_remove(struct rank *r, uint32_t *top, uint32_t i)
{
    struct rank_bin *b = &r->bin[i];
    r->bin[b->up].down = b->down;
    r->bin[b->down].up = b->up;
    if (*top == i)
        *top = b->down == i ? RANK_NONE : b->down;
    b->first = r->free;
    r->free = i;
}

static void link_in(struct rank *r, uint32_t entry, uint32_t bin)
{
    struct rank_entry *e = &r->entry[entry];
    uint32_t first = r->bin[bin].first;
    e->bin = bin;
    if (first == RANK_NONE) {
        r->bin[bin].first = e->next = e->prev = entry;
        return;
    }
    e->next = first;
    e->prev = r->entry[first].prev;
    r->entry[e->prev].next = entry;
    r->entry[first].prev = entry;
}

static void link_out(struct rank *r, uint32_t *top, uint32_t entry, uint32_t bin)
{
    struct rank_entry *e = &r->entry[entry];
    e->bin = RANK_NONE;
    if (e->next == entry) {
        bin_remove(r, top, bin);
        return;
    }
    r->entry[e->next].prev = e->prev;
    r->entry[e->prev].next = e->next;
    if (r->bin[bin].first == entry)
        r->bin[bin].first = e->next;
}

// An entry alone in its bin keeps the bin if the order of bins stays the same.
static bool stays(struct rank *r, uint32_t top, uint32_t bin, uint32_t entry, uint32_t to)
{
    struct rank_bin *b = &r->bin[bin];
    bool alone = r->entry[entry].next == entry;
    bool above = bin == top || r->bin[b->up].size > to;
    bool below = r->bin[top].up == bin || r->bin[b->down].size < to;
    if (alone && above && below)
        b->size = to;
    return b->size == to;
}

// Not inline, so that a call that moves nothing saves no registers.
static __attribute__((noinline)) void move(struct rank *r, uint32_t *top, uint32_t entry,
                                           uint32_t size)
{
    uint32_t bin = r->entry[entry].bin, at = RANK_NONE;
    bool is_in = bin != RANK_NONE;
    // Before the entry leaves: the search may begin at a bin that then ends.
    if (size && *top != RANK_NONE)
        at = near(r, *top, is_in ? bin : nearer_end(r, *top, size), size);
    if (size && (at == RANK_NONE || r->bin[at].size != size))
        at = bin_add(r, top, at, size);
    if (is_in)
        link_out(r, top, entry, bin);
    if (size)
        link_in(r, entry, at);
}

void sched_rank_set(struct rank *r, uint32_t *top, uint32_t entry, uint32_t size)
{
    uint32_t bin = r->entry[entry].bin;
    if (bin == RANK_NONE ? size : !size || !stays(r, *top, bin, entry, size))
        move(r, top, entry, size);
}
