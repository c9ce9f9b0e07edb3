// Calls that take the channel: which PDUs are lost and which wait, and what resumes a transfer.
#include "tests/lab/radio/cell.h"

#define CS2 30

// One slot of CS-2, no set-up; PDUs of `octets`, given at 0.
static void begin(uint32_t pdus, uint32_t octets)
{
    cell.config.slots = 1;
    cell_begin(2, 1);
    for (uint32_t i = 0; i < pdus; i++)
        cell_down(0, octets);
}

static uint64_t lost(enum radio_way way, enum radio_loss why)
{
    return radio_counts(cell.radio, way)->lost[why].packets;
}

// PDUs of two blocks: 0 arrives at 60 ms, 1 at 100 ms, 2 at 140 ms. At 110 ms the radio has 2 whole
// blocks under way or sent of number 2; number 3 and on are the BSC's.
static void test_flush_at_once(void **state)
{
    (void)state;
    cell_config();
    begin(6, 60);
    cell_run(MS(110));
    radio_preempt(cell.radio, 1, cell_now());
    assert_int_equal(cell.logs, 3);
    cell_expect(0, MS(60), 0, RADIO_DOWN, 0, ARRIVED);
    cell_expect(1, MS(100), 0, RADIO_DOWN, 1, ARRIVED);
    cell_expect(2, MS(110), 0, RADIO_DOWN, 2, RADIO_LOSS_preempted);
    assert_int_equal(cell.events[RADIO_TAKEN], 2); // both MSs
    assert_int_equal(cell.events[RADIO_FLUSH], 2);
    assert_null(cell.ms[0].first); // what the owner does then
    assert_false(radio_has_channel(cell.radio, 0));
    cell_run(MS(3000));
    assert_int_equal(cell.logs, 3);
    radio_release(cell.radio, 1, cell_now());
    assert_int_equal(cell.events[RADIO_BACK], 2);
    cell_down(0, CS2);
    cell_run(MS(4000));
    cell_expect(3, MS(3040), 0, RADIO_DOWN, 6, ARRIVED);
    cell_end(2);
}

// A block that ends when the call comes has arrived, one that ends later has not.
static void test_a_block_under_way_is_gone(void **state)
{
    (void)state;
    for (uint32_t early = 0; early < 2; early++) {
        cell_config();
        begin(1, CS2);
        cell_run(MS(40) - early);
        radio_preempt(cell.radio, 1, cell_now());
        cell_expect(0, MS(40) - early, 0, RADIO_DOWN, 0, early ? RADIO_LOSS_preempted : ARRIVED);
        cell_end(2);
    }
}

static void preempt_now(void *self, uint64_t now_ns)
{
    (void)self;
    radio_preempt(cell.radio, 1, now_ns);
}

// The same when the call comes before the radio's own work at that instant.
static void test_a_block_that_has_just_ended_has_arrived(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell_begin(1, 1);
    struct engine_timer timer;
    engine_timer_init(&timer, preempt_now, NULL);
    engine_set(cell.engine, &timer, MS(40)); // before the radio sets its timer for then
    cell_down(0, CS2);
    cell_down(0, CS2);
    cell_run(MS(100));
    assert_int_equal(cell.logs, 1);
    cell_expect(0, MS(40), 0, RADIO_DOWN, 0, ARRIVED);
    assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->blocks, 1);
    cell_end(1);
}

// Held PDUs start again from their first octet.
static void test_hold(void **state)
{
    (void)state;
    cell_config();
    cell.config.hold_taken_ns = MS(5000);
    begin(3, 60);
    cell_run(MS(90)); // 0 has arrived, one block of 1 too, the other is under way
    radio_preempt(cell.radio, 1, cell_now());
    assert_true(radio_held(cell.radio, 0, RADIO_DOWN).packets == 1);
    cell_run(MS(4000));
    assert_int_equal(cell.logs, 1);
    assert_int_equal(cell.events[RADIO_FLUSH], 0);
    radio_release(cell.radio, 1, cell_now());
    cell_run(MS(6000));
    cell_expect(1, MS(4060), 0, RADIO_DOWN, 1, ARRIVED); // two blocks again
    cell_expect(2, MS(4100), 0, RADIO_DOWN, 2, ARRIVED);
    assert_int_equal(cell.events[RADIO_FLUSH], 0);
    cell_end(2);
}

static void test_hold_ends_with_a_flush(void **state)
{
    (void)state;
    cell_config();
    cell.config.hold_taken_ns = MS(700);
    begin(3, 60);
    cell_run(MS(65));
    radio_preempt(cell.radio, 1, cell_now());
    cell_run(MS(765) - 1);
    assert_int_equal(cell.logs, 1);
    cell_run(MS(765));
    cell_expect(1, MS(765), 0, RADIO_DOWN, 1, RADIO_LOSS_preempted);
    assert_int_equal(cell.events[RADIO_FLUSH], 2);
    assert_true(cell.event_ns[RADIO_FLUSH] == MS(765));
    cell_end(2);
}

static void test_a_call_that_leaves_slots_takes_no_channel(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 4;
    cell_begin(1, 1);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_run(MS(20 * 101));
    assert_int_equal(cell.logs, 400);
    radio_preempt(cell.radio, 3, cell_now());
    cell_run(MS(20 * 202));
    assert_int_equal(cell.logs, 404 + 100);
    radio_release(cell.radio, 1, cell_now());
    cell_run(MS(20 * 303));
    assert_int_equal(cell.logs, 504 + 1 + 200);
    assert_int_equal(cell.events[RADIO_TAKEN], 0);
    assert_int_equal(lost(RADIO_DOWN, RADIO_LOSS_preempted), 0);
    cell_end(1);
}

static void test_the_number_of_slots_changes(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell_begin(1, 1);
    radio_preempt(cell.radio, 2, 0); // more than there are
    assert_int_equal(cell.events[RADIO_TAKEN], 1);
    radio_set_slots(cell.radio, 2, 0);
    assert_int_equal(cell.events[RADIO_BACK], 0);
    radio_set_slots(cell.radio, 5, 0);
    assert_int_equal(cell.events[RADIO_BACK], 1);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_run(MS(40));
    assert_int_equal(cell.logs, 3);
    radio_set_slots(cell.radio, 0, cell_now());
    assert_int_equal(cell.events[RADIO_TAKEN], 2);
    cell_end(1);
}

// --- One MS --------------------------------------------------------------------------------------

static void test_the_call_of_one_ms(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 2;
    cell_begin(2, 1);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_endless(1, RADIO_DOWN, CS2);
    cell_run(MS(50));
    radio_preempt_ms(cell.radio, 1, cell_now());
    assert_int_equal(cell.events[RADIO_TAKEN], 1);
    assert_int_equal(lost(RADIO_DOWN, RADIO_LOSS_preempted), 1);
    assert_true(radio_has_channel(cell.radio, 0) && !radio_has_channel(cell.radio, 1));
    uint32_t before = cell.ms[0].next_arrival[RADIO_DOWN];
    cell_run(MS(250));
    assert_int_equal(cell.ms[0].next_arrival[RADIO_DOWN], before + 1 + 2 * 9);
    // Overlapping calls: the MS and the cell.
    radio_preempt_ms(cell.radio, 1, cell_now());
    radio_release_ms(cell.radio, 1, cell_now());
    radio_preempt(cell.radio, 2, cell_now());
    assert_int_equal(cell.events[RADIO_TAKEN], 2);
    radio_release_ms(cell.radio, 1, cell_now());
    assert_int_equal(cell.events[RADIO_BACK], 0);
    radio_release(cell.radio, 1, cell_now());
    assert_int_equal(cell.events[RADIO_BACK], 2);
    cell_end(2);
}

// --- What resumes --------------------------------------------------------------------------------

static bool ready_when_back;

// Over a short call the radio holds PDU 2 and the BSC's buffer PDU 3; the channel is back at 1000
// ms.
static void begin_resume(enum radio_resume resume)
{
    cell_config();
    cell.config.hold_taken_ns = MS(5000);
    cell.config.resume = resume;
    cell.config.down_setup_ns = MS(100);
    cell.config.up_setup_ns = MS(100);
    cell.ready_when_back = ready_when_back;
    begin(4, CS2);
    cell_run(MS(150));
    assert_int_equal(cell.logs, 2); // blocks from 100 ms on
    radio_preempt(cell.radio, 1, cell_now());
    cell_run(MS(1000));
    radio_release(cell.radio, 1, cell_now());
}

static void test_resume_at_once(void **state)
{
    (void)state;
    begin_resume(RADIO_RESUME_AT_ONCE);
    cell_run(MS(3000));
    cell_expect(2, MS(1120), 0, RADIO_DOWN, 2, ARRIVED);
    cell_expect(3, MS(1140), 0, RADIO_DOWN, 3, ARRIVED);
    cell_end(2);
}

static void test_resume_by_new_data(void **state)
{
    (void)state;
    for (uint32_t ready = 0; ready < 2; ready++) {
        ready_when_back = ready;
        begin_resume(RADIO_RESUME_BY_ACTIVITY);
        cell_run(MS(3000));
        assert_int_equal(cell.logs, 2);
        cell_down(0, CS2);
        cell_run(MS(4000));
        cell_expect(2, MS(3120), 0, RADIO_DOWN, 2, ARRIVED);
        cell_expect(3, MS(3140), 0, RADIO_DOWN, 3, ARRIVED);
        cell_expect(4, MS(3160), 0, RADIO_DOWN, 4, ARRIVED);
        cell_end(2);
    }
    ready_when_back = false;
}

// Data that comes during the call, after the flush, is what the owner's buffer has when it ends.
static void test_resume_of_what_came_during_the_call(void **state)
{
    (void)state;
    for (uint32_t resume = 0; resume < 2; resume++) {
        cell_config();
        cell.config.resume = resume;
        begin(1, CS2);
        cell_run(MS(10));
        radio_preempt(cell.radio, 1, cell_now());
        cell_run(MS(500));
        cell_down(0, CS2);
        cell_run(MS(1000));
        radio_release(cell.radio, 1, cell_now());
        cell_run(MS(3000));
        assert_int_equal(cell.logs, resume == RADIO_RESUME_AT_ONCE ? 1 : 0);
        // The other MS has had no data: its first data is served at once.
        cell_down(1, CS2);
        cell_run(MS(4000));
        cell_expect(cell.logs - 1, MS(3040), 1, RADIO_DOWN, 0, ARRIVED);
        cell_end(2);
    }
}

// As in preempt-2004: the first thing after the call is the request for an uplink channel.
static void test_resume_by_the_uplink(void **state)
{
    (void)state;
    begin_resume(RADIO_RESUME_BY_ACTIVITY);
    cell_run(MS(3000));
    cell_up(1, CS2); // another MS
    cell_run(MS(4000));
    assert_int_equal(cell.logs, 3);
    cell_up(0, CS2);
    cell_run(MS(5000));
    // The uplink is open at 4100 ms, the downlink beside it in the next period.
    cell_expect(3, MS(4120), 0, RADIO_UP, 0, ARRIVED);
    cell_expect(4, MS(4140), 0, RADIO_DOWN, 2, ARRIVED);
    cell_end(2);
}

// The MS keeps its uplink over a call and asks for a channel when the call ends.
static void test_the_uplink_is_kept(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 1;
    cell.config.up_setup_ns = MS(100);
    cell_begin(1, 1);
    cell_up(0, 60);
    cell_up(0, CS2);
    cell_run(MS(130)); // a block of number 0 has arrived
    radio_preempt(cell.radio, 1, cell_now());
    cell_run(MS(2000));
    assert_int_equal(cell.logs, 0);
    radio_release(cell.radio, 1, cell_now());
    cell_run(MS(3000));
    cell_expect(0, MS(2140), 0, RADIO_UP, 0, ARRIVED);
    cell_expect(1, MS(2160), 0, RADIO_UP, 1, ARRIVED);
    cell_end(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush_at_once),
        cmocka_unit_test(test_a_block_under_way_is_gone),
        cmocka_unit_test(test_a_block_that_has_just_ended_has_arrived),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_hold_ends_with_a_flush),
        cmocka_unit_test(test_a_call_that_leaves_slots_takes_no_channel),
        cmocka_unit_test(test_the_number_of_slots_changes),
        cmocka_unit_test(test_the_call_of_one_ms),
        cmocka_unit_test(test_resume_at_once),
        cmocka_unit_test(test_resume_by_new_data),
        cmocka_unit_test(test_resume_of_what_came_during_the_call),
        cmocka_unit_test(test_resume_by_the_uplink),
        cmocka_unit_test(test_the_uplink_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
