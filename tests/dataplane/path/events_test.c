// What the path tells control, and what it does without it: NS-ALIVE is answered, events come in
// order with their PDUs, and a control that does not listen, or strangers, cost nobody else a
// packet.
#include "tests/dataplane/path/control.h"

// ---- NS-ALIVE ----

static uint32_t alive_acks;
static uint32_t alive_nsvc;

static void expect_alive_ack(const struct ip_datagram *d)
{
    struct ip_ends bss = path_ends_gb(alive_nsvc);
    assert_int_equal(d->n, 1);
    assert_int_equal(d->octets[0], 0x0b);
    assert_memory_equal(d->ends.destination, bss.source, 16);
    assert_memory_equal(d->ends.source, bss.destination, 16);
    assert_memory_equal(d->ends.destination_mac, bss.source_mac, 6);
    assert_int_equal(d->ends.destination_port, bss.source_port);
    assert_int_equal(d->ends.source_port, bss.destination_port);
    alive_acks++;
}

static void give_ns(const struct ip_ends *ends, const void *pdu, size_t n)
{
    static struct ip_frame frame;
    ip_write(&frame, ends, pdu, n);
    assert_true(path_give(STATS_GB, 0, &frame));
}

static void give_alive(uint32_t nsvc)
{
    struct ip_ends ends = path_ends_gb(nsvc);
    alive_nsvc = nsvc;
    give_ns(&ends, "\x0a", 1);
    path_poll();
}

static void alive_is_answered(void **state)
{
    (void)state;
    open_one_cell(1024);
    p.on_gb = expect_alive_ack;
    alive_acks = 0;
    for (uint32_t nsvc = 1; nsvc < 10; nsvc++)
        path_nsvc(nsvc, 0, nsvc % 2, 1);
    for (uint32_t i = 0; i < 500; i++)
        give_alive(i % 10);
    assert_int_equal(alive_acks, 500);
    assert_int_equal(p.events[EVENT_ns], 0);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->of_port[STATS_GB].host_packets, 500);
    path_expect_conservation();
    path_close();
}

// ---- Events ----

enum { ROUNDS = DP_EVENT_RING / 50 + 10, TOLD = 50 * ROUNDS };

static uint32_t event_number;

// As they came, in order.
static void expect_numbered_event(const struct event *event)
{
    uint8_t wanted[8];
    assert_int_equal(event->kind, EVENT_ns);
    assert_int_equal(event->nse_id, 0);
    assert_int_equal(event->nsvc_id, event_number % 2);
    assert_int_equal(event->udp_port, path_ends_gb(event_number % 2).source_port);
    assert_memory_equal(event->source.octet, path_ends_gb(event_number % 2).source, 16);
    pdu_put(wanted, event_number++);
    assert_int_equal(event->pdu.n, 8);
    assert_memory_equal(event->pdu.at, wanted, 8);
}

static void give_numbered(uint32_t number)
{
    uint8_t pdu[8];
    struct ip_ends ends = path_ends_gb(number % 2);
    pdu_put(pdu, number);
    give_ns(&ends, pdu, 8);
}

// Control does not listen: a ring of PDUs waits for it, the rest is dropped under that name. Data
// and NS-ALIVE go on, and when it listens again it has those that waited, and the next ones.
static void a_control_that_does_not_listen(void **state)
{
    (void)state;
    open_one_cell(1024);
    path_nsvc(1, 0, true, 1);
    path_plain_ms(0, 0, 500);
    path_bvc(1, 0, 3);
    p.on_event = expect_numbered_event;
    p.on_gb = expect_alive_ack;
    event_number = alive_acks = 0;
    p.hold_events = true;
    for (uint32_t i = 0; i < TOLD; i++) {
        give_numbered(i);
        if (i % 50 == 49) {
            path_up(0, random_in(1, 1500));
            path_down(0, random_in(1, 1500));
            give_alive(i / 50 % 2);
        }
    }
    uint64_t dropped = path_dropped(DROP_control_full).packets;
    assert_in_range(dropped, TOLD - DP_EVENT_RING, TOLD - DP_EVENT_RING + 1);
    assert_int_equal(alive_acks, ROUNDS);
    assert_int_equal(p.up_received, ROUNDS);
    assert_int_equal(p.down_received, ROUNDS);
    // The MS is heard elsewhere; it stays where control knows it, until control can be told.
    path_up_from(0, 1, 100);
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.up_received, ROUNDS + 1);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->up.moves, 0);

    p.hold_events = false;
    path_poll();
    assert_int_equal(event_number, TOLD - dropped);
    give_numbered(event_number);
    path_poll();
    p.on_event = NULL;
    path_up_from(0, 1, 100);
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.events[EVENT_moved], 1);
    assert_int_equal(p.ms[0].bvc, 1);
    assert_int_equal(p.pdp[0].down.received, ROUNDS + 2);
    assert_int_equal(p.pdp[0].up.received, ROUNDS + 2);
    path_expect_conservation();
    path_close();
}

static struct ip_ends strange;

static void expect_stranger(const struct event *event)
{
    assert_int_equal(event->nsvc_id, EVENT_NONE);
    if (event->kind == EVENT_unlisted) // once in a while, of what is dropped
        return;
    assert_int_equal(event->kind, EVENT_stranger);
    assert_memory_equal(event->source.octet, strange.source, 16);
    assert_int_equal(event->udp_port, strange.source_port);
    assert_memory_equal(event->pdu.at, "\x02\x00\x81\x01", 4);
}

// What may make one known (NS-RESET, NS-STATUS, SNS) is control's; all else is dropped, NS-ALIVE
// and user data of a TLLI that is known too.
static void strangers(void **state)
{
    static const uint8_t reset[] = {0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0, 7, 0x04, 0x82, 0, 9};
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    (void)state;
    open_one_cell(1024);
    path_plain_ms(0, 0, 500);
    p.on_event = expect_stranger;
    for (uint32_t i = 0; i < 100; i++) {
        struct ul_ms ms = p.ms[0].up;
        struct ul_cell cell = path_cell(0);
        cell.ends.source_port = (uint16_t)(9 + i);
        cell.ends.source[15] = (uint8_t)(cell.ends.source[15] + i % 3);
        strange = cell.ends;
        give_ns(&strange, reset, sizeof reset);
        path_poll();
        assert_int_equal(p.events[EVENT_stranger], i + 1);
        give_ns(&strange, "\x0a", 1);
        give_ns(&strange, "\x04\x00\x81\x01\x01\x82\x00\x07", 8);
        assert_int_equal(ul_send(&ms, &cell, 3, 5, reset, sizeof reset, frames), 1);
        assert_true(path_give(STATS_GB, 0, &frames[0]));
        path_poll();
    }
    assert_int_equal(path_dropped(DROP_stranger).packets, 300);
    assert_int_equal(p.events[EVENT_unlisted], 1);
    assert_int_equal(p.up_received, 0);
    path_up(0, 100);
    path_poll();
    assert_int_equal(p.up_received, 1);
    path_expect_conservation();
    path_close();
}

// So many that control has no room for them: it still hears whom it knows.
static void a_flood_of_strangers(void **state)
{
    (void)state;
    open_one_cell(1024);
    path_nsvc(1, 0, true, 1);
    struct ip_ends ends = path_ends_gb(0);
    ends.source_port = 7;
    event_number = 0;
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t before = p.events[EVENT_ns];
        for (uint32_t k = 0; k < 60; k++)
            give_ns(&ends, "\x02\x00\x81\x01", 4);
        give_numbered(i);
        path_poll();
        assert_int_equal(p.events[EVENT_ns], before + 1);
    }
    assert_int_equal(p.events[EVENT_stranger] + path_dropped(DROP_stranger).packets +
                         path_dropped(DROP_control_full).packets,
                     12000);
    assert_true(path_dropped(DROP_stranger).packets > 6000);
    path_expect_conservation();
    path_close();
}

static void give_error_indication(void)
{
    static const uint8_t indication[] = {0x32, 26, 0, 16, 0, 0,   0, 0, 0, 0, 0, 0,
                                         16,   1,  2, 3,  4, 133, 0, 4, 9, 9, 9, 9};
    struct ip_ends ends = path_ends_gn(0);
    struct ip_frame frame;
    ip_write(&frame, &ends, indication, sizeof indication);
    assert_true(path_give(STATS_GN, 0, &frame));
}

// A GGSN, MSs that nobody knows and strangers say more than control can take while it is busy. What
// a BSS has to say, and that an MS has moved, still finds room.
static void what_anybody_says_leaves_room(void **state)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    (void)state;
    open_one_cell(1024);
    path_nsvc(1, 0, true, 1);
    path_plain_ms(0, 0, 500);
    path_bvc(1, 0, 3);
    struct ul_ms nobody = p.ms[0].up;
    struct ul_cell cell = path_cell(0);
    struct ip_ends stranger = path_ends_gb(0);
    nobody.tlli ^= 0x00ff0000;
    stranger.source_port = 7;
    p.hold_events = true;
    for (uint32_t i = 0; i < DP_EVENT_RING; i++) {
        give_error_indication();
        give_ns(&stranger, "\x02\x00\x81\x01", 4);
        assert_int_equal(ul_send(&nobody, &cell, 3, 5, (const uint8_t *)"nobody's", 8, frames), 1);
        assert_true(path_give(STATS_GB, 0, &frames[0]));
        path_poll();
    }
    assert_int_equal(path_dropped(DROP_control_full).packets,
                     3 * DP_EVENT_RING - DP_EVENT_RING / 2);
    for (uint32_t i = 0; i < 500; i++)
        give_numbered(i);
    path_up_from(0, 1, 100);
    path_poll();
    assert_int_equal(path_dropped(DROP_control_full).packets,
                     3 * DP_EVENT_RING - DP_EVENT_RING / 2);
    p.hold_events = false;
    path_poll();
    assert_int_equal(p.events[EVENT_moved], 1);
    assert_true(p.events[EVENT_error_indication] > 100 && p.events[EVENT_stranger] > 100);
    assert_int_equal(p.events[EVENT_error_indication] + p.events[EVENT_stranger] +
                         p.events[EVENT_ns],
                     DP_EVENT_RING / 2 + 500);
    path_expect_conservation();
    path_close();
}

// Control takes as many events at a time as worker 0 alone has; it hears of worker 1 all the same.
static void no_worker_speaks_for_another(void **state)
{
    struct dp_config c = path_config(2);
    static struct ip_frame ns[2];
    struct event event;
    uint32_t heard[2] = {0};
    (void)state;
    path_open(&c);
    for (uint32_t i = 0; i < 2; i++) {
        path_nse(i);
        path_nsvc(i, i, false, 1);
        path_bvc(i, i, 2);
        struct ip_ends ends = path_ends_gb(i);
        ip_write(&ns[i], &ends, (const uint8_t *)"\0\0\0\0\x7f", 5);
    }
    p.hold_events = true;
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 64; i++)
            assert_true(path_give(STATS_GB, 0, &ns[0]));
        assert_true(path_give(STATS_GB, 1, &ns[1]));
        path_poll();
        for (uint32_t i = 0; i < 64 && dp_event(p.dp, &event); i++) {
            heard[event.worker]++;
            dp_event_done(p.dp, &event);
        }
    }
    assert_int_equal(heard[1], 100);
    assert_int_equal(heard[0], 6300);
    p.hold_events = false;
    path_poll();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alive_is_answered),
        cmocka_unit_test(a_control_that_does_not_listen),
        cmocka_unit_test(strangers),
        cmocka_unit_test(a_flood_of_strangers),
        cmocka_unit_test(no_worker_speaks_for_another),
        cmocka_unit_test(what_anybody_says_leaves_room),
    };
    return cmocka_run_group_tests_name("path_events", tests, path_start_eal, NULL);
}
