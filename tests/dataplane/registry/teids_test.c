// TEIDs as control gives them.
#include <string.h>

#include "tests/dataplane/path/path.h"

// Each owner of a place has a TEID of its own.
static void places_are_given_again_under_other_teids(void **state)
{
    uint32_t teids[64];
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    for (int i = 0; i < 64; i++) {
        teids[i] = p.pdp[0].teid;
        for (int j = 0; j < i; j++)
            assert_true(teids[i] != teids[j]);
        path_pdp_remove(0);
        path_pdp(0, 0, 0, 5, 3, PATH_NONE, -1);
    }
    path_close();
}

static void teids_of_a_run(uint64_t seed, uint32_t teids[PATH_PDPS])
{
    struct dp_config c = path_small_config(16, 16);
    c.secret_seed = seed;
    path_open_small_config(&c);
    for (uint32_t i = 0; i < PATH_PDPS && i < PATH_MSS; i++) {
        path_plain_ms(i, 0, 500);
        teids[i] = p.pdp[i].teid;
    }
    path_close();
}

// A seed gives the same ones again, for who wants a run again; without one nobody knows them, and
// no two follow each other.
static void teids_are_not_foreseen(void **state)
{
    uint32_t first[PATH_PDPS] = {0}, again[PATH_PDPS] = {0}, other[PATH_PDPS] = {0};
    uint32_t n = PATH_PDPS < PATH_MSS ? PATH_PDPS : PATH_MSS, same = 0;
    (void)state;
    teids_of_a_run(5, first);
    teids_of_a_run(5, again);
    assert_memory_equal(first, again, sizeof first);
    teids_of_a_run(0, again);
    teids_of_a_run(0, other);
    for (uint32_t i = 0; i < n; i++)
        same += again[i] == other[i];
    assert_int_equal(same, 0);
    for (uint32_t i = 1; i < n; i++)
        assert_int_not_equal(again[i], again[i - 1] + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_given_again_under_other_teids),
        cmocka_unit_test(teids_are_not_foreseen),
    };
    return cmocka_run_group_tests_name("teids", tests, path_start_eal, NULL);
}
