// Who sends in which slot: equal shares, limits, set-up and release of TBFs, and a timer that is
// set only while there is something to do.
#include "lab/radio/radio_parts.h"
#include "tests/lab/radio/cell.h"

#define CS2 30 // octets in a block of CS-2: a PDU of so many is one block

// --- Round robin ---------------------------------------------------------------------------------

static uint64_t pdus_of(uint32_t ms, enum radio_way way)
{
    return cell.ms[ms].next_arrival[way];
}

// After every period no two of the MSs differ by more than a block.
static void expect_equal_shares(enum radio_way way, uint32_t mss, uint32_t slots, uint32_t limit)
{
    cell_config();
    cell.config.carriers = 3;
    cell.config.slots = slots;
    cell.config.down_slots = cell.config.up_slots = limit;
    cell.config.round_trip_ns = MS(40);
    cell_begin(mss, 1);
    for (uint32_t ms = 0; ms < mss; ms++)
        cell_endless(ms, way, CS2);
    uint64_t all = 0, slots_full = limit * mss < slots ? limit * mss : slots;
    for (uint32_t period = 2; period < 300; period++) {
        cell_run(MS(20 * period));
        uint64_t least = UINT64_MAX, most = 0;
        all = 0;
        for (uint32_t ms = 0; ms < mss; ms++) {
            uint64_t pdus = pdus_of(ms, way);
            least = pdus < least ? pdus : least;
            most = pdus > most ? pdus : most;
            all += pdus;
        }
        assert_true(most - least <= 1);
        assert_int_equal(all, slots_full * (period - 1));
    }
    cell_end(mss);
}

static void test_equal_shares(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        expect_equal_shares(way, 1, 1, 8);
        expect_equal_shares(way, 7, 24, 8);
        expect_equal_shares(way, 7, 24, 4);
        expect_equal_shares(way, 7, 24, 3); // 21 of 24 slots
        expect_equal_shares(way, 40, 24, 4);
        expect_equal_shares(way, 24, 24, 1);
        expect_equal_shares(way, 5, 3, 2);
    }
}

static void test_an_ms_of_its_own_limit(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 6;
    cell.config.down_slots = 4;
    cell_begin(1, 1);
    struct radio_config own = cell.config;
    own.down_slots = 1;
    const struct radio_own keys = cell_own(&own);
    assert_int_equal(radio_add_ms(cell.radio, 1, &keys), 1);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_endless(1, RADIO_DOWN, CS2);
    cell_run(MS(20 * 101));
    assert_int_equal(pdus_of(0, RADIO_DOWN), 400);
    assert_int_equal(pdus_of(1, RADIO_DOWN), 100);
    cell_end(2);
}

// One slot: the one that comes later takes its turn after those that are there.
static void test_who_joins_is_the_last(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell_begin(3, 1);
    cell_endless(2, RADIO_DOWN, CS2);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_run(MS(50));
    cell_endless(1, RADIO_DOWN, CS2);
    cell_run(MS(200));
    static const uint32_t order[] = {2, 0, 2, 0, 1, 2, 0, 1};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(cell.log[i].ms, order[i]);
    cell_end(3);
}

// Two slots in a period, of which an MS may have one: while the MS of rank 1 has something, the two
// of rank 3 take turns in the slot that it leaves; uplink goes in turns whatever the rank.
static void test_the_lowest_rank_first(void **state)
{
    static const uint8_t ranks[] = {3, 1, 3};
    (void)state;
    cell_config();
    cell.ranks = ranks;
    cell.config.order = RADIO_ORDER_RANK;
    cell.config.slots = 2;
    cell.config.down_slots = 1;
    cell_begin(3, 1);
    for (uint32_t ms = 0; ms < 3; ms++) {
        cell_endless(ms, RADIO_DOWN, CS2);
        cell_endless(ms, RADIO_UP, CS2);
    }
    cell_run(MS(20 * 101));
    assert_int_equal(pdus_of(1, RADIO_DOWN), 100);
    assert_int_equal(pdus_of(0, RADIO_DOWN), 50);
    assert_int_equal(pdus_of(2, RADIO_DOWN), 50);
    for (uint32_t ms = 0; ms < 3; ms++)
        assert_in_range(pdus_of(ms, RADIO_UP), 66, 67);
    cell_end(3);
}

static void test_ways_do_not_share_slots(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 2;
    cell_begin(1, 1);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_endless(0, RADIO_UP, CS2);
    cell_run(MS(20 * 11));
    assert_int_equal(pdus_of(0, RADIO_DOWN), 20);
    assert_int_equal(pdus_of(0, RADIO_UP), 20);
    cell_end(1);
}

// --- Set-up and release --------------------------------------------------------------------------

static void set_up_config(void)
{
    cell_config();
    cell.config.slots = 1;
    cell.config.round_trip_ns = MS(100);
    cell.config.down_setup_ns = MS(200);
    cell.config.up_setup_ns = MS(310);
    cell.config.down_setup_beside_ns = MS(40);
    cell.config.up_setup_beside_ns = MS(50);
    cell.config.down_release_ns = MS(1000);
    cell.config.up_release_ns = MS(500);
}

static void send(enum radio_way way, uint64_t at_ns)
{
    cell_run(at_ns);
    if (way == RADIO_DOWN)
        cell_down(0, CS2);
    else
        cell_up(0, CS2);
}

static void test_set_up_takes_its_time(void **state)
{
    (void)state;
    // When data comes, and when the first block of the TBF has arrived: the period that starts when
    // the set-up ends or next after it, and a period.
    static const struct {
        enum radio_way way;
        uint64_t at_ns, arrives_ms;
    } by[] = {{RADIO_DOWN, MS(0), 220},  {RADIO_DOWN, MS(0) + 1, 240},
              {RADIO_DOWN, MS(20), 240}, {RADIO_DOWN, MS(20) - 1, 240},
              {RADIO_DOWN, MS(33), 260}, {RADIO_UP, MS(0), 340},
              {RADIO_UP, MS(10), 340},   {RADIO_UP, MS(10) + 1, 360}};
    for (uint32_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        set_up_config();
        cell_begin(1, 1);
        send(by[i].way, by[i].at_ns);
        cell_run(S_IN_NS);
        cell_expect(0, MS(by[i].arrives_ms), 0, by[i].way, 0, ARRIVED);
        cell_end(1);
    }
}

static void test_no_set_up_time_is_the_next_period(void **state)
{
    (void)state;
    cell_config();
    cell_begin(1, 1);
    send(RADIO_DOWN, MS(20));
    send(RADIO_DOWN, MS(35));
    cell_run(S_IN_NS);
    cell_expect(0, MS(60), 0, RADIO_DOWN, 0, ARRIVED);
    cell_expect(1, MS(60), 0, RADIO_DOWN, 1, ARRIVED);
    cell_end(1);
}

// The first block starts at 200 ms and is acknowledged at 300 ms: the TBF stays until 1300 ms.
static void test_release_takes_its_time(void **state)
{
    (void)state;
    static const struct {
        uint64_t again_ns, arrives_ms;
        uint32_t tbfs;
    } by[] = {{MS(1300) - 1, 1320, 1}, {MS(1300), 1520, 2}, {MS(205), 240, 1}, {MS(285), 320, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        set_up_config();
        cell_begin(1, 1);
        send(RADIO_DOWN, 0);
        send(RADIO_DOWN, by[i].again_ns);
        cell_run(3 * S_IN_NS);
        cell_expect(1, MS(by[i].arrives_ms), 0, RADIO_DOWN, 1, ARRIVED);
        assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->tbfs, by[i].tbfs);
        cell_end(1);
    }
}

// While the other way has a TBF the set-up is faster (PACCH), but not while that is being set up.
static void test_set_up_beside_another_tbf(void **state)
{
    (void)state;
    static const struct {
        enum radio_way first;
        uint64_t second_ns, arrives_ms;
    } by[] = {{RADIO_DOWN, MS(190), 520},   {RADIO_DOWN, MS(205), 280},
              {RADIO_DOWN, MS(1299), 1380}, {RADIO_DOWN, MS(1300), 1640},
              {RADIO_UP, MS(340), 400},     {RADIO_UP, MS(930), 1160}};
    for (uint32_t i = 0; i < 6; i++) {
        set_up_config();
        cell_begin(1, 1);
        send(by[i].first, 0);
        send(!by[i].first, by[i].second_ns);
        cell_run(3 * S_IN_NS);
        cell_expect(1, MS(by[i].arrives_ms), 0, !by[i].first, 0, ARRIVED);
        cell_end(1);
    }
}

static void test_an_open_uplink_is_told(void **state)
{
    (void)state;
    set_up_config();
    cell_begin(1, 1);
    send(RADIO_DOWN, 0);
    cell_run(MS(400));
    assert_int_equal(cell.events[RADIO_UP_OPEN], 0);
    send(RADIO_UP, MS(2000));
    cell_run(MS(3000));
    assert_int_equal(cell.events[RADIO_UP_OPEN], 1);
    assert_true(cell.event_ns[RADIO_UP_OPEN] == MS(2320));
    cell_end(1);
}

// --- The timer -----------------------------------------------------------------------------------

// Runs until the radio's timer is not set. Returns how often it was set for a later time.
static uint32_t run_until_idle(void)
{
    uint32_t times = 0;
    while (cell.radio->armed_ns != TIME_NEVER) {
        assert_true(engine_timer_is_set(&cell.radio->timer));
        assert_true(cell.radio->armed_ns > cell_now());
        cell_run(cell.radio->armed_ns);
        times++;
    }
    assert_false(engine_timer_is_set(&cell.radio->timer));
    return times;
}

static void test_an_idle_cell_has_no_timer(void **state)
{
    (void)state;
    cell_config();
    cell.config.down_setup_ns = MS(200);
    cell.config.down_release_ns = MS(5000);
    cell.config.up_discard_ns = MS(700);
    cell_begin(40, 1);
    assert_int_equal(run_until_idle(), 0);
    cell_down(3, 10 * CS2); // 10 blocks over 4 slots: 3 periods
    // The set-up; 3 periods of sending, the arrival of the last.
    assert_int_equal(run_until_idle(), 4);
    assert_true(cell_now() == MS(260));
    cell_up(3, CS2);
    assert_int_equal(run_until_idle(), 2);
    cell_run(MS(5000));
    cell_down(3, CS2); // its TBF is still open
    assert_int_equal(run_until_idle(), 2);
    assert_int_equal(cell.logs, 3);
    cell_end(40);
}

// A second of set-up or a round trip of a second cost no periods in between.
static void test_waiting_costs_few_periods(void **state)
{
    (void)state;
    cell_config();
    cell.config.down_setup_ns = MS(10000);
    cell.config.round_trip_ns = MS(1000);
    cell.config.down_bler_ppm = 500000;
    cell_begin(1, 3);
    cell_down(0, CS2);
    uint32_t times = run_until_idle();
    uint64_t blocks = radio_counts(cell.radio, RADIO_DOWN)->blocks;
    assert_int_equal(cell.logs, 1);
    assert_true(times <= 10 + 2 * blocks); // the calendar has 64 days
    cell_end(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_shares),
        cmocka_unit_test(test_an_ms_of_its_own_limit),
        cmocka_unit_test(test_who_joins_is_the_last),
        cmocka_unit_test(test_the_lowest_rank_first),
        cmocka_unit_test(test_ways_do_not_share_slots),
        cmocka_unit_test(test_set_up_takes_its_time),
        cmocka_unit_test(test_no_set_up_time_is_the_next_period),
        cmocka_unit_test(test_release_takes_its_time),
        cmocka_unit_test(test_set_up_beside_another_tbf),
        cmocka_unit_test(test_an_open_uplink_is_told),
        cmocka_unit_test(test_an_idle_cell_has_no_timer),
        cmocka_unit_test(test_waiting_costs_few_periods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
