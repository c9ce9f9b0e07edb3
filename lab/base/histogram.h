// Percentiles of any number of samples in fixed memory: logarithmic buckets, each octave split into
// 128, so a percentile is at most 0.8 % above the true sample. No floats, no sums, no means.
#ifndef SLUICE_LAB_BASE_HISTOGRAM_H
#define SLUICE_LAB_BASE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_SUBS     (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS  ((64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUBS)

struct histogram {
    uint64_t samples;
    uint64_t most;
    uint64_t bucket[HISTOGRAM_BUCKETS];
};

// The bucket of a value, and the largest value that a bucket holds; for other tables of buckets.
uint32_t histogram_bucket(uint64_t value);
uint64_t histogram_upper_edge(uint32_t bucket);

void histogram_add(struct histogram *h, uint64_t value);

// The upper edge of the bucket that holds the per_mille quantile, at most the largest sample; 0
// without samples.
uint64_t histogram_quantile(const struct histogram *h, uint32_t per_mille);

#endif
