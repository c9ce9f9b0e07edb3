// ICMP echo: typed octets both ways, each truncation and each fault. The checksums were added up by
// hand: 0800 + 0001 + 0001 + 6162 + 6300 = cc64, inverted 339b; the reply has 0000 for 0800.
#include "dataplane/wire/icmp.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

static const uint8_t request[] = {0x08, 0x00, 0x33, 0x9b, 0, 1, 0, 1, 'a', 'b', 'c'};
static const uint8_t reply[] = {0x00, 0x00, 0x3b, 0x9b, 0, 1, 0, 1, 'a', 'b', 'c'};

static void test_decode(void **state)
{
    struct icmp_echo message;
    (void)state;
    assert_int_equal(icmp_echo_decode(&message, page_end_copy(request, 11), 11), 11);
    assert_false(message.reply);
    assert_int_equal(message.identifier, 1);
    assert_int_equal(message.sequence, 1);
    expect_octets(message.payload, "abc", 3);
    assert_int_equal(icmp_echo_decode(&message, page_end_copy(reply, 11), 11), 11);
    assert_true(message.reply);
}

static void test_encode(void **state)
{
    struct icmp_echo message = {false, 1, 1, {(const uint8_t *)"abc", 3}};
    uint8_t b[11];
    (void)state;
    assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 11);
    assert_memory_equal(b, request, sizeof b);
    message.reply = true;
    assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 11);
    assert_memory_equal(b, reply, sizeof b);
}

static void test_fields_have_their_places(void **state)
{
    struct icmp_echo message = {false, 0x1234, 0xfedc, {NULL, 0}};
    uint8_t b[8];
    (void)state;
    assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 8);
    assert_memory_equal(b + 4, "\x12\x34\xfe\xdc", 4);
    assert_int_equal(icmp_echo_decode(&message, b, sizeof b), 8);
    assert_int_equal(message.identifier, 0x1234);
    assert_int_equal(message.sequence, 0xfedc);
    assert_int_equal(message.payload.n, 0);
}

// The request is turned into its reply where it lies, as a port does it.
static void test_answer_in_place(void **state)
{
    struct icmp_echo message;
    uint8_t b[11];
    (void)state;
    memcpy(b, request, sizeof b);
    icmp_echo_decode(&message, b, sizeof b);
    message.reply = true;
    assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 11);
    assert_memory_equal(b, reply, sizeof b);
}

static void test_decode_faults(void **state)
{
    struct icmp_echo message;
    uint8_t b[sizeof request];
    (void)state;
    for (uint32_t n = 0; n < 8; n++)
        EXPECT_FAULT(icmp_echo_decode(&message, page_end_copy(request, n), n), TRUNCATED, n);
    for (uint32_t n = 8; n < sizeof request; n++)
        EXPECT_FAULT(icmp_echo_decode(&message, page_end_copy(request, n), n), CHECKSUM, 2);
    memcpy(b, request, sizeof b);
    b[0] = 3; // unreachable
    EXPECT_FAULT(icmp_echo_decode(&message, b, sizeof b), TYPE, 0);
    b[0] = 8;
    b[1] = 1;
    EXPECT_FAULT(icmp_echo_decode(&message, b, sizeof b), RESERVED, 1);
}

static void test_checksum_guards_each_octet(void **state)
{
    struct icmp_echo message;
    uint8_t b[sizeof request];
    (void)state;
    for (uint32_t bit = 16; bit < 8 * sizeof b; bit++) {
        memcpy(b, request, sizeof b);
        b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        EXPECT_FAULT(icmp_echo_decode(&message, b, sizeof b), CHECKSUM, 2);
    }
}

static void test_checksum_against_plain(void **state)
{
    uint8_t b[256], payload[248];
    (void)state;
    random_begin();
    for (uint32_t n = 0; n <= sizeof payload; n++) {
        struct icmp_echo message = {
            n & 1, (uint16_t)random_next(), (uint16_t)random_next(), {payload, n}};
        random_fill(payload, n);
        assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 8 + n);
        uint16_t checksum = (uint16_t)(b[2] << 8 | b[3]);
        b[2] = b[3] = 0;
        assert_int_equal(checksum, plain_checksum(b, 8 + n));
    }
}

static void test_encode_faults(void **state)
{
    static uint8_t b[65535];
    struct icmp_echo message = {.payload = {b, 65507}};
    (void)state;
    assert_int_equal(icmp_echo_encode(&message, b, sizeof b), 65515);
    message.payload.n = 65508;
    EXPECT_FAULT(icmp_echo_encode(&message, b, sizeof b), RANGE, 8);
    message.payload.n = 1;
    EXPECT_FAULT(icmp_echo_encode(&message, page_end(8), 8), NO_ROOM, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_fields_have_their_places),
        cmocka_unit_test(test_answer_in_place),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_checksum_guards_each_octet),
        cmocka_unit_test(test_checksum_against_plain),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/icmp", tests, NULL, NULL);
}
