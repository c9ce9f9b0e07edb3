// The heaps of NSEs: cells by their place in virtual time, the least first. A node has four
// children, and the four keys, cells and links of a family are one line, so that a step down reads
// one line and no cell. Families of all NSEs come from one pool: a heap of any size has the root's
// family, which its NSE keeps, and for every four cells more another one.
//
// Invariants: nodes count from the root, 0; family number f of a heap hangs on node f and has the
// nodes 4 f + 1 to 4 f + 4; only the last family may be less than full; `heap_at` of a cell in a
// heap is where it stands.
#ifndef SLUICE_SCHED_SCHED_HEAP_H
#define SLUICE_SCHED_SCHED_HEAP_H

#include <assert.h>
#include <stdint.h>

struct sched;
struct tree_nse;

#define HEAP_FAMILY 4u

struct heap_family {
    _Alignas(64) uint64_t key[HEAP_FAMILY];
    uint32_t cell[HEAP_FAMILY];
    uint32_t child[HEAP_FAMILY]; // families
};
static_assert(sizeof(struct heap_family) == 64, "a family is a line");

// What only growing, shrinking and a step up want to know of a family.
struct heap_link {
    uint32_t parent;     // where it hangs: family * 4 + place
    uint32_t prev, next; // families by number; of the free ones: next
};

// Families for so many cells in so many NSEs, each in one heap at most.
uint32_t heap_families(uint32_t nses, uint32_t cells);
void heap_setup(struct sched *s);
void heap_clear(struct sched *s, uint32_t nse); // its NSE is new

void heap_add(struct sched *s, struct tree_nse *n, uint32_t cell, uint64_t key);
void heap_remove(struct sched *s, struct tree_nse *n, uint32_t cell);
void heap_move(struct sched *s, struct tree_nse *n, uint32_t cell, uint64_t key); // another key

#endif
