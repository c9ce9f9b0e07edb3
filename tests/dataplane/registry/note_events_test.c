// Control's picture and how old a worker's word is: when a removed cell is gone, whatever its
// worker or another has to tell; that an event's ids stand for whom the worker meant, or for
// nobody; and events that wait in control's memory.
#include "tests/dataplane/path/path.h"

#include <errno.h>
#include <rte_mbuf.h>
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
                          .commands = dp_stats(dp_worker(p.dp, worker))->commands};
    assert_true(event_put(dp_worker(p.dp, worker)->events, &event));
}

static struct event take_event(void)
{
    struct event event;
    assert_true(dp_event(p.dp, &event));
    return event;
}

static void open_two_workers(void)
{
    struct dp_config c = path_small_config(100, 64);
    c.workers = c.nses = 2;
    c.nsvcs = c.bvcs = 4;
    path_open_small_config(&c);
    p.hold_events = true;
    path_nse(1);
    path_nsvc(1, 1, false, 1);
    path_bvc(1, 1, 3);
    path_ms(1, 1, 500);
    path_bvc(2, 0, 4);
}

static void a_cell_is_gone_whatever_another_worker_says(void **state)
{
    (void)state;
    open_two_workers();
    put_event(1);
    TRY(0, bvc_remove, 2);
    TRY(-EAGAIN, bvc, .bvc_id = 2, .bvci = 4);
    path_poll();
    put_event(1);
    TRY(0, bvc, .bvc_id = 2, .bvci = 4);
    path_poll();
    take_event();
    take_event();
    path_close();
}

// Nobody takes what its own worker tells.
static void a_cell_is_gone_whatever_its_own_worker_says(void **state)
{
    (void)state;
    open_two_workers();
    put_event(0);
    TRY(0, bvc_remove, 2);
    put_event(0);
    TRY(-EAGAIN, bvc, .bvc_id = 2, .bvci = 4);
    path_poll();
    put_event(0);
    TRY(0, bvc, .bvc_id = 2, .bvci = 4);
    path_poll();
    for (int i = 0; i < 3; i++)
        take_event();
    path_close();
}

// Its id goes to an NSE of the other worker while an event of its own worker waits.
static void a_cell_that_has_gone_leaves_its_id_to_another_worker(void **state)
{
    (void)state;
    open_two_workers();
    put_event(0);
    DO(bvc_remove, 2);
    put_event(0);
    DO(bvc, .bvc_id = 2, .nse_id = 1, .bvci = 9);
    path_ms(2, 2, 500);
    take_event();
    take_event();
    path_close();
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
    path_ms(1, 1, 500);
    expect_ids(1, 1, 1, none);
    put_event(1);
    expect_ids(1, 1, 1, 1);
    put_event(1);
    DO(ms_remove, 1);
    TRY(0, bvc_remove, 1);
    DO(nsvc_remove, 1);
    expect_ids(1, none, none, none);
    put_event(1);
    DO(nse_remove, 1);
    path_nse(1);
    path_nsvc(1, 1, false, 1);
    path_bvc(1, 1, 3);
    path_ms(1, 1, 500);
    expect_ids(none, none, none, none);
    put_event(1);
    expect_ids(1, 1, 1, 1);
    path_close();
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
    path_close();
}

// As if so many commands had gone to worker 1; then enough that each MS's record is looked at.
static void pass(uint32_t commands)
{
    p.dp->registry.worker[1].sent += commands;
    dp_worker(p.dp, 1)->stats.commands += commands;
    for (uint32_t i = 0; i < PATH_MSS; i++) {
        TRY(0, bvc_credit, .bvc_id = 1, .octets = 1);
        if (i % 1024 == 0)
            path_poll();
    }
    path_poll();
}

// What is said of an MS that was made 2^32 commands ago counts, though their counts have run round.
static void an_ms_is_itself_for_ever(void **state)
{
    (void)state;
    open_two_workers();
    uint32_t since = p.dp->registry.ms[1].since;
    for (int i = 0; i < 3; i++)
        pass(1u << 30);
    uint32_t left = since - 5 - (uint32_t)p.dp->registry.worker[1].sent;
    p.dp->registry.worker[1].sent += left;
    dp_worker(p.dp, 1)->stats.commands += left;
    put_event(1);
    for (int i = 0; i < 10; i++)
        TRY(0, bvc_credit, .bvc_id = 1, .octets = 1);
    assert_int_equal(take_event().ms_id, 1);
    TRY(0, ms_remove, 1);
    path_poll();
    put_event(1);
    TRY(0, ms, .ms_id = 1, .bvc_id = 1, .tlli = 99, .n201_u = 500);
    assert_true(take_event().ms_id == EVENT_NONE);
    path_poll();
    path_close();
}

static void put_pdu(const char *text)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(p.far[STATS_GB][0].pool);
    assert_non_null(m);
    uint8_t *at = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)strlen(text));
    memcpy(at, text, strlen(text));
    struct event event = event_of(EVENT_ns, 0, dp_stats(p.worker)->commands);
    event.pdu = (struct octets){at, (uint32_t)strlen(text)};
    event.buffer = m;
    assert_true(event_put(p.worker->events, &event));
}

static void expect_pdu(const char *text)
{
    struct event event = take_event();
    assert_int_equal(event.pdu.n, strlen(text));
    assert_memory_equal(event.pdu.at, text, event.pdu.n);
    dp_event_done(p.dp, &event);
}

// They come in the workers' order, their ids as of when control gets them, and hold no buffer.
static void events_wait_in_controls_memory(void **state)
{
    (void)state;
    open_two_workers();
    uint32_t in_use = rte_mempool_in_use_count(p.far[STATS_GB][0].pool);
    put_pdu("first");
    put_pdu("second");
    put_event(1);
    dp_events_keep(p.dp);
    assert_true(rte_ring_empty(p.worker->events));
    assert_int_equal(rte_mempool_in_use_count(p.far[STATS_GB][0].pool), in_use);
    put_pdu("third");
    DO(ms_remove, 1);
    expect_pdu("first");
    expect_pdu("second");
    expect_ids(1, 1, 1, EVENT_NONE);
    expect_pdu("third");
    put_pdu("fourth"); // which the end takes
    dp_events_keep(p.dp);
    put_pdu("fifth");
    path_close();
}

// An NSE may have half of it, and what is more is shed and counted: there is room for the others'.
static void controls_memory_has_an_end(void **state)
{
    static char text[1000];
    struct event event;
    uint32_t kept = 20000;
    (void)state;
    open_two_workers();
    memset(text, 'x', sizeof text - 1);
    for (uint32_t i = 0; i < kept; i++) {
        put_pdu(text);
        dp_events_keep(p.dp);
        assert_true(rte_ring_empty(p.worker->events));
    }
    kept -= (uint32_t)dp_events_shed(p.dp);
    assert_in_range((uint64_t)kept * sizeof text, 6u << 20, 8u << 20);
    while (dp_event(p.dp, &event)) {
        kept--;
        dp_event_done(p.dp, &event);
    }
    assert_int_equal(kept, 0);
    put_pdu("room");
    dp_events_keep(p.dp);
    assert_true(rte_ring_empty(p.worker->events));
    expect_pdu("room");
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_gone_whatever_another_worker_says),
        cmocka_unit_test(a_cell_is_gone_whatever_its_own_worker_says),
        cmocka_unit_test(a_cell_that_has_gone_leaves_its_id_to_another_worker),
        cmocka_unit_test(an_event_names_nobody_who_has_an_id_since),
        cmocka_unit_test(an_event_of_an_ms_that_moves),
        cmocka_unit_test(an_ms_is_itself_for_ever),
        cmocka_unit_test(events_wait_in_controls_memory),
        cmocka_unit_test(controls_memory_has_an_end),
    };
    return cmocka_run_group_tests_name("note_events", tests, path_start_eal, NULL);
}
