// TTL-RED, first variant, against its closed form: by the N-th look at ages low + k T all but
//   prod k=1..N [1 - min(1, k T max_p / (high - low))]
// are gone. The paper's figure, 0.9991 after 50 looks of 10 ms from 1 s on with 1 s / 3 s / 1.0,
// holds only if k begins at 1.
#include "tests/dataplane/aqm/congested.h"

#define P_50           0.9990804894651839L
#define P_51           0.999314964651562L
#define P_50_FROM_NULL 0.9987739559859536L

static uint32_t word;
static struct rng rng;

static struct aqm_view aged(uint64_t now_ns, uint64_t sojourn_ns)
{
    return (struct aqm_view){.now_ns = now_ns,
                             .sojourn_ns = sojourn_ns,
                             .pdu_octets = 500,
                             .queue_octets = 500,
                             .queue_pdus = 1,
                             .share_octets_per_s = 2500,
                             .rng = &rng,
                             .pdu_word = &word};
}

static struct asked ttl_of(uint64_t low_ns, uint64_t high_ns, uint32_t max_p, uint64_t period_ns)
{
    struct asked a = asked_of("ttl-red-v1");
    asked_param(&a, "low", low_ns);
    asked_param(&a, "high", high_ns);
    asked_param(&a, "max_p", max_p);
    asked_param(&a, "period", period_ns);
    return a;
}

static long double p_at(const struct asked *a, uint64_t sojourn_ns)
{
    struct aqm_view view = aged(100 * S_NS, sojourn_ns);
    return signal_probability(a, asked_out, &view);
}

// The probability to pass the looks first .. last, with the standard period of 10 ms.
static long double passes(uint32_t first, uint32_t last)
{
    long double product = 1;
    for (uint32_t k = first; k <= last; k++)
        product *= 1 - fminl(1, k / 200.0L);
    return product;
}

static void test_published_figures(void **state)
{
    struct asked a = asked_of("ttl-red-v1");
    (void)state;
    asked_ready(&a);
    expect_near(p_at(&a, 1500 * MS_NS), P_50, 1e-15L);
    expect_near(p_at(&a, 1510 * MS_NS - 1), P_50, 1e-15L);
    expect_near(p_at(&a, 1510 * MS_NS), P_51, 1e-15L);
    assert_true(fabsl(p_at(&a, 1500 * MS_NS) - P_50_FROM_NULL) > 0.0003L);
    expect_near(p_at(&a, S_NS), 0, 0);
    expect_near(p_at(&a, 1010 * MS_NS - 1), 0, 0);
    expect_near(p_at(&a, 1010 * MS_NS), 0.005L, 1e-15L);
    expect_near(p_at(&a, 3000 * MS_NS), 1, 0);
    expect_near(p_at(&a, UINT64_MAX), 1, 0);
}

// The curves of the paper's figure 2, with 1 s and 3 s: what is printed is what the AQM does.
static void test_figure_2(void **state)
{
    static const struct {
        uint32_t max_p, period_ms;
    } curves[] = {{1000000, 10}, {500000, 10}, {200000, 10}, {1000000, 50}};
    (void)state;
    for (uint32_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        uint32_t max_p = curves[i].max_p, period_ms = curves[i].period_ms;
        struct asked a = ttl_of(S_NS, 3 * S_NS, max_p, period_ms * MS_NS);
        long double product = 1;
        asked_ready(&a);
        for (uint32_t n = 1; n <= 100; n++) {
            long double p = p_at(&a, (1000 + n * period_ms) * MS_NS);
            product *= n * period_ms >= 2000 ? 0 : 1 - max_p / 1e6L * n * period_ms / 2000;
            expect_near(p, 1 - product, 1e-14L);
            if (n % 10 == 0)
                print_message("# figure 2: maxDP %.1f, T %u ms, N %u: %.6Lf\n", max_p / 1e6,
                              period_ms, n, p);
        }
    }
}

// Without head_only the looks of an N-PDU begin with its own age, whatever left before it.
static void test_others_do_not_matter(void **state)
{
    struct asked a = asked_of("ttl-red-v1");
    struct aqm_view view = aged(100 * S_NS, 1200 * MS_NS);
    (void)state;
    asked_ready(&a);
    asked_out(&a, &view);
    expect_near(p_at(&a, 1500 * MS_NS), P_50, 1e-15L);
}

static void test_published_figure_counted(void **state)
{
    struct asked a = asked_of("ttl-red-v1");
    uint64_t hits = 0, tries = 2000000, early = 0;
    (void)state;
    rng_seed(&rng, 11, 0);
    asked_ready(&a);
    for (uint64_t i = 0; i < tries; i++) {
        struct aqm_view view = aged(100 * S_NS, 1500 * MS_NS);
        hits += asked_out(&a, &view) == AQM_DROP;
        view = aged(100 * S_NS, 1120 * MS_NS);
        early += asked_out(&a, &view) == AQM_DROP;
    }
    print_message("# P(50) = %.6f counted\n", (double)hits / (double)tries);
    expect_share(hits, tries, P_50);
    expect_share(early, tries, 1 - passes(1, 12));
}

static void test_closed_form(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 3000; i++) {
        uint64_t low = random_in(0, 5 * S_NS), width = random_in(10 * MS_NS, 5 * S_NS);
        uint64_t period = random_in((width + 255) / 256, width + S_NS);
        uint32_t max_p = (uint32_t)random_in(0, 1000000);
        if (period < MS_NS)
            period = MS_NS;
        struct asked a = ttl_of(low, low + width, max_p, period);
        asked_ready(&a);
        uint64_t age = low + random_in(0, 2 * width);
        long double product = 1;
        for (uint64_t k = 1; low + k * period <= age; k++) {
            uint64_t rise = k * period;
            product *=
                rise >= width ? 0 : 1 - max_p / 1e6L * (long double)rise / (long double)width;
        }
        expect_near(p_at(&a, age), 1 - product, 1e-14L);
    }
}

// The product of the reference period's p, to the power of T / T0. Q32 rounds the random number and
// its logarithm, less than 2 units together, and the logarithm's multiple and its power, less than
// 2, which come back through the slope of the law.
static void test_t_invariant_closed_form(void **state)
{
    static const uint64_t periods_ms[] = {10, 20, 50, 100, 500};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (uint64_t age_ms = 1000; age_ms < 3000; age_ms += 7) {
            struct asked a = ttl_of(S_NS, 3 * S_NS, 500000, periods_ms[i] * MS_NS);
            asked_param(&a, "t_invariant", 1);
            asked_param(&a, "reference_period", 20 * MS_NS);
            asked_ready(&a);
            long double product = 1, power = (long double)periods_ms[i] / 20;
            for (uint64_t rise = periods_ms[i]; 1000 + rise <= age_ms; rise += periods_ms[i])
                product *= 1 - 0.5L * (long double)rise / 2000;
            long double slope = power * powl(product, power - 1);
            expect_near(p_at(&a, age_ms * MS_NS), 1 - powl(product, power),
                        ldexpl(2 + 2 * slope, -32));
        }
}

// The age by which half are gone: it hardly moves with T if t_invariant is on, and much if not.
static uint64_t median_age_ms(uint64_t period_ms, bool t_invariant)
{
    struct asked a = ttl_of(S_NS, 3 * S_NS, 1000000, period_ms * MS_NS);
    asked_param(&a, "t_invariant", t_invariant);
    asked_ready(&a);
    uint64_t age_ms = 1000;
    while (p_at(&a, age_ms * MS_NS) < 0.5L)
        age_ms++;
    return age_ms;
}

static void test_t_invariance(void **state)
{
    (void)state;
    assert_in_range(median_age_ms(10, false), 1160, 1170);
    assert_in_range(median_age_ms(100, false), 1490, 1510);
    assert_true(median_age_ms(10, true) == median_age_ms(10, false));
    assert_in_range(median_age_ms(20, true), 1150, 1180);
    assert_in_range(median_age_ms(50, true), 1140, 1200);
    assert_in_range(median_age_ms(100, true), 1130, 1200);
}

static void test_max_p_0_waits_for_high(void **state)
{
    (void)state;
    for (int t_invariant = 0; t_invariant <= 1; t_invariant++) {
        struct asked a = ttl_of(S_NS, 3 * S_NS, 0, 10 * MS_NS);
        asked_param(&a, "t_invariant", (uint64_t)t_invariant);
        asked_ready(&a);
        expect_near(p_at(&a, 3 * S_NS - 1), 0, 0);
        expect_near(p_at(&a, 3 * S_NS), 1, 0);
    }
}

static enum aqm_verdict out_saying(struct asked *a, struct aqm_view view, long double u)
{
    struct rng forced = rng_that_says((uint64_t)ldexpl(u, 64));
    view.rng = &forced;
    return asked_out(a, &view);
}

// A came at 10 s as the head and is asked about at 11.5 s, with B, as old, behind it. If A goes at
// its look j, at 11 s + 10 j ms, B has passed no look before and is tried at j + 1 .. 50.
static void test_head_only_after_a_drop(void **state)
{
    (void)state;
    for (uint32_t j = 1; j <= 50; j++) {
        struct asked a = asked_of("ttl-red-v1");
        asked_param(&a, "head_only", 1);
        asked_ready(&a);
        struct aqm_view view = aged(11500 * MS_NS, 1500 * MS_NS);
        long double u = (passes(1, j) + passes(1, j - 1)) / 2; // what fails at j and not before
        assert_int_equal(out_saying(&a, view, u), AQM_DROP);
        expect_near(signal_probability(&a, asked_out, &view), 1 - passes(j + 1, 50), 1e-14L);
    }
}

// If A stays, by luck or by a mark, B becomes the head only then; 200 ms later it has met the looks
// 51 .. 70, or 45 .. 64 if it is 60 ms younger.
static void test_head_only_after_a_pass(void **state)
{
    (void)state;
    for (int marked = 0; marked <= 1; marked++) {
        struct asked a = asked_of("ttl-red-v1");
        asked_param(&a, "head_only", 1);
        asked_param(&a, "ecn", 1);
        asked_ready(&a);
        struct aqm_view view = aged(11500 * MS_NS, 1500 * MS_NS);
        view.ect = true;
        assert_int_equal(out_saying(&a, view, marked ? 0.5L : 0), marked ? AQM_MARK : AQM_PASS);
        expect_near(signal_probability(&a, asked_out, &view), 0, 0);
        view = aged(11700 * MS_NS, 1700 * MS_NS);
        expect_near(signal_probability(&a, asked_out, &view), 1 - passes(51, 70), 1e-14L);
        view = aged(11700 * MS_NS, 1640 * MS_NS);
        expect_near(signal_probability(&a, asked_out, &view), 1 - passes(45, 64), 1e-14L);
        view = aged(14 * S_NS, 1640 * MS_NS); // came when the queue was empty
        expect_near(signal_probability(&a, asked_out, &view), 1 - passes(1, 64), 1e-14L);
    }
}

// A queue of 40 with a service time, looked at by a timer, against the same asked only as each
// leaves: the mean numbers that are dropped, of 4000 runs each, agree within their error.
static uint32_t drops_by_timer(uint64_t service_ms)
{
    uint32_t drops = 0, left = 40;
    uint64_t head_until_ms = service_ms;
    for (uint64_t ms = 0; left; ms++) {
        bool look = ms > 1000 && (ms - 1000) % 10 == 0;
        if (look && random_next() % 2000 < ms - 1000) {
            drops++;
            left--;
        }
        if (left && ms == head_until_ms) {
            left--;
            head_until_ms = ms + service_ms;
        }
    }
    return drops;
}

static uint32_t drops_when_asked(struct asked *a, uint64_t service_ms)
{
    uint32_t drops = 0, left = 40;
    memset(a->vars, 0, sizeof a->vars);
    for (uint64_t ms = service_ms; left; ms += service_ms) {
        bool dropped = true;
        while (left && dropped) {
            struct aqm_view view = aged(ms * MS_NS, ms * MS_NS);
            dropped = asked_out(a, &view) == AQM_DROP;
            drops += dropped;
            left--;
        }
    }
    return drops;
}

static void test_head_only_as_by_a_timer(void **state)
{
    struct asked a = asked_of("ttl-red-v1");
    (void)state;
    random_begin();
    rng_seed(&rng, 3, 0);
    asked_param(&a, "head_only", 1);
    asked_ready(&a);
    for (uint64_t service_ms = 45; service_ms <= 225; service_ms += 30) {
        long double sum[2] = {0}, squares[2] = {0};
        const int runs = 4000;
        for (int i = 0; i < runs; i++) {
            long double drops[2] = {drops_by_timer(service_ms), drops_when_asked(&a, service_ms)};
            for (int k = 0; k < 2; k++) {
                sum[k] += drops[k] / runs;
                squares[k] += drops[k] * drops[k] / runs;
            }
        }
        long double variance = squares[0] - sum[0] * sum[0] + squares[1] - sum[1] * sum[1];
        print_message("# %d ms: %.2Lf and %.2Lf of 40\n", (int)service_ms, sum[0], sum[1]);
        assert_true(sum[0] > 1 && variance > 0);
        expect_near(sum[1], sum[0], 4.5L * sqrtl(variance / runs));
    }
}

static void test_ecn(void **state)
{
    struct asked a = asked_of("ttl-red-v1");
    (void)state;
    asked_param(&a, "ecn", 1);
    asked_ready(&a);
    struct aqm_view view = aged(100 * S_NS, 4 * S_NS);
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
    view.ect = true;
    assert_int_equal(asked_out(&a, &view), AQM_MARK);
}

static void test_refused(void **state)
{
    struct asked a = ttl_of(S_NS, S_NS, 1000000, 10 * MS_NS);
    (void)state;
    assert_string_equal(asked_setup(&a), "low must be below high");
    a = ttl_of(S_NS, S_NS + 2560 * MS_NS, 1000000, 10 * MS_NS);
    assert_null(asked_setup(&a));
    a = ttl_of(S_NS, S_NS + 2560 * MS_NS + 1, 1000000, 10 * MS_NS);
    assert_string_equal(asked_setup(&a), "more than 256 periods between low and high");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "ttl-red-v1"),
        cmocka_unit_test(test_published_figures),
        cmocka_unit_test(test_figure_2),
        cmocka_unit_test(test_others_do_not_matter),
        cmocka_unit_test(test_published_figure_counted),
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_t_invariant_closed_form),
        cmocka_unit_test(test_t_invariance),
        cmocka_unit_test(test_max_p_0_waits_for_high),
        cmocka_unit_test(test_head_only_after_a_drop),
        cmocka_unit_test(test_head_only_after_a_pass),
        cmocka_unit_test(test_head_only_as_by_a_timer),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("aqm/ttl_red_v1", tests, NULL, NULL);
}
