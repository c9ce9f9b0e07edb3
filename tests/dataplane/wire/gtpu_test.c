// GTPv1-U: typed octets both ways, each optional field by its own flag, extension headers, what the
// messages carry, each fault.
#include "dataplane/wire/gtpu.h"

#include "tests/dataplane/wire/judge.h"

static struct gtpu decoded(const uint8_t *b, uint32_t n, int consumed)
{
    struct gtpu message;
    memset(&message, 0xff, sizeof message); // whatever stood there before
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
    assert_true(m.has_extension_type);
    assert_int_equal(m.extension_type, 0);
    assert_false(m.has_extensions);
    expect_octets(m.payload, "x", 1);
    expect_encoded(&m, TYPED(0x34, 0xff, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 'x'), 13);
    m = DECODED(only_s, 13);
    assert_int_equal(m.sequence, 0x1234);
    assert_false(m.has_npdu_number);
    assert_false(m.has_extension_type);
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
static void test_extensions(void **state)
{
    const uint8_t one[] = {0x34, 0xff, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0x20, 1, 5, 0, 0, 'h', 'i'};
    const uint8_t three[] = {0x36, 0xff, 0,    22,   0,    0,    0,    1, 0,    1,
                             0,    0x20, 1,    5,    0,    0x40, 1,    9, 0x11, 0x7f,
                             2,    0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0, 'h',  'i'};
    (void)state;
    struct gtpu m = DECODED(one, 18);
    expect_octets(m.payload, "hi", 2);
    assert_int_equal(m.extension_type, 0x20);
    expect_octets(m.extensions, one + 12, 4);
    expect_encoded(&m, one, 18);
    m = DECODED(three, 30);
    assert_int_equal(m.sequence, 1);
    expect_octets(m.payload, "hi", 2);
    assert_int_equal(m.extension_type, 0x20);
    expect_octets(m.extensions, three + 12, 16);
    expect_encoded(&m, three, 30);
}

// All three flags, and the extension that has to be understood and is: PDCP PDU number 0x0102.
static void test_pdcp_number(void **state)
{
    const uint8_t typed[] = {0x37, 0xff, 0, 9, 0, 0, 0, 1, 0, 9, 8, 0xc0, 1, 1, 2, 0, 'x'};
    struct gtpu m = DECODED(typed, 17);
    struct octets content;
    (void)state;
    assert_int_equal(m.sequence, 9);
    assert_int_equal(m.npdu_number, 8);
    assert_int_equal(m.extension_type, 0xc0);
    assert_true(gtpu_extension(&m, GTPU_EXTENSION_PDCP_NUMBER, &content));
    expect_octets(content, TYPED(1, 2), 2);
    expect_encoded(&m, typed, 17);
}

static void test_extension_by_its_type(void **state)
{
    const uint8_t typed[] = {0x34, 0xff, 0, 20,   0,    0,    0, 1, 0, 0, 0, 0x20, 1, 5,
                             0,    0x40, 1, 0x08, 0x68, 0x20, 2, 7, 7, 7, 7, 7,    7, 0};
    struct gtpu m = DECODED(typed, 28), plain = {.type = 255};
    struct octets content;
    (void)state;
    assert_true(gtpu_extension(&m, GTPU_EXTENSION_UDP_PORT, &content));
    expect_octets(content, TYPED(0x08, 0x68), 2);
    assert_true(gtpu_extension(&m, GTPU_EXTENSION_SERVICE_CLASS, &content)); // the first of two
    expect_octets(content, TYPED(5, 0), 2);
    assert_false(gtpu_extension(&m, GTPU_EXTENSION_PDCP_NUMBER, &content));
    assert_false(gtpu_extension(&plain, GTPU_EXTENSION_UDP_PORT, &content));
}

static void encode_refused(uint8_t type, const uint8_t *chain, uint32_t n, enum wire_err err,
                           uint32_t offset)
{
    struct gtpu m = {.type = 255,
                     .has_extension_type = true,
                     .extension_type = type,
                     .has_extensions = n > 0,
                     .extensions = {n ? page_end_copy(chain, n) : NULL, n}};
    uint8_t b[64];
    expect_fault(gtpu_encode(&m, b, sizeof b), err, offset);
}

// What the decoder refuses is not written, nor a chain that has more octets than it says.
static void test_encode_checks_the_chain(void **state)
{
    const struct gtpu without_type = {.has_extensions = true, .extensions = {TYPED(1, 5, 0, 0), 4}};
    uint8_t b[64];
    (void)state;
    encode_refused(0x20, NULL, 0, WIRE_TRUNCATED, 12);
    encode_refused(0x20, TYPED(1, 5, 0, 0x40), 4, WIRE_TRUNCATED, 16);
    encode_refused(0x20, TYPED(0, 5, 0, 0), 4, WIRE_LENGTH, 12);
    encode_refused(0x20, TYPED(2, 5, 0, 0), 4, WIRE_LENGTH, 12);
    encode_refused(0x20, TYPED(1, 5, 0), 3, WIRE_LENGTH, 12);
    encode_refused(0x20, TYPED(1, 5, 0, 0, 1), 5, WIRE_LENGTH, 16);
    encode_refused(0, TYPED(1, 5, 0, 0), 4, WIRE_LENGTH, 12);
    encode_refused(0x85, TYPED(1, 5, 0, 0), 4, WIRE_EXTENSION, 11);
    encode_refused(0x20, TYPED(1, 5, 0, 0xc1, 1, 0, 0, 0), 8, WIRE_EXTENSION, 15);
    EXPECT_FAULT(gtpu_encode(&without_type, b, sizeof b), LENGTH, 12);
}

static void test_encode_with_extensions_no_room(void **state)
{
    struct gtpu m = {.has_extension_type = true,
                     .extension_type = 0x20,
                     .has_extensions = true,
                     .extensions = {TYPED(1, 5, 0, 0), 4},
                     .payload = {TYPED('x'), 1}};
    (void)state;
    for (uint32_t room = 0; room < 17; room++)
        EXPECT_FAULT(gtpu_encode(&m, page_end(room), room), NO_ROOM, room);
    assert_int_equal(gtpu_encode(&m, page_end(17), 17), 17);
}

// A decoded message is written over itself with another sequence number.
static void test_encode_in_its_own_place(void **state)
{
    uint8_t b[] = {0x36, 0xff, 0, 10, 0, 0, 0, 1, 0, 1, 0, 0x20, 1, 5, 0, 0, 'h', 'i'};
    struct gtpu m;
    (void)state;
    assert_int_equal(gtpu_decode(&m, b, sizeof b), 18);
    m.sequence = 2;
    assert_int_equal(gtpu_encode(&m, b, sizeof b), 18);
    assert_memory_equal(b + 8, TYPED(0, 2, 0, 0x20, 1, 5, 0, 0, 'h', 'i'), 10);
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
    for (uint32_t type = 0x80; type <= 0xff; type++) {
        if (type == GTPU_EXTENSION_PDCP_NUMBER)
            continue;
        expect_refused(11, (uint8_t)type, WIRE_EXTENSION, 11);
        expect_refused(15, (uint8_t)type, WIRE_EXTENSION, 15);
    }
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
    message.has_sequence = false;
    message.payload = (struct octets){b, 65535};
    assert_int_equal(gtpu_encode(&message, b, sizeof b), 65543);
    message.has_extension_type = message.has_extensions = true;
    message.extension_type = GTPU_EXTENSION_SERVICE_CLASS;
    message.extensions = (struct octets){TYPED(1, 5, 0, 0), 4};
    message.payload.n = 65528;
    EXPECT_FAULT(gtpu_encode(&message, b, sizeof b), RANGE, 2);
    message.payload.n = UINT32_MAX;
    EXPECT_FAULT(gtpu_encode(&message, b, sizeof b), RANGE, 2);
}

// Three extension headers of 4, 8 and 4 octets, cut off anywhere, with a length field that fits.
static void test_every_truncation(void **state)
{
    const uint8_t typed[] = {0x37, 0xff, 0, 20, 0, 0, 0, 1, 0, 9,    8, 0xc0, 1,    1,
                             2,    0x20, 2, 5,  0, 0, 0, 0, 0, 0x40, 1, 0x08, 0x68, 0};
    struct gtpu message;
    (void)state;
    assert_int_equal(gtpu_decode(&message, page_end_copy(typed, 28), 28), 28);
    for (uint32_t n = 8; n < 28; n++) {
        uint8_t *b = page_end_copy(typed, n);
        b[3] = (uint8_t)(n - 8);
        int result = gtpu_decode(&message, b, n);
        if (n <= 12 || n == 16 || n == 24)
            EXPECT_FAULT(result, TRUNCATED, n);
        else
            EXPECT_FAULT(result, LENGTH, n < 16 ? 12 : n < 24 ? 16 : 24);
    }
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
        cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_pdcp_number),
        cmocka_unit_test(test_extension_by_its_type),
        cmocka_unit_test(test_encode_checks_the_chain),
        cmocka_unit_test(test_encode_with_extensions_no_room),
        cmocka_unit_test(test_encode_in_its_own_place),
        cmocka_unit_test(test_extension_that_must_be_understood),
        cmocka_unit_test(test_extension_lengths),
        cmocka_unit_test(test_extension_that_does_not_come),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_largest_message),
        cmocka_unit_test(test_every_truncation),
    };
    return cmocka_run_group_tests_name("wire/gtpu", tests, NULL, NULL);
}
