// Flow control values on the wire: rules of Bmax and of the defaults, units, granularity, ratio,
// measured R and delay, FLOW-CONTROL-MS and -PFC, repetition, channels that are taken away.
#include "tests/lab/bss/peer.h"

#define CBL_ACK     BVCI_0 "23 04 82 0000 3b 81 02"
#define GIGABIT_ACK BVCI_0 "23 04 82 0000 3b 81 00 69 81 02"

// The FLOW-CONTROL-BVC that follows a bring-up.
static void first_values(const char *features_ack, const char *hex)
{
    make(1, 1);
    bss_start(w.bss, now());
    in("03 01 82 0007 04 82 0065");
    in("0b");
    in("07");
    in(features_ack ? features_ack : BVCI_0 "23 04 82 0000");
    forget_sent();
    in(BVCI_0 "23 04 82 0002");
    out(hex);
    none();
    no_fault();
}

static void test_bmax_by_time_and_defaults_of_their_own(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.r_bit_per_s = 12050;   // 120 units
    w.cell_config.bmax_ns = 4 * S;       // 6025 octets: 60 units
    w.cell_config.ms_r_bit_per_s = 9999; // 99 units
    w.cell_config.ms_bmax_ns = S;        // 1249 octets: 12 units
    first_values(NULL, BVCI_2 "26 1e8101 0582003c 03820078 0182000c 1c820063");
}

static void test_r_of_a_cell_without_a_radio(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.r_bit_per_s = 0;
    w.cell_config.rate_bit_per_s = 20000;
    first_values(NULL, BVCI_2 "26 1e8101 058200fa 038200c8 018200fa 1c8200c8");
    end_world(NULL);
    configure(BSS_NS_RESET);
    w.cell_config.r_bit_per_s = 0;
    first_values(NULL, BVCI_2 "26 1e8101 05820258 038201e0 01820258 1c8201e0");
}

static void test_fixed_bmax_and_the_least_of_one_unit(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.bmax_octets = 1599;
    w.cell_config.ms_bmax_octets = 100;
    w.cell_config.ms_r_bit_per_s = 100;
    w.cell_config.flow_measurement = true;
    first_values(NULL, BVCI_2 "26 1e8101 0582000f 038201e0 01820001 1c820001 06820000");
}

static void test_values_stop_at_65535_units_without_gigabit(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.r_bit_per_s = 10000000;
    w.cell_config.ms_r_bit_per_s = 1000;
    first_values(NULL, BVCI_2 "26 1e8101 0582ffff 0382ffff 0182000c 1c82000a");
}

static void test_granularity_is_the_least_that_says_all_values(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.gigabit = true;
    w.cell_config.r_bit_per_s = 10000000; // 12500000 octets in 10 s: 12500 of 1000
    w.cell_config.ms_r_bit_per_s = 1500;  // one unit of 1000; its Bmax of 1875 octets: one unit
    first_values(GIGABIT_ACK, BVCI_2 "26 1e8101 058230d4 03822710 01820001 1c820001 7e8101");
}

static void test_granularity_is_left_out_where_100_will_do(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.gigabit = true;
    first_values(GIGABIT_ACK, BVCI_2 "26 1e8101 05820258 038201e0 01820258 1c8201e0");
}

static void test_the_ratio_is_what_the_cell_holds(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.cbl = true;
    w.cell_config.bmax_octets = 1000;
    w.cell_config.rate_bit_per_s = 80; // 100 octets in 10 s
    make(1, 1);
    bring_up(CBL_ACK);
    enter(w.cell, TLLI);
    DOWN(.octets = 105);
    DOWN(.octets = 100);
    run(S);
    out(BVCI_2 "26 1e8102 0582000a 038201e0 01820258 1c8201e0 3c8114"); // 205 of 1000: 20 %
    for (int i = 0; i < 30; i++)
        DOWN(.octets = 100);
    run(S);
    out(BVCI_2 "26 1e8103 0582000a 038201e0 01820258 1c8201e0 3c81ff"); // 320 %: 255 at most
}

static void test_an_unacknowledged_one_is_repeated_with_a_new_tag(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.flow_repeat = false;
    w.cell_config.flow_interval_ns = 3 * S;
    make(1, 1);
    bring_up(NULL);
    run(7 * S);
    none(); // acknowledged, nothing new
    bss_cell_reset(w.bss, w.cell, now());
    out_any();
    in(BVCI_0 "23 04 82 0002");
    out(BVCI_2 "26 1e8102 05820258 038201e0 01820258 1c8201e0");
    in(BVCI_2 "27 1e 81 01"); // of the first: late
    run(6 * S);
    out_at(10 * S, BVCI_2 "26 1e8103 05820258 038201e0 01820258 1c8201e0");
    out_at(13 * S, BVCI_2 "26 1e8104 05820258 038201e0 01820258 1c8201e0");
    in(BVCI_2 "27 1e 81 04");
    run(6 * S);
    none();
    assert_int_equal(bss_counters(w.bss)->late, 1);
}

// Up, with a measured R that begins at 1000 octets a second.
static void begin_measured(void)
{
    configure(BSS_NS_RESET);
    w.cell_config.flow_measured = true;
    w.cell_config.bmax_octets = 5000;
    w.cell_config.ms_bmax_octets = 5000;
    w.cell_config.rate_bit_per_s = 8000; // 1000 octets/s
    make(1, 1);
    bring_up(NULL);
}

static void test_measured_r_is_what_went_while_something_waited(void **state)
{
    (void)state;
    begin_measured();
    enter(w.cell, TLLI);
    run(S);
    out(BVCI_2 "26 1e8102 05820032 038201e0 01820032 1c8201e0"); // nothing to measure yet
    run(100 * MS);
    DOWN(.octets = 300); // 300 ms
    run(900 * MS);
    out(BVCI_2 "26 1e8103 05820032 03820050 01820032 1c820050"); // 8000 bit/s
    run(S);
    out(BVCI_2 "26 1e8104 05820032 03820050 01820032 1c820050"); // idle: as before
    DOWN(.octets = 1500);
    run(S);
    out(BVCI_2 "26 1e8105 05820032 03820001 01820032 1c820001"); // none arrived: not 0
}

// What waits while calls have the channel says nothing of what the radio carries.
static void measured_r_around_a_call(bool of_cell)
{
    begin_measured();
    struct bss_ms *ms = enter(w.cell, TLLI);
    DOWN(.octets = 300);
    run(300 * MS);
    DOWN(.octets = 600); // lost on the air
    DOWN(.octets = 200); // waits
    run(200 * MS);
    bss_channel(w.bss, w.cell, of_cell ? NULL : ms, false, now());
    run(500 * MS);
    out(BVCI_2 "26 1e8102 05820032 03820030 01820032 1c820030"); // 300 octets in 500 ms
    run(S);
    out(BVCI_2 "26 1e8103 05820032 03820030 01820032 1c820030"); // nothing to measure
    run(500 * MS);
    bss_channel(w.bss, w.cell, of_cell ? NULL : ms, true, now());
    run(500 * MS);
    out(BVCI_2 "26 1e8104 05820032 03820050 01820032 1c820050"); // 200 octets in 200 ms
    assert_int_equal(w.deliveries, 2);
}

static void test_measured_r_leaves_out_the_time_without_a_channel(void **state)
{
    (void)state;
    measured_r_around_a_call(false);
    end_world(NULL);
    measured_r_around_a_call(true);
}

static void test_the_mean_delay_in_the_buffers(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.flow_measurement = true;
    w.cell_config.rate_bit_per_s = 8000;
    make(1, 1);
    bring_up(NULL);
    enter(w.cell, TLLI);
    for (int i = 0; i < 4; i++)
        DOWN(.octets = 155); // they wait 0, 155, 310, 465 ms: 232.5 in the mean
    run(S);
    out(BVCI_2 "26 1e8102 05820258 038201e0 01820258 1c8201e0 06820017");
    run(S);
    out(BVCI_2 "26 1e8103 05820258 038201e0 01820258 1c8201e0 06820000");
}

// ---- MSs ----

static void test_flow_control_ms_only_while_there_is_traffic(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.cell_config.flow_repeat = false;
    w.cell_config.flow_ms = BSS_FLOW_MS_FIXED;
    w.cell_config.ms_r_bit_per_s = 8000;
    w.cell_config.ms_bmax_ns = 2 * S;
    make(1, 1);
    bring_up(NULL);
    enter(w.cell, TLLI);
    run(S);
    none();
    DOWN(.octets = 300);
    run(0);
    out(BVCI_2 "28 " TLLI_IE "1e8101 12820014 03820050");
    in(BVCI_2 "29 " TLLI_IE "1e8101");
    run(500 * MS);
    DOWN(.octets = 300);
    run(9 * S);
    out_at(2 * S, BVCI_2 "28 " TLLI_IE "1e8102 12820014 03820050");
    out_at(3 * S, BVCI_2 "28 " TLLI_IE "1e8103 12820014 03820050"); // the second had no answer
    in(BVCI_2 "29 " TLLI_IE "1e8103");
    assert_int_equal(bss_counters(w.bss)->late, 1); // tag 10 is out
}

static void test_flow_control_ms_with_measured_r_and_ratio(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.cbl = true;
    w.cell_config.flow_ms = BSS_FLOW_MS_MEASURED;
    w.cell_config.flow_interval_ns = 10 * S;
    w.cell_config.rate_bit_per_s = 16000;
    w.cell_config.ms_bmax_octets = 8000;
    make(1, 1);
    bring_up(CBL_ACK);
    enter(w.cell, TLLI);
    enter(w.cell, TLLI + 1);
    for (int i = 0; i < 100; i++) {
        DOWN(.octets = 1000);
        DOWN(.octets = 1000, .tlli = TLLI + 1);
    }
    run(0);
    out(BVCI_2 "28 " TLLI_IE "1e8101 12820050 038201e0 3c81ff");
    out(BVCI_2 "28 1f84c0000002 1e8101 12820050 038201e0 3c81ff");
    run(10 * S);
    out_any();                                                     // the cell's
    out(BVCI_2 "28 " TLLI_IE "1e8102 12820050 03820050 3c81ff");   // half of it each
    out(BVCI_2 "28 1f84c0000002 1e8102 12820050 03820048 3c81ff"); // one less by now
}

// ---- Channels ----

static void test_a_channel_taken_away_is_r_0_for_the_ms(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.preemption = BSS_PREEMPTION_FLOW_MS;
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(NULL);
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_channel(w.bss, w.cell, ms, false, now());
    DOWN(.octets = 200);
    run(0);
    out(BVCI_2 "28 " TLLI_IE "1e8101 12820258 03820000");
    in(BVCI_2 "29 " TLLI_IE "1e8101");
    run(300 * MS);
    bss_channel(w.bss, w.cell, ms, true, now());
    assert_int_equal(w.deliveries, 1);
    run(10 * S);
    out_at(S, BVCI_2 "28 " TLLI_IE "1e8102 12820258 038201e0"); // not before C
    in(BVCI_2 "29 " TLLI_IE "1e8102");
    run(10 * S);
}

static void test_a_channel_taken_away_is_r_0_for_the_cell(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.preemption = BSS_PREEMPTION_FLOW_BVC;
    w.cell_config.flow_repeat = false;
    make(1, 1);
    bring_up(NULL);
    run(5 * S);
    bss_channel(w.bss, w.cell, NULL, false, now());
    run(0);
    out(BVCI_2 "26 1e8102 05820258 03820000 01820258 1c8201e0");
    in(BVCI_2 "27 1e8102");
    run(5 * S);
    none();
    bss_channel(w.bss, w.cell, NULL, true, now());
    run(0);
    out(BVCI_2 "26 1e8103 05820258 038201e0 01820258 1c8201e0");
}

static void test_a_channel_taken_away_is_a_radio_status(void **state)
{
    (void)state;
    configure(BSS_NS_RESET);
    w.config.preemption = BSS_PREEMPTION_RADIO_STATUS;
    make(1, 1);
    bring_up(NULL);
    struct bss_ms *ms = enter(w.cell, TLLI);
    bss_channel(w.bss, w.cell, ms, false, now());
    out(BVCI_2 "0a " TLLI_IE "19 81 00");
    bss_channel(w.bss, w.cell, ms, true, now());
    none();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bmax_by_time_and_defaults_of_their_own),
        TEST(test_r_of_a_cell_without_a_radio),
        TEST(test_fixed_bmax_and_the_least_of_one_unit),
        TEST(test_values_stop_at_65535_units_without_gigabit),
        TEST(test_granularity_is_the_least_that_says_all_values),
        TEST(test_granularity_is_left_out_where_100_will_do),
        TEST(test_the_ratio_is_what_the_cell_holds),
        TEST(test_an_unacknowledged_one_is_repeated_with_a_new_tag),
        TEST(test_measured_r_is_what_went_while_something_waited),
        TEST(test_measured_r_leaves_out_the_time_without_a_channel),
        TEST(test_the_mean_delay_in_the_buffers),
        TEST(test_flow_control_ms_only_while_there_is_traffic),
        TEST(test_flow_control_ms_with_measured_r_and_ratio),
        TEST(test_a_channel_taken_away_is_r_0_for_the_ms),
        TEST(test_a_channel_taken_away_is_r_0_for_the_cell),
        TEST(test_a_channel_taken_away_is_a_radio_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
