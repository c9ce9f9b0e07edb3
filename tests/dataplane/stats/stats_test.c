// Counters and drops are described as they stand in the structs, and the balance adds up every one.
#include "dataplane/stats/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/drop_scopes.h"

static void test_every_counter_is_described(void **state)
{
    (void)state;
    assert_true(stats_counter_count > 0);
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        assert_true(strlen(stats_counters[i].name) > 0);
        assert_true(strlen(stats_counters[i].unit) > 0);
        assert_true(strlen(stats_counters[i].help) > 0);
        for (uint32_t j = 0; j < i; j++)
            if (stats_counters[i].scope == stats_counters[j].scope)
                assert_string_not_equal(stats_counters[i].name, stats_counters[j].name);
    }
}

static void test_every_drop_is_described(void **state)
{
    (void)state;
    assert_true(DROP_COUNT > 0);
    for (int i = 0; i < DROP_COUNT; i++) {
        assert_true(strlen(stats_drop_names[i]) > 0);
        assert_true(strlen(stats_drop_helps[i]) > 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(stats_drop_names[i], stats_drop_names[j]);
    }
    assert_string_equal(stats_drop_names[DROP_fragment], "fragment");
    assert_int_equal(DROP_NONE, DROP_COUNT);
}

// By its scope, whatever is listed before or behind it, and in the order of the list.
static void test_a_cells_drops_are_those_of_its_npdus(void **state)
{
    (void)state;
    uint32_t place = 0;
    for (int i = 0; i < DROP_COUNT; i++)
        if (drop_may_be(i, "class") && i != DROP_shutdown) {
            assert_int_equal(stats_npdu_of[i], place);
            assert_string_equal(stats_npdu_names[place++], stats_drop_names[i]);
        } else {
            assert_int_equal(stats_npdu_of[i], STATS_NPDU_DROPS);
        }
    assert_int_equal(place, STATS_NPDU_DROPS);
    assert_true(stats_npdu_of[DROP_queue_full] < STATS_NPDU_DROPS);
    assert_true(stats_npdu_of[DROP_flushed] < STATS_NPDU_DROPS);
    assert_int_equal(stats_npdu_of[DROP_udp], STATS_NPDU_DROPS);
}

// A name may come again in another scope.
static const struct stats_counter *counter_named(enum stats_scope scope, const char *name)
{
    for (uint32_t i = 0; i < stats_counter_count; i++)
        if (stats_counters[i].scope == scope && strcmp(stats_counters[i].name, name) == 0)
            return &stats_counters[i];
    fail_msg("no counter is called %s", name);
    return NULL;
}

#define EXPECT_COUNTER(scope, tag, name) \
    assert_int_equal(counter_named(scope, #name)->offset, offsetof(struct tag, name))

static void test_counters_stand_where_described(void **state)
{
    (void)state;
    EXPECT_COUNTER(STATS_SCOPE_PORT, stats_port, rx_packets);
    EXPECT_COUNTER(STATS_SCOPE_PORT, stats_port, answers_unsent);
    EXPECT_COUNTER(STATS_SCOPE_WORKER, stats_worker, no_buffer);
    EXPECT_COUNTER(STATS_SCOPE_WORKER, stats_worker, commands);
    EXPECT_COUNTER(STATS_SCOPE_CLASS, stats_class, in_packets);
    EXPECT_COUNTER(STATS_SCOPE_CLASS, stats_class, out_octets);
    EXPECT_COUNTER(STATS_SCOPE_UP, stats_up, in_packets);
    EXPECT_COUNTER(STATS_SCOPE_UP, stats_up, moves);
}

// Between them the descriptors cover each of the 64-bit counters before what else a scope has.
static void test_no_counter_is_left_out(void **state)
{
    uint32_t of_scope[STATS_SCOPE_UP + 1] = {0};
    (void)state;
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        of_scope[stats_counters[i].scope]++;
        assert_int_equal(stats_counters[i].offset % 8, 0);
    }
    assert_int_equal(8 * of_scope[STATS_SCOPE_WORKER], offsetof(struct stats_worker, of_port));
    assert_int_equal(8 * of_scope[STATS_SCOPE_PORT], offsetof(struct stats_port, drop));
    assert_int_equal(8 * of_scope[STATS_SCOPE_NIC], sizeof(struct stats_nic));
    assert_int_equal(8 * of_scope[STATS_SCOPE_CLASS], offsetof(struct stats_class, drop));
    assert_int_equal(8 * of_scope[STATS_SCOPE_UP], offsetof(struct stats_up, drop));
}

static void test_sides_are_named(void **state)
{
    (void)state;
    assert_string_equal(stats_side_names[STATS_GN], "gn");
    assert_string_equal(stats_side_names[STATS_GB], "gb");
}

static void test_balance_of_nothing(void **state)
{
    static const struct stats_worker none;
    static const struct stats_balance zero;
    struct stats_balance down = stats_balance(&none), up = stats_balance_up(&none);
    (void)state;
    assert_memory_equal(&down, &zero, sizeof down);
    assert_memory_equal(&up, &zero, sizeof up);
}

// --- No two counters are alike, so that a sum shows what it holds --------------------------------

// Every 64-bit word gets a number of its own; so does every drop.
static struct stats_worker all_different(void)
{
    struct stats_worker stats;
    uint64_t *word = (uint64_t *)&stats;
    for (uint64_t i = 0; i < sizeof stats / sizeof *word; i++)
        word[i] = (i + 1) * (i + 1) * 1000003;
    return stats;
}

static struct stats_drop dropped(const struct stats_drop drop[DROP_COUNT])
{
    struct stats_drop sum = {0};
    for (int r = 0; r < DROP_COUNT; r++)
        sum = (struct stats_drop){sum.packets + drop[r].packets, sum.octets + drop[r].octets};
    return sum;
}

static struct stats_balance of_port(const struct stats_port *p)
{
    return (struct stats_balance){
        .packets = {.in = p->rx_packets + p->strays_in_packets,
                    .aside = p->host_packets + p->control_packets + p->joined_packets +
                             p->strays_out_packets},
        .octets = {.in = p->rx_octets + p->strays_in_octets,
                   .headers = p->header_octets,
                   .aside = p->host_octets + p->control_octets + p->strays_out_octets},
        .dropped_frames = dropped(p->drop)};
}

static void expect_balance(struct stats_balance got, struct stats_balance expected)
{
    expected.packets.dropped = expected.dropped_frames.packets + expected.dropped_inner.packets;
    expected.octets.dropped = expected.dropped_frames.octets + expected.dropped_inner.octets;
    assert_memory_equal(&got, &expected, sizeof got);
}

static void test_the_downlink_adds_up_gn_and_every_class(void **state)
{
    struct stats_worker stats = all_different();
    struct stats_balance expected = of_port(&stats.of_port[STATS_GN]);
    (void)state;
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct stats_class *class = &stats.of_class[c];
        struct stats_drop drops = dropped(class->drop);
        expected.inner_packets += class->in_packets;
        expected.inner_octets += class->in_octets;
        expected.packets.out += class->out_packets;
        expected.octets.out += class->out_octets;
        expected.moved.packets += class->moved_in_packets - class->moved_out_packets;
        expected.moved.octets += class->moved_in_octets - class->moved_out_octets;
        expected.dropped_inner.packets += drops.packets;
        expected.dropped_inner.octets += drops.octets;
    }
    expect_balance(stats_balance(&stats), expected);
}

static void test_the_uplink_adds_up_gb_and_segments(void **state)
{
    struct stats_worker stats = all_different();
    struct stats_balance expected = of_port(&stats.of_port[STATS_GB]);
    (void)state;
    expected.inner_packets = stats.up.in_packets;
    expected.inner_octets = stats.up.in_octets;
    expected.packets.out = stats.up.out_packets;
    expected.octets.out = stats.up.out_octets;
    expected.dropped_inner = dropped(stats.up.drop);
    expect_balance(stats_balance_up(&stats), expected);
}

// Each delay is in the first place whose bound is not below it.
static void a_delay_has_one_place(void **state)
{
    (void)state;
    const uint64_t ms = 1000000, s = 1000 * ms;
    const struct {
        uint64_t ns;
        uint32_t place;
    } cases[] = {{0, 0},         {1, 0},          {1048575, 0},      {1048576, 1},
                 {2 * ms, 1},    {2097151, 1},    {2097152, 2},      {1 * s, 10},
                 {10 * s, 14},   {68 * s, 16},    {68719476735, 16}, {68719476736, 17},
                 {1000 * s, 20}, {UINT64_MAX, 44}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stats_delays delays = {0};
        uint64_t shown[STATS_DELAYS];
        stats_delay_add(&delays, cases[i].ns);
        stats_delays_shown(&delays, shown);
        for (uint32_t k = 0; k < STATS_DELAY_PLACES; k++)
            assert_int_equal(delays.npdus[k], k == cases[i].place);
        for (uint32_t k = 0; k < STATS_DELAYS; k++)
            assert_int_equal(shown[k], k == (cases[i].place > 17 ? 17 : cases[i].place));
        assert_true(delays.sum_ns == cases[i].ns);
        if (cases[i].place < STATS_DELAYS - 1)
            assert_true(cases[i].ns <= stats_delay_bound_ns(cases[i].place));
        if (cases[i].place > 0)
            assert_true(cases[i].ns > stats_delay_bound_ns(cases[i].place - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_has_one_place),
        cmocka_unit_test(test_every_counter_is_described),
        cmocka_unit_test(test_every_drop_is_described),
        cmocka_unit_test(test_a_cells_drops_are_those_of_its_npdus),
        cmocka_unit_test(test_counters_stand_where_described),
        cmocka_unit_test(test_no_counter_is_left_out),
        cmocka_unit_test(test_sides_are_named),
        cmocka_unit_test(test_balance_of_nothing),
        cmocka_unit_test(test_the_downlink_adds_up_gn_and_every_class),
        cmocka_unit_test(test_the_uplink_adds_up_gb_and_segments),
    };
    return cmocka_run_group_tests_name("stats/stats", tests, NULL, NULL);
}
