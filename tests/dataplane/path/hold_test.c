// What holds an MS's queue: control, until it releases it or the MS is heard, and the path itself
// while an MS in standby is to be paged. Nothing goes and nothing ages meanwhile; control is told
// once of each page, and once when the MS has been heard, and is never told of what did not happen.
#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/hold.h"
#include "tests/dataplane/random.h"

static void two_holds_do_not_know_of_each_other(void **state)
{
    (void)state;
    open_world(1, 0);
    DO(ms_freeze, .ms_id = 0);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    down(0);
    path_run_until(100 * S_IN_NS);
    path_up(0, 100);
    expect(0, 0, 1); // control still holds it
    DO(ms_release, 0);
    expect(1, 0, 1);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    down(1);
    path_up(0, 100);
    expect(2, 0, 2);
    path_up(0, 100);
    expect(2, 0, 2); // it was not held
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = false);
    down(2);
    DO(ms_release, 0);
    expect(3, 0, 2);
    path_up(0, 100);
    expect(3, 0, 2);
    close_whole();
}

// Only a good frame of its own counts, and not one that came already.
static void a_wrong_frame_is_not_heard(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static const uint8_t npdu[100];
    (void)state;
    open_world(1, 0);
    p.on_event = event_is;
    path_plain_ms(1, 0, 500);
    DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
    down(0);
    struct ul_cell cell = path_cell(0);
    struct ul_ms forged = p.ms[0].up;
    cell.fcs_fault = 1;
    assert_int_equal(ul_send(&forged, &cell, 3, 5, npdu, 100, frames), 1);
    assert_true(path_give(STATS_GB, 0, &frames[0]));
    path_up(1, 100);
    expect(0, 0, 0);
    path_up_from(0, 1, 100); // heard in another cell, where the rest goes
    expect(1, 0, 1);
    assert_int_equal(p.events[EVENT_moved], 1);
    assert_int_equal(p.ms[0].bvc, 1);
    path_close();
}

static void an_ms_in_standby_is_paged_once(void **state)
{
    (void)state;
    open_world(1, READY_S);
    p.on_event = event_is;
    path_run_until(READY_S * S_IN_NS);
    down(1); // it has just been made
    path_run_until(READY_S * S_IN_NS + 300 * MS_IN_NS);
    down(1);
    down(1);
    expect(1, 1, 0);
    path_run_until(200 * S_IN_NS); // nothing ages
    expect(1, 1, 0);
    path_up(0, 100);
    expect(3, 1, 1);
    path_run_until(204 * S_IN_NS);
    down(4);
    path_up(0, 100);
    path_run_until(208 * S_IN_NS);
    down(5); // ready again since then
    path_run_until(214 * S_IN_NS);
    down(5);
    expect(5, 2, 1);
    path_up(0, 100);
    expect(6, 2, 2);
    close_whole();
}

// What control says of the MS ends the page's hold; what counts as heard does so for the next, too.
static void what_ends_a_page(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        open_world(2, READY_S);
        p.lossy_down = true;
        path_run_until(20 * S_IN_NS);
        down(0);
        expect(0, 1, 0);
        if (how == 0)
            DO(ms_release, 0);
        else if (how == 1)
            path_ms_flush(0);
        else
            path_ms_move(0, how - 1); // to cell 1; to another NSE and worker
        path_poll();
        expect(how != 1, 1, 0);
        down(how == 1 ? 0 : 2);
        expect(how == 1 ? 0 : 2, how == 1 ? 2 : 1, 0); // after a flush it is paged again
        path_up(0, 100);
        expect(how == 1 ? 1 : 2, how == 1 ? 2 : 1, how == 1);
        path_close();
    }
}

// Those that control put on go along.
static void holds_go_along_with_a_move(void **state)
{
    (void)state;
    for (uint32_t to = 1; to < 3; to++) {
        open_world(2, READY_S);
        DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
        DO(ms_freeze, .ms_id = 0);
        down(0);
        path_ms_move(0, to);
        path_run_until(50 * S_IN_NS);
        expect(0, 0, 0);
        path_up(0, 100);
        expect(0, 0, 1);
        DO(ms_release, 0);
        expect(1, 0, 1);
        close_whole();
    }
}

static uint32_t pages_of_nobody;

static void count_nobody(const struct event *e)
{
    pages_of_nobody += e->kind == EVENT_page && e->ms_id == EVENT_NONE;
}

// Control has said something of the MS before it takes the page: it is for nobody by then.
static void a_page_that_is_late_is_for_nobody(void **state)
{
    (void)state;
    for (int how = 0; how < 6; how++) {
        open_world(2, READY_S);
        p.on_event = count_nobody;
        p.lossy_down = true;
        pages_of_nobody = 0;
        path_run_until(20 * S_IN_NS);
        p.hold_events = true;
        down(0);
        p.defer = true;
        if (how == 0)
            DO(ms_release, 0);
        else if (how == 1)
            path_ms_flush(0);
        else if (how == 2 || how == 3)
            path_ms_move(0, (uint32_t)how - 1);
        else if (how == 4)
            DO(ms_freeze, .ms_id = 0);
        else
            path_ms_remove(0);
        p.defer = p.hold_events = false;
        expect(how == 0 || how == 2 || how == 3, 1, 0);
        assert_int_equal(pages_of_nobody, how != 4);
        path_close();
    }
}

// Control does not listen, and an MS that nobody knows leaves so much of what anybody may fill:
// half of the ring.
static void fill_all_but(uint32_t left)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    struct ul_ms nobody = p.ms[0].up;
    struct ul_cell cell = path_cell(0);
    nobody.tlli ^= 0x00ff0000;
    p.hold_events = true;
    for (uint32_t i = 0; i < DP_EVENT_RING / 2 - left; i++) {
        assert_int_equal(ul_send(&nobody, &cell, 3, 5, (const uint8_t *)"nobody's", 8, frames), 1);
        assert_true(path_give(STATS_GB, 0, &frames[0]));
        path_poll();
    }
}

// So many PDUs of the BSS's own, which may have all of the ring.
static void fill_by_bss(uint32_t n)
{
    static const uint8_t ns_block[] = {0x04, 0x01, 0x81, 0x00};
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gb(0);
    ip_write(&frame, &ends, ns_block, sizeof ns_block);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(path_give(STATS_GB, 0, &frame));
        path_poll();
    }
}

// Without room for a page an MS is not held, for nobody could page it.
static void no_page_without_room(void **state)
{
    (void)state;
    open_world(1, READY_S);
    for (uint32_t ms = 1; ms < 600; ms++)
        path_plain_ms(ms, 0, 500);
    path_run_until(20 * S_IN_NS);
    fill_all_but(512);
    for (uint32_t ms = 1; ms < 600; ms++) {
        path_down(ms, 100);
        path_poll();
    }
    assert_int_equal(p.down_received, 599 - 512);
    down(1);
    // Being heard is told all the same, while the ring has room at all: for 511.
    fill_by_bss(DP_EVENT_RING - 1 - DP_EVENT_RING / 2 - 511);
    for (uint32_t ms = 1; ms < 600; ms++) {
        path_up(ms, 100);
        path_poll();
    }
    assert_int_equal(p.down_received, 600 - 512 + 511);
    p.hold_events = false;
    path_poll();
    assert_int_equal(p.events[EVENT_page], 512);
    assert_int_equal(p.events[EVENT_heard], 511);
    path_up(1 + 511, 100); // it could not be told, and was kept
    expect(1, 512, 512);
    path_down(1, 100);
    down(1); // the next one of MS 0 tries again
    expect(1, 513, 512);
    path_up(0, 100);
    expect(2, 513, 513);
    close_whole();
}

// ---- Anything in any order ----

static struct {
    bool by_control, until_heard, paged, standby, listened_for;
    uint64_t heard_ns;
    uint32_t waiting, received;
    uint64_t page, heard;
} model;

static void model_goes(void)
{
    if (model.by_control || model.until_heard || model.paged || model.standby)
        return;
    model.received += model.waiting;
    model.waiting = 0;
}

static void model_is_paged(void)
{
    model.page += !model.paged;
    model.paged = true;
}

static void model_down(void)
{
    path_down(0, random_in(1, 1500));
    model.waiting++;
    if (model.standby || p.now_ns - model.heard_ns > READY_S * S_IN_NS)
        model_is_paged();
}

static void model_up(void)
{
    uint32_t bvc = p.ms[0].bvc == 2 ? 2 : (uint32_t)random_next() % 2;
    path_up_from(0, bvc, random_in(1, 400));
    model.heard += model.until_heard || model.paged || model.standby || model.listened_for;
    model.until_heard = model.paged = model.standby = model.listened_for = false;
    model.heard_ns = p.now_ns;
}

static void model_command(uint32_t which)
{
    switch (which) {
    case 0:
        DO(ms_freeze, .ms_id = 0);
        model.by_control = true;
        break;
    case 1:
        DO(ms_freeze, .ms_id = 0, .has_until_heard = true, .until_heard = true);
        model.until_heard = true;
        break;
    case 2:
        path_ms_flush(0);
        model.waiting = 0;
        model.paged = false;
        break;
    case 3:
        path_ms_move(0, (uint32_t)random_next() % 3);
        model.paged = model.listened_for = false;
        model.heard_ns = p.now_ns;
        break;
    case 4:
        DO(ms_standby, 0);
        model.standby = true;
        if (model.waiting)
            model_is_paged();
        break;
    case 5:
        DO(ms_listen, 0);
        model.listened_for = true;
        break;
    default:
        DO(ms_release, 0);
        model.by_control = model.until_heard = model.paged = model.standby = false;
        model.listened_for = false;
        model.heard_ns = p.now_ns;
    }
}

static void anything_in_any_order(void **state)
{
    (void)state;
    random_begin();
    open_world(2, READY_S);
    p.lossy_down = true;
    memset(&model, 0, sizeof model);
    for (int i = 0; i < 20000; i++) {
        uint32_t what = (uint32_t)random_next() % 8;
        if (what < 3)
            model_down();
        else if (what == 3)
            model_up();
        else if (what < 6)
            model_command((uint32_t)random_next() % 7);
        else
            path_run_until(p.now_ns + random_in(1, 8) * S_IN_NS);
        model_goes();
        expect(model.received, model.page, model.heard);
        assert_int_equal(dp_ms_traffic(p.dp, 0).queued.packets, model.waiting);
    }
    print_message("# %u N-PDUs, %u pages, %u times heard\n", model.received, (unsigned)model.page,
                  (unsigned)model.heard);
    assert_true(model.received > 2000 && model.page > 300 && model.heard > 300);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_holds_do_not_know_of_each_other),
        cmocka_unit_test(a_wrong_frame_is_not_heard),
        cmocka_unit_test(an_ms_in_standby_is_paged_once),
        cmocka_unit_test(what_ends_a_page),
        cmocka_unit_test(holds_go_along_with_a_move),
        cmocka_unit_test(a_page_that_is_late_is_for_nobody),
        cmocka_unit_test(no_page_without_room),
        cmocka_unit_test(anything_in_any_order),
    };
    return cmocka_run_group_tests_name("path_hold", tests, path_start_eal, NULL);
}
