// Decap: a typed frame passes and leaves exactly its payload; for each reason to drop, the smallest
// change that provokes it; truncations at every length; frames in several buffers.
#include "dataplane/down/down.h"

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/wire/judge.h"

enum { IP = 14, UDP = 34, GTPU = 42, TPDU = 50 };

// From 192.0.2.2 to 192.0.2.1, TEID 0x00400005, T-PDU "packet".
static const uint8_t good[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, // Ethernet
    0x45, 0x00, 0x00, 0x2a, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0xf6, 0xbe,             // IPv4
    0xc0, 0x00, 0x02, 0x02, 0xc0, 0x00, 0x02, 0x01,                                     //
    0x08, 0x68, 0x08, 0x68, 0x00, 0x16, 0x00, 0x00,                                     // UDP
    0x30, 0xff, 0x00, 0x06, 0x00, 0x40, 0x00, 0x05,                                     // GTP-U
    'p',  'a',  'c',  'k',  'e',  't',
};
static const struct down_gn gn = {.mac = {{0x02, 0, 0, 0, 0, 0x01}}, .address = 0xc0000201};

struct frame {
    uint8_t at[1600];
    uint32_t n;
};

static struct rte_mempool *pool;

static struct frame good_frame(void)
{
    struct frame f = {.n = sizeof good};
    memcpy(f.at, good, sizeof good);
    return f;
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void repair_checksum(struct frame *f)
{
    uint32_t header = 4u * (f->at[IP] & 15);
    put16(f->at + IP + 10, 0);
    put16(f->at + IP + 10, plain_checksum(f->at + IP, header));
}

enum layer { LAYER_IP, LAYER_UDP, LAYER_GTPU };

// Makes the lengths of the layers up to `top` fit f->n; those above keep what they said.
static void repair_lengths(struct frame *f, enum layer top)
{
    put16(f->at + IP + 2, f->n - IP);
    if (top >= LAYER_UDP)
        put16(f->at + UDP + 4, f->n - UDP);
    if (top >= LAYER_GTPU)
        put16(f->at + GTPU + 2, f->n - TPDU);
    repair_checksum(f);
}

static void insert(struct frame *f, uint32_t at, const uint8_t *octets, uint32_t n)
{
    memmove(f->at + at + n, f->at + at, f->n - at);
    memcpy(f->at + at, octets, n);
    f->n += n;
}

static struct rte_mbuf *mbuf_of(const uint8_t *octets, uint32_t n)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)n), octets, n);
    return m;
}

static void expect_payload(const struct rte_mbuf *m, const void *octets, uint32_t n)
{
    assert_int_equal(m->nb_segs, 1);
    assert_int_equal(m->pkt_len, n);
    assert_int_equal(m->data_len, n);
    assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), octets, n);
    rte_mbuf_sanity_check(m, 1);
}

static void expect_reason_of_mbuf(struct rte_mbuf *m, enum drop_reason expected)
{
    uint32_t teid;
    uint32_t octets = m->pkt_len;
    enum drop_reason reason = decap(&gn, m, &teid);
    if (reason != expected)
        fail_msg("%s, expected %s", reason < DROP_COUNT ? drop_names[reason] : "passed",
                 drop_names[expected]);
    assert_int_equal(m->pkt_len, octets); // what a drop is counted with
    rte_pktmbuf_free(m);
}

static void expect_drop(const struct frame *f, enum drop_reason expected)
{
    expect_reason_of_mbuf(mbuf_of(f->at, f->n), expected);
}

static void expect_pass(const struct frame *f, const void *payload, uint32_t n)
{
    struct rte_mbuf *m = mbuf_of(f->at, f->n);
    uint32_t teid = 0;
    enum drop_reason reason = decap(&gn, m, &teid);
    if (reason != DROP_NONE)
        fail_msg("dropped: %s", drop_names[reason]);
    assert_true(teid == 0x00400005);
    expect_payload(m, payload, n);
    rte_pktmbuf_free(m);
}

// --- One octet is changed ------------------------------------------------------------------------

static struct frame changed(uint32_t at, uint8_t value)
{
    struct frame f = good_frame();
    f.at[at] = value;
    if (at >= IP && at < UDP && at != IP + 10 && at != IP + 11)
        repair_checksum(&f);
    return f;
}

static void test_good_frame(void **state)
{
    struct frame f = good_frame();
    (void)state;
    repair_checksum(&f);
    assert_memory_equal(f.at, good, sizeof good);
    expect_pass(&f, "packet", 6);
}

static void test_smallest_change_for_each_reason(void **state)
{
    static const struct {
        uint8_t at, value;
        enum drop_reason reason;
    } changes[] = {
        {0, 0x03, DROP_gn_not_ours}, // another MAC, a multicast one
        {5, 0x02, DROP_gn_not_ours},
        {12, 0x05, DROP_gn_not_ipv4}, // an 802.3 length
        {13, 0x06, DROP_gn_not_ipv4}, // ARP
        {IP, 0x65, DROP_gn_ipv4},     // version 6
        {IP, 0x44, DROP_gn_ipv4},     // a header of 16 octets
        {IP + 3, 0x2b, DROP_gn_ipv4}, // longer than the frame
        {IP + 3, 0x13, DROP_gn_ipv4}, // shorter than its header
        {IP + 3, 0x29, DROP_gn_udp},  // the datagram's last octet is padding
        {IP + 6, 0x80, DROP_gn_ipv4}, // the reserved bit
        {IP + 6, 0x20, DROP_gn_fragment},
        {IP + 6, 0x1f, DROP_gn_fragment},
        {IP + 7, 0x01, DROP_gn_fragment},
        {IP + 9, 0x06, DROP_gn_not_gtpu}, // TCP
        {IP + 10, 0xf7, DROP_gn_ipv4},    // the checksum
        {IP + 11, 0xbf, DROP_gn_ipv4},
        {IP + 16, 0xc1, DROP_gn_not_ours},
        {IP + 19, 0x02, DROP_gn_not_ours},
        {UDP + 2, 0x09, DROP_gn_not_gtpu},
        {UDP + 3, 0x69, DROP_gn_not_gtpu},
        {UDP + 5, 0x15, DROP_gn_udp},
        {UDP + 5, 0x17, DROP_gn_udp},
        {UDP + 5, 0x07, DROP_gn_udp},
        {GTPU, 0x10, DROP_gtpu_version},
        {GTPU, 0x50, DROP_gtpu_version},
        {GTPU, 0x20, DROP_gtpu_version}, // GTP'
        {GTPU + 1, 1, DROP_gtpu_message},
        {GTPU + 1, 2, DROP_gtpu_message},
        {GTPU + 1, 26, DROP_gtpu_message},
        {GTPU + 1, 31, DROP_gtpu_message},
        {GTPU + 1, 254, DROP_gtpu_message},
        {GTPU + 1, 0, DROP_gtpu_message},
        {GTPU + 2, 0x01, DROP_gtpu_malformed},
        {GTPU + 3, 0x07, DROP_gtpu_malformed},
        {GTPU + 3, 0x00, DROP_npdu_empty},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct frame f = changed(changes[i].at, changes[i].value);
        print_message("# octet %u = %02x\n", changes[i].at, changes[i].value);
        expect_drop(&f, changes[i].reason);
    }
}

// What a gateway may set as it likes, or what the dataplane does not look at.
static void test_changes_that_do_not_matter(void **state)
{
    static const uint8_t places[] = {6,       11,      IP + 1,  IP + 4, IP + 5,  IP + 8,
                                     IP + 12, IP + 15, UDP + 0, UDP + 1, UDP + 6, UDP + 7};
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        struct frame f = changed(places[i], 0x77);
        expect_pass(&f, "packet", 6);
    }
    struct frame dont_fragment = changed(IP + 6, 0x40);
    expect_pass(&dont_fragment, "packet", 6);
}

static void test_teid_is_given_back(void **state)
{
    struct frame f = good_frame();
    uint32_t teid;
    (void)state;
    memcpy(f.at + GTPU + 4, "\x89\xab\xcd\xef", 4);
    struct rte_mbuf *m = mbuf_of(f.at, f.n);
    assert_int_equal(decap(&gn, m, &teid), DROP_NONE);
    assert_true(teid == 0x89abcdef);
    rte_pktmbuf_free(m);
}

static void test_broadcast_is_not_ours(void **state)
{
    struct frame f = good_frame();
    (void)state;
    memset(f.at, 0xff, 6);
    expect_drop(&f, DROP_gn_not_ours);
}

// --- Truncations ---------------------------------------------------------------------------------

static void test_frame_cut_at_every_length(void **state)
{
    struct frame f = good_frame();
    (void)state;
    for (f.n = 0; f.n < sizeof good; f.n++)
        expect_drop(&f, f.n < IP ? DROP_gn_not_ipv4 : DROP_gn_ipv4);
}

static void test_packet_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = UDP; n < sizeof good; n++) {
        struct frame f = good_frame();
        f.n = n;
        repair_lengths(&f, LAYER_IP);
        expect_drop(&f, DROP_gn_udp);
    }
}

static void test_datagram_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = GTPU; n < sizeof good; n++) {
        struct frame f = good_frame();
        f.n = n;
        repair_lengths(&f, LAYER_UDP);
        expect_drop(&f, DROP_gtpu_malformed);
    }
}

static void test_message_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = TPDU; n < sizeof good; n++) {
        struct frame f = good_frame();
        f.n = n;
        repair_lengths(&f, LAYER_GTPU);
        if (n == TPDU)
            expect_drop(&f, DROP_npdu_empty);
        else
            expect_pass(&f, "packet", n - TPDU);
    }
}

// --- Options and extensions ----------------------------------------------------------------------

static void test_padding_is_left_out(void **state)
{
    struct frame f = good_frame();
    (void)state;
    for (; f.n < 60; f.n++)
        f.at[f.n] = 0xee;
    expect_pass(&f, "packet", 6);
}

// The GTP-U message ends before its datagram does.
static void test_octets_behind_the_message_are_left_out(void **state)
{
    struct frame f = changed(GTPU + 3, 0x04);
    (void)state;
    expect_pass(&f, "pack", 4);
}

static void test_ip_options_are_stepped_over(void **state)
{
    static const uint8_t no_operation[40] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (uint32_t n = 4; n <= 40; n += 4) {
        struct frame f = good_frame();
        insert(&f, UDP, no_operation, n);
        f.at[IP] = (uint8_t)(0x45 + n / 4);
        put16(f.at + IP + 2, f.n - IP);
        repair_checksum(&f);
        expect_pass(&f, "packet", 6);
    }
}

// A frame whose GTP-U header has these flags and these octets behind its first eight.
static struct frame with_options(uint8_t flags, const uint8_t *octets, uint32_t n)
{
    struct frame f = good_frame();
    insert(&f, TPDU, octets, n);
    f.at[GTPU] = 0x30 | flags;
    repair_lengths(&f, LAYER_GTPU);
    return f;
}
#define WITH_OPTIONS(flags, ...) \
    with_options(flags, TYPED(__VA_ARGS__), sizeof((uint8_t[]){__VA_ARGS__}))

static void test_sequence_and_npdu_number(void **state)
{
    (void)state;
    for (uint8_t flags = 1; flags <= 3; flags++) {
        struct frame f = WITH_OPTIONS(flags, 0x12, 0x34, 0x56, 0x85);
        expect_pass(&f, "packet", 6);
    }
}

static void test_extensions_that_need_not_be_understood(void **state)
{
    struct frame f = WITH_OPTIONS(4, 0, 0, 0, 0);
    (void)state;
    expect_pass(&f, "packet", 6);
    f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 1, 5, 0, 0);
    expect_pass(&f, "packet", 6);
    f = WITH_OPTIONS(6, 0, 1, 0, 0x20, 1, 5, 0, 0x40, 2, 1, 2, 3, 4, 5, 6, 0);
    expect_pass(&f, "packet", 6);
}

static void test_extensions_that_must_be_understood(void **state)
{
    struct frame f = WITH_OPTIONS(4, 0, 0, 0, 0x85, 1, 5, 0, 0);
    (void)state;
    expect_drop(&f, DROP_gtpu_extension);
    f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 1, 5, 0, 0xc0, 1, 0, 0, 0);
    expect_drop(&f, DROP_gtpu_extension);
}

static void test_malformed_extensions(void **state)
{
    struct frame f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 0, 5, 0, 0); // length 0
    (void)state;
    expect_drop(&f, DROP_gtpu_malformed);
    f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 200, 5, 0, 0); // runs past the end
    expect_drop(&f, DROP_gtpu_malformed);
    f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 2, 5, 0, 0); // takes "pack" too, then 'k' names another
    expect_drop(&f, DROP_gtpu_malformed);
}

// The message ends after an extension that names one more, and inside the four octets of options.
static void test_options_cut_off(void **state)
{
    struct frame f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 1, 5, 0, 0x40);
    (void)state;
    put16(f.at + GTPU + 2, 8);
    expect_drop(&f, DROP_gtpu_malformed);
    f = WITH_OPTIONS(2, 0, 0, 0, 0);
    put16(f.at + GTPU + 2, 3);
    expect_drop(&f, DROP_gtpu_malformed);
    put16(f.at + GTPU + 2, 4);
    expect_drop(&f, DROP_npdu_empty);
}

// --- Frames in several buffers -------------------------------------------------------------------

// The first `cut` octets in one buffer, of which only `room` are left behind them; the rest in one
// buffer each of at most `step`.
static struct rte_mbuf *chain(const struct frame *f, uint32_t cut, uint32_t room, uint32_t step)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    m->data_off = (uint16_t)(m->buf_len - room - cut);
    memcpy(rte_pktmbuf_append(m, (uint16_t)cut), f->at, cut);
    for (uint32_t at = cut; at < f->n; at += step)
        assert_int_equal(rte_pktmbuf_chain(m, mbuf_of(f->at + at, RTE_MIN(step, f->n - at))), 0);
    return m;
}

static void test_chain_is_made_one(void **state)
{
    struct frame f = good_frame();
    uint32_t teid;
    (void)state;
    for (uint32_t cut = 1; cut < f.n; cut++) {
        for (uint32_t step = 1; step < f.n; step += 7) {
            struct rte_mbuf *m = chain(&f, cut, f.n - cut, step);
            assert_int_equal(decap(&gn, m, &teid), DROP_NONE);
            assert_true(teid == 0x00400005);
            expect_payload(m, "packet", 6);
            rte_pktmbuf_free(m);
        }
    }
}

static void test_chain_that_does_not_fit(void **state)
{
    struct frame f = good_frame();
    (void)state;
    for (uint32_t cut = 1; cut < f.n; cut++)
        for (uint32_t step = 1; step < f.n; step += 7)
            expect_reason_of_mbuf(chain(&f, cut, f.n - cut - 1, step), DROP_buffer_chain);
}

static void test_bad_chain_is_dropped_for_its_own_reason(void **state)
{
    struct frame f = changed(IP + 7, 0x01);
    (void)state;
    expect_reason_of_mbuf(chain(&f, 20, 500, 20), DROP_gn_fragment);
}

// --- Large ---------------------------------------------------------------------------------------

static void test_large_payload(void **state)
{
    struct frame f = good_frame();
    (void)state;
    for (uint32_t i = 0; i < 1500; i++)
        f.at[TPDU + i] = (uint8_t)(i * 7);
    f.n = TPDU + 1500;
    repair_lengths(&f, LAYER_GTPU);
    expect_pass(&f, f.at + TPDU, 1500);
}

static int make_pool(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    pool = rte_pktmbuf_pool_create("decap_test", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    return pool ? 0 : -1;
}

// Every test gives back every buffer.
static int expect_full_pool(void **state)
{
    (void)state;
    return rte_mempool_in_use_count(pool) == 0 ? 0 : -1;
}

#define DECAP_TEST(name) cmocka_unit_test_teardown(name, expect_full_pool)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECAP_TEST(test_good_frame),
        DECAP_TEST(test_smallest_change_for_each_reason),
        DECAP_TEST(test_changes_that_do_not_matter),
        DECAP_TEST(test_teid_is_given_back),
        DECAP_TEST(test_broadcast_is_not_ours),
        DECAP_TEST(test_frame_cut_at_every_length),
        DECAP_TEST(test_packet_cut_at_every_length),
        DECAP_TEST(test_datagram_cut_at_every_length),
        DECAP_TEST(test_message_cut_at_every_length),
        DECAP_TEST(test_padding_is_left_out),
        DECAP_TEST(test_octets_behind_the_message_are_left_out),
        DECAP_TEST(test_ip_options_are_stepped_over),
        DECAP_TEST(test_sequence_and_npdu_number),
        DECAP_TEST(test_extensions_that_need_not_be_understood),
        DECAP_TEST(test_extensions_that_must_be_understood),
        DECAP_TEST(test_malformed_extensions),
        DECAP_TEST(test_options_cut_off),
        DECAP_TEST(test_chain_is_made_one),
        DECAP_TEST(test_chain_that_does_not_fit),
        DECAP_TEST(test_bad_chain_is_dropped_for_its_own_reason),
        DECAP_TEST(test_large_payload),
    };
    return cmocka_run_group_tests_name("down/decap", tests, make_pool, eal_fixture_teardown);
}
