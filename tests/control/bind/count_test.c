// `require "count"`: what Lua counts and sets is what others read, by the names of counts.def,
// gauges.def and of the PDUs; a name that there is not is a fault that says so and counts nothing.
#include "tests/control/bind/script.h"

#include "control/plane/counts.h"
#include "dataplane/wire/wire.h"

static struct counts of_script(const char *script)
{
    struct bind *lua = bind_create(true);
    assert_true(script_runs(lua, script));
    struct counts counts = *bind_counts(lua);
    bind_destroy(lua);
    return counts;
}

static uint64_t sum_of(const struct counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof *counts / sizeof sum; i++)
        sum += ((const uint64_t *)counts)[i];
    return sum;
}

static void names_and_amounts(void **state)
{
    (void)state;
    struct counts counts = of_script("local count = require 'count'\n"
                                     "count.add('handled') count.add('retries', 41)\n"
                                     "count.add('handled', 0) count.add('handled', 2)\n");
    assert_int_equal(counts.count[COUNT_handled], 3);
    assert_int_equal(counts.count[COUNT_retries], 41);
    assert_int_equal(sum_of(&counts), 44);
}

static void gauges_go_up_and_down(void **state)
{
    (void)state;
    struct counts counts = of_script("local count = require 'count'\n"
                                     "count.set('attached', 7) count.set('contexts', 2)\n"
                                     "count.set('attached', 3)\n");
    assert_int_equal(counts.gauge[GAUGE_attached], 3);
    assert_int_equal(counts.gauge[GAUGE_contexts], 2);
    assert_int_equal(sum_of(&counts), 5);
}

static void every_pdu_has_its_place(void **state)
{
    (void)state;
    struct counts counts = of_script("local count, wire = require 'count', require 'wire'\n"
                                     "for i, name in ipairs(wire.names) do\n"
                                     "    for _ = 1, i do count.pdu_in(name) end\n"
                                     "end\n"
                                     "count.pdu_out('bssgp_flow_control_ms_ack')\n");
    assert_int_equal(wire_pdu_count, COUNTS_PDUS);
    for (uint32_t i = 0; i < COUNTS_PDUS; i++)
        assert_int_equal(counts.pdu_in[i], i + 1);
    assert_int_equal(counts.pdu_out[COUNTS_PDU_bssgp_flow_control_ms_ack], 1);
    assert_string_equal(wire_pdus[COUNTS_PDU_bssgp_flow_control_ms_ack].name,
                        "bssgp_flow_control_ms_ack");
}

static void what_is_wrong_counts_nothing(void **state)
{
    (void)state;
    struct counts counts =
        of_script("local count = require 'count'\n"
                  "local good, why = pcall(count.add, 'nonesuch')\n"
                  "assert(not good and why:find('nonesuch') and why:find('counts.def'), why)\n"
                  "assert(not pcall(count.add, 'handled', -1))\n"
                  "assert(not pcall(count.add, 'handled', 'x'))\n"
                  "assert(not pcall(count.add))\n"
                  "assert(not pcall(count.add, 'attached'))\n"
                  "assert(not pcall(count.set, 'handled', 1))\n"
                  "assert(not pcall(count.set, 'attached'))\n"
                  "assert(not pcall(count.set, 'attached', -1))\n"
                  "assert(not pcall(count.pdu_in, 'handled'))\n"
                  "assert(not pcall(count.pdu_out, {}))\n");
    assert_int_equal(sum_of(&counts), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_amounts),
        cmocka_unit_test(gauges_go_up_and_down),
        cmocka_unit_test(every_pdu_has_its_place),
        cmocka_unit_test(what_is_wrong_counts_nothing),
    };
    return cmocka_run_group_tests_name("control/bind/count", tests, NULL, NULL);
}
