// The cell that an MS is in: where its newest frame came from, as soon as control can be told.
#include "tests/dataplane/up/fixture.h"

static uint32_t cell_of(uint32_t ms)
{
    return u.state.ms[ms].bvc;
}

static void an_ms_heard_in_another_cell_moves(void **state)
{
    struct event e;
    (void)state;
    fixture_give(SEGMENT(.ms = KEYED, .number = 0, .bvci = 3));
    fixture_expect_numbers(KEYED, 1);
    assert_int_equal(cell_of(KEYED), 1);
    assert_int_equal(u.stats.up.moves, 1);
    assert_true(fixture_event(&e));
    assert_int_equal(e.kind, EVENT_moved);
    assert_int_equal(e.ms_id, KEYED);
    assert_int_equal(e.bvc_id, 1);
    assert_int_equal(e.nse_id, 0);
    assert_null(e.buffer);
    assert_int_equal(e.pdu.n, 0);
    fixture_give(SEGMENT(.ms = KEYED, .number = 1, .bvci = 3)); // it is there already
    assert_false(fixture_event(&e));
    fixture_give(SEGMENT(.ms = KEYED, .number = 2, .bvci = 2));
    assert_int_equal(cell_of(KEYED), 0);
    assert_int_equal(u.stats.up.moves, 2);
    fixture_expect_numbers(KEYED, 2);
}

// Who has no key, or an old frame, moves nobody.
static void only_a_new_frame_moves_an_ms(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 10; number += 2)
        fixture_give_number(KEYED, number);
    fixture_give(SEGMENT(.ms = KEYED, .number = 10, .bvci = 3, .forged = true));
    fixture_give(SEGMENT(.ms = KEYED, .number = 10, .bvci = 3, .clear = true));
    fixture_give(SEGMENT(.ms = KEYED, .number = 4, .bvci = 3)); // came already
    fixture_give(SEGMENT(.ms = KEYED, .number = 5, .bvci = 3)); // late: it was there before
    fixture_expect_numbers(KEYED, 6);
    assert_int_equal(cell_of(KEYED), 0);
    assert_int_equal(u.stats.up.moves, 0);
}

// While control cannot be told the MS stays, and its data goes on; the next frame tries again.
static void an_ms_moves_when_control_can_be_told(void **state)
{
    static const uint8_t unblock[] = {0x06};
    struct event e;
    (void)state;
    for (uint32_t i = 0; i < EVENTS; i++)
        fixture_give_pdu(0, unblock, sizeof unblock);
    fixture_give(SEGMENT(.number = 0, .bvci = 3));
    assert_int_equal(cell_of(0), 0);
    assert_int_equal(u.stats.up.moves, 0);
    fixture_expect_numbers(0, 1);
    fixture_expect_event(EVENT_ns, 0, unblock, sizeof unblock);
    fixture_give(SEGMENT(.number = 1, .bvci = 3));
    assert_int_equal(cell_of(0), 1);
    fixture_expect_numbers(0, 1);
    for (uint32_t i = 0; i < EVENTS - 1; i++)
        fixture_expect_event(EVENT_ns, 0, unblock, sizeof unblock);
    assert_true(fixture_event(&e));
    assert_int_equal(e.kind, EVENT_moved);
}

// Nor does an NSE whose MSs go to and fro tell of more moves than control may have before it.
static void so_many_moves_may_be_untaken(void **state)
{
    struct event e;
    (void)state;
    for (uint32_t i = 0; i <= EVENT_MOVES_MOST; i++) {
        fixture_give(SEGMENT(.number = i % 512, .bvci = i % 2 ? 2 : 3));
        fixture_expect_numbers(0, 1);
        assert_int_equal(fixture_event(&e), i < EVENT_MOVES_MOST);
    }
    uint32_t where = cell_of(0);
    assert_int_equal(u.stats.up.moves, EVENT_MOVES_MOST);
    u.moves[0].taken = 1;
    fixture_give(SEGMENT(.number = EVENT_MOVES_MOST + 1, .bvci = where == 1 ? 2 : 3));
    fixture_expect_numbers(0, 1);
    assert_true(fixture_event(&e));
    assert_int_not_equal(cell_of(0), where);
    assert_int_equal(u.stats.up.moves, EVENT_MOVES_MOST + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(an_ms_heard_in_another_cell_moves),
        UP_TEST(only_a_new_frame_moves_an_ms),
        UP_TEST(an_ms_moves_when_control_can_be_told),
        UP_TEST(so_many_moves_may_be_untaken),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
