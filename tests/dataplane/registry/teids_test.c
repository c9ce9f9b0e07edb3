// TEIDs as control gives them.
#include <string.h>

#include "tests/dataplane/down/thread.h"

// Each owner of a place has a TEID of its own.
static void places_are_given_again_under_other_teids(void **state)
{
    uint32_t teids[64];
    (void)state;
    thread_open(16, 16);
    thread_add_ms(0, 500);
    for (int i = 0; i < 64; i++) {
        teids[i] = t.pdp[0].teid;
        for (int j = 0; j < i; j++)
            assert_true(teids[i] != teids[j]);
        thread_do(&(struct command){.op = COMMAND_pdp_remove, .pdp_remove = {0}});
        thread_add_pdp(0, 0, 0, 5, 3);
    }
    thread_close();
}

static void teids_of_a_run(uint64_t seed, uint32_t teids[PDPS])
{
    struct dp_config c = thread_config(16, 16);
    c.teid_seed = seed;
    thread_open_config(&c);
    for (uint32_t i = 0; i < PDPS && i < MSS; i++) {
        thread_add_ms(i, 500);
        teids[i] = t.pdp[i].teid;
    }
    thread_close();
}

// A seed gives the same ones again, for who wants a run again; without one nobody knows them, and
// no two follow each other.
static void teids_are_not_foreseen(void **state)
{
    uint32_t first[PDPS] = {0}, again[PDPS] = {0}, other[PDPS] = {0};
    uint32_t n = PDPS < MSS ? PDPS : MSS, same = 0;
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
    return cmocka_run_group_tests_name("teids", tests, thread_start_eal, NULL);
}
