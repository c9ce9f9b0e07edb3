// The heaps of NSEs: cells by their virtual time, the least first. A node has four children, and
// the keys, cells and links of four siblings (a family) are one cache line, so that a step down
// reads one line and no cell. The families of all NSEs come from one pool: a heap has the root's
// family, which its NSE keeps, and one more for every four cells.
//
// Invariants: nodes count from the root, 0; family number f of a heap belongs to node f and has the
// nodes 4 f + 1 to 4 f + 4; only the last family may be partly filled; `heap_at` of a cell in a
// heap is the cell's node.
#ifndef SLUICE_SCHED_SCHED_HEAP_H
#define SLUICE_SCHED_SCHED_HEAP_H

#include <assert.h>
#include <stdint.h>

struct sched;
struct tree_nse;

#define HEAP_FAMILY 4u

struct heap_family {
    _Alignas(64) uint64_t key[HEAP_FAMILY];
    uint32_t bvc[HEAP_FAMILY];
    uint32_t child[HEAP_FAMILY]; // families
};
static_assert(sizeof(struct heap_family) == 64, "a family is a line");

// The part of a family that only growing, shrinking and a step up use.
struct heap_link {
    uint32_t parent;     // node above it: family * 4 + index
    uint32_t prev, next; // families by number; of a free one: next
};

// Families needed for so many cells in so many NSEs, each cell in at most one heap.
uint32_t sched_heap_families(uint32_t nses, uint32_t bvcs);
void sched_heap_setup(struct sched *s);
void sched_heap_clear(struct sched *s, uint32_t nse); // for a new NSE

void sched_heap_add(struct sched *s, struct tree_nse *n, uint32_t bvc, uint64_t key);
void sched_heap_remove(struct sched *s, struct tree_nse *n, uint32_t bvc);
void sched_heap_move(struct sched *s, struct tree_nse *n, uint32_t bvc,
                     uint64_t key); // changes the key

#endif
