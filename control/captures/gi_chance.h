// Whether two captures differ by more than chance: the 95 % interval of a difference, B - A.
#ifndef SLUICE_CONTROL_CAPTURES_GI_CHANCE_H
#define SLUICE_CONTROL_CAPTURES_GI_CHANCE_H

#include <stdbool.h>

struct gi_interval {
    double least, most;
};

struct gi_sample {
    double n, mean, deviation; // deviation: of the values
};

// Student's interval after Welch: the deviations need not be alike. False: fewer than two values.
bool gi_chance_of_means(struct gi_sample a, struct gi_sample b, struct gi_interval *interval);

// Two shares of n flows each, by the normal approximation with one hit and one miss added to each
// (Agresti and Caffo), which holds for few hits as well. False: no flows.
bool gi_chance_of_shares(struct gi_sample a, struct gi_sample b, struct gi_interval *interval);

// Two figures with their standard errors, by the normal approximation.
bool gi_chance_of_errors(double a, double error_a, double b, double error_b,
                         struct gi_interval *interval);

#endif
