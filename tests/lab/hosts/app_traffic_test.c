// UDP traffic: when it is sent, how much, with which sizes, and what its user is told of what
// arrives.
#include "lab/hosts/app_traffic.h"

#include "tests/lab/hosts/path.h"

static struct app_traffic_config config;
static struct app *app;
static const struct link_config fast = {.latency_ns = 10 * MS_IN_NS};

static const uint8_t size_100[] = {0, 100};
static const uint8_t three_sizes[] = {0, 36, 2, 64, 5, 220}; // 36, 576, 1500

static int make(void **state)
{
    (void)state;
    path_setup(&fast, &fast);
    path_standard(&app_traffic_config_record, &config);
    config.start_ns = 1 * S_IN_NS;
    config.stop_ns = 11 * S_IN_NS;
    config.rate_bit_per_s = 80000;
    config.sizes = (struct octets){size_100, sizeof size_100};
    return 0;
}

static uint32_t run(enum flow_end from)
{
    app = path_app("traffic", &config, 0);
    path_run_to(20 * S_IN_NS);
    assert_int_equal(path.n[flow_far(from)], 0);
    assert_int_equal(app->figures.sent[from].packets, path.n[from]);
    assert_int_equal(app->figures.arrived[flow_far(from)].packets, path.n[from]);
    assert_int_equal(app->figures.missing[flow_far(from)], 0);
    return path.n[from];
}

// 100 octets at 80 kbit/s are one packet each 10 ms, from start to before stop.
static void test_constant_intervals(void **state)
{
    (void)state;
    uint32_t n = run(FLOW_HOST);
    const struct path_sent *sent = path.sent[FLOW_HOST];
    assert_int_equal(n, 1000);
    assert_in_range(sent[0].at_ns, 1 * S_IN_NS, 1 * S_IN_NS + 10 * MS_IN_NS);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(sent[i].octets, 100);
        assert_int_equal(sent[i].destination, PATH_MS);
        assert_int_equal(sent[i].tos, 0);
        assert_int_equal(sent[i].at_ns, sent[0].at_ns + i * 10 * MS_IN_NS);
    }
    assert_int_equal(app->figures.sent[FLOW_HOST].octets, 72 * 1000);
    assert_int_equal(app->figures.arrived[FLOW_MS].octets, 72 * 1000);
}

static void test_up(void **state)
{
    (void)state;
    config.way = APP_UP;
    assert_int_equal(run(FLOW_MS), 1000);
    assert_int_equal(path.sent[FLOW_MS][0].destination, PATH_HOST);
}

// Counts in windows of 100 ms have a mean and a variance of 10. Of 10 000 windows, the mean's
// standard deviation is 0.03, the variance's 0.14; and intervals shorter than half the mean
// are 39.3 %.
static void test_poisson(void **state)
{
    static uint32_t in_window[10000];
    uint64_t sum = 0, squares = 0, shorter = 0;
    (void)state;
    memset(in_window, 0, sizeof in_window);
    config.arrivals = APP_TRAFFIC_POISSON;
    config.start_ns = 0;
    config.stop_ns = 1000 * S_IN_NS;
    app = path_app("traffic", &config, 0);
    path_run_to(1001 * S_IN_NS);
    const struct path_sent *sent = path.sent[FLOW_HOST];
    for (uint32_t i = 0; i < path.n[FLOW_HOST]; i++) {
        in_window[sent[i].at_ns / (100 * MS_IN_NS)]++;
        shorter += i > 0 && sent[i].at_ns - sent[i - 1].at_ns < 5 * MS_IN_NS;
    }
    for (uint32_t i = 0; i < 10000; i++) {
        sum += in_window[i];
        squares += in_window[i] * in_window[i];
    }
    uint64_t variance = squares / 100 - sum * sum / 1000000; // hundredths
    assert_in_range(sum, 100000 - 1265, 100000 + 1265);
    assert_in_range(variance, 1000 - 60, 1000 + 60);
    assert_in_range(shorter * 1000 / path.n[FLOW_HOST], 393 - 7, 393 + 7);
}

// The rate holds for the mean of the sizes: 704 octets at 400 kbit/s are one packet each 14.08 ms.
// Each size is drawn a third of the time, 4 standard deviations being 50 of 710.
static void test_sizes(void **state)
{
    uint32_t drawn[1501] = {0};
    (void)state;
    config.sizes = (struct octets){three_sizes, sizeof three_sizes};
    config.rate_bit_per_s = 400000;
    uint32_t n = run(FLOW_HOST);
    assert_in_range(n, 710, 711);
    for (uint32_t i = 0; i < n; i++)
        drawn[path.sent[FLOW_HOST][i].octets]++;
    assert_int_equal(drawn[36] + drawn[576] + drawn[1500], n);
    assert_in_range(drawn[36], 237 - 50, 237 + 50);
    assert_in_range(drawn[576], 237 - 50, 237 + 50);
}

static void test_ect(void **state)
{
    (void)state;
    config.ect = 1;
    run(FLOW_HOST);
    assert_int_equal(path.sent[FLOW_HOST][0].tos, 2);
}

// On for 50 ms, off for 150 ms: 5 packets, then a gap of 160 ms, whatever the phase.
static void test_on_and_off_of_fixed_length(void **state)
{
    (void)state;
    config.on_ns = 50 * MS_IN_NS;
    config.off_ns = 150 * MS_IN_NS;
    uint32_t n = run(FLOW_HOST), in_row = 1, rows = 0;
    assert_in_range(n, 245, 250);
    for (uint32_t i = 1; i < n; i++) {
        uint64_t gap_ns = path.sent[FLOW_HOST][i].at_ns - path.sent[FLOW_HOST][i - 1].at_ns;
        if (gap_ns == 10 * MS_IN_NS) {
            in_row++;
            continue;
        }
        assert_int_equal(gap_ns, 160 * MS_IN_NS);
        if (rows++ > 0)
            assert_int_equal(in_row, 5);
        in_row = 1;
    }
    assert_in_range(rows, 48, 50);
}

// On a quarter of the time, 1 s and 3 s on average: over 4000 s about 1000 pairs of periods; the
// relative standard deviation of the share is sqrt(2 / 1000) * 3/4.
static void test_on_and_off_of_exponential_length(void **state)
{
    (void)state;
    config.on_ns = 1 * S_IN_NS;
    config.off_ns = 3 * S_IN_NS;
    config.on_ns_law = config.off_ns_law = DRAW_EXPONENTIAL;
    config.arrivals = APP_TRAFFIC_POISSON;
    config.stop_ns = 4001 * S_IN_NS;
    app = path_app("traffic", &config, 0);
    path_run_to(4001 * S_IN_NS);
    uint32_t n = path.n[FLOW_HOST], pauses = 0;
    for (uint32_t i = 1; i < n; i++)
        pauses +=
            path.sent[FLOW_HOST][i].at_ns - path.sent[FLOW_HOST][i - 1].at_ns > 150 * MS_IN_NS;
    assert_in_range(n, 100000 - 13400, 100000 + 13400);
    // A pause is shorter than 150 ms in 5 % of all.
    assert_in_range(pauses, 950 - 125, 950 + 125);
}

// What the link loses and exchanges is told to the user: sent = arrived + missing, in order.
static void test_losses_are_told(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config.loss_ppm = 100000;
    app = path_app("traffic", &config, 0);
    path_run_to(10 * S_IN_NS);
    const struct app_figures *f = &app->figures;
    uint64_t lost = path.link[FLOW_HOST].counters.lost[NET_LOSS_link_random].packets;
    uint64_t held = path.link[FLOW_HOST].counters.held.packets;
    assert_in_range(lost, 90 - 36, 90 + 36);
    assert_int_equal(f->arrived[FLOW_MS].packets + lost + held, f->sent[FLOW_HOST].packets);
    // The last ones are not missed yet when none has arrived behind them.
    assert_in_range(f->missing[FLOW_MS], lost - 3, lost);
    assert_int_equal(f->duplicates[FLOW_MS], 0);
    assert_int_equal(f->late[FLOW_MS], 0);
}

static void test_many_do_not_send_in_step(void **state)
{
    uint32_t in_first_half = 0;
    (void)state;
    config.stop_ns = config.start_ns + 10 * MS_IN_NS;
    for (uint32_t i = 0; i < 100; i++)
        path_app("traffic", &config, i);
    path_run_to(2 * S_IN_NS);
    assert_in_range(path.n[FLOW_HOST], 99, 100);
    for (uint32_t i = 0; i < path.n[FLOW_HOST]; i++)
        in_first_half += path.sent[FLOW_HOST][i].at_ns < config.start_ns + 5 * MS_IN_NS;
    assert_in_range(in_first_half, 30, 70);
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    static const uint8_t small[] = {0, 31}, large[] = {5, 221};
    run(FLOW_HOST);
    config.off_ns = 1;
    path_expect_refused("traffic", &config, "traffic: off: needs on");
    config.off_ns = 0;
    config.sizes = (struct octets){small, 2};
    path_expect_refused("traffic", &config, "traffic: size: a packet has 32 to 1500 octets");
    config.sizes = (struct octets){large, 2};
    path_expect_refused("traffic", &config, "traffic: size: a packet has 32 to 1500 octets");
    config.sizes = (struct octets){large, 1};
    path_expect_refused("traffic", &config, "traffic: size: a list of 1 to 32");
}

#define UDP_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        UDP_TEST(test_constant_intervals),
        UDP_TEST(test_up),
        UDP_TEST(test_poisson),
        UDP_TEST(test_sizes),
        UDP_TEST(test_ect),
        UDP_TEST(test_on_and_off_of_fixed_length),
        UDP_TEST(test_on_and_off_of_exponential_length),
        UDP_TEST(test_losses_are_told),
        UDP_TEST(test_many_do_not_send_in_step),
        UDP_TEST(test_values_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_traffic", tests, NULL, NULL);
}
