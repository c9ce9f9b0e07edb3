// What all applications have in common: their keys, their begin and end, and that a run is repeated
// octet for octet by its seed.
#include "lab/hosts/app.h"

#include "lab/hosts/app_ftp.h"
#include "lab/hosts/app_http.h"
#include "lab/hosts/app_ping.h"
#include "lab/hosts/app_ptt.h"
#include "lab/hosts/app_stream.h"
#include "lab/hosts/app_traffic.h"
#include "tests/lab/hosts/path.h"

static const struct link_config down = {.rate_bit_per_s = 300000,
                                        .latency_ns = 80 * MS_IN_NS,
                                        .jitter_ns = 20 * MS_IN_NS,
                                        .loss_ppm = 10000,
                                        .queue_packets = 40};
static const struct link_config up = {.rate_bit_per_s = 100000, .latency_ns = 80 * MS_IN_NS};
static const uint8_t sizes[] = {0, 100, 2, 0};

static bool key_is_in_range(const struct field *field)
{
    uint64_t standard = field->key->standard;
    return (standard >= field->least && standard <= field->most) ||
           (standard == 0 && field->key->zero);
}

static uint64_t words_in(const char *text)
{
    uint64_t words = 1;
    for (; *text; text++)
        words += *text == ' ';
    return words;
}

// Each key has its kind as its block and a standard value that it may have; no two are alike; a 0
// that means something is no value of its own, and a choice has a word for each value; a text is a
// sentence for users.
static void test_keys(void **state)
{
    (void)state;
    assert_int_equal(app_kind_count, 8);
    for (uint32_t k = 0; k < app_kind_count; k++) {
        const struct app_kind *kind = app_kinds[k];
        size_t block = strlen(kind->name);
        for (uint32_t i = 0; i < kind->config->count; i++) {
            const struct field *field = &kind->config->fields[i];
            assert_true(strlen(field->help) > 8);
            if (strstr(field->help, "drawn again") && strchr(field->help, ';'))
                fail_msg("no sentence: %s", field->help);
            if (!field->key)
                continue;
            assert_memory_equal(field->key->name, kind->name, block);
            assert_int_equal(field->key->name[block], '.');
            if (strcmp(field->key->type, "choice") == 0)
                assert_int_equal(words_in(field->key->zero), field->most + 1);
            else
                assert_true(!field->key->zero || field->least > 0);
            if (!key_is_in_range(field))
                fail_msg("%s: its standard value is out of range", field->key->name);
            for (uint32_t j = 0; j < i; j++)
                assert_true(!kind->config->fields[j].key ||
                            strcmp(kind->config->fields[j].key->name, field->key->name) != 0);
        }
        assert_string_equal(kind->config->fields[0].name, "start_ns");
        assert_string_equal(kind->config->fields[1].name, "stop_ns");
        assert_string_equal(kind->config->fields[2].name, "spread_ns");
    }
}

// Of every kind but replay and dialogue, which need a file, with standard values.
union any_config {
    struct app_span span;
    struct app_ftp_config ftp;
    struct app_http_config http;
    struct app_ping_config ping;
    struct app_ptt_config ptt;
    struct app_stream_config stream;
    struct app_traffic_config traffic;
};

static const char *const names[] = {"ftp", "http", "ping", "ptt", "stream", "traffic"};
#define NAMES (sizeof names / sizeof names[0])

static struct app *add_span(const char *name, uint32_t number, struct app_span span)
{
    union any_config config;
    path_standard(path_kind(name)->config, &config);
    config.span = span;
    if (strcmp(name, "traffic") == 0)
        config.traffic.sizes = (struct octets){sizes, sizeof sizes};
    return path_app(name, &config, number);
}

static struct app *add(const char *name, uint32_t number, uint64_t start_ns, uint64_t stop_ns)
{
    return add_span(name, number, (struct app_span){start_ns, stop_ns, 0});
}

static void test_start_and_stop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < NAMES; i++) {
        path_setup(&down, &up);
        add(names[i], i, 20 * S_IN_NS, 40 * S_IN_NS);
        path_run_to(20 * S_IN_NS - 1);
        assert_int_equal(path.n[FLOW_HOST] + path.n[FLOW_MS], 0);
        path_run_to(40 * S_IN_NS);
        uint32_t until_stop = path.n[FLOW_HOST] + path.n[FLOW_MS];
        assert_in_range(until_stop, 10, 100000);
        path_run_to(50 * S_IN_NS);
        // Some answers and resets of what was under way.
        assert_in_range(path.n[FLOW_HOST] + path.n[FLOW_MS], until_stop, until_stop + 200);
        uint32_t at_rest = path.n[FLOW_HOST] + path.n[FLOW_MS];
        path_run_to(400 * S_IN_NS);
        assert_int_equal(path.n[FLOW_HOST] + path.n[FLOW_MS], at_rest);
        path_release(NULL);
    }
}

// One that would start when it stops, or later, sends nothing.
static void test_stop_before_start(void **state)
{
    (void)state;
    path_setup(&down, &up);
    for (uint32_t i = 0; i < NAMES; i++)
        add(names[i], i, 10 * S_IN_NS, 10 * S_IN_NS - i % 2);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST] + path.n[FLOW_MS], 0);
    path_release(NULL);
}

// The sum of all that was sent, when and with what.
static uint64_t digest(void)
{
    uint64_t sum = 0;
    for (int from = 0; from < FLOW_ENDS; from++)
        for (uint32_t i = 0; i < path.n[from]; i++) {
            const struct path_sent *s = &path.sent[from][i];
            sum = sum * 6364136223846793005u + s->at_ns;
            sum =
                sum * 6364136223846793005u + s->octets + ((uint64_t)s->destination << 32) + s->tos;
        }
    return sum;
}

static uint64_t run_all(uint32_t stranger)
{
    path_setup(&down, &up);
    for (uint32_t i = 0; i < 4 * NAMES; i++)
        add(names[i % NAMES], i, i * MS_IN_NS, 0);
    if (stranger)
        add("ping", stranger, 0, 0);
    path_run_to(100 * S_IN_NS);
    uint64_t sum = digest();
    path_release(NULL);
    return sum;
}

static void test_the_same_run_twice(void **state)
{
    (void)state;
    uint64_t first = run_all(0);
    assert_true(run_all(0) == first);
    assert_true(run_all(100) != first);
}

#define SPREAD_NS (100 * S_IN_NS)

// A ping of each MS, of which the first request leaves as it begins, all within the spread.
static void run_spread_pings(uint32_t n, uint64_t now_ns, uint64_t start_ns)
{
    struct app_ping_config config;
    path_setup(&down, &up);
    path_standard(&app_ping_config_record, &config);
    config.start_ns = start_ns;
    config.spread_ns = SPREAD_NS;
    config.way = APP_DOWN;
    config.count = 1;
    path_run_to(now_ns);
    for (uint32_t i = 0; i < n; i++)
        path_app("ping", &config, i);
    path_run_to(now_ns + start_ns + SPREAD_NS);
    assert_int_equal(path.n[FLOW_HOST], n);
}

// By Kolmogorov and Smirnov: of n = 1000 that are uniform, the share that has begun is with a
// probability of 0.999 never further than 1.95 / sqrt(n) from the share of time. Neighbours do not
// depend on each other: each begins behind the one before it in half of the cases, with a deviation
// of sqrt((n + 1) / 12) = 9.1.
static void test_spread_is_uniform(void **state)
{
    enum { n = 1000 };
    static uint64_t begin_ns[n];
    uint64_t furthest_ns = SPREAD_NS * 1950 / 31623;
    uint32_t rises = 0;
    (void)state;
    run_spread_pings(n, 0, 7 * S_IN_NS);
    for (uint32_t i = 0; i < n; i++) {
        const struct path_sent *sent = &path.sent[FLOW_HOST][i]; // in order of time
        uint64_t after_ns = sent->at_ns - 7 * S_IN_NS;
        assert_true(after_ns < SPREAD_NS);
        assert_true(after_ns <= i * (SPREAD_NS / n) + furthest_ns);
        assert_true(after_ns + furthest_ns >= (i + 1) * (SPREAD_NS / n));
        begin_ns[sent->destination - PATH_MS] = sent->at_ns;
    }
    for (uint32_t i = 1; i < n; i++)
        rises += begin_ns[i] > begin_ns[i - 1];
    assert_in_range(rises, 499 - 46, 500 + 46);
    path_release(NULL);
}

// A start that has passed: all begin behind now, by the same draws.
static void test_spread_behind_now(void **state)
{
    uint64_t after_ns[20];
    (void)state;
    run_spread_pings(20, 0, 0);
    for (uint32_t i = 0; i < 20; i++)
        after_ns[i] = path.sent[FLOW_HOST][i].at_ns;
    path_release(NULL);
    run_spread_pings(20, 30 * S_IN_NS, 0);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(path.sent[FLOW_HOST][i].at_ns, 30 * S_IN_NS + after_ns[i]);
    path_release(NULL);
}

static uint64_t digest_of_span(const char *name, uint64_t start_ns, uint64_t spread_ns)
{
    path_setup(&down, &up);
    add_span(name, 3, (struct app_span){start_ns, 300 * S_IN_NS, spread_ns});
    path_run_to(400 * S_IN_NS);
    assert_in_range(path.n[FLOW_HOST] + path.n[FLOW_MS], 10, 100000);
    uint64_t sum = digest();
    path_release(NULL);
    return sum;
}

// With a spread an application is octet for octet the one whose start is the time that was drawn:
// the draw changes no other.
static void test_spread_changes_no_other_draw(void **state)
{
    (void)state;
    run_spread_pings(4, 0, 5 * S_IN_NS);
    uint64_t begin_ns = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (path.sent[FLOW_HOST][i].destination == PATH_MS + 3)
            begin_ns = path.sent[FLOW_HOST][i].at_ns;
    path_release(NULL);
    for (uint32_t i = 0; i < NAMES; i++) {
        uint64_t spread = digest_of_span(names[i], 5 * S_IN_NS, SPREAD_NS);
        assert_true(spread == digest_of_span(names[i], begin_ns, 0));
        assert_true(spread != digest_of_span(names[i], 5 * S_IN_NS, 0));
    }
}

// 40 MSs for 1000 s: the flows that have ended are gone, so memory does not grow with time.
static void test_memory_is_flat(void **state)
{
    (void)state;
    path_setup(&(struct link_config){.latency_ns = MS_IN_NS}, &(struct link_config){0});
    struct app_http_config http;
    path_standard(&app_http_config_record, &http);
    http.reuse = APP_HTTP_OBJECT;
    http.embedded = 3;
    for (uint32_t i = 0; i < 5; i++)
        path_app("http", &http, i);
    // An end that has closed waits for 60 s: no more than what was opened in 61 s is there.
    path_run_to(100 * S_IN_NS);
    uint32_t then = path.table.flows.entries;
    path_run_to(1000 * S_IN_NS);
    assert_in_range(then, 5 * 4 * 50, 5 * 4 * 62);
    assert_in_range(path.table.flows.entries, then - 40, then + 40);
    path_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_start_and_stop),
        cmocka_unit_test(test_stop_before_start),
        cmocka_unit_test(test_the_same_run_twice),
        cmocka_unit_test(test_spread_is_uniform),
        cmocka_unit_test(test_spread_behind_now),
        cmocka_unit_test(test_spread_changes_no_other_draw),
        cmocka_unit_test(test_memory_is_flat),
    };
    return cmocka_run_group_tests_name("lab/hosts/app", tests, NULL, NULL);
}
