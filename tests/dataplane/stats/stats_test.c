// Counters and drops are described as they stand in the structs, and the balance adds up every one.
#include "dataplane/stats/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_every_counter_is_described(void **state)
{
    (void)state;
    assert_true(stats_counter_count > 0);
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        assert_true(strlen(stats_counters[i].name) > 0);
        assert_true(strlen(stats_counters[i].unit) > 0);
        assert_true(strlen(stats_counters[i].help) > 0);
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(stats_counters[i].name, stats_counters[j].name);
    }
}

static void test_every_drop_is_described(void **state)
{
    (void)state;
    assert_true(DROP_COUNT > 0);
    for (int i = 0; i < DROP_COUNT; i++) {
        assert_true(strlen(drop_names[i]) > 0);
        assert_true(strlen(drop_helps[i]) > 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(drop_names[i], drop_names[j]);
    }
    assert_string_equal(drop_names[DROP_gn_fragment], "gn_fragment");
    assert_int_equal(DROP_NONE, DROP_COUNT);
}

static const struct stats_counter *counter_named(const char *name)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (strcmp(stats_counters[i].name, name) == 0)
            return &stats_counters[i];
    fail_msg("no counter is called %s", name);
    return NULL;
}

static void expect_counter(const char *name, enum stats_scope scope, size_t offset)
{
    assert_int_equal(counter_named(name)->scope, scope);
    assert_int_equal(counter_named(name)->offset, offset);
}

static void test_counters_stand_where_described(void **state)
{
    (void)state;
    expect_counter("gn_rx_packets", STATS_SCOPE_WORKER,
                   offsetof(struct stats_worker, gn_rx_packets));
    expect_counter("gb_tx_octets", STATS_SCOPE_WORKER, offsetof(struct stats_worker, gb_tx_octets));
    expect_counter("commands", STATS_SCOPE_WORKER, offsetof(struct stats_worker, commands));
    expect_counter("in_packets", STATS_SCOPE_CLASS, offsetof(struct stats_class, in_packets));
    expect_counter("out_octets", STATS_SCOPE_CLASS, offsetof(struct stats_class, out_octets));
}

// Between them the descriptors cover each of the 64-bit counters before the drops and the classes.
static void test_no_counter_is_left_out(void **state)
{
    uint32_t of_worker = 0, of_class = 0;
    (void)state;
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        of_worker += stats_counters[i].scope == STATS_SCOPE_WORKER;
        of_class += stats_counters[i].scope == STATS_SCOPE_CLASS;
        assert_int_equal(stats_counters[i].offset % 8, 0);
    }
    assert_int_equal(8 * of_worker, offsetof(struct stats_worker, of_class));
    assert_int_equal(8 * of_class, offsetof(struct stats_class, drop));
}

static void test_balance_of_nothing(void **state)
{
    static const struct stats_worker none;
    static const struct stats_balance zero;
    struct stats_balance b = stats_balance(&none);
    (void)state;
    assert_memory_equal(&b, &zero, sizeof b);
}

// Every out counter is a power of two of its own and no two drops are alike, so that a sum shows
// what it holds. Packets of no class stand at CLASS_COUNT: frames that became no N-PDU, so all of
// them drops.
static void test_balance_adds_up_everything(void **state)
{
    static struct stats_worker stats = {.gn_rx_packets = 1000,
                                        .gn_rx_octets = 500000,
                                        .gn_header_octets = 36000,
                                        .gb_tx_packets = 77777, // no part of the balance
                                        .gb_tx_octets = 7777777};
    struct stats_balance expected = {.packets = {.in = 1000},
                                     .octets = {.in = 500000, .headers = 36000}};
    (void)state;
    for (uint64_t c = 0; c <= CLASS_COUNT; c++) {
        struct stats_class *of_class = &stats.of_class[c];
        bool frames = c == CLASS_COUNT;
        struct stats_drop *dropped = frames ? &expected.dropped_frames : &expected.dropped_npdus;
        for (uint64_t r = 0; r < DROP_COUNT; r++) {
            dropped->packets += of_class->drop[r].packets = 1 + 100 * c + r;
            dropped->octets += of_class->drop[r].octets = 1000000 + 10000 * c + r;
        }
        if (frames)
            break;
        expected.packets.out += of_class->out_packets = 1ULL << c;
        expected.octets.out += of_class->out_octets = 1ULL << (c + 20);
        expected.npdu_packets += of_class->in_packets = 1ULL << (c + 40);
        expected.npdu_octets += of_class->in_octets = 1ULL << (c + 50);
    }
    expected.packets.dropped = expected.dropped_frames.packets + expected.dropped_npdus.packets;
    expected.octets.dropped = expected.dropped_frames.octets + expected.dropped_npdus.octets;
    struct stats_balance b = stats_balance(&stats);
    assert_memory_equal(&b, &expected, sizeof b);
    assert_true(b.packets.out == 0x7f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_counter_is_described),
        cmocka_unit_test(test_every_drop_is_described),
        cmocka_unit_test(test_counters_stand_where_described),
        cmocka_unit_test(test_no_counter_is_left_out),
        cmocka_unit_test(test_balance_of_nothing),
        cmocka_unit_test(test_balance_adds_up_everything),
    };
    return cmocka_run_group_tests_name("stats/stats", tests, NULL, NULL);
}
