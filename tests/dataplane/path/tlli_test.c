// A TLLI to come (ms_tlli with down_old): heard as well as the present one, while all that is sent
// keeps the present one, until the next ms_tlli says which it is. As at an attach: LLGMM-ASSIGN of
// TS 44.064 8.3.
#include "tests/dataplane/path/path.h"

#include <errno.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/llc.h"

static uint32_t heard_by_control;

static void count_event(const struct event *event)
{
    heard_by_control += event->kind == EVENT_ns && event->ms_id == EVENT_NONE;
}

static void open_ms(void)
{
    open_world(1, false);
    p.on_event = count_event;
    heard_by_control = 0;
    path_plain_ms(0, 0, 500);
}

// An N-PDU of MS 0 under that TLLI; whether the path took it, or control got the frame.
static bool taken_under(uint32_t tlli)
{
    uint64_t before = p.up_received;
    uint32_t control = heard_by_control;
    p.ms[0].up.tlli = tlli;
    path_up(0, 100);
    path_poll();
    bool taken = p.up_received > before;
    assert_int_equal(heard_by_control, control + !taken);
    if (!taken) { // the number was not taken, either, and nothing is expected
        p.ms[0].up.next_ui[3]--;
        p.ms[0].up.next_npdu[5]--;
        p.pdp[0].up =
            (struct path_way){.sent = p.pdp[0].up.received, .received = p.pdp[0].up.received};
    }
    return taken;
}

// User data, and a frame of control's; the judge compares their TLLI with the MS's.
static void down(void)
{
    uint32_t frames = wents, received = p.pdp[0].down.received;
    path_down(0, 100);
    give(0);
    path_poll();
    assert_int_equal(wents, frames + 1);
    assert_int_equal(p.pdp[0].down.received, received + 1);
}

static void becomes(uint32_t tlli)
{
    DO(ms_tlli, .ms_id = 0, .tlli = tlli);
    if (tlli != p.ms[0].tlli)
        gb_receiver_rename(p.gb, p.ms[0].tlli, tlli);
    p.ms[0].tlli = tlli;
    p.ms[0].nsvc = PATH_NONE;
}

static void comes(uint32_t tlli)
{
    DO(ms_tlli, .ms_id = 0, .tlli = tlli, .has_down_old = true, .down_old = true);
}

static void both_are_heard_and_the_old_one_sent(void **state)
{
    (void)state;
    open_ms();
    uint32_t old = p.ms[0].tlli, new = 0xc1000000;
    assert_false(taken_under(new));
    comes(new);
    for (int i = 0; i < 3; i++) { // whichever it is heard under, none ends
        down();
        assert_true(taken_under(new));
        assert_true(taken_under(old));
    }
    down();
    becomes(new);
    down();
    assert_true(taken_under(old)); // until it is heard under the new one
    assert_true(taken_under(new));
    assert_false(taken_under(old));
    down();
    path_expect_all();
    path_close();
}

static void it_may_not_come(void **state)
{
    (void)state;
    open_ms();
    uint32_t old = p.ms[0].tlli;
    comes(0xc1000000);
    assert_true(taken_under(0xc1000000));
    comes(0xc2000000); // another one instead
    assert_false(taken_under(0xc1000000));
    assert_true(taken_under(0xc2000000));
    assert_true(taken_under(old));
    becomes(old); // none
    assert_false(taken_under(0xc2000000));
    assert_true(taken_under(old));
    comes(old); // nor is its own one
    assert_true(taken_under(old));
    DO(ms_tlli, .ms_id = 0, .tlli = 0xc3000000, .has_down_old = true, .down_old = false);
    gb_receiver_rename(p.gb, old, 0xc3000000); // down_old = false is none
    p.ms[0].tlli = 0xc3000000;
    p.ms[0].nsvc = PATH_NONE;
    down();
    assert_true(taken_under(0xc3000000));
    assert_false(taken_under(old));
    path_expect_all();
    path_close();
}

// A former TLLI ends for one to come.
static void two_names_at_most(void **state)
{
    (void)state;
    open_ms();
    uint32_t first = p.ms[0].tlli;
    becomes(0xc1000000);
    comes(0xc2000000);
    assert_false(taken_under(first));
    assert_true(taken_under(0xc2000000));
    assert_true(taken_under(0xc1000000));
    path_close();
}

static void it_is_nobody_elses(void **state)
{
    (void)state;
    open_ms();
    uint32_t other = 0xc7000001, found[4];
    DO(ms, .ms_id = 1, .bvc_id = 1, .tlli = other, .n201_u = 500);
    TRY(-EEXIST, ms_tlli, .ms_id = 0, .tlli = other, .has_down_old = true, .down_old = true);
    comes(0xc1000000);
    assert_int_equal(dp_ms_of(p.dp, 0, 0xc1000000), 0);
    assert_int_equal(dp_mss_of(p.dp, 0xc1000000, found, 4), 1);
    assert_int_equal(dp_mss_of(p.dp, p.ms[0].tlli, found, 4), 1);
    TRY(-EEXIST, ms_tlli, .ms_id = 1, .tlli = 0xc1000000);
    TRY(-EEXIST, ms, .ms_id = 2, .bvc_id = 0, .tlli = 0xc1000000, .n201_u = 500);
    TRY(-EEXIST, ms, .ms_id = 2, .bvc_id = 0, .tlli = p.ms[0].tlli, .n201_u = 500);
    becomes(p.ms[0].tlli);
    DO(ms, .ms_id = 2, .bvc_id = 0, .tlli = 0xc1000000, .n201_u = 500);
    assert_int_equal(dp_ms_of(p.dp, 0, 0xc1000000), 2);
    comes(0xc2000000);
    path_ms_remove(0); // with both names
    assert_true(dp_ms_of(p.dp, 0, 0xc2000000) == EVENT_NONE);
    DO(ms_tlli, .ms_id = 2, .tlli = 0xc2000000);
    path_close();
}

// It goes with the MS to another cell, and ends where it goes to another NSE, at this worker and at
// another.
static void moves(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers < 3; workers++) {
        open_world(workers, false);
        p.on_event = count_event;
        heard_by_control = 0;
        path_plain_ms(0, 0, 500);
        uint32_t old = p.ms[0].tlli;
        comes(0xc1000000);
        path_ms_move(0, 1);
        assert_true(taken_under(0xc1000000));
        down();
        path_ms_move(0, 2);
        assert_true(dp_ms_of(p.dp, 1, 0xc1000000) == EVENT_NONE);
        assert_false(taken_under(0xc1000000));
        assert_true(taken_under(old));
        down();
        assert_true(taken_under(old));
        becomes(0xc1000000);
        assert_true(taken_under(old));
        assert_true(taken_under(0xc1000000));
        assert_false(taken_under(old));
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_heard_and_the_old_one_sent),
        cmocka_unit_test(it_may_not_come),
        cmocka_unit_test(two_names_at_most),
        cmocka_unit_test(it_is_nobody_elses),
        cmocka_unit_test(moves),
    };
    return cmocka_run_group_tests_name("path_tlli", tests, path_start_eal, NULL);
}
