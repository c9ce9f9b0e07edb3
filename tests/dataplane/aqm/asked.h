// An AQM on its own, asked by a test. The random number of a decision can be chosen, so that the
// probability behind it is found exactly, by bisection over that number, and not by counting.
#ifndef TESTS_DATAPLANE_AQM_ASKED_H
#define TESTS_DATAPLANE_AQM_ASKED_H

#include <math.h>
#include <string.h>

#include "dataplane/aqm/aqm.h"
#include "tests/dataplane/random.h"

#define MS_NS 1000000ULL
#define S_NS  1000000000ULL

struct asked {
    struct aqm aqm;
    uint64_t params[AQM_PARAMS_MAX];
    _Alignas(16) uint8_t vars[AQM_VARS_OCTETS];
};

// With its standard parameters; asked_param and asked_ready follow.
static inline struct asked asked_of(const char *name)
{
    struct asked a = {.aqm.ops = aqm_of_name(name)};
    assert_non_null(a.aqm.ops);
    aqm_standard_params(a.aqm.ops, a.params);
    return a;
}

// False: the discipline has no such parameter.
static inline bool asked_param_if_any(struct asked *a, const char *name, uint64_t value)
{
    uint32_t i = 0;
    while (i < a->aqm.ops->param_count && strcmp(a->aqm.ops->params[i].name, name) != 0)
        i++;
    if (i == a->aqm.ops->param_count)
        return false;
    a->params[i] = value;
    return true;
}

static inline void asked_param(struct asked *a, const char *name, uint64_t value)
{
    assert_true(asked_param_if_any(a, name, value));
}

// NULL, or why not.
static inline const char *asked_setup(struct asked *a)
{
    memset(a->vars, 0, sizeof a->vars);
    const char *wrong = aqm_setup(&a->aqm, a->aqm.ops, a->params);
    if (!wrong && a->aqm.ops->reset)
        a->aqm.ops->reset(a->aqm.config, a->vars);
    return wrong;
}

static inline void asked_ready(struct asked *a)
{
    const char *wrong = asked_setup(a);
    if (wrong)
        print_error("%s\n", wrong);
    assert_null(wrong);
}

static inline enum aqm_verdict asked_in(struct asked *a, const struct aqm_view *view)
{
    return a->aqm.ops->enqueue ? a->aqm.ops->enqueue(a->aqm.config, a->vars, view) : AQM_PASS;
}

static inline enum aqm_verdict asked_out(struct asked *a, const struct aqm_view *view)
{
    return a->aqm.ops->dequeue ? a->aqm.ops->dequeue(a->aqm.config, a->vars, view) : AQM_PASS;
}

// The inverse of an odd number modulo 2^64, by Newton.
static inline uint64_t odd_inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

// A generator whose next number is u: xoshiro256** puts out rotl(s[1] * 5, 7) * 9.
static inline struct rng rng_that_says(uint64_t u)
{
    uint64_t x = u * odd_inverse(9);
    return (struct rng){{1, (x >> 7 | x << 57) * odd_inverse(5), 2, 3}};
}

typedef enum aqm_verdict asked_way(struct asked *a, const struct aqm_view *view);

static inline bool signals_at(const struct asked *a, asked_way *way, const struct aqm_view *view,
                              uint64_t u)
{
    struct asked copy = *a;
    struct rng rng = rng_that_says(u);
    struct aqm_view forced = *view;
    forced.rng = &rng;
    return way(&copy, &forced) != AQM_PASS;
}

// How probable a mark or drop is now, of a discipline that holds one random number against one
// bound. Nothing is changed.
static inline long double signal_probability(const struct asked *a, asked_way *way,
                                             const struct aqm_view *view)
{
    bool at_low = signals_at(a, way, view, 0);
    uint64_t low = 0, high = UINT64_MAX;
    if (signals_at(a, way, view, high) == at_low)
        return at_low;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (signals_at(a, way, view, middle) == at_low)
            low = middle;
        else
            high = middle;
    }
    long double share = ldexpl((long double)high, -64);
    return at_low ? share : 1 - share;
}

static inline void expect_near(long double found, long double expected, long double off)
{
    if (!(fabsl(found - expected) <= off))
        print_error("%.12Lg where %.12Lg is expected, within %Lg\n", found, expected, off);
    assert_true(fabsl(found - expected) <= off);
}

// hits out of tries, each of that probability: within 4.5 standard deviations (1 in 150 000).
static inline void expect_share(uint64_t hits, uint64_t tries, long double p)
{
    long double n = (long double)tries;
    expect_near((long double)hits / n, p, 4.5L * sqrtl(p * (1 - p) / n));
}

#endif
