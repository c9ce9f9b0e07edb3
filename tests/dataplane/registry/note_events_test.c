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

static void put_octets(uint32_t nse, const void *octets, size_t n)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(p.far[STATS_GB][0].pool);
    assert_non_null(m);
    uint8_t *at = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)n);
    memcpy(at, octets, n);
    struct event event = event_of(EVENT_ns, 0, dp_stats(p.worker)->commands);
    event.nse_id = nse;
    event.pdu = (struct octets){at, (uint32_t)n};
    event.buffer = m;
    assert_true(event_put(p.worker->events, &event));
}

static void put_pdu(const char *text)
{
    put_octets(EVENT_NONE, text, strlen(text));
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

// ---- Phones ----

// UL-UNITDATA in an NS-UNITDATA, by its types; or another PDU of the BSS.
static void put_numbered(bool of_phone, uint8_t number)
{
    const uint8_t octets[] = {0, 0, 0, 2, of_phone ? 0x01 : 0x26, number};
    put_octets(0, octets, sizeof octets);
}

// The numbers of the events that control gets, the BSS's own above 99.
static uint32_t take_numbers(uint8_t *numbers, uint32_t most)
{
    struct event event;
    uint32_t n = 0;
    while (n < most && dp_event(p.dp, &event)) {
        numbers[n++] = event.pdu.at[5];
        dp_event_done(p.dp, &event);
    }
    return n;
}

// A phone's turn is 16 events; the BSS's own PDU behind 90 of them waits for no more, and each turn
// keeps its order.
static void phones_delay_no_flow_control(void **state)
{
    uint8_t numbers[256];
    (void)state;
    open_two_workers();
    for (uint8_t i = 0; i < 90; i++)
        put_numbered(true, i);
    put_numbered(false, 100);
    put_numbered(false, 101);
    dp_events_now(p.dp, p.now_ns);
    assert_int_equal(take_numbers(numbers, 256), 92);
    uint8_t next = 0, own = 100;
    for (uint32_t i = 0; i < 92; i++) {
        assert_int_equal(numbers[i], numbers[i] < 100 ? next++ : own++);
        if (numbers[i] == 101)
            assert_true(i <= 16 + 3); // between events in order comes one that waits
    }
    assert_int_equal(next, 90);
    assert_int_equal(own, 102);
    path_close();
}

// Control takes few events at a time. A turn that is over is not whole again before control has
// seen all that had come, however often it is used up and waited for: the BSS's own PDU comes
// behind 16 events in order and 16 that waited, of each of the two other turns.
static void a_turn_is_over_until_all_is_seen(void **state)
{
    static const uint8_t other_bss[] = {0, 0, 0, 2, 0x26, 0};
    const uint32_t most = 2 * 2 * 16;
    uint8_t number = 0;
    (void)state;
    open_two_workers();
    for (uint8_t i = 0; i < 8; i++) {
        for (uint8_t k = 0; k < 17; k++)
            put_numbered(true, 1);
        put_octets(1, other_bss, sizeof other_bss);
    }
    put_numbered(false, 100);
    for (uint32_t i = 0; number != 100; i++) {
        assert_in_range(i, 0, most);
        dp_events_now(p.dp, p.now_ns);
        assert_int_equal(take_numbers(&number, 1), 1);
    }
    path_close();
}

// What phones have sent is shed once it has waited 5 s, and nothing before; the BSS's own never.
static void what_phones_sent_waits_five_seconds(void **state)
{
    uint8_t numbers[256];
    (void)state;
    open_two_workers();
    dp_events_now(p.dp, S_IN_NS);
    for (uint8_t i = 0; i < 60; i++) {
        put_numbered(true, i);
        put_numbered(false, (uint8_t)(100 + i));
    }
    assert_int_equal(take_numbers(numbers, 40), 40);
    dp_events_now(p.dp, 2 * S_IN_NS);
    for (uint8_t i = 60; i < 80; i++)
        put_numbered(true, i);
    assert_int_equal(take_numbers(numbers, 10), 10);
    dp_events_now(p.dp, 6 * S_IN_NS - 1);
    assert_int_equal(take_numbers(numbers, 10), 10);
    assert_int_equal(dp_events_shed_late(p.dp), 0);
    dp_events_now(p.dp, 6 * S_IN_NS);
    uint32_t n = take_numbers(numbers, 256), phones = 0;
    for (uint32_t i = 0; i < n; i++) {
        phones += numbers[i] < 100;
        assert_true(numbers[i] >= 60);
    }
    assert_int_equal(phones, 20);
    assert_int_equal(n + dp_events_shed_late(p.dp), 140 - 60);
    assert_int_equal(dp_events_shed(p.dp), 0);
    path_close();
}

// All phones together have half of the memory, so BSSs' own PDUs find room behind any number of
// NSEs with phones that flood.
static void phones_have_half_of_the_memory(void **state)
{
    static uint8_t octets[1000] = {0, 0, 0, 2, 0x01};
    (void)state;
    open_two_workers();
    uint32_t nses = p.dp->events.strangers, each = 9000;
    assert_true(nses >= 2);
    for (uint32_t nse = 0; nse < nses; nse++)
        for (uint32_t i = 0; i < each; i++) {
            put_octets(nse, octets, sizeof octets);
            dp_events_keep(p.dp);
        }
    uint64_t kept = nses * each - dp_events_shed(p.dp);
    assert_in_range(kept * sizeof octets, 5u << 20, 8u << 20);
    uint64_t shed = dp_events_shed(p.dp);
    octets[4] = 0x26;
    for (uint32_t i = 0; i < 3000; i++) {
        put_octets(0, octets, sizeof octets);
        dp_events_keep(p.dp);
    }
    assert_int_equal(dp_events_shed(p.dp), shed);
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
        cmocka_unit_test(phones_delay_no_flow_control),
        cmocka_unit_test(a_turn_is_over_until_all_is_seen),
        cmocka_unit_test(what_phones_sent_waits_five_seconds),
        cmocka_unit_test(phones_have_half_of_the_memory),
    };
    return cmocka_run_group_tests_name("note_events", tests, path_start_eal, NULL);
}
