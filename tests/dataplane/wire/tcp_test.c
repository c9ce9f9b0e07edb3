// TCP: headers typed from RFC 9293 3.1 with the options of RFC 7323 appendix A and RFC 2018 3, both
// ways; each fault; and the checksum against a plain one.
#include "dataplane/wire/tcp.h"

#include "dataplane/wire/pdus.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/typed.h"

// A SYN as Linux sends it: MSS 1460, SACK permitted, timestamps, NOP, window scale 7.
static const uint8_t syn[] = {0x9c, 0x40, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04, 0x00, 0x00,
                              0x00, 0x00, 0xa0, 0x02, 0xfa, 0xf0, 0xab, 0xcd, 0x00, 0x00,
                              0x02, 0x04, 0x05, 0xb4, 0x04, 0x02, 0x08, 0x0a, 0x11, 0x22,
                              0x33, 0x44, 0x00, 0x00, 0x00, 0x00, 0x01, 0x03, 0x03, 0x07};

static void test_syn(void **state)
{
    struct tcp segment;
    (void)state;
    typed_both_ways("tcp", &segment, syn, sizeof syn);
    assert_int_equal(segment.source_port, 40000);
    assert_int_equal(segment.destination_port, 80);
    assert_int_equal(segment.sequence, 0x01020304);
    assert_int_equal(segment.flags, TCP_SYN);
    assert_int_equal(segment.window, 64240);
    assert_int_equal(segment.checksum, 0xabcd);
    assert_true(segment.has_mss_octets && segment.has_window_scale && segment.has_timestamps);
    assert_int_equal(segment.mss_octets, 1460);
    assert_int_equal(segment.window_scale, 7);
    assert_true(segment.sack_permitted);
    assert_int_equal(segment.timestamps.value, 0x11223344);
    assert_int_equal(segment.timestamps.echo, 0);
    assert_int_equal(segment.sack.n, 0);
    assert_int_equal(segment.payload.n, 0);
    assert_int_equal(tcp_header_octets(&segment), 40);
}

// An ACK with timestamps and three SACK blocks, which leave no room for a fourth.
static const uint8_t sack[] = {
    0x00, 0x50, 0x9c, 0x40, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x07, 0xd1, 0xe0, 0x50,
    0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x0a, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00,
    0x00, 0x04, 0x05, 0x1a, 0x00, 0x00, 0x17, 0x71, 0x00, 0x00, 0x1b, 0x59, 0x00, 0x00,
    0x13, 0x89, 0x00, 0x00, 0x15, 0x7d, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x63};

static void test_three_sack_blocks(void **state)
{
    struct tcp segment;
    (void)state;
    typed_both_ways("tcp", &segment, sack, sizeof sack);
    assert_int_equal(segment.flags, TCP_ACK | TCP_ECE);
    assert_int_equal(segment.acknowledgement, 2001);
    assert_int_equal(segment.timestamps.value, 5);
    assert_int_equal(segment.timestamps.echo, 4);
    assert_int_equal(segment.sack.n, 3);
    assert_int_equal(segment.sack.item[0].left, 6001);
    assert_int_equal(segment.sack.item[0].right, 7001);
    assert_int_equal(segment.sack.item[1].left, 5001);
    assert_int_equal(segment.sack.item[1].right, 5501);
    assert_int_equal(segment.sack.item[2].left, 0xffffffff);
    assert_int_equal(segment.sack.item[2].right, 99);
}

// One option stands behind two NOPs (RFC 7323 appendix A, RFC 2018 3's example).
static void test_one_option(void **state)
{
    static const uint8_t stamps[] = {0, 1, 0, 2, 0, 0, 0, 3,    0,    0, 0, 4, 0x80, 0x10, 0, 5,
                                     0, 6, 0, 0, 1, 1, 8, 0x0a, 0x01, 2, 3, 4, 5,    6,    7, 8};
    static const uint8_t four[] = {0, 1, 0, 2, 0,  0, 0, 3, 0, 0, 0, 4, 0xe0, 0x10, 0, 5, 0, 6, 0,
                                   0, 1, 1, 5, 34, 0, 0, 0, 1, 0, 0, 0, 2,    0,    0, 0, 3, 0, 0,
                                   0, 4, 0, 0, 0,  5, 0, 0, 0, 6, 0, 0, 0,    7,    0, 0, 0, 8};
    struct tcp segment;
    (void)state;
    typed_both_ways("tcp", &segment, stamps, sizeof stamps);
    assert_int_equal(segment.timestamps.echo, 0x05060708);
    typed_both_ways("tcp", &segment, four, sizeof four);
    assert_int_equal(segment.sack.n, 4);
    assert_int_equal(segment.sack.item[3].right, 8);
}

// Without options, with data: the header of RFC 9293 3.1, all flags set.
static void test_data(void **state)
{
    static const uint8_t typed[] = {0,    1,    0, 2, 0, 0, 0, 3, 0,   0,   0,   4,
                                    0x50, 0xff, 0, 5, 0, 6, 0, 7, 'd', 'a', 't', 'a'};
    struct tcp segment;
    (void)state;
    typed_both_ways("tcp", &segment, typed, sizeof typed);
    assert_int_equal(segment.flags, 0xff);
    assert_int_equal(segment.window, 5);
    assert_int_equal(segment.checksum, 6);
    assert_int_equal(segment.urgent, 7);
    assert_false(segment.has_mss_octets || segment.has_window_scale || segment.has_timestamps);
    expect_octets(segment.payload, "data", 4);
}

// Other senders pack or pad in other ways; what we do not know is stepped over, and an end ends it.
static void test_other_layouts(void **state)
{
    static const uint8_t options[] = {1, 1, 1, 30, 6, 9, 9, 9, 9, 3, 3, 200, 4, 2, 0, 99};
    uint8_t b[20 + sizeof options] = {[12] = 0x90};
    struct tcp segment;
    (void)state;
    memcpy(b + 20, options, sizeof options);
    assert_int_equal(tcp_decode(&segment, page_end_copy(b, sizeof b), sizeof b), sizeof b);
    assert_true(segment.has_window_scale && segment.sack_permitted);
    assert_int_equal(segment.window_scale, 14); // RFC 7323 2.3
    assert_false(segment.has_mss_octets || segment.has_timestamps);
}

// A header of `words` words with these octets in front of its options.
static int decode_options(uint32_t words, const uint8_t *octets, uint32_t n)
{
    uint8_t b[60] = {[12] = (uint8_t)(words << 4)};
    struct tcp segment;
    memset(b + 20, 1, sizeof b - 20);
    memcpy(b + 20, octets, n);
    return tcp_decode(&segment, page_end_copy(b, words * 4), words * 4);
}

static void test_decode_faults(void **state)
{
    struct tcp segment;
    uint8_t b[40] = {[12] = 0x50};
    static uint8_t large[65536] = {[12] = 0x50};
    (void)state;
    EXPECT_FAULT(tcp_decode(&segment, b, 19), TRUNCATED, 19);
    EXPECT_FAULT(tcp_decode(&segment, large, 65536), LENGTH, 0);
    b[12] = 0x40;
    EXPECT_FAULT(tcp_decode(&segment, b, 20), LENGTH, 12);
    b[12] = 0x60;
    EXPECT_FAULT(tcp_decode(&segment, b, 20), LENGTH, 12);
    EXPECT_FAULT(decode_options(6, TYPED(2, 0), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(6, TYPED(99, 1), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(6, TYPED(2, 3), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(6, TYPED(99, 5), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(6, TYPED(1, 1, 1, 2), 4), TRUNCATED, 24);
    EXPECT_FAULT(decode_options(6, TYPED(3, 4), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(6, TYPED(1, 4, 3), 3), LENGTH, 22);
    EXPECT_FAULT(decode_options(8, TYPED(8, 9), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(8, TYPED(5, 2), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(8, TYPED(5, 11), 2), LENGTH, 21);
    EXPECT_FAULT(decode_options(15, TYPED(5, 40), 2), LENGTH, 21);
    assert_int_equal(decode_options(15, TYPED(5, 34), 2), 60);
}

static void test_encode_faults(void **state)
{
    static uint8_t b[65600];
    struct tcp segment = {.has_timestamps = true, .sack = {.n = 4}};
    (void)state;
    EXPECT_FAULT(tcp_encode(&segment, b, sizeof b), RANGE, 12);
    segment.sack.n = 5;
    EXPECT_FAULT(tcp_encode(&segment, b, sizeof b), RANGE, 12);
    segment = (struct tcp){.has_window_scale = true, .window_scale = 15};
    EXPECT_FAULT(tcp_encode(&segment, b, sizeof b), RANGE, 20);
    segment = (struct tcp){.payload = {b, 65515}};
    assert_int_equal(tcp_encode(&segment, b, sizeof b), 65535);
    segment.payload.n++;
    EXPECT_FAULT(tcp_encode(&segment, b, sizeof b), RANGE, 0);
}

// --- The checksum --------------------------------------------------------------------------------

static uint32_t number(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// RFC 9293 3.1: the pseudo-header of addresses, 0, protocol 6 and the length in front.
static void test_checksum_against_plain(void **state)
{
    uint8_t whole[12 + 256], addresses[8];
    (void)state;
    random_begin();
    for (uint32_t n = 20; n < 256; n++) {
        random_fill(whole, sizeof whole);
        random_fill(addresses, sizeof addresses);
        tcp_put_checksum(whole + 12, n, number(addresses), number(addresses + 4));
        memcpy(whole, addresses, 8);
        whole[8] = whole[10] = 0;
        whole[9] = 6;
        whole[11] = (uint8_t)n;
        assert_int_equal(plain_sum(0, whole, 12 + n), 0xffff);
        assert_int_equal(
            tcp_check_checksum(whole + 12, n, number(addresses), number(addresses + 4)), 0);
    }
}

static void test_checksum_guards_each_bit(void **state)
{
    uint8_t b[sizeof syn];
    (void)state;
    for (uint32_t bit = 0; bit < 8 * sizeof b; bit++) {
        memcpy(b, syn, sizeof b);
        tcp_put_checksum(b, sizeof b, 0xc0000201, 0x0a000001);
        assert_int_equal(tcp_check_checksum(b, sizeof b, 0xc0000201, 0x0a000001), 0);
        b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        EXPECT_FAULT(tcp_check_checksum(b, sizeof b, 0xc0000201, 0x0a000001), CHECKSUM, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syn),
        cmocka_unit_test(test_three_sack_blocks),
        cmocka_unit_test(test_one_option),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_other_layouts),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
        cmocka_unit_test(test_checksum_against_plain),
        cmocka_unit_test(test_checksum_guards_each_bit),
    };
    return cmocka_run_group_tests_name("wire/tcp", tests, NULL, NULL);
}
