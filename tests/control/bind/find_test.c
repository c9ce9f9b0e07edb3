// `require "dp"` beside its calls: MSs and cells by what the wire says, by control's own picture.
#include "tests/control/bind/script.h"
#include "tests/dataplane/path/path.h"

static const char script[] =
    "local dp = require 'dp'\n"
    "local function same(found, wanted) if found ~= wanted then error(tostring(found), 2) end end\n"
    "dp.bvc { bvc_id = 1, nse_id = 0, bvci = 9 }\n"
    "local all_mss, all_pdps = dp.worker_left(0)\n"
    "same(all_mss, 2048) same(all_pdps, 2048)\n"
    "dp.ms { ms_id = 5, bvc_id = 1, tlli = 0xc0000001, n201_u = 500 }\n"
    "local mss, pdps = dp.worker_left(0)\n"
    "same(mss, 2047) same(pdps, 2048)\n"
    "local ms, cell = dp.ms_of(0, 0xc0000001)\n"
    "same(ms, 5) same(cell, 1)\n"
    "same(select('#', dp.ms_of(0, 0xc0000002)), 1)\n"
    "same(dp.ms_of(0, 0xc0000002), nil)\n"
    "same(dp.ms_of(7, 0xc0000001), nil)\n"
    "same(dp.bvc_of(0, 9), 1)\n"
    "same(dp.bvc_of(0, 10), nil)\n"
    "same(dp.bvc_of(0, 70000), nil)\n"
    "dp.ms_tlli { ms_id = 5, tlli = 0xc0000002 }\n"
    "same(dp.ms_of(0, 0xc0000001), 5) same(dp.ms_of(0, 0xc0000002), 5)\n"
    "local bvc, tlli = dp.ms_cell(5)\n"
    "same(bvc, 1) same(tlli, 0xc0000002)\n"
    "same(select('#', dp.ms_cell(6)), 1) same(dp.ms_cell(6), nil)\n"
    "for _, bad in ipairs { -1, 1 << 32, 1.5, 'x', false } do\n"
    "    same(pcall(dp.ms_of, bad, 1), false) same(pcall(dp.ms_of, 0, bad), false)\n"
    "    same(pcall(dp.bvc_of, bad, 1), false) same(pcall(dp.ms_cell, bad), false)\n"
    "    same(pcall(dp.ms_silence, bad), false) same(pcall(dp.ms_octets, bad), false)\n"
    "    same(pcall(dp.bvc_last_ms, bad), false) same(pcall(dp.bvc_waiting, bad), false)\n"
    "end\n"
    "same(math.type(dp.ms_silence(5)), 'integer') same(dp.ms_silence(6), nil)\n"
    "same(dp.bvc_last_ms(1), nil) same(dp.bvc_last_ms(2), nil)\n"
    "same(dp.bvc_waiting(1), 0) same(dp.bvc_waiting(2), 0)\n"
    "same(dp.ms_octets(5), 0) same(dp.ms_octets(6), 0)\n"
    "dp.ms_remove { ms_id = 5 }\n"
    "same(dp.ms_of(0, 0xc0000001), nil)\n"
    "same(dp.ms_cell(5), nil)\n";

static void by_name(void **state)
{
    (void)state;
    path_open_small(16, 16);
    struct bind *lua = bind_create(true);
    bind_add_calls(lua, "dp", dp_calls, dp_call_count, p.dp);
    bind_add_find(lua, p.dp);
    assert_true(script_runs(lua, script));
    bind_destroy(lua);
    path_poll();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_name)};
    return cmocka_run_group_tests_name("find", tests, path_start_eal, NULL);
}
