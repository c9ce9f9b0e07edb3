// The bucket against the replay with random traffic, and at the ends of all ranges.
#include "tests/dataplane/sched/bucket_trio.h"

static void random_terms(struct trio *trio)
{
    uint32_t rate = random_next() % 8 ? (uint32_t)random_log(1, 65000000) : 0;
    uint32_t max_octets = (uint32_t)random_log(0, random_next() % 2 ? 2 * PDU_MOST : UINT32_MAX);
    trio_set(trio, rate, max_octets);
}

// Often to where the PDU just conforms, or just does not.
static void random_wait(struct trio *trio, uint32_t octets)
{
    uint64_t at_ns = trio_conforms_at(trio, octets);
    uint64_t kind = random_next() % 64;
    if (kind == 0)
        trio->now_ns += random_log(0, YEAR_NS);
    else if (kind < 16)
        trio->now_ns += random_log(0, S_IN_NS);
    else if (at_ns != TIME_NEVER && at_ns > trio->now_ns)
        trio->now_ns = at_ns - random_next() % 2;
}

static void test_random_traffic_and_changes(void **state)
{
    (void)state;
    random_begin();
    for (int round = 0; round < 300; round++) {
        struct trio trio = {.now_ns = random_log(0, YEAR_NS)};
        for (int step = 0; step < 300; step++) {
            uint32_t octets = (uint32_t)random_in(1, PDU_MOST);
            if (step % 50 == 0 || random_next() % 32 == 0)
                random_terms(&trio);
            if (random_next() % 64 == 0)
                trio_ratio(&trio, (uint32_t)random_in(0, 255));
            random_wait(&trio, octets);
            trio_send(&trio, octets);
        }
    }
}

// S2 with one bucket: octets sent between any two instants differ from R t / 8 by no more than a
// PDU and what leaks in the nanosecond that a time is rounded up by.
static void test_a_backlog_gets_exactly_the_rate(void **state)
{
    (void)state;
    random_begin();
    for (int round = 0; round < 300; round++) {
        uint32_t rate = (uint32_t)random_log(1, 65000);
        struct trio trio = trio_begin(0, rate, (uint32_t)random_in(2 * PDU_MOST, 100000));
        trio_ratio(&trio, 100);
        __int128 sent = 0, least = 0, most = 0; // ahead of R t / 8
        for (int i = 0; i < 300; i++) {
            uint32_t octets = (uint32_t)random_in(1, PDU_MOST);
            trio.now_ns = trio_conforms_at(&trio, octets);
            __int128 before = sent - (__int128)rate * trio.now_ns;
            sent += octets * BUCKET_UNITS_AN_OCTET;
            assert_true(trio_send(&trio, octets));
            __int128 after = sent - (__int128)rate * trio.now_ns;
            least = before < least ? before : least;
            most = after > most ? after : most;
        }
        assert_true(most - least <= PDU_MOST * (__int128)BUCKET_UNITS_AN_OCTET + rate);
    }
}

// An MS that goes from its cell's defaults to values of its own and back, while both change.
struct ms {
    struct bucket bucket;
    struct leak leak;
    struct replay_bucket judge;
    bool on_default;
};

static struct bucket_terms ms_terms(const struct ms *ms)
{
    return ms->on_default ? ms->leak.terms : bucket_terms(&ms->bucket);
}

static void ms_level(struct ms *ms, uint64_t level, uint64_t now_ns)
{
    if (ms->on_default)
        return bucket_default_set(&ms->bucket, &ms->leak, level, now_ns);
    ms->bucket.level = level;
    ms->bucket.at_ns = now_ns;
}

static void ms_change(struct ms *ms, uint64_t level, uint64_t now_ns)
{
    uint32_t rate = (uint32_t)random_log(0, 65000), max_octets = (uint32_t)random_log(0, 9999);
    uint64_t kind = random_next() % 3;
    if (kind == 0)
        leak_set(&ms->leak, (struct bucket_terms){rate, max_octets}, now_ns);
    else
        ms->on_default = kind == 1;
    if (kind == 2)
        ms->bucket = (struct bucket){.rate = rate, .max_octets = max_octets};
    ms_level(ms, level, now_ns);
    struct bucket_terms terms = ms_terms(ms);
    replay_set(&ms->judge, now_ns, terms.rate * BUCKET_RATE_BIT_PER_S, terms.max_octets);
}

static void test_defaults_are_left_and_come_back_to(void **state)
{
    (void)state;
    random_begin();
    struct ms ms = {.on_default = true};
    uint64_t now_ns = 0;
    for (int step = 0; step < 200000; step++, now_ns += random_log(0, S_IN_NS)) {
        uint64_t level = ms.on_default ? bucket_default_level(&ms.bucket, &ms.leak, now_ns)
                                       : bucket_level(&ms.bucket, now_ns);
        uint32_t octets = (uint32_t)random_in(1, PDU_MOST);
        assert_true(level * (__int128)BUCKET_RATE_BIT_PER_S == replay_level(&ms.judge, now_ns));
        bool conforms = bucket_conforms(level, ms_terms(&ms), octets);
        assert_int_equal(replay_send(&ms.judge, now_ns, octets), conforms);
        if (conforms)
            level += octets * BUCKET_UNITS_AN_OCTET;
        ms_level(&ms, level, now_ns);
        if (random_next() % 4 == 0)
            ms_change(&ms, level, now_ns);
    }
}

static void test_years_at_any_rate_do_not_run_over(void **state)
{
    (void)state;
    const uint32_t rates[] = {1, RATE, BUCKET_RATE_MAX};
    for (unsigned i = 0; i < 3; i++)
        for (uint64_t begin_ns = 0; begin_ns <= 300 * YEAR_NS; begin_ns += 100 * YEAR_NS) {
            struct trio trio = trio_begin(begin_ns, rates[i], UINT32_MAX);
            trio_ratio(&trio, 255);
            trio_conforms_at(&trio, PDU_MOST);
            trio.now_ns += YEAR_NS;
            trio_conforms_at(&trio, PDU_MOST);
            trio.now_ns += 200 * YEAR_NS;
            expect_octets(&trio, 0);
            assert_true(trio_send(&trio, PDU_MOST));
            trio.now_ns += 1;
            trio_send(&trio, 1);
        }
}

// The integral of a default rate passes 2^64 every 281 s at the highest rate: no bucket notices.
static void test_an_integral_beyond_64_bits(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, BUCKET_RATE_MAX, 1000000);
    for (unsigned __int128 passes = 1; trio.now_ns < 200 * YEAR_NS; passes *= 2) {
        trio.now_ns = (uint64_t)((passes << 64) / BUCKET_RATE_MAX);
        assert_true(trio_send(&trio, PDU_MOST));
        assert_int_equal(trio.on_default.rate, passes - 1);
        trio.now_ns += 5;
        assert_true(trio_level(&trio) > 0);
        assert_true(trio_send(&trio, PDU_MOST));
        assert_int_equal(trio.on_default.rate, passes);
    }
}

// What an offered bucket says it can take is never exceeded, and D is kept: a bucket filled from
// empty has leaked all but one PDU after D.
static void test_the_effective_bucket_is_in_the_offered_one(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 100000; i++) {
        struct bucket_terms offered = {.rate = (uint32_t)random_log(1, BUCKET_RATE_MAX)};
        offered.max_octets = (uint32_t)random_log(0, UINT32_MAX);
        uint64_t delay_ns = random_log(1, DAY_NS);
        struct bucket_terms used = bucket_effective(offered, delay_ns, PDU_MOST, 0);
        struct replay_bucket judge = {0};
        assert_int_equal(used.rate, offered.rate);
        assert_true(used.max_octets <= offered.max_octets);
        replay_set(&judge, 0, used.rate * BUCKET_RATE_BIT_PER_S, used.max_octets);
        replay_ratio(&judge, 0, 100);
        __int128 left = replay_level(&judge, delay_ns);
        assert_true(left <= PDU_MOST * (__int128)REPLAY_OCTET);
        if (used.max_octets < offered.max_octets)
            assert_true(left > (PDU_MOST - 1) * (__int128)REPLAY_OCTET);
        uint32_t least = (uint32_t)random_log(0, UINT32_MAX);
        uint32_t more = bucket_effective(offered, delay_ns, PDU_MOST, least).max_octets;
        assert_true(more <= offered.max_octets);
        assert_true(more == used.max_octets || more == least || more == offered.max_octets);
        assert_true(more >= used.max_octets && (more >= least || more == offered.max_octets));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traffic_and_changes),
        cmocka_unit_test(test_a_backlog_gets_exactly_the_rate),
        cmocka_unit_test(test_defaults_are_left_and_come_back_to),
        cmocka_unit_test(test_years_at_any_rate_do_not_run_over),
        cmocka_unit_test(test_an_integral_beyond_64_bits),
        cmocka_unit_test(test_the_effective_bucket_is_in_the_offered_one),
    };
    return cmocka_run_group_tests_name("sched/bucket_random", tests, NULL, NULL);
}
