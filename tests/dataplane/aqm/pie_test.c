// PIE's probability against RFC 8033: the table of scales row by row, each step against the RFC's
// formula in long double, the updates that were due against a timer that never misses one.
// pie_drops_test.c has what it is used for.
#include "tests/dataplane/aqm/pie_queue.h"

// Each step rounds down twice, by less than 1e-18: once at the scale, once at the decay.
#define OFF 3e-18L

// ---- The formula ----

static const struct {
    long double from, below, divisor;
} table[] = {{0, 1e-6L, 2048},  {1e-6L, 1e-5L, 512}, {1e-5L, 1e-4L, 128}, {1e-4L, 1e-3L, 32},
             {1e-3L, 1e-2L, 8}, {1e-2L, 1e-1L, 2},   {1e-1L, 1.1L, 1}};
#define ROWS (sizeof table / sizeof table[0])

static long double divisor_of(long double p)
{
    size_t row = 0;
    while (p >= table[row].below)
        row++;
    return table[row].divisor;
}

// Section 4.2 and 5.5; delays in seconds.
static long double rfc_step(long double p, long double alpha, long double beta, long double ref,
                            long double delay, long double before)
{
    long double add = (alpha * (delay - ref) + beta * (delay - before)) / divisor_of(p);
    if (p >= 0.1L && add > 0.02L)
        add = 0.02L;
    p += add;
    if (p < 0)
        p = 0;
    if (p > 1)
        p = 1;
    return delay == 0 && before == 0 ? p * 0.98L : p;
}

// One update from that p, with a delay of 15 ms + 8 us and 7 us less before: alpha adds 1e-6, beta
// 8.75e-6.
static void expect_divisor(uint64_t p, long double divisor)
{
    struct asked a = pie();
    set_vars(&a, (struct pie_vars){.p = p, .next_ns = S_NS, .delay_ns = REF_NS + US_NS});
    looks(&a, S_NS, REF_NS + 8 * US_NS);
    expect_near((long double)(vars_of(&a).p - p) / PIE_ONE, 9.75e-6L / divisor, 1e-18L);
}

static void test_table_of_scales(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t from = (uint64_t)llroundl(table[i].from * PIE_ONE);
        uint64_t below = (uint64_t)llroundl(table[i].below * PIE_ONE);
        expect_divisor(from, table[i].divisor);
        expect_divisor(from + (below - from) / 2, table[i].divisor);
        if (i + 1 < ROWS)
            expect_divisor(below - 1, table[i].divisor);
    }
}

static void test_standard_gains(void **state)
{
    struct asked a = pie();
    (void)state;
    set_vars(&a, (struct pie_vars){.p = PIE_ONE / 2, .next_ns = S_NS, .delay_ns = 31 * MS_NS});
    looks(&a, S_NS, 23 * MS_NS); // 0.125 * 8 ms - 1.25 * 8 ms
    expect_near(p_of(&a), 0.5L + 0.001L - 0.01L, OFF);
}

// What long double itself may be off by: 8 roundings of terms of that size.
static long double rounding(long double alpha, long double beta, long double ref, long double delay,
                            long double before)
{
    return 8 * 0x1p-64L * (alpha * (ref + delay) + beta * (delay + before));
}

// Any p, gains and delays: one step each from our own p, so that nothing adds up.
static void test_steps(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t run = 0; run < 300; run++) {
        struct asked a = asked_of("pie");
        uint64_t alpha = random_in(0, 2000000), beta = random_in(0, 20000000);
        uint64_t ref_ns = random_in(1, 2 * S_NS);
        asked_param(&a, "alpha", alpha);
        asked_param(&a, "beta", beta);
        asked_param(&a, "ref", AQM_LEVEL_OF(AQM_LEVEL_TIME, ref_ns));
        asked_ready(&a);
        set_vars(&a, (struct pie_vars){.p = PIE_ONE >> random_in(0, 60), .next_ns = S_NS});
        long double of_alpha = (long double)alpha / 1e6L, of_beta = (long double)beta / 1e6L;
        long double ref = (long double)ref_ns / 1e9L, delay = 0, before = 0;
        for (uint64_t now_ns = S_NS; now_ns < 6 * S_NS; now_ns += STEP_NS) {
            long double p = p_of(&a);
            uint64_t delay_ns = random_in(0, ref_ns * 2 / US_NS) * US_NS;
            delay = random_next() % 4 ? before : (long double)delay_ns / 1e9L;
            looks(&a, now_ns, (uint64_t)llroundl(delay * 1e9L));
            expect_near(p_of(&a), rfc_step(p, of_alpha, of_beta, ref, delay, before),
                        OFF + rounding(of_alpha, of_beta, ref, delay, before));
            before = delay;
        }
    }
}

static void test_rise_is_capped(void **state)
{
    (void)state;
    for (uint32_t tenth = 0; tenth <= 9; tenth++) {
        struct asked a = pie();
        uint64_t p = tenth ? PIE_ONE / 10 * tenth : PIE_ONE / 10 - 1;
        set_vars(&a, (struct pie_vars){.p = p, .next_ns = S_NS});
        looks(&a, S_NS, S_NS);
        if (tenth)
            assert_true(vars_of(&a).p == p + PIE_ONE / 50);
        else // below 0.1: (0.125 * 0.985 + 1.25) / 2
            expect_near(p_of(&a), 0.1L + 0.6865625L, OFF);
    }
}

static void test_decay_of_an_empty_queue(void **state)
{
    struct asked a = asked_of("pie");
    asked_param(&a, "alpha", 0);
    asked_ready(&a);
    (void)state;
    set_vars(&a, (struct pie_vars){.p = PIE_ONE / 2, .next_ns = S_NS, .delay_ns = 1});
    looks(&a, S_NS, 0); // the delay before was not 0
    expect_near(p_of(&a), 0.5L, 1e-8L);
    long double p = p_of(&a);
    for (uint32_t i = 1; i <= 50; i++) {
        looks(&a, S_NS + i * STEP_NS, 0);
        expect_near(p_of(&a), p *= 0.98L, i * OFF);
    }
}

// 3000 octets are 3 ms at RATE, 30 ms at a tenth of it; so are 2 N-PDUs of 1500.
static void test_ref_in_octets_and_n_pdus(void **state)
{
    static const uint64_t refs[] = {AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 3000),
                                    AQM_LEVEL_OF(AQM_LEVEL_PDUS, 2)};
    (void)state;
    for (size_t i = 0; i < sizeof refs / sizeof refs[0]; i++)
        for (uint32_t share = RATE; share >= RATE / 10; share -= RATE / 10) {
            struct asked a = asked_of("pie");
            asked_param(&a, "ref", refs[i]);
            asked_param(&a, "beta", 0);
            asked_ready(&a);
            set_vars(&a, (struct pie_vars){.p = PIE_ONE / 2, .next_ns = S_NS});
            struct aqm_view view = queue_of(S_NS, 4 * MS_NS); // 4000 octets
            view.share_octets_per_s = share;
            asked_out(&a, &view);
            uint64_t off_ns = 4000 * S_NS / share - 3000 * S_NS / share;
            expect_near(p_of(&a), 0.5L + 0.125e-9L * (long double)off_ns, OFF);
        }
}

// ---- Updates without a timer ----

// A queue that changes at random times. One of the two is asked only then, the other at least once
// each millisecond: the same p at every change.
static void test_what_fell_due_is_made_up_for(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t run = 0; run < 50; run++) {
        struct asked lazy = pie(), eager = lazy;
        uint64_t now_ns = S_NS, delay_ns = 0;
        looks(&lazy, now_ns, 0);
        looks(&eager, now_ns, 0);
        for (uint32_t i = 0; i < 200; i++) {
            uint64_t change_ns = now_ns + random_in(0, 400) * MS_NS;
            for (; now_ns < change_ns; now_ns += MS_NS)
                looks(&eager, now_ns, delay_ns);
            now_ns = change_ns;
            looks(&eager, now_ns, delay_ns);
            looks(&lazy, now_ns, delay_ns);
            assert_memory_equal(lazy.vars, eager.vars, sizeof lazy.vars);
            delay_ns = random_next() % 3 ? random_in(0, 60) * MS_NS : 0;
        }
    }
}

static void test_first_look_begins(void **state)
{
    struct asked a = pie();
    (void)state;
    comes(&a, 1000000 * S_NS, 10 * S_NS);
    assert_true(vars_of(&a).p == 0);
    looks(&a, 1000000 * S_NS + STEP_NS - 1, 10 * S_NS);
    assert_true(vars_of(&a).p == 0);
    looks(&a, 1000000 * S_NS + STEP_NS, 10 * S_NS);
    assert_true(vars_of(&a).p > 0);
}

// An empty queue: from 1 to 0 in 178 updates.
static void test_p_of_an_idle_queue_is_gone(void **state)
{
    struct asked a = pie();
    (void)state;
    set_vars(&a, (struct pie_vars){.p = PIE_ONE, .next_ns = S_NS});
    struct asked slow = a, days = a;
    for (uint32_t i = 0; i < 177; i++)
        looks(&slow, S_NS + i * STEP_NS, 0);
    assert_true(vars_of(&slow).p > 0);
    looks(&slow, S_NS + 177 * STEP_NS, 0);
    assert_true(vars_of(&slow).p == 0);
    looks(&days, 10 * 86400 * S_NS, 0);
    assert_true(vars_of(&days).p == 0);
}

// 200 updates at most, at a standing queue; the next comes at the time it would have.
static void test_standstill_is_bounded(void **state)
{
    struct asked a = pie();
    uint64_t now_ns = S_NS + 57600000 * STEP_NS; // 10 days
    (void)state;
    set_vars(&a,
             (struct pie_vars){.p = PIE_ONE / 2, .next_ns = S_NS, .delay_ns = REF_NS + 8 * US_NS});
    looks(&a, now_ns, REF_NS + 8 * US_NS); // each adds 1e-6
    expect_near(p_of(&a), 0.5L + 200e-6L, OFF);
    looks(&a, now_ns + STEP_NS - 1, REF_NS + 8 * US_NS);
    expect_near(p_of(&a), 0.5L + 200e-6L, OFF);
    looks(&a, now_ns + STEP_NS, REF_NS + 8 * US_NS);
    expect_near(p_of(&a), 0.5L + 201e-6L, OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_of_scales),
        cmocka_unit_test(test_standard_gains),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_rise_is_capped),
        cmocka_unit_test(test_decay_of_an_empty_queue),
        cmocka_unit_test(test_ref_in_octets_and_n_pdus),
        cmocka_unit_test(test_what_fell_due_is_made_up_for),
        cmocka_unit_test(test_first_look_begins),
        cmocka_unit_test(test_p_of_an_idle_queue_is_gone),
        cmocka_unit_test(test_standstill_is_bounded),
    };
    return cmocka_run_group_tests_name("aqm/pie", tests, NULL, NULL);
}
