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
    assert_true(dp_stats(t.worker)->gb_tx_refused > 100);
    thread_close();
}

// What is framed is past all management: in front of a slow port it must stay short.
static void few_frames_are_framed_ahead_of_a_slow_port(void **state)
{
    (void)state;
    thread_open(64, 2);
    thread_add_ms(0, 1520);
    for (uint32_t i = 0; i < 40; i++)
        thread_send(0, 100);
    thread_poll_to_rest();
    uint32_t out = 0;
    for (uint32_t i = 0; i < 40; i++) {
        // two in the ring, two framed and waiting; all else is plaintext
        uint64_t plain_or_waiting = dp_queued(t.worker).packets;
        assert_true(plain_or_waiting + out + 2 >= 40);
        assert_true(dp_stats(t.worker)->gb_tx_packets <= out + 2);
        out += thread_take(1);
        thread_poll_to_rest();
    }
    assert_int_equal(t.received, 40);
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
        thread_send_frame(thread_gn_frame(t.teid[0], 100, 0));
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
    static struct rte_mbuf *held[65536];
    uint32_t n = 0;
    thread_open(64, 64);
    thread_add_ms(0, 200);
    while (n < 65536 && (held[n] = rte_pktmbuf_alloc(t.gb.pool)) != NULL)
        n++;
    thread_send(0, 100); // one segment: needs no buffer
    thread_send(0, 900); // five segments
    thread_send(0, 100);
    for (int i = 0; i < 10; i++)
        dp_poll(t.worker, t.now_ns);
    thread_take(UINT32_MAX);
    assert_int_equal(t.received, 1);
    assert_true(dp_stats(t.worker)->no_buffer > 0);
    assert_true(dp_balanced(t.worker));
    // two segments' worth, then the rest
    rte_pktmbuf_free(held[--n]);
    rte_pktmbuf_free(held[--n]);
    dp_poll(t.worker, t.now_ns);
    while (n > 0)
        rte_pktmbuf_free(held[--n]);
    thread_poll_and_take_all();
    assert_int_equal(t.received, 3);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_port_loses_nothing_that_is_framed),
        cmocka_unit_test(few_frames_are_framed_ahead_of_a_slow_port),
        cmocka_unit_test(a_full_queue_drops_by_reason),
        cmocka_unit_test(without_buffers_framing_waits_and_no_number_is_skipped),
    };
    return cmocka_run_group_tests(tests, thread_start_eal, NULL);
}
