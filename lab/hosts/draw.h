// Numbers drawn by a named law: sizes, counts and times of applications. A value outside least ..
// most is drawn again, so that the mean given is that of the law before it is cut off.
#ifndef SLUICE_LAB_HOSTS_DRAW_H
#define SLUICE_LAB_HOSTS_DRAW_H

#include "dataplane/base/rng.h"
#include "dataplane/wire/field.h"

enum draw_law {
    DRAW_FIXED,
    DRAW_UNIFORM,     // least .. most, whatever the mean
    DRAW_EXPONENTIAL, // by its mean
    DRAW_LOGNORMAL,   // by its mean and standard deviation
    DRAW_PARETO,      // by its mean, from least on
    DRAW_LAWS
};

struct draw {
    enum draw_law law;
    uint64_t mean, deviation, least, most; // most 0: no limit
};

// The five keys of a drawn quantity: the field `noun` is its mean, and `key` the mean's key. Its
// other fields are noun_law and so on. help: the quantity, such as "the silence between bursts";
// note: more about its mean.
#define DRAW_KEYS(KEY, T, kind, noun, key, zero, low, high, standard, help) \
    DRAW_KEYS_WITH_NOTE(KEY, T, kind, noun, key, zero, low, high, standard, help, "")
#define DRAW_KEYS_WITH_NOTE(KEY, T, kind, noun, key, zero, low, high, standard, help, note) \
    KEY(T, kind, noun, key, zero, low, high, standard, "mean of " help note)                \
    KEY(T, CHOICE, noun##_law, key "_law", "fixed uniform exponential lognormal pareto",    \
        DRAW_FIXED, DRAW_LAWS - 1, DRAW_FIXED,                                              \
        "law of " help "; uniform from _least to _most, Pareto from _least on")             \
    KEY(T, kind, noun##_deviation, key "_deviation", NULL, 0, high, 0,                      \
        "standard deviation of " help ", if lognormal")                                     \
    KEY(T, kind, noun##_least, key "_least", NULL, 0, high, 0,                              \
        "smaller values of " help " are drawn again")                                       \
    KEY(T, kind, noun##_most, key "_most", "unlimited", (low) ? (low) : 1, high, 0,         \
        "larger values of " help " are drawn again")

#define DRAW_OF(config, noun)                                           \
    ((struct draw){(enum draw_law)(config)->noun##_law, (config)->noun, \
                   (config)->noun##_deviation, (config)->noun##_least, (config)->noun##_most})

// NULL, or why the law cannot be drawn from: the end of a key's name, and what is wrong with it.
const char *draw_fault(const struct draw *draw);

// The same with the key of the mean before it; valid until the next call.
const char *draw_key_fault(const struct draw *draw, const char *key);

uint64_t draw_next(const struct draw *draw, struct rng *rng);

#endif
