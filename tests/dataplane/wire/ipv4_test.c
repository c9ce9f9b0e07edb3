// IPv4: a header whose checksum is well known, typed octets both ways, each fault, and the checksum
// against a plain one.
#include "dataplane/wire/ipv4.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

// The header of many a textbook, checksum 0xb861; its total length is made good by 95 octets.
static const uint8_t textbook[115] = {
    0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
    0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7,
};

// What a test changes needs a good checksum again, over so many octets.
static void repair(uint8_t *b, uint32_t header_octets)
{
    b[10] = b[11] = 0;
    uint16_t checksum = plain_checksum(b, header_octets);
    b[10] = (uint8_t)(checksum >> 8);
    b[11] = (uint8_t)checksum;
}

static void test_decode_textbook_header(void **state)
{
    struct ipv4 packet;
    (void)state;
    assert_int_equal(ipv4_decode(&packet, textbook, sizeof textbook), 115);
    assert_int_equal(packet.tos, 0);
    assert_int_equal(packet.id, 0);
    assert_true(packet.dont_fragment);
    assert_false(packet.more_fragments);
    assert_int_equal(packet.fragment_offset, 0);
    assert_int_equal(packet.ttl, 64);
    assert_int_equal(packet.protocol, 17);
    assert_true(packet.source == 0xc0a80001);
    assert_true(packet.destination == 0xc0a800c7);
    assert_int_equal(packet.payload.n, 95);
    assert_ptr_equal(packet.payload.at, textbook + 20);
}

static void test_encode_textbook_header(void **state)
{
    struct ipv4 packet = {.dont_fragment = true,
                          .ttl = 64,
                          .protocol = 17,
                          .source = 0xc0a80001,
                          .destination = 0xc0a800c7,
                          .payload = {textbook + 20, 95}};
    uint8_t b[115];
    (void)state;
    assert_int_equal(ipv4_encode(&packet, b, sizeof b), 115);
    assert_memory_equal(b, textbook, sizeof b);
    memset(b, 0xff, sizeof b);
    ipv4_put_header(&packet, 95, b);
    assert_memory_equal(b, textbook, 20);
    assert_int_equal(b[20], 0xff);
}

// Every field away from its default; the checksum is plain_checksum's.
static void test_all_fields(void **state)
{
    uint8_t typed[22] = {0x45, 0xb9, 0x00, 0x16, 0x12, 0x34, 0x35, 0x67, 0x07, 0x06, 0x00,
                         0x00, 0x0a, 0x0b, 0x0c, 0x0d, 0xe0, 0x00, 0x00, 0x01, 'h',  'i'};
    struct ipv4 packet;
    uint8_t b[22];
    (void)state;
    repair(typed, 20);
    assert_int_equal(ipv4_decode(&packet, typed, sizeof typed), 22);
    assert_int_equal(packet.tos, 0xb9);
    assert_int_equal(packet.id, 0x1234);
    assert_false(packet.dont_fragment);
    assert_true(packet.more_fragments);
    assert_int_equal(packet.fragment_offset, 0x1567);
    assert_int_equal(packet.ttl, 7);
    assert_int_equal(packet.protocol, 6);
    assert_true(packet.source == 0x0a0b0c0d);
    assert_true(packet.destination == 0xe0000001);
    expect_octets(packet.payload, "hi", 2);
    assert_int_equal(ipv4_encode(&packet, b, sizeof b), 22);
    assert_memory_equal(b, typed, sizeof b);
}

static void test_padding_is_left_out(void **state)
{
    uint8_t b[120] = {0};
    struct ipv4 packet;
    (void)state;
    memcpy(b, textbook, sizeof textbook);
    assert_int_equal(ipv4_decode(&packet, b, sizeof b), 115);
    assert_int_equal(packet.payload.n, 95);
}

// From one option word to the most that a header length of 15 words holds.
static void test_options_are_stepped_over(void **state)
{
    uint8_t b[62] = {0x46, 0x00, 0x00, 0x1a, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11};
    struct ipv4 packet;
    (void)state;
    for (uint32_t words = 6; words <= 15; words++) {
        memset(b + 20, 1, 4 * words - 20); // no operation
        b[0] = (uint8_t)(0x40 | words);
        b[3] = (uint8_t)(4 * words + 2);
        b[4 * words] = 'h';
        b[4 * words + 1] = 'i';
        repair(b, 4 * words);
        assert_int_equal(ipv4_decode(&packet, b, 4 * words + 2), 4 * words + 2);
        expect_octets(packet.payload, "hi", 2);
    }
}

static void expect_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    uint8_t b[sizeof textbook];
    struct ipv4 packet;
    memcpy(b, textbook, sizeof b);
    b[at] = value;
    repair(b, 20);
    expect_fault(ipv4_decode(&packet, b, sizeof b), err, offset);
}

static void test_decode_faults(void **state)
{
    struct ipv4 packet;
    (void)state;
    EXPECT_FAULT(ipv4_decode(&packet, textbook, 0), TRUNCATED, 0);
    EXPECT_FAULT(ipv4_decode(&packet, textbook, 19), TRUNCATED, 19);
    EXPECT_FAULT(ipv4_decode(&packet, textbook, 114), LENGTH, 2);
    expect_refused(0, 0x65, WIRE_VERSION, 0);
    expect_refused(0, 0x44, WIRE_LENGTH, 0);
    expect_refused(3, 0x74, WIRE_LENGTH, 2);
    expect_refused(3, 19, WIRE_LENGTH, 2);
    expect_refused(6, 0x80, WIRE_RESERVED, 6);
}

// A header of 24 octets in a total length of 20.
static void test_header_longer_than_packet(void **state)
{
    uint8_t b[24] = {0x46, 0, 0, 20, 0, 0, 0, 0, 0x40, 0x11};
    struct ipv4 packet;
    (void)state;
    repair(b, 24);
    EXPECT_FAULT(ipv4_decode(&packet, b, sizeof b), LENGTH, 2);
}

// Any single wrong octet of the header that is not caught before is caught by the checksum.
static void test_checksum_guards_each_octet(void **state)
{
    uint8_t b[sizeof textbook];
    struct ipv4 packet;
    (void)state;
    for (uint32_t at = 0; at < 20; at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            memcpy(b, textbook, sizeof b);
            b[at] ^= (uint8_t)(1 << bit);
            int result = ipv4_decode(&packet, b, sizeof b);
            assert_true(result < 0);
            if (at > 3)
                EXPECT_FAULT(result, CHECKSUM, 10);
        }
    }
}

static void test_encode_faults(void **state)
{
    static uint8_t b[70000];
    struct ipv4 packet = {.payload = {b, 65515}};
    (void)state;
    assert_int_equal(ipv4_encode(&packet, b, sizeof b), 65535);
    packet.payload.n = 65516;
    EXPECT_FAULT(ipv4_encode(&packet, b, sizeof b), RANGE, 2);
    packet.payload.n = 0;
    packet.fragment_offset = 0x2000;
    EXPECT_FAULT(ipv4_encode(&packet, b, sizeof b), RANGE, 2);
}

// All lengths up to 200 and the largest; in one go and continued at each even place.
static void test_checksum_against_plain(void **state)
{
    static uint8_t b[65535];
    (void)state;
    random_begin();
    for (uint32_t n = 0; n <= 200; n++) {
        random_fill(b, n);
        assert_int_equal(ipv4_fold(ipv4_sum(0, b, n)), plain_checksum(b, n));
        for (uint32_t part = 0; part <= n; part += 2)
            assert_int_equal(ipv4_fold(ipv4_sum(ipv4_sum(0, b, part), b + part, n - part)),
                             plain_checksum(b, n));
    }
    memset(b, 0xff, sizeof b);
    assert_int_equal(ipv4_fold(ipv4_sum(0, b, sizeof b)), plain_checksum(b, sizeof b));
    assert_int_equal(ipv4_fold(ipv4_sum(UINT32_MAX, b, sizeof b)), plain_checksum(b, sizeof b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode_textbook_header),
        cmocka_unit_test(test_encode_textbook_header),
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_padding_is_left_out),
        cmocka_unit_test(test_options_are_stepped_over),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_header_longer_than_packet),
        cmocka_unit_test(test_checksum_guards_each_octet),
        cmocka_unit_test(test_encode_faults),
        cmocka_unit_test(test_checksum_against_plain),
    };
    return cmocka_run_group_tests_name("wire/ipv4", tests, NULL, NULL);
}
