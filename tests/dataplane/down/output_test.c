// The downlink under pressure: a port that takes frames slowly, a full queue, no buffers. Nothing
// framed is lost, little is framed ahead, and the numbers on the wire have no gap.
#include "tests/dataplane/path/path.h"

static void a_slow_port_loses_nothing_that_is_framed(void **state)
{
    (void)state;
    path_open_small(64, 2);
    p.hold_frames = true;
    path_plain_ms(0, 0, 200);
    path_plain_ms(1, 0, 1520);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        if (dp_queued(p.worker).packets < 60) {
            path_down(i % 2, 1 + i * 7 % 1500);
            sent++;
        }
        path_poll_worker(0);
        path_take(STATS_GB, 1);
    }
    p.hold_frames = false;
    path_poll();
    assert_int_equal(p.down_received, sent);
    assert_int_equal(stats_balance(dp_stats(p.worker)).packets.dropped, 0);
    assert_true(dp_stats(p.worker)->of_port[STATS_GB].tx_refused > 100);
    path_close();
}

// What is framed is past all management: in front of a slow port it must stay short, however fast
// the port was before. With the queue held full, what is queued beyond its limit is what is framed.
static void few_frames_are_framed_ahead_of_a_slow_port(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_plain_ms(0, 0, 1520);
    for (uint32_t i = 0; i < 1000; i++) { // fast: bursts grow
        path_down(0, 100);
        if (i % 64 == 63)
            path_poll();
    }
    p.hold_frames = true;
    for (uint32_t i = 0; i < 200; i++) { // slow: a frame for two packets
        path_offer(0, 100);
        path_offer(0, 100);
        path_poll();
        if (i >= 100)
            rte_pktmbuf_free(path_next(STATS_GB));
        if (i >= 150)
            assert_in_range(dp_queued(p.worker).packets, 100, 102);
    }
    path_close();
}

static void a_full_queue_drops_by_reason(void **state)
{
    (void)state;
    path_open_small(10, 1);
    p.hold_frames = true;
    path_plain_ms(0, 0, 1520);
    path_down(0, 100);
    path_poll();
    for (uint32_t i = 0; i < 100; i++)
        path_offer(0, 100);
    path_poll();
    assert_true(dp_balanced(p.worker));
    struct stats_drop d = path_dropped(DROP_queue_full);
    struct dp_queued q = dp_queued(p.worker);
    assert_int_equal(d.packets + q.packets, 100);
    assert_int_equal(d.octets, 100 * d.packets);
    assert_int_equal(q.packets, 12); // 10 wait plain, and a burst of 2 is framed and refused
    path_close();                    // with a queue: no buffer may be lost
}

static void without_buffers_framing_waits_and_no_number_is_skipped(void **state)
{
    (void)state;
    path_open_small(64, 64);
    path_plain_ms(0, 0, 200);
    path_hold_segment_buffers();
    path_down(0, 100); // one segment: needs no buffer
    path_down(0, 900); // five segments
    path_down(0, 100);
    for (int i = 0; i < 10; i++)
        dp_poll(p.worker, p.now_ns);
    assert_true(dp_poll(p.worker, p.now_ns) > p.now_ns);
    path_take(STATS_GB, UINT32_MAX);
    assert_int_equal(p.down_received, 1);
    assert_true(dp_stats(p.worker)->no_buffer > 0);
    assert_true(dp_balanced(p.worker));
    // What is granted and not framed must not be taken away: commands wait as well.
    TRY(0, ms_default, 0);
    assert_true(dp_poll(p.worker, p.now_ns) > p.now_ns);
    assert_false(dp_settled(p.dp));
    // two segments' worth, then the rest
    path_give_segment_buffers(2);
    dp_poll(p.worker, p.now_ns);
    path_give_segment_buffers(UINT32_MAX);
    path_poll();
    assert_int_equal(p.down_received, 3);
    assert_true(dp_settled(p.dp));
    path_close();
}

// The end while pieces are granted, the last one of an N-PDU among them, and no buffer is free.
static void the_end_without_buffers_loses_none(void **state)
{
    (void)state;
    path_open_small(64, 64);
    path_plain_ms(0, 0, 200);
    for (int i = 0; i < 640; i++) { // fast: bursts grow
        path_down(0, 100);
        if (i % 32 == 31)
            path_poll();
    }
    path_hold_segment_buffers();
    path_down(0, 900);
    path_down(0, 100);
    path_down(0, 900);
    path_poll();
    assert_int_equal(dp_queued(p.worker).packets, 3);
    assert_true(dp_balanced(p.worker));
    path_give_segment_buffers(UINT32_MAX);
    path_close();
}

// Sixteen segments are all that there are (TS 44.065 6.7): what was queued for larger ones ends.
static void what_fits_no_more_ends(void **state)
{
    struct dp_config c = path_small_config(100, 64);
    (void)state;
    c.gn.mtu_octets = 9000;
    path_open_small_config(&c);
    path_plain_ms(0, 0, 1520);
    path_bvc_flow(0, 0, 1000);
    path_offer(0, 6000);
    path_down(0, 700);
    path_offer(0, 6000);
    path_poll();
    path_ms_n201_u(0, 3, 140);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(path_dropped(DROP_npdu_oversize).packets, 2);
    assert_int_equal(path_dropped(DROP_npdu_oversize).octets, 12000);
    assert_int_equal(p.down_received, 1);
    path_down(0, 1500);
    path_poll();
    assert_int_equal(p.down_received, 2);
    path_close();
}

static uint32_t drain_frames(void)
{
    path_poll();
    return path_discard(STATS_GB);
}

// N201-U changes from the next N-PDU on.
static void what_has_begun_goes_on(void **state)
{
    struct dp_config c = path_small_config(100, 64);
    (void)state;
    c.gn.mtu_octets = 9000;
    path_open_small_config(&c);
    p.hold_frames = true;
    path_plain_ms(0, 0, 1520);
    path_bvc_flow(0, 8000, 1600);
    path_offer(0, 6000);
    assert_int_equal(drain_frames(), 1);
    path_ms_n201_u(0, 3, 140);
    path_bvc_flow(0, TIME_NEVER, 0);
    assert_int_equal(drain_frames(), 3);
    assert_int_equal(path_dropped(DROP_npdu_oversize).packets, 0);
    assert_true(dp_balanced(p.worker));
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_port_loses_nothing_that_is_framed),
        cmocka_unit_test(few_frames_are_framed_ahead_of_a_slow_port),
        cmocka_unit_test(a_full_queue_drops_by_reason),
        cmocka_unit_test(without_buffers_framing_waits_and_no_number_is_skipped),
        cmocka_unit_test(the_end_without_buffers_loses_none),
        cmocka_unit_test(what_fits_no_more_ends),
        cmocka_unit_test(what_has_begun_goes_on),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
