// Places against a plain list: each is given once until it is given back, all of them are, the
// preferred one if it is free; and one given back rests until the others have had their turn.
#include "dataplane/registry/places.h"

#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/random.h"

#define MOST 1000u

static struct places places;
static bool taken[MOST];

static void test_any_sequence(void **state)
{
    static const uint32_t sizes[] = {1, 63, 64, 65, 200, MOST};
    (void)state;
    random_begin();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t n = sizes[i], left = n;
        assert_true(registry_places_setup(&places, n));
        memset(taken, 0, sizeof taken);
        for (uint32_t step = 0; step < 20000; step++) {
            uint32_t place = (uint32_t)random_next() % n;
            bool fills = step / 3000 % 2 == 0;
            assert_int_equal(places.left, left);
            if (taken[place] && !(fills && random_next() % 8)) {
                registry_places_give(&places, place);
                taken[place] = false;
                left++;
            } else if (left) {
                bool prefers = random_next() % 2;
                uint32_t got = registry_places_take(&places, prefers ? place : UINT32_MAX);
                assert_true(got < n && !taken[got]);
                assert_true(!prefers || taken[place] || got == place);
                taken[got] = true;
                left--;
            }
        }
        registry_places_release(&places);
    }
}

static void test_one_given_back_rests(void **state)
{
    (void)state;
    assert_true(registry_places_setup(&places, 100));
    assert_int_equal(registry_places_take(&places, UINT32_MAX), 0);
    for (uint32_t i = 1; i < 100; i++) {
        registry_places_give(&places, i - 1);
        assert_int_equal(registry_places_take(&places, UINT32_MAX), i);
    }
    assert_int_equal(registry_places_take(&places, UINT32_MAX), 0); // round
    registry_places_release(&places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_sequence),
        cmocka_unit_test(test_one_given_back_rests),
    };
    return cmocka_run_group_tests_name("places", tests, eal_fixture_setup, eal_fixture_teardown);
}
