// Blocked NS-VCs and cells, and cells that nobody knows: no downlink goes where it may not, and
// what comes from there is control's, whole and with who it is from, up to half of the events'
// ring.
#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/path.h"

static void open_world(void)
{
    struct dp_config c = path_config(1);
    path_open(&c);
    path_one_cell(false, false);
    path_nsvc(1, 0, true, 1);
    path_bvc(1, 0, 3);
    for (uint32_t ms = 0; ms < 64; ms++)
        path_plain_ms(ms, ms % 2, 500);
}

static void weigh(uint32_t nsvc, uint8_t weight, bool blocked)
{
    DO(nsvc_weight, .nsvc_id = nsvc, .weight = weight, .has_blocked = true, .blocked = blocked);
}

// N-PDUs to all; how many frames went over each NS-VC.
static void send_to_all(uint32_t least[2])
{
    for (uint32_t i = 0; i < 2; i++)
        p.nsvc[i].frames = 0;
    for (uint32_t ms = 0; ms < 64; ms++)
        path_down(ms, 100);
    path_poll();
    for (uint32_t i = 0; i < 2; i++)
        least[i] = p.nsvc[i].frames;
}

static void a_blocked_nsvc_has_no_downlink(void **state)
{
    uint32_t frames[2];
    (void)state;
    open_world();
    send_to_all(frames);
    assert_true(frames[0] > 10 && frames[1] > 10);
    weigh(0, 200, true);
    send_to_all(frames);
    assert_int_equal(frames[0], 0);
    path_nsvc_weight(0, 1); // which says nothing of blocking: it is not
    send_to_all(frames);
    assert_true(frames[0] > 10 && frames[1] > 10);
    weigh(0, 1, true);
    weigh(1, 1, true);
    send_to_all(frames); // which wait
    assert_int_equal(frames[0] + frames[1], 0);
    assert_int_equal(path_dropped(DROP_no_link).packets, 0);
    weigh(1, 1, false);
    path_poll();
    assert_int_equal(p.nsvc[1].frames, 64);
    send_to_all(frames);
    assert_int_equal(frames[1], 64);
    path_nsvc_remove(0);
    path_close();
}

// Made so, it is blocked from its first packet on.
static void an_nsvc_may_be_made_blocked(void **state)
{
    uint32_t frames[2];
    (void)state;
    open_world();
    path_nsvc_remove(1);
    struct ip_ends ends = path_ends_gb(1);
    struct command c = {.op = COMMAND_nsvc,
                        .nsvc = {.nsvc_id = 1,
                                 .nsvci = 201,
                                 .peer_port = ends.source_port,
                                 .has_peer_mac = true,
                                 .weight = 9,
                                 .has_blocked = true,
                                 .blocked = true}};
    memcpy(c.nsvc.peer_address.octet, ends.source, 16);
    memcpy(c.nsvc.peer_mac.octet, ends.source_mac, 6);
    path_do(&c);
    p.nsvc[1].made = true;
    send_to_all(frames);
    assert_int_equal(frames[0], 64);
    path_close();
}

// ---- Uplink ----

static struct event last;
static uint8_t last_pdu[2048];

static void remember(const struct event *e)
{
    last = *e;
    if (e->pdu.n > 0)
        memcpy(last_pdu, e->pdu.at, e->pdu.n);
}

// One UL-UNITDATA of an MS from that NS-VC on that BVCI.
static void give_up(uint32_t ms, uint32_t nsvc, uint16_t bvci)
{
    static struct ip_frame frame[UL_SEGMENTS_MAX];
    static const uint8_t npdu[100] = {0x45};
    struct ul_cell cell = path_cell(0);
    struct ul_ms copy = p.ms[ms].up;
    cell.ends = path_ends_gb(nsvc);
    cell.bvci = bvci;
    assert_int_equal(ul_send(&copy, &cell, 3, 5, npdu, sizeof npdu, frame), 1);
    assert_true(path_give(STATS_GB, 0, frame));
    path_poll();
}

// What give_up brings to Gn is not expected there: so many complaints, and no other.
static void close_with_unexpected(uint64_t npdus)
{
    assert_int_equal(p.up_received, npdus);
    assert_int_equal(p.wrong, npdus);
    p.wrong = 0;
    path_close();
}

static void expect_event(uint64_t count, uint32_t nsvc, uint32_t bvc, uint16_t bvci)
{
    assert_int_equal(p.events[EVENT_ns], count);
    assert_int_equal(last.kind, EVENT_ns);
    assert_int_equal(last.nse_id, 0);
    assert_int_equal(last.nsvc_id, nsvc);
    assert_int_equal(last.bvc_id, bvc);
    assert_int_equal(last.ms_id, EVENT_NONE);
    assert_int_equal(last_pdu[0], 0); // NS-UNITDATA
    assert_int_equal(last_pdu[2] << 8 | last_pdu[3], bvci);
    assert_int_equal(last_pdu[4], 1); // UL-UNITDATA
}

static void user_data_of_a_blocked_nsvc_is_controls(void **state)
{
    (void)state;
    open_world();
    p.on_event = remember;
    give_up(0, 1, 2);
    assert_int_equal(p.events[EVENT_ns], 0);
    weigh(1, 1, true);
    give_up(1, 1, 2);
    expect_event(1, 1, EVENT_NONE, 2);
    give_up(1, 0, 2); // by another NS-VC it goes on
    assert_int_equal(p.events[EVENT_ns], 1);
    weigh(1, 1, false);
    give_up(2, 1, 2);
    assert_int_equal(p.events[EVENT_ns], 1);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->up.in_packets, 3);
    close_with_unexpected(3);
}

static void of_a_blocked_cell_and_of_none(void **state)
{
    (void)state;
    open_world();
    p.on_event = remember;
    DO(bvc_block, .bvc_id = 1, .blocked = true);
    give_up(1, 0, 3);
    expect_event(1, 0, 1, 3);
    give_up(1, 0, 77);
    expect_event(2, 0, EVENT_NONE, 77);
    DO(bvc_reset, 1); // leaves it blocked
    give_up(1, 0, 3);
    expect_event(3, 0, 1, 3);
    DO(bvc_block, .bvc_id = 1, .blocked = false);
    give_up(1, 0, 3);
    assert_int_equal(p.events[EVENT_ns], 3);
    close_with_unexpected(1);
}

// What an MS sends has half of the ring; PDUs of BSSs go on.
static void half_of_the_ring_at_most(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        open_world();
        p.hold_events = true;
        if (how == 0)
            DO(bvc_block, .bvc_id = 0, .blocked = true);
        if (how == 1)
            weigh(0, 1, true);
        for (uint32_t i = 0; i < DP_EVENT_RING / 2 + 88; i++)
            give_up(0, 0, how == 2 ? 99 : 2);
        assert_int_equal(path_dropped(DROP_control_full).packets, 88);
        struct ip_ends ends = path_ends_gb(0);
        static struct ip_frame frame;
        static const uint8_t ns_block[] = {0x04, 0x01, 0x81, 0x00};
        ip_write(&frame, &ends, ns_block, sizeof ns_block);
        assert_true(path_give(STATS_GB, 0, &frame));
        path_poll();
        p.hold_events = false;
        path_poll();
        assert_int_equal(p.events[EVENT_ns], DP_EVENT_RING / 2 + 1);
        path_expect_conservation();
        path_close();
    }
}

// ---- A blocked cell's downlink ----

static void a_blocked_cell_waits_with_its_queue(void **state)
{
    (void)state;
    open_world();
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    for (uint32_t ms = 0; ms < 64; ms++)
        path_down(ms, 500);
    path_run_until(10 * S_IN_NS);
    assert_int_equal(p.down_received, 32); // those of cell 1
    assert_int_equal(dp_bvc_traffic(p.dp, 0).queued.packets, 32);
    path_bvc_flow(0, 80000, 10000);
    DO(bvc_credit, .bvc_id = 0, .octets = 10);
    path_run_until(11 * S_IN_NS);
    assert_int_equal(p.down_received, 32);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    path_poll();
    assert_int_equal(p.down_received, 32 + 19); // 10000 octets, in frames of 500 and 19 octets
    DO(bvc_credit, .bvc_id = 0, .octets = 1100);
    path_poll();
    assert_int_equal(p.down_received, 32 + 21);
    path_run_until(20 * S_IN_NS);
    path_expect_all();
    path_close();
}

static void credits_of_ms_and_packet_flow(void **state)
{
    (void)state;
    for (int pfc = 0; pfc < 2; pfc++) {
        open_world();
        if (pfc)
            DO(pfc_bucket, .ms_id = 0, .slot = 0, .has_rate_100_bit_per_s = true,
               .rate_100_bit_per_s = 1, .bucket_octets = 1000);
        else
            DO(ms_bucket, .ms_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 1,
               .bucket_octets = 1000);
        for (int i = 0; i < 3; i++)
            path_down(0, 400);
        path_poll();
        assert_int_equal(p.down_received, 2);
        if (pfc)
            DO(pfc_credit, .ms_id = 0, .slot = 0, .octets = 300);
        else
            DO(ms_credit, .ms_id = 0, .octets = 300);
        assert_int_equal(p.down_received, 3);
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blocked_nsvc_has_no_downlink),
        cmocka_unit_test(an_nsvc_may_be_made_blocked),
        cmocka_unit_test(user_data_of_a_blocked_nsvc_is_controls),
        cmocka_unit_test(of_a_blocked_cell_and_of_none),
        cmocka_unit_test(half_of_the_ring_at_most),
        cmocka_unit_test(a_blocked_cell_waits_with_its_queue),
        cmocka_unit_test(credits_of_ms_and_packet_flow),
    };
    return cmocka_run_group_tests_name("path_block", tests, path_start_eal, NULL);
}
