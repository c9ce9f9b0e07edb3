// Ping: the round trip is what the links make it, to the nanosecond; each request is answered,
// still waits, or is given up at its time.
#include "lab/hosts/app_ping.h"

#include "tests/dataplane/wire/judge.h"
#include "tests/lab/hosts/path.h"

static struct app_ping_config config;
static struct app *app;
static struct {
    uint32_t n;
    uint64_t begin_ns[2000], round_trip_ns[2000];
} seen;
static struct app_times times;

// 84 octets at 64 kbit/s are 10.5 ms, at 32 kbit/s 21 ms.
static const struct link_config down = {.rate_bit_per_s = 64000, .latency_ns = 7 * MS_IN_NS};
static const struct link_config up = {.rate_bit_per_s = 32000, .latency_ns = 30 * MS_IN_NS};
#define ROUND_TRIP_NS (10500000u + 7000000u + 21000000u + 30000000u)

static void record(void *self, const struct app *by, enum app_record what, uint64_t begin_ns,
                   uint64_t octets, uint64_t now_ns)
{
    assert_ptr_equal(self, &seen);
    assert_ptr_equal(by, app);
    assert_int_equal(what, APP_RECORD_round_trip);
    assert_int_equal(octets, config.data_octets);
    seen.begin_ns[seen.n] = begin_ns;
    seen.round_trip_ns[seen.n++] = now_ns - begin_ns;
}

static int make(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    path_setup(&down, &up);
    path.world.owner = (struct app_owner){&seen, record};
    path_standard(&app_ping_config_record, &config);
    config.start_ns = 3 * S_IN_NS;
    config.count = 50;
    return 0;
}

static void test_from_the_ms(void **state)
{
    (void)state;
    config.interval_ns = 2002 * MS_IN_NS;
    app = path_app("ping", &config, 0);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(seen.n, 50);
    assert_int_equal(app->figures.open, 0);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(seen.begin_ns[i], 3 * S_IN_NS + i * 2002 * MS_IN_NS);
        assert_int_equal(seen.round_trip_ns[i], ROUND_TRIP_NS);
    }
    const struct app_tally *t = &app->figures.of[APP_RECORD_round_trip];
    assert_int_equal(t->n, 50);
    assert_int_equal(t->least_ns, ROUND_TRIP_NS);
    assert_int_equal(t->most_ns, ROUND_TRIP_NS);
    assert_int_equal(t->sum_ns, 50ull * ROUND_TRIP_NS);
    assert_int_equal(path.n[FLOW_MS], 50);
    assert_int_equal(path.n[FLOW_HOST], 50);
    assert_int_equal(path.sent[FLOW_MS][0].octets, 84);
    assert_int_equal(app->figures.unanswered, 0);
}

static void test_from_the_host(void **state)
{
    (void)state;
    config.way = APP_DOWN;
    config.data_octets = 1472;
    app = path_app("ping", &config, 0);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(seen.n, 50);
    assert_int_equal(path.sent[FLOW_HOST][0].octets, 1500);
    // 1500 octets: 187.5 ms and 375 ms.
    assert_int_equal(seen.round_trip_ns[0], 187500000u + 7000000u + 375000000u + 30000000u);
}

// The link takes 21 ms for each, the requests come each 10 ms: the round trip grows, and all that
// are not given up are answered.
static void test_a_queue_makes_the_round_trip_grow(void **state)
{
    (void)state;
    config.interval_ns = 10 * MS_IN_NS;
    config.count = 1000;
    app = path_app("ping", &config, 0);
    path_run_to(60 * S_IN_NS);
    assert_int_equal(seen.n, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(seen.round_trip_ns[i], ROUND_TRIP_NS + i * 11 * MS_IN_NS);
}

// At any time each request is answered, given up, or open.
static void test_those_that_are_open(void **state)
{
    (void)state;
    config.interval_ns = 10 * MS_IN_NS;
    config.count = 200;
    config.timeout_ns = ROUND_TRIP_NS + 1100 * MS_IN_NS; // of number 100
    app = path_app("ping", &config, 0);
    const struct app_figures *f = &app->figures;
    path_run_to(config.start_ns + 5 * MS_IN_NS);
    assert_int_equal(f->open, 1);
    path_run_to(config.start_ns + 1000 * MS_IN_NS);
    assert_int_equal(f->sent[FLOW_MS].packets, 101);
    // Answers leave the slower link each 21 ms, from the first round trip on.
    uint64_t answers = (1000 * MS_IN_NS - ROUND_TRIP_NS) / (21 * MS_IN_NS) + 1;
    assert_int_equal(seen.n, answers);
    assert_int_equal(f->open, 101 - answers);
    path_run_to(config.start_ns + 2500 * MS_IN_NS);
    assert_int_equal(f->sent[FLOW_MS].packets, 200);
    assert_true(f->unanswered > 0);
    assert_true(f->open > 0);
    assert_int_equal(seen.n + f->unanswered + f->open, 200);
    path_run_to(60 * S_IN_NS);
    assert_int_equal(f->open, 0);
}

static void test_a_late_answer_is_given_up(void **state)
{
    (void)state;
    config.interval_ns = 10 * MS_IN_NS;
    config.count = 200;
    config.timeout_ns = ROUND_TRIP_NS + 1100 * MS_IN_NS; // of number 100
    app = path_app("ping", &config, 0);
    path_run_to(60 * S_IN_NS);
    assert_int_equal(seen.n, 100);
    assert_int_equal(app->figures.unanswered, 100);
    assert_int_equal(app->figures.duplicates[FLOW_MS], 100);
    assert_int_equal(app->figures.arrived[FLOW_MS].packets, 200);
}

// Of all that were sent, each is answered or given up by the end; numbers pass 65536.
static void test_losses(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config = path.link[FLOW_MS].config = (struct link_config){
        .latency_ns = 500 * MS_IN_NS, .jitter_ns = 900 * MS_IN_NS, .loss_ppm = 200000};
    path.world.owner = (struct app_owner){0};
    config.interval_ns = 1 * MS_IN_NS;
    config.count = 70000;
    config.timeout_ns = 5 * S_IN_NS;
    app = path_app("ping", &config, 0);
    path_run_to(100 * S_IN_NS);
    const struct app_figures *f = &app->figures;
    uint64_t answered = f->of[APP_RECORD_round_trip].n;
    assert_int_equal(f->sent[FLOW_MS].packets, 70000);
    assert_int_equal(answered + f->unanswered, 70000);
    assert_in_range(answered, 44800 - 510, 44800 + 510);
    assert_int_equal(f->duplicates[FLOW_MS], 0);
    assert_in_range(f->of[APP_RECORD_round_trip].least_ns, 1000 * MS_IN_NS, 1900 * MS_IN_NS);
    assert_in_range(f->of[APP_RECORD_round_trip].most_ns, 1900 * MS_IN_NS, 2800 * MS_IN_NS);
}

// Of those that were sent since a mark each is answered or given up, too, and of no other.
static void test_a_mark(void **state)
{
    (void)state;
    path.link[FLOW_HOST].config = path.link[FLOW_MS].config = (struct link_config){
        .latency_ns = 500 * MS_IN_NS, .jitter_ns = 900 * MS_IN_NS, .loss_ppm = 200000};
    path.world.owner = (struct app_owner){0};
    config.interval_ns = 1 * MS_IN_NS;
    config.count = 20000;
    config.timeout_ns = 5 * S_IN_NS;
    app = path_app("ping", &config, 0);
    path_run_to(11 * S_IN_NS + 1);
    const struct app_figures *f = &app->figures;
    assert_int_equal(f->sent[FLOW_MS].packets, 8001);
    assert_true(f->unanswered > 100);
    assert_int_equal(f->of[APP_RECORD_round_trip].n + f->unanswered + f->open, 8001);
    path.world.mark_ns = 11 * S_IN_NS + 1;
    app_mark(app);
    assert_int_equal(f->open, 0);
    path_run_to(12 * S_IN_NS);
    assert_in_range(f->open, 1, 1000);
    assert_int_equal(f->of[APP_RECORD_round_trip].n + f->unanswered + f->open,
                     f->sent[FLOW_MS].packets);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(f->open, 0);
    assert_int_equal(f->sent[FLOW_MS].packets, 11999);
    assert_int_equal(f->of[APP_RECORD_round_trip].n + f->unanswered, 11999);
    assert_true(f->arrived[FLOW_MS].packets >
                f->of[APP_RECORD_round_trip].n); // the others' answers
}

// What many applications share.
static void test_the_histogram(void **state)
{
    char error[APP_ERROR_ROOM];
    (void)state;
    memset(&times, 0, sizeof times);
    struct app_place place = {&path.world, &times, {PATH_HOST, PATH_MS}, {0}, 77, NULL, false};
    path.app[path.apps++] = app = app_create(&app_ping_kind, &config, &place, error);
    app_start(app, 0);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(times.of[APP_RECORD_round_trip].samples, 50);
    assert_int_equal(histogram_quantile(&times.of[APP_RECORD_round_trip], 500), ROUND_TRIP_NS);
}

static void test_stop(void **state)
{
    (void)state;
    config.stop_ns = 5 * S_IN_NS + 1;
    app = path_app("ping", &config, 0);
    path_run_to(200 * S_IN_NS);
    assert_int_equal(seen.n, 3);
}

// Answers that nobody waits for: the same again, one to a number that was never sent, and one at
// the wrong end. They are counted, and no round trip is made of them.
static uint8_t answer[100];

static void arrive_twice(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)self;
    memcpy(answer, ip, octets);
    flow_table_input(&path.table, FLOW_MS, ip, octets, now_ns);
    flow_table_input(&path.table, FLOW_MS, ip, octets, now_ns);
}

// The first request is lost, so that it waits all the time.
static void arrive_but_first(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)self;
    if (ip[27] > 0)
        flow_table_input(&path.table, FLOW_HOST, ip, octets, now_ns);
}

static enum flow_fault arrive_changed(enum flow_end at)
{
    answer[22] = answer[23] = 0;
    uint16_t sum = plain_checksum(answer + 20, 64);
    answer[22] = (uint8_t)(sum >> 8);
    answer[23] = (uint8_t)sum;
    return flow_table_input(&path.table, at, answer, 84, engine_now_ns(path.engine));
}

static void test_answers_to_nothing(void **state)
{
    (void)state;
    path.link[FLOW_HOST].owner.deliver = arrive_twice; // which the path's books do not have
    path.link[FLOW_MS].owner.deliver = arrive_but_first;
    config.count = 5;
    app = path_app("ping", &config, 0);
    assert_int_equal(engine_run(path.engine, 20 * S_IN_NS, NULL, NULL), 0);
    assert_int_equal(seen.n, 4);
    assert_int_equal(app->figures.duplicates[FLOW_MS], 4);
    for (uint32_t number = 5; number < 8; number++) { // content and number move on together
        answer[27]++;
        for (int i = 28; i < 84; i++)
            answer[i]++;
        assert_int_equal(arrive_changed(FLOW_MS), FLOW_TAKEN);
    }
    assert_int_equal(app->figures.duplicates[FLOW_MS], 7);
    uint8_t address[4];
    memcpy(address, answer + 12, 4);
    memcpy(answer + 12, answer + 16, 4);
    memcpy(answer + 16, address, 4);
    answer[27] -= 7; // of the one that waits
    for (int i = 28; i < 84; i++)
        answer[i] -= 7;
    assert_int_equal(arrive_changed(FLOW_HOST), FLOW_TAKEN);
    assert_int_equal(app->figures.duplicates[FLOW_HOST], 1);
    assert_int_equal(seen.n, 4);
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    config.interval_ns = MS_IN_NS;
    config.timeout_ns = 100 * S_IN_NS;
    path_expect_refused("ping", &config, "too many requests would wait");
}

#define PING_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PING_TEST(test_from_the_ms),
        PING_TEST(test_from_the_host),
        PING_TEST(test_a_queue_makes_the_round_trip_grow),
        PING_TEST(test_those_that_are_open),
        PING_TEST(test_a_late_answer_is_given_up),
        PING_TEST(test_losses),
        PING_TEST(test_a_mark),
        PING_TEST(test_the_histogram),
        PING_TEST(test_answers_to_nothing),
        PING_TEST(test_stop),
        PING_TEST(test_values_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_ping", tests, NULL, NULL);
}
