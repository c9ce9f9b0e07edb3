// The way down, from Gn to Gb, on the real dataplane and real mbufs, judged by the independent
// receiver of tests/oracle: what enters as GTP-U leaves as LLC PDUs, octet for octet and in order,
// and every packet is accounted for at each return of dp_poll.
#include "tests/dataplane/path/path.h"

#include <stdlib.h>

#include "tests/dataplane/wire/judge.h"

#ifdef __SANITIZE_ADDRESS__
#define STRIDE 29 // a sample: instrumented code is some twenty times slower
#else
#define STRIDE 1
#endif

static void every_size_and_every_n201_u_comes_out_unchanged(void **state)
{
    (void)state;
    path_open_small(4096, 1024);
    uint32_t mss = 0;
    for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += n201_u < 1520 - STRIDE ? STRIDE : 1)
        path_plain_ms(mss++, 0, (uint16_t)n201_u);
    uint32_t sent = 0;
    for (uint32_t ms = 0; ms < mss; ms++)
        for (uint32_t octets = 1; octets <= 1500; octets++) {
            path_down(ms, octets);
            if (++sent % 32 == 0)
                path_poll();
        }
    path_poll();
    print_message("# %u N-PDUs over %u values of N201-U\n", sent, mss);
    assert_int_equal(p.down_received, sent);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_discarded, 0);
    path_close();
}

static void npdu_numbers_and_nu_wrap(void **state)
{
    (void)state;
    path_open_small(4096, 1024);
    path_plain_ms(0, 0, 500);
    // More than 2 x 4096 N-PDUs and 17 x 512 frames of one MS.
    for (uint32_t i = 0; i < 9000; i++) {
        path_down(0, 1 + i % 600);
        if (i % 32 == 0)
            path_poll();
    }
    path_poll();
    assert_int_equal(p.down_received, 9000);
    path_close();
}

static void frames_carry_the_configured_addresses(void **state)
{
    (void)state;
    // IPv4 20, UDP 8, NS 4, BSSGP 14, LLC 3, SNDCP 4, N-PDU 20, FCS 3 are 76 octets.
    static const uint8_t outer[] = {2,    0,    0,    2,  0,   2,  2,   0,  0,   2, 0,    1,
                                    0x08, 0x00, 0x45, 0,  0,   76, 0,   0,  0,   0, 64,   17,
                                    0,    0,    198,  51, 100, 1,  198, 51, 100, 2, 0x59, 0xd8,
                                    0x59, 0xd9, 0,    56, 0,   0,  0,   0,  0,   2};
    path_open_small(16, 16);
    p.hold_frames = true;
    path_plain_ms(0, 0, 500);
    path_down(0, 20);
    path_poll();
    struct rte_mbuf *m = path_next(STATS_GB);
    assert_non_null(m);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    put16(b + 24, 0); // the checksum is the receiver's to judge
    assert_memory_equal(b, outer, sizeof outer);
    rte_pktmbuf_free(m);
    path_close();
}

static void garbage_is_dropped_by_reason_and_harms_nobody(void **state)
{
    (void)state;
    path_open_small(256, 1024);
    path_plain_ms(0, 0, 300);
    uint32_t sent = 0;
    srandom(7);
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 4 == 0) {
            path_down(0, 1 + i % 1500);
            sent++;
        } else {
            struct rte_mbuf *m = path_gn_frame(p.pdp[0].teid, 1 + (uint32_t)random() % 200, i);
            uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
            if (i % 4 == 1) // anything anywhere, but for the TEID, which would be a good packet
                for (uint32_t k = 0; k < m->pkt_len; k++)
                    b[k] = (uint8_t)random();
            else if (i % 4 == 2) // another tunnel
                put32(b + 46, (uint32_t)random() | 0x80000000u);
            else // cut off
                rte_pktmbuf_trim(m, (uint16_t)(1 + (uint32_t)random() % (m->pkt_len - 1u)));
            path_put(STATS_GN, m);
        }
        if (i % 32 == 0)
            path_poll();
    }
    path_poll();
    assert_int_equal(p.down_received, sent);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 5000);
    assert_int_equal(stats_balance(dp_stats(p.worker)).packets.dropped, 15000);
    path_close();
}

// N201-U 140: 136 octets in the first segment and 137 in each of 15 more are 2191.
static void an_npdu_beyond_16_segments_is_refused(void **state)
{
    (void)state;
    struct dp_config c = path_small_config(16, 64);
    c.gn.mtu_octets = 9000;
    path_open_small_config(&c);
    p.hold_frames = true;
    path_plain_ms(0, 0, 140);
    path_offer(0, 2192);
    path_poll();
    assert_int_equal(path_dropped(DROP_npdu_oversize).packets, 1);
    assert_int_equal(path_dropped(DROP_npdu_oversize).octets, 2192);
    path_offer(0, 2191);
    path_poll();
    assert_true(dp_balanced(p.worker));
    assert_int_equal(path_discard(STATS_GB), 16);
    assert_int_equal(stats_balance(dp_stats(p.worker)).octets.out, 2191);
    path_close();
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
    return cmocka_run_group_tests_name("down/down", tests, path_start_eal, NULL);
}
