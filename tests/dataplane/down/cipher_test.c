// The way down with GEA3, GEA4 and no cipher among the MSs. The receiver of tests/oracle deciphers
// with libosmocore: both INPUT and key stream are its own, and so is OC. It checks every FCS and
// that no N(U) is missing or comes twice.
#include "tests/dataplane/path/path.h"

#include <rte_ethdev.h>

#include "dataplane/down/down.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/random.h"

static const uint8_t geas[] = {0, 3, 4};
#define GEAS 3

// What is given to the port must be ready then: a port of rings would not tell, for it hands on
// buffers. The sum of each frame as it was offered, by its number among those taken.
#define SUMS 65536u
static uint32_t sums[SUMS];

static uint32_t sum_of(const uint8_t *b, uint32_t octets)
{
    uint32_t sum = octets;
    for (uint32_t i = 0; i < octets; i++)
        sum = (sum ^ b[i]) * 16777619u;
    return sum;
}

static uint16_t note_offered(uint16_t port, uint16_t queue, struct rte_mbuf **m, uint16_t n,
                             void *ctx)
{
    (void)port, (void)queue, (void)ctx;
    for (uint32_t i = 0; i < n; i++)
        sums[(dp_stats(p.worker)->of_port[STATS_GB].tx_packets + i) % SUMS] =
            sum_of(rte_pktmbuf_mtod(m[i], uint8_t *), m[i]->pkt_len);
    return n;
}

static void expect_as_offered(enum stats_side side, const uint8_t *frame, size_t octets)
{
    (void)side;
    assert_int_equal(sum_of(frame, (uint32_t)octets), sums[p.frames_out[STATS_GB] % SUMS]);
}

static void open_down(uint32_t queue_packets, uint32_t gb_ring)
{
    random_begin();
    path_open_small(queue_packets, gb_ring);
    path_ciphers_begin();
    uint16_t gb;
    assert_int_equal(rte_eth_dev_get_port_by_name("net_ring_gb", &gb), 0);
    assert_non_null(rte_eth_add_tx_callback(gb, 0, note_offered, NULL));
    p.on_frame = expect_as_offered;
}

static void expect_all(uint32_t sent)
{
    assert_int_equal(p.down_received, sent);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_discarded, 0);
    assert_int_equal(stats_balance(dp_stats(p.worker)).packets.dropped, 0);
}

// Each of the seven classes on each of the four SAPIs with each cipher, N201-U from 140 to 1520
// among them.
static void every_class_and_sapi_with_each_cipher(void **state)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    const uint32_t mss = CLASS_COUNT * 4 * GEAS;
    uint32_t sent = 0;
    (void)state;
    open_down(4096, 1024);
    for (uint32_t ms = 0; ms < mss; ms++) {
        uint32_t pick = ms * 31 % mss; // so that N201-U grows across all of the others
        path_ms(ms, 0, (uint16_t)(140 + 1380 * pick / (mss - 1)));
        path_pfc(ms, 0, (uint8_t)(ms % CLASS_COUNT));
        path_pdp(ms, ms, 0, 5, sapis[ms / CLASS_COUNT % 4], PATH_NONE, -1);
        path_key(ms, geas[ms / CLASS_COUNT / 4]);
    }
    for (uint32_t octets = 1; octets <= 1500; octets += octets == 1495 ? 5 : 9)
        for (uint32_t ms = 0; ms < mss; ms++) {
            path_down(ms, octets);
            if (++sent % 64 == 0)
                path_poll();
        }
    path_poll();
    print_message("# %u N-PDUs in %lu frames\n", sent, (unsigned long)p.frames_out[STATS_GB]);
    expect_all(sent);
    path_close();
}

static void numbers_go_round_and_the_overflow_counts_on(void **state)
{
    uint32_t sent = 0;
    (void)state;
    open_down(4096, 1024);
    for (uint32_t ms = 0; ms < GEAS; ms++) {
        path_ms(ms, 0, 500);
        path_pfc(ms, 0, CLASS_BACKGROUND);
        path_pdp(2 * ms, ms, 0, 5, 3, PATH_NONE, -1);
        path_pdp(2 * ms + 1, ms, 0, 6, 11, PATH_NONE, -1);
        path_key(ms, geas[ms]);
    }
    for (uint32_t i = 0; i < 1700; i++) // SAPI 11 has two frames for each packet
        for (uint32_t pdp = 0; pdp < 2 * GEAS; pdp++) {
            path_down(pdp, pdp % 2 ? 600 : 40);
            if (++sent % 48 == 0)
                path_poll();
        }
    path_poll();
    assert_int_equal(path_oc_most, 3400 / 512 * 512);
    expect_all(sent);
    path_close();
}

// The numbers begin anew in the middle of N-PDUs, which come whole all the same; on, off and on.
static void a_key_changes_under_traffic(void **state)
{
    uint32_t sent = 0, half_sent = 0;
    (void)state;
    open_down(4096, 1024);
    for (uint32_t ms = 0; ms < 4; ms++)
        path_plain_ms(ms, 0, 200);
    path_bvc_flow(0, 400000, 2000);
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t ms = 0; ms < 4; ms++, sent++)
            path_down(ms, (uint32_t)random_in(1, 1500));
        path_run_until(p.now_ns + random_in(0, 80) * 1000000);
        half_sent += gb_receiver_counters(p.gb)->partials_open > 0;
        path_key(i % 3, geas[random_in(0, GEAS - 1)]); // MS 3 never has one
    }
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_true(half_sent > 100);
    expect_all(sent);
    path_close();
}

// MSs of three ciphers, or all without, behind a stopped cell: `packets` wait.
static void wait_behind_a_stopped_cell(uint32_t packets, bool ciphers)
{
    for (uint32_t ms = 0; ms < 12; ms++)
        path_key(ms, ciphers ? geas[ms % GEAS] : 0);
    path_bvc_flow(0, 0, 0);
    for (uint32_t i = 0; i < packets; i++) {
        path_down(i % 12, (uint32_t)random_in(1, 500)); // the queue holds 1 MiB
        if (i % 64 == 63)
            path_poll();
    }
    path_poll();
    assert_int_equal(dp_queued(p.worker).packets, packets);
}

static uint32_t queue_behind_a_stopped_cell(uint32_t packets, bool ciphers, uint16_t n201_u)
{
    for (uint32_t ms = 0; ms < 12; ms++)
        path_plain_ms(ms, 0, n201_u);
    wait_behind_a_stopped_cell(packets, ciphers);
    return packets;
}

// The most frames that one poll brings to the port.
static uint32_t most_at_once(void)
{
    uint32_t most = 0, taken;
    uint64_t next_ns;
    do {
        next_ns = path_poll_worker(0);
        taken = path_take(STATS_GB, UINT32_MAX);
        most = taken > most ? taken : most;
    } while (taken > 0 || next_ns == p.now_ns);
    return most;
}

static void open_cell_at_once(void)
{
    TRY(0, bvc_bucket, 0);
}

static void expect_bursts(bool ciphers, uint32_t most_out, uint32_t in)
{
    open_down(4096, 1024);
    uint32_t sent = queue_behind_a_stopped_cell(3000, ciphers, 1520);
    open_cell_at_once();
    assert_int_equal(most_at_once(), most_out);
    for (int i = 0; i < 200; i++, sent++)
        path_down(i % 12, 40);
    uint64_t before = dp_stats(p.worker)->of_port[STATS_GN].rx_packets;
    dp_poll(p.worker, p.now_ns);
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GN].rx_packets - before, in);
    path_poll();
    expect_all(sent);
    path_close();
}

// As many as DOWN_FRAMES go at once and come at once; in plaintext a poll has four bursts and one.
static void what_is_enciphered_is_gathered(void **state)
{
    (void)state;
    expect_bursts(true, DOWN_FRAMES, 200);
    expect_bursts(false, 4 * PORT_BURST, PORT_BURST);
}

// What a burst has grown to for ciphers it keeps for one burst of plaintext, and no more.
static void plaintext_behind_it_is_gathered_no_more(void **state)
{
    (void)state;
    open_down(4096, 1024);
    queue_behind_a_stopped_cell(3000, true, 1520);
    open_cell_at_once();
    assert_int_equal(most_at_once(), DOWN_FRAMES);
    wait_behind_a_stopped_cell(3000, false);
    open_cell_at_once();
    dp_poll(p.worker, p.now_ns);
    path_take(STATS_GB, UINT32_MAX);
    assert_int_equal(most_at_once(), 4 * PORT_BURST);
    expect_all(6000);
    path_close();
}

// Three hundred fit into the port, so part of what was gathered waits, enciphered once and no more.
static void a_refused_gathering_waits(void **state)
{
    uint32_t sent;
    (void)state;
    open_down(4096, 300);
    sent = queue_behind_a_stopped_cell(3000, true, 300);
    open_cell_at_once();
    while (p.down_received < sent) {
        path_poll_worker(0);
        path_take(STATS_GB, 7);
    }
    assert_true(dp_stats(p.worker)->of_port[STATS_GB].tx_refused > 10);
    expect_all(sent);
    path_close();
}

// As without a cipher: after a refusal little is framed, and with the queue held full it shows as
// what waits beyond its limit.
static void little_is_gathered_ahead_of_a_slow_port(void **state)
{
    (void)state;
    open_down(600, 1024);
    queue_behind_a_stopped_cell(600, true, 1520);
    open_cell_at_once();
    assert_in_range(most_at_once(), 2 * PORT_BURST, DOWN_FRAMES); // fast: bursts grow
    const struct dp_far_end *gb = &p.far[STATS_GB][0];
    p.hold_frames = true;
    for (; rte_ring_free_count(gb->from_port) > 0; p.frames_out[STATS_GB]--) // not the worker's
        assert_int_equal(rte_ring_enqueue(gb->from_port, rte_pktmbuf_alloc(gb->pool)), 0);
    for (uint32_t i = 0; i < 1400; i++) { // slow: a frame for two packets
        path_offer(0, 100);
        path_offer(0, 100);
        path_poll();
        struct rte_mbuf *m = path_next(STATS_GB);
        assert_non_null(m);
        rte_pktmbuf_free(m);
        if (i >= 1300)
            assert_in_range(dp_queued(p.worker).packets, 600, 602);
    }
    path_close();
}

static void without_buffers_the_frames_that_are_there_go(void **state)
{
    uint32_t sent;
    (void)state;
    open_down(4096, 1024);
    sent = queue_behind_a_stopped_cell(1000, true, 140);
    path_hold_segment_buffers();
    open_cell_at_once();
    for (int i = 0; i < 20; i++) {
        path_poll_worker(0);
        path_take(STATS_GB, UINT32_MAX);
        path_give_segment_buffers(2);
    }
    assert_true(dp_stats(p.worker)->no_buffer > 10);
    assert_true(p.down_received < sent);
    path_give_segment_buffers(UINT32_MAX);
    most_at_once();
    expect_all(sent);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_and_sapi_with_each_cipher),
        cmocka_unit_test(numbers_go_round_and_the_overflow_counts_on),
        cmocka_unit_test(a_key_changes_under_traffic),
        cmocka_unit_test(what_is_enciphered_is_gathered),
        cmocka_unit_test(plaintext_behind_it_is_gathered_no_more),
        cmocka_unit_test(a_refused_gathering_waits),
        cmocka_unit_test(little_is_gathered_ahead_of_a_slow_port),
        cmocka_unit_test(without_buffers_the_frames_that_are_there_go),
    };
    return cmocka_run_group_tests_name("down/cipher", tests, path_start_eal, NULL);
}
