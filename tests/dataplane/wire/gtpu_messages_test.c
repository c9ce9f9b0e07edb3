// What GTP-U's messages carry: recovery, error indication, supported extension headers (TS 29.281
// clauses 7 and 8), octet by octet.
#include "dataplane/wire/gtpu.h"
#include "tests/dataplane/wire/judge.h"

static void test_echo_response(void **state)
{
    const uint8_t typed[] = {14, 0x5a};
    struct gtpu_echo_response response = {0};
    uint8_t b[2];
    (void)state;
    assert_int_equal(gtpu_echo_response_decode(&response, page_end_copy(typed, 2), 2), 2);
    assert_int_equal(response.restart_counter, 0x5a);
    assert_int_equal(gtpu_echo_response_encode(&response, b, sizeof b), 2);
    assert_memory_equal(b, typed, sizeof b);
    EXPECT_FAULT(gtpu_echo_response_encode(&response, page_end(1), 1), NO_ROOM, 1);
    EXPECT_FAULT(gtpu_echo_response_decode(&response, page_end(0), 0), TRUNCATED, 0);
    EXPECT_FAULT(gtpu_echo_response_decode(&response, page_end_copy(typed, 1), 1), TRUNCATED, 1);
}

// A private extension (255) in front, a second Recovery and a time stamp (231) behind.
static void test_other_elements_are_stepped_over(void **state)
{
    const uint8_t typed[] = {255, 0,  3,    0, 9, 'x',    //
                             14,  7,                      //
                             14,  8,                      //
                             231, 0,  4,    1, 2, 3,   4, //
                             141, 1,  0x20,               //
                             16,  14, 9,    9, 9};
    struct gtpu_echo_response response;
    (void)state;
    const uint8_t *b = page_end_copy(typed, sizeof typed);
    assert_int_equal(gtpu_echo_response_decode(&response, b, sizeof typed), sizeof typed);
    assert_int_equal(response.restart_counter, 7);
}

static void test_element_faults(void **state)
{
    struct gtpu_echo_response r;
    (void)state;
#define ECHO_FAULT(err, offset, ...)                                                          \
    EXPECT_FAULT(gtpu_echo_response_decode(                                                   \
                     &r, page_end_copy(TYPED(__VA_ARGS__), sizeof((uint8_t[]){__VA_ARGS__})), \
                     sizeof((uint8_t[]){__VA_ARGS__})),                                       \
                 err, offset)
    ECHO_FAULT(TYPE, 0, 1, 2);           // cause: a value without a length, not known here
    ECHO_FAULT(TYPE, 2, 14, 0, 127);     // also behind what was sought
    ECHO_FAULT(TRUNCATED, 3, 14, 0, 14); // Recovery without its octet
    ECHO_FAULT(TRUNCATED, 6, 14, 0, 16, 1, 2, 3);
    ECHO_FAULT(TRUNCATED, 3, 14, 0, 255); // no length
    ECHO_FAULT(TRUNCATED, 4, 14, 0, 255, 0);
    ECHO_FAULT(LENGTH, 3, 14, 0, 255, 0, 1); // a length, and fewer octets
    ECHO_FAULT(LENGTH, 3, 14, 0, 133, 0xff, 0xff, 1);
    ECHO_FAULT(TRUNCATED, 3, 14, 0, 141);
    ECHO_FAULT(LENGTH, 3, 14, 0, 141, 2, 1);
    ECHO_FAULT(MISSING_IE, 5, 16, 0, 0, 0, 1);
    ECHO_FAULT(MISSING_IE, 3, 255, 0, 0); // an empty one: the walk goes on
#undef ECHO_FAULT
}

static void test_error_indication(void **state)
{
    const uint8_t typed[] = {16, 0x89, 0xab, 0xcd, 0xef, 133, 0, 4, 192, 0, 2, 1};
    struct gtpu_error_indication error;
    uint8_t b[12];
    (void)state;
    assert_int_equal(gtpu_error_indication_decode(&error, page_end_copy(typed, 12), 12), 12);
    assert_true(error.teid == 0x89abcdef);
    assert_true(error.has_ipv4_address);
    assert_true(error.ipv4_address == 0xc0000201);
    assert_false(error.has_ipv6_address);
    assert_int_equal(gtpu_error_indication_encode(&error, b, sizeof b), 12);
    assert_memory_equal(b, typed, sizeof b);
    EXPECT_FAULT(gtpu_error_indication_encode(&error, page_end(11), 11), NO_ROOM, 11);
}

static void test_error_indication_over_ipv6(void **state)
{
    const uint8_t typed[] = {16, 0, 0, 0, 5, 133, 0, 16, 0x20, 1, 0x0d, 0xb8,
                             0,  0, 0, 0, 0, 0,   0, 0,  0,    0, 0,    1};
    struct gtpu_error_indication error;
    uint8_t b[24];
    (void)state;
    assert_int_equal(gtpu_error_indication_decode(&error, page_end_copy(typed, 24), 24), 24);
    assert_int_equal(error.teid, 5);
    assert_false(error.has_ipv4_address);
    assert_true(error.has_ipv6_address);
    assert_memory_equal(error.ipv6_address.octet, typed + 8, 16);
    assert_int_equal(gtpu_error_indication_encode(&error, b, sizeof b), 24);
    assert_memory_equal(b, typed, sizeof b);
    EXPECT_FAULT(gtpu_error_indication_encode(&error, page_end(23), 23), NO_ROOM, 23);
}

static void test_error_indication_in_any_order(void **state)
{
    const uint8_t typed[] = {133, 0, 4, 192, 0, 2, 1, 255, 0, 0, 16, 0, 0, 0, 5};
    struct gtpu_error_indication error;
    (void)state;
    assert_int_equal(gtpu_error_indication_decode(&error, typed, sizeof typed), sizeof typed);
    assert_int_equal(error.teid, 5);
    assert_true(error.ipv4_address == 0xc0000201);
}

static void test_error_indication_faults(void **state)
{
    const uint8_t typed[] = {16, 0, 0, 0, 5, 133, 0, 4, 192, 0, 2, 1};
    struct gtpu_error_indication error;
    uint8_t b[24];
    (void)state;
    EXPECT_FAULT(gtpu_error_indication_decode(&error, typed, 0), TRUNCATED, 0);
    for (uint32_t n = 1; n < 5; n++)
        EXPECT_FAULT(gtpu_error_indication_decode(&error, page_end_copy(typed, n), n), TRUNCATED,
                     n);
    EXPECT_FAULT(gtpu_error_indication_decode(&error, page_end_copy(typed, 5), 5), MISSING_IE, 5);
    for (uint32_t n = 6; n < 8; n++)
        EXPECT_FAULT(gtpu_error_indication_decode(&error, page_end_copy(typed, n), n), TRUNCATED,
                     n);
    for (uint32_t n = 8; n < 12; n++)
        EXPECT_FAULT(gtpu_error_indication_decode(&error, page_end_copy(typed, n), n), LENGTH, 6);
    EXPECT_FAULT(gtpu_error_indication_decode(&error, typed + 5, 7), MISSING_IE, 7);
    memcpy(b, typed, sizeof typed);
    b[7] = 3; // neither address; one octet less is there
    EXPECT_FAULT(gtpu_error_indication_decode(&error, b, 11), LENGTH, 6);
    b[7] = 0;
    EXPECT_FAULT(gtpu_error_indication_decode(&error, b, 8), LENGTH, 6);
    error = (struct gtpu_error_indication){0};
    EXPECT_FAULT(gtpu_error_indication_encode(&error, b, sizeof b), MISSING_IE, 5);
    error.has_ipv4_address = error.has_ipv6_address = true;
    EXPECT_FAULT(gtpu_error_indication_encode(&error, b, sizeof b), RANGE, 5);
}

// Its length is one octet, unlike that of all other elements.
static void test_supported_extensions(void **state)
{
    const uint8_t typed[] = {141, 3, 0x20, 0x40, 0xc0};
    static uint8_t many[256];
    struct gtpu_supported_extensions supported;
    uint8_t b[257];
    (void)state;
    assert_int_equal(gtpu_supported_extensions_decode(&supported, page_end_copy(typed, 5), 5), 5);
    expect_octets(supported.types, typed + 2, 3);
    assert_int_equal(gtpu_supported_extensions_encode(&supported, b, sizeof b), 5);
    assert_memory_equal(b, typed, 5);
    supported.types = (struct octets){many, 255};
    assert_int_equal(gtpu_supported_extensions_encode(&supported, b, sizeof b), 257);
    assert_int_equal(gtpu_supported_extensions_decode(&supported, b, sizeof b), 257);
    supported.types = (struct octets){many, 256};
    EXPECT_FAULT(gtpu_supported_extensions_encode(&supported, b, sizeof b), RANGE, 1);
    supported.types.n = 0;
    assert_int_equal(gtpu_supported_extensions_encode(&supported, b, sizeof b), 2);
    supported.types.n = 1;
    EXPECT_FAULT(gtpu_supported_extensions_encode(&supported, page_end(2), 2), NO_ROOM, 2);
}

static void test_supported_extensions_faults(void **state)
{
    const uint8_t typed[] = {141, 3, 0x20, 0x40, 0xc0};
    struct gtpu_supported_extensions supported;
    (void)state;
    for (uint32_t n = 0; n < 2; n++)
        EXPECT_FAULT(gtpu_supported_extensions_decode(&supported, page_end_copy(typed, n), n),
                     TRUNCATED, n);
    for (uint32_t n = 2; n < 5; n++)
        EXPECT_FAULT(gtpu_supported_extensions_decode(&supported, page_end_copy(typed, n), n),
                     LENGTH, 1);
    EXPECT_FAULT(gtpu_supported_extensions_decode(&supported, TYPED(14, 0), 2), MISSING_IE, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_echo_response),
        cmocka_unit_test(test_other_elements_are_stepped_over),
        cmocka_unit_test(test_element_faults),
        cmocka_unit_test(test_error_indication),
        cmocka_unit_test(test_error_indication_over_ipv6),
        cmocka_unit_test(test_error_indication_in_any_order),
        cmocka_unit_test(test_error_indication_faults),
        cmocka_unit_test(test_supported_extensions),
        cmocka_unit_test(test_supported_extensions_faults),
    };
    return cmocka_run_group_tests_name("wire/gtpu_messages", tests, NULL, NULL);
}
