// Cells that control has removed, and in which a worker has heard an MS meanwhile: which have gone
// and which are kept, when control knows, and when it is told.
#include <errno.h>

#include "dataplane/worker.h"
#include "tests/dataplane/registry/heard.h"

// Control thinks the cell empty; the MS has just come.
static void a_cell_that_an_ms_has_come_to_is_kept(void **state)
{
    (void)state;
    open_cells(2);
    hear(0, 3);
    TRY(0, bvc_remove, 1);
    TRY(-EAGAIN, bvc, .bvc_id = 1, .bvci = 5);
    path_poll();
    assert_true(dp_settled(p.dp));
    TRY(-EEXIST, bvc, .bvc_id = 1, .bvci = 5); // there as before, though nothing has been told yet
    TRY(-EBUSY, bvc_remove, 1);
    expect_event(EVENT_moved, 1);
    TRY(-EBUSY, bvc_remove, 1);
    expect_event(EVENT_bvc_kept, 1);
    expect_no_event();
    TRY(-EEXIST, bvc, .bvc_id = 1, .bvci = 5);
    TRY(-EEXIST, bvc, .bvc_id = 0, .bvci = 5);
    TRY(-EBUSY, bvc_remove, 1);
    expect_downlink_in(1);
    DO(bvc_remove, 0);
    path_close();
}

// Of two cells removed at once one is kept.
static void each_removal_is_confirmed_for_itself(void **state)
{
    (void)state;
    open_cells(4);
    hear(0, 4);
    for (uint32_t bvc = 1; bvc < 4; bvc++)
        TRY(0, bvc_remove, bvc);
    path_poll();
    TRY(0, bvc, .bvc_id = 1, .bvci = 3); // while a word of the other one waits
    expect_event(EVENT_moved, 2);
    expect_event(EVENT_bvc_kept, 2);
    TRY(-EEXIST, bvc, .bvc_id = 2, .bvci = 9);
    TRY(0, bvc, .bvc_id = 3, .bvci = 5);
    path_poll();
    expect_downlink_in(2);
    path_close();
}

// The word that a cell was kept comes behind the move for which it was, also if there is always
// more to tell: with the first event behind the removal.
static void a_kept_cell_is_told_of_though_events_never_end(void **state)
{
    (void)state;
    open_cells(3);
    path_plain_ms(1, 0, 500);
    hear(1, 4);
    hear(0, 3);
    DO(bvc_remove, 1);
    hear(1, 2);
    hear(1, 4);
    expect_event_of(EVENT_moved, 2, 1);
    expect_event(EVENT_moved, 1);
    expect_event_of(EVENT_moved, 0, 1);
    expect_event(EVENT_bvc_kept, 1);
    hear(1, 2);
    expect_event_of(EVENT_moved, 2, 1);
    expect_event_of(EVENT_moved, 0, 1);
    expect_no_event();
    path_close();
}

// The MS came into the cell and left it again before that was removed; control takes the events
// only after the cell has gone. Meanwhile it takes the MS to be where it was.
static void an_ms_that_passed_through_a_cell_that_has_gone(void **state)
{
    struct event event;
    uint32_t tlli;
    (void)state;
    open_cells(3);
    hear(0, 3);
    hear(0, 4);
    DO(bvc_remove, 1);
    TRY(0, bvc, .bvc_id = 1, .bvci = 9);
    expect_event(EVENT_moved, EVENT_NONE);
    assert_int_equal(dp_ms_cell(p.dp, 0, &tlli), 0);
    assert_true(dp_event(p.dp, &event));
    assert_int_equal(event.kind, EVENT_moved);
    assert_int_equal(event.bvc_id, 2);
    assert_int_equal(event.old_bvc_id, EVENT_NONE); // that id is another's by now
    assert_int_equal(dp_ms_cell(p.dp, 0, &tlli), 2);
    expect_no_event();
    path_close();
}

// The same, but control has been told that it came: then the id is free when it has been told that
// the MS left, too.
static void the_id_of_a_cell_that_has_gone_is_its_own_while_control_sees_an_ms_there(void **state)
{
    (void)state;
    open_cells(3);
    hear(0, 3);
    for (int i = 0; i < 64; i++) // a poll's commands, so that the frame comes before the removal
        TRY(0, ms_flush, 0);
    TRY(0, bvc_remove, 1); // control thinks it empty
    expect_event(EVENT_moved, 1);
    hear(0, 4);
    assert_true(dp_settled(p.dp));
    TRY(-EEXIST, bvc, .bvc_id = 1, .bvci = 9);
    assert_true(dp_bvc_held(p.dp, 1));
    expect_event(EVENT_moved, 2);
    assert_false(dp_bvc_held(p.dp, 1));
    TRY(0, bvc, .bvc_id = 1, .bvci = 9);
    expect_no_event();
    path_poll();
    path_close();
}

// A worker that cannot tell of it does not move an MS. About a cell it decides all the same.
// To and fro, and to a third cell in the end: control, which has taken no move, sees the MS in
// none.
static void hear_all_about(void)
{
    for (uint32_t i = 1; i < EVENT_MOVES_MOST; i++)
        hear(0, i % 2 ? 3 : 2);
    hear(0, 4);
    assert_int_equal(dp_stats(p.worker)->up.moves, EVENT_MOVES_MOST);
    hear(0, 2);
    assert_int_equal(dp_stats(p.worker)->up.moves, EVENT_MOVES_MOST);
}

static void with_too_many_moves_untaken_nothing_moves(void **state)
{
    struct event event;
    uint32_t events = 0;
    (void)state;
    open_cells(3);
    hear_all_about();
    expect_downlink_in(2);
    TRY(0, bvc_remove, 2);
    TRY(0, ms_flush, 0); // which goes on behind it
    dp_poll(p.worker, p.now_ns);
    assert_true(dp_settled(p.dp));
    TRY(-EEXIST, bvc, .bvc_id = 2, .bvci = 9);
    while (events < EVENT_MOVES_MOST && dp_event(p.dp, &event)) {
        events++;
        dp_event_done(p.dp, &event);
    }
    assert_int_equal(events, EVENT_MOVES_MOST);
    path_poll();
    assert_true(dp_settled(p.dp));
    expect_event(EVENT_bvc_kept, 2);
    expect_no_event();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_that_an_ms_has_come_to_is_kept),
        cmocka_unit_test(each_removal_is_confirmed_for_itself),
        cmocka_unit_test(a_kept_cell_is_told_of_though_events_never_end),
        cmocka_unit_test(an_ms_that_passed_through_a_cell_that_has_gone),
        cmocka_unit_test(the_id_of_a_cell_that_has_gone_is_its_own_while_control_sees_an_ms_there),
        cmocka_unit_test(with_too_many_moves_untaken_nothing_moves),
    };
    return cmocka_run_group_tests_name("going", tests, path_start_eal, NULL);
}
