// The mean of samples and its confidence interval. Only + - * / and square roots, which every
// machine rounds alike, in the order of the samples; but statistics_t_of.
#ifndef SLUICE_CONTROL_REPORT_STATISTICS_H
#define SLUICE_CONTROL_REPORT_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

struct statistics {
    uint32_t n;
    double mean;  // 0 without samples
    double ci95;  // half the width of the 95 % confidence interval; 0 with less than two samples
    bool batches; // the samples are of batches of one run
    double lag1;  // then: the autocorrelation of neighbours
    bool
        too_short; // that is more than 2 / sqrt(n): batches depend on each other, ci95 is too small
};

#define STATISTICS_BATCHES_MOST 100

struct statistics statistics_of(const double *samples, uint32_t n);

// Of batches of a run, in the order of time; NAN: one has no value.
struct statistics statistics_of_batches(const double *values, uint32_t n);

// Student's t: the quantile 0.975 with `freedom` degrees of freedom, 1 or more.
double statistics_t975(uint32_t freedom);
// For so many intervals at once, of which in 95 % of all cases none misses its value (Bonferroni):
// the quantile 1 - 0.025 / intervals, to 1e-9.
double statistics_t_of(uint32_t freedom, uint32_t intervals);

#endif
