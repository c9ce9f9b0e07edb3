// What control reads: events of all workers in turn, and the traffic of cells, NSEs and MSs
// wherever they are.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/dataplane/drop_scopes.h"

// NSEs 0 and 1 at workers 0 and 1, with cells 0 and 1; cell 2 is of NSE 0.
static void open_two_workers(void)
{
    struct dp_config c = path_small_config(100, 64);
    c.workers = c.nses = 2;
    c.bvcs = 4;
    path_open_small_config(&c);
    p.hold_events = true;
    path_nse(1);
    path_nsvc(1, 1, false, 1);
    path_bvc(1, 1, 3);
    path_bvc(2, 0, 4);
}

static void put_event(uint32_t worker)
{
    struct event event = event_of(EVENT_ns, worker, 0);
    assert_true(event_put(dp_worker(p.dp, worker)->events, &event));
}

// One that always has something to say takes nobody's turn, in rounds of any length.
static void workers_are_heard_in_turn(void **state)
{
    struct event event;
    uint32_t taken[2] = {0};
    (void)state;
    open_two_workers();
    for (uint32_t i = 0; i < DP_EVENT_RING - 1; i++)
        put_event(0);
    for (uint32_t i = 0; i < 20; i++)
        put_event(1);
    for (uint32_t i = 0; i < 41; i++) {
        assert_true(dp_event(p.dp, &event));
        taken[event.worker]++;
    }
    assert_int_equal(taken[1], 20);
    while (dp_event(p.dp, &event))
        taken[event.worker]++;
    assert_int_equal(taken[0], DP_EVENT_RING - 1);
    path_close();
}

static void expect(struct dp_traffic traffic, uint64_t down_frames, uint64_t dropped,
                   uint64_t queued)
{
    assert_int_equal(traffic.down_frames, down_frames);
    assert_int_equal(traffic.down_octets > 0, down_frames > 0);
    assert_int_equal(traffic.dropped_npdus, dropped);
    assert_int_equal(traffic.queued.packets, queued);
    assert_int_equal(traffic.queued.octets, 100 * queued);
}

static void traffic_is_where_it_is(void **state)
{
    (void)state;
    open_two_workers();
    path_plain_ms(0, 0, 500);
    p.lossy_down = true; // what goes to worker 1 is not looked at here
    for (int i = 0; i < 3; i++)
        path_down(0, 100);
    path_poll();
    DO(bvc_reset, 0);
    for (int i = 0; i < 2; i++)
        path_down(0, 100);
    path_poll();
    expect(dp_bvc_traffic(p.dp, 0), 3, 0, 2);
    expect(dp_ms_traffic(p.dp, 0), 3, 0, 2);
    expect(dp_nse_traffic(p.dp, 0), 3, 0, 2);
    expect(dp_nse_traffic(p.dp, 1), 0, 0, 0);
    DO(bvc_reset, 1);
    DO(ms_move, 0, 1);
    expect(dp_bvc_traffic(p.dp, 0), 3, 0, 0);
    expect(dp_bvc_traffic(p.dp, 1), 0, 0, 2);
    expect(dp_nse_traffic(p.dp, 1), 0, 0, 2);
    expect(dp_ms_traffic(p.dp, 0), 3, 0, 2); // with all that it has
    DO(ms_flush, 0);
    expect(dp_bvc_traffic(p.dp, 1), 0, 2, 0);
    expect(dp_ms_traffic(p.dp, 0), 3, 2, 0);
    DO(ms_move, 0, 2);
    expect(dp_ms_traffic(p.dp, 0), 3, 2, 0);
    expect(dp_nse_traffic(p.dp, 0), 3, 0, 0);
    path_close();
}

// Of user data, whether it went or not counts with what has gone; an MS that has left is none.
static void the_last_ms_of_a_cell(void **state)
{
    (void)state;
    open_two_workers();
    path_plain_ms(0, 0, 500);
    path_plain_ms(1, 0, 500);
    p.lossy_down = true; // what goes to worker 1 is not looked at here
    assert_int_equal(dp_bvc_last_ms(p.dp, 0), EVENT_NONE);
    for (uint32_t ms = 0; ms < 2; ms++) {
        path_down(ms, 100);
        path_poll();
        assert_int_equal(dp_bvc_last_ms(p.dp, 0), ms);
        assert_int_equal(dp_bvc_last_ms(p.dp, 1), EVENT_NONE);
    }
    DO(bvc_reset, 0); // stopped: this one waits
    path_down(0, 100);
    path_poll();
    assert_int_equal(dp_bvc_last_ms(p.dp, 0), 1);
    DO(ms_move, 1, 1);
    assert_int_equal(dp_bvc_last_ms(p.dp, 0), EVENT_NONE);
    assert_int_equal(dp_bvc_last_ms(p.dp, 1), EVENT_NONE);
    assert_int_equal(dp_bvc_last_ms(p.dp, PATH_BVCS), EVENT_NONE);
    path_close();
}

static void expect_waiting(uint32_t in_cell_0, uint32_t in_cell_1)
{
    assert_int_equal(dp_bvc_waiting(p.dp, 0), in_cell_0);
    assert_int_equal(dp_bvc_waiting(p.dp, 1), in_cell_1);
}

// However many N-PDUs each has; a frozen MS waits for something else.
static void who_waits_in_a_cell(void **state)
{
    (void)state;
    open_two_workers();
    path_plain_ms(0, 0, 500);
    path_plain_ms(1, 0, 500);
    p.lossy_down = true; // what goes to worker 1 is not looked at here
    DO(bvc_reset, 0);    // stopped
    DO(bvc_reset, 1);
    expect_waiting(0, 0);
    for (uint32_t i = 0; i < 3; i++)
        path_down(i / 2, 100);
    path_poll();
    expect_waiting(2, 0);
    DO(ms_freeze, .ms_id = 1);
    expect_waiting(1, 0);
    DO(ms_release, .ms_id = 1);
    expect_waiting(2, 0);
    DO(ms_move, 0, 1);
    expect_waiting(1, 1);
    DO(ms_flush, 1);
    expect_waiting(0, 1);
    assert_int_equal(dp_bvc_waiting(p.dp, PATH_BVCS), 0);
    path_close();
}

// What the worker itself tells of its first cell or MS.
static const struct dp_query *ask_worker(enum view_kind kind)
{
    static struct dp_query q;
    q = (struct dp_query){.kind = kind, .of = VIEW_ALL, .first = 0, .end = 1};
    dp_ask(p.dp, 0, &q);
    path_poll();
    assert_true(dp_answered(p.dp, 0));
    assert_int_equal(q.n, 1);
    return &q;
}

// From the first reason of the list to the last, each once.
static void a_drop_counts_whatever_its_reason(void **state)
{
    uint32_t dropped = 0;
    (void)state;
    open_two_workers();
    path_plain_ms(0, 0, 500);
    uint32_t place = dp_at_place(dp_ms_at(p.dp, 0));
    for (int reason = 0; reason < DROP_COUNT; reason++) {
        bool counts = drop_may_be(reason, "class") && reason != DROP_shutdown;
        state_count_drop(&p.worker->state, place, reason);
        dropped += counts;
        expect(dp_bvc_traffic(p.dp, 0), 0, dropped, 0);
        expect(dp_nse_traffic(p.dp, 0), 0, dropped, 0);
        expect(dp_ms_traffic(p.dp, 0), 0, dropped, 0);
        const struct dp_query *q = ask_worker(VIEW_BVCS);
        assert_int_equal(q->bvc[0].dropped_npdus, dropped);
        assert_true(!counts || q->bvc_drops[0].npdus[stats_npdu_of[reason]] == 1);
        q = ask_worker(VIEW_MSS);
        assert_int_equal(q->ms[0].dropped_npdus, dropped);
        assert_true(!counts || q->ms_drops[0].npdus[stats_npdu_of[reason]] == 1);
    }
    path_close();
}

#define STEP_NS (1ULL << STATE_TICK_SHIFT)

// At the present time.
static void silent_for(uint32_t ms, uint64_t ns)
{
    dp_events_now(p.dp, p.now_ns);
    uint64_t said = dp_ms_silence_ns(p.dp, ms);
    if (said + 2 * STEP_NS < ns || said > ns + 2 * STEP_NS)
        fail_msg("%lu ns, and not %lu", (unsigned long)said, (unsigned long)ns);
}

// What the MS gets says nothing of it; what it sends, and what control knows of it, does. While a
// command that makes or moves it is on its way, its place is still another's.
static void how_long_an_ms_is_silent(void **state)
{
    (void)state;
    open_two_workers();
    p.now_ns = 1000 * S_IN_NS;
    path_plain_ms(0, 0, 500);
    path_plain_ms(1, 1, 500);
    silent_for(0, 0);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    path_down(0, 100);
    path_poll();
    silent_for(0, 5 * S_IN_NS);
    silent_for(1, 5 * S_IN_NS);
    path_up(0, 100);
    path_poll();
    silent_for(0, 0);
    silent_for(1, 5 * S_IN_NS);
    for (uint32_t i = 1; i < 100; i++) {
        p.now_ns += 7 * MS_IN_NS;
        silent_for(0, i * 7 * MS_IN_NS);
    }
    path_run_until(p.now_ns + 10000 * S_IN_NS);
    DO(ms_release, 0);
    silent_for(0, 0);
    silent_for(1, 10000 * S_IN_NS + 5693 * MS_IN_NS);
    path_ms_remove(1); // its place at worker 1 has been silent for long
    assert_true(dp_ms_silence_ns(p.dp, 1) == TIME_NEVER);
    assert_true(dp_ms_silence_ns(p.dp, PATH_MSS) == TIME_NEVER);
    path_run_until(p.now_ns + 3 * S_IN_NS);
    silent_for(0, 3 * S_IN_NS);
    p.defer = true;
    TRY(0, ms_release, 0); // control has heard it, and its worker does not know yet
    silent_for(0, 0);
    TRY(0, ms, .ms_id = 1, .bvc_id = 1, .tlli = 5, .n201_u = 500);
    silent_for(1, 0);
    TRY(0, ms_move, 0, 1); // worker 1 has not got it yet
    silent_for(0, 0);
    path_poll();
    silent_for(0, 0);
    silent_for(1, 0);
    path_run_until(p.now_ns + 2 * S_IN_NS);
    silent_for(0, 2 * S_IN_NS);
    p.lossy_down = true;
    p.blind = true;
    path_close();
}

static void there_is_none_of_whom_there_is_not(void **state)
{
    static const struct dp_traffic none;
    (void)state;
    open_two_workers();
    path_plain_ms(0, 0, 500);
    path_down(0, 100);
    path_poll();
    for (uint32_t id = 3; id != 2; id = id == UINT32_MAX ? 2 : id == 3 ? 4 : UINT32_MAX) {
        struct dp_traffic traffic = dp_bvc_traffic(p.dp, id);
        assert_memory_equal(&traffic, &none, sizeof none);
        traffic = dp_nse_traffic(p.dp, id);
        assert_memory_equal(&traffic, &none, sizeof none);
        traffic = dp_ms_traffic(p.dp, id == 4 ? PATH_MSS : id);
        assert_memory_equal(&traffic, &none, sizeof none);
    }
    DO(pdp_remove, 0);
    DO(ms_remove, 0);
    DO(bvc_remove, 0);
    DO(bvc_reset, 2); // the removal is confirmed by now
    struct dp_traffic traffic = dp_ms_traffic(p.dp, 0);
    assert_memory_equal(&traffic, &none, sizeof none);
    traffic = dp_bvc_traffic(p.dp, 0);
    assert_memory_equal(&traffic, &none, sizeof none);
    path_close();
}

static void expect_ms(uint32_t nse, uint32_t tlli, uint32_t ms, uint32_t bvc, uint32_t now)
{
    uint32_t found = 0;
    assert_int_equal(dp_ms_of(p.dp, nse, tlli), ms);
    if (ms == EVENT_NONE)
        return;
    assert_int_equal(dp_ms_cell(p.dp, ms, &found), bvc);
    assert_int_equal(found, now);
}

// By what control has said alone: the workers have not looked yet.
static void found_by_name(void **state)
{
    uint32_t tlli;
    (void)state;
    open_two_workers();
    TRY(0, ms, 3, 0, 77, 500);
    expect_ms(0, 77, 3, 0, 77);
    expect_ms(1, 77, EVENT_NONE, 0, 0);
    expect_ms(2, 77, EVENT_NONE, 0, 0);
    expect_ms(0x80000000u, 77, EVENT_NONE, 0, 0);
    expect_ms(0, 78, EVENT_NONE, 0, 0);
    TRY(0, ms_tlli, .ms_id = 3, .tlli = 78);
    expect_ms(0, 77, 3, 0, 78); // as long as it is an alias
    expect_ms(0, 78, 3, 0, 78);
    TRY(0, ms_move, 3, 1);
    expect_ms(0, 78, EVENT_NONE, 0, 0);
    expect_ms(0, 77, EVENT_NONE, 0, 0);
    expect_ms(1, 78, 3, 1, 78);
    TRY(0, ms_remove, 3);
    expect_ms(1, 78, EVENT_NONE, 0, 0);
    assert_int_equal(dp_ms_cell(p.dp, 3, &tlli), EVENT_NONE);
    assert_int_equal(dp_ms_cell(p.dp, PATH_MSS, &tlli), EVENT_NONE);
    assert_int_equal(dp_bvc_of(p.dp, 0, 2), 0);
    assert_int_equal(dp_bvc_of(p.dp, 0, 4), 2);
    assert_int_equal(dp_bvc_of(p.dp, 1, 2), EVENT_NONE);
    assert_int_equal(dp_bvc_of(p.dp, 0x80000000u, 2), EVENT_NONE);
    assert_int_equal(dp_bvc_of(p.dp, 0, 0x10002), EVENT_NONE);
    TRY(0, bvc_remove, 2);
    assert_int_equal(dp_bvc_of(p.dp, 0, 4), EVENT_NONE); // though it may still be kept
    path_poll();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_by_name),
        cmocka_unit_test(workers_are_heard_in_turn),
        cmocka_unit_test(traffic_is_where_it_is),
        cmocka_unit_test(the_last_ms_of_a_cell),
        cmocka_unit_test(who_waits_in_a_cell),
        cmocka_unit_test(a_drop_counts_whatever_its_reason),
        cmocka_unit_test(how_long_an_ms_is_silent),
        cmocka_unit_test(there_is_none_of_whom_there_is_not),
    };
    return cmocka_run_group_tests_name("dataplane_read", tests, path_start_eal, NULL);
}
