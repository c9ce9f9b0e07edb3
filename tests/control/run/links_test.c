// What the log says of frames that a port's device lost, which Sluice never saw: at once, then once
// a minute, and only of what is more than before.
#include "control/run/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/control/run/said.h"

#define SECOND_NS 1000000000ULL

// The device of Gn; that of Gb is rings.
static struct stats_nic nic;
const struct stats_nic *__wrap_dp_nic(const struct dp *dp, enum stats_side side,
                                      uint32_t *mbit_per_s);
const char *__wrap_dp_link_look(struct dp *dp, enum stats_side side);

const struct stats_nic *__wrap_dp_nic(const struct dp *dp, enum stats_side side,
                                      uint32_t *mbit_per_s)
{
    (void)dp;
    *mbit_per_s = 0;
    return side == STATS_GN ? &nic : NULL;
}

const char *__wrap_dp_link_look(struct dp *dp, enum stats_side side)
{
    (void)dp, (void)side;
    return "up";
}

static int begin(void **state)
{
    (void)state;
    nic = (struct stats_nic){0};
    return said_begin();
}

// What the log says at that second; NULL: nothing.
static const char *look(uint64_t second)
{
    size_t before = said_so_far();
    links_look(&run, second * SECOND_NS);
    return said_since(before);
}

static void lost(uint64_t second, const char *text)
{
    const char *line = look(second);
    assert_non_null(line);
    assert_non_null(strstr(line, " warn  gn: its device lost "));
    assert_non_null(strstr(line, text));
}

static void nothing_is_lost(void **state)
{
    (void)state;
    nic.rx_errors = 3; // of the wire
    nic.tx_errors = 2;
    assert_null(look(1));
    assert_null(look(100));
}

static void at_once_and_then_each_minute(void **state)
{
    (void)state;
    assert_null(look(5));
    nic.rx_missed = 7;
    lost(6, " lost 7 frames (rx_missed 7, rx_no_buffer 0): a worker was too slow, or gn.rx_frames");
    nic.rx_no_buffer = 10;
    assert_null(look(65));
    lost(66, " lost 10 frames more (rx_missed 7, rx_no_buffer 10)");
    assert_null(look(500)); // no more than before
    nic.rx_missed = 8;
    lost(501, " lost 1 frames more ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_lost, begin, said_end),
        cmocka_unit_test_setup_teardown(at_once_and_then_each_minute, begin, said_end),
    };
    return cmocka_run_group_tests_name("control/run/links", tests, NULL, NULL);
}
