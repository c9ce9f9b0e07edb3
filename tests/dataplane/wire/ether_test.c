// Ethernet II, with and without a tag: typed octets both ways, and each fault.
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

// --- The 802.1Q tag -----------------------------------------------------------------------------

// Priority 3, DEI, VID 0x064.
static const uint8_t tagged[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x06, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, //
    0x81, 0x00, 0x70, 0x64, 0x86, 0xdd, 'p',  'a',  'y',
};

static void test_tag(void **state)
{
    struct ether frame;
    uint8_t b[sizeof tagged];
    (void)state;
    assert_int_equal(ether_decode(&frame, page_end_copy(tagged, 21), 21), 21);
    assert_true(frame.has_vlan_tci);
    assert_int_equal(frame.vlan_tci, 0x7064);
    assert_int_equal(frame.type, 0x86dd);
    expect_octets(frame.payload, "pay", 3);
    assert_int_equal(ether_encode(&frame, b, sizeof b), 21);
    assert_memory_equal(b, tagged, sizeof b);
    assert_int_equal(ether_decode(&frame, typed, sizeof typed), 17);
    assert_false(frame.has_vlan_tci);
}

// The outer tag is read, the inner one stays in the payload.
static void test_two_tags(void **state)
{
    uint8_t b[22] = {0x02, 0, 0, 0, 0, 1, 0x06, 0, 0, 0, 0, 2, 0x81, 0, 0, 1, 0x81, 0, 0, 2, 8, 0};
    uint8_t again[22];
    struct ether frame;
    (void)state;
    assert_int_equal(ether_decode(&frame, b, sizeof b), 22);
    assert_int_equal(frame.vlan_tci, 1);
    assert_int_equal(frame.type, 0x8100);
    expect_octets(frame.payload, TYPED(0, 2, 8, 0), 4);
    assert_int_equal(ether_encode(&frame, again, sizeof again), 22);
    assert_memory_equal(again, b, sizeof b);
}

static void test_tag_faults(void **state)
{
    struct ether frame;
    uint8_t b[sizeof tagged];
    (void)state;
    for (uint32_t n = 0; n < 18; n++)
        EXPECT_FAULT(ether_decode(&frame, page_end_copy(tagged, n), n), TRUNCATED, n);
    memcpy(b, tagged, sizeof b);
    b[16] = 0x05;
    EXPECT_FAULT(ether_decode(&frame, b, sizeof b), TYPE, 16);
    frame = (struct ether){.has_vlan_tci = true, .type = 0x05ff};
    EXPECT_FAULT(ether_encode(&frame, b, sizeof b), RANGE, 16);
    frame.type = 0x0600;
    EXPECT_FAULT(ether_encode(&frame, page_end(17), 17), NO_ROOM, 17);
    frame = (struct ether){.type = 0x8100}; // a tag without its field
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
        cmocka_unit_test(test_tag),
        cmocka_unit_test(test_two_tags),
        cmocka_unit_test(test_tag_faults),
    };
    return cmocka_run_group_tests_name("wire/ether", tests, NULL, NULL);
}
