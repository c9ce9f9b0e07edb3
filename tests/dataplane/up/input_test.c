// A burst from Gb: what is the path's, what is control's, and what is neither, down to BSSGP; whose
// it is; and that no octets from outside do harm.
#include "tests/dataplane/up/fixture.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

// A frame of MS 0 on SAPI 3, N(U) 0: an N-PDU of 4 octets for NSAPI 5, typed octet by octet.
static const uint8_t typed[] = {
    0x00, 0x00, 0x00, 0x02,                                     // NS-UNITDATA, BVCI 2
    0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,             // UL-UNITDATA: TLLI, QoS
    0x08, 0x88, 0x62, 0xf2, 0x10, 0x00, 0x01, 0x02, 0x00, 0x05, // cell identifier
    0x00, 0x80,                                                 // alignment, no octets
    0x0e, 0x8e,                                                 // LLC PDU of 14 octets
    0x03, 0xc0, 0x01,                                           // SAPI 3, UI, N(U) 0, PM
    0x65, 0x00, 0x01, 0x23, 'd',  'a',  't',  'a',              // SN-UNITDATA, N-PDU 0x123
    0x00, 0x00, 0x00};                                          // FCS, see typed_frame
#define LLC_AT 26u

// By the plain model, so that no FCS of ours is judged by itself.
static void put_fcs(uint8_t *llc, uint32_t covered)
{
    uint32_t fcs = plain_fcs(llc, covered);
    for (int i = 0; i < 3; i++)
        llc[covered + (uint32_t)i] = (uint8_t)(fcs >> 8 * i);
}

static uint8_t *typed_frame(void)
{
    static uint8_t b[sizeof typed];
    memcpy(b, typed, sizeof typed);
    put_fcs(b + LLC_AT, 11);
    return b;
}

static void a_typed_frame_is_an_npdu(void **state)
{
    (void)state;
    fixture_give_pdu(0, typed_frame(), sizeof typed);
    fixture_expect(0, (const uint8_t *)"data", 4);
    assert_int_equal(u.stats.up.in_packets, 1);
    assert_int_equal(u.stats.up.in_octets, 4);
    assert_int_equal(u.stats.up.out_packets, 1);
    assert_int_equal(u.stats.up.npdus, 1);
    assert_int_equal(u.stats.of_port[STATS_GB].header_octets, 42 + sizeof typed - 4 + 5);
    assert_int_equal(fixture_dropped().packets, 0);
}

// Every part of the frame alone; none is an N-PDU: without an NS header it is dropped, with one it
// is control's, which has to tell the BSS.
static void a_frame_cut_short_is_dropped_or_controls(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < sizeof typed; n++) {
        fixture_give_pdu(0, typed_frame(), n);
        if (n >= 4)
            fixture_expect_event(EVENT_ns, 0, typed_frame(), n);
    }
    fixture_expect_nothing();
    ASSERT_FRAMES(ns, 4);
    assert_int_equal(fixture_dropped().packets, 4);
}

// Of a burst of malformed UL-UNITDATAs control sees a few, the others are dropped; what is not
// malformed is not held up, nor is what only control can judge.
static void malformed_user_data_reaches_control_a_few_times_a_burst(void **state)
{
    static const uint8_t bad[] = {0x00, 0x00, 0x00, 0x02, 0x01, 0xc0,
                                  0x00, 0x00, 0x00, 0x00, 0x00, 0x04};
    static const uint8_t reset[] = {0x00, 0x00, 0x00, 0x00, 0x22};
    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        fixture_put(0, bad, sizeof bad);
    fixture_put(0, reset, sizeof reset);
    fixture_put(0, typed_frame(), sizeof typed);
    fixture_burst();
    ASSERT_FRAMES(bssgp, 20 - UP_TOLD_MAX);
    for (uint32_t i = 0; i < UP_TOLD_MAX; i++)
        fixture_expect_event(EVENT_ns, 0, bad, sizeof bad);
    fixture_expect_event(EVENT_ns, 0, reset, sizeof reset);
    fixture_expect(0, (const uint8_t *)"data", 4);
    fixture_expect_nothing();
}

// The same with the LLC PDU's length put right, so that the LLC frame is what is short: down to its
// FCS and header it is malformed, then its FCS is wrong.
static void an_llc_frame_cut_short_is_dropped(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 14; n++) {
        uint8_t *b = typed_frame();
        b[LLC_AT - 1] = (uint8_t)(0x80 | n);
        fixture_give_pdu(0, b, LLC_AT + n);
    }
    fixture_expect_nothing();
    ASSERT_FRAMES(llc, 6);
    ASSERT_FRAMES(llc_fcs, 8);
}

static void a_cell_that_the_nse_has_not_is_controls(void **state)
{
    static const uint16_t bvcis[] = {0, 1, 4, 0xffff};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t *b = typed_frame();
        b[2] = (uint8_t)(bvcis[i] >> 8);
        b[3] = (uint8_t)bvcis[i];
        fixture_give_pdu(0, b, sizeof typed);
        fixture_expect_event(EVENT_ns, 0, b, sizeof typed);
    }
    uint8_t *b = typed_frame();
    b[3] = 3; // a cell of NSE 0, from NSE 1
    fixture_give_pdu(1, b, sizeof typed);
    fixture_expect_event(EVENT_ns, 1, b, sizeof typed);
    fixture_expect_nothing();
}

static void bssgp_that_is_no_user_data_is_controls(void **state)
{
    static const uint8_t flow_control[] = {0x00, 0x00, 0x00, 0x02, 0x26, 0x1e, 0x81, 0x01,
                                           0x05, 0x82, 0x00, 0x64, 0x03, 0x82, 0x00, 0x50,
                                           0x01, 0x82, 0x00, 0x32, 0x1c, 0x82, 0x00, 0x28};
    static const uint8_t reset[] = {0x00, 0x00, 0x00, 0x00, 0x22, 0x04,
                                    0x82, 0x00, 0x00, 0x07, 0x81, 0x08};
    static const uint8_t downlink[] = {0x00, 0x00, 0x00, 0x02, 0x00}; // the wrong way, and short
    static const uint8_t unknown[] = {0x00, 0x00, 0x00, 0x63, 0xff};  // of a cell unknown, too
    (void)state;
    fixture_give_pdu(0, flow_control, sizeof flow_control);
    fixture_expect_event(EVENT_ns, 0, flow_control, sizeof flow_control);
    fixture_give_pdu(1, reset, sizeof reset);
    fixture_expect_event(EVENT_ns, 1, reset, sizeof reset);
    fixture_give_pdu(0, downlink, sizeof downlink);
    fixture_expect_event(EVENT_ns, 0, downlink, sizeof downlink);
    fixture_give_pdu(0, unknown, sizeof unknown);
    fixture_expect_event(EVENT_ns, 0, unknown, sizeof unknown);
    assert_int_equal(u.stats.of_port[STATS_GB].control_packets, 4);
    assert_int_equal(u.stats.of_port[STATS_GB].control_octets, 4 * 47 + sizeof flow_control +
                                                                   sizeof reset + sizeof downlink +
                                                                   sizeof unknown);
    assert_int_equal(fixture_dropped().packets, 0);
}

// An event names what the path has found; what it has not looked for it does not name.
static void an_unknown_tlli_is_controls_with_its_cell(void **state)
{
    struct event e;
    uint8_t *b = typed_frame();
    (void)state;
    b[8] = 0x77;
    u.stats.commands = 12345;
    fixture_give_pdu(0, b, sizeof typed);
    assert_true(fixture_event(&e));
    assert_int_equal(e.kind, EVENT_ns);
    assert_int_equal(e.worker, 0);
    assert_int_equal(e.nse_id, 0);
    assert_int_equal(e.bvc_id, 0);
    assert_int_equal(e.ms_id, EVENT_NONE);
    assert_int_equal(e.commands, 12345);
    assert_int_equal(e.pdu.n, sizeof typed);
    rte_pktmbuf_free(e.buffer);
    fixture_give_pdu(0, (const uint8_t[]){0x03, 0x01}, 2);
    assert_true(fixture_event(&e));
    assert_int_equal(e.bvc_id, EVENT_NONE);
    assert_int_equal(e.ms_id, EVENT_NONE);
    rte_pktmbuf_free(e.buffer);
}

// A TLLI and a BVCI mean something within their NSE only.
static void each_nse_has_names_of_its_own(void **state)
{
    struct event e;
    uint8_t *b = typed_frame();
    (void)state;
    fixture_give_pdu(1, b, sizeof typed); // MS 0 is of NSE 0
    assert_true(fixture_event(&e));
    assert_int_equal(e.nse_id, 1);
    assert_int_equal(e.bvc_id, 2);
    assert_int_equal(e.ms_id, EVENT_NONE);
    rte_pktmbuf_free(e.buffer);
    b[8] = 2; // MS 2 is of NSE 1
    fixture_give_pdu(1, b, sizeof typed);
    fixture_expect(8, (const uint8_t *)"data", 4);
    fixture_give_pdu(0, b, sizeof typed);
    fixture_expect_event(EVENT_ns, 0, b, sizeof typed);
    fixture_expect_nothing();
}

static void a_full_ring_drops_what_is_controls(void **state)
{
    static const uint8_t block[] = {0x04, 0x00, 0x81, 0x01, 0x01, 0x82, 0x00, 0x01};
    (void)state;
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(0, block, sizeof block);
    uint8_t *b = typed_frame();
    b[8] = 0x77; // nobody's TLLI
    fixture_give_pdu(0, b, sizeof typed);
    fixture_give_pdu(0, block, sizeof block);
    ASSERT_FRAMES(control_full, 2);
    assert_int_equal(u.stats.of_port[STATS_GB].control_packets, EVENTS);
    fixture_expect_event(EVENT_ns, 0, block, sizeof block); // there is room again
    fixture_give_pdu(0, block, sizeof block);
    assert_int_equal(u.stats.of_port[STATS_GB].control_packets, EVENTS + 1);
}

// What MSs send of themselves has half of the ring; the BSS still finds room.
static void unknown_mss_have_half_of_the_ring(void **state)
{
    static const uint8_t block[] = {0x04, 0x00, 0x81, 0x01, 0x01, 0x82, 0x00, 0x01};
    (void)state;
    uint8_t *b = typed_frame();
    b[8] = 0x77; // nobody's TLLI
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(0, b, sizeof typed);
    assert_int_equal(rte_ring_free_count(u.up.events), EVENTS / 2);
    ASSERT_FRAMES(control_full, EVENTS / 2);
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(0, block, sizeof block);
    assert_int_equal(rte_ring_free_count(u.up.events), 0);
    ASSERT_FRAMES(control_full, EVENTS / 2 + EVENTS - EVENTS / 2);
    fixture_give_pdu(0, b, sizeof typed);
    fixture_expect_event(EVENT_ns, 0, b, sizeof typed); // those that came first
}

// A whole burst of all kinds: the path's in their order, and each of the others where it belongs.
static void a_burst_holds_all_kinds(void **state)
{
    uint8_t data[PORT_BURST][4];
    uint32_t sent = 0;
    (void)state;
    for (uint32_t i = 0; i < PORT_BURST; i++) {
        if (i % 5 == 1) {
            fixture_put(0, (const uint8_t[]){0x0a}, 1); // NS-ALIVE
        } else if (i % 5 == 2) {
            fixture_put(0, (const uint8_t[]){0x06}, 1); // NS-UNBLOCK
        } else if (i % 5 == 3) {
            fixture_put(STRANGER, (const uint8_t[]){0x00}, 1);
        } else {
            fixture_fill(data[sent], 4, i);
            fixture_put_segment(SEGMENT(.ms = i % 2, .number = i, .data = data[sent], .octets = 4));
            sent++;
        }
    }
    fixture_burst();
    sent = 0;
    for (uint32_t i = 0; i < PORT_BURST; i++)
        if (i % 5 == 0 || i % 5 == 4)
            fixture_expect(i % 2 ? 6 : 0, data[sent++], 4);
    fixture_expect_nothing();
    assert_int_equal(u.stats.of_port[STATS_GB].host_packets, 13);
    assert_int_equal(u.stats.of_port[STATS_GB].control_packets, 13);
    ASSERT_FRAMES(stranger, 13);
    assert_int_equal(sent, PORT_BURST - 39);
}

// What another worker's NSE sends goes to that worker as it came, whatever it is; when there is no
// more room on the way it ends.
static void a_stray_goes_to_its_worker(void **state)
{
    struct post posts[2] = {0};
    struct message message;
    (void)state;
    assert_int_equal(post_setup(posts, 0, 2), 0);
    assert_int_equal(post_setup(posts, 1, 2), 0);
    u.up.post = &posts[0];
    u.state.nsvc[1].worker = 1;
    for (uint32_t i = 0; i < 2; i++) {
        struct rte_mbuf *m =
            fixture_put(1, i ? (const uint8_t[]){0x0a} : typed_frame(), i ? 1 : sizeof typed);
        struct port_datagram sent = u.datagram[0];
        fixture_burst();
        sent.hops = 1;
        assert_int_equal(post_take(&posts[1], 0, &message, 1), 1);
        assert_int_equal(message.kind, MESSAGE_STRAY);
        assert_int_equal(message.side, STATS_GB);
        assert_ptr_equal(message.stray.frame, m);
        assert_memory_equal(&message.stray.datagram, &sent, sizeof sent);
        rte_pktmbuf_free(m);
    }
    assert_int_equal(u.stats.of_port[STATS_GB].strays_out_packets, 2);
    assert_int_equal(u.stats.of_port[STATS_GB].host_packets, 0);
    fixture_give_pdu(0, typed_frame(), sizeof typed); // its own
    fixture_expect(0, (const uint8_t *)"data", 4);
    for (uint32_t i = 0; i < POST_MESSAGES + 10; i++)
        fixture_give_pdu(1, typed_frame(), sizeof typed);
    ASSERT_FRAMES(stray_full, POST_MESSAGES + 12 - u.stats.of_port[STATS_GB].strays_out_packets);
    assert_true(u.stats.of_port[STATS_GB].drop[DROP_stray_full].packets > 0);
    while (post_take(&posts[1], 0, &message, 1))
        rte_pktmbuf_free(message.stray.frame);
    post_release(posts, 2);
}

// Two workers that disagree about whose an NS-VC is do not pass its frames to and fro for ever.
static void a_stray_goes_no_further(void **state)
{
    struct post posts[2] = {0};
    struct message message;
    (void)state;
    assert_int_equal(post_setup(posts, 0, 2), 0);
    assert_int_equal(post_setup(posts, 1, 2), 0);
    u.up.post = &posts[0];
    u.state.nsvc[1].worker = 1;
    for (uint8_t hops = POST_HOPS - 1; hops <= POST_HOPS; hops++) {
        fixture_put(1, typed_frame(), sizeof typed);
        u.datagram[0].hops = hops;
        fixture_burst();
    }
    ASSERT_FRAMES(stranger, 1);
    assert_int_equal(fixture_dropped().packets, 1);
    assert_int_equal(post_take(&posts[1], 0, &message, 1), 1);
    rte_pktmbuf_free(message.stray.frame);
    assert_int_equal(post_take(&posts[1], 0, &message, 1), 0);
    post_release(posts, 2);
}

#define NOISES 60000u

// Octets of a good frame changed at random, with the FCS put right half of the time, and noise from
// anybody: nothing breaks, and fixture_burst finds all of it accounted for.
static void noise_does_no_harm(void **state)
{
    uint8_t b[400];
    struct event e;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < NOISES; i++) {
        uint32_t n = sizeof typed;
        memcpy(b, typed, sizeof typed);
        b[3] = i % 8 ? 2 : 3;
        b[LLC_AT + 1] = (uint8_t)(0xc0 | (i % 512) >> 6); // N(U)
        b[LLC_AT + 2] = (uint8_t)(i << 2 | 1);
        put_fcs(b + LLC_AT, 11);
        for (uint64_t changes = random_in(1, 4); changes > 0; changes--)
            b[random_in(0, n - 1)] = (uint8_t)random_next();
        if (random_next() % 2)
            put_fcs(b + LLC_AT, 11);
        if (random_next() % 8 == 0) {
            n = (uint32_t)random_in(0, sizeof b);
            random_fill(b, n);
        }
        if (random_next() % 16 == 0)
            n = (uint32_t)random_in(0, n);
        fixture_put((uint32_t)random_in(0, 1), b, n);
        if (u.n < PORT_BURST && i + 1 < NOISES && random_next() % 32)
            continue;
        fixture_burst();
        u.now_ns += 100000000;
        up_tick(&u.up, u.now_ns);
        up_output(&u.up);
        fixture_assert_conserved();
        for (struct rte_mbuf *m;
             (m = fixture_take(&u.gn_device)) || (m = fixture_take(&u.gb_device));)
            rte_pktmbuf_free(m);
        while (fixture_event(&e))
            rte_pktmbuf_free(e.buffer);
    }
    assert_true(u.stats.up.npdus > 1000); // it was no noise alone
    assert_true(u.stats.up.moves > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(a_typed_frame_is_an_npdu),
        UP_TEST(a_frame_cut_short_is_dropped_or_controls),
        UP_TEST(malformed_user_data_reaches_control_a_few_times_a_burst),
        UP_TEST(an_llc_frame_cut_short_is_dropped),
        UP_TEST(a_cell_that_the_nse_has_not_is_controls),
        UP_TEST(bssgp_that_is_no_user_data_is_controls),
        UP_TEST(an_unknown_tlli_is_controls_with_its_cell),
        UP_TEST(each_nse_has_names_of_its_own),
        UP_TEST(a_full_ring_drops_what_is_controls),
        UP_TEST(unknown_mss_have_half_of_the_ring),
        UP_TEST(a_burst_holds_all_kinds),
        UP_TEST(a_stray_goes_to_its_worker),
        UP_TEST(a_stray_goes_no_further),
        UP_TEST(noise_does_no_harm),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
