// COBALT's rules one by one: the target and the interval at a share, the law of the signals, the
// way down. cobalt_blue_test.c has BLUE.
#include "dataplane/aqm/codel.h"

#include "tests/dataplane/aqm/cobalt_queue.h"
#include "tests/dataplane/aqm/congested.h"

// The next signal from now_ns on, looking each `step`. The heads wait `sojourn`.
static uint64_t next_signal(struct asked *a, uint64_t now_ns, uint64_t sojourn_ns, uint32_t share,
                            uint64_t step_ns)
{
    uint64_t end_ns = now_ns + LONG_NS;
    while (ask(a, now_ns, sojourn_ns, share) == AQM_PASS && now_ns < end_ns)
        now_ns += step_ns;
    return now_ns;
}

// ---- Target and interval ----

static void expect_over(uint64_t sojourn_ns, uint32_t share, uint64_t interval_ns)
{
    struct asked a = cobalt(false, 0);
    assert_int_equal(ask(&a, S_NS, sojourn_ns, share), AQM_PASS);
    assert_int_equal(ask(&a, S_NS + interval_ns - 1, sojourn_ns, share), AQM_PASS);
    assert_int_equal(ask(&a, S_NS + interval_ns, sojourn_ns, share), AQM_DROP);
}

static void expect_not_over(uint64_t sojourn_ns, uint32_t share)
{
    struct asked a = cobalt(false, 0);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(ask(&a, S_NS + i * S_NS, sojourn_ns, share), AQM_PASS);
}

// More than 4 MTU times, and more than the target. The interval is 1 s and what 1.5 MTU times are
// more than 5 ms, or twice the target.
static void test_target_and_interval(void **state)
{
    (void)state;
    expect_not_over(2400 * MS_NS, SLOW);
    expect_over(2400 * MS_NS + 1, SLOW, 1895 * MS_NS);
    expect_not_over(200 * MS_NS, 30000); // 240 kbit/s: an MTU takes 50 ms
    expect_over(200 * MS_NS + 1, 30000, 1070 * MS_NS);
    expect_not_over(4800 * MS_NS, 1250); // 10 kbit/s: target 1.8 s
    expect_over(4800 * MS_NS + 1, 1250, 3600 * MS_NS);
    expect_not_over(5 * MS_NS, FAST);
    expect_over(5 * MS_NS + 1, FAST, S_NS);
}

static void test_own_target_rtt_and_mtu(void **state)
{
    struct asked a = asked_of("cobalt");
    asked_param(&a, "target", 800 * MS_NS);
    asked_param(&a, "rtt", 100 * MS_NS);
    asked_param(&a, "mtu", 500);
    asked_ready(&a);
    (void)state;
    // 500 octets at 2500 octets/s: 1.5 MTU times are 300 ms, 4 are 800 ms; interval 2 * 800 ms
    assert_int_equal(ask(&a, S_NS, 800 * MS_NS, SLOW), AQM_PASS);
    assert_int_equal(ask(&a, 99 * S_NS, 800 * MS_NS, SLOW), AQM_PASS);
    assert_int_equal(ask(&a, 100 * S_NS, 800 * MS_NS + 1, SLOW), AQM_PASS);
    assert_true(next_signal(&a, 100 * S_NS, S_NS, SLOW, MS_NS) == 101600 * MS_NS);
}

// At 1 octet/s 1.5 MTU times are 2250 s: the interval stops at 1000 s.
static void test_interval_is_bounded(void **state)
{
    struct asked a = cobalt(false, 0);
    (void)state;
    assert_int_equal(ask(&a, S_NS, 6001 * S_NS, 1), AQM_PASS);
    assert_int_equal(ask(&a, 1000 * S_NS, 6001 * S_NS, 1), AQM_PASS);
    assert_int_equal(ask(&a, 1001 * S_NS, 6001 * S_NS, 1), AQM_DROP);
}

// ---- The signals ----

// Signal n comes interval / sqrt(n) after the one before; a look each 10 us finds it.
static void test_rate_of_signals(void **state)
{
    const uint64_t step_ns = 10000;
    struct asked a = cobalt(true, 0);
    uint64_t now_ns = S_NS;
    long double due = (long double)now_ns;
    (void)state;
    for (uint32_t n = 1; n <= 300; n++) {
        due += (long double)S_NS / sqrtl(n);
        now_ns = next_signal(&a, now_ns, S_NS, FAST, step_ns);
        assert_true((long double)now_ns >= due - n);
        assert_true((long double)now_ns < due + step_ns);
        now_ns += step_ns;
    }
}

static void test_marks_only_ect(void **state)
{
    struct asked a = cobalt(true, 0);
    struct aqm_view view = head(S_NS, S_NS, FAST);
    (void)state;
    asked_out(&a, &view);
    view.now_ns += S_NS;
    struct asked copy = a;
    assert_int_equal(asked_out(&copy, &view), AQM_MARK);
    view.ect = false;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// Heads slower than the signals: each is signalled, and no more is owed when they come fast again.
static void test_what_could_not_be_signalled_is_not_owed(void **state)
{
    struct asked a = cobalt(true, 0);
    uint64_t now_ns = S_NS;
    uint32_t count = 1;
    (void)state;
    assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_PASS);
    for (; count <= 8; count++)
        assert_int_equal(ask(&a, now_ns += 10 * S_NS, S_NS, FAST), AQM_MARK);
    assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_MARK); // due right away, once
    uint64_t due_ns = now_ns + codel_gap_ns(S_NS, ++count);
    assert_int_equal(ask(&a, due_ns - 1, S_NS, FAST), AQM_PASS);
    assert_int_equal(ask(&a, due_ns, S_NS, FAST), AQM_MARK);
}

// Drops are made up for, as in CoDel: it goes on with the next heads at the same time.
static void test_drops_are_made_up_for(void **state)
{
    struct asked a = cobalt(false, 0);
    uint64_t now_ns = 20 * S_NS;
    uint32_t drops = 0;
    long double owed = 1; // in intervals: the first signal
    (void)state;
    assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_PASS);
    now_ns += 9500 * MS_NS;
    while (ask(&a, now_ns, S_NS, FAST) == AQM_DROP)
        owed += 1 / sqrtl(++drops + 1);
    assert_true(owed > 9.5L && owed - 1 / sqrtl(drops + 1) <= 9.5L);
}

static void test_the_last_n_pdu_is_never_dropped(void **state)
{
    struct asked a = cobalt(true, 4);
    struct aqm_view view = head(S_NS, LONG_NS, FAST);
    (void)state;
    view.queue_pdus = 1;
    view.ect = false;
    for (uint32_t i = 0; i < 10000; i++, view.now_ns += 100 * MS_NS)
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.queue_pdus = 2;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// The law goes on as if it had been dropped: what was missed before it is still owed.
static void test_the_last_n_pdu_counts_as_a_signal(void **state)
{
    struct asked a = cobalt(false, 0);
    struct aqm_view view = head(S_NS, S_NS, FAST);
    (void)state;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.now_ns += 10 * S_NS;
    view.queue_pdus = 1;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.queue_pdus = 2;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// A head is stale that has waited for longer than `stale`, and than five N-PDUs take; ECT or not.
static void test_stale_heads_are_dropped(void **state)
{
    (void)state;
    for (uint32_t share = SLOW / 4; share <= SLOW * 4; share *= 2) { // five take 12 s to 0.75 s
        uint64_t five_ns = 5 * (MTU * S_NS / share), stale_ns = 6 * S_NS;
        struct asked a = cobalt_stale(true, 0, stale_ns);
        struct aqm_view view = head(S_NS, five_ns > stale_ns ? five_ns : stale_ns, share);
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
        view.sojourn_ns++;
        view.queue_pdus = 1; // the last of a queue is never dropped
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
        view.queue_pdus = 2;
        assert_int_equal(asked_out(&a, &view), AQM_STALE);
        a = cobalt(true, 0);
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
    }
    struct asked wrong = asked_of("cobalt");
    asked_param(&wrong, "stale", 5 * MS_NS - 1); // a head below the target is not judged
    assert_non_null(asked_setup(&wrong));
    asked_param(&wrong, "stale", 5 * MS_NS);
    assert_null(asked_setup(&wrong));
}

// ---- The way down ----

// A queue over the target until `count` has been reached, and the time of the next signal.
static struct asked grown(uint32_t count, uint64_t *next_ns)
{
    struct asked a = cobalt(true, 0);
    uint64_t now_ns = S_NS;
    assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_PASS);
    for (uint32_t n = 1; n <= count; n++) {
        now_ns += codel_gap_ns(S_NS, n);
        if (n < count)
            assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_MARK);
    }
    *next_ns = now_ns;
    return a;
}

// What the first signal of a queue now over the target would wait tells the count.
static uint32_t count_now(const struct asked *a, uint64_t now_ns)
{
    struct asked copy = *a;
    assert_int_equal(ask(&copy, now_ns, S_NS, FAST), AQM_PASS);
    uint64_t low_ns = 0, high_ns = S_NS;
    while (high_ns - low_ns > 1) {
        struct asked probe = copy;
        uint64_t middle_ns = low_ns + (high_ns - low_ns) / 2;
        if (ask(&probe, now_ns + middle_ns, S_NS, FAST) == AQM_PASS)
            low_ns = middle_ns;
        else
            high_ns = middle_ns;
    }
    long double root = (long double)S_NS / (long double)high_ns;
    return (uint32_t)lroundl(root * root);
}

// Below the target, looked at often: one step down at the time of the next signal, and so on.
static void test_steps_down(void **state)
{
    uint64_t next_ns;
    struct asked a = grown(20, &next_ns);
    (void)state;
    assert_int_equal(ask(&a, next_ns - 1000, 0, FAST), AQM_PASS);
    for (uint32_t count = 20; count > 1; count--) {
        assert_int_equal(count_now(&a, next_ns - 1), count);
        assert_int_equal(ask(&a, next_ns, 0, FAST), AQM_PASS);
        assert_int_equal(count_now(&a, next_ns), count - 1);
        next_ns += codel_gap_ns(S_NS, count - 1);
    }
    assert_int_equal(ask(&a, next_ns, 0, FAST), AQM_PASS);
    assert_int_equal(count_now(&a, next_ns), 1); // 0, and at once 1: the first wait is an interval
}

// What is left of a count after so long by steps.
static uint32_t stepped(uint32_t count, uint64_t next_ns, uint64_t now_ns)
{
    long double next = (long double)next_ns;
    while (count > 0 && (long double)now_ns >= next)
        if (--count)
            next += (long double)S_NS / sqrtl(count);
    return count;
}

// Up to 16 steps in one look: each at its ns.
static void test_steps_down_in_one_look(void **state)
{
    (void)state;
    for (uint32_t count = 18; count <= 200; count++) {
        uint64_t next_ns;
        struct asked a = grown(count, &next_ns);
        ask(&a, next_ns - 1, 0, FAST);
        for (uint32_t step = 1; step <= 16; step++) {
            assert_int_equal(count_now(&a, next_ns - 1), count - step + 1);
            assert_int_equal(count_now(&a, next_ns), count - step);
            next_ns += codel_gap_ns(S_NS, count - step);
        }
    }
}

// Unlooked at for longer, the steps are summed up as an integral, which is between the sum and the
// sum less one step: at most one count off.
static void test_steps_down_at_once(void **state)
{
    static const uint32_t counts[] = {2, 10, 50, 1000, 60000};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t next_ns;
        struct asked a = grown(counts[i], &next_ns);
        ask(&a, next_ns - 1, 0, FAST);
        for (uint64_t later_ns = MS_NS; later_ns < 1000 * S_NS; later_ns += later_ns / 30) {
            uint32_t expected = stepped(counts[i], next_ns, next_ns + later_ns);
            uint32_t found = count_now(&a, next_ns + later_ns);
            uint32_t off = counts[i] - expected > 16;
            assert_true(found >= (expected > off ? expected - off : 1));
            assert_true(found <= (expected > 0 ? expected + off : 1));
        }
    }
}

static void test_down_after_days(void **state)
{
    uint64_t next_ns;
    struct asked a = grown(60000, &next_ns);
    (void)state;
    ask(&a, next_ns - 1, 0, FAST);
    assert_int_equal(count_now(&a, next_ns + 10 * 86400 * S_NS), 1);
    ask(&a, next_ns + 10 * 86400 * S_NS, 0, FAST);
    assert_int_equal(count_now(&a, next_ns + 10 * 86400 * S_NS), 1);
}

// Its times are kept modulo 2^48 ns: a signal is due as always where they wrap, and a count that
// nobody has looked at for any time within that is down.
static void test_times_wrap(void **state)
{
    const uint64_t wrap_ns = 1ULL << 48;
    (void)state;
    for (uint64_t before_ns = 0; before_ns <= S_NS; before_ns += 100 * MS_NS) {
        struct asked a = cobalt(true, 0);
        uint64_t now_ns = wrap_ns - before_ns;
        assert_int_equal(ask(&a, now_ns, S_NS, FAST), AQM_PASS);
        assert_int_equal(ask(&a, now_ns + S_NS - 1, S_NS, FAST), AQM_PASS);
        assert_int_equal(ask(&a, now_ns + S_NS, S_NS, FAST), AQM_MARK);
    }
    for (uint64_t idle_ns = 1000 * S_NS; idle_ns < wrap_ns - 1000 * S_NS; idle_ns += idle_ns / 9) {
        uint64_t next_ns;
        struct asked a = grown(1000, &next_ns);
        ask(&a, next_ns - 1, 0, FAST);
        assert_int_equal(count_now(&a, next_ns + idle_ns), 1);
    }
}

// Found empty, it is no longer signalling: the first signal waits again.
static void test_empty_ends_the_signals(void **state)
{
    uint64_t next_ns;
    struct asked a = grown(20, &next_ns), other = a;
    (void)state;
    assert_int_equal(ask(&other, next_ns, S_NS, FAST), AQM_MARK);
    comes_to_empty(&a, next_ns - 1);
    assert_int_equal(ask(&a, next_ns, S_NS, FAST), AQM_PASS);
    assert_int_equal(ask(&a, next_ns + codel_gap_ns(S_NS, 19) - 1, S_NS, FAST), AQM_PASS);
    assert_int_equal(ask(&a, next_ns + codel_gap_ns(S_NS, 19), S_NS, FAST), AQM_MARK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "cobalt"),
        cmocka_unit_test(test_target_and_interval),
        cmocka_unit_test(test_own_target_rtt_and_mtu),
        cmocka_unit_test(test_interval_is_bounded),
        cmocka_unit_test(test_rate_of_signals),
        cmocka_unit_test(test_marks_only_ect),
        cmocka_unit_test(test_what_could_not_be_signalled_is_not_owed),
        cmocka_unit_test(test_drops_are_made_up_for),
        cmocka_unit_test(test_the_last_n_pdu_is_never_dropped),
        cmocka_unit_test(test_the_last_n_pdu_counts_as_a_signal),
        cmocka_unit_test(test_stale_heads_are_dropped),
        cmocka_unit_test(test_steps_down),
        cmocka_unit_test(test_steps_down_in_one_look),
        cmocka_unit_test(test_steps_down_at_once),
        cmocka_unit_test(test_down_after_days),
        cmocka_unit_test(test_times_wrap),
        cmocka_unit_test(test_empty_ends_the_signals),
    };
    return cmocka_run_group_tests_name("aqm/cobalt", tests, NULL, NULL);
}
