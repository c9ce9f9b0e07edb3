// Streaming: the constant rate to the packet, the variable one by its mean and its peak.
#include "lab/hosts/app_stream.h"

#include "tests/lab/hosts/path.h"

static struct app_stream_config config;
static const struct link_config fast = {.latency_ns = 10 * MS_IN_NS};

static int make(void **state)
{
    (void)state;
    path_setup(&fast, &fast);
    path_standard(&app_stream_config_record, &config);
    return 0;
}

// 500 octets at 40 kbit/s: one each 100 ms.
static void test_constant(void **state)
{
    (void)state;
    struct app *app = path_app("stream", &config, 0);
    path_run_to(100 * S_IN_NS - 1);
    assert_int_equal(path.n[FLOW_HOST], 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(path.sent[FLOW_HOST][i].octets, 500);
        uint64_t since_ns = path.sent[FLOW_HOST][i].at_ns - path.sent[FLOW_HOST][0].at_ns;
        // Each is at most 1 ns late for rounding up, which does not add up.
        assert_in_range(since_ns, i * 100 * MS_IN_NS - (i > 0), i * 100 * MS_IN_NS + 1);
    }
    assert_int_equal(app->figures.arrived[FLOW_MS].octets,
                     app->figures.arrived[FLOW_MS].packets * 472);
}

// 133 333 333 1/3 ns apart: the third of a nanosecond is not lost.
static void test_a_rate_that_does_not_divide(void **state)
{
    (void)state;
    config.rate_bit_per_s = 30000;
    path_app("stream", &config, 0);
    path_run_to(10000 * S_IN_NS);
    uint32_t n = path.n[FLOW_HOST];
    assert_in_range(n, 74999, 75000);
    uint64_t since_ns = path.sent[FLOW_HOST][n - 1].at_ns - path.sent[FLOW_HOST][0].at_ns;
    assert_in_range(since_ns, (n - 1) * 400000000ull / 3 - 1, (n - 1) * 400000000ull / 3 + 1);
}

// The octets of each second, of which the first is not whole.
static uint32_t in_second[10001];

static uint64_t count_seconds(uint32_t seconds)
{
    uint64_t sum = 0;
    memset(in_second, 0, sizeof in_second);
    for (uint32_t i = 0; i < path.n[FLOW_HOST]; i++)
        in_second[path.sent[FLOW_HOST][i].at_ns / S_IN_NS] += path.sent[FLOW_HOST][i].octets;
    for (uint32_t i = 0; i < seconds; i++)
        sum += in_second[i];
    return sum;
}

// aqm-2006: mean 40, peak 80 kbit/s. Uniform in 0 .. 80 for each second: of 10 000 seconds the mean
// has a deviation of 0.231 kbit/s; no second has more than 10 000 octets and a packet; at most
// one packet, where (octets + phase) / 500 is below 2, is in 7.5 % of them; and the variance of a
// second's octets is 10 000^2 / 12.
static void test_variable(void **state)
{
    uint64_t squares = 0;
    uint32_t low = 0, most = 0;
    (void)state;
    config.peak_bit_per_s = 80000;
    path_app("stream", &config, 0);
    path_run_to(10000 * S_IN_NS - 1);
    uint64_t mean = count_seconds(10000) / 10000;
    assert_in_range(mean, 5000 - 116, 5000 + 116);
    for (uint32_t i = 0; i < 10000; i++) {
        squares += (uint64_t)in_second[i] * in_second[i];
        low += in_second[i] < 1000;
        most = in_second[i] > most ? in_second[i] : most;
    }
    assert_in_range(most, 9500, 10500);
    assert_in_range(low, 750 - 106, 750 + 106);
    assert_in_range(squares / 10000 - mean * mean, 8333333 * 95 / 100, 8333333 * 105 / 100);
}

// Peak five times the mean: nothing in 60 % of the periods.
static void test_a_high_peak(void **state)
{
    uint32_t none = 0;
    (void)state;
    config.peak_bit_per_s = 200000;
    path_app("stream", &config, 0);
    path_run_to(10000 * S_IN_NS - 1);
    assert_in_range(count_seconds(10000) / 10000, 5000 - 320, 5000 + 320);
    for (uint32_t i = 0; i < 10000; i++)
        none += in_second[i] == 0;
    assert_in_range(none, 6000 - 200, 6000 + 260); // some periods have too little for a packet
}

// The mean above half the peak: the rate is never below 2 * mean - peak.
static void test_a_low_peak(void **state)
{
    (void)state;
    config.peak_bit_per_s = 48000;
    path_app("stream", &config, 0);
    path_run_to(10000 * S_IN_NS - 1);
    assert_in_range(count_seconds(10000) / 10000, 5000 - 24, 5000 + 24);
    for (uint32_t i = 1; i < 10000; i++)
        assert_in_range(in_second[i], 3500, 6500);
}

static void test_up_with_ect(void **state)
{
    (void)state;
    config.way = APP_UP;
    config.ect = 1;
    config.stop_ns = 10 * S_IN_NS;
    path_app("stream", &config, 0);
    path_run_to(20 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST], 0);
    assert_in_range(path.n[FLOW_MS], 99, 100);
    assert_int_equal(path.sent[FLOW_MS][0].tos, 2);
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    config.peak_bit_per_s = 39999;
    path_expect_refused("stream", &config, "stream: peak: less than rate");
    config.peak_bit_per_s = 0;
    config.period_ns_law = DRAW_UNIFORM;
    path_expect_refused("stream", &config, "stream: period_law: needs _most");
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_constant),
        STREAM_TEST(test_a_rate_that_does_not_divide),
        STREAM_TEST(test_variable),
        STREAM_TEST(test_a_high_peak),
        STREAM_TEST(test_a_low_peak),
        STREAM_TEST(test_up_with_ect),
        STREAM_TEST(test_values_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_stream", tests, NULL, NULL);
}
