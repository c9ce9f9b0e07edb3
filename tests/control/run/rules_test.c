// What the log says of rules by peer: one line when the device has refused some, with why, and one
// when it has them all again; nothing where Gb's frames do not come by peer.
#include "control/run/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/control/run/said.h"

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

static int begin(void **state)
{
    (void)state;
    by_peer = true;
    made = refused = 0;
    return said_begin();
}

// What one second says; NULL: nothing.
static const char *second(uint32_t made_now, uint32_t refused_now)
{
    made = made_now;
    refused = refused_now;
    size_t before = said_so_far();
    rules_tell(&run, 1000000000);
    return said_since(before);
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
        cmocka_unit_test_setup_teardown(it_says_when_it_changes, begin, said_end),
        cmocka_unit_test_setup_teardown(another_way_says_nothing, begin, said_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
