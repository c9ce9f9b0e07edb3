// The worker and time: it asks to be called again exactly when something can go, never at once
// while nothing can, and what becomes too old meanwhile is counted soon.
#include "tests/dataplane/path/path.h"

#include "dataplane/base/units.h"

#include "tests/dataplane/random.h"

#define LLC_OCTETS 10 // around an N-PDU of one segment: LLC 3, SNDCP 4, FCS 3

static void an_idle_worker_wants_no_wake_up(void **state)
{
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    assert_int_equal(dp_poll(p.worker, 5), TIME_NEVER);
    p.now_ns = 6;
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.down_received, 1);
    assert_int_equal(dp_poll(p.worker, 7), TIME_NEVER);
    path_close();
}

// A bucket that holds one PDU: the next one conforms when it has run empty, L x 8 / R later. In
// between the worker wakes for what may have expired, some twenty times a second at most.
static void it_wakes_when_the_next_pdu_conforms(void **state)
{
    const uint64_t gap_ns = (100 + LLC_OCTETS) * 8 * S_IN_NS / 8000;
    uint32_t wakes = 0;
    (void)state;
    path_open_small(100, 16);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 8000, 100 + LLC_OCTETS);
    for (int i = 0; i < 20; i++)
        path_down(0, 100);
    for (uint32_t received = 0; p.now_ns != TIME_NEVER; wakes++) {
        path_poll();
        if (p.down_received > received) {
            assert_int_equal(p.now_ns, received * gap_ns);
            assert_int_equal(p.down_received, ++received);
        }
        p.now_ns = dp_poll(p.worker, p.now_ns);
    }
    assert_int_equal(p.down_received, 20);
    assert_in_range(wakes, 20, 20 + 20 * 20 * gap_ns / S_IN_NS);
    path_close();
}

// Polled at any instants besides, it sends no sooner.
static void polling_in_between_changes_nothing(void **state)
{
    const uint64_t gap_ns = (100 + LLC_OCTETS) * 8 * S_IN_NS / 8000;
    (void)state;
    random_begin();
    path_open_small(100, 16);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 8000, 100 + LLC_OCTETS);
    for (int i = 0; i < 20; i++)
        path_down(0, 100);
    while (p.down_received < 20) {
        path_poll();
        assert_int_equal(p.down_received, p.now_ns / gap_ns + 1);
        uint64_t next_ns = dp_poll(p.worker, p.now_ns), any_ns = p.now_ns + random_in(1, gap_ns);
        p.now_ns = next_ns < any_ns ? next_ns : any_ns;
    }
    path_close();
}

static void a_stopped_cell_waits_and_goes_on(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 0, 1000);
    for (int i = 0; i < 10; i++)
        path_down(0, 1000);
    path_run_until(5 * S_IN_NS);
    assert_int_equal(p.down_received, 0);
    assert_int_equal(dp_queued(p.worker).packets, 10);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(p.down_received, 10);
    path_close();
}

// One cell stands still; another goes on at its own pace.
static void a_stopped_cell_stops_no_other(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_bvc(1, 0, 3);
    path_plain_ms(0, 0, 500);
    path_ms(1, 1, 500);
    path_pfc(1, 0, CLASS_BACKGROUND);
    path_pdp(1, 1, 0, 5, 3, PATH_NONE, -1);
    path_bvc_flow(0, 0, 1000);
    for (uint32_t i = 0; i < 20; i++)
        path_down(i % 2, 500);
    path_poll();
    assert_int_equal(p.pdp[0].down.received, 0);
    assert_int_equal(p.pdp[1].down.received, 10);
    path_close();
}

static void what_expires_is_counted_within_a_second(void **state)
{
    struct dp_config c = path_small_config(1000, 64);
    (void)state;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = 3 * S_IN_NS;
    c.classes.item[CLASS_BACKGROUND].bss_least_ns = S_IN_NS;
    path_open_small_config(&c);
    for (uint32_t ms = 0; ms < 100; ms++)
        path_plain_ms(ms, 0, 500);
    path_bvc_flow(0, 0, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        path_down(i % 100, 100);
        if (i % 64 == 63)
            path_poll();
    }
    path_run_until(2 * S_IN_NS);
    assert_int_equal(path_dropped(DROP_expired).packets, 0);
    path_run_until(3 * S_IN_NS);
    assert_int_equal(path_dropped(DROP_expired).packets, 1000);
    assert_int_equal(path_dropped(DROP_expired).octets, 100000);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(p.down_received, 0);
    assert_int_equal(dp_poll(p.worker, p.now_ns), TIME_NEVER);
    path_close();
}

// More N-PDUs than the scheduler's list of drops holds go by one command.
static void a_long_flush_is_one_command(void **state)
{
    (void)state;
    path_open_small(2000, 16);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 0, 1000);
    for (int i = 0; i < 2000; i++) {
        path_offer(0, 100);
        if (i % 64 == 63)
            path_poll();
    }
    path_poll();
    assert_int_equal(dp_queued(p.worker).packets, 2000);
    path_ms_flush(0);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    assert_int_equal(path_dropped(DROP_flushed).packets, 2000);
    assert_int_equal(path_dropped(DROP_flushed).octets, 200000);
    assert_true(dp_balanced(p.worker));
    path_close();
}

// A port that takes nothing is no reason to be called again: its recovery is. But what waits for it
// grows old, which is looked at some twenty times a second.
static void a_blocked_port_asks_for_lifetimes_alone(void **state)
{
    (void)state;
    path_open_small(100, 1);
    path_plain_ms(0, 0, 500);
    for (int i = 0; i < 10; i++)
        path_down(0, 100);
    for (int i = 0; i < 10; i++)
        dp_poll(p.worker, p.now_ns);
    assert_in_range(dp_poll(p.worker, p.now_ns), p.now_ns + S_IN_NS / 20, p.now_ns + S_IN_NS);
    assert_true(dp_balanced(p.worker));
    path_poll();
    assert_int_equal(p.down_received, 10);
    assert_int_equal(dp_poll(p.worker, p.now_ns), TIME_NEVER);
    path_close();
}

// Two seconds after they came; nothing else happens, and the worker is called when it asks.
static void expect_expiry(uint32_t packets)
{
    uint32_t wakes = 0;
    for (uint64_t next_ns; (next_ns = dp_poll(p.worker, p.now_ns)) < 2 * S_IN_NS && wakes < 1000;
         wakes++)
        p.now_ns = next_ns;
    assert_int_equal(path_dropped(DROP_expired).packets, 0);
    for (uint64_t next_ns; (next_ns = dp_poll(p.worker, p.now_ns)) <= 3 * S_IN_NS && wakes < 1000;
         wakes++)
        p.now_ns = next_ns;
    uint64_t left = dp_queued(p.worker).packets;
    assert_in_range(left, 0, 3); // what has been granted goes as it is
    assert_int_equal(path_dropped(DROP_expired).packets + left, packets);
    assert_in_range(wakes, 20, 20 * 3 + 5);
    assert_true(dp_balanced(p.worker));
}

static void what_expires_behind_a_blocked_port_is_counted(void **state)
{
    struct dp_config c = path_small_config(100, 1);
    (void)state;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = 3 * S_IN_NS;
    c.classes.item[CLASS_BACKGROUND].bss_least_ns = S_IN_NS;
    path_open_small_config(&c);
    p.hold_frames = true;
    path_plain_ms(0, 0, 500);
    for (int i = 0; i < 20; i++)
        path_offer(0, 100);
    path_poll();
    assert_int_equal(dp_queued(p.worker).packets, 19);
    expect_expiry(19);
    path_close();
}

static void what_expires_without_buffers_is_counted(void **state)
{
    struct dp_config c = path_small_config(100, 64);
    (void)state;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = 3 * S_IN_NS;
    c.classes.item[CLASS_BACKGROUND].bss_least_ns = S_IN_NS;
    path_open_small_config(&c);
    path_plain_ms(0, 0, 200);
    path_plain_ms(1, 0, 200);
    path_hold_segment_buffers();
    for (int i = 0; i < 20; i++)
        path_offer(i % 2, 900);
    path_poll();
    assert_int_equal(dp_queued(p.worker).packets, 20);
    expect_expiry(20);
    path_give_segment_buffers(UINT32_MAX);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_worker_wants_no_wake_up),
        cmocka_unit_test(it_wakes_when_the_next_pdu_conforms),
        cmocka_unit_test(polling_in_between_changes_nothing),
        cmocka_unit_test(a_stopped_cell_waits_and_goes_on),
        cmocka_unit_test(a_stopped_cell_stops_no_other),
        cmocka_unit_test(what_expires_is_counted_within_a_second),
        cmocka_unit_test(a_long_flush_is_one_command),
        cmocka_unit_test(a_blocked_port_asks_for_lifetimes_alone),
        cmocka_unit_test(what_expires_behind_a_blocked_port_is_counted),
        cmocka_unit_test(what_expires_without_buffers_is_counted),
    };
    return cmocka_run_group_tests_name("worker", tests, path_start_eal, NULL);
}
