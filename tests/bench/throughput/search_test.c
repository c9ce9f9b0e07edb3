// The search against devices whose rates are known: what a device loses is a formula of its
// capacity and its buffer, and of faults that the machine adds. The rate at which so little is lost
// follows from the same formula, solved for the rate.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "bench/throughput/search.h"

#define SECONDS  1.0
#define WITHIN   0.011 // the search halves until it is within 1 %
#define CAPACITY 3.7e6

struct device {
    double capacity_pps, buffer;
    double generator_pps; // that the generator does at most; 0: any
    double jitter;        // of the capacity, each trial another
    uint32_t fault_each;  // each so many trials lose a burst, for no reason; 0: none
    uint32_t pause_each;  // the same, and the machine says that it was its fault
    uint32_t late_each;   // each so many trials offer half, and the machine says so
    uint32_t end_at;      // that trial fails; 0: none
    uint32_t trials;
    double highest_pps;
    uint32_t random;
};

static double random_part(struct device *d)
{
    d->random = d->random * 1664525 + 1013904223;
    return d->random / 4294967296.0;
}

static double lost_at(const struct device *d, double pps, double capacity_pps)
{
    double over = (pps - capacity_pps) * SECONDS - d->buffer;
    return over > 0 ? over : 0;
}

static struct trial trial_of(void *device, double pps)
{
    struct device *d = device;
    double capacity = d->capacity_pps * (1 + d->jitter * (random_part(d) - 0.5));
    double offered = d->generator_pps && pps > d->generator_pps ? d->generator_pps : pps;
    struct trial t = {.offered_pps = offered, .offered = (uint64_t)(offered * SECONDS)};
    d->trials++;
    d->highest_pps = fmax(d->highest_pps, pps);
    t.lost = (uint64_t)lost_at(d, offered, capacity);
    t.behind = offered < 0.98 * pps;
    if (d->fault_each && d->trials % d->fault_each == 0)
        t.lost += 5000;
    if (d->pause_each && d->trials % d->pause_each == 0 && !t.lost) {
        t.lost = 5000;
        t.disturbed = true;
    }
    if (d->late_each && d->trials % d->late_each == 0) {
        t.offered_pps /= 2;
        t.offered /= 2;
        t.lost = 0;
        t.behind = t.disturbed = true;
    }
    t.fault = d->trials == d->end_at ? "the books do not balance" : NULL;
    return t;
}

static struct search *searched(struct device *d, struct search_ask ask)
{
    struct search *s = malloc(sizeof *s);
    ask.trial = trial_of;
    ask.device = d;
    ask.repeats = ask.repeats ? ask.repeats : 3;
    ask.first_pps = ask.first_pps ? ask.first_pps : d->capacity_pps;
    search_run(&ask, s);
    return s;
}

// The rate r at which lost_at(r) = loss r.
static double right_rate(const struct device *d, double loss)
{
    return (d->capacity_pps * SECONDS + d->buffer) / (SECONDS * (1 - loss));
}

static void expect_rate(const struct search_rate *rate, double pps, double within)
{
    if (fabs(rate->pps.median - pps) > within * pps)
        fail_msg("found %.0f pps, right is %.0f", rate->pps.median, pps);
    assert_true(rate->pps.least <= rate->pps.median && rate->pps.median <= rate->pps.most);
}

static const struct search_ask usual = {.loss = {0, 1e-5, 1e-3, 0.1}, .losses = 4};

static void finds_each_rate(void **state)
{
    (void)state;
    for (double capacity = 1000; capacity < 1e8; capacity *= 7)
        for (double buffer = 0; buffer < 5; buffer += 2) {
            struct device d = {.capacity_pps = capacity, .buffer = buffer};
            struct search *s = searched(&d, usual);
            assert_null(s->fault);
            for (uint32_t t = 0; t < usual.losses; t++)
                expect_rate(&s->rate[t], right_rate(&d, usual.loss[t]), WITHIN);
            free(s);
        }
}

// Whatever a flood says first.
static void begins_anywhere(void **state)
{
    (void)state;
    for (double first = 0.05; first < 20; first *= 1.7) {
        struct device d = {.capacity_pps = CAPACITY};
        struct search_ask ask = usual;
        ask.first_pps = first * CAPACITY;
        ask.losses = 1;
        struct search *s = searched(&d, ask);
        if (first > 0.3) // 14 rates, each a tenth above the one before
            expect_rate(&s->rate[0], CAPACITY, WITHIN);
        assert_true(s->rate[0].pps.most <= CAPACITY);
        free(s);
    }
}

static void no_rate_that_lost_more(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .jitter = 0.02, .random = 3};
    struct search *s = searched(&d, usual);
    for (uint32_t t = 0; t < usual.losses; t++) {
        expect_rate(&s->rate[t], right_rate(&d, usual.loss[t]), 0.02 + WITHIN);
        assert_true(s->rate[t].offered > 0);
        assert_true((double)s->rate[t].lost <= usual.loss[t] * (double)s->rate[t].offered);
        // A larger share may not mean a lower rate.
        assert_true(t == 0 || s->rate[t].pps.median >= s->rate[t - 1].pps.median);
    }
    free(s);
}

// One fault in four trials does not move the rate without loss: two of three decide.
static void faults_now_and_then(void **state)
{
    (void)state;
    for (uint32_t each = 4; each < 9; each++) {
        struct device d = {.capacity_pps = CAPACITY, .fault_each = each};
        struct search *s = searched(&d, usual);
        expect_rate(&s->rate[0], CAPACITY, WITHIN);
        assert_int_equal(s->disturbed, 0);
        free(s);
    }
}

// A device that always loses some has no rate without loss, and one with a share that covers it.
static void faults_always(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .fault_each = 1};
    struct search *s = searched(&d, usual);
    assert_true(s->rate[0].pps.most == 0);
    // 5000 + over = loss r, from the formula above.
    expect_rate(&s->rate[3], (CAPACITY - 5000) / (1 - 0.1), WITHIN);
    free(s);
}

// Where the machine says that it was its fault, two of three trials may be lost so.
static void disturbed(void **state)
{
    (void)state;
    for (uint32_t each = 2; each < 5; each++) {
        struct device d = {.capacity_pps = CAPACITY, .pause_each = each};
        struct search *s = searched(&d, usual);
        expect_rate(&s->rate[0], CAPACITY, WITHIN);
        assert_true(s->disturbed > 0 && s->disturbed < s->trials);
        free(s);
    }
}

// A trial in which the generator stood offers too little to say anything.
static void disturbed_generator(void **state)
{
    (void)state;
    for (uint32_t each = 2; each < 5; each++) {
        struct device d = {.capacity_pps = CAPACITY, .late_each = each};
        struct search *s = searched(&d, usual);
        expect_rate(&s->rate[0], CAPACITY, WITHIN);
        assert_false(s->rate[0].behind);
        free(s);
    }
}

// But a machine that always does has no rate: such trials count in the end.
static void disturbed_always(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .pause_each = 1};
    struct search *s = searched(&d, usual);
    assert_true(s->rate[0].pps.most == 0);
    assert_true(s->trials < SEARCH_TRIALS_MAX);
    free(s);
}

// There is room for so many trials: a repeat that may not fit is not made, and no 0 among the
// rates.
static void too_many_trials(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .pause_each = 1};
    struct search_ask ask = {.loss = {0, 0.1}, .losses = 2, .repeats = SEARCH_REPEATS_MAX};
    struct search *s = searched(&d, ask);
    uint32_t repeats = s->trial[s->trials - 1].repeat;
    assert_true(repeats > 3 && repeats < SEARCH_REPEATS_MAX && s->trials < SEARCH_TRIALS_MAX);
    expect_rate(&s->rate[1], right_rate(&d, 0.1), WITHIN);
    assert_true(s->rate[1].pps.least > 0.98 * right_rate(&d, 0.1));
    free(s);
}

static void generator_is_the_limit(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .generator_pps = 0.6 * CAPACITY};
    struct search_ask ask = usual;
    ask.first_pps = 0.6 * CAPACITY;
    struct search *s = searched(&d, ask);
    for (uint32_t t = 0; t < usual.losses; t++) {
        expect_rate(&s->rate[t], 0.6 * CAPACITY, WITHIN);
        assert_true(s->rate[t].behind);
    }
    free(s);
    struct device fast = {.capacity_pps = CAPACITY, .generator_pps = 3 * CAPACITY};
    s = searched(&fast, usual);
    assert_false(s->rate[0].behind);
    free(s);
}

static void each_trial_is_kept(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY};
    struct search_ask ask = usual;
    ask.repeats = 2;
    struct search *s = searched(&d, ask);
    assert_int_equal(s->trials, d.trials);
    assert_int_equal(s->trial[0].repeat, 1);
    assert_int_equal(s->trial[s->trials - 1].repeat, 2);
    for (uint32_t i = 0; i < s->trials; i++)
        assert_true(s->trial[i].asked_pps > 0 && s->trial[i].offered > 0);
    free(s);
}

static void a_fault_ends_it(void **state)
{
    (void)state;
    struct device d = {.capacity_pps = CAPACITY, .end_at = 5};
    struct search *s = searched(&d, usual);
    assert_string_equal(s->fault, "the books do not balance");
    assert_int_equal(d.trials, 5);
    free(s);
}

static void spread(void **state)
{
    (void)state;
    double values[] = {3, 1, 2, 9, 4};
    struct spread s = spread_of(values, 5);
    assert_true(s.least == 1 && s.median == 3 && s.most == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_each_rate),
                                       cmocka_unit_test(begins_anywhere),
                                       cmocka_unit_test(no_rate_that_lost_more),
                                       cmocka_unit_test(faults_now_and_then),
                                       cmocka_unit_test(faults_always),
                                       cmocka_unit_test(disturbed),
                                       cmocka_unit_test(disturbed_generator),
                                       cmocka_unit_test(disturbed_always),
                                       cmocka_unit_test(generator_is_the_limit),
                                       cmocka_unit_test(each_trial_is_kept),
                                       cmocka_unit_test(a_fault_ends_it),
                                       cmocka_unit_test(too_many_trials),
                                       cmocka_unit_test(spread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
