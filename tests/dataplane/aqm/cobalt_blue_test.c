// BLUE in COBALT: up when a head waited for too long, down when the queue was found empty, held in
// between; what it drops. Its probability is found by bisection over the random number (asked.h).
#include "tests/dataplane/aqm/cobalt_queue.h"

#define BLUE_UP   0x1p-8L
#define BLUE_DOWN 0x1p-12L
#define HELD_NS   (5 * MS_NS) // at FAST: the target; a change comes in more than that

// Of a head that is below the target, so that only BLUE can drop it.
static long double blue_now(const struct asked *a, uint64_t now_ns)
{
    struct aqm_view view = head(now_ns, 0, FAST);
    return signal_probability(a, asked_out, &view);
}

// Heads that waited more than 4 intervals.
static void test_blue_rises_when_overfull(void **state)
{
    struct asked a = cobalt(true, 4);
    uint64_t now_ns = S_NS;
    (void)state;
    ask(&a, now_ns, 4 * S_NS, FAST);
    assert_true(blue_now(&a, now_ns) == 0);
    for (uint32_t i = 1; i <= 255; i++, now_ns += HELD_NS + 1) {
        ask(&a, now_ns, 4 * S_NS + 1, FAST);
        assert_true(blue_now(&a, now_ns) == i * BLUE_UP);
        ask(&a, now_ns + HELD_NS, 4 * S_NS + 1, FAST);
        assert_true(blue_now(&a, now_ns) == i * BLUE_UP);
    }
    ask(&a, now_ns, 4 * S_NS + 1, FAST);
    assert_true(blue_now(&a, now_ns) == 1 - 0x1p-32L);
    ask(&a, now_ns + S_NS, 4 * S_NS + 1, FAST);
    assert_true(blue_now(&a, now_ns) == 1 - 0x1p-32L);
}

static void test_blue_is_at_the_share(void **state)
{
    struct asked a = cobalt(true, 4);
    uint64_t now_ns = S_NS;
    (void)state;
    ask(&a, now_ns, 4 * 1895 * MS_NS, SLOW);
    assert_true(blue_now(&a, now_ns) == 0);
    ask(&a, now_ns, 4 * 1895 * MS_NS + 1, SLOW);
    assert_true(blue_now(&a, now_ns) == BLUE_UP);
    ask(&a, now_ns + 900 * MS_NS, LONG_NS, SLOW); // held for a target of 900 ms
    assert_true(blue_now(&a, now_ns) == BLUE_UP);
    ask(&a, now_ns + 900 * MS_NS + 1, LONG_NS, SLOW);
    assert_true(blue_now(&a, now_ns) == 2 * BLUE_UP);
}

static void test_blue_falls_when_empty(void **state)
{
    struct asked a = cobalt(true, 4);
    uint64_t now_ns = S_NS;
    (void)state;
    ask(&a, now_ns, LONG_NS, FAST);
    for (uint32_t i = 1; i <= 16; i++) {
        comes_to_empty(&a, now_ns + HELD_NS);
        assert_true(blue_now(&a, now_ns) == BLUE_UP - (i - 1) * BLUE_DOWN);
        comes_to_empty(&a, now_ns += HELD_NS + 1);
        assert_true(blue_now(&a, now_ns) == BLUE_UP - i * BLUE_DOWN);
    }
    comes_to_empty(&a, now_ns += HELD_NS + 1);
    assert_true(blue_now(&a, now_ns) == 0);
}

// An N-PDU that comes to a queue with something in it changes nothing.
static void test_blue_stays_while_there_is_a_queue(void **state)
{
    struct asked a = cobalt(true, 4);
    struct aqm_view view = head(2 * S_NS, 0, FAST);
    (void)state;
    ask(&a, S_NS, LONG_NS, FAST);
    view.queue_pdus = 1;
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    assert_true(blue_now(&a, 2 * S_NS) == BLUE_UP);
}

// It drops what could be marked.
static void test_blue_never_marks(void **state)
{
    struct asked a = cobalt(true, 4);
    struct rng low = rng_that_says(0), high = rng_that_says(UINT64_MAX);
    struct aqm_view view = head(S_NS, LONG_NS, FAST);
    (void)state;
    view.rng = &high;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.rng = &low;
    view.sojourn_ns = 0;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// Of the last N-PDU of a queue BLUE's drop is not carried out, and takes no mark away.
static void test_the_last_n_pdu_keeps_its_mark(void **state)
{
    struct asked a = cobalt(true, 4);
    struct rng low = rng_that_says(0), high = rng_that_says(UINT64_MAX);
    struct aqm_view view = head(S_NS, LONG_NS, FAST);
    (void)state;
    view.rng = &high;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.rng = &low;
    view.queue_pdus = 1;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.now_ns += S_NS;
    assert_int_equal(asked_out(&a, &view), AQM_MARK);
}

// It goes on below the target, and when after a day nothing is left of CoDel's rate.
static void test_blue_outlasts_the_signals(void **state)
{
    struct asked a = cobalt(true, 4);
    (void)state;
    ask(&a, S_NS, LONG_NS, FAST);
    ask(&a, 86400 * S_NS, 0, FAST);
    assert_true(blue_now(&a, 86400 * S_NS) == BLUE_UP);
}

// Its times are kept modulo 2^48 ns: a queue in which it has never moved is not held where they
// wrap.
static void test_blue_begins_where_times_wrap(void **state)
{
    (void)state;
    for (uint64_t before_ns = S_NS; before_ns < 2000 * S_NS; before_ns += 10 * S_NS) {
        uint64_t now_ns = (1ULL << 48) - before_ns;
        struct asked a = cobalt(true, 4);
        ask(&a, now_ns, 4 * S_NS + 1, FAST);
        assert_true(blue_now(&a, now_ns) == BLUE_UP);
        ask(&a, now_ns + HELD_NS, 4 * S_NS + 1, FAST);
        assert_true(blue_now(&a, now_ns) == BLUE_UP);
        ask(&a, now_ns + HELD_NS + 1, 4 * S_NS + 1, FAST);
        assert_true(blue_now(&a, now_ns) == 2 * BLUE_UP);
    }
}

static void test_blue_off(void **state)
{
    struct asked a = cobalt(true, 0);
    (void)state;
    for (uint64_t i = 1; i < 100; i++)
        ask(&a, i * S_NS, LONG_NS, FAST);
    assert_true(blue_now(&a, 100 * S_NS) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blue_rises_when_overfull),
        cmocka_unit_test(test_blue_is_at_the_share),
        cmocka_unit_test(test_blue_falls_when_empty),
        cmocka_unit_test(test_blue_stays_while_there_is_a_queue),
        cmocka_unit_test(test_blue_never_marks),
        cmocka_unit_test(test_the_last_n_pdu_keeps_its_mark),
        cmocka_unit_test(test_blue_outlasts_the_signals),
        cmocka_unit_test(test_blue_begins_where_times_wrap),
        cmocka_unit_test(test_blue_off),
    };
    return cmocka_run_group_tests_name("aqm/cobalt_blue", tests, NULL, NULL);
}
