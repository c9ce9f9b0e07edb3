// See gi_shared_fit.h.
#include "lab/captures/gi/gi_shared_fit.h"

#include <math.h>
#include <stdlib.h>

#define GRID        100  // of rates, up to twice the mean
#define AS_GOOD     1.02 // of the least mean distance
#define EACH_LEAST  2000 // bit/s
#define ALONE_LEAST 4    // moments with a single full user that say something

// From what such a cell leaves the full ones, summed up.
static double distance(const struct gi_shared_got *got, uint32_t n, double rate, double each)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += fabs(fmin(got[i].n * each, fmax(rate - got[i].others, 0)) - got[i].full);
    return sum;
}

// The rate that leaves the full ones as much as they got, in sum; at most twice the other.
static double as_much(const struct gi_shared_got *got, uint32_t n, double each, double rate)
{
    double low = 0, high = 2 * rate;
    for (uint32_t halves = 0; halves < 20; halves++) {
        double middle = (low + high) / 2, more = 0;
        for (uint32_t i = 0; i < n; i++)
            more += fmin(got[i].n * each, fmax(middle - got[i].others, 0)) - got[i].full;
        *(more < 0 ? &low : &high) = middle;
    }
    return high < 1.5 * rate ? high : rate;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// What a user that alone is full gets in the better moments: in the others, others take more.
static double alone_rate(const struct gi_shared_got *got, uint32_t n)
{
    double *alone = malloc((n + 1) * sizeof *alone);
    uint32_t count = 0;
    if (!alone)
        abort();
    for (uint32_t i = 0; i < n; i++)
        if (got[i].n == 1)
            alone[count++] = got[i].full;
    qsort(alone, count, sizeof *alone, by_number);
    double rate = count < ALONE_LEAST ? 0 : alone[count * 3 / 4];
    free(alone);
    return rate;
}

void gi_shared_fit(const struct gi_shared_got *got, uint32_t n, double few_rate,
                   struct gi_shared_cell *cell)
{
    double mean = 0, least = INFINITY, found[GRID], rate[GRID];
    for (uint32_t i = 0; i < n; i++)
        mean += (got[i].full + got[i].others) / n;
    const double step = 2 * mean / GRID;
    for (uint32_t e = 0; e < GRID; e++) {
        found[e] = INFINITY;
        for (uint32_t r = 0; r < GRID; r++) {
            double off = distance(got, n, step * (r + 1), step * (e + 1));
            if (off < found[e]) {
                found[e] = off;
                rate[e] = step * (r + 1);
            }
        }
        least = fmin(least, found[e]);
    }
    uint32_t low = 0, high = GRID - 1;
    while (found[low] > AS_GOOD * least)
        low++;
    while (found[high] > AS_GOOD * least)
        high--;
    few_rate = fmax(few_rate, alone_rate(got, n));
    uint32_t e = low;
    while (e < high && (step * (e + 1) < few_rate || few_rate == 0))
        e++;
    double each = fmax(fmax(step * (e + 1), few_rate), EACH_LEAST);
    cell->rate_bit_per_s = (uint64_t)as_much(got, n, each, rate[e]);
    cell->each_bit_per_s = each < (double)cell->rate_bit_per_s ? (uint64_t)each : 0;
}
