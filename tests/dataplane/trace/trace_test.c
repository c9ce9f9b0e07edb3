// The trace as a whole: whom it traces, that it is bounded and ends by itself, that a full ring
// costs records and no packet, and that of all traffic, however it ends, it tells the truth.
#include "tests/dataplane/trace/traced.h"

static void open_two_ms(uint32_t workers)
{
    open_plain(workers);
    for (uint32_t ms = 0; ms < 4; ms++)
        path_plain_ms(ms, ms % workers, 500);
}

static void who_is_wished_for(void **state)
{
    (void)state;
    open_plain(1);
    path_bvc(1, 0, 3);
    for (uint32_t ms = 0; ms < 4; ms++)
        path_plain_ms(ms, ms / 2, 500);
    for (int wish = 0; wish < 4; wish++) {
        // all; MS 2; cell 1; an MS that is in no cell of that number
        trace_on(wish & 1 ? 2 : TRACE_ANY, wish & 2 ? 1 : TRACE_ANY, 32);
        for (uint32_t ms = 0; ms < 4; ms++) {
            path_down(ms, 100);
            path_up(ms, 100);
        }
        path_poll();
        trace_read();
        uint32_t wanted = wish == 0 ? 8 : wish == 2 ? 4 : 2;
        expect_progress(wanted, 0, 0);
        assert_int_equal(trace_check(TRACE_sent, wanted), wanted);
        uint32_t down = 0;
        for (uint32_t i = 0; i < told.n; i++) {
            const struct trace_record *r = &told.record[i];
            if (r->stage != TRACE_received && r->stage != TRACE_frame)
                continue;
            uint32_t ms = r->stage == TRACE_frame ? r->frame.ms_id : r->received.ms_id;
            uint32_t bvc = r->stage == TRACE_frame ? r->frame.bvc_id : r->received.bvc_id;
            assert_true(!(wish & 1) || ms == 2);
            assert_true(!(wish & 2) || bvc == 1);
            assert_int_equal(bvc, ms / 2);
            down += r->stage == TRACE_received;
        }
        assert_int_equal(down, wanted / 2);
        assert_true(is_tracing(0));
    }
    close_whole();
}

// All workers together begin so many; a worker's pointer goes when its last packet has ended.
static void it_ends_by_itself(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        open_two_ms(workers);
        stop_cells(true);
        trace_all(10);
        for (int i = 0; i < 8; i++)
            for (uint32_t ms = 0; ms < 4; ms++)
                path_down(ms, 600);
        path_poll();
        expect_progress(10, 10, 0);
        stop_cells(false);
        path_poll();
        path_poll(); // a worker that had no packet of it sees it then
        expect_progress(10, 0, 0);
        for (uint32_t w = 0; w < workers; w++)
            assert_false(is_tracing(w));
        trace_read();
        assert_int_equal(trace_check(TRACE_sent, 10), 10);
        uint32_t records = told.n;
        trace_read();
        assert_int_equal(told.n, records);

        trace_on(0, TRACE_ANY, 1); // whom one worker alone has
        path_down(0, 600);
        path_poll();
        path_poll();
        expect_progress(1, 0, 0);
        for (uint32_t w = 0; w < workers; w++)
            assert_false(is_tracing(w));
        close_whole();
    }
}

// Nobody reads: what does not fit is counted, and all packets go as if there was no trace.
static void a_full_ring_costs_records_alone(void **state)
{
    (void)state;
    open_plain(1);
    path_plain_ms(0, 0, 140);
    ms_bucket(0, 80000, 146); // an LLC PDU
    trace_all(TRACE_PACKETS_MAX);
    for (uint32_t i = 0; i < TRACE_PACKETS_MAX; i++) {
        path_down(0, 136 + 9 * 137);
        path_run_until(p.now_ns + S_IN_NS);
    }
    // received, enqueue, dequeue, 10 segments with a wait between each and the next, sent
    uint64_t records = TRACE_PACKETS_MAX * 23ull;
    expect_progress(TRACE_PACKETS_MAX, 0, records - (TRACE_RECORDS - 1));
    assert_false(is_tracing(0));
    trace_read();
    assert_int_equal(told.n, TRACE_RECORDS - 1);
    // those that fit are the first
    assert_int_equal(trace_check(TRACE_sent, (TRACE_RECORDS - 1) / 23), (TRACE_RECORDS - 1) / 23);
    close_whole();
}

// More N-PDUs wait than may be open: the others go untraced, and are not counted.
static void so_many_are_open_and_no_more(void **state)
{
    (void)state;
    open_plain(1);
    path_plain_ms(0, 0, 500);
    stop_cells(true);
    for (int again = 0; again < 2; again++) { // those of an earlier trace take no place
        trace_all(TRACE_PACKETS_MAX);
        for (uint32_t i = 0; i < 3 * TRACE_OPEN; i++) {
            path_down(0, 100);
            path_poll();
        }
        expect_progress(TRACE_OPEN, TRACE_OPEN, 0);
    }
    stop_cells(false);
    path_poll();
    expect_progress(TRACE_OPEN, 0, 0);
    path_down(0, 100);
    path_poll();
    expect_progress(TRACE_OPEN + 1, 0, 0);
    trace_read();
    assert_int_equal(trace_check(TRACE_sent, TRACE_OPEN + 1), TRACE_OPEN + 1);
    close_whole();
}

// What waits from an earlier trace, in a queue and in a reassembly, is no packet of this one.
static void an_earlier_trace_leaves_nothing(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[1200];
    (void)state;
    open_plain(1);
    path_plain_ms(0, 0, 500);
    stop_cells(true);
    trace_all(16);
    path_down(0, 1400);
    path_down(0, 1400);
    struct ul_cell cell = path_cell(0);
    uint32_t seed = path_seed();
    path_fill(npdu, sizeof npdu, seed);
    unsigned n = ul_send(&p.ms[0].up, &cell, 3, 5, npdu, sizeof npdu, frames);
    path_expect(&p.pdp[0].up, seed, sizeof npdu);
    assert_true(n == 3 && path_give(STATS_GB, 0, &frames[0]));
    path_poll();
    expect_progress(3, 3, 0);
    for (int again = 0; again < 2; again++) {
        trace_switch(false); // and packets end while nothing is traced
        if (again)
            stop_cells(false);
        trace_all(16);
        expect_progress(0, 0, 0);
    }
    for (unsigned i = 1; i < n; i++)
        assert_true(path_give(STATS_GB, 0, &frames[i]));
    path_down(0, 300);
    path_poll();
    trace_read();
    expect_progress(1, 0, 0);
    assert_string_equal(trace_text(1), "received enqueue dequeue segment sent");
    assert_int_equal(told.n, 5); // and no record of the others
    trace_switch(false);
    close_whole();
}

static void its_ms_goes_to_another_worker(void **state)
{
    (void)state;
    open_two_ms(2);
    stop_cells(true);
    trace_on(0, TRACE_ANY, 16);
    path_down(0, 700);
    path_down(0, 800);
    path_poll();
    path_ms_move(0, 1);
    trace_read();
    expect_progress(2, 0, 0);
    assert_string_equal(trace_text(1), "received enqueue held:bvc moved");
    assert_string_equal(trace_text(2), "received enqueue held:queue moved");
    path_down(0, 900); // the next one is traced where the MS is now
    path_poll();
    stop_cells(false);
    path_poll();
    trace_read();
    assert_string_equal(trace_text(3), "received enqueue held:queue dequeue segment segment sent");
    assert_int_equal(trace_of(3, TRACE_received)->received.bvc_id, 1);
    expect_progress(3, 0, 0);
    trace_switch(false);
    close_whole();
}

// Packets of an earlier trace wait when their MS goes: first while nothing is traced, then while
// others are.
static void an_earlier_trace_does_not_go_along(void **state)
{
    (void)state;
    open_two_ms(2);
    stop_cells(true);
    for (uint32_t again = 0; again < 2; again++) {
        trace_all(16);
        path_down(0, 700);
        path_poll();
        trace_switch(false);
        if (again)
            trace_all(16);
        path_ms_move(0, 1 - again);
    }
    path_down(1, 800);
    path_poll();
    trace_read();
    expect_progress(1, 1, 0);
    stop_cells(false);
    path_poll();
    trace_read();
    assert_string_equal(trace_text(1), "received enqueue held:bvc dequeue segment segment sent");
    trace_switch(false);
    close_whole();
}

static void nothing_is_left_when_the_dataplane_goes(void **state)
{
    (void)state;
    open_two_ms(2);
    p.lossy_down = true;
    stop_cells(true);
    trace_all(16);
    for (uint32_t ms = 0; ms < 4; ms++)
        path_down(ms, 700);
    path_poll();
    path_close(); // asserts that every buffer is back
}

// ---- All that can happen, at random ----

static struct stats_drop drops_before[DROP_COUNT];

static uint64_t dropped_since(enum drop_reason reason)
{
    return path_dropped(reason).packets - drops_before[reason].packets;
}

static uint64_t sent_npdus(void)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        for (int class = 0; class < CLASS_COUNT; class ++)
            sum += stats->of_class[class].out_packets;
        sum += stats->up.npdus;
    }
    return sum;
}

static void something_happens(uint32_t ms)
{
    switch (random_in(0, 9)) {
    case 0:
        DO(ms_freeze, .ms_id = ms);
        break;
    case 1:
        DO(ms_release, ms);
        break;
    case 2:
        path_ms_move(ms, (uint32_t)random_in(0, p.workers - 1));
        break;
    case 3:
        path_bvc_flow((uint32_t)random_in(0, p.workers - 1), random_in(0, 1) ? 20000 : TIME_NEVER,
                      1000);
        break;
    case 4:
        ms_bucket(ms, 8000 * random_in(0, 4), 600);
        break;
    case 5:
        path_ms_flush(ms);
        break;
    default:
        path_run_until(p.now_ns + random_in(0, 2 * S_IN_NS));
    }
}

// Every packet of a round is traced, so the ends that the trace tells of are those that the
// counters have: as many sent, and as many dropped for each reason.
static void the_ends_are_those_of_the_counters(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 60 / LESS; round++) {
        struct dp_config c = path_config((uint32_t)random_in(1, 3));
        c.classes.item[CLASS_BACKGROUND].lifetime_ns = 3 * S_IN_NS;
        c.ms_packets = 6;
        class_aqm(&c, round % 2 ? "codel" : "red");
        open_workers(&c);
        for (uint32_t ms = 0; ms < 4; ms++)
            path_plain_ms(ms, ms % p.workers, 140 + 100 * ms);
        p.lossy_down = p.lossy_up = true;
        memset(drops_before, 0, sizeof drops_before);
        trace_all(TRACE_PACKETS_MAX);
        uint32_t packets = 0;
        for (uint32_t i = 0; i < 40; i++) {
            for (uint32_t ms = 0; ms < 4; ms++)
                if (random_in(0, 2) && packets < 200) {
                    path_down(ms, random_in(1, 1500));
                    path_up(ms, random_in(1, 1500));
                    packets += 2;
                }
            something_happens((uint32_t)random_in(0, 3));
            trace_read();
        }
        for (uint32_t ms = 0; ms < 4; ms++) {
            DO(ms_release, ms);
            DO(ms_default, ms);
        }
        stop_cells(false);
        path_run_until(p.now_ns + 20 * S_IN_NS);
        trace_read();
        expect_progress(packets, 0, dp_trace_progress(p.dp).lost);
        uint32_t sent = trace_check(TRACE_sent, packets), moved = 0, dropped[DROP_COUNT] = {0};
        for (uint32_t i = 0; i < told.n; i++) {
            moved += told.record[i].stage == TRACE_moved;
            if (told.record[i].stage == TRACE_dropped)
                dropped[told.record[i].dropped.reason]++;
        }
        uint64_t all = sent + moved;
        for (int reason = 0; reason < DROP_COUNT; reason++)
            all += dropped[reason];
        assert_int_equal(all, packets);
        // what has moved ends untraced
        uint64_t more = sent_npdus() - sent;
        for (int reason = 0; reason < DROP_COUNT; reason++) {
            uint64_t counted = dropped_since(reason);
            assert_true(counted >= dropped[reason]);
            more += counted - dropped[reason];
        }
        if (moved == 0)
            for (int reason = 0; reason < DROP_COUNT; reason++)
                assert_int_equal(dropped_since(reason), dropped[reason]);
        assert_int_equal(more, moved);
        trace_switch(false);
        path_expect_conservation();
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_wished_for),
        cmocka_unit_test(it_ends_by_itself),
        cmocka_unit_test(a_full_ring_costs_records_alone),
        cmocka_unit_test(so_many_are_open_and_no_more),
        cmocka_unit_test(an_earlier_trace_leaves_nothing),
        cmocka_unit_test(its_ms_goes_to_another_worker),
        cmocka_unit_test(an_earlier_trace_does_not_go_along),
        cmocka_unit_test(nothing_is_left_when_the_dataplane_goes),
        cmocka_unit_test(the_ends_are_those_of_the_counters),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
