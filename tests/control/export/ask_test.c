// Asking workers that run in another thread: records of several workers come as one list in the
// order of their ids; counters are summed; one that does not answer is given up in time, and is
// asked again only when it has let go.
#include "control/export/ask.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "control/export/cells.h"
#include "tests/dataplane/path/workers.h"

static bool stop;

static void *poll_all(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        for (uint32_t w = 0; w < p.workers; w++)
            dp_poll(dp_worker(p.dp, w), p.now_ns);
    return NULL;
}

static pthread_t workers;

static void run_workers(void)
{
    stop = false;
    assert_int_equal(pthread_create(&workers, NULL, poll_all, NULL), 0);
}

static void stop_workers(void)
{
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(workers, NULL);
}

static struct ask all_of(void)
{
    return (struct ask){p.dp, p.workers};
}

static uint8_t seen[PATH_MSS]; // how often

struct taken {
    uint32_t n, most, next;
    bool in_order;
};

static bool take_ms(void *self, uint32_t id, const void *row, const struct view_drops *drops)
{
    struct taken *taken = self;
    const struct view_ms *ms = row;
    assert_non_null(drops);
    assert_int_equal(ms->tlli, p.ms[ms->ms_id].tlli);
    assert_int_equal(ms->bvc_id, p.ms[ms->ms_id].bvc);
    if (taken->n == taken->most)
        return false;
    seen[ms->ms_id]++;
    taken->in_order &= id >= taken->next;
    taken->next = id + 1;
    taken->n++;
    return true;
}

static struct taken take_from(uint32_t of, uint32_t first, uint32_t most)
{
    struct taken taken = {.most = most, .next = first, .in_order = true};
    struct ask ask = all_of();
    assert_null(ask_rows(&ask, VIEW_MSS, of, first, VIEW_ALL, take_ms, &taken));
    assert_true(taken.in_order);
    return taken;
}

// MSs come by where they are at their workers, each once, in whatever pages they are asked for.
static void records_of_all_workers_in_order(void **state)
{
    (void)state;
    open_plain(3);
    add_mss(700);
    for (uint32_t ms = 0; ms < 700; ms += 7) // long runs of one worker, too
        path_ms_move(ms, (ms / 100) % 3);
    run_workers();
    memset(seen, 0, sizeof seen);
    assert_int_equal(take_from(VIEW_ALL, 0, UINT32_MAX).n, 700);
    struct taken page = {.n = 33};
    for (uint32_t n = 0; page.n == 33; n += page.n) {
        page = take_from(VIEW_ALL, page.next, 33);
        assert_int_equal(page.n, n + 33 <= 700 ? 33 : 700 - n);
    }
    for (uint32_t ms = 0; ms < 700; ms++)
        assert_int_equal(seen[ms], 2);
    uint32_t members = 0, found = take_from(1, 0, UINT32_MAX).n;
    for (uint32_t ms = 0; ms < 700; ms++)
        members += p.ms[ms].bvc == 1;
    assert_int_equal(found, members);
    assert_int_equal(take_from(VIEW_ALL, 3 * PATH_MSS, UINT32_MAX).n, 0);
    stop_workers();
    close_whole();
}

// One alone, and its packet flows, by where control says that it is.
static void one_ms_of_several_workers(void **state)
{
    (void)state;
    open_plain(3);
    add_mss(30);
    for (uint32_t ms = 0; ms < 30; ms += 4)
        path_ms_move(ms, (ms / 4) % 3);
    run_workers();
    struct ask ask = all_of();
    for (uint32_t ms = 0; ms < 30; ms++) {
        const struct dp_query *q;
        uint32_t at = dp_ms_at(p.dp, ms), id = ask_ms_id(&ask, at);
        struct taken taken = {.most = 2, .next = id, .in_order = true};
        memset(seen, 0, sizeof seen);
        assert_null(ask_rows(&ask, VIEW_MSS, VIEW_ALL, id, id + 1, take_ms, &taken));
        assert_int_equal(taken.n, 1);
        assert_int_equal(seen[ms], 1);
        assert_null(ask_parts(&ask, dp_at_worker(at), VIEW_PFCS, dp_at_place(at), &q));
        assert_int_equal(q->ms_id, ms);
        assert_int_equal(q->n, 2);
    }
    stop_workers();
    close_whole();
}

static void counters_are_summed(void **state)
{
    struct ask_stats sum, one;
    (void)state;
    open_plain(2);
    add_mss(20);
    stop_cells(true);
    for (uint32_t pdp = 0; pdp < 40; pdp++)
        down_at(pdp, pdp % 2, 100 + pdp);
    path_poll();
    struct ask ask = all_of();
    run_workers();
    assert_null(ask_stats(&ask, VIEW_ALL, &sum));
    uint64_t in = 0, octets = 0;
    for (uint32_t w = 0; w < 2; w++) {
        assert_null(ask_stats(&ask, w, &one));
        in += one.stats.of_class[CLASS_STREAMING].in_packets;
        octets += one.queues[CLASS_STREAMING].queued_octets;
        assert_true(one.stats.of_class[CLASS_STREAMING].in_packets < 20);
    }
    assert_int_equal(in, 20);
    assert_int_equal(sum.stats.of_class[CLASS_STREAMING].in_packets, 20);
    assert_int_equal(sum.queues[CLASS_STREAMING].queued_npdus, 20);
    assert_true(octets > 20 * 100); // the datagrams, at least
    assert_int_equal(sum.queues[CLASS_STREAMING].queued_octets, octets);
    stop_workers();
    stop_cells(false);
    close_whole();
}

static void cells_by_delay_and_their_sums(void **state)
{
    struct cells cells = {0};
    (void)state;
    open_plain(3);
    add_mss(3);
    for (uint32_t i = 0; i < 3; i++)
        path_bvc_flow(i, 8000, 4000);
    for (uint32_t ms = 0; ms < 3; ms++)
        down_at(2 * ms, ms, 300 + 400 * ((ms + 1) % 3)); // 700, 1100, 300 octets
    path_poll();
    struct ask ask = all_of();
    run_workers();
    assert_null(cells_read(&cells, &ask));
    assert_int_equal(cells.n, 3);
    assert_int_equal(cells.cell[0].view.bvc_id, 1);
    assert_int_equal(cells.cell[1].view.bvc_id, 0);
    assert_int_equal(cells.cell[2].view.bvc_id, 2);
    assert_true(cells_sum(&cells, 1).down_octets > 1100);
    assert_true(cells_sum(&cells, 2).down_octets < 500);
    assert_int_equal(cells_sum(&cells, 3).down_frames, 0);
    cells_free(&cells);
    stop_workers();
    close_whole();
}

// However many there are, each is in the list once.
static void more_cells_than_there_was_room_for(void **state)
{
    enum { MANY = 300 };
    struct dp_config c = path_config(2);
    struct cells cells = {0};
    (void)state;
    c.bvcs = MANY;
    open_workers(&c);
    for (uint32_t i = p.workers; i < MANY; i++)
        DO(bvc, .bvc_id = i, .nse_id = i % 2, .bvci = (uint16_t)(2 + i));
    struct ask ask = all_of();
    run_workers();
    for (int again = 0; again < 2; again++) {
        assert_null(cells_read(&cells, &ask));
        assert_int_equal(cells.n, MANY);
        assert_true(cells.room >= MANY);
        for (uint32_t i = 0; i < MANY; i++) // none has a delay
            assert_int_equal(cells.cell[i].view.bvc_id, i);
    }
    cells_free(&cells);
    stop_workers();
    close_whole();
}

static void one_that_stands_is_given_up(void **state)
{
    struct ask_stats stats;
    (void)state;
    open_plain(2);
    struct ask ask = all_of();
    assert_string_equal(ask_stats(&ask, VIEW_ALL, &stats), "a worker does not answer");
    assert_string_equal(ask_stats(&ask, VIEW_ALL, &stats),
                        "a worker has not answered an earlier question yet");
    struct cells cells = {.n = 7}; // as if there had been some
    assert_non_null(cells_read(&cells, &ask));
    assert_int_equal(cells.n, 0);
    run_workers();
    while (!dp_answered(p.dp, 0) || !dp_answered(p.dp, 1))
        sched_yield();
    assert_null(ask_stats(&ask, VIEW_ALL, &stats));
    stop_workers();
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_all_workers_in_order),
        cmocka_unit_test(one_ms_of_several_workers),
        cmocka_unit_test(counters_are_summed),
        cmocka_unit_test(cells_by_delay_and_their_sums),
        cmocka_unit_test(more_cells_than_there_was_room_for),
        cmocka_unit_test(one_that_stands_is_given_up),
    };
    return cmocka_run_group_tests_name("control/export/ask", tests, path_start_eal, NULL);
}
