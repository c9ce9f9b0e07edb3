// The downlink under pressure: a port that takes frames slowly, a full queue, no buffers. Nothing
// framed is lost, little is framed ahead, and the numbers on the wire have no gap.
#include "tests/dataplane/down/thread.h"

static void a_slow_port_loses_nothing_that_is_framed(void **state)
{
    (void)state;
    thread_open(64, 2);
    thread_add_ms(0, 200);
    thread_add_ms(1, 1520);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        if (dp_queued(t.worker).packets < 60) {
            thread_send(i % 2, 1 + i * 7 % SIZE_MAX_OCTETS);
            sent++;
        }
        dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
        thread_take(1);
    }
    thread_poll_and_take_all();
    assert_int_equal(t.received, sent);
    assert_int_equal(stats_balance(dp_stats(t.worker)).packets.dropped, 0);
    assert_true(dp_stats(t.worker)->of_port[STATS_GB].tx_refused > 100);
    thread_close();
}

// What is framed is past all management: in front of a slow port it must stay short, however fast
// the port was before. With the queue held full, what is queued beyond its limit is what is framed.
static void few_frames_are_framed_ahead_of_a_slow_port(void **state)
{
    (void)state;
    thread_open(100, 64);
    thread_add_ms(0, 1520);
    for (uint32_t i = 0; i < 1000; i++) { // fast: bursts grow
        thread_send(0, 100);
        if (i % 64 == 63)
            thread_poll_and_take_all();
    }
    for (uint32_t i = 0; i < 200; i++) { // slow: a frame for two packets
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
        thread_poll_to_rest();
        struct rte_mbuf *m = NULL;
        if (i >= 100 && rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0)
            rte_pktmbuf_free(m);
        if (i >= 150)
            assert_in_range(dp_queued(t.worker).packets, 100, 102);
    }
    thread_close();
}

static void a_full_queue_drops_by_reason(void **state)
{
    (void)state;
    thread_open(10, 1);
    thread_add_ms(0, 1520);
    thread_send(0, 100);
    thread_poll_to_rest();
    for (uint32_t i = 0; i < 100; i++)
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
    thread_poll_to_rest();
    assert_true(dp_balanced(t.worker));
    struct stats_drop d = thread_dropped(DROP_queue_full);
    struct dp_queued q = dp_queued(t.worker);
    assert_int_equal(d.packets + q.packets, 100);
    assert_int_equal(d.octets, 100 * d.packets);
    assert_int_equal(q.packets, 12); // 10 wait plain, and a burst of 2 is framed and refused
    thread_close();                  // with a queue: no buffer may be lost
}

static void without_buffers_framing_waits_and_no_number_is_skipped(void **state)
{
    (void)state;
    thread_open(64, 64);
    thread_add_ms(0, 200);
    thread_hold_segment_buffers();
    thread_send(0, 100); // one segment: needs no buffer
    thread_send(0, 900); // five segments
    thread_send(0, 100);
    for (int i = 0; i < 10; i++)
        dp_poll(t.worker, t.now_ns);
    assert_true(dp_poll(t.worker, t.now_ns) > t.now_ns);
    thread_take(UINT32_MAX);
    assert_int_equal(t.received, 1);
    assert_true(dp_stats(t.worker)->no_buffer > 0);
    assert_true(dp_balanced(t.worker));
    // What is granted and not framed must not be taken away: commands wait as well.
    thread_command(&(struct command){.op = COMMAND_ms_default}, 0);
    assert_true(dp_poll(t.worker, t.now_ns) > t.now_ns);
    assert_false(dp_settled(t.dp));
    // two segments' worth, then the rest
    thread_give_segment_buffers(2);
    dp_poll(t.worker, t.now_ns);
    thread_give_segment_buffers(UINT32_MAX);
    thread_poll_and_take_all();
    assert_int_equal(t.received, 3);
    assert_true(dp_settled(t.dp));
    thread_close();
}

// The end while pieces are granted, the last one of an N-PDU among them, and no buffer is free.
static void the_end_without_buffers_loses_none(void **state)
{
    (void)state;
    thread_open(64, 64);
    thread_add_ms(0, 200);
    for (int i = 0; i < 640; i++) { // fast: bursts grow
        thread_send(0, 100);
        if (i % 32 == 31)
            thread_poll_and_take_all();
    }
    thread_hold_segment_buffers();
    thread_send(0, 900);
    thread_send(0, 100);
    thread_send(0, 900);
    thread_poll_to_rest();
    assert_int_equal(dp_queued(t.worker).packets, 3);
    assert_true(dp_balanced(t.worker));
    thread_give_segment_buffers(UINT32_MAX);
    thread_close();
}

static void shrink_n201_u(uint16_t n201_u)
{
    thread_do(&(struct command){.op = COMMAND_ms_n201_u,
                                .ms_n201_u = {.ms_id = 0, .sapi = 3, .n201_u = n201_u}});
}

// Sixteen segments are all that there are (TS 44.065 6.7): what was queued for larger ones ends.
static void what_fits_no_more_ends(void **state)
{
    struct dp_config c = thread_config(100, 64);
    (void)state;
    c.gn.mtu_octets = 9000;
    thread_open_config(&c);
    thread_add_ms(0, 1520);
    thread_cell(0, 1000);
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 6000, 0));
    thread_send(0, 700);
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 6000, 0));
    thread_poll_to_rest();
    shrink_n201_u(140);
    thread_cell(TIME_NEVER, 0);
    thread_poll_and_take_all();
    assert_int_equal(thread_dropped(DROP_npdu_oversize).packets, 2);
    assert_int_equal(thread_dropped(DROP_npdu_oversize).octets, 12000);
    assert_int_equal(t.received, 1);
    thread_send(0, 1500);
    thread_poll_and_take_all();
    assert_int_equal(t.received, 2);
    thread_close();
}

static uint32_t drain_frames(void)
{
    struct rte_mbuf *m;
    uint32_t n = 0;
    thread_poll_to_rest();
    for (; rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0; n++)
        rte_pktmbuf_free(m);
    return n;
}

// N201-U changes from the next N-PDU on.
static void what_has_begun_goes_on(void **state)
{
    struct dp_config c = thread_config(100, 64);
    (void)state;
    c.gn.mtu_octets = 9000;
    thread_open_config(&c);
    thread_add_ms(0, 1520);
    thread_cell(8000, 1600);
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 6000, 0));
    assert_int_equal(drain_frames(), 1);
    shrink_n201_u(140);
    thread_cell(TIME_NEVER, 0);
    assert_int_equal(drain_frames(), 3);
    assert_int_equal(thread_dropped(DROP_npdu_oversize).packets, 0);
    assert_true(dp_balanced(t.worker));
    thread_close();
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
    return cmocka_run_group_tests(tests, thread_start_eal, NULL);
}
