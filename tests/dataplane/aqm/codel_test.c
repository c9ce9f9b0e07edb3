// CoDel against RFC 8289: the control law against long double, and what follows from it by hand:
// the times of the signals, the target in each unit, the guard, the memory. codel_rfc_test.c holds
// it against the RFC's pseudocode.
#include "dataplane/aqm/codel.h"

#include "tests/dataplane/aqm/congested.h"

#define MTU  1500
#define RATE 1000000000U // the share of most tests: so fast that no MTU's time matters

static struct asked codel(uint64_t target_ns, uint64_t interval_ns, bool ecn)
{
    struct asked a = asked_of("codel");
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_TIME, target_ns));
    asked_param(&a, "interval", interval_ns);
    asked_param(&a, "ecn", ecn);
    asked_ready(&a);
    return a;
}

// A head with much behind it.
static struct aqm_view head(uint64_t now_ns, uint64_t sojourn_ns)
{
    return (struct aqm_view){.now_ns = now_ns,
                             .sojourn_ns = sojourn_ns,
                             .pdu_octets = MTU,
                             .queue_octets = 1000 * MTU,
                             .queue_pdus = 1000,
                             .share_octets_per_s = RATE,
                             .ect = true};
}

static enum aqm_verdict ask(struct asked *a, uint64_t now_ns, uint64_t sojourn_ns)
{
    struct aqm_view view = head(now_ns, sojourn_ns);
    return asked_out(a, &view);
}

// The time of the first signal in from .. to, looking every `step`; 0: none. As a caller does, it
// asks about the next head after a drop.
static uint64_t first_signal(struct asked *a, uint64_t from_ns, uint64_t to_ns, uint64_t step_ns)
{
    for (uint64_t now_ns = from_ns; now_ns <= to_ns; now_ns += step_ns) {
        enum aqm_verdict verdict = ask(a, now_ns, S_NS);
        if (verdict == AQM_DROP)
            assert_int_equal(ask(a, now_ns, S_NS), AQM_PASS);
        if (verdict != AQM_PASS)
            return now_ns;
    }
    return 0;
}

// ---- The control law ----

static void test_law_is_exact_to_1_ns(void **state)
{
    static const uint64_t intervals_ns[] = {MS_NS, 100 * MS_NS, S_NS, 4 * S_NS, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof intervals_ns / sizeof intervals_ns[0]; i++)
        for (uint32_t count = 1; count <= 100000; count++) {
            long double exact = (long double)intervals_ns[i] / sqrtl(count);
            long double short_by = exact - (long double)codel_gap_ns(intervals_ns[i], count);
            long double rounding = 4 * exact * 0x1p-64L; // of the division and the root
            assert_true(short_by >= -rounding && short_by < 1 + rounding);
        }
}

static void test_law_of_long_intervals(void **state)
{
    static const uint64_t intervals_ns[] = {1ULL << 32, 5 * S_NS, 100 * S_NS, 1000 * S_NS};
    (void)state;
    for (size_t i = 0; i < sizeof intervals_ns / sizeof intervals_ns[0]; i++)
        for (uint32_t count = 1; count <= 100000; count++) {
            long double exact = (long double)intervals_ns[i] / sqrtl(count);
            long double off = (long double)intervals_ns[i] * 0x1p-30L;
            expect_near((long double)codel_gap_ns(intervals_ns[i], count), exact, off);
        }
}

static void test_law_at_its_ends(void **state)
{
    (void)state;
    assert_true(codel_gap_ns(100 * MS_NS, 1) == 100 * MS_NS);
    assert_true(codel_gap_ns(100 * MS_NS, 4) == 50 * MS_NS);
    assert_true(codel_gap_ns(100 * MS_NS, 10000) == MS_NS);
    assert_true(codel_gap_ns(100 * MS_NS, UINT32_MAX) == 1525);
    assert_true(codel_gap_ns(UINT64_MAX, UINT32_MAX) > 0);
}

// Always above the target: the first signal after an interval, the next ones after interval /
// sqrt(n). A look every 1 us finds each within 1 us; each gap may be short by 1 ns.
static void test_steady_overload(void **state)
{
    const uint64_t interval_ns = 100 * MS_NS, step_ns = 1000;
    struct asked a = codel(5 * MS_NS, interval_ns, false);
    uint64_t now_ns = S_NS;
    long double due = (long double)(now_ns + interval_ns);
    (void)state;
    for (uint32_t n = 1; n <= 1000; n++) {
        now_ns = first_signal(&a, now_ns, now_ns + 2 * interval_ns, step_ns);
        assert_true((long double)now_ns >= due - n);
        assert_true((long double)now_ns < due + step_ns);
        due += (long double)interval_ns / sqrtl(n);
    }
}

// Marks instead of drops: the same times, one mark each.
static void test_marks_keep_the_times_of_drops(void **state)
{
    struct asked drops = codel(5 * MS_NS, 100 * MS_NS, false);
    struct asked marks = codel(5 * MS_NS, 100 * MS_NS, true);
    uint64_t signals = 0;
    (void)state;
    for (uint64_t now_ns = S_NS; now_ns < 20 * S_NS; now_ns += 100000) {
        enum aqm_verdict dropped = ask(&drops, now_ns, S_NS), marked = ask(&marks, now_ns, S_NS);
        assert_int_equal(dropped == AQM_DROP, marked == AQM_MARK);
        assert_true(dropped != AQM_MARK && marked != AQM_DROP);
        signals += dropped == AQM_DROP;
        if (dropped == AQM_DROP)
            assert_int_equal(ask(&drops, now_ns, S_NS), AQM_PASS);
    }
    assert_true(signals > 1000);
}

static void test_what_is_not_ect_is_dropped(void **state)
{
    struct asked a = codel(5 * MS_NS, 100 * MS_NS, true);
    struct aqm_view view = head(S_NS, S_NS);
    (void)state;
    view.ect = false;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.now_ns += 100 * MS_NS;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// ---- The target ----

// Whether a head of that sojourn counts as above the target.
static bool is_above(const struct asked *a, uint64_t sojourn_ns, uint32_t share)
{
    struct asked copy = *a;
    struct aqm_view view = head(S_NS, sojourn_ns);
    view.share_octets_per_s = share;
    asked_out(&copy, &view);
    view.now_ns += 100 * S_NS;
    return asked_out(&copy, &view) != AQM_PASS;
}

static void expect_target(const struct asked *a, uint64_t target_ns, uint32_t share)
{
    assert_true(is_above(a, target_ns, share));
    assert_false(is_above(a, target_ns - 1, share));
}

static void test_target_in_time(void **state)
{
    struct asked a = codel(5 * MS_NS, 100 * MS_NS, false);
    (void)state;
    expect_target(&a, 5 * MS_NS, RATE);
    expect_target(&a, 5 * MS_NS, 2500);
    expect_target(&a, 5 * MS_NS, 1);
}

// 3000 octets at 2500 octets/s are 1.2 s; of 7 octets/s the first whole ns after 428.57 s counts.
static void test_target_in_octets(void **state)
{
    struct asked a = asked_of("codel");
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 3000));
    asked_ready(&a);
    (void)state;
    expect_target(&a, 1200 * MS_NS, 2500);
    expect_target(&a, 3000, RATE);
    expect_target(&a, 428571428572, 7);
}

static void test_target_in_n_pdus(void **state)
{
    struct asked a = asked_of("codel");
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 3));
    asked_param(&a, "mtu", 500);
    asked_ready(&a);
    (void)state;
    expect_target(&a, 600 * MS_NS, 2500);
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 10 * S_NS));
    asked_ready(&a);
    expect_target(&a, UINT32_MAX * S_NS, 1); // the most that a queue can hold
}

// 1.5 MTU times: 900 ms at 20 kbit/s, 75 ms at 240; at 8 Gbit/s the target itself is more.
static void test_target_of_so_many_mtus(void **state)
{
    struct asked a = asked_of("codel");
    asked_param(&a, "min_target_mtus", 150);
    asked_ready(&a);
    (void)state;
    expect_target(&a, 900 * MS_NS, 2500);
    expect_target(&a, 75 * MS_NS, 30000);
    expect_target(&a, 5 * MS_NS, RATE);
}

static void test_target_above_the_interval_is_refused(void **state)
{
    struct asked a = asked_of("codel");
    (void)state;
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_TIME, 100 * MS_NS));
    assert_null(asked_setup(&a));
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_TIME, 100 * MS_NS + 1));
    assert_string_equal(asked_setup(&a), "target must not be above interval");
}

// ---- The guard of section 4.1 ----

static void test_no_signal_with_an_mtu_behind_the_head(void **state)
{
    struct asked a = codel(5 * MS_NS, 100 * MS_NS, false);
    struct aqm_view view = head(S_NS, 100 * S_NS);
    (void)state;
    view.pdu_octets = 400;
    view.queue_octets = 400 + MTU;
    for (uint32_t i = 0; i < 100; i++, view.now_ns += S_NS)
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.queue_octets++;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.now_ns += 100 * MS_NS - 1;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.now_ns++;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// ---- Leaving and coming back ----

static void test_one_head_below_ends_it(void **state)
{
    struct asked a = codel(5 * MS_NS, 100 * MS_NS, false);
    uint64_t now_ns = S_NS;
    (void)state;
    for (uint32_t n = 0; n < 50; n++)
        now_ns = first_signal(&a, now_ns, now_ns + S_NS, MS_NS);
    assert_int_equal(ask(&a, now_ns += MS_NS, 5 * MS_NS - 1), AQM_PASS);
    // a whole interval again, from the next head that is above
    now_ns += 70 * MS_NS;
    assert_true(first_signal(&a, now_ns, now_ns + S_NS, MS_NS) == now_ns + 100 * MS_NS);
}

// n drops at a look every 1 ms, a stay below the target, and back above it so that the first signal
// comes `later` after drop_next: what the second then waits for tells the count.
static uint64_t second_gap(uint32_t n, int64_t later_ns)
{
    const uint64_t interval_ns = 100 * MS_NS;
    struct asked a = codel(5 * MS_NS, interval_ns, false);
    uint64_t now_ns = S_NS, drop_next_ns = 0;
    for (uint32_t i = 1; i <= n; i++) {
        now_ns = first_signal(&a, now_ns, now_ns + S_NS, MS_NS);
        drop_next_ns = (i == 1 ? now_ns : drop_next_ns) + codel_gap_ns(interval_ns, i);
    }
    ask(&a, now_ns + 1, 0);
    uint64_t enters_ns = drop_next_ns + (uint64_t)later_ns;
    ask(&a, enters_ns - interval_ns, S_NS);
    assert_int_equal(ask(&a, enters_ns, S_NS), AQM_DROP);
    return first_signal(&a, enters_ns, enters_ns + interval_ns, 1000) - enters_ns;
}

static void test_reentry(void **state)
{
    const int64_t interval_ns = 100 * MS_NS, memory_ns = 16 * interval_ns;
    (void)state;
    // 10 signals after the first (count 1 to 10): 9 more than at its start, at 100 / 3 ms
    assert_true(second_gap(10, interval_ns) == 33334000);
    assert_true(second_gap(10, memory_ns - 1) == 33334000);
    assert_true(second_gap(10, memory_ns) == 100 * MS_NS);
    // 2: sqrt(2) less of it; 1 more is not more than 1
    assert_true(second_gap(3, interval_ns) == 70711000);
    assert_true(second_gap(2, interval_ns) == 100 * MS_NS);
    assert_true(second_gap(1, interval_ns) == 100 * MS_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "codel"),
        cmocka_unit_test(test_law_is_exact_to_1_ns),
        cmocka_unit_test(test_law_of_long_intervals),
        cmocka_unit_test(test_law_at_its_ends),
        cmocka_unit_test(test_steady_overload),
        cmocka_unit_test(test_marks_keep_the_times_of_drops),
        cmocka_unit_test(test_what_is_not_ect_is_dropped),
        cmocka_unit_test(test_target_in_time),
        cmocka_unit_test(test_target_in_octets),
        cmocka_unit_test(test_target_in_n_pdus),
        cmocka_unit_test(test_target_of_so_many_mtus),
        cmocka_unit_test(test_target_above_the_interval_is_refused),
        cmocka_unit_test(test_no_signal_with_an_mtu_behind_the_head),
        cmocka_unit_test(test_one_head_below_ends_it),
        cmocka_unit_test(test_reentry),
    };
    return cmocka_run_group_tests_name("aqm/codel", tests, NULL, NULL);
}
