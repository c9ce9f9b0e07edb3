// UDP: typed octets both ways, each fault, and the checksum over the pseudo-header of RFC 768
// against a plain one, over IPv4 and IPv6.
#include "dataplane/wire/udp.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

static const uint8_t typed[] = {0x04, 0xd2, 0x08, 0x68, 0x00, 0x0b, 0xab, 0xcd, 'a', 'b', 'c'};

static void test_decode(void **state)
{
    struct udp datagram;
    (void)state;
    assert_int_equal(udp_decode(&datagram, typed, sizeof typed), 11);
    assert_int_equal(datagram.source_port, 1234);
    assert_int_equal(datagram.destination_port, 2152);
    assert_int_equal(datagram.checksum, 0xabcd);
    expect_octets(datagram.payload, "abc", 3);
}

static void test_encode(void **state)
{
    struct udp datagram = {1234, 2152, 0xabcd, {(const uint8_t *)"abc", 3}};
    uint8_t b[11];
    (void)state;
    assert_int_equal(udp_encode(&datagram, b, sizeof b), 11);
    assert_memory_equal(b, typed, sizeof b);
}

static void test_decode_faults(void **state)
{
    struct udp datagram;
    uint8_t b[12] = {0};
    (void)state;
    memcpy(b, typed, sizeof typed);
    EXPECT_FAULT(udp_decode(&datagram, b, 0), TRUNCATED, 0);
    EXPECT_FAULT(udp_decode(&datagram, b, 7), TRUNCATED, 7);
    EXPECT_FAULT(udp_decode(&datagram, b, 8), LENGTH, 4);
    EXPECT_FAULT(udp_decode(&datagram, b, 10), LENGTH, 4);
    EXPECT_FAULT(udp_decode(&datagram, b, 12), LENGTH, 4);
    b[5] = 8;
    assert_int_equal(udp_decode(&datagram, b, 8), 8);
    b[5] = 7;
    EXPECT_FAULT(udp_decode(&datagram, b, 8), LENGTH, 4);
}

static void test_encode_faults(void **state)
{
    static uint8_t b[65536];
    struct udp datagram = {.payload = {b, 65527}};
    (void)state;
    assert_int_equal(udp_encode(&datagram, b, sizeof b), 65535);
    datagram.payload.n = 65528;
    EXPECT_FAULT(udp_encode(&datagram, b, sizeof b), RANGE, 4);
}

// RFC 768's checksum from the pseudo-header written out.
static uint16_t plain_udp_checksum(const uint8_t *b, uint32_t n, const uint8_t addresses[8])
{
    uint8_t whole[12 + 256] = {0};
    memcpy(whole, addresses, 8);
    whole[9] = 17;
    whole[10] = (uint8_t)(n >> 8);
    whole[11] = (uint8_t)n;
    memcpy(whole + 12, b, n);
    whole[12 + 6] = whole[12 + 7] = 0;
    uint16_t checksum = plain_checksum(whole, 12 + n);
    return checksum ? checksum : 0xffff;
}

static uint32_t number(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void test_checksum_against_plain(void **state)
{
    uint8_t b[256], addresses[8];
    (void)state;
    random_begin();
    for (uint32_t n = 8; n < sizeof b; n++) {
        for (int i = 0; i < 50; i++) {
            random_fill(b, n);
            random_fill(addresses, sizeof addresses);
            uint16_t expected = plain_udp_checksum(b, n, addresses);
            udp_put_checksum(b, n, number(addresses), number(addresses + 4));
            assert_int_equal(b[6] << 8 | b[7], expected);
        }
    }
}

// 0 means "none", so a checksum that comes out as 0 is sent as all ones. The pseudo-header here
// sums to 0x11 + 8, the datagram adds length 8: a source port of 0xffff - 0x21 makes the sum
// 0xffff.
static void test_checksum_is_never_zero(void **state)
{
    uint8_t b[8] = {0xff, 0xde, 0, 0, 0, 8, 0x12, 0x34};
    (void)state;
    udp_put_checksum(b, sizeof b, 0, 0);
    assert_int_equal(b[6], 0xff);
    assert_int_equal(b[7], 0xff);
}

// A datagram whose checksum is good sums up to all ones with its pseudo-header.
static void test_checksum_verifies(void **state)
{
    uint8_t b[11], pseudo[12] = {192, 0, 2, 1, 192, 0, 2, 2, 0, 17, 0, 11};
    (void)state;
    memcpy(b, typed, sizeof b);
    udp_put_checksum(b, sizeof b, 0xc0000201, 0xc0000202);
    assert_int_equal(plain_sum(plain_sum(0, pseudo, sizeof pseudo), b, sizeof b), 0xffff);
}

// --- Over IPv6 -----------------------------------------------------------------------------------

static const struct ipv6_address db8_1 = {{0x20, 1, 0x0d, 0xb8, [15] = 1}};
static const struct ipv6_address db8_2 = {{0x20, 1, 0x0d, 0xb8, [15] = 2}};

// Added up by hand: 2001 + 0db8 + 1 + 2001 + 0db8 + 2 + a + 11 + 0868 + 0868 + a + 6869 = d4d3.
static const uint8_t over_ipv6[] = {0x08, 0x68, 0x08, 0x68, 0, 10, 0x2b, 0x2c, 'h', 'i'};

static void test_ipv6_checksum(void **state)
{
    uint8_t b[10];
    (void)state;
    memcpy(b, over_ipv6, sizeof b);
    assert_int_equal(udp_check_checksum_ipv6(b, sizeof b, &db8_1, &db8_2), 0);
    b[6] = b[7] = 0x55;
    EXPECT_FAULT(udp_check_checksum_ipv6(b, sizeof b, &db8_1, &db8_2), CHECKSUM, 6);
    udp_put_checksum_ipv6(b, sizeof b, &db8_1, &db8_2);
    assert_memory_equal(b, over_ipv6, sizeof b);
}

// Where the sum comes out as 0, all ones are sent; 0 says "none", which IPv6 does not allow, even
// where the sum fits.
static void test_ipv6_checksum_is_never_zero(void **state)
{
    const struct ipv6_address none = {{0}};
    uint8_t b[8] = {0xff, 0xde, 0, 0, 0, 8, 0x12, 0x34};
    (void)state;
    udp_put_checksum_ipv6(b, sizeof b, &none, &none);
    assert_int_equal(b[6] << 8 | b[7], 0xffff);
    assert_int_equal(udp_check_checksum_ipv6(b, sizeof b, &none, &none), 0);
    b[6] = b[7] = 0;
    EXPECT_FAULT(udp_check_checksum_ipv6(b, sizeof b, &none, &none), CHECKSUM, 6);
}

static void test_ipv6_checksum_guards_each_bit(void **state)
{
    uint8_t b[10];
    (void)state;
    for (uint32_t bit = 0; bit < 80; bit++) {
        memcpy(b, over_ipv6, sizeof b);
        b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        EXPECT_FAULT(udp_check_checksum_ipv6(b, sizeof b, &db8_1, &db8_2), CHECKSUM, 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
        cmocka_unit_test(test_checksum_against_plain),
        cmocka_unit_test(test_checksum_is_never_zero),
        cmocka_unit_test(test_checksum_verifies),
        cmocka_unit_test(test_ipv6_checksum),
        cmocka_unit_test(test_ipv6_checksum_is_never_zero),
        cmocka_unit_test(test_ipv6_checksum_guards_each_bit),
    };
    return cmocka_run_group_tests_name("wire/udp", tests, NULL, NULL);
}
