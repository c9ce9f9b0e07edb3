// Which users of a capture share a cell, and what it carries.
//
// In a time in which much waits for some users, these get less if others, who share their cell, get
// more; and each gets less, the more they are. Users with cells of their own do not heed each
// other. Users are divided so that this explains most of what they got. A division is believed if
// what others got explains it alone, beyond chance.
#ifndef SLUICE_GI_SHARED_H
#define SLUICE_GI_SHARED_H

#include <stdint.h>

#include "lab/captures/gi/gi_vectors.h"

#define GI_SHARED_CELLS_MOST (GI_SHARED_USERS_MOST / 2)

struct gi_shared_cell {
    uint32_t user[GI_SHARED_USERS_MOST], users; // places, from 1
    uint64_t rate_bit_per_s;                    // of IP, for all of them
    uint64_t each_bit_per_s;                    // the most that one gets; 0: all of it
};

// How many there are.
uint32_t gi_shared_find(const struct gi_vectors *vectors,
                        struct gi_shared_cell cells[GI_SHARED_CELLS_MOST]);

#endif
