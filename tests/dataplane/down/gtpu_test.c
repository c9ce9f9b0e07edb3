// GTP-U's own messages (TS 29.281 clauses 5 and 7), typed: what is answered and with which octets,
// what control is told, what is dropped; and that each frame is accounted for.
#include "tests/dataplane/down/gtpu_messages.h"

#include "tests/dataplane/random.h"

// Takes an answer off Gn: to GGSN, from us, with good checksums, and this message. The rest of it
// is the port's own test.
static void expect_answer(uint16_t to_port, const uint8_t *message, uint32_t n)
{
    struct rte_mbuf *m = path_next(STATS_GN);
    assert_non_null(m);
    const uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    uint8_t ends[8];
    assert_int_equal(m->pkt_len, GTPU_AT + n);
    assert_memory_equal(b, "\2\0\0\1\0\2\2\0\0\1\0\1\x08\0\x45", 15);
    assert_int_equal(plain_checksum(b + 14, 20), 0);
    put32(ends, OUR_GN);
    put32(ends + 4, GGSN);
    assert_memory_equal(b + 26, ends, sizeof ends);
    assert_int_equal(b[34] << 8 | b[35], 2152);
    assert_int_equal(b[36] << 8 | b[37], to_port);
    assert_int_equal(b[38] << 8 | b[39], 8 + n);
    assert_int_equal(plain_sum(plain_sum((uint16_t)(17 + 8 + n), ends, 8), b + 34, 8 + n), 0xffff);
    assert_memory_equal(b + GTPU_AT, message, n);
    rte_pktmbuf_free(m);
}
#define EXPECT_ANSWER(port, ...) expect_answer(port, TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__))

static void expect_silence(void)
{
    assert_int_equal(rte_ring_count(p.far[STATS_GN][0].from_port), 0);
}

// 7.2.1 and 7.2.2: the sequence number comes back, Recovery is 0, to the port it came from.
static void an_echo_is_answered(void **state)
{
    (void)state;
    open_gn(0);
    SEND(0x32, 0x01, 0x00, 0x04, 0, 0, 0, 0, 0x12, 0x34, 0, 0);
    EXPECT_ANSWER(FROM_PORT, 0x32, 0x02, 0x00, 0x06, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0x0e, 0x00);
    SEND(0x30, 0x01, 0x00, 0x00, 0, 0, 0, 0); // without a number
    EXPECT_ANSWER(FROM_PORT, 0x32, 0x02, 0x00, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e, 0x00);
    // with a private extension, which nobody here knows
    SEND(0x32, 0x01, 0x00, 0x09, 0, 0, 0, 0, 0x12, 0x35, 0, 0, 0xff, 0, 2, 0x12, 0x34);
    EXPECT_ANSWER(FROM_PORT, 0x32, 0x02, 0x00, 0x06, 0, 0, 0, 0, 0x12, 0x35, 0, 0, 0x0e, 0x00);
    expect_silence();
    assert_int_equal(gn()->host_packets, 3);
    assert_int_equal(gn()->host_octets, 3 * GTPU_AT + 12 + 8 + 17);
    assert_int_equal(gn()->answers, 3);
    assert_int_equal(gn()->tx_packets, 3);
    path_close();
}

static void put_ipv6_checksum(uint8_t *b, uint32_t udp_octets)
{
    uint16_t sum = plain_sum((uint16_t)(17 + udp_octets), b + 22, 32);
    put16(b + 60, (uint16_t)~plain_sum(sum, b + 54, udp_octets));
}

static void an_echo_over_ipv6_is_answered_there(void **state)
{
    static const uint8_t request[] = {
        2,    0,    0,    1,    0,    1,    2,    0,    0, 1,  0, 7, 0x86, 0xdd, // Ethernet
        0x60, 0,    0,    0,    0,    20,   17,   255,                           // IPv6
        0x20, 0x01, 0x0d, 0xb8, 0,    1,    0,    0,    0, 0,  0, 0, 0,    0,
        0,    9,    0x20, 0x01, 0x0d, 0xb8, 0,    1,    0, 0,  0, 0, 0,    0,
        0,    0,    0,    1,    0xc1, 0x23, 0x08, 0x68, 0, 20, 0, 0, // UDP
        0x32, 1,    0,    4,    0,    0,    0,    0,    9, 9,  0, 0,
    };
    uint8_t frame[sizeof request];
    static const uint8_t response[] = {0x32, 2, 0, 6, 0, 0, 0, 0, 9, 9, 0, 0, 0x0e, 0};
    (void)state;
    open_gn(0);
    memcpy(frame, request, sizeof request);
    put_ipv6_checksum(frame, 20);
    path_put_octets(STATS_GN, frame, sizeof frame);
    path_poll();
    struct rte_mbuf *m = path_next(STATS_GN);
    assert_non_null(m);
    const uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    assert_int_equal(m->pkt_len, 62 + sizeof response);
    assert_memory_equal(b, "\2\0\0\1\0\7\2\0\0\1\0\1\x86\xdd", 14);
    assert_memory_equal(b + 22, request + 38, 16); // addresses the other way round
    assert_memory_equal(b + 38, request + 22, 16);
    assert_memory_equal(b + 54, "\x08\x68\xc1\x23\x00\x16", 6);
    assert_memory_equal(b + 62, response, sizeof response);
    uint16_t sum = plain_sum(17 + 22, b + 22, 32);
    assert_int_equal(plain_sum(sum, b + 54, 22), 0xffff);
    rte_pktmbuf_free(m);
    path_close();
}

// 7.3.1 and 5.2.2.1: to port 2152, with the port that the G-PDU came from in an extension header,
// its TEID, and the address that it went to.
static void a_gpdu_without_a_tunnel_is_told(void **state)
{
    (void)state;
    open_gn(100);
    SEND(0x30, 0xff, 0x00, 0x02, 0x00, 0x40, 0x07, 0x77, 0xab, 0xcd);
    EXPECT_ANSWER(2152, 0x36, 0x1a, 0x00, 0x14, 0, 0, 0, 0, 0, 0, 0, 0x40, // header
                  0x01, 0xc1, 0x23, 0x00,                                  // UDP port
                  0x10, 0x00, 0x40, 0x07, 0x77,                            // TEID data I
                  0x85, 0x00, 0x04, 0xc0, 0x00, 0x02, 0x01);               // peer address
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 1);
    assert_int_equal(path_dropped(DROP_unknown_teid).octets, GTPU_AT + 10);
    assert_int_equal(gn()->answers, 1);
    assert_int_equal(gn()->host_packets, 0); // it is a drop
    path_close();
}

// TEID 0 is nobody's, so there is nobody to tell.
static void teid_0_is_dropped_in_silence(void **state)
{
    (void)state;
    open_gn(100);
    SEND(0x30, 0xff, 0x00, 0x02, 0, 0, 0, 0, 0xab, 0xcd);
    expect_silence();
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 1);
    path_close();
}

// What an MS sent before its context was removed, and what is for the place's owner now.
static void a_removed_context_is_told_of(void **state)
{
    uint8_t gpdu[] = {0x30, 0xff, 0, 2, 0, 0, 0, 0, 1, 2};
    (void)state;
    open_gn(100);
    put32(gpdu + 4, p.pdp[0].teid);
    path_pdp_remove(0);
    path_pdp(0, 0, 0, 5, 3, PATH_NONE, -1);
    send_gtpu(gpdu, sizeof gpdu);
    struct rte_mbuf *m = path_next(STATS_GN);
    assert_non_null(m);
    assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, GTPU_AT + 17), gpdu + 4, 4);
    rte_pktmbuf_free(m);
    path_close();
}

// --- What else comes -----------------------------------------------------------------------------

#define INDICATION(teid_low)                                                                      \
    0x32, 0x1a, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x0a, 0, 0, teid_low, 0x85, 0, 4, 0xc0, \
        0, 2, 2

// A GGSN has no tunnel: control is told which, and who said so.
static void an_error_indication_is_an_event(void **state)
{
    struct ipv6_address ggsn = address_of_ipv4(GGSN);
    struct event event;
    (void)state;
    open_gn(0);
    SEND(INDICATION(0x31));
    expect_silence();
    assert_int_equal(gn()->control_packets, 1);
    assert_int_equal(gn()->control_octets, GTPU_AT + 24);
    assert_true(dp_event(p.dp, &event));
    assert_int_equal(event.kind, EVENT_error_indication);
    assert_true(event.teid == 0x0a000031);
    assert_memory_equal(&event.source, &ggsn, sizeof ggsn);
    assert_int_equal(event.commands, dp_stats(p.worker)->commands);
    assert_null(event.buffer);
    dp_event_done(p.dp, &event);
    assert_false(dp_event(p.dp, &event));
    path_close();
}

// Anybody else may not say what a GGSN may; of two GGSNs of one address the last counts.
static void a_strangers_error_indication_is_dropped(void **state)
{
    struct event event;
    (void)state;
    open_gn(0);
    add_ggsn(1, GGSN);
    for (uint32_t i = 0; i < 2; i++) {
        SEND(INDICATION(0x31));
        assert_true(dp_event(p.dp, &event));
        DO(ggsn_remove, i);
    }
    add_ggsn(1, GGSN + 1);
    SEND(INDICATION(0x31));
    assert_false(dp_event(p.dp, &event));
    assert_int_equal(path_dropped(DROP_stranger).packets, 1);
    assert_int_equal(path_dropped(DROP_stranger).octets, GTPU_AT + 24);
    path_close();
}

// Half of the ring of events is for others; what comes then is dropped by its own reason, and comes
// again when there is room.
static void events_that_nobody_takes_are_dropped(void **state)
{
    struct event event;
    uint32_t events = 0, told = DP_EVENT_RING + 76;
    (void)state;
    open_gn(0);
    for (uint32_t i = 0; i < told; i++)
        SEND(INDICATION(0x31));
    assert_int_equal(gn()->control_packets + path_dropped(DROP_control_full).packets, told);
    assert_int_equal(gn()->control_packets, DP_EVENT_RING / 2);
    while (dp_event(p.dp, &event))
        events++;
    assert_int_equal(events, gn()->control_packets);
    SEND(INDICATION(0x32));
    assert_true(dp_event(p.dp, &event));
    assert_true(event.teid == 0x0a000032);
    path_close();
}

static void malformed_error_indications_are_dropped(void **state)
{
    static const uint8_t good[] = {INDICATION(0x31)};
    uint32_t dropped = 0;
    struct event event;
    (void)state;
    open_gn(0);
    for (uint32_t n = 12; n < sizeof good; n++) { // cut off behind the header
        uint8_t cut[sizeof good];
        memcpy(cut, good, n);
        cut[3] = (uint8_t)(n - 8);
        send_gtpu(cut, n);
        assert_int_equal(path_dropped(DROP_gtpu_malformed).packets, ++dropped);
        assert_false(dp_event(p.dp, &event));
    }
    path_close();
}

static void the_other_messages(void **state)
{
    struct event event;
    (void)state;
    open_gn(100);
    SEND(0x32, 0x1f, 0x00, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0x8d, 0x01,
         0xc0); // extensions that it knows
    assert_int_equal(gn()->host_packets, 1);
    assert_int_equal(path_dropped(DROP_gtpu_message).packets, 0);
    SEND(0x30, 0xfe, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00);             // end marker
    SEND(0x32, 0x02, 0x00, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e, 0x00); // echo response
    SEND(0x30, 0x03, 0x00, 0x00, 0, 0, 0, 0);
    assert_int_equal(path_dropped(DROP_gtpu_message).packets, 3);
    expect_silence();
    assert_false(dp_event(p.dp, &event));
    path_close();
}

// Every type of message, whole and cut: each frame is counted once.
static void whatever_comes_is_accounted_for(void **state)
{
    uint64_t sent = 0;
    struct event event;
    (void)state;
    random_begin();
    open_gn(1000);
    for (int i = 0; i < 20000; i++, sent++) {
        uint8_t b[64];
        uint32_t n = (uint32_t)random_in(8, sizeof b);
        random_fill(b, n);
        b[0] = (uint8_t)(0x30 | (random_next() & 7));
        b[1] = (uint8_t[]){1, 2, 26, 31, 254, 255, (uint8_t)random_next()}[random_next() % 7];
        if (i % 4)
            put16(b + 2, n - 8);
        p.now_ns += 100000;
        send_gtpu(b, n);
        path_discard(STATS_GN);
        while (dp_event(p.dp, &event))
            dp_event_done(p.dp, &event);
        while (path_take(STATS_GB, 64))
            ;
    }
    struct stats_balance balance = stats_balance(dp_stats(p.worker));
    assert_int_equal(balance.packets.in, sent);
    assert_true(balance.packets.aside > 100);
    assert_true(gn()->answers > 100);
    assert_int_equal(gn()->answers_unsent, 0);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_echo_is_answered),
        cmocka_unit_test(an_echo_over_ipv6_is_answered_there),
        cmocka_unit_test(a_gpdu_without_a_tunnel_is_told),
        cmocka_unit_test(teid_0_is_dropped_in_silence),
        cmocka_unit_test(a_removed_context_is_told_of),
        cmocka_unit_test(an_error_indication_is_an_event),
        cmocka_unit_test(a_strangers_error_indication_is_dropped),
        cmocka_unit_test(events_that_nobody_takes_are_dropped),
        cmocka_unit_test(malformed_error_indications_are_dropped),
        cmocka_unit_test(the_other_messages),
        cmocka_unit_test(whatever_comes_is_accounted_for),
    };
    return cmocka_run_group_tests_name("down/gtpu", tests, path_start_eal, NULL);
}
