// What the log says of rules by peer: one line when the device has refused some, with why, and one
// when it has them all again; nothing where Gb's frames do not come by peer.
#include "control/run/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/run/run.h"

#include <cmocka.h>

static bool by_peer;
static uint32_t made, refused;
bool __wrap_dp_rules(const struct dp *dp, uint32_t *m, uint32_t *r, const char **why);

bool __wrap_dp_rules(const struct dp *dp, uint32_t *m, uint32_t *r, const char **why)
{
    (void)dp;
    *m = made;
    *r = refused;
    *why = "no room for rules";
    return by_peer;
}

static struct run run;
static char *said;
static size_t said_octets;

static int begin(void **state)
{
    (void)state;
    memset(&run, 0, sizeof run);
    run.control.log = (struct log){.out = open_memstream(&said, &said_octets), .level = LOG_INFO};
    by_peer = true;
    made = refused = 0;
    return run.control.log.out ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    fclose(run.control.log.out);
    free(said);
    return 0;
}

// What one second says; NULL: nothing.
static const char *second(uint32_t made_now, uint32_t refused_now)
{
    made = made_now;
    refused = refused_now;
    fflush(run.control.log.out);
    size_t before = said_octets;
    rules_tell(&run, 1000000000);
    fflush(run.control.log.out);
    return said_octets > before ? said + before : NULL;
}

static void it_says_when_it_changes(void **state)
{
    (void)state;
    assert_null(second(4, 0));
    const char *line = second(128, 3);
    assert_non_null(line);
    assert_non_null(strstr(line, "gb: its device refused a rule for 3 of 131 NS-VCs (no room for "
                                 "rules): workers hand on their frames\n"));
    assert_null(second(128, 9));
    line = second(128, 0);
    assert_non_null(line);
    assert_non_null(strstr(line, "gb: its device has a rule for each NS-VC again\n"));
    assert_null(second(0, 0));
    assert_non_null(second(0, 1));
}

static void another_way_says_nothing(void **state)
{
    (void)state;
    by_peer = false;
    assert_null(second(4, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_says_when_it_changes, begin, end),
        cmocka_unit_test_setup_teardown(another_way_says_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
