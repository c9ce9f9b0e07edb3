// Several workers: each has NSEs of its own, and a frame may come to any queue. It reaches the
// worker whose it is, or is dropped once and counted; and whatever happens in whatever order they
// are polled, the oracles behind both ports see no gap in any number. Time is virtual.
#include "tests/dataplane/path/workers.h"

#include <string.h>

#include "dataplane/post/post.h"
#include "tests/dataplane/path/storm.h"

#define BITS teid_bits(3, PATH_PDPS)

// ---- Strays ----

static void a_frame_finds_its_worker(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= PATH_WORKERS; workers++) {
        open_plain(workers);
        add_mss(12);
        traffic(24, 20);
        for (int side = 0; side < STATS_SIDES; side++)
            assert_true(workers == 1 ? strays(side, true) == 0 : strays(side, true) > 100);
        close_whole();
    }
}

// Whoever gets the pieces joins them, and passes the whole on.
static void fragments_find_their_worker(void **state)
{
    (void)state;
    open_plain(3);
    add_mss(12);
    p.gn_mtu_octets = p.gb_mtu_octets = 576;
    traffic(24, 10);
    assert_true(strays(STATS_GN, true) > 100 && strays(STATS_GB, true) > 100);
    path_expect_all();
    path_close();
}

static const struct stats_port *gn_of(uint32_t worker)
{
    return &dp_stats(dp_worker(p.dp, worker))->of_port[STATS_GN];
}

// It goes to the worker that it names, and ends there; one that names no worker ends at once.
static void an_unknown_teid_ends_once(void **state)
{
    (void)state;
    open_plain(3);
    p.on_gn = count_error_indication;
    error_indications = 0;
    give_unknown(teid_make(BITS, 1, 1, 7), 0);
    give_unknown(teid_make(BITS, 1, 1, 7), 2);
    give_unknown(teid_make(BITS, 1, 1, 7), 1);
    assert_int_equal(gn_of(1)->drop[DROP_unknown_teid].packets, 3);
    assert_int_equal(strays(STATS_GN, true), 2);
    give_unknown(teid_make(BITS, 3, 1, 7), 2);
    give_unknown(UINT32_MAX, 2);
    give_unknown(0, 2);
    give_unknown(teid_make(BITS, 0, 0, 3), 0);
    assert_int_equal(gn_of(2)->drop[DROP_unknown_teid].packets, 2);
    assert_int_equal(gn_of(0)->drop[DROP_unknown_teid].packets, 2);
    assert_int_equal(strays(STATS_GN, true), 3);
    assert_int_equal(error_indications, 6); // 0 is nobody's tunnel
    expect_nothing_between();
    path_close();
}

// Worker 1 does not come to look.
static void a_full_ring_of_strays(void **state)
{
    (void)state;
    open_plain(2);
    path_ms(1, 1, 1520);
    path_pfc(1, 0, CLASS_BACKGROUND);
    path_pdp(1, 1, 0, 5, 3, 0, -1);
    p.lossy_down = true;
    for (uint32_t i = 0; i < 1200; i++) {
        down_at(1, 0, 100);
        path_poll_worker(0);
    }
    uint64_t full = path_dropped(DROP_stray_full).packets;
    assert_int_equal(full, 1200 - 1023);
    assert_int_equal(strays(STATS_GN, true), 1023);
    path_poll();
    assert_int_equal(p.pdp[1].down.received, 1023);
    expect_nothing_between();
    path_close();
}

// The MS is at worker 1, whence its context is removed; worker 0, which the TEID names, has yet to
// hear of it, for its commands wait behind what its Gb port does not take. Its frames end, and
// nobody is told that the tunnel is gone.
static void a_frame_of_nobody_does_not_go_round(void **state)
{
    struct dp_config c = path_config(2);
    uint64_t next_ns;
    uint32_t rounds = 0;
    (void)state;
    c.gb.tx_frames = 4;
    open_workers(&c);
    path_plain_ms(0, 0, 500);
    path_ms_move(0, 1);
    p.blind = p.hold_frames = p.defer = true;
    for (uint32_t i = 0; i < 600; i++)
        TRY(0, send, .nsvc_id = 0, .pdu = {(const uint8_t *)"\6", 1});
    uint32_t teid = p.pdp[0].teid;
    path_pdp_remove(0);
    for (uint32_t i = 0; i < 20; i++)
        path_poll_once(&next_ns);
    assert_false(dp_settled(p.dp));
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gn(0);
    path_gpdu(&frame, &ends, teid, (const uint8_t *)"nobody's", 8);
    uint64_t said = p.frames_out[STATS_GN] + gn_of(0)->answers + gn_of(1)->answers;
    assert_true(path_give(STATS_GN, 0, &frame));
    while (path_poll_once(&next_ns))
        assert_true(++rounds < 100);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 1);
    assert_int_equal(strays(STATS_GN, true), POST_HOPS);
    assert_int_equal(p.frames_out[STATS_GN] + gn_of(0)->answers + gn_of(1)->answers, said);
    p.defer = p.hold_frames = false;
    path_poll();
    expect_nothing_between();
    path_close();
}

// ---- Neighbours ----

// What a BSS of worker 1's says of itself comes to worker 0's queue.
static void hear_a_neighbour(bool announcement)
{
    static const uint8_t answer[] = {2,      0, 0, 2, 0, 1, 2, 0, 0, 2, 0,
                                     10 + 3, 8, 6, 0, 1, 8, 0, 6, 4, 0, 2};
    struct ip_frame frame = {.n = 42};
    open_plain(2);
    p.lossy_down = true;
    p.refused_by_gb[GB_ERR_ETHERNET_TYPE] = true; // questions
    add_ms(1, 1);
    path_nsvc_remove(1);
    p.nsvc[3] = (struct path_nsvc){.made = true, .nse = 1};
    struct ip_ends ends = path_ends_gb(3);
    struct command c = {
        .op = COMMAND_nsvc,
        .nsvc = {
            .nsvc_id = 3, .nse_id = 1, .nsvci = 203, .peer_port = ends.source_port, .weight = 1}};
    memcpy(c.nsvc.peer_address.octet, ends.source, 16);
    path_do(&c);
    path_down(2, 100);
    path_poll();
    assert_int_equal(path_dropped(DROP_no_link).packets, 1);
    memcpy(frame.octets, answer, sizeof answer);
    memcpy(frame.octets + 22, ends.source_mac, 6);
    memcpy(frame.octets + 28, ends.source + 12, 4);
    memcpy(frame.octets + 32, ends.destination_mac, 6);
    memcpy(frame.octets + 38, ends.destination + 12, 4);
    if (announcement) { // a request about its own address, to all
        memset(frame.octets, 0xff, 6);
        frame.octets[21] = 1;
        memcpy(frame.octets + 38, ends.source + 12, 4);
    }
    assert_true(path_give(STATS_GB, 0, &frame));
    path_poll();
    path_down(2, 100);
    path_poll();
    assert_int_equal(p.pdp[2].down.received, 1);
    path_close();
}

// The answer comes to one queue, whoever asked.
static void an_answer_is_for_all(void **state)
{
    (void)state;
    hear_a_neighbour(false);
}

static void an_announcement_is_for_all(void **state)
{
    (void)state;
    hear_a_neighbour(true);
}

static void expect_arp(const uint8_t *frame, size_t n)
{
    assert_true(n >= 14);
    assert_memory_equal(frame + 12, "\x08\x06", 2);
}

// Whoever is on the link, and speaks of whomever, while worker 1 does not come to look: half of the
// messages' ring is left for frames, and nobody hears what is said to others.
static void strangers_leave_room_for_frames(void **state)
{
    static const uint8_t request[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 2, 0,
                                      10,   8,    6,    0,    1,    8,    0, 6, 4, 0, 1};
    struct ip_frame frame = {.n = 42};
    struct ip_ends ends = path_ends_gn(0);
    (void)state;
    open_plain(2);
    path_ms(1, 1, 1520);
    path_pfc(1, 0, CLASS_BACKGROUND);
    path_pdp(1, 1, 0, 5, 3, 0, -1);
    p.on_gn = expect_arp; // answers
    memcpy(frame.octets, request, sizeof request);
    memcpy(frame.octets + 22, ends.source_mac, 6);
    memcpy(frame.octets + 28, "\x0a", 1);
    memcpy(frame.octets + 38, ends.destination + 12, 4);
    for (uint32_t i = 0; i < 2400; i++) {
        frame.octets[30] = (uint8_t)(i >> 8);
        frame.octets[31] = (uint8_t)i;
        frame.octets[41] ^= i % 2 ? 0x55 : 0; // to us, or not
        assert_true(path_give(STATS_GN, 0, &frame));
        frame.octets[41] ^= i % 2 ? 0x55 : 0;
        path_poll_worker(0);
    }
    assert_int_equal(path_dropped(DROP_arp).packets, 1200);
    for (uint32_t i = 0; i < 512; i++) {
        down_at(1, 0, 100);
        path_poll_worker(0);
    }
    assert_int_equal(path_dropped(DROP_stray_full).packets, 0);
    path_poll();
    assert_int_equal(p.pdp[1].down.received, 512);
    expect_nothing_between();
    path_close();
}

// ---- Anything ----

static void stop_storm_cells(bool stop)
{
    for (uint32_t i = 0; i < STORM_BVCS; i++)
        path_bvc_flow(i, stop ? 0 : 1000u << random_in(0, 10), (uint32_t)random_in(1600, 20000));
}

// Many commands before any worker looks, and frames between them. Nothing goes out meanwhile: a
// worker that waits for an MS still sends for others as they were, which is right, but which the
// receiver, who knows what control has said, would not have. And one frame of a context at most:
// two that meet a move may take two ways.
static void much_happens_at_once(void)
{
    bool given[STORM_PDPS] = {false};
    stop_storm_cells(true);
    p.defer = true;
    for (uint32_t left = (uint32_t)random_in(1, 40); left > 0; left--) {
        uint32_t ms = storm_one_of(STORM_MSS), pdp = storm_one_of(STORM_PDPS);
        uint32_t kind = storm_one_of(12);
        if (kind == 0 || !p.ms[ms].made)
            storm_ms(ms);
        else if (kind < 3)
            storm_pdp(pdp);
        else if (kind < 6)
            storm_of_ms(ms);
        else if (kind < 10)
            path_ms_move(ms, storm_one_of(STORM_BVCS));
        else if (p.pdp[pdp].made && !given[pdp]) {
            down_at(pdp, storm_one_of(p.workers), random_in(1, 1500));
            given[pdp] = true;
        }
        if (storm_one_of(10) == 0)
            path_poll_worker(storm_one_of(p.workers));
    }
    p.defer = false;
    path_poll();
    assert_true(dp_settled(p.dp));
    stop_storm_cells(false);
}

static void a_storm(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t workers = 2; workers <= PATH_WORKERS; workers++) {
        struct dp_config c = path_config(workers);
        path_order = workers + random_state;
        storm_begin(&c);
        p.on_gn = count_error_indication; // of contexts that have just been removed
        for (uint32_t i = 0; i < 1500 / LESS; i++) {
            for (uint32_t left = (uint32_t)random_in(0, 3); left > 0; left--)
                storm_command();
            memset(storm_fresh, 0, sizeof storm_fresh);
            storm_traffic();
            path_run_until(p.now_ns + random_in(0, 20 * MS_IN_NS));
            much_happens_at_once();
        }
        storm_calm();
        uint64_t moved = 0;
        for (uint32_t w = 0; w < workers; w++) {
            assert_int_equal(dp_queued(dp_worker(p.dp, w)).packets, 0);
            for (int class = 0; class < CLASS_COUNT; class ++)
                moved += dp_stats(dp_worker(p.dp, w))->of_class[class].moved_in_packets;
        }
        expect_nothing_between();
        print_message("# %lu N-PDUs down, %lu up; %lu moved\n", (unsigned long)p.down_received,
                      (unsigned long)p.up_received, (unsigned long)moved);
        assert_true(p.down_received > 1000 / LESS && moved > 500 / LESS);
        path_close();
    }
    path_order = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_finds_its_worker),
        cmocka_unit_test(fragments_find_their_worker),
        cmocka_unit_test(an_unknown_teid_ends_once),
        cmocka_unit_test(a_full_ring_of_strays),
        cmocka_unit_test(an_answer_is_for_all),
        cmocka_unit_test(a_storm),
        cmocka_unit_test(a_frame_of_nobody_does_not_go_round),
        cmocka_unit_test(an_announcement_is_for_all),
        cmocka_unit_test(strangers_leave_room_for_frames),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
