// How many error indications (TS 29.281 7.3.1) go out at most, whatever comes for tunnels that are
// not there.
#include "tests/dataplane/down/gtpu_messages.h"

#include "dataplane/base/units.h"
#include "tests/dataplane/random.h"

// In a flood one goes every gap; after a silence what a second holds goes at once, and no more.
static void indications_are_few(void **state)
{
    uint32_t told = 0;
    (void)state;
    open_gn(10);
    for (uint32_t ms = 0; ms < 20000; ms += 20) {
        p.now_ns = ms * MS_IN_NS;
        told += told_of(2);
    }
    assert_int_equal(told, 20 * 10); // at 0, 100, ... 19900 ms
    p.now_ns += 60 * S_IN_NS;
    assert_in_range(told_of(500), 10, 11);
    p.now_ns += 99 * MS_IN_NS;
    assert_int_equal(told_of(100), 0);
    p.now_ns += MS_IN_NS;
    assert_int_equal(told_of(100), 1);
    path_close();
}

// At whatever instants they come: over any time at most its gaps, one, and what a second holds.
static void indications_over_any_time_are_few(void **state)
{
    static uint64_t at_ns[100000];
    uint32_t told = 0;
    (void)state;
    random_begin();
    open_gn(50);
    for (int i = 0; i < 20000; i++) {
        uint64_t kind = random_next() % 100;
        p.now_ns += kind == 0 ? random_in(0, 3 * S_IN_NS) : random_in(0, 5 * MS_IN_NS);
        for (uint32_t n = told_of((uint32_t)random_in(1, 5)); n > 0; n--)
            at_ns[told++] = p.now_ns;
    }
    assert_in_range(told, 1000, 100000);
    for (uint32_t i = 0; i < told; i += 7)
        for (uint32_t j = i; j < told; j++)
            if (j - i + 1 > (at_ns[j] - at_ns[i]) * 50 / S_IN_NS + 51)
                fail_msg("%u in %lu ns", j - i + 1, (unsigned long)(at_ns[j] - at_ns[i]));
    path_close();
}

static void none_are_sent_if_none_may_be(void **state)
{
    (void)state;
    open_gn(0);
    assert_int_equal(told_of(100), 0);
    p.now_ns = 100 * S_IN_NS;
    assert_int_equal(told_of(100), 0);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 200);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indications_are_few),
        cmocka_unit_test(indications_over_any_time_are_few),
        cmocka_unit_test(none_are_sent_if_none_may_be),
    };
    return cmocka_run_group_tests_name("down/gtpu_rate", tests, path_start_eal, NULL);
}
