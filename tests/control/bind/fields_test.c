// Tables to described structs, by calls of `require "dp"`: what is right arrives as it is, and what
// is wrong is an error that names the field, what was found and what is allowed, whatever else is
// there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "dataplane/dataplane.h"
#include "tests/control/bind/script.h"

#define PROBE_FIELDS(MUST, MAY, T)                                \
    MUST(T, U16, port, 1, 0xffff, "a port")                       \
    MAY(T, BOOL, blocked, 0, 1, "or not")                         \
    MAY(T, U32, rate, 0, 1000, "a rate")                          \
    MUST(T, AQM_PARAMS, params, 0, AQM_PARAMS_MAX, "of some AQM") \
    MAY(T, OCTETS, pdu, 1, 4, "a PDU")
FIELD_STRUCT(probe, PROBE_FIELDS);
static const struct field probe_fields[] = FIELD_TABLE(probe, PROBE_FIELDS);

static struct probe got;

static int64_t take(void *target, const void *argument)
{
    (void)target;
    got = *(const struct probe *)argument;
    return 7;
}

static int64_t refuse(void *target, const void *argument)
{
    (void)target, (void)argument;
    return -ENOENT;
}

static const struct field_call calls[] = {
    {"take", "", probe_fields, sizeof probe_fields / sizeof probe_fields[0], sizeof got, take},
    {"refuse", "", NULL, 0, 0, refuse}};

// True if the script ran to its end.
static bool runs(const char *script)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "local probe = require 'probe'\n%s", script);
    assert_in_range(n, 1, sizeof text - 1);
    struct bind *lua = bind_create(true);
    bind_add_calls(lua, "probe", calls, 2, NULL);
    bool good = script_runs(lua, text);
    bind_destroy(lua);
    return good;
}

static void what_is_right_arrives(void **state)
{
    (void)state;
    memset(&got, 0xff, sizeof got);
    assert_true(runs("assert(probe.take { port = 5, params = {} } == 7)"));
    assert_int_equal(got.port, 5);
    assert_false(got.has_blocked || got.has_rate || got.has_pdu);
    assert_int_equal(got.rate, 0); // nothing of the call before it
    assert_int_equal(got.params.n, 0);
    assert_true(runs("probe.take { port = 65535, blocked = false, rate = 1000, params =\n"
                     "    { { unit = 2, value = 9 }, { unit = 0, value = (1 << 62) - 1 } } }"));
    assert_true(got.has_blocked && !got.blocked && got.has_rate);
    assert_int_equal(got.rate, 1000);
    assert_int_equal(got.params.n, 2);
    assert_int_equal(got.params.item[0].unit, 2);
    assert_int_equal(got.params.item[0].value, 9);
    assert_int_equal(got.params.item[1].value, (1ULL << 62) - 1);
    // A table's own keys count, and so do those that it has from another.
    assert_true(
        runs("probe.take(setmetatable({ rate = 1 }, { __index = { port = 3, params = {} } }))"));
    assert_int_equal(got.port, 3);
}

// Each with the words that its message has.
static void what_is_wrong_is_named(void **state)
{
    static const char *const wrong[][2] = {
        {"{ params = {} }", "take.port: missing; it is a port"},
        {"{ port = 1, params = {}, rat = 1 }",
         "take.rat: no such field; allowed: port, blocked, rate, params, pdu"},
        {"{ prot = 1, params = {} }", "take.prot: no such field"},
        {"{ port = 1, params = {}, [1] = 2 }", "take.[not a name]: no such field"},
        {"{ port = 0, params = {} }", "take.port: found 0, allowed 1 to 65535"},
        {"{ port = '5', params = {} }", "take.port: found the string \"5\""},
        {"{ port = 1, params = {}, blocked = 2 }", "take.blocked: found 2, allowed 0 to 1"},
        {"{ port = 1, params = 3 }", "take.params: found 3, allowed a list of 0 to 12"},
        {"{ port = 1, params = { { unit = 0, value = 1, x = 1 } } }",
         "take.params[1].x: no such field; allowed: unit, value"},
        {"{ port = 1, params = { { unit = 3, value = 1 } } }", "take.params[1].unit: found 3"},
        {"{ port = 1, params = { {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {} } }",
         "a list of 0 to 12"},
        {"{ port = 1, params = {}, pdu = '' }", "take.pdu: found string of 0 octets"},
        {"5", "take: found number, allowed a table of its fields"}};
    char script[600];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(script, sizeof script,
                 "local good, why = pcall(probe.take, %s)\n"
                 "if good or not why:find([==[%s]==], 1, true) then error(tostring(why)) end",
                 wrong[i][0], wrong[i][1]);
        if (!runs(script))
            fail_msg("%s", wrong[i][0]);
    }
    assert_true(runs("local good, why = pcall(probe.refuse)\n"
                     "assert(not good and why:find 'refuse: No such file')"));
}

// What the configuration fills, and a 0 that means something else beside its range.
#define KEYS_FIELDS(MUST, KEY, T)                                \
    MUST(T, U8, plain, 2, 9, "no key")                           \
    KEY(T, COUNT, most, "block.most", NULL, 2, 9, 4, "the most") \
    KEY(T, TIME, wait_ns, "block.wait", "for ever", 5, UINT32_MAX, 7, "how long it waits")
FIELD_KEYS_STRUCT(keys, KEYS_FIELDS);
static const struct field keys_fields[] = FIELD_KEYS_TABLE(keys, KEYS_FIELDS);
static struct keys got_keys;

static int64_t take_keys(void *target, const void *argument)
{
    (void)target;
    got_keys = *(const struct keys *)argument;
    return 0;
}

static const struct field_call keys_call = {"take", "", keys_fields, 3, sizeof got_keys, take_keys};

static bool runs_with_keys(const char *script)
{
    struct bind *lua = bind_create(true);
    bind_add_calls(lua, "probe", &keys_call, 1, NULL);
    bind_add_fields(lua, "keys", keys_fields, 3);
    bool good = script_runs(lua, script);
    bind_destroy(lua);
    return good;
}

static void a_key_is_described_once(void **state)
{
    (void)state;
    assert_true(runs_with_keys(
        "local keys = require 'keys'\n"
        "assert(#keys == 3 and keys[2] == keys.most and keys[3] == keys.wait_ns)\n"
        "assert(keys.plain.key == nil and keys.plain.least == 2 and keys.plain.most == 9)\n"
        "local most, wait = keys.most.key, keys.wait_ns.key\n"
        "assert(most.name == 'block.most' and most.type == 'integer' and most.zero == nil)\n"
        "assert(most.standard == 4 and keys.most.help == 'the most')\n"
        "assert(wait.name == 'block.wait' and wait.type == 'time' and wait.zero == 'for ever')\n"
        "assert(wait.standard == 7 and keys.wait_ns.least == 5)"));
}

static void a_0_is_taken_where_it_means_something(void **state)
{
    (void)state;
    assert_true(runs_with_keys("require 'probe'.take { plain = 2, most = 9, wait_ns = 0 }"));
    assert_int_equal(got_keys.most, 9);
    assert_int_equal(got_keys.wait_ns, 0);
    assert_true(runs_with_keys(
        "local function refused(keys, name)\n"
        "    local good, why = pcall(require 'probe'.take, keys)\n"
        "    assert(not good and why:find('take.' .. name .. ': found', 1, true), why)\n"
        "end\n"
        "refused({ plain = 2, most = 0, wait_ns = 5 }, 'most')\n"
        "refused({ plain = 0, most = 2, wait_ns = 5 }, 'plain')\n"
        "refused({ plain = 2, most = 2, wait_ns = 4 }, 'wait_ns')"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_arrives),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_key_is_described_once),
        cmocka_unit_test(a_0_is_taken_where_it_means_something),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
