// See gi_chance.h.
#include "control/captures/gi_chance.h"

#include <math.h>

#include "control/report/statistics.h"

#define FREEDOM_MOST 1e9

static struct gi_interval around(double middle, double half)
{
    return (struct gi_interval){middle - half, middle + half};
}

// The degrees of freedom are rounded down, so the interval is rather too wide.
bool gi_chance_of_means(struct gi_sample a, struct gi_sample b, struct gi_interval *interval)
{
    if (!(a.n >= 2 && b.n >= 2) || isnan(a.mean + b.mean + a.deviation + b.deviation))
        return false;
    double va = a.deviation * a.deviation / a.n, vb = b.deviation * b.deviation / b.n;
    double sum = va + vb, freedom = sum * sum / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
    if (!(freedom >= 1)) // all values are alike
        freedom = 1;
    double t = statistics_t975((uint32_t)fmin(freedom, FREEDOM_MOST));
    *interval = around(b.mean - a.mean, t * sqrt(sum));
    return true;
}

bool gi_chance_of_shares(struct gi_sample a, struct gi_sample b, struct gi_interval *interval)
{
    if (!(a.n >= 1 && b.n >= 1) || isnan(a.mean + b.mean))
        return false;
    double pa = (a.mean * a.n + 1) / (a.n + 2), pb = (b.mean * b.n + 1) / (b.n + 2);
    double error = sqrt(pa * (1 - pa) / (a.n + 2) + pb * (1 - pb) / (b.n + 2));
    *interval = around(pb - pa, statistics_t975(UINT32_MAX) * error);
    return true;
}

bool gi_chance_of_errors(double a, double error_a, double b, double error_b,
                         struct gi_interval *interval)
{
    double error = sqrt(error_a * error_a + error_b * error_b);
    if (isnan(a + b + error))
        return false;
    *interval = around(b - a, statistics_t975(UINT32_MAX) * error);
    return true;
}
