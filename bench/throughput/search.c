// See search.h. The trials of a repeat serve all its tolerances: what was lost at a rate says for
// each of them whether it passed.
#include "bench/throughput/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_MAX      64u // rates of a repeat
#define TRIES_MAX      14u // rates that are tried for a tolerance
#define DECIDE         2u  // trials of one verdict
#define DISTURBED_MOST 10u // trials at a rate that are not counted
#define BEHIND_MOST    3u  // rates in a row, and the generator does no more
#define RISE           1.1 // while nothing fails
#define REPEAT_MOST    (LOADS_MAX * (DISTURBED_MOST + 2 * DECIDE - 1)) // trials of a repeat
_Static_assert(REPEAT_MOST <= SEARCH_TRIALS_MAX, "one fits");

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread spread_of(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, compare);
    return (struct spread){values[0], values[n / 2], values[n - 1]};
}

// A rate that was tried, and what its trials said for each tolerance.
struct load {
    double asked_pps;
    double offered_pps; // by the trial that offered least, of those that count
    uint32_t passed[SEARCH_LOSSES_MAX], failed[SEARCH_LOSSES_MAX];
    uint64_t offered[SEARCH_LOSSES_MAX], lost[SEARCH_LOSSES_MAX]; // of those that passed
    uint32_t disturbed;
    bool behind;
};

enum verdict { VERDICT_NONE, VERDICT_ONCE, VERDICT_DOUBT, VERDICT_PASS, VERDICT_FAIL };

struct course {
    const struct search_ask *ask;
    struct search *search;
    struct load load[LOADS_MAX];
    uint32_t loads, repeat;
};

static enum verdict verdict_of(const struct load *load, uint32_t t)
{
    if (load->failed[t] >= DECIDE)
        return VERDICT_FAIL;
    if (load->passed[t] >= DECIDE)
        return VERDICT_PASS;
    return load->failed[t] ? VERDICT_DOUBT : load->passed[t] ? VERDICT_ONCE : VERDICT_NONE;
}

static void note(const struct search_ask *ask, struct load *load, const struct trial *trial)
{
    load->disturbed += trial->disturbed;
    bool counts = !trial->disturbed || load->disturbed > DISTURBED_MOST;
    bool in_time = counts || !trial->behind;
    if (in_time) {
        if (trial->offered_pps < load->offered_pps)
            load->offered_pps = trial->offered_pps;
        load->behind = trial->behind;
    }
    for (uint32_t t = 0; t < ask->losses; t++) {
        bool passed = (double)trial->lost <= ask->loss[t] * (double)trial->offered;
        if (passed && in_time) {
            load->passed[t]++;
            load->offered[t] += trial->offered;
            load->lost[t] += trial->lost;
        } else if (counts) {
            load->failed[t]++;
        }
    }
}

// False: the search ends.
static bool try(struct course *c, struct load *load)
{
    struct search *s = c->search;
    struct trial trial = c->ask->trial(c->ask->device, load->asked_pps);
    trial.asked_pps = load->asked_pps;
    trial.repeat = c->repeat + 1;
    s->trial[s->trials++] = trial;
    s->disturbed += trial.disturbed;
    s->fault = trial.fault;
    if (!trial.fault)
        note(c->ask, load, &trial);
    return !trial.fault;
}

static bool try_new(struct course *c, double pps)
{
    if (c->loads == LOADS_MAX)
        return false;
    struct load *load = &c->load[c->loads++];
    *load = (struct load){.asked_pps = pps, .offered_pps = pps};
    return try(c, load);
}

// The highest rate that passed once or more; the least above it that failed; NULL: none. A failure
// below a rate that passed is chance.
struct bounds {
    struct load *low, *high, *open; // open: a rate that is to be tried again
};

static struct bounds bounds_of(struct course *c, uint32_t t)
{
    struct bounds b = {0};
    for (struct load *l = c->load; l < c->load + c->loads; l++) {
        enum verdict v = verdict_of(l, t);
        if ((v == VERDICT_PASS || v == VERDICT_ONCE) &&
            (!b.low || l->offered_pps > b.low->offered_pps))
            b.low = l;
    }
    for (struct load *l = c->load; l < c->load + c->loads; l++) {
        enum verdict v = verdict_of(l, t);
        if (v == VERDICT_PASS || (b.low && l->offered_pps <= b.low->offered_pps))
            continue;
        if (v != VERDICT_FAIL)
            b.open = l;
        else if (!b.high || l->offered_pps < b.high->offered_pps)
            b.high = l;
    }
    return b;
}

static uint32_t behind_in_row(const struct course *c)
{
    uint32_t n = 0;
    while (n < c->loads && c->load[c->loads - 1 - n].behind)
        n++;
    return n;
}

// One rate more for this tolerance, or one trial more at a rate. False: it is found.
static bool go_on(struct course *c, uint32_t t, uint32_t *tries)
{
    struct bounds b = bounds_of(c, t);
    double low = b.low ? b.low->offered_pps : 0, high = b.high ? b.high->offered_pps : 0;
    if (b.open)
        return try(c, b.open);
    bool near = b.high && high - low <= SEARCH_PRECISION * high;
    if (near || behind_in_row(c) >= BEHIND_MOST || *tries == TRIES_MAX)
        return b.low && verdict_of(b.low, t) == VERDICT_ONCE && try(c, b.low);
    ++*tries;
    if (b.high)
        return try_new(c, (low + high) / 2);
    return try_new(c, b.low ? RISE * b.low->asked_pps : c->ask->first_pps);
}

static void find(struct course *c, uint32_t t, double *pps)
{
    struct search_rate *rate = &c->search->rate[t];
    uint32_t tries = 0;
    while (go_on(c, t, &tries))
        ;
    struct bounds b = bounds_of(c, t);
    *pps = b.low ? b.low->offered_pps : 0;
    if (b.low) {
        rate->offered += b.low->offered[t];
        rate->lost += b.low->lost[t];
        rate->behind |= !b.high && behind_in_row(c) >= BEHIND_MOST;
    }
}

void search_run(const struct search_ask *ask, struct search *search)
{
    double pps[SEARCH_LOSSES_MAX][SEARCH_REPEATS_MAX];
    uint32_t i = 0;
    *search = (struct search){0};
    for (; i < ask->repeats && search->trials + REPEAT_MOST <= SEARCH_TRIALS_MAX; i++) {
        struct course c = {.ask = ask, .search = search, .repeat = i};
        for (uint32_t t = 0; t < ask->losses && !search->fault; t++)
            find(&c, t, &pps[t][i]);
        if (search->fault)
            return;
    }
    for (uint32_t t = 0; t < ask->losses; t++)
        search->rate[t].pps = spread_of(pps[t], i);
}
