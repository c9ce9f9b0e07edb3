// See delays.h.
#include "lab/report/delays.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

#define OCTAVE_OCTETS (HISTOGRAM_SUBS * sizeof(uint32_t))

void delays_add(struct delays *delays, uint64_t ns)
{
    uint32_t bucket = histogram_bucket(ns);
    uint32_t **octave = &delays->octave[bucket / HISTOGRAM_SUBS];
    if (!*octave)
        *octave = need(calloc(1, OCTAVE_OCTETS));
    (*octave)[bucket % HISTOGRAM_SUBS]++;
    delays->samples++;
    delays->sum_ns += ns;
    if (ns > delays->most_ns)
        delays->most_ns = ns;
}

void delays_clear(struct delays *delays)
{
    if (delays->samples == 0) // as in most steps, if they are short
        return;
    delays->samples = delays->most_ns = 0;
    delays->sum_ns = 0;
    for (uint32_t i = 0; i < DELAYS_OCTAVES; i++)
        if (delays->octave[i])
            memset(delays->octave[i], 0, OCTAVE_OCTETS);
}

void delays_release(struct delays *delays)
{
    for (uint32_t i = 0; i < DELAYS_OCTAVES; i++)
        free(delays->octave[i]);
    *delays = (struct delays){0};
}

uint64_t delays_mean_ns(const struct delays *delays)
{
    return delays->samples ? (uint64_t)(delays->sum_ns / delays->samples) : 0;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool delays_next(const struct delays *delays, uint32_t *bucket, struct delays_bucket *found)
{
    for (; *bucket < HISTOGRAM_BUCKETS; ++*bucket) {
        const uint32_t *octave = delays->octave[*bucket / HISTOGRAM_SUBS];
        if (!octave) {
            *bucket |= HISTOGRAM_SUBS - 1;
            continue;
        }
        uint32_t samples = octave[*bucket % HISTOGRAM_SUBS];
        if (samples == 0)
            continue;
        *found = (struct delays_bucket){at_most(histogram_upper_edge((*bucket)++), delays->most_ns),
                                        samples};
        return true;
    }
    return false;
}

uint64_t delays_quantile_ns(const struct delays *delays, uint32_t per_mille)
{
    uint64_t rank = (delays->samples * per_mille + 999) / 1000, seen = 0;
    struct delays_bucket found;
    if (delays->samples == 0)
        return 0;
    for (uint32_t bucket = 0; delays_next(delays, &bucket, &found);) {
        seen += found.samples;
        if (seen >= rank)
            return found.most_ns;
    }
    return 0;
}
