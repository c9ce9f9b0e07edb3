// The thread from Gn to Gb on the real dataplane and real mbufs, judged by the independent receiver
// of tests/oracle: what enters as GTP-U leaves as LLC PDUs, octet for octet and in order, and every
// packet is accounted for at each return of dp_poll.
#include "tests/dataplane/down/thread.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define STRIDE 29 // a sample: instrumented code is some twenty times slower
#else
#define STRIDE 1
#endif

static void every_size_and_every_n201_u_comes_out_unchanged(void **state)
{
    (void)state;
    thread_open(4096, 1024);
    uint32_t mss = 0;
    for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += n201_u < 1520 - STRIDE ? STRIDE : 1)
        thread_add_ms(mss++, (uint16_t)n201_u);
    uint32_t sent = 0;
    for (uint32_t ms = 0; ms < mss; ms++)
        for (uint32_t octets = 1; octets <= SIZE_MAX_OCTETS; octets++) {
            thread_send(ms, octets);
            if (++sent % 32 == 0)
                thread_poll_and_take_all();
        }
    thread_poll_and_take_all();
    print_message("# %u N-PDUs over %u values of N201-U\n", sent, mss);
    assert_int_equal(t.received, sent);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_discarded, 0);
    thread_close();
}

static void npdu_numbers_and_nu_wrap(void **state)
{
    (void)state;
    thread_open(4096, 1024);
    thread_add_ms(0, 500);
    // More than 2 x 4096 N-PDUs and 17 x 512 frames of one MS.
    for (uint32_t i = 0; i < 9000; i++) {
        thread_send(0, 1 + i % 600);
        if (i % 32 == 0)
            thread_poll_and_take_all();
    }
    thread_poll_and_take_all();
    assert_int_equal(t.received, 9000);
    thread_close();
}

static void frames_carry_the_configured_addresses(void **state)
{
    (void)state;
    // IPv4 20, UDP 8, NS 4, BSSGP 14, LLC 3, SNDCP 4, N-PDU 20, FCS 3 are 76 octets.
    static const uint8_t outer[] = {2,    0,    0,    0,  0,   16, 2,   0,  0,   0, 0,    2,
                                    0x08, 0x00, 0x45, 0,  0,   76, 0,   0,  0,   0, 64,   17,
                                    0,    0,    198,  51, 100, 1,  198, 51, 100, 2, 0x59, 0xd8,
                                    0x59, 0xd9, 0,    56, 0,   0,  0,   0,  0,   2};
    thread_open(16, 16);
    thread_add_ms(0, 500);
    thread_send(0, 20);
    thread_poll_to_rest();
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_ring_dequeue(t.gb.from_port, (void **)&m), 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    thread_put16(b + 24, 0); // the checksum is the receiver's to judge
    assert_memory_equal(b, outer, sizeof outer);
    rte_pktmbuf_free(m);
    thread_close();
}

static void garbage_is_dropped_by_reason_and_harms_nobody(void **state)
{
    (void)state;
    thread_open(256, 1024);
    thread_add_ms(0, 300);
    uint32_t sent = 0;
    srandom(7);
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 4 == 0) {
            thread_send(0, 1 + i % SIZE_MAX_OCTETS);
            sent++;
        } else {
            struct rte_mbuf *m = thread_gn_frame(t.pdp[0].teid, 1 + (uint32_t)random() % 200, i);
            uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
            if (i % 4 == 1) // anything anywhere, but for the TEID, which would be a good packet
                for (uint32_t k = 0; k < m->pkt_len; k++)
                    b[k] = (uint8_t)random();
            else if (i % 4 == 2) // another tunnel
                thread_put32(b + 46, (uint32_t)random() | 0x80000000u);
            else // cut off
                rte_pktmbuf_trim(m, (uint16_t)(1 + (uint32_t)random() % (m->pkt_len - 1u)));
            thread_send_frame(m);
        }
        if (i % 32 == 0)
            thread_poll_and_take_all();
    }
    thread_poll_and_take_all();
    assert_int_equal(t.received, sent);
    assert_int_equal(thread_dropped(DROP_unknown_teid).packets, 5000);
    assert_int_equal(stats_balance(dp_stats(t.worker)).packets.dropped, 15000);
    thread_close();
}

// N201-U 140: 136 octets in the first segment and 137 in each of 15 more are 2191.
static void an_npdu_beyond_16_segments_is_refused(void **state)
{
    (void)state;
    struct rte_mbuf *m;
    uint32_t frames = 0;
    struct dp_config c = thread_config(16, 64);
    c.gn.mtu_octets = 9000;
    thread_open_config(&c);
    thread_add_ms(0, 140);
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 2192, 0));
    thread_poll_to_rest();
    assert_int_equal(thread_dropped(DROP_npdu_oversize).packets, 1);
    assert_int_equal(thread_dropped(DROP_npdu_oversize).octets, 2192);
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 2191, 0));
    thread_poll_to_rest();
    assert_true(dp_balanced(t.worker));
    for (; rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0; frames++)
        rte_pktmbuf_free(m);
    assert_int_equal(frames, 16);
    assert_int_equal(stats_balance(dp_stats(t.worker)).octets.out, 2191);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_every_n201_u_comes_out_unchanged),
        cmocka_unit_test(npdu_numbers_and_nu_wrap),
        cmocka_unit_test(frames_carry_the_configured_addresses),
        cmocka_unit_test(garbage_is_dropped_by_reason_and_harms_nobody),
        cmocka_unit_test(an_npdu_beyond_16_segments_is_refused),
    };
    return cmocka_run_group_tests(tests, thread_start_eal, NULL);
}
