// Control's picture and what workers tell: an MS that was heard in another cell, in the very moment
// that control removes that cell, moves the MS or removes it.
#include <errno.h>

#include "dataplane/worker.h"
#include "tests/dataplane/registry/heard.h"

static void an_ms_moves_to_where_it_is_heard(void **state)
{
    (void)state;
    open_cells(2);
    hear(0, 3);
    expect_downlink_in(1);
    expect_event(EVENT_moved, 1);
    expect_no_event();
    TRY(-EBUSY, bvc_remove, 1); // control knows now
    hear(0, 3);                 // where it is: nothing to tell
    expect_no_event();
    DO(bvc_remove, 0);
    TRY(0, bvc, .bvc_id = 0, .bvci = 4); // confirmed
    path_poll();
    path_close();
}

static void nobody_is_heard_in_a_cell_that_is_gone(void **state)
{
    (void)state;
    open_cells(2);
    DO(bvc_remove, 1);
    hear(0, 3);
    expect_event(EVENT_ns, EVENT_NONE);
    expect_no_event();
    assert_int_equal(dp_stats(p.worker)->up.moves, 0);
    expect_downlink_in(0);
    path_close();
}

// Control says where the MS is after the worker has heard it, and before it is told of that.
static void a_later_move_is_the_later_word(void **state)
{
    (void)state;
    open_cells(2);
    hear(0, 3);
    TRY(0, ms_move, 0, 0);
    path_poll();
    expect_event(EVENT_moved, 1);
    DO(bvc_remove, 1); // empty
    TRY(0, bvc, .bvc_id = 1, .bvci = 4);
    TRY(-EBUSY, bvc_remove, 0);
    path_poll();
    expect_downlink_in(0);
    path_close();
}

// The other way round: control's word first, then the MS is heard.
static void a_later_event_is_the_later_word(void **state)
{
    (void)state;
    open_cells(2);
    DO(ms_move, 0, 0);
    hear(0, 3);
    expect_event(EVENT_moved, 1);
    TRY(-EBUSY, bvc_remove, 1);
    DO(bvc_remove, 0);
    path_close();
}

// Neither the MS that was, nor the one that has its id now, is moved by what is told late.
static void a_removed_ms_is_not_moved(void **state)
{
    (void)state;
    open_cells(2);
    DO(pdp_remove, 0);
    hear(0, 3); // a good frame, though for no context
    TRY(0, ms_remove, 0);
    expect_event_of(EVENT_moved, 1, EVENT_NONE);
    TRY(0, bvc_remove, 1);
    path_poll();
    TRY(0, bvc, .bvc_id = 1, .bvci = 3);
    path_poll();
    DO(ms, .ms_id = 0, .tlli = PATH_TLLI, .n201_u = 500);
    memset(ul, 0, sizeof ul);
    hear(0, 3);
    TRY(0, ms_remove, 0);
    TRY(0, ms, .ms_id = 0, .tlli = PATH_TLLI, .n201_u = 500);
    path_poll();
    expect_event_of(EVENT_moved, 1, EVENT_NONE);
    DO(bvc_remove, 1);
    TRY(-EBUSY, bvc_remove, 0);
    path_close();
}

// --- TLLIs ---------------------------------------------------------------------------------------

static uint32_t ms_of(uint32_t tlli)
{
    return state_ms_of(&dp_worker(p.dp, 0)->state, 0, tlli);
}

static void the_old_tlli_is_good_until_the_new_one_is_used(void **state)
{
    const uint32_t old = PATH_TLLI, new = 77;
    const struct stats_worker *stats;
    (void)state;
    open_cells(2);
    stats = dp_stats(p.worker);
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
    path_close();
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
    open_cells(2);
    DO(ms_tlli, .ms_id = 0, .tlli = 77);
    fcs_fault = 1;
    hear_as(0, 77, 2);
    fcs_fault = 0;
    DO(ms_cipher, .ms_id = 0, .gea = 3, .key = {(const uint8_t[8]){1}, 8});
    ul[0].encipher = pretend;
    hear_as(0, 77, 2);
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GB].drop[DROP_llc_fcs].packets, 2);
    assert_int_equal(ms_of(PATH_TLLI), 0);
    DO(ms_tlli, .ms_id = 0, .tlli = 78); // the one before the last goes
    assert_int_equal(ms_of(PATH_TLLI), STATE_NONE);
    assert_int_equal(ms_of(77), 0);
    DO(pdp_remove, 0);
    DO(ms_remove, 0);
    assert_int_equal(ms_of(77), STATE_NONE);
    assert_int_equal(ms_of(78), STATE_NONE);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ms_moves_to_where_it_is_heard),
        cmocka_unit_test(nobody_is_heard_in_a_cell_that_is_gone),
        cmocka_unit_test(a_later_move_is_the_later_word),
        cmocka_unit_test(a_later_event_is_the_later_word),
        cmocka_unit_test(a_removed_ms_is_not_moved),
        cmocka_unit_test(the_old_tlli_is_good_until_the_new_one_is_used),
        cmocka_unit_test(a_damaged_frame_under_the_new_tlli_ends_nothing),
    };
    return cmocka_run_group_tests_name("note", tests, path_start_eal, NULL);
}
