// GTPv1-U: typed octets both ways, each optional field by its own flag, extension headers, each
// fault.
#include "dataplane/wire/gtpu.h"

#include "tests/dataplane/wire/judge.h"

static struct gtpu decoded(const uint8_t *b, uint32_t n, int consumed)
{
    struct gtpu message = {.sequence = 0xeeee, .npdu_number = 0xee};
    assert_int_equal(gtpu_decode(&message, page_end_copy(b, n), n), consumed);
    return message;
}
#define DECODED(octets, consumed) decoded(octets, sizeof octets, consumed)

static void expect_encoded(const struct gtpu *message, const uint8_t *expected, int n)
{
    uint8_t b[64];
    assert_int_equal(gtpu_encode(message, b, sizeof b), n);
    assert_memory_equal(b, expected, (size_t)n);
}

static void test_g_pdu(void **state)
{
    const uint8_t typed[] = {0x30, 0xff, 0x00, 0x02, 0x00, 0x40, 0x00, 0x01, 'h', 'i'};
    struct gtpu m = DECODED(typed, 10);
    (void)state;
    assert_int_equal(m.type, 255);
    assert_true(m.teid == 0x00400001);
    assert_false(m.has_sequence);
    assert_false(m.has_npdu_number);
    expect_octets(m.payload, "hi", 2);
    expect_encoded(&m, typed, 10);
}

static void test_echo_request(void **state)
{
    const uint8_t typed[] = {0x32, 0x01, 0x00, 0x04, 0x00, 0x00,
                             0x00, 0x00, 0x12, 0x34, 0x00, 0x00};
    struct gtpu m = DECODED(typed, 12);
    (void)state;
    assert_int_equal(m.type, 1);
    assert_true(m.has_sequence);
    assert_int_equal(m.sequence, 0x1234);
    assert_false(m.has_npdu_number);
    assert_int_equal(m.payload.n, 0);
    expect_encoded(&m, typed, 12);
}

static void test_npdu_number(void **state)
{
    const uint8_t typed[] = {0x31, 0xff, 0x00, 0x05, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0x07, 0, 'x'};
    struct gtpu m = DECODED(typed, 13);
    (void)state;
    assert_true(m.teid == 0x89abcdef);
    assert_false(m.has_sequence);
    assert_true(m.has_npdu_number);
    assert_int_equal(m.npdu_number, 7);
    expect_octets(m.payload, "x", 1);
    expect_encoded(&m, typed, 13);
}

static void test_both_numbers(void **state)
{
    const uint8_t typed[] = {0x33, 0xff, 0x00, 0x05, 0, 0, 0, 9, 0xfe, 0xdc, 0xff, 0x00, 'x'};
    struct gtpu m = DECODED(typed, 13);
    (void)state;
    assert_int_equal(m.sequence, 0xfedc);
    assert_int_equal(m.npdu_number, 255);
    expect_encoded(&m, typed, 13);
}

// The four octets are there if any flag is set; without its own flag none of them means anything.
static void test_octets_without_their_flag_are_ignored(void **state)
{
    const uint8_t only_e[] = {0x34, 0xff, 0, 5, 0, 0, 0, 1, 0x12, 0x34, 0x56, 0x00, 'x'};
    const uint8_t only_s[] = {0x32, 0xff, 0, 5, 0, 0, 0, 1, 0x12, 0x34, 0x56, 0x85, 'x'};
    const uint8_t only_pn[] = {0x31, 0xff, 0, 5, 0, 0, 0, 1, 0x12, 0x34, 0x56, 0x85, 'x'};
    (void)state;
    struct gtpu m = DECODED(only_e, 13);
    assert_false(m.has_sequence);
    assert_false(m.has_npdu_number);
    expect_octets(m.payload, "x", 1);
    m = DECODED(only_s, 13);
    assert_int_equal(m.sequence, 0x1234);
    assert_false(m.has_npdu_number);
    expect_octets(m.payload, "x", 1);
    m = DECODED(only_pn, 13);
    assert_false(m.has_sequence);
    assert_int_equal(m.npdu_number, 0x56);
    expect_octets(m.payload, "x", 1);
}

// The length field ends the message; what follows belongs to nobody.
static void test_octets_behind_the_message(void **state)
{
    const uint8_t typed[] = {0x30, 0xff, 0x00, 0x01, 0, 0, 0, 1, 'x', 'y', 'z'};
    struct gtpu m = DECODED(typed, 9);
    (void)state;
    expect_octets(m.payload, "x", 1);
}

// Service Class Indicator (0x20), then UDP port (0x40), then a skippable one of 8 octets.
static void test_extensions_are_stepped_over(void **state)
{
    const uint8_t one[] = {0x34, 0xff, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0x20, 1, 5, 0, 0, 'h', 'i'};
    const uint8_t three[] = {0x36, 0xff, 0,    22,   0,    0,    0,    1, 0,    1,
                             0,    0x20, 1,    5,    0,    0x40, 1,    9, 0x11, 0x7f,
                             2,    0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0, 'h',  'i'};
    (void)state;
    struct gtpu m = DECODED(one, 18);
    expect_octets(m.payload, "hi", 2);
    m = DECODED(three, 30);
    assert_int_equal(m.sequence, 1);
    expect_octets(m.payload, "hi", 2);
}

// One octet of a message with one extension is changed.
static void expect_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    uint8_t b[] = {0x34, 0xff, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0x20, 1, 5, 0, 0, 'h', 'i'};
    struct gtpu message;
    b[at] = value;
    expect_fault(gtpu_decode(&message, page_end_copy(b, sizeof b), sizeof b), err, offset);
}

static void test_extension_that_must_be_understood(void **state)
{
    (void)state;
    expect_refused(11, 0x80, WIRE_EXTENSION, 11);
    expect_refused(11, 0x85, WIRE_EXTENSION, 11);
    expect_refused(11, 0xc0, WIRE_EXTENSION, 11);
    expect_refused(15, 0xc0, WIRE_EXTENSION, 15);
}

static void test_extension_lengths(void **state)
{
    (void)state;
    expect_refused(12, 0, WIRE_LENGTH, 12);
    expect_refused(12, 2, WIRE_LENGTH, 12);
    expect_refused(12, 255, WIRE_LENGTH, 12);
    expect_refused(3, 7, WIRE_LENGTH, 12); // the message ends inside the extension
    expect_refused(3, 4, WIRE_TRUNCATED, 12);
}

// The last octet of the message names an extension that does not come.
static void test_extension_that_does_not_come(void **state)
{
    const uint8_t b[] = {0x34, 0xff, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0x20, 1, 5, 0, 0x40};
    struct gtpu message;
    (void)state;
    EXPECT_FAULT(gtpu_decode(&message, b, sizeof b), TRUNCATED, 16);
}

static void test_decode_faults(void **state)
{
    const uint8_t typed[] = {0x32, 0xff, 0, 6, 0, 0, 0, 1, 0, 1, 0, 0, 'h', 'i'};
    struct gtpu message;
    (void)state;
    EXPECT_FAULT(gtpu_decode(&message, typed, 0), TRUNCATED, 0);
    EXPECT_FAULT(gtpu_decode(&message, typed, 7), TRUNCATED, 7);
    for (uint32_t n = 8; n < sizeof typed; n++)
        EXPECT_FAULT(gtpu_decode(&message, typed, n), LENGTH, 2);
    expect_refused(3, 11, WIRE_LENGTH, 2);
    expect_refused(3, 3, WIRE_TRUNCATED, 11);
    expect_refused(3, 0, WIRE_TRUNCATED, 8);
    expect_refused(0, 0x14, WIRE_VERSION, 0);
    expect_refused(0, 0x54, WIRE_VERSION, 0);
    expect_refused(0, 0xf4, WIRE_VERSION, 0);
    expect_refused(0, 0x24, WIRE_VERSION, 0); // PT 0: GTP'
}

static void test_largest_message(void **state)
{
    static uint8_t b[65543];
    struct gtpu message = {.type = 255, .has_sequence = true, .payload = {b, 65531}};
    (void)state;
    assert_int_equal(gtpu_encode(&message, b, sizeof b), 65543);
    assert_int_equal(gtpu_decode(&message, b, sizeof b), 65543);
    assert_int_equal(message.payload.n, 65531);
    message.payload.n = 65532;
    EXPECT_FAULT(gtpu_encode(&message, b, sizeof b), RANGE, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g_pdu),
        cmocka_unit_test(test_echo_request),
        cmocka_unit_test(test_npdu_number),
        cmocka_unit_test(test_both_numbers),
        cmocka_unit_test(test_octets_without_their_flag_are_ignored),
        cmocka_unit_test(test_octets_behind_the_message),
        cmocka_unit_test(test_extensions_are_stepped_over),
        cmocka_unit_test(test_extension_that_must_be_understood),
        cmocka_unit_test(test_extension_lengths),
        cmocka_unit_test(test_extension_that_does_not_come),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_largest_message),
    };
    return cmocka_run_group_tests_name("wire/gtpu", tests, NULL, NULL);
}
