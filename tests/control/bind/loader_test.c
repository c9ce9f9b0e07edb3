// loader.c: a file is loaded beside control, whichever of the two is quicker; lines of its records
// are asked for; a load that is given up, or whose control goes, ends by itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/bind/internal.h"
#include "control/plane/control.h"
#include "control/run/load.h"

static const char text[] =
    "run { name = \"loader\", clock = \"virtual\", duration = \"1 s\" }\n"
    "gn { address = \"192.0.2.1\", mac = \"02:00:00:00:00:01\" }\n"
    "gb { address = \"198.51.100.1\", mac = \"02:00:00:00:00:02\" }\n"
    "local cells = { nsei = 101, nsvc { nsvci = 1, peer = \"198.51.100.2\", peer_mac = "
    "\"02:00:00:00:00:03\" } }\n"
    "for i = 1, 200 do cells[i + 1] = bvc { bvci = i + 1, ms { imsi = \"00101000\" .. 1000000 + i, "
    "pdp { nsapi = 5, class = \"background\", address = \"10.0.0.\" .. i } } } end\n"
    "nse(cells)\n"
    "lab { ggsn = \"192.0.2.2\", ggsn_mac = \"02:00:00:00:00:04\" }\n";

static char path[] = "/tmp/loader_test.XXXXXX";
static struct control control;

static void write_text(const char *what)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(what, out);
    assert_int_equal(fclose(out), 0);
}

static void begin(bool real_time)
{
    struct bind *lua = bind_create(false);
    assert_non_null(lua);
    control = (struct control){.lua = lua, .log.dated = real_time};
    bind_add_loop(lua, &control);
    write_text(text);
    assert_true(bind_config(lua, path, &(struct bind_changes){0}, load_add_fields, stderr));
}

static void end(void)
{
    bind_destroy(control.lua);
}

// With the function answer(most), which waits and counts the pieces.
static void run(const char *script)
{
    static const char before[] = "local program = require 'program'\n"
                                 "local function answer(most)\n"
                                 "    local pieces, all, value = 0, nil, nil\n"
                                 "    repeat\n"
                                 "        all, value = program.load_answer(most)\n"
                                 "        pieces = pieces + (all == nil and 0 or 1)\n"
                                 "    until all\n"
                                 "    return value, pieces\n"
                                 "end\n";
    char whole[4096];
    lua_State *L = control.lua->L;
    snprintf(whole, sizeof whole, "%s%s", before, script);
    if (luaL_dostring(L, whole) != LUA_OK)
        fail_msg("%s", lua_tostring(L, -1));
}

static const char load_and_ask[] =
    "program.load()\n"
    "local good, why = pcall(program.load)\n"
    "assert(not good and why:find('a load is under way'), why)\n"
    "local loaded, pieces = answer(100)\n"
    "assert(pieces > 10 and #loaded.texts == 0, pieces)\n"
    "local nse = loaded.cfg.nse[1]\n"
    "assert(loaded.cfg.run.name == 'loader' and #nse.bvc == 200)\n"
    "for i, bvc in ipairs(nse.bvc) do\n"
    "    assert(bvc.bvci == i + 1 and bvc.ms[1].imsi == '00101000' .. 1000000 + i)\n"
    "end\n"
    "program.load_ask { { nse.bvc[7].record_number, 'bvci', 'is odd' }, more = 0 }\n"
    "local texts = answer(1)\n"
    "assert(texts[1]:find(':5: nse[1].bvc[7].bvci: is odd', 1, true), texts[1])\n"
    "assert(#texts == 1)\n"
    "program.load_ask { { loaded.cfg.gn.record_number, 'address', 'is wrong' }, more = 0 }\n"
    "assert(answer(1000)[1]:find(':2: gn.address: is wrong', 1, true))\n"
    "program.load_end()\n"
    "assert(not pcall(program.load_answer, 1))\n";

static void a_file_is_loaded_and_its_lines_are_known(void **state)
{
    (void)state;
    for (int real_time = 0; real_time < 2; real_time++) {
        begin(real_time);
        run(load_and_ask);
        run(load_and_ask);
        end();
    }
}

static void a_load_may_be_given_up_at_any_time(void **state)
{
    (void)state;
    begin(true);
    for (int i = 0; i < 5; i++)
        run("program.load() program.load_end()\n"
            "program.load() program.load_answer(10) program.load_end()\n");
    run(load_and_ask);
    run("program.load()");
    end();
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    begin(true);
    write_text("run { nam = 1 }");
    run("program.load()\n"
        "local loaded = answer(10)\n"
        "assert(not loaded.cfg and loaded.texts[1]:find('run.nam: unknown key', 1, true))\n"
        "program.load_end()\n");
    unlink(path);
    run("program.load()\n"
        "local loaded = answer(10)\n"
        "assert(not loaded.cfg and loaded.texts[1]:find('cannot be read: No such file'))\n"
        "program.load_end()\n");
    end();
}

static void control_takes_no_more_than_it_has_room_for(void **state)
{
    (void)state;
    begin(true);
    struct bind *lua = control.lua;
    run("collectgarbage()"); // which would make room later
    bind_limit(lua, lua->used + (64 << 10));
    run("program.load()\n"
        "local good, why = pcall(answer, 10)\n"
        "assert(not good and why:find('1 MiB more of memory needed than control has left'), why)\n"
        "program.load_end()\n");
    bind_limit(lua, SIZE_MAX);
    run(load_and_ask);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_loaded_and_its_lines_are_known),
        cmocka_unit_test(a_load_may_be_given_up_at_any_time),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(control_takes_no_more_than_it_has_room_for),
    };
    close(mkstemp(path));
    int failed = cmocka_run_group_tests_name("control/bind/loader", tests, NULL, NULL);
    unlink(path);
    return failed;
}
