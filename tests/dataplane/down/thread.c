// See thread.h.
#include "tests/dataplane/down/thread.h"

#include <stdlib.h>
#include <string.h>

#include "tests/dataplane/drop_scopes.h"
#include "tests/dataplane/wire/judge.h"

struct thread t;

// Octet i of the packet that a seed stands for.
static void fill(uint8_t *b, uint32_t octets, uint32_t seed)
{
    uint32_t x = seed * 2654435761u + 12345;
    for (uint32_t i = 0; i < octets; i++) {
        x = x * 1664525u + 1013904223u;
        b[i] = (uint8_t)(x >> 24);
    }
}

static bool is_expected(const struct gb_npdu *npdu, const struct expected *e)
{
    uint8_t octets[SIZE_MAX_OCTETS];
    fill(octets, e->octets, e->seed);
    return npdu->len == e->octets && memcmp(npdu->octets, octets, e->octets) == 0;
}

static void judge(const struct gb_npdu *npdu)
{
    uint32_t ms = npdu->tlli - TLLI_FIRST;
    struct thread_pdp *pdp = &t.pdp[ms < MSS ? t.pdp_of[ms][npdu->nsapi] : 0];
    bool found = false;
    for (; pdp->head && !found; pdp->head = t.expected[pdp->head - 1].next) {
        found = is_expected(npdu, &t.expected[pdp->head - 1]);
        if (!found && !t.lossy)
            break;
    }
    pdp->received++;
    pdp->lifetime_cs = npdu->lifetime_cs;
    bool good = found && ms == pdp->ms && npdu->bvci == 2 + t.bvc_of[ms] &&
                npdu->sapi == pdp->sapi && (t.any_lifetime || npdu->lifetime_cs <= LIFETIME_CS);
    if (!good && t.wrong++ == 0)
        print_message("# wrong: TLLI %08x, NSAPI %u, %zu octets\n", npdu->tlli, npdu->nsapi,
                      npdu->len);
}

static void deliver(void *ctx, const struct gb_npdu *npdu)
{
    (void)ctx;
    t.received++;
    if (t.on_npdu)
        t.on_npdu(npdu);
    else
        judge(npdu);
}

void thread_command(const struct command *c, int64_t wanted)
{
    assert_int_equal(dp_command(t.dp, c), wanted);
}

void thread_poll_to_rest(void)
{
    bool rest = false;
    for (uint32_t rounds = 0; !rest; rounds++) {
        assert_true(rounds < 100000);
        rest = true;
        for (uint32_t w = 0; w < t.workers; w++)
            rest &= dp_poll(dp_worker(t.dp, w), t.now_ns) != t.now_ns;
    }
}

void thread_do(const struct command *c)
{
    thread_command(c, 0);
    thread_poll_to_rest();
    assert_true(dp_settled(t.dp));
    assert_int_equal(dp_stats(t.worker)->commands_refused, 0);
}

void thread_cell(uint64_t rate_bit_per_s, uint32_t bucket_octets)
{
    thread_do(
        &(struct command){.op = COMMAND_bvc_bucket,
                          .bvc_bucket = {.has_rate_100_bit_per_s = rate_bit_per_s != TIME_NEVER,
                                         .rate_100_bit_per_s = (uint32_t)(rate_bit_per_s / 100),
                                         .bucket_octets = bucket_octets}});
}

struct command thread_nsvc(uint32_t nsvc, uint32_t nse)
{
    return (struct command){.op = COMMAND_nsvc,
                            .nsvc = {.nsvc_id = nsvc,
                                     .nse_id = nse,
                                     .nsvci = (uint16_t)nsvc,
                                     .peer_address = address_of_ipv4(BSS + nsvc),
                                     .peer_port = BSS_PORT,
                                     .has_peer_mac = true,
                                     .peer_mac = {{2, 0, 0, 0, 0, (uint8_t)(0x10 + nsvc)}},
                                     .weight = 1}};
}

void thread_add_nse(uint32_t nse)
{
    struct command nsvc = thread_nsvc(nse, nse);
    thread_do(&(struct command){.op = COMMAND_nse,
                                .nse = {.nse_id = nse, .nsei = (uint16_t)(101 + nse)}});
    thread_do(&nsvc);
}

void thread_gn_from(uint32_t ipv4, uint8_t prefix)
{
    struct command c = {.op = COMMAND_gn_from, .gn_from.nets.n = 1};
    c.gn_from.nets.item[0] = (struct command_net){{{[10] = 0xff, [11] = 0xff}}, 96 + prefix};
    thread_put32(c.gn_from.nets.item[0].address.octet + 12, ipv4);
    thread_do(&c);
}

void thread_add_cell(uint32_t bvc, uint32_t nse)
{
    thread_do(&(struct command){
        .op = COMMAND_bvc, .bvc = {.bvc_id = bvc, .nse_id = nse, .bvci = (uint16_t)(2 + bvc)}});
    thread_do(&(struct command){.op = COMMAND_bvc_bucket, .bvc_bucket = {.bvc_id = bvc}});
}

void thread_add_plain_ms_in(uint32_t bvc, uint32_t ms, uint16_t n201_u)
{
    thread_do(&(struct command){
        .op = COMMAND_ms,
        .ms = {.ms_id = ms, .bvc_id = bvc, .tlli = TLLI_FIRST + ms, .n201_u = n201_u}});
    t.bvc_of[ms] = bvc;
}

void thread_add_plain_ms(uint32_t ms, uint16_t n201_u)
{
    thread_add_plain_ms_in(0, ms, n201_u);
}

void thread_add_pfc(uint32_t ms, uint8_t slot, uint8_t traffic_class)
{
    thread_do(&(struct command){
        .op = COMMAND_pfc, .pfc = {.ms_id = ms, .slot = slot, .traffic_class = traffic_class}});
}

void thread_add_pdp(uint32_t pdp, uint32_t ms, uint8_t slot, uint8_t nsapi, uint8_t sapi)
{
    struct command c = {
        .op = COMMAND_pdp,
        .pdp = {.pdp_id = pdp, .ms_id = ms, .slot = slot, .nsapi = nsapi, .sapi = sapi}};
    int64_t teid = dp_command(t.dp, &c);
    assert_true(teid > 0);
    t.pdp[pdp] = (struct thread_pdp){.teid = (uint32_t)teid, .ms = ms, .sapi = sapi};
    t.pdp_of[ms][nsapi] = pdp;
    thread_poll_to_rest();
}

void thread_add_ms(uint32_t id, uint16_t n201_u)
{
    thread_add_plain_ms(id, n201_u);
    thread_add_pfc(id, 0, CLASS_BACKGROUND);
    thread_add_pdp(id, id, 0, 5, 3);
}

void thread_open_config(const struct dp_config *c)
{
    const char *why = NULL;
    if (t.dp) // the test before this one failed half way
        dp_destroy(t.dp);
    free(t.expected);
    memset(&t, 0, sizeof t);
    t.dp = dp_create(c, &why);
    if (!t.dp)
        fail_msg("no dataplane: %s", why);
    t.workers = c->workers;
    t.worker = dp_worker(t.dp, 0);
    t.gn = dp_far_end(t.dp, STATS_GN, 0);
    t.gb = dp_far_end(t.dp, STATS_GB, 0);
    t.receiver = gb_receiver_new(deliver, NULL);
    thread_gn_from(GGSN, 32);
    thread_add_nse(0);
    thread_add_cell(0, 0);
}

void thread_open(uint32_t queue_packets, uint32_t gb_ring)
{
    struct dp_config c = thread_config(queue_packets, gb_ring);
    thread_open_config(&c);
}

static void drain(struct rte_ring *from)
{
    struct rte_mbuf *m;
    while (rte_ring_dequeue(from, (void **)&m) == 0)
        rte_pktmbuf_free(m);
}

void thread_close(void)
{
    for (uint32_t w = 0; w < t.workers; w++) {
        drain(dp_far_end(t.dp, STATS_GN, w).from_port);
        drain(dp_far_end(t.dp, STATS_GB, w).from_port);
        expect_drop_scopes(dp_stats(dp_worker(t.dp, w)));
        assert_int_equal(dp_stats(dp_worker(t.dp, w))->commands_refused, 0);
    }
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

void thread_put_ip_checksum(uint8_t *ip)
{
    thread_put16(ip + 10, 0);
    thread_put16(ip + 10, plain_checksum(ip, 20));
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
    thread_put32(ip + 12, GGSN);
    thread_put32(ip + 16, SGSN_GN);
    thread_put_ip_checksum(ip);
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

static uint32_t expect(struct thread_pdp *pdp, uint32_t octets)
{
    if (t.expecteds == t.expected_room) {
        t.expected_room = t.expected_room ? 2 * t.expected_room : 1024;
        t.expected = realloc(t.expected, t.expected_room * sizeof *t.expected);
        assert_non_null(t.expected);
    }
    uint32_t seed = t.expecteds++;
    t.expected[seed] = (struct expected){.seed = seed, .octets = (uint16_t)octets};
    if (pdp->head)
        t.expected[pdp->tail - 1].next = seed + 1;
    else
        pdp->head = seed + 1;
    pdp->tail = seed + 1;
    return seed;
}

void thread_send(uint32_t pdp, uint32_t octets)
{
    uint32_t seed = expect(&t.pdp[pdp], octets);
    thread_send_frame(thread_gn_frame(t.pdp[pdp].teid, octets, seed));
}

void thread_send_octets(uint32_t pdp, const uint8_t *npdu, uint32_t octets)
{
    struct rte_mbuf *m = thread_gn_frame(t.pdp[pdp].teid, octets, 0);
    memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, 50), npdu, octets);
    thread_send_frame(m);
}

uint32_t thread_take(uint32_t n)
{
    struct rte_mbuf *m;
    uint32_t taken = 0;
    while (taken < n && rte_ring_dequeue(t.gb.from_port, (void **)&m) == 0) {
        if (t.on_frame)
            t.on_frame(rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
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
    uint32_t rounds = 0;
    do {
        assert_true(rounds++ < 100000);
        next = dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
    } while (thread_take(UINT32_MAX) > 0 || next == t.now_ns);
    const struct stats_port *gb = &dp_stats(t.worker)->of_port[STATS_GB];
    expect_drop_scopes(dp_stats(t.worker));
    assert_int_equal(gb->tx_packets, t.taken_frames);
    assert_int_equal(gb->tx_octets, t.taken_octets);
}

void thread_run_until(uint64_t end_ns)
{
    for (;;) {
        thread_poll_and_take_all();
        uint64_t next_ns = dp_poll(t.worker, t.now_ns);
        if (next_ns > end_ns)
            break;
        t.now_ns = next_ns;
    }
    t.now_ns = end_ns;
    thread_poll_and_take_all();
}

struct stats_drop thread_dropped(enum drop_reason reason)
{
    struct stats_drop sum = dp_stats(t.worker)->of_port[STATS_GN].drop[reason];
    for (int c = 0; c < CLASS_COUNT; c++) {
        sum.packets += dp_stats(t.worker)->of_class[c].drop[reason].packets;
        sum.octets += dp_stats(t.worker)->of_class[c].drop[reason].octets;
    }
    return sum;
}

#define SEGMENT_BUFFERS_MOST 65536u
static struct rte_mbuf *segment_buffers[SEGMENT_BUFFERS_MOST];
static uint32_t segment_buffer_count;

void thread_hold_segment_buffers(void)
{
    struct rte_mempool *pool = rte_mempool_lookup("segments0");
    struct rte_mbuf *m;
    assert_non_null(pool);
    segment_buffer_count = 0;
    while ((m = rte_pktmbuf_alloc(pool)) != NULL) {
        assert_true(segment_buffer_count < SEGMENT_BUFFERS_MOST);
        segment_buffers[segment_buffer_count++] = m;
    }
}

void thread_give_segment_buffers(uint32_t n)
{
    for (; n > 0 && segment_buffer_count > 0; n--)
        rte_pktmbuf_free(segment_buffers[--segment_buffer_count]);
}
