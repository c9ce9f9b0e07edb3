// Decap of frames that are longer than they need be: padding, IPv4 options, GTP-U options and
// extension headers; and of frames in several buffers.
#include "tests/dataplane/down/decap_frame.h"

// --- Options and extensions ----------------------------------------------------------------------

static void test_padding_is_left_out(void **state)
{
    struct frame f = frame_good();
    (void)state;
    for (; f.n < 60; f.n++)
        f.at[f.n] = 0xee;
    expect_pass(&f, "packet", 6);
}

// The GTP-U message ends before its datagram does.
static void test_octets_behind_the_message_are_left_out(void **state)
{
    struct frame f = frame_changed(GTPU + 3, 0x04);
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
        struct frame f = frame_good();
        frame_insert(&f, UDP, no_operation, n);
        f.at[IP] = (uint8_t)(0x45 + n / 4);
        put16(f.at + IP + 2, f.n - IP);
        frame_repair_checksum(&f);
        expect_pass(&f, "packet", 6);
    }
}

// A frame whose GTP-U header has these flags and these octets behind its first eight.
static struct frame with_options(uint8_t flags, const uint8_t *octets, uint32_t n)
{
    struct frame f = frame_good();
    frame_insert(&f, TPDU, octets, n);
    f.at[GTPU] = 0x30 | flags;
    frame_repair_lengths(&f, LAYER_GTPU);
    return f;
}
#define WITH_OPTIONS(flags, ...) \
    with_options(flags, TYPED(__VA_ARGS__), sizeof((uint8_t[]){__VA_ARGS__}))

// VLAN 100 is none of ours, whatever is in it.
static void test_tagged_frame(void **state)
{
    struct frame f = frame_good();
    (void)state;
    frame_insert(&f, 12, TYPED(0x81, 0x00, 0x00, 0x64), 4);
    expect_drop(&f, DROP_vlan);
}

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
    f = WITH_OPTIONS(4, 0, 0, 0, 0x20, 1, 5, 0, 0xc1, 1, 0, 0, 0);
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
    struct rte_mbuf *m = rte_pktmbuf_alloc(decap_pool);
    m->data_off = (uint16_t)(m->buf_len - room - cut);
    memcpy(rte_pktmbuf_append(m, (uint16_t)cut), f->at, cut);
    for (uint32_t at = cut; at < f->n; at += step)
        assert_int_equal(rte_pktmbuf_chain(m, frame_mbuf(f->at + at, RTE_MIN(step, f->n - at))), 0);
    return m;
}

static void test_chain_is_made_one(void **state)
{
    struct frame f = frame_good();
    (void)state;
    for (uint32_t cut = 1; cut < f.n; cut++) {
        for (uint32_t step = 1; step < f.n; step += 7) {
            expect_mbuf_passed(chain(&f, cut, f.n - cut, step), "packet", 6);
        }
    }
}

static void test_chain_that_does_not_fit(void **state)
{
    struct frame f = frame_good();
    (void)state;
    for (uint32_t cut = 1; cut < f.n; cut++)
        for (uint32_t step = 1; step < f.n; step += 7)
            expect_mbuf_dropped(chain(&f, cut, f.n - cut - 1, step), DROP_buffer_chain);
}

static void test_bad_chain_is_dropped_for_its_own_reason(void **state)
{
    struct frame f = frame_changed(IP + 10, 0x01);
    (void)state;
    expect_mbuf_dropped(chain(&f, 20, 500, 20), DROP_ip_header);
}

// --- Large ---------------------------------------------------------------------------------------

static void test_large_payload(void **state)
{
    struct frame f = frame_good();
    (void)state;
    for (uint32_t i = 0; i < 1500; i++)
        f.at[TPDU + i] = (uint8_t)(i * 7);
    f.n = TPDU + 1500;
    frame_repair_lengths(&f, LAYER_GTPU);
    expect_pass(&f, f.at + TPDU, 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECAP_TEST(test_padding_is_left_out),
        DECAP_TEST(test_octets_behind_the_message_are_left_out),
        DECAP_TEST(test_ip_options_are_stepped_over),
        DECAP_TEST(test_tagged_frame),
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
    return cmocka_run_group_tests_name("down/decap_options", tests, decap_start, decap_stop);
}
