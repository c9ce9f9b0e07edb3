// Control's picture and how old a worker's word is: when a removed cell is gone, with events that
// wait or never end; and that an event's ids stand for whom the worker meant, or for nobody.
#include "tests/dataplane/down/thread.h"

#include <errno.h>
#include <string.h>

#include "dataplane/dataplane_parts.h"

// Of NSE, NS-VC and cell 1, which are worker 1's, and MS 1 in it; the others are worker 0's.
static void put_event(uint32_t worker)
{
    struct event event = {.kind = EVENT_ns,
                          .worker = (uint8_t)worker,
                          .nse_id = worker,
                          .nsvc_id = worker,
                          .bvc_id = worker,
                          .ms_id = worker,
                          .commands = dp_stats(dp_worker(t.dp, worker))->commands};
    assert_true(event_put(dp_worker(t.dp, worker)->events, &event));
}

static struct event take_event(void)
{
    struct event event;
    assert_true(dp_event(t.dp, &event));
    return event;
}

static void open_two_workers(void)
{
    struct dp_config c = thread_config(100, 64);
    c.workers = c.nses = 2;
    c.nsvcs = c.bvcs = 4;
    thread_open_config(&c);
    thread_add_nse(1);
    thread_add_cell(1, 1);
    thread_add_plain_ms_in(1, 1, 500);
    thread_add_cell(2, 0);
}

static void a_cell_is_gone_whatever_another_worker_says(void **state)
{
    (void)state;
    open_two_workers();
    put_event(1);
    TRY(0, bvc_remove, 2);
    TRY(-EAGAIN, bvc, .bvc_id = 2, .bvci = 4);
    thread_poll_to_rest();
    put_event(1);
    TRY(0, bvc, .bvc_id = 2, .bvci = 4);
    thread_poll_to_rest();
    take_event();
    take_event();
    thread_close();
}

// Its own worker has always something to say.
static void a_cell_is_gone_with_the_first_event_behind_its_removal(void **state)
{
    (void)state;
    open_two_workers();
    put_event(0);
    TRY(0, bvc_remove, 2);
    put_event(0);
    thread_poll_to_rest();
    put_event(0);
    put_event(0);
    for (int before = 0; before < 2; before++) {
        TRY(-EAGAIN, bvc, .bvc_id = 2, .bvci = 4);
        take_event();
    }
    TRY(-EAGAIN, bvc, .bvc_id = 2, .bvci = 4);
    take_event();
    TRY(0, bvc, .bvc_id = 2, .bvci = 4);
    thread_poll_to_rest();
    take_event();
    thread_close();
}

static void expect_ids(uint32_t nse, uint32_t nsvc, uint32_t bvc, uint32_t ms)
{
    struct event event = take_event();
    assert_int_equal(event.nse_id, nse);
    assert_int_equal(event.nsvc_id, nsvc);
    assert_int_equal(event.bvc_id, bvc);
    assert_int_equal(event.ms_id, ms);
}

// Each id in turn is given to another, or to nobody, between the worker's word and control's look.
static void an_event_names_nobody_who_has_an_id_since(void **state)
{
    const uint32_t none = EVENT_NONE;
    (void)state;
    open_two_workers();
    put_event(1);
    DO(ms_flush, 1);
    expect_ids(1, 1, 1, 1);
    put_event(1);
    DO(ms_remove, 1);
    put_event(1);
    expect_ids(1, 1, 1, none);
    thread_add_plain_ms_in(1, 1, 500);
    expect_ids(1, 1, 1, none);
    put_event(1);
    expect_ids(1, 1, 1, 1);
    put_event(1);
    DO(ms_remove, 1);
    TRY(0, bvc_remove, 1);
    DO(nsvc_remove, 1);
    expect_ids(1, none, 1, none); // the cell may yet be kept
    put_event(1);
    expect_ids(1, none, none, none);
    put_event(1);
    DO(nse_remove, 1);
    thread_add_nse(1);
    thread_add_cell(1, 1);
    thread_add_plain_ms_in(1, 1, 500);
    expect_ids(none, none, none, none);
    put_event(1);
    expect_ids(1, 1, 1, 1);
    thread_close();
}

static void an_event_of_an_ms_that_moves(void **state)
{
    (void)state;
    open_two_workers();
    TRY(0, bvc, .bvc_id = 3, .nse_id = 1, .bvci = 9);
    put_event(1);
    DO(ms_move, 1, 3);
    expect_ids(1, 1, 1, 1); // it is still the same
    put_event(1);
    DO(ms_move, 1, 2);
    DO(ms_move, 1, 1);
    expect_ids(1, 1, 1, EVENT_NONE); // it may be another, as far as worker 1 goes
    put_event(1);
    expect_ids(1, 1, 1, 1);
    for (int i = 0; i < 100; i++) // worker 1 has counted further than worker 0
        DO(ms_flush, 1);
    put_event(1);
    DO(ms_move, 1, 2);
    expect_ids(1, 1, 1, EVENT_NONE);
    thread_close();
}

// As if so many commands had gone to worker 1; then enough that each MS's record is looked at.
static void pass(uint32_t commands)
{
    t.dp->commands.worker[1].sent += commands;
    dp_worker(t.dp, 1)->stats.commands += commands;
    for (uint32_t i = 0; i < MSS; i++) {
        TRY(0, bvc_credit, .bvc_id = 1, .octets = 1);
        if (i % 1024 == 0)
            thread_poll_to_rest();
    }
    thread_poll_to_rest();
}

// What is said of an MS that was made 2^32 commands ago counts, though their counts have run round.
static void an_ms_is_itself_for_ever(void **state)
{
    (void)state;
    open_two_workers();
    uint32_t since = t.dp->commands.ms[1].since;
    for (int i = 0; i < 3; i++)
        pass(1u << 30);
    uint32_t left = since - 5 - (uint32_t)t.dp->commands.worker[1].sent;
    t.dp->commands.worker[1].sent += left;
    dp_worker(t.dp, 1)->stats.commands += left;
    put_event(1);
    for (int i = 0; i < 10; i++)
        TRY(0, bvc_credit, .bvc_id = 1, .octets = 1);
    assert_int_equal(take_event().ms_id, 1);
    TRY(0, ms_remove, 1);
    thread_poll_to_rest();
    put_event(1);
    TRY(0, ms, .ms_id = 1, .bvc_id = 1, .tlli = 99, .n201_u = 500);
    assert_true(take_event().ms_id == EVENT_NONE);
    thread_poll_to_rest();
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_gone_whatever_another_worker_says),
        cmocka_unit_test(a_cell_is_gone_with_the_first_event_behind_its_removal),
        cmocka_unit_test(an_event_names_nobody_who_has_an_id_since),
        cmocka_unit_test(an_event_of_an_ms_that_moves),
        cmocka_unit_test(an_ms_is_itself_for_ever),
    };
    return cmocka_run_group_tests_name("commands_note_events", tests, thread_start_eal, NULL);
}
