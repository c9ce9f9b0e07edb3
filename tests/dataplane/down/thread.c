// See thread.h.
#include "tests/dataplane/down/thread.h"

#include <rte_eal.h>
#include <stdlib.h>
#include <string.h>

struct thread t;
uint16_t thread_gn_mtu_octets = 1600;

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

void thread_command(const struct command *c, int64_t wanted)
{
    assert_int_equal(dp_command(t.dp, c), wanted);
}

void thread_poll_to_rest(void)
{
    while (dp_poll(t.worker, t.now_ns) == t.now_ns)
        ;
}

static void open_cell(void)
{
    thread_command(&(struct command){.op = COMMAND_nse,
                                     .nse = {.nsei = 101, .peer_address = BSS, .peer_port = 23001}},
                   0);
    thread_command(&(struct command){.op = COMMAND_bvc, .bvc = {.bvci = 2}}, 0);
}

void thread_add_ms(uint32_t id, uint16_t n201_u)
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
    thread_command(&ms, 0);
    int64_t teid = dp_command(t.dp, &pdp);
    assert_true(teid > 0);
    t.teid[id] = (uint32_t)teid;
    thread_poll_to_rest();
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
                              .gn_mtu_octets = thread_gn_mtu_octets,
                              .gb_address = SGSN_GB,
                              .gb_mac = {{2, 0, 0, 0, 0, 2}},
                              .gb_port = 23000,
                              .gb_mtu_octets = 1600};
}

void thread_open(uint32_t queue_packets, uint32_t gb_ring)
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

void thread_close(void)
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

void thread_put16(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

void thread_put32(uint8_t *b, uint32_t v)
{
    thread_put16(b, v >> 16);
    thread_put16(b + 2, v & 0xffff);
}

static void put_ip_checksum(uint8_t *ip)
{
    uint32_t sum = 0;
    thread_put16(ip + 10, 0);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    thread_put16(ip + 10, ~sum & 0xffff);
}

struct rte_mbuf *thread_gn_frame(uint32_t teid, uint32_t octets, uint32_t seed)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(t.gn.pool);
    assert_non_null(m);
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(50 + octets));
    if (!b)
        abort();
    memset(b, 0, 50);
    memcpy(b, "\2\0\0\0\0\1\2\0\0\0\0\7\x08\0", 14);
    uint8_t *ip = b + 14;
    ip[0] = 0x45;
    thread_put16(ip + 2, 36 + octets);
    ip[8] = 9;
    ip[9] = 17;
    thread_put32(ip + 12, 0xc0000202);
    thread_put32(ip + 16, SGSN_GN);
    put_ip_checksum(ip);
    thread_put16(b + 34, 2152);
    thread_put16(b + 36, 2152);
    thread_put16(b + 38, 16 + octets);
    b[42] = 0x30;
    b[43] = 255;
    thread_put16(b + 44, octets);
    thread_put32(b + 46, teid);
    fill(b + 50, octets, seed);
    return m;
}

void thread_send_frame(struct rte_mbuf *m)
{
    assert_int_equal(rte_ring_enqueue(t.gn.to_port, m), 0);
}

void thread_send(uint32_t ms, uint32_t octets)
{
    uint32_t seed = t.tail;
    assert_true(t.tail - t.head < EXPECTED_MAX);
    t.expected[t.tail++ % EXPECTED_MAX] =
        (struct expected){TLLI_FIRST + ms, seed, (uint16_t)octets};
    thread_send_frame(thread_gn_frame(t.teid[ms], octets, seed));
}

uint32_t thread_take(uint32_t n)
{
    struct rte_mbuf *m;
    uint32_t taken = 0;
    while (taken < n && rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0) {
        int code = gb_receiver_frame(t.receiver, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
        if (code)
            fail_msg("the receiver refused a frame: %s", gb_receiver_error_text(code));
        t.taken_frames++;
        t.taken_octets += m->pkt_len;
        rte_pktmbuf_free(m);
        taken++;
    }
    return taken;
}

void thread_poll_and_take_all(void)
{
    uint64_t next;
    do {
        next = dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
    } while (thread_take(UINT32_MAX) > 0 || next == t.now_ns);
    assert_int_equal(dp_stats(t.worker)->gb_tx_packets, t.taken_frames);
    assert_int_equal(dp_stats(t.worker)->gb_tx_octets, t.taken_octets);
}

struct stats_drop thread_dropped(enum drop_reason reason)
{
    struct stats_drop sum = {0};
    for (int c = 0; c <= CLASS_COUNT; c++) {
        sum.packets += dp_stats(t.worker)->of_class[c].drop[reason].packets;
        sum.octets += dp_stats(t.worker)->of_class[c].drop[reason].octets;
    }
    return sum;
}

int thread_start_eal(void **state)
{
    (void)state;
    char *argv[] = {"thread_test",    "--no-huge",         "--no-shconf", "--no-pci",
                    "--no-telemetry", "--log-level=error", "-m",          "256"};
    return rte_eal_init(sizeof argv / sizeof argv[0], argv) < 0;
}
