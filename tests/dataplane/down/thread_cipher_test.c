// The thread from Gn to Gb with GEA3, GEA4 and no cipher among the MSs. The receiver of
// tests/oracle deciphers with libosmocore (GPL, in this program alone): both INPUT and key stream
// are its own, and so is OC. It checks every FCS and that no N(U) is missing or comes twice.
#include "tests/dataplane/down/thread.h"

#include <string.h>

#include <osmocom/crypt/gprs_cipher.h>
#include <rte_ethdev.h>

#include "dataplane/down/down.h"
#include "tests/dataplane/random.h"

static const struct algorithm {
    uint8_t gea, kc_octets;
    enum gprs_ciph_algo id;
} algorithms[] = {{0, 0, GPRS_ALGO_GEA0}, {3, 8, GPRS_ALGO_GEA3}, {4, 16, GPRS_ALGO_GEA4}};
#define ALGORITHMS 3

static struct key {
    const struct algorithm *algorithm;
    uint8_t kc[16];
    uint32_t iov_ui;
} keys[MSS];

static uint32_t oc_most;

static bool decipher(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t len)
{
    (void)ctx;
    uint8_t stream[GSM0464_CIPH_MAX_BLOCK];
    struct key *key = &keys[(frame->tlli - TLLI_FIRST) % MSS];
    if (!key->algorithm || key->algorithm->gea == 0)
        return false;
    uint32_t input = gprs_cipher_gen_input_ui(key->iov_ui, frame->sapi, frame->nu, frame->oc);
    if (len)
        assert_int_equal(gprs_cipher_run(stream, (uint16_t)len, key->algorithm->id, key->kc, input,
                                         GPRS_CIPH_SGSN2MS),
                         0);
    for (size_t i = 0; i < len; i++)
        octets[i] ^= stream[i];
    if (oc_most < frame->oc)
        oc_most = frame->oc;
    return true;
}

// A random key; of the three algorithms one after the other.
static void new_key(uint32_t ms, uint32_t algorithm)
{
    struct key *key = &keys[ms];
    key->algorithm = &algorithms[algorithm % ALGORITHMS];
    random_fill(key->kc, sizeof key->kc);
    key->iov_ui = (uint32_t)random_in(0, UINT32_MAX);
    thread_do(&(struct command){.op = COMMAND_ms_cipher,
                                .ms_cipher = {.ms_id = ms,
                                              .gea = key->algorithm->gea,
                                              .key = {key->kc, key->algorithm->kc_octets},
                                              .iov_ui = key->iov_ui}});
    gb_receiver_new_key(t.receiver, TLLI_FIRST + ms);
}

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
        sums[(dp_stats(t.worker)->of_port[STATS_GB].tx_packets + i) % SUMS] =
            sum_of(rte_pktmbuf_mtod(m[i], uint8_t *), m[i]->pkt_len);
    return n;
}

static void expect_as_offered(const uint8_t *frame, uint32_t octets)
{
    assert_int_equal(sum_of(frame, octets), sums[t.taken_frames % SUMS]);
}

static void open_thread(uint32_t queue_packets, uint32_t gb_ring)
{
    random_begin();
    memset(keys, 0, sizeof keys);
    oc_most = 0;
    thread_open(queue_packets, gb_ring);
    gb_receiver_set_decipher(t.receiver, decipher, NULL);
    uint16_t gb;
    assert_int_equal(rte_eth_dev_get_port_by_name("net_ring_gb", &gb), 0);
    assert_non_null(rte_eth_add_tx_callback(gb, 0, note_offered, NULL));
    t.on_frame = expect_as_offered;
}

static void expect_all(uint32_t sent)
{
    assert_int_equal(t.received, sent);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(t.receiver)->partials_discarded, 0);
    assert_int_equal(stats_balance(dp_stats(t.worker)).packets.dropped, 0);
}

// Each of the seven classes on each of the four SAPIs with each cipher, N201-U from 140 to 1520
// among them.
static void every_class_and_sapi_with_each_cipher(void **state)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    const uint32_t mss = CLASS_COUNT * 4 * ALGORITHMS;
    uint32_t sent = 0;
    (void)state;
    open_thread(4096, 1024);
    for (uint32_t ms = 0; ms < mss; ms++) {
        uint32_t pick = ms * 31 % mss; // so that N201-U grows across all of the others
        thread_add_plain_ms(ms, (uint16_t)(140 + 1380 * pick / (mss - 1)));
        thread_add_pfc(ms, 0, (uint8_t)(ms % CLASS_COUNT));
        thread_add_pdp(ms, ms, 0, 5, sapis[ms / CLASS_COUNT % 4]);
        new_key(ms, ms / CLASS_COUNT / 4);
    }
    for (uint32_t octets = 1; octets <= SIZE_MAX_OCTETS; octets += octets == 1495 ? 5 : 9)
        for (uint32_t ms = 0; ms < mss; ms++) {
            thread_send(ms, octets);
            if (++sent % 64 == 0)
                thread_poll_and_take_all();
        }
    thread_poll_and_take_all();
    print_message("# %u N-PDUs in %lu frames\n", sent, (unsigned long)t.taken_frames);
    expect_all(sent);
    thread_close();
}

static void numbers_go_round_and_the_overflow_counts_on(void **state)
{
    uint32_t sent = 0;
    (void)state;
    open_thread(4096, 1024);
    for (uint32_t ms = 0; ms < ALGORITHMS; ms++) {
        thread_add_plain_ms(ms, 500);
        thread_add_pfc(ms, 0, CLASS_BACKGROUND);
        thread_add_pdp(2 * ms, ms, 0, 5, 3);
        thread_add_pdp(2 * ms + 1, ms, 0, 6, 11);
        new_key(ms, ms);
    }
    for (uint32_t i = 0; i < 1700; i++) // SAPI 11 has two frames for each packet
        for (uint32_t pdp = 0; pdp < 2 * ALGORITHMS; pdp++) {
            thread_send(pdp, pdp % 2 ? 600 : 40);
            if (++sent % 48 == 0)
                thread_poll_and_take_all();
        }
    thread_poll_and_take_all();
    assert_int_equal(oc_most, 3400 / 512 * 512);
    expect_all(sent);
    thread_close();
}

// The numbers begin anew in the middle of N-PDUs, which come whole all the same; on, off and on.
static void a_key_changes_under_traffic(void **state)
{
    uint32_t sent = 0, half_sent = 0;
    (void)state;
    open_thread(4096, 1024);
    for (uint32_t ms = 0; ms < 4; ms++)
        thread_add_ms(ms, 200);
    thread_cell(400000, 2000);
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t ms = 0; ms < 4; ms++, sent++)
            thread_send(ms, (uint32_t)random_in(1, SIZE_MAX_OCTETS));
        thread_run_until(t.now_ns + random_in(0, 80) * 1000000);
        half_sent += gb_receiver_counters(t.receiver)->partials_open > 0;
        new_key(i % 3, (uint32_t)random_in(0, ALGORITHMS - 1)); // MS 3 never has one
    }
    thread_cell(TIME_NEVER, 0);
    thread_poll_and_take_all();
    assert_true(half_sent > 100);
    expect_all(sent);
    thread_close();
}

// MSs of three ciphers, or all without, behind a stopped cell: `packets` wait.
static void wait_behind_a_stopped_cell(uint32_t packets, bool ciphers)
{
    for (uint32_t ms = 0; ms < 12; ms++)
        new_key(ms, ciphers ? ms : 0);
    thread_cell(0, 0);
    for (uint32_t i = 0; i < packets; i++) {
        thread_send(i % 12, (uint32_t)random_in(1, 500)); // the queue holds 1 MiB
        if (i % 64 == 63)
            thread_poll_to_rest();
    }
    thread_poll_to_rest();
    assert_int_equal(dp_queued(t.worker).packets, packets);
}

static uint32_t queue_behind_a_stopped_cell(uint32_t packets, bool ciphers, uint16_t n201_u)
{
    for (uint32_t ms = 0; ms < 12; ms++)
        thread_add_ms(ms, n201_u);
    wait_behind_a_stopped_cell(packets, ciphers);
    return packets;
}

// The most frames that one poll brings to the port.
static uint32_t most_at_once(void)
{
    uint32_t most = 0, taken;
    uint64_t next_ns;
    do {
        next_ns = dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
        taken = thread_take(UINT32_MAX);
        most = taken > most ? taken : most;
    } while (taken > 0 || next_ns == t.now_ns);
    return most;
}

static void open_cell_at_once(void)
{
    thread_command(&(struct command){.op = COMMAND_bvc_bucket}, 0);
}

static void expect_bursts(bool ciphers, uint32_t most_out, uint32_t in)
{
    open_thread(4096, 1024);
    uint32_t sent = queue_behind_a_stopped_cell(3000, ciphers, 1520);
    open_cell_at_once();
    assert_int_equal(most_at_once(), most_out);
    for (int i = 0; i < 200; i++, sent++)
        thread_send(i % 12, 40);
    uint64_t before = dp_stats(t.worker)->of_port[STATS_GN].rx_packets;
    dp_poll(t.worker, t.now_ns);
    assert_int_equal(dp_stats(t.worker)->of_port[STATS_GN].rx_packets - before, in);
    thread_poll_and_take_all();
    expect_all(sent);
    thread_close();
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
    open_thread(4096, 1024);
    queue_behind_a_stopped_cell(3000, true, 1520);
    open_cell_at_once();
    assert_int_equal(most_at_once(), DOWN_FRAMES);
    wait_behind_a_stopped_cell(3000, false);
    open_cell_at_once();
    dp_poll(t.worker, t.now_ns);
    thread_take(UINT32_MAX);
    assert_int_equal(most_at_once(), 4 * PORT_BURST);
    expect_all(6000);
    thread_close();
}

// Three hundred fit into the port, so part of what was gathered waits, enciphered once and no more.
static void a_refused_gathering_waits(void **state)
{
    uint32_t sent;
    (void)state;
    open_thread(4096, 300);
    sent = queue_behind_a_stopped_cell(3000, true, 300);
    open_cell_at_once();
    while (t.received < sent) {
        dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
        thread_take(7);
    }
    assert_true(dp_stats(t.worker)->of_port[STATS_GB].tx_refused > 10);
    expect_all(sent);
    thread_close();
}

// As without a cipher: after a refusal little is framed, and with the queue held full it shows as
// what waits beyond its limit.
static void little_is_gathered_ahead_of_a_slow_port(void **state)
{
    (void)state;
    open_thread(600, 1024);
    queue_behind_a_stopped_cell(600, true, 1520);
    open_cell_at_once();
    assert_in_range(most_at_once(), 2 * PORT_BURST, DOWN_FRAMES); // fast: bursts grow
    while (rte_ring_free_count(t.gb.from_port) > 0)
        assert_int_equal(rte_ring_enqueue(t.gb.from_port, rte_pktmbuf_alloc(t.gb.pool)), 0);
    for (uint32_t i = 0; i < 1400; i++) { // slow: a frame for two packets
        struct rte_mbuf *m = NULL;
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
        thread_poll_to_rest();
        assert_int_equal(rte_ring_dequeue(t.gb.from_port, (void **)&m), 0);
        rte_pktmbuf_free(m);
        if (i >= 1300)
            assert_in_range(dp_queued(t.worker).packets, 600, 602);
    }
    thread_close();
}

static void without_buffers_the_frames_that_are_there_go(void **state)
{
    uint32_t sent;
    (void)state;
    open_thread(4096, 1024);
    sent = queue_behind_a_stopped_cell(1000, true, 140);
    thread_hold_segment_buffers();
    open_cell_at_once();
    for (int i = 0; i < 20; i++) {
        dp_poll(t.worker, t.now_ns);
        assert_true(dp_balanced(t.worker));
        thread_take(UINT32_MAX);
        thread_give_segment_buffers(2);
    }
    assert_true(dp_stats(t.worker)->no_buffer > 10);
    assert_true(t.received < sent);
    thread_give_segment_buffers(UINT32_MAX);
    most_at_once();
    expect_all(sent);
    thread_close();
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
    return cmocka_run_group_tests(tests, thread_start_eal, NULL);
}
