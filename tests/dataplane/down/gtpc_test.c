// GTP-C's UDP port (TS 29.060): closed until a GGSN has GTP-C; then its datagrams are events, octet
// for octet, and anybody else's are dropped, told once a second; a GGSN that floods hides no other;
// and what control sends. Each frame is accounted for (path.h).
#include "tests/dataplane/path/path.h"

#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/state/event_put.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

#define GTPC     2123
#define IPV4_UDP 28u // octets

static struct command ggsn_command(uint32_t id, uint32_t host, bool gtpc)
{
    p.ggsn[host].made = true;
    struct ip_ends ends = path_ends_gn(host);
    struct command c = {.op = COMMAND_ggsn,
                        .ggsn = {.ggsn_id = id, .has_mac = true, .has_gtpc = gtpc, .gtpc = gtpc}};
    memcpy(c.ggsn.address.octet, ends.source, 16);
    memcpy(c.ggsn.mac.octet, ends.source_mac, 6);
    return c;
}

static void add_ggsn(uint32_t id, uint32_t host, bool gtpc)
{
    struct command c = ggsn_command(id, host, gtpc);
    path_do(&c);
}

// A datagram of a host to GTP-C's port.
static bool give(uint32_t worker, uint32_t host, uint16_t port, const void *octets, size_t n)
{
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gn(host);
    ends.source_port = port;
    ends.destination_port = GTPC;
    ip_write(&frame, &ends, octets, n);
    return path_give(STATS_GN, worker, &frame);
}

static void open_world(uint32_t workers)
{
    struct dp_config c = path_config(workers);
    path_open(&c);
    p.hold_events = true;
}

static void gn_counts(uint64_t control, uint64_t strange, uint64_t other)
{
    const struct stats_port *gn = &dp_stats(p.worker)->of_port[STATS_GN];
    path_poll();
    assert_int_equal(gn->control_packets, control);
    assert_int_equal(path_dropped(DROP_gtpc_stranger).packets, strange);
    assert_int_equal(path_dropped(DROP_other_port).packets, other);
}

static bool next_event(struct event *event)
{
    return dp_event(p.dp, event);
}

static void expect_event(uint32_t host, uint16_t port, const void *octets, size_t n)
{
    struct ip_ends ends = path_ends_gn(host);
    struct event event;
    assert_true(next_event(&event));
    assert_int_equal(event.kind, EVENT_gtpc);
    assert_memory_equal(event.source.octet, ends.source, 16);
    assert_int_equal(event.udp_port, port);
    assert_int_equal(event.pdu.n, n);
    assert_memory_equal(event.pdu.at, octets, n);
    assert_int_equal(event.nse_id, EVENT_NONE);
    assert_int_equal(event.ms_id, EVENT_NONE);
    dp_event_done(p.dp, &event);
}

// As before there was GTP-C, whoever sends; and again when the last GGSN with it is gone.
static void the_port_is_closed_without_gtpc(void **state)
{
    struct event event;
    (void)state;
    open_world(1);
    p.ggsn[5].made = true;
    assert_true(give(0, 0, GTPC, "abc", 3));
    gn_counts(0, 0, 1);
    add_ggsn(0, 0, false);
    assert_true(give(0, 0, GTPC, "abc", 3) && give(0, 5, GTPC, "abc", 3));
    gn_counts(0, 0, 3);
    assert_false(next_event(&event));
    add_ggsn(1, 1, true);
    add_ggsn(2, 2, true);
    DO(ggsn_remove, 1);
    assert_true(give(0, 1, GTPC, "abc", 3) && give(0, 2, GTPC, "abc", 3));
    gn_counts(1, 1, 3);
    DO(ggsn_remove, 2);
    assert_true(give(0, 2, GTPC, "abc", 3));
    gn_counts(1, 1, 4);
    p.hold_events = false;
    path_close();
}

// Over both families, in fragments, from any port; of each length; also one that begins as an
// NS-UNITDATA does. A GGSN without GTP-C is a stranger here.
static void a_ggsns_datagrams_are_events(void **state)
{
    static uint8_t octets[1400];
    struct event event;
    uint64_t told = 0;
    (void)state;
    random_begin();
    open_world(1);
    p.ggsn[1].ipv6 = true;
    add_ggsn(0, 3, false);
    add_ggsn(3, 0, true);
    add_ggsn(4, 1, true);
    for (size_t n = 0; n <= sizeof octets; n += n < 64 ? 1 : 167) {
        for (uint32_t host = 0; host < 2; host++) {
            uint16_t port = n % 2 ? GTPC : (uint16_t)random_in(1, 65535);
            p.gn_mtu_octets = n > 1000 ? 576 : 0;
            random_fill(octets, n);
            octets[0] = 0;
            assert_true(give(0, host, port, octets, n));
            gn_counts(++told, 0, 0);
            expect_event(host, port, octets, n);
        }
    }
    p.gn_mtu_octets = 0;
    assert_false(next_event(&event));
    assert_true(give(0, 3, GTPC, octets, 20));
    gn_counts(told, 1, 0);
    p.hold_events = false;
    path_close();
}

static uint32_t strangers_told(void)
{
    struct event event;
    struct ip_ends ends = path_ends_gn(6);
    uint32_t n = 0;
    for (; next_event(&event); n++) {
        assert_int_equal(event.kind, EVENT_gtpc_stranger);
        assert_memory_equal(event.source.octet, ends.source, 16);
        assert_int_equal(event.udp_port, 7);
        assert_null(event.buffer);
        dp_event_done(p.dp, &event);
    }
    return n;
}

static void strangers_are_told_once_a_second(void **state)
{
    (void)state;
    open_world(1);
    add_ggsn(0, 0, true);
    for (uint32_t i = 0; i < 3000; i++) {
        p.now_ns = i * MS_IN_NS;
        assert_true(give(0, 6, 7, "\x32\x01", 2));
        gn_counts(0, i + 1, 0);
        assert_int_equal(strangers_told(), i % 1000 == 0);
    }
    assert_int_equal(path_dropped(DROP_gtpc_stranger).octets, 3000 * (14 + IPV4_UDP + 2));
    p.hold_events = false;
    path_close();
}

// Of UDP's checksum, which Gn else leaves to the N-PDUs' own; over IPv4 there may be none.
static void a_wrong_checksum_is_no_event(void **state)
{
    struct event event;
    struct rte_mbuf *m = NULL;
    (void)state;
    open_world(1);
    add_ggsn(0, 0, true);
    for (int i = 0; i < 3; i++) {
        assert_true(give(0, 0, GTPC, "abcd", 4));
        assert_int_equal(rte_ring_dequeue(p.far[STATS_GN][0].to_port, (void **)&m), 0);
        uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
        put16(b + 14 + IPV4_UDP - 2, i == 0 ? 0 : 0x1234); // two wrong ones, one of them for GTP-U
        put16(b + 36, i == 2 ? 2152 : GTPC);
        assert_int_equal(rte_ring_enqueue(p.far[STATS_GN][0].to_port, m), 0);
        path_poll();
        assert_int_equal(path_dropped(DROP_udp_checksum).packets, i > 0);
    }
    assert_int_equal(
        path_dropped(DROP_gtpu_version).packets + path_dropped(DROP_gtpu_malformed).packets, 1);
    expect_event(0, GTPC, "abcd", 4);
    assert_false(next_event(&event));
    p.hold_events = false;
    path_close();
}

// One GGSN floods a control that reads nothing: 256 wait, the rest is dropped; the other GGSN, the
// BSS and an error indication find room all the same. When control reads, what the others said
// comes within what two turns may have; and none of Gn's buffers was held.
static void a_flood_of_one_hides_no_other(void **state)
{
    static const uint8_t garbage[1200] = {0xff}, reset[] = {0x02, 0x00, 0x81, 0x01};
    static struct ip_frame frame;
    struct ip_ends bss = {0};
    struct event event;
    uint32_t before[2] = {0}, seen = 0, of_flood = 0;
    (void)state;
    open_world(1);
    path_one_cell(false, false);
    add_ggsn(1, 1, true);
    add_ggsn(2, 2, true);
    uint32_t free = rte_mempool_avail_count(p.far[STATS_GN][0].pool);
    for (uint32_t i = 0; i < 2000; i++) {
        assert_true(give(0, 1, GTPC, garbage, sizeof garbage));
        path_poll();
    }
    assert_int_equal(path_dropped(DROP_control_full).packets, 2000 - EVENT_GTPC_MOST);
    assert_int_equal(rte_mempool_avail_count(p.far[STATS_GN][0].pool), free);
    assert_true(give(0, 2, GTPC, "other", 5));
    bss = path_ends_gb(0);
    ip_write(&frame, &bss, reset, sizeof reset);
    assert_true(path_give(STATS_GB, 0, &frame));
    path_poll();
    assert_int_equal(path_dropped(DROP_control_full).packets, 2000 - EVENT_GTPC_MOST);
    dp_events_now(p.dp, p.now_ns);
    while (next_event(&event)) {
        if (event.kind == EVENT_ns || event.udp_port != GTPC || event.pdu.n == 5)
            before[event.kind == EVENT_ns] = seen;
        else
            of_flood++;
        seen++;
        if (event.kind == EVENT_gtpc && event.pdu.n == 5)
            assert_memory_equal(event.pdu.at, "other", 5);
        dp_event_done(p.dp, &event);
    }
    assert_int_equal(of_flood, EVENT_GTPC_MOST);
    assert_int_equal(seen, EVENT_GTPC_MOST + 2);
    assert_in_range(before[0], 1, 2 * 16 + 1); // a turn in order, and what has waited between
    assert_in_range(before[1], 1, 2 * 16 + 2);
    for (uint32_t i = 0; i < 300; i++) // all its places are free again
        assert_true(i % 50 ? give(0, 1, GTPC, garbage, 9) : (path_poll(), true));
    path_poll();
    assert_int_equal(path_dropped(DROP_control_full).packets, 2000 - EVENT_GTPC_MOST + 294 - 256);
    p.hold_events = false;
    path_close();
}

// Control's memory, too, has a part for each: a GGSN that fills its own is shed there.
static void a_flood_fills_only_its_part_of_the_memory(void **state)
{
    static const uint8_t garbage[1400] = {0};
    struct event event;
    uint32_t other = 0;
    (void)state;
    open_world(1);
    add_ggsn(0, 0, true);
    add_ggsn(1, 1, true);
    for (uint32_t i = 0; i < 100 * EVENT_GTPC_MOST; i++) {
        assert_true(give(0, 0, GTPC, garbage, sizeof garbage));
        if (i % EVENT_GTPC_MOST == 0)
            assert_true(give(0, 1, GTPC, "x", 1));
        path_poll();
        if (i % EVENT_GTPC_MOST == EVENT_GTPC_MOST - 1)
            dp_events_keep(p.dp);
    }
    assert_int_equal(path_dropped(DROP_control_full).packets, 0);
    assert_true(dp_events_shed(p.dp) > 1000);
    while (next_event(&event)) {
        other += event.pdu.n == 1;
        dp_event_done(p.dp, &event);
    }
    assert_int_equal(other, 100);
    p.hold_events = false;
    path_close();
}

static void every_worker_takes_them(void **state)
{
    (void)state;
    open_world(3);
    add_ggsn(0, 0, true);
    for (uint32_t w = 0; w < 3; w++) {
        assert_true(give(w, 0, GTPC, "abc", 3));
        path_poll();
        assert_int_equal(dp_stats(dp_worker(p.dp, w))->of_port[STATS_GN].control_packets, 1);
        expect_event(0, GTPC, "abc", 3);
    }
    p.hold_events = false;
    path_close();
}

// ---- What control sends ------------------------------------------------------------------------

static void what_is_refused(void **state)
{
    static const uint8_t octets[1600];
    (void)state;
    open_world(1);
    add_ggsn(0, 0, true);
    add_ggsn(1, 1, false);
    struct command twice = ggsn_command(2, 0, true);
    path_command(&twice, -EEXIST);
    twice.ggsn.gtpc = false; // for GTP-U alone several may have an address
    path_do(&twice);
    TRY(-ERANGE, ggsn_send, .ggsn_id = 0, .pdu = {octets, 0});
    TRY(-ERANGE, ggsn_send, .ggsn_id = PATH_GGSNS, .pdu = {octets, 1});
    TRY(-ENOENT, ggsn_send, .ggsn_id = 3, .pdu = {octets, 1});
    TRY(-ENOTSUP, ggsn_send, .ggsn_id = 1, .pdu = {octets, 1});
    TRY(-EMSGSIZE, ggsn_send, .ggsn_id = 0, .pdu = {octets, 1600 - 48 + 1});
    DO(ggsn_remove, 0);
    TRY(-ENOENT, ggsn_send, .ggsn_id = 0, .pdu = {octets, 1});
    path_close();
    struct dp_config c = path_config(1);
    c.gn.port = GTPC;
    path_open(&c);
    struct command same = ggsn_command(0, 0, true);
    path_command(&same, -EADDRINUSE);
    same.ggsn.gtpc = false;
    path_do(&same);
    path_close();
}

static struct {
    uint8_t first[64];
    uint32_t npdus, messages, behind;
    uint16_t port; // that it goes to; 0: 2123
} sent;

// A frame on Gn that is no G-PDU: from our port 2123 to the GGSN's, or another one, with good
// checksums.
static void judge_message(const uint8_t *b, size_t n)
{
    size_t ip = b[12] == 8 ? 20 : 40, udp = 14 + ip;
    uint8_t ports[4];
    put16(ports, GTPC);
    put16(ports + 2, sent.port ? sent.port : GTPC);
    assert_memory_equal(b + udp, ports, 4);
    assert_int_equal(b[udp + 4] << 8 | b[udp + 5], n - udp);
    assert_true(b[udp + 6] | b[udp + 7]);
    uint16_t pseudo =
        plain_sum((uint16_t)(17 + n - udp), b + (ip == 20 ? 26 : 22), ip == 20 ? 8 : 32);
    assert_int_equal(plain_sum(pseudo, b + udp, n - udp), 0xffff);
    if (ip == 20)
        assert_int_equal(plain_checksum(b + 14, 20), 0);
    sent.messages++;
    memcpy(sent.first, b + udp + 8, n - udp - 8 < 64 ? n - udp - 8 : 64);
    struct ip_ends ends = path_ends_gn(ip == 20 ? 0 : 1);
    assert_memory_equal(b, ends.source_mac, 6);
    assert_memory_equal(b + 6, ends.destination_mac, 6);
    assert_memory_equal(ip == 20 ? b + 30 : b + 38, ip == 20 ? ends.source + 12 : ends.source,
                        ip == 20 ? 4 : 16);
}

static void a_message_octet_for_octet(void **state)
{
    uint8_t octets[1552];
    (void)state;
    open_world(1);
    p.on_gn = judge_message;
    memset(&sent, 0, sizeof sent);
    p.ggsn[1].ipv6 = true;
    add_ggsn(0, 0, true);
    add_ggsn(1, 1, true);
    for (uint32_t n = 1; n <= sizeof octets; n += n < 70 ? 1 : 114) {
        path_fill(octets, n, n);
        for (uint32_t ggsn = 0; ggsn < 2; ggsn++) {
            uint32_t before = sent.messages;
            DO(ggsn_send, .ggsn_id = ggsn, .pdu = {octets, n});
            assert_int_equal(sent.messages, before + 1);
            assert_memory_equal(sent.first, octets, n < 64 ? n : 64);
        }
    }
    for (uint32_t port = 1; port < 65536; port += 13107) {
        sent.port = (uint16_t)port;
        DO(ggsn_send, .ggsn_id = port & 1, .has_port = true, .port = sent.port,
           .pdu = {octets, 20});
    }
    const struct stats_worker *stats = dp_stats(p.worker);
    assert_int_equal(stats->of_port[STATS_GN].answers, sent.messages);
    assert_int_equal(stats->of_port[STATS_GN].answers_unsent, 0);
    assert_int_equal(stats->of_port[STATS_GN].tx_packets, sent.messages);
    assert_int_equal(stats->up.npdus, 0);
    path_close();
}

// Behind the N-PDUs that a full port has left waiting, before those that come later; the 257th
// thing that waits is not sent, and control does not wait for Gn.
static void behind_all_npdus_made_already(void **state)
{
    (void)state;
    struct dp_config c = path_config(1);
    c.gn.tx_frames = 2;
    path_open(&c);
    p.on_gn = judge_message;
    memset(&sent, 0, sizeof sent);
    add_ggsn(0, 0, true);
    path_nse(0);
    path_nsvc(0, 0, false, 1);
    path_bvc(0, 0, 2);
    path_plain_ms(0, 0, 500);
    p.hold_frames = true;
    for (uint32_t i = 0; i < 10; i++)
        path_up(0, 100);
    path_poll();
    TRY(0, ggsn_send, .ggsn_id = 0, .pdu = {(const uint8_t *)"m", 1});
    path_poll();
    for (uint32_t i = 0; i < 5; i++)
        path_up(0, 100);
    path_poll();
    uint64_t before = p.up_received;
    while (sent.messages == 0) {
        path_take(STATS_GN, 1);
        path_poll();
    }
    assert_int_equal(p.up_received, before + 10);
    p.hold_frames = false;
    path_poll();
    assert_int_equal(p.up_received, before + 15);
    path_expect_all();
    p.hold_frames = true;
    for (uint32_t i = 0; i < 400; i++)
        DO(ggsn_send, .ggsn_id = 0, .pdu = {(const uint8_t *)"m", 1});
    assert_true(dp_settled(p.dp));
    p.hold_frames = false;
    path_poll();
    const struct stats_port *gn = &dp_stats(p.worker)->of_port[STATS_GN];
    assert_int_equal(gn->answers, 401);
    assert_int_equal(sent.messages + gn->answers_unsent, 401);
    assert_in_range(sent.messages, 200, 1 + 256 + 3);
    p.hold_frames = true; // what waits at the end is released
    for (uint32_t i = 0; i < 50; i++)
        DO(ggsn_send, .ggsn_id = 0, .pdu = {(const uint8_t *)"m", 1});
    path_close();
}

static void to_nobody_is_counted(void **state)
{
    (void)state;
    open_world(1);
    struct command c = ggsn_command(0, 0, true);
    c.ggsn.has_mac = false;
    p.hold_frames = true;
    path_do(&c);
    uint64_t before = dp_stats(p.worker)->of_port[STATS_GN].answers_unsent;
    DO(ggsn_send, .ggsn_id = 0, .pdu = {(const uint8_t *)"m", 1});
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GN].answers_unsent, before + 1);
    path_close();
}

// Worker 0 does, from its own address.
static void the_first_worker_sends(void **state)
{
    (void)state;
    open_world(3);
    p.on_gn = judge_message;
    memset(&sent, 0, sizeof sent);
    add_ggsn(0, 0, true);
    DO(ggsn_send, .ggsn_id = 0, .pdu = {(const uint8_t *)"m", 1});
    assert_int_equal(sent.messages, 1);
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GN].answers, 1);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_port_is_closed_without_gtpc),
        cmocka_unit_test(a_ggsns_datagrams_are_events),
        cmocka_unit_test(strangers_are_told_once_a_second),
        cmocka_unit_test(a_wrong_checksum_is_no_event),
        cmocka_unit_test(a_flood_of_one_hides_no_other),
        cmocka_unit_test(a_flood_fills_only_its_part_of_the_memory),
        cmocka_unit_test(every_worker_takes_them),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(a_message_octet_for_octet),
        cmocka_unit_test(behind_all_npdus_made_already),
        cmocka_unit_test(to_nobody_is_counted),
        cmocka_unit_test(the_first_worker_sends),
    };
    return cmocka_run_group_tests_name("down/gtpc", tests, path_start_eal, NULL);
}
