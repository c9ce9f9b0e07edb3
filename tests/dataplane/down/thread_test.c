// The thread from Gn to Gb on the real dataplane and real mbufs, judged by the independent receiver
// of tests/oracle: what enters as GTP-U leaves as LLC PDUs, octet for octet and in order, and every
// packet is accounted for at each return of dp_poll. The Gn frames are built here by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/dataplane.h"
#include "tests/oracle/gb_receiver.h"

#define SGSN_GN 0xc0000201u
#define SGSN_GB 0xc6336401u
#define BSS 0xc6336402u
#define TLLI_FIRST 0xc0000000u
#define LIFETIME_CS 4000
#define EXPECTED_MAX 65536u
#define SIZE_MAX_OCTETS 1500u

#ifdef __SANITIZE_ADDRESS__
#define STRIDE 29 // a sample: instrumented code is some twenty times slower
#else
#define STRIDE 1
#endif

struct expected {
    uint32_t tlli, seed;
    uint16_t octets;
};

struct thread {
    struct dp *dp;
    struct dp_worker *worker;
    struct dp_far_end gn, gb;
    struct gb_receiver *receiver;
    struct expected expected[EXPECTED_MAX]; // a ring: what has been sent and not come out
    uint32_t head, tail;
    uint32_t teid[2048];
    uint32_t received, wrong;
    uint64_t now_ns;
};

static struct thread t;
static uint16_t gn_mtu_octets = 1600;

// Octet i of the packet that a seed stands for.
static void fill(uint8_t *b, uint32_t octets, uint32_t seed)
{
    uint32_t x = seed * 2654435761u + 12345;
    for (uint32_t i = 0; i < octets; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = (uint8_t)(x >> 24);
    }
}

static void deliver(void *ctx, const struct gb_npdu *npdu)
{
    uint8_t octets[SIZE_MAX_OCTETS];
    (void)ctx;
    assert_int_not_equal(t.head, t.tail);
    const struct expected *e = &t.expected[t.head++ % EXPECTED_MAX];
    fill(octets, e->octets, e->seed);
    t.received++;
    bool good = npdu->tlli == e->tlli && npdu->bvci == 2 && npdu->nsapi == 5 && npdu->sapi == 3 &&
                npdu->lifetime_cs == LIFETIME_CS && npdu->len == e->octets &&
                memcmp(npdu->octets, octets, e->octets) == 0;
    if (!good && t.wrong++ == 0)
        print_message("# wrong: TLLI %08x for %08x, %zu octets for %u\n", npdu->tlli, e->tlli,
                      npdu->len, e->octets);
}

static void command(const struct command *c, int64_t wanted)
{
    assert_int_equal(dp_command(t.dp, c), wanted);
}

static void poll_to_rest(void)
{
    while (dp_poll(t.worker, t.now_ns) == t.now_ns)
        ;
}

static void open_cell(void)
{
    command(&(struct command){.op = COMMAND_nse,
                              .nse = {.nsei = 101, .peer_address = BSS, .peer_port = 23001}},
            0);
    command(&(struct command){.op = COMMAND_bvc, .bvc = {.bvci = 2}}, 0);
}

static void add_ms(uint32_t id, uint16_t n201_u)
{
    struct command ms = {.op = COMMAND_ms,
                         .ms = {.ms_id = id, .tlli = TLLI_FIRST + id, .n201_u = n201_u}};
    struct command pdp = {.op = COMMAND_pdp,
                          .pdp = {.pdp_id = id,
                                  .ms_id = id,
                                  .nsapi = 5,
                                  .sapi = 3,
                                  .traffic_class = CLASS_BACKGROUND,
                                  .lifetime_ms = LIFETIME_CS * 10}};
    command(&ms, 0);
    int64_t teid = dp_command(t.dp, &pdp);
    assert_true(teid > 0);
    t.teid[id] = (uint32_t)teid;
    poll_to_rest();
}

static struct dp_config config(uint32_t queue_packets, uint32_t gb_ring)
{
    return (struct dp_config){.nses = 1,
                              .bvcs = 1,
                              .mss = 2048,
                              .pdps = 2048,
                              .queue_packets = queue_packets,
                              .queue_octets = 1 << 20,
                              .gn_ring_frames = 256,
                              .gb_ring_frames = gb_ring,
                              .gn_address = SGSN_GN,
                              .gn_mac = {{2, 0, 0, 0, 0, 1}},
                              .gn_mtu_octets = gn_mtu_octets,
                              .gb_address = SGSN_GB,
                              .gb_mac = {{2, 0, 0, 0, 0, 2}},
                              .gb_port = 23000,
                              .gb_mtu_octets = 1600};
}

static void thread_open(uint32_t queue_packets, uint32_t gb_ring)
{
    struct dp_config c = config(queue_packets, gb_ring);
    if (t.dp) // the test before this one failed half way
        dp_destroy(t.dp);
    memset(&t, 0, sizeof t);
    t.dp = dp_create(&c);
    assert_non_null(t.dp);
    t.worker = dp_worker(t.dp);
    t.gn = dp_gn_far_end(t.dp);
    t.gb = dp_gb_far_end(t.dp);
    t.receiver = gb_receiver_new(deliver, NULL);
    open_cell();
}

static void thread_close(void)
{
    struct rte_mbuf *m;
    while (rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0)
        rte_pktmbuf_free(m);
    uint32_t held = dp_destroy(t.dp);
    t.dp = NULL;
    gb_receiver_free(t.receiver);
    assert_int_equal(held, 0);
    assert_int_equal(t.wrong, 0);
}

static void put16(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static void put32(uint8_t *b, uint32_t v)
{
    put16(b, v >> 16);
    put16(b + 2, v & 0xffff);
}

static void put_ip_checksum(uint8_t *ip)
{
    uint32_t sum = 0;
    put16(ip + 10, 0);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    put16(ip + 10, ~sum & 0xffff);
}

// Ethernet 14, IPv4 20, UDP 8, GTP-U 8, then the N-PDU.
static struct rte_mbuf *gn_frame(uint32_t teid, uint32_t octets, uint32_t seed)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(t.gn.pool);
    assert_non_null(m);
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(50 + octets));
    assert_non_null(b);
    memset(b, 0, 50);
    memcpy(b, "\2\0\0\0\0\1\2\0\0\0\0\7\x08\0", 14);
    uint8_t *ip = b + 14;
    ip[0] = 0x45;
    put16(ip + 2, 36 + octets);
    ip[8] = 9;
    ip[9] = 17;
    put32(ip + 12, 0xc0000202);
    put32(ip + 16, SGSN_GN);
    put_ip_checksum(ip);
    put16(b + 34, 2152);
    put16(b + 36, 2152);
    put16(b + 38, 16 + octets);
    b[42] = 0x30;
    b[43] = 255;
    put16(b + 44, octets);
    put32(b + 46, teid);
    fill(b + 50, octets, seed);
    return m;
}

static void send_frame(struct rte_mbuf *m)
{
    assert_int_equal(rte_ring_enqueue(t.gn.to_port, m), 0);
}

static void send_npdu(uint32_t ms, uint32_t octets)
{
    uint32_t seed = t.tail;
    assert_true(t.tail - t.head < EXPECTED_MAX);
    t.expected[t.tail++ % EXPECTED_MAX] =
        (struct expected){TLLI_FIRST + ms, seed, (uint16_t)octets};
    send_frame(gn_frame(t.teid[ms], octets, seed));
}

// Takes at most n frames off Gb and gives them to the receiver; returns how many there were.
static uint32_t take(uint32_t n)
{
    struct rte_mbuf *m;
    uint32_t taken = 0;
    while (taken < n && rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0) {
        int code = gb_receiver_frame(t.receiver, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
        if (code)
            fail_msg("the receiver refused a frame: %s", gb_receiver_error_text(code));
        rte_pktmbuf_free(m);
        taken++;
    }
    return taken;
}

static void poll_and_take_all(void)
{
    uint64_t next;
    do {
        next = dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
    } while (take(UINT32_MAX) > 0 || next == t.now_ns);
}

static struct stats_drop dropped(enum drop_reason reason)
{
    struct stats_drop sum = {0};
    for (int c = 0; c <= CLASS_COUNT; c++) {
        sum.packets += dp_stats(t.worker)->of_class[c].drop[reason].packets;
        sum.octets += dp_stats(t.worker)->of_class[c].drop[reason].octets;
    }
    return sum;
}

static void every_size_and_every_n201_u_comes_out_unchanged(void **state)
{
    (void)state;
    thread_open(4096, 1024);
    uint32_t mss = 0;
    for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += n201_u < 1520 - STRIDE ? STRIDE : 1)
        add_ms(mss++, (uint16_t)n201_u);
    uint32_t sent = 0;
    for (uint32_t ms = 0; ms < mss; ms++)
        for (uint32_t octets = 1; octets <= SIZE_MAX_OCTETS; octets++) {
            send_npdu(ms, octets);
            if (++sent % 32 == 0)
                poll_and_take_all();
        }
    poll_and_take_all();
    print_message("# %u N-PDUs over %u values of N201-U\n", sent, mss);
    assert_int_equal(t.received, sent);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_discarded, 0);
    thread_close();
}

static void npdu_numbers_and_nu_wrap(void **state)
{
    (void)state;
    thread_open(4096, 1024);
    add_ms(0, 500);
    // More than 2 x 4096 N-PDUs and 17 x 512 frames of one MS.
    for (uint32_t i = 0; i < 9000; i++) {
        send_npdu(0, 1 + i % 600);
        if (i % 32 == 0)
            poll_and_take_all();
    }
    poll_and_take_all();
    assert_int_equal(t.received, 9000);
    thread_close();
}

static void frames_carry_the_configured_addresses(void **state)
{
    (void)state;
    // IPv4 20, UDP 8, NS 4, BSSGP 14, LLC 3, SNDCP 4, N-PDU 20, FCS 3 are 76 octets.
    static const uint8_t outer[] = {0,    0,    0,    0,   0,   0, 2,    0,    0,    0,   0,
                                    2,    0x08, 0x00, 0x45, 0,  0, 76,   0,    0,    0,   0,
                                    64,   17,   0,    0,   198, 51, 100, 1,    198,  51,  100,
                                    2,    0x59, 0xd8, 0x59, 0xd9, 0, 56, 0,   0,    0,    0,
                                    0,    2};
    thread_open(16, 16);
    add_ms(0, 500);
    send_npdu(0, 20);
    poll_to_rest();
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_ring_dequeue(t.gb.from_port, (void **)&m), 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    put16(b + 24, 0); // the checksum is the receiver's to judge
    assert_memory_equal(b, outer, sizeof outer);
    rte_pktmbuf_free(m);
    thread_close();
}

static void a_slow_port_loses_nothing_that_is_framed(void **state)
{
    (void)state;
    thread_open(64, 2);
    add_ms(0, 200);
    add_ms(1, 1520);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        if (dp_queued(t.worker).packets < 60) {
            send_npdu(i % 2, 1 + i * 7 % SIZE_MAX_OCTETS);
            sent++;
        }
        dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
        take(1);
    }
    poll_and_take_all();
    assert_int_equal(t.received, sent);
    assert_int_equal(stats_balance(dp_stats(t.worker)).packets.dropped, 0);
    assert_true(dp_stats(t.worker)->gb_tx_refused > 100);
    thread_close();
}

// What is framed is past all management: in front of a slow port it must stay short.
static void few_frames_are_framed_ahead_of_a_slow_port(void **state)
{
    (void)state;
    thread_open(64, 2);
    add_ms(0, 1520);
    for (uint32_t i = 0; i < 40; i++)
        send_npdu(0, 100);
    poll_to_rest();
    uint32_t out = 0;
    for (uint32_t i = 0; i < 40; i++) {
        // two in the ring, two framed and waiting; all else is plaintext
        uint64_t plain_or_waiting = dp_queued(t.worker).packets;
        assert_true(plain_or_waiting + out + 2 >= 40);
        assert_true(dp_stats(t.worker)->gb_tx_packets <= out + 2);
        out += take(1);
        poll_to_rest();
    }
    assert_int_equal(t.received, 40);
    thread_close();
}

static void a_full_queue_drops_by_reason(void **state)
{
    (void)state;
    thread_open(10, 1);
    add_ms(0, 1520);
    send_npdu(0, 100);
    poll_to_rest();
    for (uint32_t i = 0; i < 100; i++)
        send_frame(gn_frame(t.teid[0], 100, 0));
    poll_to_rest();
    assert_true(dp_balanced(t.worker));
    struct stats_drop d = dropped(DROP_queue_full);
    struct dp_queued q = dp_queued(t.worker);
    assert_int_equal(d.packets + q.packets, 100);
    assert_int_equal(d.octets, 100 * d.packets);
    assert_int_equal(q.packets, 12); // 10 wait plain, and a burst of 2 is framed and refused
    thread_close(); // with a queue: no buffer may be lost
}

static void without_buffers_framing_waits_and_no_number_is_skipped(void **state)
{
    (void)state;
    static struct rte_mbuf *held[65536];
    uint32_t n = 0;
    thread_open(64, 64);
    add_ms(0, 200);
    while (n < 65536 && (held[n] = rte_pktmbuf_alloc(t.gb.pool)) != NULL)
        n++;
    send_npdu(0, 100); // one segment: needs no buffer
    send_npdu(0, 900); // five segments
    send_npdu(0, 100);
    for (int i = 0; i < 10; i++)
        dp_poll(t.worker, t.now_ns);
    take(UINT32_MAX);
    assert_int_equal(t.received, 1);
    assert_true(dp_stats(t.worker)->no_buffer > 0);
    assert_true(dp_balanced(t.worker));
    // two segments' worth, then the rest
    rte_pktmbuf_free(held[--n]);
    rte_pktmbuf_free(held[--n]);
    dp_poll(t.worker, t.now_ns);
    while (n > 0)
        rte_pktmbuf_free(held[--n]);
    poll_and_take_all();
    assert_int_equal(t.received, 3);
    thread_close();
}

static void garbage_is_dropped_by_reason_and_harms_nobody(void **state)
{
    (void)state;
    thread_open(256, 1024);
    add_ms(0, 300);
    uint32_t sent = 0;
    srandom(7);
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 4 == 0) {
            send_npdu(0, 1 + i % SIZE_MAX_OCTETS);
            sent++;
        } else {
            struct rte_mbuf *m = gn_frame(t.teid[0], 1 + (uint32_t)random() % 200, i);
            uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
            if (i % 4 == 1) // anything anywhere, but for the TEID, which would be a good packet
                for (uint32_t k = 0; k < m->pkt_len; k++)
                    b[k] = (uint8_t)random();
            else if (i % 4 == 2) // another tunnel
                put32(b + 46, (uint32_t)random() | 0x80000000u);
            else // cut off
                rte_pktmbuf_trim(m, (uint16_t)(1 + (uint32_t)random() % (m->pkt_len - 1u)));
            send_frame(m);
        }
        if (i % 32 == 0)
            poll_and_take_all();
    }
    poll_and_take_all();
    assert_int_equal(t.received, sent);
    assert_int_equal(dropped(DROP_unknown_teid).packets, 5000);
    assert_int_equal(stats_balance(dp_stats(t.worker)).packets.dropped, 15000);
    thread_close();
}

// N201-U 140: 136 octets in the first segment and 137 in each of 15 more are 2191.
static void an_npdu_beyond_16_segments_is_refused(void **state)
{
    (void)state;
    struct rte_mbuf *m;
    uint32_t frames = 0;
    gn_mtu_octets = 9000;
    thread_open(16, 64);
    gn_mtu_octets = 1600;
    add_ms(0, 140);
    send_frame(gn_frame(t.teid[0], 2192, 0));
    poll_to_rest();
    assert_int_equal(dropped(DROP_npdu_oversize).packets, 1);
    assert_int_equal(dropped(DROP_npdu_oversize).octets, 2192);
    send_frame(gn_frame(t.teid[0], 2191, 0));
    poll_to_rest();
    assert_true(dp_balanced(t.worker));
    for (; rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0; frames++)
        rte_pktmbuf_free(m);
    assert_int_equal(frames, 16);
    assert_int_equal(stats_balance(dp_stats(t.worker)).octets.out, 2191);
    thread_close();
}

static void commands_are_refused_by_reason(void **state)
{
    (void)state;
    thread_open(16, 16);
    struct command ms = {.op = COMMAND_ms, .ms = {.ms_id = 2048, .n201_u = 500}};
    command(&ms, -ERANGE);
    ms.ms = (struct command_ms){.bvc_id = 1, .n201_u = 500};
    command(&ms, -ERANGE);
    struct command pdp = {.op = COMMAND_pdp, .pdp = {.ms_id = 0, .nsapi = 5, .sapi = 3}};
    command(&pdp, -ENOENT);
    command(&(struct command){.op = COMMAND_nse}, -EEXIST);
    command(&(struct command){.op = COMMAND_COUNT}, -EINVAL);
    thread_close();
}

static void a_full_command_ring_says_so_and_loses_nothing(void **state)
{
    (void)state;
    thread_open(16, 16);
    uint32_t id = 0;
    int64_t result = 0;
    for (uint32_t round = 0; id < 2048; round++) {
        struct command ms = {.op = COMMAND_ms,
                             .ms = {.ms_id = id, .tlli = TLLI_FIRST + id, .n201_u = 500}};
        result = dp_command(t.dp, &ms);
        id += result == 0;
        assert_true(result == 0 || result == -EAGAIN);
        if (result == -EAGAIN)
            poll_to_rest();
    }
    struct command pdp = {.op = COMMAND_pdp, .pdp = {.nsapi = 5, .sapi = 3}};
    for (id = 0, result = 0; id < 2048 && result >= 0; id++) {
        pdp.pdp.pdp_id = pdp.pdp.ms_id = id;
        result = dp_command(t.dp, &pdp);
        if (result == -EAGAIN) {
            poll_to_rest();
            result = dp_command(t.dp, &pdp);
        }
    }
    assert_true(result > 0);
    poll_to_rest();
    assert_int_equal(dp_stats(t.worker)->commands, 2 + 2048 + 2048);
    thread_close();
}

static void an_idle_worker_wants_no_wake_up(void **state)
{
    (void)state;
    thread_open(16, 16);
    poll_to_rest();
    assert_int_equal(dp_poll(t.worker, 5), TIME_NEVER);
    thread_close();
}

static int start_eal(void **state)
{
    (void)state;
    char *argv[] = {"thread_test",      "--no-huge",   "--no-shconf", "--no-pci",
                    "--no-telemetry", "--log-level=error", "-m",        "256"};
    return rte_eal_init(sizeof argv / sizeof argv[0], argv) < 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_every_n201_u_comes_out_unchanged),
        cmocka_unit_test(npdu_numbers_and_nu_wrap),
        cmocka_unit_test(frames_carry_the_configured_addresses),
        cmocka_unit_test(a_slow_port_loses_nothing_that_is_framed),
        cmocka_unit_test(few_frames_are_framed_ahead_of_a_slow_port),
        cmocka_unit_test(a_full_queue_drops_by_reason),
        cmocka_unit_test(without_buffers_framing_waits_and_no_number_is_skipped),
        cmocka_unit_test(garbage_is_dropped_by_reason_and_harms_nobody),
        cmocka_unit_test(an_npdu_beyond_16_segments_is_refused),
        cmocka_unit_test(commands_are_refused_by_reason),
        cmocka_unit_test(a_full_command_ring_says_so_and_loses_nothing),
        cmocka_unit_test(an_idle_worker_wants_no_wake_up),
    };
    return cmocka_run_group_tests(tests, start_eal, NULL);
}
