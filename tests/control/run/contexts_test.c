// The PDP contexts with their TEIDs as control tells them, in Lua: which the file then has, how it
// is written in pieces, and when control is told that it is.
#include "control/run/contexts.h"

#include <errno.h>
#include <stdio.h>

#include "tests/control/bind/script.h"

static struct contexts contexts;

static int begin(void **state)
{
    (void)state;
    contexts = (struct contexts){.n = 0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    contexts_release(&contexts);
    return contexts.list == NULL && contexts.room == 0 ? 0 : -1;
}

// True if the script ran to its end.
static bool runs(const char *script)
{
    char text[2048];
    int n =
        snprintf(text, sizeof text,
                 "local contexts = require 'contexts'\n"
                 "local function put(pdp_id, teid, nsapi)\n"
                 "    contexts.context { pdp_id = pdp_id, imsi = '00101' .. pdp_id, "
                 "tlli = 0xc0000000 + pdp_id, nsapi = nsapi or 5, teid = teid, "
                 "address = 0x0a000001 }\n"
                 "end\n"
                 "local function fails(why, call, ...)\n"
                 "    local good, said = pcall(call, ...)\n"
                 "    if good or not said:find(why, 1, true) then error(tostring(said), 2) end\n"
                 "end\n%s",
                 script);
    assert_in_range(n, 1, sizeof text - 1);
    struct bind *lua = bind_create(true);
    bind_add_calls(lua, "contexts", contexts_calls, contexts_call_count, &contexts);
    bool good = script_runs(lua, text);
    bind_destroy(lua);
    return good;
}

// The file, and in how many pieces it was written.
static const char *file(int *pieces)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    contexts_begin(&contexts, out);
    for (*pieces = 1; !contexts_put(&contexts); ++*pieces)
        assert_in_range(*pieces, 1, 100);
    fclose(out);
    return text;
}

static void expect_file(const char *wanted, int in_pieces)
{
    int pieces;
    assert_string_equal(file(&pieces), wanted);
    assert_int_equal(pieces, in_pieces);
}

static void the_file_has_each_context_in_order(void **state)
{
    (void)state;
    expect_file("[]\n", 1);
    assert_true(runs("put(63, 0xffffffff, 15) put(200, 0xa)\n"
                     "put(62, 9) contexts.gone { pdp_id = 62 }"));
    assert_int_equal(contexts.n, 2);
    expect_file("[\n"
                "  {\n"
                "    \"imsi\": \"0010163\",\n"
                "    \"tlli\": 3221225535,\n"
                "    \"nsapi\": 15,\n"
                "    \"teid\": 4294967295,\n"
                "    \"teid_hex\": \"0xffffffff\",\n"
                "    \"address\": \"10.0.0.1\"\n"
                "  },\n"
                "  {\n"
                "    \"imsi\": \"00101200\",\n"
                "    \"tlli\": 3221225672,\n"
                "    \"nsapi\": 5,\n"
                "    \"teid\": 10,\n"
                "    \"teid_hex\": \"0x0000000a\",\n"
                "    \"address\": \"10.0.0.1\"\n"
                "  }\n"
                "]\n",
                4);
}

static void a_change_without_a_teid_keeps_it(void **state)
{
    (void)state;
    assert_true(runs("put(64, 7) put(64, nil, 9)"));
    assert_int_equal(contexts.n, 1);
    assert_int_equal(contexts.list[64].teid, 7);
    assert_int_equal(contexts.list[64].nsapi, 9);
    assert_true(runs("put(64, 8)"));
    assert_int_equal(contexts.n, 1);
    assert_int_equal(contexts.list[64].teid, 8);
    assert_true(runs("contexts.gone { pdp_id = 64 }"));
    assert_int_equal(contexts.n, 0);
}

static void what_there_is_not_cannot_change_or_go(void **state)
{
    (void)state;
    assert_true(runs("fails('No such file', put, 5, nil)\n"
                     "fails('No such file', contexts.gone, { pdp_id = 5 })\n"
                     "fails('No such file', contexts.gone, { pdp_id = 64 })\n"));
    assert_int_equal(contexts.changes, 0);
    assert_true(runs("put(5, 7) contexts.gone { pdp_id = 5 }\n"
                     "fails('No such file', contexts.gone, { pdp_id = 5 })\n"
                     "fails('No such file', put, 5, nil)\n"));
    assert_int_equal(contexts.n, 0);
    expect_file("[]\n", 1);
}

static const char is_not_written[] = "fails('Resource temporarily unavailable', contexts.written)";

static void control_is_told_when_the_file_has_all_changes(void **state)
{
    (void)state;
    assert_true(runs("contexts.written()")); // there was none
    assert_false(contexts.asked);
    assert_true(runs("put(5, 7) put(6, 8)"));
    assert_int_equal(contexts.changes, 2);
    assert_true(runs(is_not_written));
    assert_int_equal(contexts.asked, 2);
    contexts.begun = 2;
    contexts.writing = true;
    assert_true(runs(is_not_written));
    contexts.done = 1; // one that was begun before
    assert_true(runs(is_not_written));
    assert_true(runs("contexts.gone { pdp_id = 5 } contexts.gone { pdp_id = 6 }"));
    contexts.writing = false;
    contexts.done = 2;
    assert_true(runs("contexts.written()")); // what has changed since was not asked for
    assert_false(contexts.asked);
    assert_true(runs(is_not_written));
    assert_int_equal(contexts.asked, 4);
    contexts.begun = contexts.done = 4;
    contexts.fault = -ENOSPC;
    assert_true(runs("fails('No space left', contexts.written)"));
}

#define CONTEXTS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXTS_TEST(the_file_has_each_context_in_order),
        CONTEXTS_TEST(a_change_without_a_teid_keeps_it),
        CONTEXTS_TEST(what_there_is_not_cannot_change_or_go),
        CONTEXTS_TEST(control_is_told_when_the_file_has_all_changes),
    };
    return cmocka_run_group_tests_name("control/program/contexts", tests, NULL, NULL);
}
