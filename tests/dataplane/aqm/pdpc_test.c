// PDPC: between min and max one N-PDU is signalled and the next n pass; below min none is
// signalled, above max every one is dropped.
#include "tests/dataplane/aqm/congested.h"

static struct rng rng;
static uint32_t word;

static struct asked pdpc_of(uint64_t min, uint64_t max, enum aqm_level_unit unit, uint32_t accept)
{
    struct asked a = asked_of("pdpc");
    asked_param(&a, "min", AQM_LEVEL_OF(unit, min));
    asked_param(&a, "max", AQM_LEVEL_OF(unit, max));
    asked_param(&a, "accept", accept);
    return a;
}

static struct aqm_view view_of(uint32_t octets, uint32_t pdus)
{
    return (struct aqm_view){.now_ns = 100 * S_NS,
                             .pdu_octets = 500,
                             .queue_octets = octets,
                             .queue_pdus = pdus,
                             .share_octets_per_s = 2500,
                             .rng = &rng,
                             .pdu_word = &word};
}

static enum aqm_verdict in_at(struct asked *a, uint32_t octets)
{
    struct aqm_view view = view_of(octets, octets / 500);
    return asked_in(a, &view);
}

static void expect_passes(struct asked *a, uint32_t octets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(in_at(a, octets), AQM_PASS);
}

static void test_one_then_n(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 40; n++) {
        struct asked a = pdpc_of(1000, 5000, AQM_LEVEL_OCTETS, n);
        asked_ready(&a);
        for (int round = 0; round < 10; round++) {
            assert_int_equal(in_at(&a, 3000), AQM_DROP);
            expect_passes(&a, 3000, n);
        }
    }
}

static void test_edges(void **state)
{
    struct asked a = pdpc_of(1000, 5000, AQM_LEVEL_OCTETS, 20);
    (void)state;
    asked_ready(&a);
    expect_passes(&a, 999, 100);
    assert_int_equal(in_at(&a, 1000), AQM_DROP);
    expect_passes(&a, 5000, 20);
    assert_int_equal(in_at(&a, 5000), AQM_DROP);
    expect_passes(&a, 5000, 15);
    for (int i = 0; i < 100; i++)
        assert_int_equal(in_at(&a, 5001), AQM_DROP);
    expect_passes(&a, 5000, 20); // any discard begins the n anew
    assert_int_equal(in_at(&a, 5000), AQM_DROP);
}

// An N-PDU that passes below min counts among the n.
static void test_passes_below_min_count(void **state)
{
    struct asked a = pdpc_of(1000, 5000, AQM_LEVEL_OCTETS, 20);
    (void)state;
    asked_ready(&a);
    assert_int_equal(in_at(&a, 3000), AQM_DROP);
    expect_passes(&a, 0, 12);
    expect_passes(&a, 3000, 8);
    assert_int_equal(in_at(&a, 3000), AQM_DROP);
    expect_passes(&a, 0, 100);
    assert_int_equal(in_at(&a, 3000), AQM_DROP);
}

// 0.8 and 4 s at 2500 octets/s are 2000 and 10 000 octets; at twice the share twice that.
static void test_standard_values_in_time(void **state)
{
    struct asked a = asked_of("pdpc");
    (void)state;
    asked_ready(&a);
    expect_passes(&a, 1999, 100);
    assert_int_equal(in_at(&a, 2000), AQM_DROP);
    expect_passes(&a, 2000, 20);
    assert_int_equal(in_at(&a, 2000), AQM_DROP);
    assert_int_equal(in_at(&a, 10001), AQM_DROP);
    expect_passes(&a, 10000, 20);
    struct aqm_view view = view_of(3999, 8);
    view.share_octets_per_s = 5000;
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    view.queue_octets = 4000;
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
}

static void test_in_pdus(void **state)
{
    struct asked a = pdpc_of(10, 20, AQM_LEVEL_PDUS, 3);
    struct aqm_view view = view_of(UINT32_MAX, 9);
    (void)state;
    asked_ready(&a);
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    view.queue_pdus = 10;
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
    view.queue_pdus = 20;
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    view.queue_pdus = 21;
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
}

static void test_at_head(void **state)
{
    struct asked a = pdpc_of(800 * MS_NS, 4 * S_NS, AQM_LEVEL_TIME, 5);
    struct aqm_view view = view_of(UINT32_MAX, 100);
    (void)state;
    assert_null(asked_setup(&a));
    assert_int_equal(asked_out(&a, &view), AQM_PASS); // at enqueue, so dequeue says nothing
    asked_param(&a, "at_head", 1);
    asked_ready(&a);
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    view.sojourn_ns = 800 * MS_NS - 1;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
    view.sojourn_ns++;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
    view.sojourn_ns = 4 * S_NS;
    for (int i = 0; i < 5; i++)
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
    view.sojourn_ns++;
    assert_int_equal(asked_out(&a, &view), AQM_DROP);
}

// Between min and max it marks; above max the queue is full and it drops.
static void test_ecn(void **state)
{
    struct asked a = pdpc_of(1000, 5000, AQM_LEVEL_OCTETS, 2);
    struct aqm_view view = view_of(3000, 6);
    (void)state;
    asked_param(&a, "ecn", 1);
    asked_ready(&a);
    view.ect = true;
    assert_int_equal(asked_in(&a, &view), AQM_MARK);
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    view.ect = false;
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
    view.ect = true;
    view.queue_octets = 5001;
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
}

static void test_refused(void **state)
{
    struct asked a = pdpc_of(1000, 1000, AQM_LEVEL_OCTETS, 2);
    (void)state;
    assert_string_equal(asked_setup(&a), "min must be below max");
    asked_param(&a, "at_head", 1);
    assert_string_equal(asked_setup(&a), "at_head needs min and max in time");
    asked_param(&a, "max", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 2000));
    assert_string_equal(asked_setup(&a), "min and max must have the same unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "pdpc"),
        cmocka_unit_test(test_one_then_n),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_passes_below_min_count),
        cmocka_unit_test(test_standard_values_in_time),
        cmocka_unit_test(test_in_pdus),
        cmocka_unit_test(test_at_head),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("aqm/pdpc", tests, NULL, NULL);
}
