// An MS that control puts in standby: what waits for it, or comes, is told, and nothing goes until
// it is heard. And one for which control listens, which is not held by that.
#include "tests/dataplane/path/hold.h"

// By control's word, whatever `ready_ns` is: held from then on, and what waits then or comes is
// told.
static void control_puts_an_ms_in_standby(void **state)
{
    (void)state;
    open_world(1, 0);
    p.on_event = event_is;
    p.lossy_down = true;
    DO(ms_standby, 0);
    path_run_until(100 * S_IN_NS);
    expect(0, 0, 0); // nothing waits
    down(0);
    expect(0, 1, 0);
    down(0);
    expect(0, 1, 0);
    path_ms_flush(0);
    path_poll();
    down(0);
    expect(0, 2, 0); // still in standby
    path_up(0, 100);
    expect(1, 2, 1);
    down(2);
    DO(ms_freeze, .ms_id = 0);
    down(2);
    DO(ms_standby, 0);
    expect(2, 3, 1); // what waited already
    DO(ms_release, 0);
    expect(3, 3, 1);
    down(4);
    path_up(0, 100);
    expect(4, 3, 1);
    path_close();
}

static void a_standby_by_control_goes_along_with_a_move(void **state)
{
    (void)state;
    for (uint32_t to = 1; to < 3; to++) {
        open_world(2, 0);
        DO(ms_standby, 0);
        path_ms_move(0, to);
        path_run_until(50 * S_IN_NS);
        down(0);
        expect(0, 1, 0);
        path_up(0, 100);
        expect(1, 1, 1);
        close_whole();
    }
}

// Nothing waits for that, but control is told, once; not of an MS that it has moved since.
static void one_that_is_listened_for_is_not_held(void **state)
{
    (void)state;
    open_world(2, 0);
    p.on_event = event_is;
    DO(ms_listen, 0);
    down(1);
    path_up(0, 100);
    expect(1, 0, 1);
    path_up(0, 100);
    expect(1, 0, 1);
    for (uint32_t to = 1; to < 3; to++) {
        DO(ms_listen, 0);
        path_ms_move(0, to);
        path_poll();
        path_up(0, 100);
        expect(to, 0, 1);
        down(to + 1);
    }
    DO(ms_listen, 0);
    DO(ms_freeze, .ms_id = 0);
    down(3);
    path_up(0, 100);
    expect(3, 0, 2); // which ends no hold
    DO(ms_release, 0);
    expect(4, 0, 2);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_puts_an_ms_in_standby),
        cmocka_unit_test(a_standby_by_control_goes_along_with_a_move),
        cmocka_unit_test(one_that_is_listened_for_is_not_held),
    };
    return cmocka_run_group_tests_name("path_standby", tests, path_start_eal, NULL);
}
