// How a worker is asked for the live view: pages, bounds, whose is whose, what there is not.
#include "tests/dataplane/view/view_ask.h"

static void those_of_a_cell(void **state)
{
    uint32_t n = 0;
    (void)state;
    open_plain(2);
    add_mss(200);
    for (uint32_t ms = 0; ms < 200; ms += 20)
        path_ms_move(ms, 1);
    for (uint32_t first = 0; first != VIEW_ALL; first = q.next) {
        ask(1, VIEW_MSS, 1, first, VIEW_ALL);
        for (uint32_t i = 0; i < q.n; i++, n++)
            assert_int_equal(q.ms[i].bvc_id, 1);
    }
    assert_int_equal(n, 110);
    ask(0, VIEW_MSS, 1, 0, VIEW_ALL);
    assert_int_equal(q.n, 0);
    close_whole();
}

// However many there may be, and however few there are: an answer takes a bounded time.
static void an_answer_is_bounded(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    c.mss = 10 * VIEW_LOOKED;
    c.worker_mss = 0;
    path_open(&c);
    path_one_cell(false, false);
    for (uint32_t ms = 0; ms < 200; ms++)
        path_plain_ms(ms, 0, 500);
    ask(0, VIEW_MSS, VIEW_ALL, 0, VIEW_ALL);
    assert_int_equal(q.n, VIEW_ROWS);
    assert_int_equal(q.next, VIEW_ROWS);
    ask(0, VIEW_MSS, VIEW_ALL, 300, VIEW_ALL);
    assert_int_equal(q.n, 0);
    assert_int_equal(q.next, 300 + VIEW_LOOKED);
    ask(0, VIEW_MSS, VIEW_ALL, 100, 120);
    assert_int_equal(q.n, 20);
    assert_int_equal(q.next, VIEW_ALL);
    path_close();
}

static void what_there_is_not(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    static const enum view_kind kinds[] = {VIEW_NSES, VIEW_BVCS, VIEW_MSS};
    for (int i = 0; i < 3; i++) {
        ask(0, kinds[i], VIEW_ALL, 1, VIEW_ALL);
        assert_int_equal(q.n, 0);
        assert_int_equal(q.next, VIEW_ALL);
        ask(0, kinds[i], VIEW_ALL, VIEW_ALL - 1, VIEW_ALL);
        assert_int_equal(q.n, 0);
    }
    static const enum view_kind parts[] = {VIEW_PFCS, VIEW_BVC_CLASSES};
    for (int i = 0; i < 2; i++)
        for (uint32_t of = 0; of != 2; of = of == 0 ? 1 : of == 1 ? VIEW_ALL : 2) {
            ask(0, parts[i], of, 0, VIEW_ALL);
            assert_int_equal(q.n, of != 0 ? 0 : i == 0 ? 1 : CLASS_COUNT);
        }
    path_close();
}

static void counters_are_a_copy(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 0, 0);
    path_down(0, 321);
    path_poll();
    ask(0, VIEW_STATS, 0, 0, 0);
    assert_memory_equal(&q.stats, dp_stats(dp_worker(p.dp, 0)), sizeof q.stats);
    assert_int_equal(q.stats.of_class[CLASS_BACKGROUND].in_packets, 1);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        assert_int_equal(q.queues[class].queued_npdus, class == CLASS_BACKGROUND);
        assert_int_equal(q.queues[class].queued_octets, class == CLASS_BACKGROUND ? 321 : 0);
    }
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_a_cell),
        cmocka_unit_test(an_answer_is_bounded),
        cmocka_unit_test(what_there_is_not),
        cmocka_unit_test(counters_are_a_copy),
    };
    return cmocka_run_group_tests_name("view_answer", tests, path_start_eal, NULL);
}
