// The mean of samples and its confidence interval. Only + - * / and square roots, which every
// machine rounds alike, in the order of the samples.
#ifndef SLUICE_CONTROL_REPORT_STATISTICS_H
#define SLUICE_CONTROL_REPORT_STATISTICS_H

#include <stdint.h>

struct statistics {
    uint32_t n;
    double mean; // 0 without samples
    double ci95; // half the width of the 95 % confidence interval; 0 with less than two samples
};

struct statistics statistics_of(const double *samples, uint32_t n);

// Student's t: the quantile 0.975 with `freedom` degrees of freedom, 1 or more.
double statistics_t975(uint32_t freedom);

#endif
