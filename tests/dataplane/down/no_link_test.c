// N-PDUs whose NSE has no NS-VC to send on: dropped whole and counted, in whichever of their pieces
// the way was gone, and once it is there again, what comes out is right; and what cells and MSs
// count of their traffic.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/dataplane/random.h"

static void expect_dropped(uint32_t packets, uint32_t octets)
{
    assert_int_equal(path_dropped(DROP_no_link).packets, packets);
    assert_int_equal(path_dropped(DROP_no_link).octets, octets);
    assert_true(dp_balanced(p.worker));
}

// Not expected to come out.
static void send_in_vain(uint32_t pdp, uint32_t octets)
{
    path_offer(pdp, octets);
    path_poll();
}

static void expect_through(void)
{
    uint32_t received = p.down_received;
    path_down(0, 700);
    path_poll();
    assert_int_equal(p.down_received, received + 1);
}

static void without_an_nsvc_all_is_dropped(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_plain_ms(0, 0, 200);
    expect_through();
    path_nsvc_remove(0);
    send_in_vain(0, 700);
    send_in_vain(0, 50);
    expect_dropped(2, 750);
    path_nsvc(0, 0, false, 1);
    expect_through();
    assert_int_equal(dp_queued(p.worker).packets, 0);
    path_close();
}

static void without_a_weight_all_is_dropped(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_plain_ms(0, 0, 200);
    path_nsvc_weight(0, 0);
    send_in_vain(0, 700);
    expect_dropped(1, 700);
    path_nsvc_weight(0, 1);
    expect_through();
    path_close();
}

// From the BSS, 02:00:00:00:00:77, to our 198.51.100.1.
static void send_arp_reply(void)
{
    static const uint8_t reply[] = {2,   0,  0,   2, 0, 1, 2, 0, 0, 0, 0,   0x77, 8,   6,
                                    0,   1,  8,   0, 6, 4, 0, 2, 2, 0, 0,   0,    0,   0x77,
                                    198, 51, 100, 3, 2, 0, 0, 2, 0, 1, 198, 51,   100, 1};
    path_put_octets(STATS_GB, reply, sizeof reply);
}

// It is asked for; what comes before its answer is dropped.
static void an_unknown_neighbour_is_no_link(void **state)
{
    struct command nsvc = path_nsvc_command(1, 0, false, 1);
    (void)state;
    path_open_small(100, 64);
    p.hold_frames = true;
    path_plain_ms(0, 0, 500);
    path_nsvc_remove(0);
    nsvc.nsvc.has_peer_mac = false;
    path_do(&nsvc);
    send_in_vain(0, 100);
    expect_dropped(1, 100);
    struct rte_mbuf *question = path_next(STATS_GB);
    assert_non_null(question);
    assert_memory_equal(rte_pktmbuf_mtod_offset(question, uint8_t *, 12), "\x08\x06", 2);
    rte_pktmbuf_free(question);
    assert_null(path_next(STATS_GB));
    send_arp_reply();
    path_poll();
    send_in_vain(0, 100);
    struct rte_mbuf *m = path_next(STATS_GB);
    assert_non_null(m);
    assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), "\2\0\0\0\0\x77", 6);
    rte_pktmbuf_free(m);
    expect_dropped(1, 100);
    path_close();
}

// --- In the middle of an N-PDU -------------------------------------------------------------------

#define PIECES 4 // of 700 octets at N201-U 200

// Lets one piece go and takes it. 206 octets at 8000 bit/s are 206 ms.
static void one_piece(void)
{
    uint32_t taken = (uint32_t)p.frames_out[STATS_GB];
    for (int i = 0; p.frames_out[STATS_GB] == taken && i < 100; i++)
        path_run_until(p.now_ns + 10 * MS_IN_NS);
    assert_int_equal(p.frames_out[STATS_GB], taken + 1);
}

// Of four pieces those in `gone` (a bit each) find no NS-VC. Then none of those behind the first
// of them goes either, and what does go is not an N-PDU.
static void expect_pieces(uint32_t gone)
{
    uint32_t first = 0;
    path_open_small(100, 64);
    gb_receiver_allow_unfinished(p.gb);
    path_plain_ms(0, 0, 200);
    path_bvc_flow(0, 8000, 206);
    while (!(gone >> first & 1))
        first++;
    path_offer(0, 700);
    for (uint32_t i = 0; i < PIECES; i++) {
        if (gone >> i & 1)
            path_nsvc_weight(0, 0);
        if (i < first)
            one_piece();
        else
            path_run_until(p.now_ns + 220 * MS_IN_NS);
        path_nsvc_weight(0, 1);
    }
    path_run_until(p.now_ns + S_IN_NS);
    assert_int_equal(p.frames_out[STATS_GB], first);
    expect_dropped(1, 700);
    assert_int_equal(dp_queued(p.worker).packets, 0);
    path_bvc_flow(0, TIME_NEVER, 0);
    expect_through(); // the receiver takes no gap in N(U) or in N-PDU numbers
    assert_int_equal(p.frames_out[STATS_GB], first + PIECES);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_discarded, first > 0);
    path_close();
}

static void what_lacks_a_piece_ends_there(void **state)
{
    (void)state;
    for (uint32_t gone = 1; gone < 1u << PIECES; gone++)
        expect_pieces(gone);
}

// NS-VCs come and go under the traffic of many MSs: what comes out is right, and all is counted.
static void links_that_come_and_go(void **state)
{
    uint64_t sent = 0;
    struct dp_config c = path_small_config(1000, 1024);
    (void)state;
    random_begin();
    c.nsvcs = 4;
    path_open_small_config(&c);
    gb_receiver_allow_unfinished(p.gb);
    p.lossy_down = true;
    for (uint32_t ms = 0; ms < 20; ms++)
        path_plain_ms(ms, 0, (uint16_t)random_in(140, 1520));
    for (uint32_t nsvc = 1; nsvc < 4; nsvc++)
        path_nsvc(nsvc, 0, false, 1);
    path_bvc_flow(0, 800000, 2000);
    for (int i = 0; i < 2000; i++) {
        for (int n = 0; n < 3; n++, sent++)
            path_down((uint32_t)random_in(0, 19), (uint32_t)random_in(1, 1500));
        path_nsvc_weight((uint32_t)random_in(0, 3),
                         (uint8_t)(random_next() % 3 ? 0 : random_in(0, 255)));
        path_run_until(p.now_ns + random_in(0, 60) * MS_IN_NS);
    }
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    print_message("# %lu of %u came out, %u dropped for want of a link\n",
                  (unsigned long)p.down_received, (unsigned)sent,
                  (unsigned)path_dropped(DROP_no_link).packets);
    struct stats_balance b = stats_balance(dp_stats(p.worker));
    assert_int_equal(b.packets.out, p.down_received);
    assert_int_equal(p.down_received + b.packets.dropped, sent);
    assert_int_equal(path_dropped(DROP_no_link).packets, b.packets.dropped);
    assert_in_range(p.down_received, sent / 10, sent);
    assert_in_range(path_dropped(DROP_no_link).packets, sent / 10, sent);
    path_close();
}

// --- What cells and MSs count --------------------------------------------------------------------

static void expect_cell(uint32_t bvc, uint64_t frames, uint64_t octets, uint64_t dropped)
{
    const struct state_bvc *b = &p.worker->state.bvc[bvc];
    assert_int_equal(b->frames, frames);
    assert_int_equal(b->octets, octets);
    assert_int_equal(dp_bvc_traffic(p.dp, bvc).dropped_npdus, dropped);
}

static void expect_ms(uint32_t ms, uint64_t octets, uint32_t dropped)
{
    assert_int_equal(p.worker->state.ms[ms].octets, octets);
    assert_int_equal(dp_ms_traffic(p.dp, ms).dropped_npdus, dropped);
}

// LLC PDUs: LLC 3 + 3 around each segment, SNDCP 4 in the first and 3 in the others.
static void sent_frames_count_for_cell_and_ms(void **state)
{
    (void)state;
    path_open_small(100, 64);
    path_bvc(1, 0, 3);
    path_plain_ms(0, 0, 200);
    path_plain_ms(1, 0, 200);
    path_down(0, 100);
    path_down(0, 700);
    path_down(1, 50);
    path_poll();
    expect_ms(0, 110 + 700 + 10 + 3 * 9, 0);
    expect_ms(1, 60, 0);
    expect_cell(0, 6, 110 + 737 + 60, 0);
    expect_cell(1, 0, 0, 0);
    path_ms_move(0, 1);
    path_down(0, 10);
    path_poll();
    expect_ms(0, 110 + 737 + 20, 0); // the MS's go with it, the cells' stay
    expect_cell(0, 6, 110 + 737 + 60, 0);
    expect_cell(1, 1, 20, 0);
    path_close();
}

// Whatever an N-PDU is dropped for, at the door or later, its MS and the cell it is in then count
// it once.
static void dropped_npdus_count_for_cell_and_ms(void **state)
{
    struct dp_config c = path_small_config(100, 64);
    (void)state;
    c.ms_packets = 3;
    c.gn.mtu_octets = 9000;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = S_IN_NS;
    path_open_small_config(&c);
    path_bvc(1, 0, 3);
    path_plain_ms(0, 0, 200);
    path_plain_ms(1, 0, 140);
    path_bvc_flow(0, 0, 1000);
    for (int i = 0; i < 5; i++)
        send_in_vain(0, 100); // two find the MS's queue full
    send_in_vain(1, 100);
    expect_ms(0, 0, 2);
    expect_ms(1, 0, 0);
    expect_cell(0, 0, 0, 2);
    send_in_vain(1, 2192); // no room in 16 segments
    expect_ms(1, 0, 1);
    expect_cell(0, 0, 0, 3);
    path_ms_flush(1);
    expect_ms(1, 0, 2);
    expect_cell(0, 0, 0, 4);
    path_run_until(3 * S_IN_NS); // three expire
    expect_ms(0, 0, 5);
    expect_cell(0, 0, 0, 7);
    path_ms_move(1, 1);
    path_nsvc_remove(0);
    send_in_vain(1, 700); // nowhere to go, in six pieces
    expect_ms(1, 0, 3);
    expect_cell(0, 0, 0, 7);
    expect_cell(1, 0, 0, 1);
    assert_true(dp_balanced(p.worker));
    path_close();
}

// Of the answers, and never more of them than there are.
static void a_pdu_to_an_unknown_neighbour_is_an_answer_unsent(void **state)
{
    struct command nsvc = path_nsvc_command(1, 0, false, 1);
    const struct stats_port *gb;
    (void)state;
    path_open_small(100, 64);
    p.hold_frames = true;
    gb = &dp_stats(p.worker)->of_port[STATS_GB];
    nsvc.nsvc.has_peer_mac = false;
    path_command(&nsvc, 0);
    for (uint32_t i = 1; i < 10; i++) {
        DO(send, .nsvc_id = 1, .pdu = {(const uint8_t *)"\x0a", 1});
        assert_int_equal(gb->answers_unsent, i);
        assert_int_equal(gb->answers, 1 + i); // and the question
    }
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_nsvc_all_is_dropped),
        cmocka_unit_test(without_a_weight_all_is_dropped),
        cmocka_unit_test(an_unknown_neighbour_is_no_link),
        cmocka_unit_test(what_lacks_a_piece_ends_there),
        cmocka_unit_test(links_that_come_and_go),
        cmocka_unit_test(sent_frames_count_for_cell_and_ms),
        cmocka_unit_test(dropped_npdus_count_for_cell_and_ms),
        cmocka_unit_test(a_pdu_to_an_unknown_neighbour_is_an_answer_unsent),
    };
    return cmocka_run_group_tests_name("down/no_link", tests, path_start_eal, NULL);
}
