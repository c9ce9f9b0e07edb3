// Control's picture and what workers tell: an MS that was heard in another cell, in the very moment
// that control removes that cell, moves the MS or removes it.
#include "tests/dataplane/down/thread.h"

#include <errno.h>
#include <string.h>

#include "dataplane/worker.h"
#include "tests/oracle/ul_sender.h"

static struct ul_ms ul[4];
static uint32_t fcs_fault;

// NSE 0 with cells 0 and 1, MS 0 in cell 0.
static void open_cells(void)
{
    thread_open(100, 64);
    thread_add_cell(1, 0);
    thread_add_ms(0, 500);
    memset(ul, 0, sizeof ul);
}

// The MS sends an N-PDU from a cell of NSE 0.
static void hear_as(uint32_t ms, uint32_t tlli, uint16_t bvci)
{
    static struct ip_frame frame;
    static const uint8_t npdu[20] = {0x45};
    struct ul_cell cell = {.ends = {.source_mac = {2, 0, 0, 0, 0, 0x10},
                                    .destination_mac = {2, 0, 0, 0, 0, 2},
                                    .source = {[10] = 0xff, 0xff, 198, 51, 100, 2},
                                    .destination = {[10] = 0xff, 0xff, 198, 51, 100, 1},
                                    .source_port = BSS_PORT,
                                    .destination_port = 23000},
                           .bvci = bvci,
                           .fcs_fault = fcs_fault};
    ul[ms].tlli = tlli;
    ul[ms].n201_u = 500;
    assert_int_equal(ul_send(&ul[ms], &cell, 3, 5, npdu, sizeof npdu, &frame), 1);
    struct rte_mbuf *m = rte_pktmbuf_alloc(t.gb.pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)frame.n), frame.octets, frame.n);
    assert_int_equal(rte_ring_enqueue(t.gb.to_port, m), 0);
    thread_poll_to_rest();
}

static void hear(uint32_t ms, uint16_t bvci)
{
    hear_as(ms, TLLI_FIRST + ms, bvci);
}

static void expect_event_of(enum event_kind kind, uint32_t bvc, uint32_t ms)
{
    struct event event;
    assert_true(dp_event(t.dp, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.worker, 0);
    assert_int_equal(event.bvc_id, bvc);
    if (kind == EVENT_moved)
        assert_int_equal(event.ms_id, ms);
    dp_event_done(t.dp, &event);
}

static void expect_event(enum event_kind kind, uint32_t bvc)
{
    expect_event_of(kind, bvc, 0);
}

static void expect_no_event(void)
{
    struct event event;
    assert_false(dp_event(t.dp, &event));
}

// The receiver checks the BVCI.
static void expect_downlink_in(uint32_t bvc)
{
    uint32_t received = t.received;
    t.bvc_of[0] = bvc;
    thread_send(0, 100);
    thread_poll_and_take_all();
    assert_int_equal(t.received, received + 1);
}

static void an_ms_moves_to_where_it_is_heard(void **state)
{
    (void)state;
    open_cells();
    hear(0, 3);
    expect_downlink_in(1);
    expect_event(EVENT_moved, 1);
    expect_no_event();
    TRY(-EBUSY, bvc_remove, 1); // control knows now
    hear(0, 3);                 // where it is: nothing to tell
    expect_no_event();
    DO(bvc_remove, 0);
    TRY(0, bvc, .bvc_id = 0, .bvci = 4); // confirmed
    thread_poll_to_rest();
    thread_close();
}

// Control thinks the cell empty; the MS has just come.
static void a_cell_that_an_ms_has_come_to_is_kept(void **state)
{
    (void)state;
    open_cells();
    hear(0, 3);
    TRY(0, bvc_remove, 1);
    TRY(-EAGAIN, bvc, .bvc_id = 1, .bvci = 5);
    thread_poll_to_rest();
    assert_true(dp_settled(t.dp));
    TRY(-EAGAIN, bvc, .bvc_id = 1, .bvci = 5); // the worker has said something
    expect_event(EVENT_moved, 1);
    TRY(-EAGAIN, bvc, .bvc_id = 1, .bvci = 5);
    expect_event(EVENT_bvc_kept, 1);
    expect_no_event();
    TRY(-EEXIST, bvc, .bvc_id = 1, .bvci = 5); // it is there as before
    TRY(-EEXIST, bvc, .bvc_id = 0, .bvci = 5);
    TRY(-EBUSY, bvc_remove, 1);
    expect_downlink_in(1);
    DO(bvc_remove, 0);
    thread_close();
}

// Of two cells removed at once one is kept.
static void each_removal_is_confirmed_for_itself(void **state)
{
    struct dp_config c = thread_config(100, 64);
    (void)state;
    c.bvcs = 4;
    thread_open_config(&c);
    for (uint32_t bvc = 1; bvc < 4; bvc++)
        thread_add_cell(bvc, 0);
    thread_add_ms(0, 500);
    memset(ul, 0, sizeof ul);
    hear(0, 4);
    for (uint32_t bvc = 1; bvc < 4; bvc++)
        TRY(0, bvc_remove, bvc);
    thread_poll_to_rest();
    expect_event(EVENT_moved, 2);
    expect_event(EVENT_bvc_kept, 2);
    TRY(0, bvc, .bvc_id = 1, .bvci = 3);
    TRY(-EEXIST, bvc, .bvc_id = 2, .bvci = 9);
    TRY(0, bvc, .bvc_id = 3, .bvci = 5);
    thread_poll_to_rest();
    expect_downlink_in(2);
    thread_close();
}

static void nobody_is_heard_in_a_cell_that_is_gone(void **state)
{
    (void)state;
    open_cells();
    DO(bvc_remove, 1);
    hear(0, 3);
    expect_event(EVENT_ns, EVENT_NONE);
    expect_no_event();
    assert_int_equal(dp_stats(t.worker)->up.moves, 0);
    expect_downlink_in(0);
    thread_close();
}

// Control says where the MS is after the worker has heard it, and before it is told of that.
static void a_later_move_is_the_later_word(void **state)
{
    (void)state;
    open_cells();
    hear(0, 3);
    TRY(0, ms_move, 0, 0);
    thread_poll_to_rest();
    expect_event(EVENT_moved, 1);
    DO(bvc_remove, 1); // empty
    TRY(0, bvc, .bvc_id = 1, .bvci = 4);
    TRY(-EBUSY, bvc_remove, 0);
    thread_poll_to_rest();
    expect_downlink_in(0);
    thread_close();
}

// The other way round: control's word first, then the MS is heard.
static void a_later_event_is_the_later_word(void **state)
{
    (void)state;
    open_cells();
    DO(ms_move, 0, 0);
    hear(0, 3);
    expect_event(EVENT_moved, 1);
    TRY(-EBUSY, bvc_remove, 1);
    DO(bvc_remove, 0);
    thread_close();
}

// Neither the MS that was, nor the one that has its id now, is moved by what is told late.
static void a_removed_ms_is_not_moved(void **state)
{
    (void)state;
    open_cells();
    DO(pdp_remove, 0);
    hear(0, 3); // a good frame, though for no context
    TRY(0, ms_remove, 0);
    expect_event_of(EVENT_moved, 1, EVENT_NONE);
    TRY(0, bvc_remove, 1);
    thread_poll_to_rest();
    TRY(0, bvc, .bvc_id = 1, .bvci = 3);
    thread_poll_to_rest();
    DO(ms, .ms_id = 0, .tlli = TLLI_FIRST, .n201_u = 500);
    memset(ul, 0, sizeof ul);
    hear(0, 3);
    TRY(0, ms_remove, 0);
    TRY(0, ms, .ms_id = 0, .tlli = TLLI_FIRST, .n201_u = 500);
    thread_poll_to_rest();
    expect_event_of(EVENT_moved, 1, EVENT_NONE);
    DO(bvc_remove, 1);
    TRY(-EBUSY, bvc_remove, 0);
    thread_close();
}

// A worker that cannot tell of it does not move an MS, and does not decide about a cell.
static void without_room_for_events_nothing_moves(void **state)
{
    struct event event;
    uint32_t events = 0;
    (void)state;
    open_cells();
    for (uint32_t i = 0; dp_stats(t.worker)->up.moves == i && i < 2 * DP_EVENT_RING; i++)
        hear(0, i % 2 ? 2 : 3);
    uint64_t moves = dp_stats(t.worker)->up.moves;
    assert_int_equal(moves, DP_EVENT_RING - 1);
    uint32_t there = moves % 2;
    expect_downlink_in(there);
    TRY(0, bvc_remove, 1);
    dp_poll(t.worker, t.now_ns);
    assert_false(dp_settled(t.dp));
    TRY(-EAGAIN, bvc, .bvc_id = 1, .bvci = 9);
    while (dp_event(t.dp, &event)) {
        events++;
        dp_event_done(t.dp, &event);
    }
    assert_int_equal(events, moves);
    thread_poll_to_rest();
    assert_true(dp_settled(t.dp));
    if (there == 1)
        expect_event(EVENT_bvc_kept, 1);
    expect_no_event();
    TRY(there == 1 ? -EEXIST : 0, bvc, .bvc_id = 1, .bvci = 9);
    thread_poll_to_rest();
    thread_close();
}

// --- TLLIs ---------------------------------------------------------------------------------------

static uint32_t ms_of(uint32_t tlli)
{
    return state_ms_of(&dp_worker(t.dp, 0)->state, 0, tlli);
}

static void the_old_tlli_is_good_until_the_new_one_is_used(void **state)
{
    const uint32_t old = TLLI_FIRST, new = 77;
    const struct stats_worker *stats;
    (void)state;
    open_cells();
    stats = dp_stats(t.worker);
    DO(ms_tlli, .ms_id = 0, .tlli = new);
    hear_as(0, old, 2);
    hear_as(0, old, 3); // it moves under it
    expect_event(EVENT_moved, 1);
    hear_as(0, old, 3);
    assert_int_equal(ms_of(old), 0);
    assert_int_equal(ms_of(new), 0);
    hear_as(0, new, 3);
    assert_int_equal(stats->up.in_packets, 4);
    assert_int_equal(ms_of(old), STATE_NONE);
    expect_no_event();
    hear_as(0, old, 3); // a stranger's by now
    expect_event(EVENT_ns, 1);
    hear_as(0, new, 3);
    assert_int_equal(stats->up.in_packets, 5);
    TRY(-EEXIST, ms, .ms_id = 1, .tlli = old, .n201_u = 500); // control has not heard of that
    DO(ms_tlli, .ms_id = 0, .tlli = new);
    DO(ms, .ms_id = 1, .tlli = old, .n201_u = 500);
    assert_int_equal(ms_of(old), 1);
    thread_close();
}

// An MS that says it enciphers, and does not.
static bool pretend(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n)
{
    (void)ctx, (void)frame, (void)octets, (void)n;
    return true;
}

static void a_damaged_frame_under_the_new_tlli_ends_nothing(void **state)
{
    (void)state;
    open_cells();
    DO(ms_tlli, .ms_id = 0, .tlli = 77);
    fcs_fault = 1;
    hear_as(0, 77, 2);
    fcs_fault = 0;
    DO(ms_cipher, .ms_id = 0, .gea = 3, .key = {(const uint8_t[8]){1}, 8});
    ul[0].encipher = pretend;
    hear_as(0, 77, 2);
    assert_int_equal(dp_stats(t.worker)->of_port[STATS_GB].drop[DROP_llc_fcs].packets, 2);
    assert_int_equal(ms_of(TLLI_FIRST), 0);
    DO(ms_tlli, .ms_id = 0, .tlli = 78); // the one before the last goes
    assert_int_equal(ms_of(TLLI_FIRST), STATE_NONE);
    assert_int_equal(ms_of(77), 0);
    DO(pdp_remove, 0);
    DO(ms_remove, 0);
    assert_int_equal(ms_of(77), STATE_NONE);
    assert_int_equal(ms_of(78), STATE_NONE);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ms_moves_to_where_it_is_heard),
        cmocka_unit_test(a_cell_that_an_ms_has_come_to_is_kept),
        cmocka_unit_test(each_removal_is_confirmed_for_itself),
        cmocka_unit_test(nobody_is_heard_in_a_cell_that_is_gone),
        cmocka_unit_test(a_later_move_is_the_later_word),
        cmocka_unit_test(a_later_event_is_the_later_word),
        cmocka_unit_test(a_removed_ms_is_not_moved),
        cmocka_unit_test(the_old_tlli_is_good_until_the_new_one_is_used),
        cmocka_unit_test(a_damaged_frame_under_the_new_tlli_ends_nothing),
        cmocka_unit_test(without_room_for_events_nothing_moves),
    };
    return cmocka_run_group_tests_name("commands_note", tests, thread_start_eal, NULL);
}
