// The bucket by hand, mostly at 8000 bit/s: there an octet leaks in a millisecond.
#include "tests/dataplane/sched/bucket_trio.h"

static void test_the_first_pdu_finds_an_empty_bucket(void **state)
{
    (void)state;
    struct trio trio = trio_begin(7 * DAY_NS, RATE, 1000);
    expect_octets(&trio, 0);
    assert_true(trio_send(&trio, 1000));
    expect_octets(&trio, 1000);
}

static void test_the_boundary_is_exact(void **state)
{
    (void)state;
    struct trio trio = trio_begin(5, RATE, 1000);
    assert_true(trio_send(&trio, 600));
    assert_int_equal(trio_conforms_at(&trio, 401), 5 + MS_NS);
    assert_true(trio_send(&trio, 400)); // B* = Bmax conforms
    assert_int_equal(trio_conforms_at(&trio, 250), 5 + 250 * MS_NS);
    trio.now_ns = 4 + 250 * MS_NS;
    assert_false(trio_send(&trio, 250));
    trio.now_ns++;
    assert_true(trio_send(&trio, 250));
    expect_octets(&trio, 1000);
}

// 300 bit/s: an octet in 26 666 666 2/3 ns. The third of a nanosecond is not lost.
static void test_a_time_between_nanoseconds_is_the_next_one(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, 3, 100);
    assert_true(trio_send(&trio, 100));
    for (uint64_t octet = 1; octet <= 3000; octet++) {
        trio.now_ns = trio_conforms_at(&trio, 1);
        assert_int_equal(trio.now_ns, (octet * 80000000 + 2) / 3);
        assert_true(trio_send(&trio, 1));
    }
}

static void test_an_idle_bucket_banks_no_credit(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, RATE, 1000);
    assert_true(trio_send(&trio, 1000));
    trio.now_ns = DAY_NS;
    expect_octets(&trio, 0);
    assert_true(trio_send(&trio, 1000));
    assert_false(trio_send(&trio, 1));
}

static void test_a_rate_of_nothing_stops_and_a_later_one_resumes(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, 0, 1000);
    assert_false(trio_send(&trio, 1));
    assert_int_equal(trio_conforms_at(&trio, 1), TIME_NEVER);
    trio_set(&trio, RATE, 1000);
    assert_true(trio_send(&trio, 1000));
    trio.now_ns = 400 * MS_NS;
    trio_set(&trio, 0, 1000);
    trio.now_ns = DAY_NS;
    assert_int_equal(trio_conforms_at(&trio, 1), TIME_NEVER);
    expect_octets(&trio, 600);
    trio_set(&trio, RATE, 1000);
    assert_true(trio_send(&trio, 400));
    assert_int_equal(trio_conforms_at(&trio, 1), DAY_NS + MS_NS);
}

static void test_a_change_settles_at_the_old_rate(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, RATE, 1000);
    assert_true(trio_send(&trio, 1000));
    trio.now_ns = 100 * MS_NS;
    trio_set(&trio, 10 * RATE, 1000);
    expect_octets(&trio, 900);
    trio.now_ns = 150 * MS_NS;
    expect_octets(&trio, 400);
    trio_set(&trio, RATE, 300); // B is above the new Bmax: it has to leak first
    assert_int_equal(trio_conforms_at(&trio, 50), 300 * MS_NS);
    trio_set(&trio, RATE, 2000);
    assert_true(trio_send(&trio, 1600));
}

static void test_a_ratio_may_be_above_100(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, RATE, 1000);
    trio_ratio(&trio, 0);
    expect_octets(&trio, 0);
    trio_ratio(&trio, 50);
    expect_octets(&trio, 500);
    trio.now_ns = MS_NS;
    trio_ratio(&trio, 255);
    expect_octets(&trio, 2550);
    assert_int_equal(trio_conforms_at(&trio, 1), MS_NS + 1551 * MS_NS);
    assert_int_equal(trio_conforms_at(&trio, 1001), MS_NS + 2550 * MS_NS);
}

static void test_without_a_limit_all_conforms(void **state)
{
    (void)state;
    const struct bucket_terms terms = {BUCKET_UNLIMITED, 7777};
    assert_true(bucket_conforms(UINT64_MAX / 2, terms, 1600));
    assert_int_equal(bucket_conforms_at(UINT64_MAX / 2, terms, 1600, 77), 77);
    assert_int_equal(bucket_effective(terms, 1, 0, 0).rate, BUCKET_UNLIMITED);
    assert_int_equal(bucket_effective(terms, 1, 0, 0).max_octets, 7777);
}

// ---- Faults that an implementation in use has; the fourth, overtaking, is not a bucket's ----

// 1600 octets, then idle, then 500: the bucket holds 500, not 1600 and not 2100.
static void test_fault_b_after_idle_the_charge_is_exact(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, RATE, 1600);
    assert_true(trio_send(&trio, 1600));
    trio.now_ns = 60 * S_IN_NS;
    assert_true(trio_send(&trio, 500));
    expect_octets(&trio, 500);
    assert_true(trio_send(&trio, 1000));
    expect_octets(&trio, 1500);
    assert_int_equal(trio_conforms_at(&trio, 101), 60 * S_IN_NS + MS_NS);
}

// 60 octets every 9 ms are 6667 octets/s, under R = 10 000: none waits. And who sends all that
// conforms every 9 ms gets all of R.
static void test_fault_c_no_rate_is_lost_at_9_ms_spacing(void **state)
{
    (void)state;
    struct trio trio = trio_begin(0, 800, 150);
    for (int i = 0; i < 10000; i++, trio.now_ns += 9 * MS_NS)
        assert_true(trio_send(&trio, 60));
    trio = trio_begin(0, 800, 150);
    uint64_t sent = 0;
    for (int i = 0; i <= 10000; i++, trio.now_ns += 9 * MS_NS)
        while (trio_send(&trio, 60))
            sent += 60;
    assert_in_range(sent, 900000 + 150 - 60 + 1, 900000 + 150);
}

static void test_fault_d_a_pdu_larger_than_the_bucket_passes_an_empty_one(void **state)
{
    (void)state;
    for (uint32_t max_octets = 0; max_octets < PDU_MOST; max_octets += 399) {
        struct trio trio = trio_begin(0, RATE, max_octets);
        assert_true(trio_send(&trio, PDU_MOST));
        expect_octets(&trio, PDU_MOST);
        assert_int_equal(trio_conforms_at(&trio, PDU_MOST), PDU_MOST * MS_NS);
        assert_int_equal(trio_conforms_at(&trio, max_octets + 1), PDU_MOST * MS_NS);
        if (max_octets > 0)
            assert_int_equal(trio_conforms_at(&trio, 1), (PDU_MOST + 1 - max_octets) * MS_NS);
        trio.now_ns = PDU_MOST * MS_NS - 1;
        assert_false(trio_send(&trio, PDU_MOST));
        trio.now_ns++;
        assert_true(trio_send(&trio, PDU_MOST));
    }
}

// ---- The effective Bmax ----

static void test_the_effective_bucket_holds_the_delay_and_one_pdu(void **state)
{
    (void)state;
    const struct bucket_terms terms = {RATE, 10000};
    assert_int_equal(bucket_effective(terms, S_IN_NS / 2, 1520, 0).max_octets, 2020);
    assert_int_equal(bucket_effective(terms, S_IN_NS / 2 - 1, 1520, 0).max_octets, 2019);
    assert_int_equal(bucket_effective(terms, S_IN_NS / 2, 1520, 0).rate, RATE);
    assert_int_equal(bucket_effective(terms, 0, 1520, 0).max_octets, 10000);
    assert_int_equal(bucket_effective(terms, DAY_NS, 1520, 0).max_octets, 10000);
    assert_int_equal(bucket_effective((struct bucket_terms){0, 10000}, MS_NS, 1520, 0).max_octets,
                     1520);
    assert_int_equal(bucket_effective((struct bucket_terms){RATE, 99}, 1, 1520, 0).max_octets, 99);
}

// At 8000 bit/s 20 ms are 20 octets.
static void test_the_effective_bucket_has_its_least(void **state)
{
    (void)state;
    const struct bucket_terms terms = {RATE, 10000};
    assert_int_equal(bucket_effective(terms, 20 * MS_NS, 506, 1200).max_octets, 1200);
    assert_int_equal(bucket_effective(terms, 20 * MS_NS, 506, 526).max_octets, 526);
    assert_int_equal(bucket_effective(terms, 20 * MS_NS, 506, 527).max_octets, 527);
    assert_int_equal(bucket_effective(terms, 20 * MS_NS, 1526, 1200).max_octets, 1546);
    assert_int_equal(bucket_effective(terms, 0, 506, 1200).max_octets, 10000);
    struct bucket_terms small = {RATE, 700};
    assert_int_equal(bucket_effective(small, 20 * MS_NS, 506, 1200).max_octets, 700);
    small.rate = 0;
    assert_int_equal(bucket_effective(small, 20 * MS_NS, 506, 600).max_octets, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_pdu_finds_an_empty_bucket),
        cmocka_unit_test(test_the_boundary_is_exact),
        cmocka_unit_test(test_a_time_between_nanoseconds_is_the_next_one),
        cmocka_unit_test(test_an_idle_bucket_banks_no_credit),
        cmocka_unit_test(test_a_rate_of_nothing_stops_and_a_later_one_resumes),
        cmocka_unit_test(test_a_change_settles_at_the_old_rate),
        cmocka_unit_test(test_a_ratio_may_be_above_100),
        cmocka_unit_test(test_without_a_limit_all_conforms),
        cmocka_unit_test(test_fault_b_after_idle_the_charge_is_exact),
        cmocka_unit_test(test_fault_c_no_rate_is_lost_at_9_ms_spacing),
        cmocka_unit_test(test_fault_d_a_pdu_larger_than_the_bucket_passes_an_empty_one),
        cmocka_unit_test(test_the_effective_bucket_holds_the_delay_and_one_pdu),
        cmocka_unit_test(test_the_effective_bucket_has_its_least),
    };
    return cmocka_run_group_tests_name("sched/bucket", tests, NULL, NULL);
}
