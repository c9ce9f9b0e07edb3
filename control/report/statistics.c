// See statistics.h.
#include "control/report/statistics.h"

#include <math.h>

#define TABLE_LAST 30
#define Z975       1.959963984540054 // of the normal distribution

// Beyond the table Fisher's expansion in 1/freedom (Abramowitz and Stegun, 26.7.5), which is right
// to 1e-7 there.
static double expansion(double freedom)
{
    const double z = Z975, z2 = z * z;
    double g1 = z * (z2 + 1) / 4;
    double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

double statistics_t975(uint32_t freedom)
{
    static const double table[TABLE_LAST] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
        2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
        2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
        2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
    return freedom <= TABLE_LAST ? table[freedom - 1] : expansion(freedom);
}

// The part of Student's distribution between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4).
static double inner(double t, uint32_t freedom)
{
    double cosine2 = freedom / (freedom + t * t), sine = t / sqrt(freedom + t * t);
    bool odd = freedom % 2;
    double term = odd ? sqrt(cosine2) : 1, sum = 0;
    for (uint32_t k = odd ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= cosine2 * (k - 1) / k;
    }
    return odd ? (atan2(sine, sqrt(cosine2)) + sine * sum) / asin(1) : sine * sum;
}

double statistics_t_of(uint32_t freedom, uint32_t intervals)
{
    double low = statistics_t975(freedom),
           high = 2 * low * intervals; // the tail falls like 1 / t at least
    while (intervals > 1 && high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (middle <= low || middle >= high)
            break;
        if (1 - inner(middle, freedom) > 0.05 / intervals)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct statistics statistics_of(const double *samples, uint32_t n)
{
    struct statistics s = {.n = n};
    double squares = 0;
    for (uint32_t i = 0; i < n; i++)
        s.mean += samples[i] / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (samples[i] - s.mean) * (samples[i] - s.mean);
    if (n > 1)
        s.ci95 = statistics_t975(n - 1) * sqrt(squares / (n - 1) / n);
    return s;
}

// Values that are all alike depend on nothing, whatever the rounding of their mean says.
struct statistics statistics_of_batches(const double *values, uint32_t n)
{
    double sample[STATISTICS_BATCHES_MOST] = {0}, squares = 0, products = 0;
    uint32_t samples = 0;
    bool alike = true;
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i])) {
            sample[samples++] = values[i];
            alike &= values[i] == sample[0];
        }
    struct statistics s = statistics_of(sample, samples);
    s.batches = true;
    if (alike)
        s.ci95 = 0;
    for (uint32_t i = 0; i < samples; i++)
        squares += (sample[i] - s.mean) * (sample[i] - s.mean);
    for (uint32_t i = 1; i < n; i++)
        if (!isnan(values[i - 1]) && !isnan(values[i]))
            products += (values[i - 1] - s.mean) * (values[i] - s.mean);
    s.lag1 = alike ? 0 : products / squares;
    s.too_short = samples > 0 && s.lag1 > 2 / sqrt(samples);
    return s;
}
