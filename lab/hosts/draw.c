// See draw.h. Logarithms and exponentials are those of dataplane/base/fixed.h, the rest is IEEE
// arithmetic, so that every machine draws the same numbers. Normal variates by the polar method
// (G. Marsaglia, T. A. Bray, "A convenient method for generating normal variables", 1964).
#include "lab/hosts/draw.h"

#include <math.h>
#include <stdio.h>

#include "dataplane/base/fixed.h"

#define LN_2       0.69314718055994530942
#define Q32        4294967296.0
#define TRIES      1000 // behind them the value is moved into its range
#define VALUE_MOST 1e18

static double neg_ln(double p)
{
    uint64_t q32 = (uint64_t)(p * Q32);
    return (double)fixed_neg_ln(q32 ? q32 : 1) / Q32;
}

// By powers of 2, since fixed_exp_neg has few digits left far from 0; below, none are needed.
static double exponential_of(double x)
{
    double scale = 1;
    for (; x >= LN_2; x -= LN_2)
        scale *= 2;
    return 2 * scale * ((double)fixed_exp_neg((uint64_t)((LN_2 - x) * Q32)) / Q32);
}

// Uniform in (0, 1].
static double uniform(struct rng *rng)
{
    return (double)((rng_next(rng) >> 32) + 1) / Q32;
}

static double normal(struct rng *rng)
{
    double u, v, s;
    do {
        u = 2 * uniform(rng) - 1;
        v = 2 * uniform(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(2 * neg_ln(s) / s);
}

static double lognormal(const struct draw *draw, struct rng *rng)
{
    double mean = (double)draw->mean, relative = (double)draw->deviation / mean;
    double variance = neg_ln(1 / (1 + relative * relative)); // of the logarithm
    return mean * exponential_of(sqrt(variance) * normal(rng) - variance / 2);
}

// The exponent alpha follows from the mean: mean = least * alpha / (alpha - 1).
static double pareto(const struct draw *draw, struct rng *rng)
{
    double mean = (double)draw->mean, least = (double)draw->least;
    double one_by_alpha = (mean - least) / mean;
    return least * exponential_of(neg_ln(uniform(rng)) * one_by_alpha);
}

static uint64_t to_integer(double value)
{
    return value < VALUE_MOST ? (uint64_t)(value + 0.5) : (uint64_t)VALUE_MOST;
}

static uint64_t draw_once(const struct draw *draw, struct rng *rng)
{
    switch (draw->law) {
    case DRAW_UNIFORM:
        return draw->least + rng_below(rng, draw->most - draw->least + 1);
    case DRAW_EXPONENTIAL:
        return rng_exponential(rng, draw->mean);
    case DRAW_LOGNORMAL:
        return draw->mean ? to_integer(lognormal(draw, rng)) : 0;
    case DRAW_PARETO:
        return to_integer(pareto(draw, rng));
    default:
        return draw->mean;
    }
}

uint64_t draw_next(const struct draw *draw, struct rng *rng)
{
    uint64_t value = draw_once(draw, rng);
    if (draw->law == DRAW_FIXED)
        return value;
    for (int i = 0; i < TRIES; i++) {
        if (value >= draw->least && (!draw->most || value <= draw->most))
            return value;
        value = draw_once(draw, rng);
    }
    return value < draw->least ? draw->least : draw->most ? draw->most : value;
}

const char *draw_fault(const struct draw *draw)
{
    if (draw->most && draw->most < draw->least)
        return "_most: less than _least";
    if (draw->law == DRAW_UNIFORM && !draw->most)
        return "_law: needs _most";
    if (draw->law == DRAW_LOGNORMAL && !draw->deviation)
        return "_law: needs _deviation";
    if (draw->law == DRAW_PARETO && (!draw->least || draw->least >= draw->mean))
        return "_law: needs a _least that is less than the mean";
    return NULL;
}

const char *draw_key_fault(const struct draw *draw, const char *key)
{
    static _Thread_local char text[128];
    const char *fault = draw_fault(draw);
    if (!fault)
        return NULL;
    snprintf(text, sizeof text, "%s%s", key, fault);
    return text;
}
