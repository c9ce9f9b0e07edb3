// The judge is judged by sums that anybody can do: at 8000 bit/s an octet leaks in a millisecond.
#include "tests/oracle/bucket_replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS_NS  1000000ULL
#define DAY_NS (86400000 * MS_NS)

static struct replay_bucket bucket_at(uint64_t now_ns, uint64_t rate, uint64_t octets)
{
    struct replay_bucket bucket = {0};
    replay_set(&bucket, now_ns, rate, octets);
    return bucket;
}

static void expect_octets(const struct replay_bucket *bucket, uint64_t now_ns, int64_t octets)
{
    assert_true(replay_level(bucket, now_ns) == (__int128)octets * REPLAY_OCTET);
}

static void test_a_full_bucket_refuses_until_it_has_leaked(void **state)
{
    (void)state;
    struct replay_bucket bucket = bucket_at(5, 8000, 1000);
    assert_true(replay_send(&bucket, 5, 600));
    assert_true(replay_send(&bucket, 5, 400));
    assert_false(replay_send(&bucket, 5, 1));
    expect_octets(&bucket, 5, 1000);
    assert_int_equal(replay_conforms_at(&bucket, 5, 250), 5 + 250 * MS_NS);
    assert_false(replay_conforms(&bucket, 4 + 250 * MS_NS, 250));
    for (uint32_t octets = 1; octets <= 1000; octets++)
        assert_int_equal(replay_conforms_at(&bucket, 5 + octets % 2, octets), 5 + octets * MS_NS);
    assert_true(replay_send(&bucket, 5 + 250 * MS_NS, 250));
    expect_octets(&bucket, 5 + 250 * MS_NS, 1000);
}

static void test_an_idle_bucket_banks_nothing(void **state)
{
    (void)state;
    struct replay_bucket bucket = bucket_at(0, 8000, 1000);
    assert_int_equal(replay_conforms_at(&bucket, DAY_NS, 1000), DAY_NS);
    assert_true(replay_send(&bucket, DAY_NS, 1000));
    assert_false(replay_send(&bucket, DAY_NS, 1));
}

static void test_too_large_a_pdu_goes_through_an_empty_bucket(void **state)
{
    (void)state;
    struct replay_bucket bucket = bucket_at(0, 8000, 100);
    assert_true(replay_send(&bucket, 0, 500));
    expect_octets(&bucket, 0, 500);
    assert_int_equal(replay_conforms_at(&bucket, 0, 500), 500 * MS_NS);
    assert_int_equal(replay_conforms_at(&bucket, 0, 100), 500 * MS_NS);
    assert_int_equal(replay_conforms_at(&bucket, 0, 99), 499 * MS_NS);
}

static void test_a_rate_of_nothing_is_a_stop(void **state)
{
    (void)state;
    struct replay_bucket bucket = {0};
    assert_false(replay_send(&bucket, 0, 1));
    replay_set(&bucket, 0, 8000, 1000);
    assert_true(replay_send(&bucket, 0, 1000));
    replay_set(&bucket, 400 * MS_NS, 0, 1000);
    assert_false(replay_send(&bucket, DAY_NS, 1));
    assert_int_equal(replay_conforms_at(&bucket, DAY_NS, 1), REPLAY_NEVER);
    expect_octets(&bucket, DAY_NS, 600);
    replay_set(&bucket, DAY_NS, 16000, 500);
    expect_octets(&bucket, DAY_NS + 100 * MS_NS, 400);
}

static void test_a_ratio_sets_the_level(void **state)
{
    (void)state;
    struct replay_bucket bucket = bucket_at(0, 8000, 1000);
    replay_ratio(&bucket, MS_NS, 150);
    expect_octets(&bucket, MS_NS, 1500);
    assert_int_equal(replay_conforms_at(&bucket, MS_NS, 1), 502 * MS_NS);
}

static void test_time_that_goes_back_is_no_excuse(void **state)
{
    (void)state;
    struct replay_bucket bucket = bucket_at(MS_NS, 8000, 1000);
    assert_false(replay_send(&bucket, MS_NS - 1, 1));
}

static void test_all_levels_are_charged_or_none(void **state)
{
    (void)state;
    struct replay_bucket bvc = bucket_at(0, 8000, 1000), ms = bucket_at(0, 8000, 300);
    struct replay_bucket *levels[] = {&bvc, NULL, &ms};
    assert_int_equal(replay_send_all(levels, 3, 0, 200), -1);
    assert_int_equal(replay_send_all(levels, 3, 0, 200), 2);
    expect_octets(&bvc, 0, 200);
    expect_octets(&ms, 0, 200);
    assert_true(replay_send(&bvc, 0, 800));
    assert_int_equal(replay_send_all(levels, 3, 0, 100), 0);
    expect_octets(&ms, 0, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_bucket_refuses_until_it_has_leaked),
        cmocka_unit_test(test_an_idle_bucket_banks_nothing),
        cmocka_unit_test(test_too_large_a_pdu_goes_through_an_empty_bucket),
        cmocka_unit_test(test_a_rate_of_nothing_is_a_stop),
        cmocka_unit_test(test_a_ratio_sets_the_level),
        cmocka_unit_test(test_time_that_goes_back_is_no_excuse),
        cmocka_unit_test(test_all_levels_are_charged_or_none),
    };
    return cmocka_run_group_tests_name("oracle/bucket_replay", tests, NULL, NULL);
}
