// Tables to described structs, by calls of `require "dp"`: what is right arrives as it is, and what
// is wrong is an error that names the field, what was found and what is allowed, whatever else is
// there.
#include "tests/dataplane/down/thread.h"

#include <errno.h>
#include <stdio.h>

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
    struct host *host = host_create(true);
    host_add_calls(host, "probe", calls, 2, NULL);
    bool good = script_runs(host, text);
    host_destroy(host);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_arrives),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
