// An MS moves between workers with all that is its own: queue, keys, numbers, contexts; its frames
// follow it. Control may say whatever it likes of it at once, in whatever order the workers are
// polled: all is carried out, and no command waits for ever. Time is virtual, and the oracles
// behind both ports see no gap in any number.
#include "tests/dataplane/path/workers.h"

#include "dataplane/post/post.h"

// Every MS goes round all workers with a queue, and traffic runs to its TEID meanwhile.
static void an_mss_queue_goes_round(void **state)
{
    (void)state;
    for (uint32_t workers = 2; workers <= PATH_WORKERS; workers++) {
        open_plain(workers);
        path_order = workers;
        add_mss(12);
        for (uint32_t round = 0; round < 3 * workers; round++) {
            stop_cells(true);
            traffic(24, 2);
            for (uint32_t ms = 0; ms < 12; ms++)
                path_ms_move(ms, (p.ms[ms].bvc + 1 + ms % (workers - 1)) % workers);
            traffic(24, 2);
            if (round % 3 == 2)
                stop_cells(false);
            traffic(24, 1);
        }
        stop_cells(false);
        path_poll();
        close_whole();
    }
    path_order = 0;
}

// Traffic is put at the ports first, and meets the move on its way.
static void traffic_meets_the_move(void **state)
{
    (void)state;
    open_plain(3);
    path_order = 77;
    add_mss(9);
    for (uint32_t i = 0; i < 600 / LESS; i++) {
        uint32_t ms = i % 9;
        p.defer = true;
        path_ms_move(ms, (uint32_t)random_in(0, 2));
        p.defer = false;
        for (uint32_t n = 0; n < 20; n++)
            path_down(2 * (uint32_t)random_in(0, 8), random_in(1, 1500));
        path_poll();
        assert_true(dp_settled(p.dp));
        up_at(2 * ms, i % 3, random_in(1, 1500));
        path_poll();
    }
    path_order = 0;
    close_whole();
}

// Only its first piece has gone, or two of them; it goes on at the same N201-U in the other cell.
static void a_half_sent_npdu_goes_on(void **state)
{
    (void)state;
    for (uint32_t octets = 600; octets <= 1400; octets += 100) {
        open_plain(2);
        path_ms(0, 0, 140);
        path_pfc(0, 0, CLASS_BACKGROUND);
        path_pdp(0, 0, 0, 5, 3, 0, -1);
        path_key(0, 3 + octets / 100 % 2);
        path_bvc_flow(0, 1000, 400);
        path_down(0, octets);
        path_down(0, 300);
        path_poll();
        uint64_t frames = p.frames_out[STATS_GB];
        assert_true(frames > 0 && p.down_received == 0);
        path_ms_move(0, 1);
        assert_int_equal(p.down_received, 2);
        close_whole();
    }
}

static void expect_unknown(uint32_t teid)
{
    uint64_t before = path_dropped(DROP_unknown_teid).packets;
    for (uint32_t w = 0; w < p.workers; w++)
        give_unknown(teid, w);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, before + p.workers);
}

// Wherever its MS was when it went, a context's TEID is unknown everywhere afterwards, and the one
// that has its number next is another.
static void a_context_removed_while_away(void **state)
{
    (void)state;
    for (uint32_t away = 1; away <= 3; away++) {
        open_plain(3);
        p.on_gn = count_error_indication;
        p.lossy_down = true;
        add_ms(0, 0);
        add_ms(1, 1);
        stop_cells(true);
        path_down(0, 100);
        for (uint32_t i = 1; i <= away; i++)
            path_ms_move(0, i % 3);
        path_down(0, 100);
        path_poll();
        uint32_t teid = p.pdp[0].teid;
        path_pdp_remove(0);
        expect_unknown(teid);
        path_pdp(0, 1, 0, 5 + 3, 3, 0, -1);
        expect_unknown(teid);
        assert_int_not_equal(p.pdp[0].teid, teid);
        assert_int_equal(teid_worker(teid_bits(3, 1), p.pdp[0].teid), 1);
        assert_int_equal(dp_teid_worker(p.dp, p.pdp[0].teid), 1);
        path_ms_move(1, 2);
        down_at(0, 0, 500);
        path_poll();
        path_ms_move(1, 0);
        down_at(0, 2, 500);
        path_poll();
        stop_cells(false);
        assert_int_equal(p.pdp[0].down.received, 2);
        assert_int_equal(path_dropped(DROP_removed).packets, 2);
        expect_nothing_between();
        path_close();
    }
}

// The other NSE has no NS-VC that may be used: as if the MS had always been there.
static void no_link_where_it_goes(void **state)
{
    (void)state;
    open_plain(2);
    p.lossy_down = true;
    add_ms(0, 0);
    stop_cells(true);
    for (uint32_t i = 0; i < 10; i++)
        path_down(0, 1000);
    path_poll();
    path_nsvc_weight(1, 0);
    path_ms_move(0, 1);
    stop_cells(false);
    path_poll();
    assert_int_equal(path_dropped(DROP_no_link).packets, 10);
    path_nsvc_weight(1, 1);
    path_nsvc_weight(0, 0); // and leaving such a one
    path_down(0, 1000);
    path_poll();
    assert_int_equal(p.pdp[0].down.received, 1);
    stop_cells(true);
    path_down(0, 1000);
    path_poll();
    path_ms_move(0, 0);
    path_ms_move(0, 1);
    stop_cells(false);
    assert_int_equal(p.pdp[0].down.received, 2);
    expect_nothing_between();
    path_close();
}

// Frozen, it does not age; 40 s is the lifetime.
static void a_frozen_ms_moves(void **state)
{
    (void)state;
    open_plain(2);
    add_ms(0, 0);
    DO(ms_freeze, 0);
    path_down(0, 700);
    path_run_until(30 * S_IN_NS);
    path_ms_move(0, 1);
    path_run_until(60 * S_IN_NS);
    path_down(1, 700);
    path_ms_move(0, 0);
    path_run_until(90 * S_IN_NS);
    path_ms_move(0, 1);
    DO(ms_release, 0);
    close_whole();
}

// ---- Commands that come at once ----

static uint32_t polls_to_rest(const uint32_t *order)
{
    uint32_t rounds = 0;
    for (; !dp_settled(p.dp); rounds++) {
        assert_true(rounds < 1000);
        for (uint32_t i = 0; i < p.workers; i++)
            path_poll_worker(order[i]);
    }
    path_poll();
    return rounds;
}

static void give_flow(uint32_t ms)
{
    DO(ms_bucket, .ms_id = ms, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 10000,
       .bucket_octets = 60000);
}

// Over one MS's move to another everything that control may say of it, before any worker looks.
static void much_at_once(void)
{
    path_ms_move(0, 1);
    give_flow(0);
    path_ms_move(0, 2);
    path_pdp_remove(1);
    path_ms_tlli(0);
    path_key(0, 4);
    path_pdp(1, 0, 1, 7, 9, 1, -1);
    path_ms_move(0, 0);
    path_ms_move(1, 0);
    path_ms_move(1, 2);
    path_ms_remove(1);
    add_ms(1, 2); // the same numbers, where it was to go
    path_ms_move(1, 0);
    path_ms_move(0, 1);
    DO(ms_default, 0);
    path_bvc(20, 1, 77);
    path_ms_move(0, 20);
    path_ms_move(2, 20);
    DO(bvc_remove, 2);
}

static void commands_at_once_in_any_order(void **state)
{
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        open_plain(3);
        for (uint32_t ms = 0; ms < 3; ms++)
            add_ms(ms, ms);
        p.defer = true;
        much_at_once();
        p.defer = false;
        polls_to_rest(orders[i]);
        traffic(6, 4);
        close_whole();
    }
}

// The same numbers stand for another MS while the first is still on its way to the same worker:
// from another worker, whose migration comes first.
static void one_number_twice_on_the_way(void **state)
{
    static const uint32_t orders[2][3] = {{2, 1, 0}, {0, 2, 1}};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        open_plain(3);
        add_ms(0, 0);
        p.defer = true;
        path_ms_move(0, 1);
        path_ms_remove(0);
        add_ms(0, i < 2 ? 2 : 0);
        path_ms_move(0, 1);
        p.defer = false;
        polls_to_rest(orders[i % 2]);
        traffic(2, 4);
        path_ms_remove(0);
        close_whole();
    }
}

static void swap_all(uint32_t mss)
{
    p.defer = true;
    for (uint32_t ms = 0; ms < mss; ms++)
        path_ms_move(ms, !p.ms[ms].bvc);
    p.defer = false;
}

static void many_cross(void **state)
{
    static const uint32_t orders[2][2] = {{0, 1}, {1, 0}};
    (void)state;
    open_plain(2);
    add_mss(300);
    for (uint32_t i = 0; i < 2; i++) {
        stop_cells(true);
        traffic(600, 1);
        swap_all(300);
        polls_to_rest(orders[i]);
        stop_cells(false);
        traffic(600, 1);
    }
    close_whole();
}

// More than there are migrations for go one way; who sends them looks again and again before the
// other does at all.
static void many_go_one_way(void **state)
{
    static const uint32_t orders[2][2] = {{0, 1}, {1, 0}};
    (void)state;
    open_plain(2);
    for (uint32_t ms = 0; ms < 300; ms++)
        add_ms(ms, 0);
    for (uint32_t i = 0; i < 2; i++) {
        stop_cells(true);
        traffic(600, 1);
        uint64_t before = dp_stats(dp_worker(p.dp, i))->commands;
        swap_all(300);
        for (uint32_t n = 0; n < 20; n++)
            path_poll_worker(i);
        assert_int_equal(dp_stats(dp_worker(p.dp, i))->commands, before + POST_MIGRATIONS);
        assert_true(polls_to_rest(orders[i]) < 20);
        stop_cells(false);
        traffic(600, 1);
    }
    close_whole();
}

// path_poll goes on only while a worker says that there is work left: nobody sleeps while another
// has left it something to do.
static void nobody_sleeps_over_a_move(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < 3; order++) {
        open_plain(2);
        path_order = order;
        add_mss(300);
        swap_all(300);
        path_poll();
        assert_true(dp_settled(p.dp));
        path_order = 0;
        close_whole();
    }
}

// One that waits for an MS lets time go on.
static void who_waits_does_not_spin(void **state)
{
    (void)state;
    open_plain(2);
    add_ms(0, 0);
    p.defer = true;
    path_ms_move(0, 1);
    p.defer = false;
    path_poll_worker(1);
    assert_true(path_poll_worker(1) > p.now_ns);
    assert_false(dp_settled(p.dp));
    path_poll();
    assert_true(dp_settled(p.dp));
    traffic(2, 1);
    close_whole();
}

// The end comes while frames and MSs are between workers.
static void the_end_on_the_way(void **state)
{
    (void)state;
    for (uint32_t polls = 0; polls < 4; polls++) {
        open_plain(2);
        add_mss(4);
        stop_cells(true);
        p.lossy_down = p.lossy_up = true;
        for (uint32_t pdp = 0; pdp < 8; pdp++)
            path_down(pdp, 1000);
        path_poll();
        swap_all(4);
        for (uint32_t pdp = 0; pdp < 8; pdp++) {
            down_at(pdp, 0, 100);
            up_at(pdp, 0, 100);
        }
        for (uint32_t n = 0; n < polls; n++)
            path_poll_worker(n % 2);
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_mss_queue_goes_round),
        cmocka_unit_test(traffic_meets_the_move),
        cmocka_unit_test(a_half_sent_npdu_goes_on),
        cmocka_unit_test(a_context_removed_while_away),
        cmocka_unit_test(no_link_where_it_goes),
        cmocka_unit_test(a_frozen_ms_moves),
        cmocka_unit_test(commands_at_once_in_any_order),
        cmocka_unit_test(one_number_twice_on_the_way),
        cmocka_unit_test(many_cross),
        cmocka_unit_test(many_go_one_way),
        cmocka_unit_test(nobody_sleeps_over_a_move),
        cmocka_unit_test(who_waits_does_not_spin),
        cmocka_unit_test(the_end_on_the_way),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
