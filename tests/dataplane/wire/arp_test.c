// ARP: typed octets both ways, each truncation and each fault.
#include "dataplane/wire/arp.h"

#include "tests/dataplane/wire/judge.h"

// 192.0.2.1 asks for 192.0.2.2.
static const uint8_t typed[28] = {
    0x00, 0x01, 0x08, 0x00, 6,    4,    0x00, 0x01, // Ethernet, IPv4, request
    0x02, 0x53, 0x4c, 0x00, 0x00, 0x01, 192,  0,    2, 1,
    0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 192,  0,    2, 2,
};

static void test_decode(void **state)
{
    struct arp packet;
    (void)state;
    assert_int_equal(arp_decode(&packet, page_end_copy(typed, 28), 28), 28);
    assert_int_equal(packet.operation, ARP_REQUEST);
    assert_memory_equal(packet.sender_mac.octet, "\x02\x53\x4c\x00\x00\x01", 6);
    assert_true(packet.sender_address == 0xc0000201);
    assert_memory_equal(packet.target_mac.octet, "\x0a\x0b\x0c\x0d\x0e\x0f", 6);
    assert_true(packet.target_address == 0xc0000202);
}

static void test_encode(void **state)
{
    struct arp packet = {.operation = ARP_REQUEST,
                         .sender_mac = {{0x02, 0x53, 0x4c, 0, 0, 1}},
                         .sender_address = 0xc0000201,
                         .target_mac = {{0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f}},
                         .target_address = 0xc0000202};
    uint8_t b[28];
    (void)state;
    assert_int_equal(arp_encode(&packet, b, sizeof b), 28);
    assert_memory_equal(b, typed, 28);
    packet.operation = ARP_REPLY;
    assert_int_equal(arp_encode(&packet, b, sizeof b), 28);
    assert_int_equal(b[7], 2);
}

// A frame is at least 60 octets long, so that 18 follow.
static void test_padding_is_left_out(void **state)
{
    uint8_t b[46] = {0};
    struct arp packet;
    (void)state;
    memcpy(b, typed, sizeof typed);
    b[7] = 2;
    assert_int_equal(arp_decode(&packet, b, sizeof b), 28);
    assert_int_equal(packet.operation, ARP_REPLY);
}

static void expect_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    uint8_t b[sizeof typed];
    struct arp packet;
    memcpy(b, typed, sizeof b);
    b[at] = value;
    expect_fault(arp_decode(&packet, b, sizeof b), err, offset);
}

static void test_decode_faults(void **state)
{
    struct arp packet;
    (void)state;
    for (uint32_t n = 0; n < sizeof typed; n++)
        EXPECT_FAULT(arp_decode(&packet, page_end_copy(typed, n), n), TRUNCATED, n);
    expect_refused(1, 6, WIRE_TYPE, 0); // IEEE 802
    expect_refused(0, 1, WIRE_TYPE, 0);
    expect_refused(3, 6, WIRE_TYPE, 2);
    expect_refused(4, 8, WIRE_LENGTH, 4);
    expect_refused(5, 16, WIRE_LENGTH, 5);
    expect_refused(7, 0, WIRE_TYPE, 6);
    expect_refused(7, 3, WIRE_TYPE, 6); // reverse ARP
    expect_refused(6, 1, WIRE_TYPE, 6);
}

static void test_encode_faults(void **state)
{
    struct arp packet = {.operation = 0};
    uint8_t b[28];
    (void)state;
    EXPECT_FAULT(arp_encode(&packet, b, sizeof b), RANGE, 6);
    packet.operation = 3;
    EXPECT_FAULT(arp_encode(&packet, b, sizeof b), RANGE, 6);
    packet.operation = ARP_REPLY;
    EXPECT_FAULT(arp_encode(&packet, page_end(27), 27), NO_ROOM, 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_padding_is_left_out),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/arp", tests, NULL, NULL);
}
