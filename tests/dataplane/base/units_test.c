// How long a line takes, by hand and against wider arithmetic.
#include "dataplane/base/units.h"

#include "tests/dataplane/random.h"

static void test_line_time_by_hand(void **state)
{
    (void)state;
    assert_true(units_line_time_ns(0, 1) == 0);
    assert_true(units_line_time_ns(1, 8) == 1000000000);
    assert_true(units_line_time_ns(1500, 64000) == 187500000);
    assert_true(units_line_time_ns(1500, 8000000000) == 1500);
}

// 8 bits at 3 bit/s take 2 666 666 666.67 ns; at 100 Gbit/s 0.08 ns.
static void test_line_time_is_rounded_up(void **state)
{
    (void)state;
    assert_true(units_line_time_ns(1, 3) == 2666666667);
    assert_true(units_line_time_ns(1, 100000000000) == 1);
    assert_true(units_line_time_ns(1, INT64_MAX) == 1);
}

// All that the configuration may ask for: frames of an MTU of 9000, rates up to INT64_MAX.
static void test_line_time_of_any_frame(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 100000; i++) {
        uint32_t octets = (uint32_t)random_in(0, 65535);
        uint64_t rate = random_in(1, (uint64_t)INT64_MAX >> random_next() % 63);
        unsigned __int128 bits_ns = (unsigned __int128)octets * 8 * 1000000000;
        unsigned __int128 took_ns = units_line_time_ns(octets, rate);
        assert_true(took_ns * rate >= bits_ns);
        assert_true(took_ns == 0 || (took_ns - 1) * rate < bits_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_time_by_hand),
        cmocka_unit_test(test_line_time_is_rounded_up),
        cmocka_unit_test(test_line_time_of_any_frame),
    };
    return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}
