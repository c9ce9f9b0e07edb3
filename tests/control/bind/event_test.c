// What workers tell reaches the Lua function sluice.setup.event, if there is one, as a table. The
// script plays the procedures.
#include "control/bind/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/dataplane.h"

static const char script[] =
    "local setup = require 'sluice.setup'\n"
    "if ... == 'take' then\n"
    "    seen = {}\n"
    "    function setup.event(e) seen[#seen + 1] = e end\n"
    "elseif ... == 'fail' then\n"
    "    function setup.event() error('a fault in a handler') end\n"
    "else\n"
    "    assert(#seen == 2)\n"
    "    local e = seen[1]\n"
    "    assert(e.kind == 'ns' and e.nse_id == 3 and e.nsvc_id == 4 and e.bvc_id == nil)\n"
    "    assert(e.source == '2001:db8::1' and e.udp_port == 23000 and e.pdu == '\\2\\0\\3')\n"
    "    assert(seen[2].kind == 'moved' and seen[2].bvc_id == 5 and seen[2].pdu == '')\n"
    "end\n";

static int run(struct host *host, char *word)
{
    char path[] = "/tmp/event_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script, sizeof script - 1), sizeof script - 1);
    close(fd);
    int status = host_script(host, path, 1, &word);
    unlink(path);
    return status;
}

static const uint8_t pdu[] = {2, 0, 3};
static const struct event ns = {.kind = EVENT_ns,
                                .udp_port = 23000,
                                .nse_id = 3,
                                .nsvc_id = 4,
                                .bvc_id = EVENT_NONE,
                                .ms_id = EVENT_NONE,
                                .source = {{0x20, 1, 0x0d, 0xb8, [15] = 1}},
                                .pdu = {pdu, sizeof pdu}};
static const struct event moved = {
    .kind = EVENT_moved, .nse_id = 3, .nsvc_id = EVENT_NONE, .bvc_id = 5, .ms_id = 6};

static void test_a_handler_has_it_as_a_table(void **state)
{
    (void)state;
    struct host *host = host_create(true);
    assert_int_equal(run(host, "take"), 0);
    host_event(host, &ns);
    host_event(host, &moved);
    assert_int_equal(run(host, "look"), 0);
    host_destroy(host);
}

// Many of them: whatever stays on Lua's stack would take more memory than there is.
static void test_without_a_handler_nothing_happens(void **state)
{
    (void)state;
    struct host *host = host_create(true);
    host_event(host, &ns);
    host_limit(host, 4 << 20);
    for (int i = 0; i < 300000; i++)
        host_event(host, &ns);
    assert_int_equal(run(host, "take"), 0);
    host_event(host, &ns);
    host_event(host, &moved);
    assert_int_equal(run(host, "look"), 0);
    host_destroy(host);
}

static void test_a_fault_in_a_handler_costs_that_event(void **state)
{
    (void)state;
    struct host *host = host_create(true);
    assert_int_equal(run(host, "fail"), 0);
    host_event(host, &ns);
    assert_int_equal(run(host, "take"), 0);
    host_event(host, &ns);
    host_event(host, &moved);
    assert_int_equal(run(host, "look"), 0);
    host_destroy(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_handler_has_it_as_a_table),
        cmocka_unit_test(test_without_a_handler_nothing_happens),
        cmocka_unit_test(test_a_fault_in_a_handler_costs_that_event),
    };
    return cmocka_run_group_tests_name("control/bind/event", tests, NULL, NULL);
}
