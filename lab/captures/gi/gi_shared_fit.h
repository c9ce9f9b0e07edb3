// What a cell carries, and the most that one of its users gets: what leaves the full users about as
// much as they got.
#ifndef SLUICE_GI_SHARED_FIT_H
#define SLUICE_GI_SHARED_FIT_H

#include "lab/captures/gi/gi_shared.h"

// What full users got in a moment, and the others.
struct gi_shared_got {
    double full, others;
    uint32_t n; // of the full
};

// few_rate: the most that one of those got for whom little waits; 0: there is none. What a full
// user gets who is alone, if that is more, and it are the least that `each` is. Else, of what is
// about as good as the best, it is as near to that as possible, or the largest if neither is known.
void gi_shared_fit(const struct gi_shared_got *got, uint32_t n, double few_rate,
                   struct gi_shared_cell *cell);

#endif
