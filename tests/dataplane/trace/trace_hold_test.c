// What holds a queued N-PDU, as a trace tells it (dataplane/sched/sched_hold.c): each holder is
// made in turn, for an N-PDU in an empty queue.
#include "tests/dataplane/trace/traced.h"

#define LLC_OCTETS 506u
#define OCTETS     1490u // three LLC PDUs of 506 octets
#define BIT_PER_S  50600u

static void open_slow(const struct dp_config *c)
{
    random_begin();
    path_open(c);
    path_ciphers_begin();
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    ms_bucket(0, BIT_PER_S, LLC_OCTETS);
}

static void ignore(const struct ip_datagram *datagram)
{
    (void)datagram;
}

static uint32_t hold_of(uint16_t packet)
{
    uint32_t by = TRACE_HOLDERS, at = 0;
    for (const struct trace_record *r; (r = trace_next(packet, &at));)
        by = r->stage == TRACE_held ? r->held.by : by;
    return by;
}

// Nothing is taken off the port, whose queue has 16 places: N-PDUs 8 to 27.
static void the_port_holds(void)
{
    p.hold_frames = true;
    for (int i = 0; i < 20; i++)
        path_down(0, 100);
    path_poll();
    trace_read();
    uint32_t at_port = 0;
    for (uint16_t packet = 8; packet <= 27; packet++)
        at_port += hold_of(packet) == TRACE_HELD_BY_PORT;
    assert_true(at_port > 0);
    p.hold_frames = false;
    p.now_ns += S_IN_NS;
    path_poll();
    trace_read();
    assert_int_equal(trace_check(TRACE_sent, 27), 27);
}

static void what_holds_it(void **state)
{
    static const uint8_t frame[300] = {0x41, 0xe3};
    struct dp_config c = path_config(1);
    (void)state;
    c.gb.tx_frames = 16;
    open_slow(&c);
    p.on_llc = ignore;
    path_pfc(0, 1, CLASS_STREAMING);
    path_pdp(1, 0, 1, 6, 3, 0, -1); // on the same LLE
    DO(ms_default, 0);
    trace_all(64);

    DO(bvc_block, .bvc_id = 0, .blocked = true);
    path_down(0, 100);
    path_poll();
    DO(bvc_block, .bvc_id = 0, .blocked = false);

    ms_bucket(0, BIT_PER_S, LLC_OCTETS); // half of the first goes, and holds the LLE of the second
    DO(pfc_bucket, .ms_id = 0, .slot = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 1,
       .bucket_octets = LLC_OCTETS);
    path_down(0, OCTETS);
    path_poll();
    path_down(1, 100);
    path_poll();
    trace_read();
    assert_int_equal(hold_of(1), SCHED_HELD_BY_blocked);
    assert_int_equal(hold_of(2), SCHED_HELD_BY_pfc);
    assert_int_equal(hold_of(3), SCHED_HELD_BY_lle);
    assert_int_equal(trace_of(2, TRACE_held)->held.rate, 1);
    DO(pfc_bucket, .ms_id = 0, .slot = 0, .has_rate_100_bit_per_s = false);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    DO(ms_default, 0);

    path_bvc_flow(0, BIT_PER_S, LLC_OCTETS);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    path_down(0, OCTETS);
    path_poll();
    trace_read();
    assert_int_equal(hold_of(4), SCHED_HELD_BY_bvc);
    assert_int_equal(trace_of(4, TRACE_held)->held.level_octets, LLC_OCTETS);
    path_bvc_flow(0, TIME_NEVER, 0);
    path_run_until(p.now_ns + 5 * S_IN_NS);

    DO(nse_bucket, .nse_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 1,
       .bucket_octets = 600);
    path_down(0, OCTETS);
    path_poll();
    trace_read();
    assert_int_equal(hold_of(5), SCHED_HELD_BY_nse);
    // an IPv4 packet: IP, UDP, NS, DL-UNITDATA with the head of its last element, the LLC PDU
    assert_int_equal(trace_of(5, TRACE_held)->held.octets, 20 + 8 + 4 + 12 + 3 + LLC_OCTETS);
    DO(nse_bucket, .nse_id = 0, .has_rate_100_bit_per_s = false);
    path_run_until(p.now_ns + 5 * S_IN_NS);

    ms_bucket(0, BIT_PER_S, LLC_OCTETS);
    path_down(0, 496); // an LLC PDU
    path_poll();
    DO(llc, .ms_id = 0, .pdu = {frame, sizeof frame});
    path_down(0, 100);
    path_poll();
    trace_read();
    assert_int_equal(hold_of(7), SCHED_HELD_BY_frame);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    DO(ms_default, 0);

    the_port_holds();
    trace_switch(false);
    path_expect_all();
    path_close();
}

// Flows of one packet flow: another one's turn holds it, and the record names its queue.
static void queues_by_flow(void **state)
{
    static uint8_t npdu[9000];
    static struct ip_frame frame;
    struct dp_config c = path_config(1);
    (void)state;
    c.queue_flows = 16;
    c.classes.item[CLASS_BACKGROUND].flows = true;
    open_slow(&c);
    p.blind = true;
    trace_all(16);
    struct ip_ends ends = path_ends_gn(0);
    for (int i = 0; i < 6; i++) { // two flows, UDP ports 1 and 2
        memset(npdu, 0, OCTETS);
        memcpy(npdu, (uint8_t[]){0x45, 0, OCTETS >> 8, OCTETS & 255}, 4);
        npdu[9] = 17;
        npdu[21] = (uint8_t)(1 + i % 2);
        path_gpdu(&frame, &ends, p.pdp[0].teid, npdu, OCTETS);
        assert_true(path_give(STATS_GN, 0, &frame));
    }
    path_run_until(p.now_ns + 10 * S_IN_NS);
    trace_read();
    assert_int_equal(trace_check(TRACE_sent, 6), 6);
    const struct trace_record *a = trace_of(1, TRACE_enqueue), *b = trace_of(2, TRACE_enqueue);
    assert_true(a->enqueue.by_flow && b->enqueue.by_flow);
    assert_int_not_equal(a->enqueue.flow, b->enqueue.flow);
    assert_int_equal(trace_of(3, TRACE_enqueue)->enqueue.flow, a->enqueue.flow);
    assert_int_equal(trace_of(3, TRACE_enqueue)->enqueue.ahead_npdus, 1);
    assert_int_equal(trace_of(2, TRACE_enqueue)->enqueue.ahead_npdus, 0);
    assert_int_equal(trace_of(2, TRACE_held)->held.by, SCHED_HELD_BY_flow);
    assert_int_equal(trace_of(3, TRACE_held)->held.by, SCHED_HELD_BY_queue);
    path_expect_conservation();
    path_close();
}

// A piece waits for a buffer to be copied into, and the whole N-PDU granted behind it waits, too.
static void grants_without_a_buffer(void **state)
{
    static struct rte_mbuf *taken[8192];
    struct dp_config c = path_config(1);
    (void)state;
    open_slow(&c);
    DO(ms_default, 0);
    path_plain_ms(1, 0, 500);
    for (uint32_t i = 0; i < 100; i++) // full bursts grow, so that several are granted together
        path_down(0, 100);
    path_poll();
    uint32_t n = 0;
    while (n < 8192 && (taken[n] = rte_pktmbuf_alloc(dp_worker(p.dp, 0)->segment_pool)))
        n++;
    trace_all(16);
    path_down(0, OCTETS);
    path_down(1, 400); // not a small one, which would go first
    path_poll();
    trace_read();
    assert_int_equal(hold_of(2), TRACE_HELD_BY_PORT);
    for (uint32_t i = 0; i < n; i++)
        rte_pktmbuf_free(taken[i]);
    path_run_until(p.now_ns + S_IN_NS);
    trace_read();
    assert_int_equal(trace_check(TRACE_sent, 2), 2);
    trace_switch(false);
    path_expect_all();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_it),
        cmocka_unit_test(queues_by_flow),
        cmocka_unit_test(grants_without_a_buffer),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
