// The far end of a context set later, or anew (pdp_tunnel): its uplink goes there, and G-PDUs are
// taken from there alone; wherever its MS has gone, and whatever the GGSN's family is.
#include "tests/dataplane/path/path.h"

#include <errno.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/llc.h"

static void tunnel(uint32_t pdp, uint32_t ggsn)
{
    DO(pdp_tunnel, .pdp_id = pdp, .ggsn_id = ggsn, .ggsn_teid = 0x47000000 + pdp); // path_judge_up
    p.pdp[pdp].ggsn = ggsn;
}

// GGSN 0 of open_world, GGSN 1 of the other family, GGSN 2.
static void open_ggsns(uint32_t workers)
{
    open_world(workers, false);
    path_do(&(struct command){.op = COMMAND_gn_from});
    path_ggsn(1, true);
    path_ggsn(2, false);
}

static void a_context(uint32_t ms, uint32_t bvc, uint32_t ggsn)
{
    path_ms(ms, bvc, 500);
    path_pfc(ms, 0, CLASS_BACKGROUND);
    path_pdp(ms, ms, 0, 5, 3, ggsn, -1);
}

// Uplink comes out at its GGSN (the judge looks), downlink is taken from that GGSN, and from no
// other.
static void is_of(uint32_t pdp, uint32_t ggsn)
{
    static const uint8_t npdu[100] = {0x45};
    uint32_t up = p.pdp[pdp].up.received, down = p.pdp[pdp].down.received;
    path_up(pdp, 100);
    path_down(pdp, 100); // from p.pdp[pdp].ggsn
    path_poll();
    assert_int_equal(p.pdp[pdp].up.received, up + 1);
    assert_int_equal(p.pdp[pdp].down.received, down + 1);
    for (uint32_t other = 0; other < 3; other++) {
        uint64_t refused = path_dropped(DROP_gn_source).packets;
        struct ip_ends ends = path_ends_gn(other);
        struct ip_frame frame;
        if (other == ggsn)
            continue;
        path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, sizeof npdu);
        assert_true(path_give(STATS_GN, 0, &frame));
        path_poll();
        assert_int_equal(path_dropped(DROP_gn_source).packets, refused + 1);
    }
}

static void another_far_end(void **state)
{
    (void)state;
    open_ggsns(1);
    a_context(0, 0, 0);
    a_context(1, 1, 1);
    is_of(0, 0);
    for (uint32_t i = 1; i < 10; i++) {
        tunnel(0, i % 3);
        is_of(0, i % 3);
        is_of(1, 1); // nobody else's changes
    }
    path_close();
}

// As between Create Request and Response: every GGSN may send, and there is no uplink.
static void a_far_end_that_comes_later(void **state)
{
    (void)state;
    open_ggsns(1);
    a_context(0, 0, PATH_NONE);
    path_up(0, 100);
    path_poll();
    assert_int_equal(path_dropped(DROP_no_path).packets, 1);
    p.pdp[0].up = (struct path_way){0};
    p.pdp[0].ggsn = 0;
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.pdp[0].down.received, 1);
    tunnel(0, 2);
    is_of(0, 2);
    path_close();
}

// An error indication had ended the tunnel that was.
static void its_uplink_goes_on(void **state)
{
    (void)state;
    open_ggsns(1);
    a_context(0, 0, 0);
    DO(pdp_uplink, .pdp_id = 0, .ended = true);
    path_up(0, 100);
    path_poll();
    assert_int_equal(path_dropped(DROP_no_tunnel).packets, 1);
    p.pdp[0].up = (struct path_way){0};
    tunnel(0, 0);
    is_of(0, 0);
    DO(pdp_uplink, .pdp_id = 0, .ended = true);
    tunnel(0, 1);
    is_of(0, 1);
    path_close();
}

// At the worker where its MS is; and it stays with the context when the MS comes back.
static void where_its_ms_has_gone(void **state)
{
    (void)state;
    open_ggsns(2);
    a_context(0, 0, 0);
    path_ms_move(0, 2);
    tunnel(0, 1);
    is_of(0, 1);
    path_ms_move(0, 0);
    is_of(0, 1);
    tunnel(0, 2);
    path_ms_move(0, 2);
    is_of(0, 2);
    path_close();
}

static void what_is_refused(void **state)
{
    (void)state;
    open_ggsns(1);
    a_context(0, 0, 0);
    TRY(-ERANGE, pdp_tunnel, .pdp_id = PATH_PDPS + 1, .ggsn_id = 0);
    TRY(-ENOENT, pdp_tunnel, .pdp_id = 1, .ggsn_id = 0);
    TRY(-ERANGE, pdp_tunnel, .pdp_id = 0, .ggsn_id = PATH_GGSNS);
    TRY(-ENOENT, pdp_tunnel, .pdp_id = 0, .ggsn_id = 3);
    is_of(0, 0);
    tunnel(0, 1); // a GGSN that a context uses cannot go, one that it used can
    TRY(-EBUSY, ggsn_remove, 1);
    DO(ggsn_remove, 0);
    TRY(-ENOENT, pdp_tunnel, .pdp_id = 0, .ggsn_id = 0);
    path_ggsn(0, false);
    tunnel(0, 0);
    tunnel(0, 0); // twice
    DO(ggsn_remove, 1);
    path_pdp_remove(0);
    DO(ggsn_remove, 0);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_far_end),    cmocka_unit_test(a_far_end_that_comes_later),
        cmocka_unit_test(its_uplink_goes_on), cmocka_unit_test(where_its_ms_has_gone),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("path_tunnel", tests, path_start_eal, NULL);
}
