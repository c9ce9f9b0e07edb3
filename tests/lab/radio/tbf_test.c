// RLC of one TBF against closed formulas: rates, packing, errors, repetition, the window.
#include "tests/lab/radio/cell.h"

// Octets that arrive in `seconds`, of PDUs of `octets` without end, after a second's start.
static uint64_t saturated(enum radio_way way, uint32_t octets, uint32_t seconds, uint64_t seed)
{
    cell_begin(1, seed);
    cell.quiet = true;
    cell_endless(0, way, octets);
    cell_run(S_IN_NS);
    uint64_t before = cell.ms[0].arrived_octets[way];
    cell_run((1 + seconds) * S_IN_NS);
    uint64_t arrived = cell.ms[0].arrived_octets[way] - before;
    return arrived;
}

// Octets a second of block data carry so many of PDUs: each PDU costs a length indicator, but in
// the share of 1 / block of the cases, where it ends with a block (the position is uniform for PDUs
// whose length with the indicator has no common divisor with the block).
static double payload(double block_octets_per_s, double block, double pdu)
{
    return block_octets_per_s * pdu / (pdu + 1 - 1 / block);
}

static void expect_near(double found, double expected, double share)
{
    if (found < expected * (1 - share) || found > expected * (1 + share))
        fail_msg("%.1f found, %.1f +- %.3f %% expected", found, expected, 100 * share);
}

// Within five standard deviations.
static void expect_binomial(double found, double of, double probability)
{
    double off = found - of * probability;
    assert_true(off * off < 25 * of * probability * (1 - probability));
}

// --- Rates ---------------------------------------------------------------------------------------

static void test_rate_of_each_coding(void **state)
{
    (void)state;
    // Typed from 43.064, kbit/s a slot without headers; CS without RLC header and spare bits.
    static const double kbit_per_s[] = {8.0,  12.0, 14.4, 20.0, 8.8,  11.2, 14.8,
                                        17.6, 22.4, 29.6, 44.8, 54.4, 59.2};
    static const double octets[] = {20, 30, 36, 50, 22, 28, 37, 44, 56, 74, 56, 68, 74};
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        for (uint32_t coding = 1; coding < RADIO_CODINGS; coding++) {
            cell_config();
            cell.config.slots = 3;
            cell.config.down_coding = cell.config.up_coding = coding;
            double rate = 3 * kbit_per_s[coding - 1] * 1000 / 8;
            double found = (double)saturated(way, 1500, 2000, 1) / 2000;
            expect_near(found, payload(rate, octets[coding - 1], 1500), 0.001);
            assert_true(radio_cell_rate_bit_per_s(cell.radio, way) == (uint64_t)(rate * 8 + 0.5));
            cell_end(1);
        }
}

static void test_rate_of_a_radio_that_is_no_coding(void **state)
{
    (void)state;
    // latency-geran's GERAN evolution, its EDGE, and a rate with a part of a block in each period.
    static const struct {
        uint64_t bit_per_s, period_ms;
        uint32_t pdu;
    } rate[] = {{454400, 20, 142}, {113600, 20, 71}, {123456, 10, 77}, {5000, 20, 100}};
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        for (uint32_t i = 0; i < 4; i++) {
            cell_config();
            struct radio_config *c = &cell.config;
            c->down_coding = c->up_coding = 0;
            c->down_rate_bit_per_s = c->up_rate_bit_per_s = rate[i].bit_per_s;
            c->down_pdu_octets = c->up_pdu_octets = rate[i].pdu;
            c->period_ns = MS(rate[i].period_ms);
            double found = (double)saturated(way, 1500, 300, 1) / 300;
            // The last block's share of a PDU decides at 5 kbit/s: 125 PDUs in 300 s.
            expect_near(found, payload((double)rate[i].bit_per_s / 8, rate[i].pdu, 1500),
                        i == 3 ? 0.01 : 0.001);
            assert_true(radio_cell_rate_bit_per_s(cell.radio, way) == rate[i].bit_per_s);
            cell_end(1);
        }
}

// An MS with its own keys: its coding counts beside the cell's coding, but a rate is the cell's.
static void test_an_ms_of_its_own_coding(void **state)
{
    (void)state;
    for (uint32_t rate = 0; rate < 2; rate++) {
        cell_config();
        cell.config.slots = 1;
        cell.config.down_coding = rate ? 0 : RADIO_CODING_CS1;
        cell.config.down_pdu_octets = 142;
        cell_begin(0, 1);
        struct radio_config own = cell.config;
        own.down_coding = RADIO_CODING_MCS9;
        const struct radio_own keys = cell_own(&own);
        assert_int_equal(radio_add_ms(cell.radio, 0, &keys), 0);
        cell_down(0, 148);
        cell_run(S_IN_NS);
        assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->blocks, 2);
        assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->slots_used, rate ? 2 : 1);
        cell_end(1);
    }
}

static void test_multislot_limit(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 8;
    cell.config.down_slots = 3;
    double found = (double)saturated(RADIO_DOWN, 1500, 100, 1) / 100;
    expect_near(found, payload(3 * 1500, 30, 1500), 0.001);
    cell_end(1);
}

static void test_control_blocks_take_their_share(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.down_control_ppm = 80000; // buffer-2004's 8 %
    double found = (double)saturated(RADIO_DOWN, 1500, 1000, 1) / 1000;
    expect_near(found, payload(0.92 * 1500, 30, 1500), 0.001);
    const struct radio_counts *c = radio_counts(cell.radio, RADIO_DOWN);
    assert_true(c->slots == c->slots_control + c->slots_used);
    assert_true(c->slots_control == c->slots * 8 / 100);
    cell_end(1);
}

// --- Packing -------------------------------------------------------------------------------------

// Sends PDUs of these sizes at 0 over one slot of CS-1 (20 octets a block) and returns the block in
// which each one ended, from 1.
static void expect_ends(const uint32_t *octets, const uint32_t *ends, uint32_t count)
{
    cell_config();
    cell.config.slots = 1;
    cell.config.down_coding = RADIO_CODING_CS1;
    cell_begin(1, 1);
    for (uint32_t i = 0; i < count; i++)
        cell_down(0, octets[i]);
    cell_run(2 * S_IN_NS);
    assert_int_equal(cell.logs, count);
    for (uint32_t i = 0; i < count; i++)
        cell_expect(i, MS(20 + 20 * ends[i]), 0, RADIO_DOWN, i, ARRIVED);
    cell_end(1);
}

static void test_packing_and_length_indicators(void **state)
{
    (void)state;
    // 20 fills a block without an indicator; 19 and its indicator as well.
    expect_ends((uint32_t[]){20, 20}, (uint32_t[]){1, 2}, 2);
    expect_ends((uint32_t[]){19, 20}, (uint32_t[]){1, 2}, 2);
    // 18 and its indicator leave one octet for the next.
    expect_ends((uint32_t[]){18, 21, 20}, (uint32_t[]){1, 2, 3}, 3);
    // 9 + 1 + 10 fill a block; 9 + 1 + 9 + 1 too; 9 + 1 + 11 do not.
    expect_ends((uint32_t[]){9, 10, 20}, (uint32_t[]){1, 1, 2}, 3);
    expect_ends((uint32_t[]){9, 9, 20}, (uint32_t[]){1, 1, 2}, 3);
    expect_ends((uint32_t[]){9, 11, 18, 20}, (uint32_t[]){1, 2, 2, 3}, 4);
    // Ten PDUs of one octet.
    expect_ends((uint32_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                (uint32_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, 11);
    expect_ends((uint32_t[]){1600}, (uint32_t[]){80}, 1);
}

static void test_two_blocks_in_a_slot_of_mcs_9(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.down_coding = RADIO_CODING_MCS9;
    cell_begin(1, 1);
    cell_down(0, 148);
    cell_down(0, 149);
    cell_run(S_IN_NS);
    cell_expect(0, MS(40), 0, RADIO_DOWN, 0, ARRIVED);
    cell_expect(1, MS(80), 0, RADIO_DOWN, 1, ARRIVED);
    assert_true(radio_counts(cell.radio, RADIO_DOWN)->blocks == 5);
    assert_true(radio_counts(cell.radio, RADIO_DOWN)->slots_used == 3);
    cell_end(1);
}

// --- Errors and repetition -----------------------------------------------------------------------

static void test_errors_cost_their_share(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        cell_config();
        cell.config.slots = 4;
        cell.config.down_bler_ppm = cell.config.up_bler_ppm = 100000;
        cell.config.down_window = cell.config.up_window = RADIO_WINDOW_MAX;
        double found = (double)saturated(way, 1500, 2000, 5) / 2000;
        const struct radio_counts *c = radio_counts(cell.radio, way);
        double blocks = (double)c->blocks;
        expect_binomial((double)c->blocks_wrong, blocks, 0.1);
        assert_true(c->blocks_wrong - c->blocks_again < 4 * 6 + 1); // those of the last round trip
        assert_true(c->stalls == 0);
        expect_near(found, payload(0.9 * 6000, 30, 1500), 0.003); // 5 deviations of 400 000 blocks
        cell_end(1);
    }
}

// Whether two blocks in a row are wrong is as likely as if each were alone: over PDUs of one block.
static void test_errors_are_independent(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.round_trip_ns = MS(20);
    cell.config.down_bler_ppm = 300000;
    cell_begin(1, 9);
    cell_endless(0, RADIO_DOWN, 30);
    cell_run(2000 * S_IN_NS);
    // A PDU takes k periods with probability 0.3^(k - 1) * 0.7; k - 1 repetitions.
    uint32_t again[8] = {0};
    for (uint32_t i = 1; i < cell.logs; i++) {
        uint64_t k = (cell.log[i].now_ns - cell.log[i - 1].now_ns) / MS(20);
        again[k - 1 < 7 ? k - 1 : 7]++;
    }
    double share = 0.7, all = cell.logs - 1;
    for (uint32_t k = 0; k < 5; k++, share *= 0.3)
        expect_binomial(again[k], all, share);
    cell_end(1);
}

// The repetition starts a round trip after the block; what follows waits for it, in order.
static void test_repetition_after_a_round_trip(void **state)
{
    (void)state;
    uint32_t seen_late = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        cell_config();
        cell.config.slots = 1;
        cell.config.round_trip_ns = MS(110); // 6 periods
        cell.config.down_bler_ppm = 500000;
        cell_begin(1, seed);
        cell_down(0, 30);
        cell_run(MS(40));
        uint64_t again = radio_counts(cell.radio, RADIO_DOWN)->blocks_wrong;
        cell_down(0, 30);
        cell_run(S_IN_NS * 4);
        assert_int_equal(cell.logs, 2);
        if (again == 0) {
            cell_expect(0, MS(40), 0, RADIO_DOWN, 0, ARRIVED);
        } else {
            // 40 ms and a multiple of the round trip in whole periods.
            assert_true((cell.log[0].now_ns - MS(40)) % MS(120) == 0);
            assert_true(cell.log[0].now_ns >= MS(160));
            assert_true(cell.log[1].now_ns >= cell.log[0].now_ns);
            seen_late++;
        }
        cell_end(1);
    }
    assert_true(seen_late > 5 && seen_late < 45);
}

// --- The window ----------------------------------------------------------------------------------

static void test_window_limits_the_throughput(void **state)
{
    (void)state;
    static const struct {
        uint32_t window, round_trip_ms;
    } stall[] = {{64, 640}, {16, 400}, {1, 100}, {7, 500}};
    for (uint32_t i = 0; i < 4; i++) {
        cell_config();
        cell.config.slots = 8;
        cell.config.round_trip_ns = MS(stall[i].round_trip_ms);
        cell.config.down_window = stall[i].window;
        double found = (double)saturated(RADIO_DOWN, 1500, 500, 1) / 500;
        double rate = stall[i].window * 30.0 / (stall[i].round_trip_ms / 1000.0);
        expect_near(found, payload(rate, 30, 1500), i == 2 ? 0.01 : 0.002);
        // Once a round trip: the window is sent in fewer periods than that.
        double stalls = (double)radio_counts(cell.radio, RADIO_DOWN)->stalls;
        expect_near(stalls, 501 * 1000.0 / stall[i].round_trip_ms, 0.01);
        cell_end(1);
    }
}

static void test_window_by_the_coding(void **state)
{
    (void)state;
    // GPRS 64; EGPRS 192 with one slot and 1024 with eight (44.060 9.1.9.2).
    static const struct {
        uint32_t coding, slots, window;
    } by[] = {{RADIO_CODING_CS2, 1, 64}, {RADIO_CODING_MCS1, 1, 192}, {RADIO_CODING_MCS1, 8, 1024}};
    for (uint32_t i = 0; i < 3; i++) {
        cell_config();
        cell.config.slots = 8;
        cell.config.down_coding = by[i].coding;
        cell.config.down_slots = by[i].slots;
        cell.config.round_trip_ns = 8 * S_IN_NS;
        cell_begin(1, 1);
        cell_endless(0, RADIO_DOWN, 1500);
        cell_run(7 * S_IN_NS);
        assert_true(radio_counts(cell.radio, RADIO_DOWN)->blocks == by[i].window);
        cell_end(1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_of_each_coding),
        cmocka_unit_test(test_rate_of_a_radio_that_is_no_coding),
        cmocka_unit_test(test_an_ms_of_its_own_coding),
        cmocka_unit_test(test_multislot_limit),
        cmocka_unit_test(test_control_blocks_take_their_share),
        cmocka_unit_test(test_packing_and_length_indicators),
        cmocka_unit_test(test_two_blocks_in_a_slot_of_mcs_9),
        cmocka_unit_test(test_errors_cost_their_share),
        cmocka_unit_test(test_errors_are_independent),
        cmocka_unit_test(test_repetition_after_a_round_trip),
        cmocka_unit_test(test_window_limits_the_throughput),
        cmocka_unit_test(test_window_by_the_coding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
