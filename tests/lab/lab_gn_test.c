// What comes out of the GGSN's tunnels and belongs to none of them is a fault of the network, and
// goes nowhere.
#include "lab/lab_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dataplane/eal_fixture.h"

static struct lab lab;

static void a_packet_that_is_not_its_tunnels(void **state)
{
    static const uint8_t packet[28] = {0x45, [3] = 28, [12] = 10, [15] = 1};
    (void)state;
    lab.engine = engine_create();
    lab.config.gi.rate_bit_per_s = 1000000;
    lab_gn_setup(&lab);
    lab.ggsn.up(lab.ggsn.self, 153, (struct octets){packet, sizeof packet}, 0);
    lab.ggsn.up(lab.ggsn.self, 154, (struct octets){packet, 19}, 0);
    assert_int_equal(lab.faults.count, 2);
    assert_string_equal(lab.faults.first, "the GGSN: a G-PDU that is not its tunnel's, TEID 153");
    assert_int_equal(lab.gi_up.counters.in.packets, 0);
    engine_destroy(lab.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_packet_that_is_not_its_tunnels)};
    return cmocka_run_group_tests_name("lab/lab_gn", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
