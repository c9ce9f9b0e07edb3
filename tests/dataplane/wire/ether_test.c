// Ethernet II: typed octets both ways, and each fault.
#include "dataplane/wire/ether.h"

#include "tests/dataplane/wire/judge.h"

static const uint8_t typed[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, // to
    0x06, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, // from
    0x08, 0x00, 'p',  'a',  'y',
};

static void test_decode(void **state)
{
    struct ether frame;
    (void)state;
    assert_int_equal(ether_decode(&frame, typed, sizeof typed), 17);
    assert_memory_equal(frame.destination.octet, "\x02\x00\x00\x00\x00\x01", 6);
    assert_memory_equal(frame.source.octet, "\x06\xaa\xbb\xcc\xdd\xee", 6);
    assert_int_equal(frame.type, 0x0800);
    expect_octets(frame.payload, "pay", 3);
    assert_ptr_equal(frame.payload.at, typed + 14);
}

static void test_encode(void **state)
{
    struct ether frame = {.destination = {{0x02, 0, 0, 0, 0, 0x01}},
                          .source = {{0x06, 0xaa, 0xbb, 0xcc, 0xdd, 0xee}},
                          .type = 0x0800,
                          .payload = {(const uint8_t *)"pay", 3}};
    uint8_t b[17];
    (void)state;
    assert_int_equal(ether_encode(&frame, b, sizeof b), 17);
    assert_memory_equal(b, typed, sizeof typed);
}

static void test_no_payload(void **state)
{
    struct ether frame;
    uint8_t b[14];
    (void)state;
    assert_int_equal(ether_decode(&frame, typed, 14), 14);
    assert_int_equal(frame.payload.n, 0);
    frame.payload.at = NULL;
    assert_int_equal(ether_encode(&frame, b, sizeof b), 14);
    assert_memory_equal(b, typed, 14);
}

static void test_decode_faults(void **state)
{
    struct ether frame;
    uint8_t b[sizeof typed];
    (void)state;
    EXPECT_FAULT(ether_decode(&frame, typed, 0), TRUNCATED, 0);
    EXPECT_FAULT(ether_decode(&frame, typed, 13), TRUNCATED, 13);
    memcpy(b, typed, sizeof b);
    b[12] = 0x05; // 0x05ff is an 802.3 length, 0x0600 the first type
    b[13] = 0xff;
    EXPECT_FAULT(ether_decode(&frame, b, sizeof b), TYPE, 12);
    b[12] = 0x06;
    b[13] = 0x00;
    assert_int_equal(ether_decode(&frame, b, sizeof b), 17);
}

static void test_encode_refuses_a_length_for_a_type(void **state)
{
    struct ether frame = {.type = 0x05ff};
    uint8_t b[14];
    (void)state;
    EXPECT_FAULT(ether_encode(&frame, b, sizeof b), RANGE, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_no_payload),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_refuses_a_length_for_a_type),
    };
    return cmocka_run_group_tests_name("wire/ether", tests, NULL, NULL);
}
