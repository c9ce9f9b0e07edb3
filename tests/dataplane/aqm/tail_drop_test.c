// Tail drop: whatever it is asked, it passes.
#include "tests/dataplane/aqm/asked.h"

static void test_always_passes(void **state)
{
    struct asked a = asked_of("tail-drop");
    struct rng rng = {{1, 2, 3, 4}};
    uint32_t word = 0;
    struct aqm_view full = {.now_ns = 1,
                            .sojourn_ns = UINT64_MAX,
                            .pdu_octets = UINT32_MAX,
                            .queue_octets = UINT32_MAX,
                            .queue_pdus = UINT32_MAX,
                            .share_octets_per_s = 1,
                            .ect = true,
                            .rng = &rng,
                            .pdu_word = &word};
    (void)state;
    asked_ready(&a);
    assert_int_equal(a.aqm.ops->param_count, 0);
    assert_int_equal(asked_in(&a, &full), AQM_PASS);
    assert_int_equal(asked_out(&a, &full), AQM_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_always_passes)};
    return cmocka_run_group_tests_name("aqm/tail_drop", tests, NULL, NULL);
}
