// The uplink buffer; the account of every LLC PDU in random worlds, in which MSs come and go; the
// same seed, the same run; cost.
#include "tests/lab/radio/cell.h"

#define CS2 30

// --- The MS's uplink buffer ----------------------------------------------------------------------

static void test_uplink_discard_is_exact(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.up_discard_ns = MS(700);
    cell_begin(2, 1);
    radio_preempt(cell.radio, 1, 0);
    cell_run(MS(50) + 3);
    cell_up(1, CS2);
    cell_run(MS(60));
    cell_up(0, CS2);
    cell_run(MS(750) + 2);
    assert_int_equal(cell.logs, 0);
    cell_run(MS(750) + 3);
    cell_expect(0, MS(750) + 3, 1, RADIO_UP, 0, RADIO_LOSS_up_late);
    cell_run(MS(759));
    radio_release(cell.radio, 1, cell_now());
    cell_run(MS(2000)); // at 760 ms both the PDU becomes too late and the period starts
    cell_expect(1, MS(760), 0, RADIO_UP, 0, RADIO_LOSS_up_late);
    assert_int_equal(cell.logs, 2);
    cell_end(2);
}

// One that is begun goes on; if its TBF is lost then it does not start again.
static void test_uplink_discard_of_one_that_is_begun(void **state)
{
    (void)state;
    for (uint32_t lost = 0; lost < 2; lost++) {
        cell_config();
        cell.config.slots = 1;
        cell.config.up_discard_ns = MS(100);
        cell_begin(1, 1);
        cell_up(0, 20 * CS2); // 400 ms
        cell_up(0, CS2);
        cell_run(MS(300));
        cell_expect(0, MS(100), 0, RADIO_UP, 1, RADIO_LOSS_up_late);
        assert_int_equal(cell.logs, 1);
        if (lost)
            radio_preempt(cell.radio, 1, cell_now());
        cell_run(MS(1000));
        cell_expect(1, MS(lost ? 300 : 420), 0, RADIO_UP, 0, lost ? RADIO_LOSS_up_late : ARRIVED);
        cell_end(1);
    }
}

static void test_uplink_buffer_is_limited(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.up_buffer_octets = 100;
    cell_begin(2, 1);
    cell_up(0, 60);
    cell_up(0, 41);
    cell_expect(0, 0, 0, RADIO_UP, 1, RADIO_LOSS_up_full);
    cell_up(0, 40);
    cell_up(1, 100); // each MS has its own
    assert_int_equal(cell.logs, 1);
    cell_up(0, 1);
    cell_expect(1, 0, 0, RADIO_UP, 3, RADIO_LOSS_up_full);
    cell_run(S_IN_NS);
    cell_up(0, 100);
    assert_int_equal(cell.logs, 5);
    cell_end(2);
}

// An answer goes in the period that starts as the question arrives, or a reaction later.
static void test_an_answer_takes_the_reaction(void **state)
{
    (void)state;
    static const struct {
        uint64_t reaction_ns, arrives_ms;
    } by[] = {{0, 60}, {1, 80}, {MS(20), 80}, {MS(20) + 1, 100}, {MS(155), 220}};
    for (uint32_t i = 0; i < 5; i++) {
        cell_config();
        cell.config.up_reaction_ns = by[i].reaction_ns;
        cell.config.up_coding = RADIO_CODING_CS4;
        cell.answers = true;
        cell_begin(1, 1);
        cell_down(0, CS2);
        cell_run(S_IN_NS);
        cell_expect(0, MS(40), 0, RADIO_DOWN, 0, ARRIVED);
        cell_expect(1, MS(by[i].arrives_ms), 0, RADIO_UP, 0, ARRIVED);
        cell_end(1);
    }
}

// A repetition does not wait for the reaction to the next PDU.
static void test_repetition_during_a_reaction(void **state)
{
    (void)state;
    uint32_t repeated = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        cell_config();
        cell.config.round_trip_ns = MS(40);
        cell.config.up_bler_ppm = 500000;
        cell.config.up_reaction_ns = MS(155);
        cell_begin(1, seed);
        cell_up(0, CS2);
        cell_run(MS(165)); // the first block starts at 160 ms
        cell_up(0, CS2);   // the second at 320 ms or later
        cell_run(MS(319));
        uint64_t wrong = radio_counts(cell.radio, RADIO_UP)->blocks_wrong;
        assert_int_equal(radio_counts(cell.radio, RADIO_UP)->blocks_again, wrong < 3 ? wrong : 3);
        repeated += wrong > 0;
        cell_end(1);
    }
    assert_true(repeated > 4);
}

// What comes as a period starts, but is no answer, goes in the next, whether the cell is busy.
static void test_what_comes_as_a_period_starts(void **state)
{
    (void)state;
    for (uint32_t busy = 0; busy < 2; busy++) {
        cell_config();
        cell.config.slots = 2;
        cell_begin(2, 1);
        if (busy)
            cell_endless(1, RADIO_UP, CS2);
        cell_run(MS(100));
        cell.logs = 0;
        cell_up(0, CS2);
        cell_run(MS(200));
        for (uint32_t i = 0; i < cell.logs; i++)
            if (cell.log[i].ms == 0)
                assert_true(cell.log[i].now_ns == MS(140));
        assert_int_equal(cell.ms[0].next_arrival[RADIO_UP], 1);
        cell_end(2);
    }
}

static void test_flush_by_the_owner(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell_begin(2, 1);
    for (uint32_t i = 0; i < 4; i++) {
        cell_down(0, 60);
        cell_up(0, 60);
    }
    cell_run(MS(70));
    radio_flush(cell.radio, 0, RADIO_UP, RADIO_LOSS_flushed, cell_now());
    assert_int_equal(cell.logs, 5); // each way's first has arrived
    for (uint32_t i = 0; i < 3; i++)
        cell_expect(2 + i, MS(70), 0, RADIO_UP, 1 + i, RADIO_LOSS_flushed);
    radio_flush(cell.radio, 0, RADIO_DOWN, RADIO_LOSS_left, cell_now());
    cell_expect(5, MS(70), 0, RADIO_DOWN, 1, RADIO_LOSS_left);
    cell_run(S_IN_NS); // what is in the BSC's buffer goes on with a new TBF
    cell_expect(6, MS(120), 0, RADIO_DOWN, 2, ARRIVED);
    assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->tbfs, 2);
    cell_end(2);
}

// --- Random worlds -------------------------------------------------------------------------------

static void random_world_config(void)
{
    cell_config();
    struct radio_config *c = &cell.config;
    c->carriers = 3;
    c->slots = (uint32_t)random_in(1, 24);
    c->down_coding = (uint32_t)random_in(1, RADIO_CODINGS - 1);
    c->up_coding = (uint32_t)random_in(0, RADIO_CODINGS - 1);
    c->round_trip_ns = MS(random_in(20, 600));
    c->down_bler_ppm = (uint32_t)random_in(0, 400000);
    c->up_bler_ppm = (uint32_t)random_in(0, 400000);
    c->down_slots = (uint32_t)random_in(0, 4);
    c->up_slots = (uint32_t)random_in(0, 2);
    c->down_control_ppm = (uint32_t)random_in(0, 100000);
    c->down_setup_ns = MS(random_in(0, 400));
    c->up_setup_ns = MS(random_in(0, 400));
    c->down_release_ns = MS(random_in(0, 2000));
    c->hold_taken_ns = random_next() % 2 ? MS(random_in(1, 3000)) : 0;
    c->resume = random_next() % 2;
    c->up_buffer_octets = random_next() % 2 ? random_in(1, 20000) : 0;
    c->up_discard_ns = random_next() % 2 ? MS(random_in(1, 5000)) : 0;
}

#define WORLD_MSS 12
static uint32_t calls_of[WORLD_MSS], taken;

// The MS leaves and another one takes its index.
static void replace(uint32_t ms)
{
    cell_empty_buffer(ms);
    radio_remove_ms(cell.radio, ms, cell_now());
    cell_check();
    struct radio_config own = cell.config;
    own.down_coding = (uint32_t)random_in(0, RADIO_CODINGS - 1);
    own.down_bler_ppm = (uint32_t)random_in(0, 400000);
    const struct radio_own keys = cell_own(&own);
    assert_int_equal(radio_add_ms(cell.radio, ms, random_next() % 2 ? &keys : NULL), ms);
    calls_of[ms] = 0;
}

static void anything(void)
{
    uint32_t ms = random_next() % WORLD_MSS, slots = (uint32_t)random_in(0, 20);
    uint32_t octets = random_next() % 2 ? 1500 : (uint32_t)random_in(1, 300);
    switch (random_next() % 64) {
    case 0:
        replace(ms);
        break;
    case 1:
        radio_preempt(cell.radio, slots, cell_now());
        taken += slots;
        break;
    case 2:
    case 3:
        radio_release(cell.radio, taken, cell_now());
        taken = 0;
        break;
    case 4:
        radio_preempt_ms(cell.radio, ms, cell_now());
        calls_of[ms]++;
        break;
    case 5:
    case 6:
        for (; calls_of[ms]; calls_of[ms]--)
            radio_release_ms(cell.radio, ms, cell_now());
        break;
    case 7:
        radio_flush(cell.radio, ms, random_next() % 2, RADIO_LOSS_flushed, cell_now());
        break;
    default:
        if (random_next() % 2)
            cell_down(ms, octets);
        else
            cell_up(ms, octets);
    }
}

static void random_run(uint64_t seed)
{
    taken = 0;
    memset(calls_of, 0, sizeof calls_of);
    random_world_config();
    cell.answers = true;
    cell_begin(WORLD_MSS, seed);
    for (uint32_t i = 0; i < 1000; i++) {
        anything();
        cell_check();
        uint64_t step_ns = random_next() % 4 ? MS(5) : MS(400);
        cell_run(cell_now() + random_in(0, step_ns));
        for (uint32_t way = 0; way < RADIO_WAYS; way++) {
            uint64_t held = 0;
            for (uint32_t ms = 0; ms < WORLD_MSS; ms++)
                held += radio_held(cell.radio, ms, way).octets;
            assert_true(held == radio_counts(cell.radio, way)->held.octets);
        }
    }
}

// What can still arrive does, once all calls have ended.
static void run_out(void)
{
    radio_release(cell.radio, taken, cell_now());
    for (uint32_t ms = 0; ms < WORLD_MSS; ms++)
        for (; calls_of[ms]; calls_of[ms]--)
            radio_release_ms(cell.radio, ms, cell_now());
    for (uint32_t ms = 0; ms < WORLD_MSS; ms++)
        radio_ready(cell.radio, ms, cell_now());
    cell_run(cell_now() + 3000 * S_IN_NS);
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        assert_true(radio_counts(cell.radio, way)->held.packets == 0);
}

static void test_every_pdu_is_accounted_for(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t world = 0; world < 60; world++) {
        print_message("# world %u\n", world);
        random_run(world);
        run_out();
        cell_end(WORLD_MSS);
    }
}

// --- The same seed, the same run -----------------------------------------------------------------

static uint64_t digest_of_run(uint64_t seed)
{
    cell_config();
    cell.config.down_bler_ppm = cell.config.up_bler_ppm = 100000;
    cell.answers = true;
    cell_begin(10, seed);
    for (uint32_t ms = 0; ms < 10; ms++)
        cell_endless(ms, RADIO_DOWN, 500 + ms);
    cell_run(60 * S_IN_NS);
    uint64_t digest = cell.logs;
    for (uint32_t i = 0; i < cell.logs; i++)
        digest = (digest ^ (cell.log[i].now_ns + cell.log[i].number * 977 + cell.log[i].ms)) *
                 0x100000001b3ULL;
    cell_end(10);
    return digest;
}

static void test_same_seed_same_run(void **state)
{
    (void)state;
    assert_true(digest_of_run(5) == digest_of_run(5));
    assert_true(digest_of_run(5) != digest_of_run(6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uplink_discard_is_exact),
        cmocka_unit_test(test_uplink_discard_of_one_that_is_begun),
        cmocka_unit_test(test_uplink_buffer_is_limited),
        cmocka_unit_test(test_an_answer_takes_the_reaction),
        cmocka_unit_test(test_repetition_during_a_reaction),
        cmocka_unit_test(test_what_comes_as_a_period_starts),
        cmocka_unit_test(test_flush_by_the_owner),
        cmocka_unit_test(test_every_pdu_is_accounted_for),
        cmocka_unit_test(test_same_seed_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
