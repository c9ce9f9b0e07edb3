// N-PDUs whose NSE has no NS-VC to send on: dropped whole and counted, in whichever of their pieces
// the way was gone, and once it is there again, what comes out is right; and what cells and MSs
// count of their traffic.
#include "tests/dataplane/down/thread.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/dataplane/random.h"

static void remove_nsvc(uint32_t nsvc)
{
    thread_do(&(struct command){.op = COMMAND_nsvc_remove, .nsvc_remove = {nsvc}});
}

static void add_nsvc(uint32_t nsvc)
{
    struct command c = thread_nsvc(nsvc, 0);
    thread_do(&c);
}

static void weigh(uint32_t nsvc, uint8_t weight)
{
    thread_do(&(struct command){.op = COMMAND_nsvc_weight, .nsvc_weight = {nsvc, weight}});
}

static void expect_dropped(uint32_t packets, uint32_t octets)
{
    assert_int_equal(thread_dropped(DROP_no_link).packets, packets);
    assert_int_equal(thread_dropped(DROP_no_link).octets, octets);
    assert_true(dp_balanced(t.worker));
}

// Not expected to come out.
static void send_in_vain(uint32_t pdp, uint32_t octets)
{
    thread_send_frame(thread_gn_frame(t.pdp[pdp].teid, octets, 0));
    thread_poll_to_rest();
}

static void expect_through(void)
{
    uint32_t received = t.received;
    thread_send(0, 700);
    thread_poll_and_take_all();
    assert_int_equal(t.received, received + 1);
}

static void without_an_nsvc_all_is_dropped(void **state)
{
    (void)state;
    thread_open(100, 64);
    thread_add_ms(0, 200);
    expect_through();
    remove_nsvc(0);
    send_in_vain(0, 700);
    send_in_vain(0, 50);
    expect_dropped(2, 750);
    add_nsvc(0);
    expect_through();
    assert_int_equal(dp_queued(t.worker).packets, 0);
    thread_close();
}

static void without_a_weight_all_is_dropped(void **state)
{
    (void)state;
    thread_open(100, 64);
    thread_add_ms(0, 200);
    weigh(0, 0);
    send_in_vain(0, 700);
    expect_dropped(1, 700);
    weigh(0, 1);
    expect_through();
    thread_close();
}

static struct rte_mbuf *next_of_gb(void)
{
    struct rte_mbuf *m = NULL;
    rte_ring_dequeue(t.gb.from_port, (void **)&m);
    return m;
}

// From the BSS, 02:00:00:00:00:77, to our 198.51.100.1.
static void send_arp_reply(void)
{
    static const uint8_t reply[] = {2,   0,  0,   0, 0, 2, 2, 0, 0, 0, 0,   0x77, 8,   6,
                                    0,   1,  8,   0, 6, 4, 0, 2, 2, 0, 0,   0,    0,   0x77,
                                    198, 51, 100, 3, 2, 0, 0, 0, 0, 2, 198, 51,   100, 1};
    struct rte_mbuf *m = rte_pktmbuf_alloc(t.gb.pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, sizeof reply), reply, sizeof reply);
    assert_int_equal(rte_ring_enqueue(t.gb.to_port, m), 0);
}

// It is asked for; what comes before its answer is dropped.
static void an_unknown_neighbour_is_no_link(void **state)
{
    struct command nsvc = thread_nsvc(1, 0);
    (void)state;
    thread_open(100, 64);
    thread_add_ms(0, 500);
    remove_nsvc(0);
    nsvc.nsvc.has_peer_mac = false;
    thread_do(&nsvc);
    send_in_vain(0, 100);
    expect_dropped(1, 100);
    struct rte_mbuf *question = next_of_gb();
    assert_non_null(question);
    assert_memory_equal(rte_pktmbuf_mtod_offset(question, uint8_t *, 12), "\x08\x06", 2);
    rte_pktmbuf_free(question);
    assert_null(next_of_gb());
    send_arp_reply();
    thread_poll_to_rest();
    send_in_vain(0, 100);
    struct rte_mbuf *m = next_of_gb();
    assert_non_null(m);
    assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), "\2\0\0\0\0\x77", 6);
    rte_pktmbuf_free(m);
    expect_dropped(1, 100);
    thread_close();
}

// --- In the middle of an N-PDU -------------------------------------------------------------------

#define PIECES 4 // of 700 octets at N201-U 200

// Lets one piece go and takes it. 206 octets at 8000 bit/s are 206 ms.
static void one_piece(void)
{
    uint32_t taken = (uint32_t)t.taken_frames;
    for (int i = 0; t.taken_frames == taken && i < 100; i++)
        thread_run_until(t.now_ns + 10 * MS_IN_NS);
    assert_int_equal(t.taken_frames, taken + 1);
}

// Of four pieces those in `gone` (a bit each) find no NS-VC. Then none of those behind the first
// of them goes either, and what does go is not an N-PDU.
static void expect_pieces(uint32_t gone)
{
    uint32_t first = 0;
    thread_open(100, 64);
    gb_receiver_allow_unfinished(t.receiver);
    thread_add_ms(0, 200);
    thread_cell(8000, 206);
    while (!(gone >> first & 1))
        first++;
    thread_send_frame(thread_gn_frame(t.pdp[0].teid, 700, 0));
    for (uint32_t i = 0; i < PIECES; i++) {
        if (gone >> i & 1)
            weigh(0, 0);
        if (i < first)
            one_piece();
        else
            thread_run_until(t.now_ns + 220 * MS_IN_NS);
        weigh(0, 1);
    }
    thread_run_until(t.now_ns + S_IN_NS);
    assert_int_equal(t.taken_frames, first);
    expect_dropped(1, 700);
    assert_int_equal(dp_queued(t.worker).packets, 0);
    thread_cell(TIME_NEVER, 0);
    expect_through(); // the receiver takes no gap in N(U) or in N-PDU numbers
    assert_int_equal(t.taken_frames, first + PIECES);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_discarded, first > 0);
    thread_close();
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
    struct dp_config c = thread_config(1000, 1024);
    (void)state;
    random_begin();
    c.nsvcs = 4;
    thread_open_config(&c);
    gb_receiver_allow_unfinished(t.receiver);
    t.lossy = true;
    for (uint32_t ms = 0; ms < 20; ms++)
        thread_add_ms(ms, (uint16_t)random_in(140, 1520));
    for (uint32_t nsvc = 1; nsvc < 4; nsvc++)
        add_nsvc(nsvc);
    thread_cell(800000, 2000);
    for (int i = 0; i < 2000; i++) {
        for (int n = 0; n < 3; n++, sent++)
            thread_send((uint32_t)random_in(0, 19), (uint32_t)random_in(1, SIZE_MAX_OCTETS));
        weigh((uint32_t)random_in(0, 3), (uint8_t)(random_next() % 3 ? 0 : random_in(0, 255)));
        thread_run_until(t.now_ns + random_in(0, 60) * MS_IN_NS);
    }
    thread_cell(TIME_NEVER, 0);
    thread_poll_and_take_all();
    print_message("# %u of %u came out, %u dropped for want of a link\n", t.received,
                  (unsigned)sent, (unsigned)thread_dropped(DROP_no_link).packets);
    struct stats_balance b = stats_balance(dp_stats(t.worker));
    assert_int_equal(b.packets.out, t.received);
    assert_int_equal(t.received + b.packets.dropped, sent);
    assert_int_equal(thread_dropped(DROP_no_link).packets, b.packets.dropped);
    assert_in_range(t.received, sent / 10, sent);
    assert_in_range(thread_dropped(DROP_no_link).packets, sent / 10, sent);
    thread_close();
}

// --- What cells and MSs count --------------------------------------------------------------------

static void expect_cell(uint32_t bvc, uint64_t frames, uint64_t octets, uint64_t dropped)
{
    const struct state_bvc *b = &t.worker->state.bvc[bvc];
    assert_int_equal(b->frames, frames);
    assert_int_equal(b->octets, octets);
    assert_int_equal(dp_bvc_traffic(t.dp, bvc).dropped_npdus, dropped);
}

static void expect_ms(uint32_t ms, uint64_t octets, uint32_t dropped)
{
    assert_int_equal(t.worker->state.ms[ms].octets, octets);
    assert_int_equal(dp_ms_traffic(t.dp, ms).dropped_npdus, dropped);
}

// LLC PDUs: LLC 3 + 3 around each segment, SNDCP 4 in the first and 3 in the others.
static void sent_frames_count_for_cell_and_ms(void **state)
{
    (void)state;
    thread_open(100, 64);
    thread_add_cell(1, 0);
    thread_add_ms(0, 200);
    thread_add_ms(1, 200);
    thread_send(0, 100);
    thread_send(0, 700);
    thread_send(1, 50);
    thread_poll_and_take_all();
    expect_ms(0, 110 + 700 + 10 + 3 * 9, 0);
    expect_ms(1, 60, 0);
    expect_cell(0, 6, 110 + 737 + 60, 0);
    expect_cell(1, 0, 0, 0);
    thread_do(&(struct command){.op = COMMAND_ms_move, .ms_move = {0, 1}});
    t.bvc_of[0] = 1;
    thread_send(0, 10);
    thread_poll_and_take_all();
    expect_ms(0, 110 + 737 + 20, 0); // the MS's go with it, the cells' stay
    expect_cell(0, 6, 110 + 737 + 60, 0);
    expect_cell(1, 1, 20, 0);
    thread_close();
}

// Whatever an N-PDU is dropped for, at the door or later, its MS and the cell it is in then count
// it once.
static void dropped_npdus_count_for_cell_and_ms(void **state)
{
    struct dp_config c = thread_config(100, 64);
    (void)state;
    c.ms_packets = 3;
    c.gn.mtu_octets = 9000;
    c.classes.item[CLASS_BACKGROUND].lifetime_ns = S_IN_NS;
    thread_open_config(&c);
    thread_add_cell(1, 0);
    thread_add_ms(0, 200);
    thread_add_ms(1, 140);
    thread_cell(0, 1000);
    for (int i = 0; i < 5; i++)
        send_in_vain(0, 100); // two find the MS's queue full
    send_in_vain(1, 100);
    expect_ms(0, 0, 2);
    expect_ms(1, 0, 0);
    expect_cell(0, 0, 0, 2);
    send_in_vain(1, 2192); // no room in 16 segments
    expect_ms(1, 0, 1);
    expect_cell(0, 0, 0, 3);
    thread_do(&(struct command){.op = COMMAND_ms_flush, .ms_flush = {1}});
    expect_ms(1, 0, 2);
    expect_cell(0, 0, 0, 4);
    thread_run_until(3 * S_IN_NS); // three expire
    expect_ms(0, 0, 5);
    expect_cell(0, 0, 0, 7);
    thread_do(&(struct command){.op = COMMAND_ms_move, .ms_move = {1, 1}});
    remove_nsvc(0);
    send_in_vain(1, 700); // nowhere to go, in six pieces
    expect_ms(1, 0, 3);
    expect_cell(0, 0, 0, 7);
    expect_cell(1, 0, 0, 1);
    assert_true(dp_balanced(t.worker));
    thread_close();
}

// Of the answers, and never more of them than there are.
static void a_pdu_to_an_unknown_neighbour_is_an_answer_unsent(void **state)
{
    struct command nsvc = thread_nsvc(1, 0);
    const struct stats_port *gb;
    (void)state;
    thread_open(100, 64);
    gb = &dp_stats(t.worker)->of_port[STATS_GB];
    nsvc.nsvc.has_peer_mac = false;
    thread_command(&nsvc, 0);
    for (uint32_t i = 1; i < 10; i++) {
        thread_do(&(struct command){.op = COMMAND_send,
                                    .send = {.nsvc_id = 1, .pdu = {(const uint8_t *)"\x0a", 1}}});
        assert_int_equal(gb->answers_unsent, i);
        assert_int_equal(gb->answers, 1 + i); // and the question
    }
    thread_close();
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
    return cmocka_run_group_tests_name("down/no_link", tests, thread_start_eal, NULL);
}
