// The map against a plain array of the same keys, over random calls.
#include "lab/net/map.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define KEYS 500

static uint64_t key_of(uint32_t i)
{
    return (uint64_t)(i % 50) << 32 | i / 50; // as addresses and ports are: few bits differ
}

static void test_random_calls_agree_with_an_array(void **state)
{
    static char value[KEYS];
    void *held[KEYS] = {0};
    uint32_t entries = 0;
    struct map map = {0};
    struct rng rng;
    (void)state;
    rng_seed(&rng, 1, 0);
    for (uint32_t call = 0; call < 100000; call++) {
        uint32_t i = (uint32_t)rng_below(&rng, KEYS);
        // The number of entries goes up and down, so that the map is near empty and near full.
        if (rng_below(&rng, 20000) > call % 20000) {
            assert_int_equal(map_add(&map, key_of(i), &value[i]), held[i] ? -EEXIST : 0);
            entries += !held[i];
            held[i] = &value[i];
        } else {
            assert_ptr_equal(map_remove(&map, key_of(i)), held[i]);
            entries -= held[i] != NULL;
            held[i] = NULL;
        }
        assert_int_equal(map.entries, entries);
        if (call % 100 == 0)
            for (i = 0; i < KEYS; i++)
                assert_ptr_equal(map_find(&map, key_of(i)), held[i]);
    }
    map_release(&map);
    assert_null(map_find(&map, key_of(0)));
    assert_null(map_remove(&map, key_of(0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_calls_agree_with_an_array),
    };
    return cmocka_run_group_tests_name("lab/net/map", tests, NULL, NULL);
}
