// The delays of any number of packets: base/histogram.h's buckets, but an octave takes memory only
// once a delay falls into it, so that each MS and each flow can have one; besides, the exact sum.
#ifndef SLUICE_LAB_REPORT_DELAYS_H
#define SLUICE_LAB_REPORT_DELAYS_H

#include <stdbool.h>

#include "lab/base/histogram.h"

#define DELAYS_OCTAVES (HISTOGRAM_BUCKETS / HISTOGRAM_SUBS)

struct delays { // zeroed: empty
    uint64_t samples, most_ns;
    unsigned __int128 sum_ns;
    uint32_t *octave[DELAYS_OCTAVES]; // HISTOGRAM_SUBS counts each, or NULL
};

void delays_add(struct delays *delays, uint64_t ns);
void delays_clear(struct delays *delays); // keeps the memory
void delays_release(struct delays *delays);

uint64_t delays_mean_ns(const struct delays *delays); // rounded down; 0 without samples
// As histogram_quantile.
uint64_t delays_quantile_ns(const struct delays *delays, uint32_t per_mille);

// The buckets that have samples, by rising delay: begins with *bucket = 0, and moves it behind the
// one found. False: there is no other.
struct delays_bucket {
    uint64_t most_ns, samples;
};
bool delays_next(const struct delays *delays, uint32_t *bucket, struct delays_bucket *found);

#endif
