// The command side: what is refused and why, by whatever is named, and that what was refused has
// not happened (what did not fit into the ring: full_ring_test.c). A command that was accepted is
// never refused by the worker (path_close asserts it); any commands at all are in random_test.c.
// And the PDUs that go in the order of the values that they acknowledge.
#include "tests/dataplane/path/path.h"

#include <errno.h>
#include <string.h>

#include "tests/dataplane/wire/judge.h"

static void ids_beyond_the_limits(void **state)
{
    (void)state;
    path_open_small(16, 16); // one NSE, two cells, PATH_MSS, PATH_PDPS
    TRY(-ERANGE, nse, .nse_id = 1);
    TRY(-ERANGE, bvc, .bvc_id = 2, .bvci = 2);
    TRY(-ERANGE, bvc, .bvc_id = 1, .nse_id = 1, .bvci = 2);
    TRY(-ERANGE, ms, .ms_id = PATH_MSS, .n201_u = 500);
    TRY(-ERANGE, ms, .bvc_id = 2, .n201_u = 500);
    TRY(-ERANGE, pdp, .pdp_id = PATH_PDPS, .nsapi = 5, .sapi = 3);
    TRY(-ERANGE, pdp, .ms_id = PATH_MSS, .nsapi = 5, .sapi = 3);
    TRY(-ERANGE, pfc, .ms_id = PATH_MSS);
    TRY(-ERANGE, nse_remove, 1);
    TRY(-ERANGE, bvc_bucket, .bvc_id = 2);
    TRY(-ERANGE, ms_freeze, PATH_MSS);
    TRY(-ERANGE, ms_move, .ms_id = PATH_MSS);
    TRY(-ERANGE, pdp_remove, PATH_PDPS);
    path_command(&(struct command){.op = COMMAND_COUNT}, -EINVAL);
    path_command(&(struct command){.op = UINT32_MAX}, -EINVAL);
    path_close();
}

static void values_out_of_their_ranges(void **state)
{
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    TRY(-ERANGE, ms, .ms_id = 1, .n201_u = 139);
    TRY(-ERANGE, ms, .ms_id = 1, .n201_u = 1521);
    TRY(-ERANGE, bvc, .bvc_id = 1, .bvci = 1);
    TRY(-ERANGE, pfc, .slot = 1, .traffic_class = CLASS_COUNT);
    TRY(-ERANGE, pfc, .slot = 3); // there are three: 0 to 2
    TRY(-ERANGE, pfc, .slot = 1, .has_shares = true, .shares = SCHED_SLOTS);
    TRY(-ENOENT, pfc, .slot = 1, .has_shares = true, .shares = 1); // itself
    TRY(-ENOENT, pfc, .slot = 1, .has_shares = true, .shares = 2);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 4, .sapi = 3);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 16, .sapi = 3);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 6, .sapi = 4);
    TRY(-ERANGE, ms_bucket, .has_rate_100_bit_per_s = true,
        .rate_100_bit_per_s = BUCKET_RATE_MAX + 1);
    TRY(0, ms_bucket, .rate_100_bit_per_s = BUCKET_RATE_MAX + 1); // a rate that is not given
    path_poll();
    path_close();
}

#define TRY_KEY(wanted, gea_, octets) TRY(wanted, ms_cipher, .gea = gea_, .key = {kc, octets})

static void ciphers_that_are_refused(void **state)
{
    static const uint8_t kc[17] = {1};
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    for (uint32_t octets = 0; octets <= 17; octets++) {
        TRY_KEY(octets == 0 ? 0 : -EINVAL, 0, octets);
        TRY_KEY(-ENOTSUP, 1, octets);
        TRY_KEY(-ENOTSUP, 2, octets);
        TRY_KEY(octets == 8 ? 0 : -EINVAL, 3, octets);
        TRY_KEY(octets == 16 ? 0 : -EINVAL, 4, octets);
        TRY_KEY(-ENOTSUP, 5, octets);
        TRY_KEY(-EINVAL, 6, octets);
        TRY_KEY(-EINVAL, 7, octets);
        TRY_KEY(-ERANGE, 8, octets);
    }
    TRY(-ENOENT, ms_cipher, .ms_id = 1, .gea = 3, .key = {kc, 8});
    TRY(-ERANGE, ms_cipher, .ms_id = PATH_MSS, .gea = 3, .key = {kc, 8});
    path_poll();
    assert_int_equal(p.down_received, 0);
    path_close();
}

static void what_is_not_there(void **state)
{
    (void)state;
    path_open_small(16, 16);
    path_ms(0, 0, 500);
    TRY(-ENOENT, ms, .ms_id = 1, .bvc_id = 1, .n201_u = 500);
    TRY(-ENOENT, ms_move, .ms_id = 0, .bvc_id = 1);
    TRY(-ENOENT, pfc, .ms_id = 1);
    TRY(-ENOENT, pfc_bucket, .ms_id = 0, .slot = 0);
    TRY(-ENOENT, pfc_remove, .ms_id = 0, .slot = 0);
    TRY(-ENOENT, pdp, .ms_id = 0, .nsapi = 5, .sapi = 3); // no packet flow in that slot
    TRY(-ENOENT, pdp, .ms_id = 1, .nsapi = 5, .sapi = 3);
    TRY(-ENOENT, pdp_remove, 0);
    TRY(-ENOENT, ms_remove, 1);
    TRY(-ENOENT, bvc_remove, 1);
    path_close();
}

static void what_is_there_already(void **state)
{
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    TRY(-EEXIST, nse, .nsei = 1);
    TRY(-EEXIST, bvc, .bvci = 2);
    TRY(-EEXIST, ms, .n201_u = 500);
    TRY(-EEXIST, pfc, .slot = 0);
    TRY(-EEXIST, pdp, .pdp_id = 0, .nsapi = 6, .sapi = 3);
    TRY(-EEXIST, pdp, .pdp_id = 1, .nsapi = 5, .sapi = 3); // the MS's NSAPI
    path_close();
}

static void nothing_is_removed_below_what_needs_it(void **state)
{
    (void)state;
    path_open_small(16, 16);
    DO(bvc, .bvc_id = 1, .bvci = 3);
    path_plain_ms(0, 0, 500);
    path_pfc(0, 1, CLASS_STREAMING);
    path_pdp(1, 0, 1, 6, 3, PATH_NONE, -1);
    TRY(-EBUSY, nse_remove, 0);
    TRY(-EBUSY, bvc_remove, 0);
    TRY(-EBUSY, ms_remove, 0);
    TRY(-EBUSY, pfc_remove, 0, 0);
    DO(pdp_remove, 0);
    DO(pfc_remove, 0, 0);
    TRY(-EBUSY, pfc_remove, 0, 1);
    DO(ms_move, 0, 1);
    DO(bvc_remove, 0);
    TRY(-EBUSY, bvc_remove, 1);
    DO(pdp_remove, 1);
    DO(ms_remove, 0); // its packet flow goes with it
    TRY(-EBUSY, nse_remove, 0);
    DO(nsvc_remove, 0);
    DO(bvc_remove, 1);
    DO(nse_remove, 0);
    TRY(-ENOENT, nse_remove, 0);
    path_close();
}

// --- PDUs ----------------------------------------------------------------------------------------

static void open_one(void)
{
    path_open_small(100, 64);
    p.hold_frames = true;
    path_plain_ms(0, 0, 500);
}

// NS-STATUS and others are octets like any here.
static void send_pdu(uint32_t nsvc, uint8_t number, uint32_t octets)
{
    static uint8_t pdu[1600];
    memset(pdu, number, octets);
    TRY(0, send, nsvc, {pdu, octets});
}

static void expect_pdu(uint8_t number, uint32_t octets)
{
    uint8_t pdu[1600];
    struct rte_mbuf *m = path_next(STATS_GB);
    memset(pdu, number, octets);
    assert_non_null(m);
    assert_int_equal(m->pkt_len, 42 + octets);
    assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, 42), pdu, octets);
    rte_pktmbuf_free(m);
}

// To the NS-VC's endpoint, from ours; 20 + 8 + 3 octets of IPv4.
static void a_pdu_octet_for_octet(void **state)
{
    static const uint8_t expected[] = {
        2,   0,  0,   2, 0,    2,    2,    0,    0,  2,  0, 1,   8,    0,    0x45,
        0,   0,  31,  0, 0,    0,    0,    64,   17, 0,  0, 198, 51,   100,  1,
        198, 51, 100, 2, 0x59, 0xd8, 0x59, 0xd9, 0,  11, 0, 0,   0x0a, 0x0b, 0x0c};
    uint8_t pdu[] = {0x0a, 0x0b, 0x0c};
    (void)state;
    open_one();
    uint64_t before = dp_stats(p.worker)->of_port[STATS_GB].tx_packets;
    TRY(0, send, 0, {pdu, 3});
    memset(pdu, 0xff, sizeof pdu); // the caller's own again
    path_poll();
    struct rte_mbuf *m = path_next(STATS_GB);
    assert_non_null(m);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    assert_int_equal(m->pkt_len, sizeof expected);
    assert_int_equal(plain_checksum(b + 14, 20), 0);
    put16(b + 24, 0);
    assert_memory_equal(b, expected, sizeof expected);
    rte_pktmbuf_free(m);
    assert_null(path_next(STATS_GB));
    const struct stats_port *gb = &dp_stats(p.worker)->of_port[STATS_GB];
    assert_int_equal(gb->tx_packets, before + 1);
    assert_int_equal(gb->answers, 1);
    path_close();
}

static void a_pdu_over_ipv6_has_a_checksum(void **state)
{
    (void)state;
    open_one();
    path_nsvc(1, 0, true, 1);
    send_pdu(1, 0x77, 5);
    path_poll();
    struct rte_mbuf *m = path_next(STATS_GB);
    assert_non_null(m);
    const uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    assert_int_equal(m->pkt_len, 62 + 5);
    assert_int_equal(plain_sum(plain_sum(17 + 13, b + 22, 32), b + 54, 13), 0xffff);
    rte_pktmbuf_free(m);
    path_close();
}

// The BSS has asked to stop; the answer on the wire means that nothing more comes.
static void what_a_pdu_acknowledges_is_in_force(void **state)
{
    uint32_t before = 0;
    (void)state;
    open_one();
    for (int i = 0; i < 90; i++)
        path_offer(0, 100);
    dp_poll(p.worker, p.now_ns); // 64 come and go
    TRY(0, bvc_bucket, .bvc_id = 0, .has_rate_100_bit_per_s = true, .bucket_octets = 1000);
    send_pdu(0, 0x42, 7);
    path_poll();
    for (; rte_ring_count(p.far[STATS_GB][0].from_port) > 1; before++)
        rte_pktmbuf_free(path_next(STATS_GB));
    expect_pdu(0x42, 7);
    assert_int_equal(before, dp_stats(p.worker)->of_class[CLASS_BACKGROUND].out_packets);
    assert_int_equal(dp_queued(p.worker).packets, 90 - before);
    assert_true(before > 0 && before < 90);
    path_close();
}

// As many as there is room for, in their order, whatever the port takes; a buffer each.
static void pdus_go_in_order_through_a_slow_port(void **state)
{
    uint32_t sent = 0, taken = 0;
    (void)state;
    path_open_small(100, 2);
    p.hold_frames = true;
    path_plain_ms(0, 0, 500);
    while (taken < 2000) {
        uint8_t pdu[4];
        put32(pdu, sent);
        struct command c = {.op = COMMAND_send, .send = {0, {pdu, 4}}};
        int64_t result = dp_command(p.dp, &c);
        assert_true(result == 0 || result == -EAGAIN);
        sent += result == 0;
        if (result == 0 && sent % 3)
            continue;
        dp_poll(p.worker, p.now_ns);
        struct rte_mbuf *m = path_next(STATS_GB);
        assert_non_null(m);
        put32(pdu, taken++);
        assert_int_equal(m->pkt_len, 46);
        assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, 42), pdu, 4);
        rte_pktmbuf_free(m);
    }
    assert_true(sent > taken + 100); // many wait: none of their buffers is lost
    assert_false(dp_settled(p.dp));
    path_close();
}

static void a_pdu_that_nobody_can_be_sent_is_counted(void **state)
{
    struct command nsvc = path_nsvc_command(1, 0, false, 1);
    (void)state;
    open_one();
    nsvc.nsvc.has_peer_mac = false;
    path_do(&nsvc);
    uint64_t unsent = dp_stats(p.worker)->of_port[STATS_GB].answers_unsent;
    send_pdu(1, 1, 10);
    path_poll();
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GB].answers_unsent, unsent + 1);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_beyond_the_limits),
        cmocka_unit_test(values_out_of_their_ranges),
        cmocka_unit_test(ciphers_that_are_refused),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(what_is_there_already),
        cmocka_unit_test(nothing_is_removed_below_what_needs_it),
        cmocka_unit_test(a_pdu_octet_for_octet),
        cmocka_unit_test(a_pdu_over_ipv6_has_a_checksum),
        cmocka_unit_test(what_a_pdu_acknowledges_is_in_force),
        cmocka_unit_test(pdus_go_in_order_through_a_slow_port),
        cmocka_unit_test(a_pdu_that_nobody_can_be_sent_is_counted),
    };
    return cmocka_run_group_tests_name("commands", tests, path_start_eal, NULL);
}
