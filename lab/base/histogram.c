// See histogram.h. Values below 128 have a bucket each; above, a bucket is the value's top 8 bits.
#include "lab/base/histogram.h"

uint32_t histogram_bucket(uint64_t value)
{
    if (value < HISTOGRAM_SUBS)
        return (uint32_t)value;
    uint32_t shift = 63 - HISTOGRAM_SUB_BITS - (uint32_t)__builtin_clzll(value);
    return (shift + 1) * HISTOGRAM_SUBS + (uint32_t)(value >> shift) - HISTOGRAM_SUBS;
}

uint64_t histogram_upper_edge(uint32_t bucket)
{
    if (bucket < HISTOGRAM_SUBS)
        return bucket;
    uint32_t shift = bucket / HISTOGRAM_SUBS - 1;
    uint64_t top = HISTOGRAM_SUBS + bucket % HISTOGRAM_SUBS;
    return (top << shift) + ((1ULL << shift) - 1);
}

void histogram_add(struct histogram *h, uint64_t value)
{
    h->bucket[histogram_bucket(value)]++;
    h->samples++;
    if (value > h->most)
        h->most = value;
}

uint64_t histogram_quantile(const struct histogram *h, uint32_t per_mille)
{
    uint64_t rank = (h->samples * per_mille + 999) / 1000;
    uint64_t seen = 0;
    for (uint32_t i = 0; h->samples && i < HISTOGRAM_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen >= rank && seen > 0)
            return histogram_upper_edge(i) < h->most ? histogram_upper_edge(i) : h->most;
    }
    return 0;
}
