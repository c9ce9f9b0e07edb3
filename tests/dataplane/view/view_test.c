// What a worker tells of NSEs, cells and MSs, against a plain account of what was sent.
#include "tests/dataplane/view/view_ask.h"

#include <string.h>

#include "dataplane/state/state.h"

// One id, of whichever worker has it.
static void ask_one(enum view_kind kind, uint32_t id)
{
    for (uint32_t w = 0; w < p.workers; w++) {
        ask(w, kind, VIEW_ALL, id, id + 1);
        if (q.n)
            return;
    }
}

static struct view_bvc *cell(uint32_t id)
{
    ask_one(VIEW_BVCS, id);
    assert_int_equal(q.n, 1);
    assert_int_equal(q.bvc[0].bvc_id, id);
    return &q.bvc[0];
}

static struct view_nse *nse_of(uint32_t id)
{
    ask_one(VIEW_NSES, id);
    assert_int_equal(q.n, 1);
    assert_int_equal(q.nse[0].nse_id, id);
    return &q.nse[0];
}

static struct view_ms *ms_of(uint32_t id)
{
    ask_one(VIEW_MSS, id);
    assert_int_equal(q.n, 1);
    assert_int_equal(q.ms[0].ms_id, id);
    return &q.ms[0];
}

// Header, SNDCP, FCS: what an LLC PDU has besides the N-PDU.
#define AROUND (3 + 4 + 3)

// 8000 bit/s is an octet a millisecond, so level in octets is delay in milliseconds.
static void a_buckets_level_is_what_was_sent_less_what_leaked(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    struct view_bvc *bvc = cell(0);
    assert_false(bvc->has_rate_bit_per_s || bvc->has_delay_ns || bvc->stopped);
    path_bvc_flow(0, 8000, 1000);
    for (int i = 0; i < 3; i++)
        path_down(0, 400);
    path_poll();
    bvc = cell(0);
    assert_true(bvc->has_rate_bit_per_s && bvc->rate_bit_per_s == 8000);
    assert_int_equal(bvc->bucket_octets, 1000);
    assert_int_equal(bvc->level_octets, 2 * (400 + AROUND));
    assert_int_equal(bvc->delay_ns, bvc->level_octets * MS_IN_NS);
    assert_int_equal(bvc->down_frames, 2);
    assert_int_equal(bvc->down_octets, 2 * (400 + AROUND));
    assert_int_equal(bvc->queued_npdus, 1);
    assert_int_equal(bvc->queued_octets, 400);
    assert_true(bvc->waits && !bvc->stopped && !bvc->blocked);
    assert_int_equal(bvc->sojourn_ns, 0);
    assert_int_equal(bvc->sent_sojourn_ns, 0);
    uint64_t begun_ns = p.now_ns;
    path_run_until(begun_ns + 100 * MS_IN_NS);
    bvc = cell(0);
    assert_int_equal(bvc->level_octets, 2 * (400 + AROUND) - 100);
    assert_int_equal(bvc->delay_ns, (2 * (400 + AROUND) - 100) * MS_IN_NS);
    assert_int_equal(bvc->sojourn_ns, 100 * MS_IN_NS);
    assert_int_equal(ms_of(0)->sojourn_ns, 100 * MS_IN_NS);
    uint64_t waits_ns = (3 * (400 + AROUND) - 1000) * MS_IN_NS; // until it conforms
    path_run_until(begun_ns + waits_ns);
    bvc = cell(0);
    assert_int_equal(bvc->level_octets, 1000);
    assert_int_equal(bvc->queued_npdus, 0);
    assert_int_equal(bvc->sojourn_ns, 0);
    assert_int_equal(bvc->sent_sojourn_ns, waits_ns);
    assert_false(bvc->waits);
    path_expect_all();
    path_close();
}

static void an_ms_has_its_own_bucket_or_its_cells_default(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    DO(bvc_bucket, .bvc_id = 0, .has_ms_rate_100_bit_per_s = true, .ms_rate_100_bit_per_s = 16,
       .ms_bucket_octets = 700);
    struct view_ms *ms = ms_of(0);
    assert_int_equal(ms->tlli, p.ms[0].tlli);
    assert_false(ms->own);
    assert_int_equal(ms->rate_bit_per_s, 1600);
    assert_int_equal(ms->bucket_octets, 700);
    struct view_bvc *bvc = cell(0);
    assert_false(bvc->has_rate_bit_per_s);
    assert_int_equal(bvc->ms_rate_bit_per_s, 1600);
    assert_int_equal(bvc->ms_bucket_octets, 700);
    assert_int_equal(bvc->mss, 1);
    path_down(0, 500);
    path_poll();
    ms = ms_of(0);
    assert_int_equal(ms->level_octets, 500 + AROUND);
    assert_int_equal(ms->delay_ns, (500 + AROUND) * 5 * MS_IN_NS); // 8 bits at 1600 bit/s each
    assert_int_equal(ms->down_frames, 1);
    assert_int_equal(ms->down_octets, 500 + AROUND);
    DO(ms_bucket, .ms_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 0,
       .bucket_octets = 900);
    ms = ms_of(0);
    assert_true(ms->own && ms->stopped && !ms->frozen);
    assert_false(ms->has_delay_ns);
    assert_int_equal(ms->rate_bit_per_s, 0);
    assert_int_equal(ms->bucket_octets, 900);
    path_close();
}

// Five N-PDUs for one MS, whose bucket lets two go at once; the cell's has no limit.
static void five_wait_for_their_ms(void)
{
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    DO(bvc_bucket, .bvc_id = 0, .has_ms_rate_100_bit_per_s = true, .ms_rate_100_bit_per_s = 80,
       .ms_bucket_octets = 1000);
    for (int i = 0; i < 5; i++)
        path_down(0, 400);
    path_poll();
}

// What its MS's bucket holds is not next in its class, so there is no N-PDU to look at.
static void a_cells_wait_is_known_while_all_its_mss_wait_for_their_buckets(void **state)
{
    (void)state;
    five_wait_for_their_ms();
    uint64_t begun_ns = p.now_ns, third_ns = (3 * (400 + AROUND) - 1000) * MS_IN_NS,
             fifth_ns = (5 * (400 + AROUND) - 1000) * MS_IN_NS;
    path_run_until(begun_ns + third_ns);
    assert_true(ms_of(0)->waits && !cell(0)->waits);
    assert_int_equal(cell(0)->queued_npdus, 2);
    assert_int_equal(cell(0)->sojourn_ns, third_ns);
    path_run_until(begun_ns + fifth_ns);
    assert_int_equal(cell(0)->queued_npdus, 0);
    assert_int_equal(cell(0)->sojourn_ns, 0);
    assert_int_equal(cell(0)->sent_sojourn_ns, fifth_ns);
    for (int i = 0; i < 2 * STATE_LONGEST_OF; i++) {
        path_run_until(p.now_ns + S_IN_NS);
        assert_int_equal(cell(0)->sent_sojourn_ns, i <= 2 * STATE_LONGEST_OF - 5 ? fifth_ns : 0);
        path_down(0, 400);
        path_poll();
    }
    path_expect_all();
    path_close();
}

// Of the LLC PDUs that a window counts some are control's.
static void a_cells_longest_wait_ends_where_control_sends_too(void **state)
{
    (void)state;
    static const uint8_t frame[40] = {0x41, 0xfb};
    five_wait_for_their_ms();
    p.blind = true; // the receiver takes no frame of control
    for (uint32_t i = 0; i < 200; i++) {
        path_run_until(p.now_ns + S_IN_NS);
        if (cell(0)->down_frames % STATE_LONGEST_OF == 0)
            DO(llc, .ms_id = 0, .pdu = {frame, sizeof frame});
        else
            path_down(0, 400);
        path_poll();
    }
    assert_int_equal(cell(0)->sent_sojourn_ns, 0);
    path_close();
}

// Its time stands while it is frozen.
static void a_frozen_mss_queue_does_not_age(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    path_bvc_flow(0, 0, 0);
    path_down(0, 300);
    path_poll();
    path_run_until(p.now_ns + 70 * MS_IN_NS);
    DO(ms_freeze, .ms_id = 0);
    path_run_until(p.now_ns + 500 * MS_IN_NS);
    struct view_ms *ms = ms_of(0);
    assert_true(ms->frozen && ms->held_by_control && !ms->held_until_heard);
    assert_int_equal(ms->sojourn_ns, 70 * MS_IN_NS);
    DO(ms_release, .ms_id = 0);
    path_run_until(p.now_ns + 5 * MS_IN_NS);
    ms = ms_of(0);
    assert_false(ms->frozen || ms->held_by_control);
    assert_int_equal(ms->sojourn_ns, 75 * MS_IN_NS);
    assert_true(cell(0)->stopped);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    assert_true(cell(0)->blocked);
    assert_false(nse_of(0)->stopped);
    DO(nsvc_remove, 0);
    assert_true(nse_of(0)->stopped); // as with SNS, when the last one is dead
    path_close();
}

// By the path itself, which has not heard it for so long that it is to be paged.
static void an_ms_in_standby_is_held_until_it_is_heard(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    c.ready_ns = 5 * S_IN_NS;
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    path_run_until(p.now_ns + 7 * S_IN_NS);
    struct view_ms *ms = ms_of(0);
    assert_false(ms->frozen || ms->held_until_heard);
    path_down(0, 300);
    path_poll();
    assert_int_equal(p.events[EVENT_page], 1);
    ms = ms_of(0);
    assert_true(ms->frozen && ms->held_until_heard && !ms->held_by_control);
    path_up(0, 100);
    path_poll();
    ms = ms_of(0);
    assert_false(ms->frozen || ms->held_until_heard);
    path_expect_all();
    path_close();
}

static uint64_t drops_by(const struct view_drops *drops, enum drop_reason reason)
{
    return drops->npdus[stats_npdu_of[reason]];
}

static void expect_drops(const struct view_drops *drops, uint64_t total, uint64_t ms_full,
                         uint64_t flushed)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < STATS_NPDU_DROPS; i++)
        sum += drops->npdus[i];
    assert_int_equal(sum, ms_full + flushed);
    assert_int_equal(total, sum);
    assert_int_equal(drops_by(drops, DROP_ms_full), ms_full);
    assert_int_equal(drops_by(drops, DROP_flushed), flushed);
}

static void drops_are_there_by_reason(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    c.ms_packets = 10;
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    path_plain_ms(1, 0, 1500);
    path_bvc_flow(0, 0, 0);
    p.lossy_down = true;
    for (int i = 0; i < 13; i++)
        path_down(0, 100);
    path_down(1, 100);
    path_poll();
    expect_drops(&q.ms_drops[0], ms_of(0)->dropped_npdus, 3, 0);
    expect_drops(&q.bvc_drops[0], cell(0)->dropped_npdus, 3, 0);
    path_ms_flush(0);
    expect_drops(&q.ms_drops[0], ms_of(0)->dropped_npdus, 3, 10);
    expect_drops(&q.ms_drops[0], ms_of(1)->dropped_npdus, 0, 0);
    path_ms_remove(1); // its context first, so nobody knows whose its N-PDU was
    expect_drops(&q.bvc_drops[0], cell(0)->dropped_npdus, 3, 10);
    assert_int_equal(cell(0)->mss, 1);
    path_close();
}

static void what_the_bss_discards_is_there(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_plain_ms(0, 0, 1500);
    path_plain_ms(1, 0, 1500);
    for (int i = 0; i < 2; i++)
        DO(ms_credit, 0, 100, 200);
    DO(bvc_credit, 0, 100, 255);
    DO(bvc_credit, 0, 100, 255);
    path_poll();
    assert_int_equal(ms_of(0)->discarded_frames, 400);
    assert_int_equal(ms_of(1)->discarded_frames, 0);
    assert_int_equal(cell(0)->discarded_frames, 510);
    path_close();
}

// ---- Many ----

static uint32_t queued_of(uint32_t ms)
{
    uint32_t queued = 0;
    for (uint32_t pdp = 2 * ms; pdp < 2 * ms + 2; pdp++)
        queued += p.pdp[pdp].down.sent - p.pdp[pdp].down.received;
    return queued;
}

struct seen {
    uint8_t mss[PATH_MSS];
    uint32_t queued[PATH_BVCS], members[PATH_BVCS];
};

static void look_at_ms(struct seen *seen, uint32_t worker, const struct view_ms *ms)
{
    const struct path_ms *known = &p.ms[ms->ms_id];
    seen->mss[ms->ms_id]++;
    seen->queued[ms->bvc_id] += ms->queued_npdus;
    seen->members[ms->bvc_id]++;
    assert_int_equal(ms->tlli, known->tlli);
    assert_int_equal(ms->bvc_id, known->bvc);
    assert_int_equal(path_worker_of_bvc(ms->bvc_id), worker);
    assert_int_equal(ms->queued_npdus, queued_of(ms->ms_id));
}

static void look_at_all(struct seen *seen)
{
    memset(seen, 0, sizeof *seen);
    for (uint32_t w = 0; w < p.workers; w++)
        for (uint32_t first = 0; first != VIEW_ALL; first = q.next) {
            ask(w, VIEW_MSS, VIEW_ALL, first, VIEW_ALL);
            assert_in_range(q.n, 0, VIEW_ROWS);
            assert_true(q.next > first);
            for (uint32_t i = 0; i < q.n; i++)
                look_at_ms(seen, w, &q.ms[i]);
        }
}

static void expect_sums(const struct seen *seen)
{
    for (uint32_t i = 0; i < p.workers; i++) {
        const struct view_bvc *bvc = cell(i);
        assert_int_equal(bvc->queued_npdus, seen->queued[i]);
        assert_int_equal(bvc->mss, seen->members[i]);
        assert_int_equal(bvc->bvci, 2 + i);
        assert_int_equal(bvc->nse_id, i);
        ask_one(VIEW_NSES, i);
        assert_int_equal(q.n, 1);
        assert_int_equal(q.nse[0].cells, 1);
        assert_int_equal(q.nse[0].queued_npdus, seen->queued[i]);
        uint32_t by_class = 0;
        ask(path_worker_of_bvc(i), VIEW_BVC_CLASSES, i, 0, VIEW_ALL);
        for (uint32_t class = 0; class < q.n; class ++)
            by_class += q.of_class[class].queued_npdus;
        assert_int_equal(by_class, seen->queued[i]);
    }
}

// Every MS is in one page of the one worker that has it, wherever it has moved, and what is queued
// for it is what was sent and has not come.
static void every_ms_is_there_once(void **state)
{
    static struct seen seen;
    (void)state;
    open_plain(3);
    add_mss(300);
    for (uint32_t round = 0; round < 4; round++) {
        stop_cells(true);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t pdp = (uint32_t)random_in(0, 599);
            down_at(pdp, pdp % 3, random_in(20, 1500)); // by one queue, or they change their order
        }
        path_poll();
        for (uint32_t i = 0; i < 50; i++)
            path_ms_move((uint32_t)random_in(0, 299), (uint32_t)random_in(0, 2));
        look_at_all(&seen);
        for (uint32_t ms = 0; ms < PATH_MSS; ms++)
            assert_int_equal(seen.mss[ms], ms < 300);
        expect_sums(&seen);
        stop_cells(false);
        path_poll();
    }
    close_whole();
}

static void packet_flows_of_an_ms(void **state)
{
    (void)state;
    open_plain(1);
    add_ms(0, 0);
    stop_cells(true);
    down_at(1, 0, 700);
    path_poll();
    path_run_until(p.now_ns + 9 * MS_IN_NS);
    DO(pfc_bucket, .ms_id = 0, .slot = 1, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 50,
       .bucket_octets = 1234);
    ask(0, VIEW_PFCS, 0, 0, VIEW_ALL);
    assert_int_equal(q.n, 2);
    assert_int_equal(q.pfc[0].slot, 0);
    assert_int_equal(q.pfc[0].traffic_class, CLASS_BACKGROUND);
    assert_int_equal(q.pfc[0].queued_npdus, 0);
    assert_false(q.pfc[0].has_rate_bit_per_s);
    assert_int_equal(q.pfc[1].traffic_class, CLASS_STREAMING);
    assert_int_equal(q.pfc[1].queued_octets, 700);
    assert_int_equal(q.pfc[1].sojourn_ns, 9 * MS_IN_NS);
    assert_int_equal(q.pfc[1].rate_bit_per_s, 5000);
    assert_int_equal(q.pfc[1].bucket_octets, 1234);
    ask(0, VIEW_BVC_CLASSES, 0, 0, VIEW_ALL);
    assert_int_equal(q.of_class[CLASS_STREAMING].sojourn_ns, 9 * MS_IN_NS);
    assert_int_equal(q.of_class[CLASS_BACKGROUND].sojourn_ns, 0);
    stop_cells(false);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buckets_level_is_what_was_sent_less_what_leaked),
        cmocka_unit_test(an_ms_has_its_own_bucket_or_its_cells_default),
        cmocka_unit_test(a_cells_wait_is_known_while_all_its_mss_wait_for_their_buckets),
        cmocka_unit_test(a_cells_longest_wait_ends_where_control_sends_too),
        cmocka_unit_test(a_frozen_mss_queue_does_not_age),
        cmocka_unit_test(an_ms_in_standby_is_held_until_it_is_heard),
        cmocka_unit_test(drops_are_there_by_reason),
        cmocka_unit_test(what_the_bss_discards_is_there),
        cmocka_unit_test(every_ms_is_there_once),
        cmocka_unit_test(packet_flows_of_an_ms),
    };
    return cmocka_run_group_tests_name("view", tests, path_start_eal, NULL);
}
