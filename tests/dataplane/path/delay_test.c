// A cell's delay from the commands' side: its bucket counts the LLEs that PDP contexts are on, at
// their N201-U of now, and goes on to do so at another worker.
#include "dataplane/base/units.h"
#include "tests/dataplane/path/path.h"

// 12 kbit/s and 0.3 s: 450 octets, and an LLC PDU.
#define IN_DELAY 450u

static void open_cells(void)
{
    struct dp_config c = path_config(2);
    c.cell_delay_ns = 300 * MS_IN_NS;
    path_open(&c);
    path_ggsn(0, false);
    for (uint32_t i = 0; i < 2; i++) {
        path_nse(i);
        path_nsvc(i, i, false, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
        path_bvc_flow(i, 12000, 30000);
    }
    path_ms(0, 0, 500);
    path_pfc(0, 0, CLASS_BACKGROUND);
    path_pdp(0, 0, 0, 5, 3, 0, -1);
}

// From an empty bucket: so many LLC PDUs of 506 octets go at once, and all in the end.
static void expect_at_once(uint32_t bvc, uint32_t pdus)
{
    uint64_t before = dp_bvc_traffic(p.dp, bvc).down_frames;
    for (uint32_t i = 0; i < 8; i++)
        path_down(0, 496);
    path_poll();
    assert_int_equal(dp_bvc_traffic(p.dp, bvc).down_frames - before, pdus);
    path_run_until(p.now_ns + 20 * S_IN_NS);
    path_expect_all();
}

static void contexts_say_which_lles_count(void **state)
{
    (void)state;
    open_cells();
    expect_at_once(0, (IN_DELAY + 506) / 506);
    path_ms_n201_u(0, 11, 1520); // nobody is there
    expect_at_once(0, (IN_DELAY + 506) / 506);
    path_pdp(1, 0, 0, 6, 11, 0, -1);
    expect_at_once(0, (IN_DELAY + 1526) / 506);
    path_ms_n201_u(0, 11, 200);
    expect_at_once(0, (IN_DELAY + 506) / 506);
    path_ms_n201_u(0, 11, 1520);
    path_pdp_remove(1);
    expect_at_once(0, (IN_DELAY + 506) / 506);
    path_ms_move(0, 1);
    expect_at_once(1, (IN_DELAY + 506) / 506);
    path_pdp(1, 0, 0, 6, 11, 0, -1);
    expect_at_once(1, (IN_DELAY + 1526) / 506);
    path_ms_move(0, 0);
    expect_at_once(0, (IN_DELAY + 1526) / 506);
    path_expect_conservation();
    path_close();
}

// 1 % of 30000 octets are 300. Values without a ratio end it.
static void a_cell_that_tells_its_ratio_has_room_for_two(void **state)
{
    (void)state;
    open_cells();
    expect_at_once(0, 1);
    DO(bvc_bucket, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 120,
       .bucket_octets = 30000, .has_full_percent = true);
    expect_at_once(0, (2 * 506 + 300) / 506);
    path_bvc_flow(0, 12000, 30000);
    expect_at_once(0, 1);
    path_expect_conservation();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_say_which_lles_count),
        cmocka_unit_test(a_cell_that_tells_its_ratio_has_room_for_two),
    };
    return cmocka_run_group_tests_name("path_delay", tests, path_start_eal, NULL);
}
