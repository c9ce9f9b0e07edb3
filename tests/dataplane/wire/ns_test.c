// NS-UNITDATA: typed octets both ways, and each fault.
#include "dataplane/wire/ns.h"

#include "tests/dataplane/wire/judge.h"

static const uint8_t typed[] = {0x00, 0x00, 0x01, 0x02, 'p', 'd', 'u'};

static void test_decode(void **state)
{
    struct ns_unitdata pdu;
    (void)state;
    assert_int_equal(ns_unitdata_decode(&pdu, typed, sizeof typed), 7);
    assert_false(pdu.request_change_flow);
    assert_false(pdu.confirm_change_flow);
    assert_int_equal(pdu.bvci, 0x0102);
    expect_octets(pdu.sdu, "pdu", 3);
}

static void test_encode(void **state)
{
    struct ns_unitdata pdu = {.bvci = 0x0102, .sdu = {(const uint8_t *)"pdu", 3}};
    uint8_t b[7];
    (void)state;
    assert_int_equal(ns_unitdata_encode(&pdu, b, sizeof b), 7);
    assert_memory_equal(b, typed, sizeof b);
    memset(b, 0xff, sizeof b);
    ns_unitdata_put_header(&pdu, b);
    assert_memory_equal(b, typed, 4);
    assert_int_equal(b[4], 0xff);
}

// TS 48.016: bit 1 of the SDU control bits is R, bit 2 is C.
static void test_control_bits(void **state)
{
    static const uint8_t r[] = {0x00, 0x01, 0xff, 0xfe}, c[] = {0x00, 0x02, 0x00, 0x00};
    struct ns_unitdata pdu;
    uint8_t b[4];
    (void)state;
    assert_int_equal(ns_unitdata_decode(&pdu, r, 4), 4);
    assert_true(pdu.request_change_flow);
    assert_false(pdu.confirm_change_flow);
    assert_int_equal(pdu.bvci, 0xfffe);
    assert_int_equal(ns_unitdata_encode(&pdu, b, 4), 4);
    assert_memory_equal(b, r, 4);
    assert_int_equal(ns_unitdata_decode(&pdu, c, 4), 4);
    assert_false(pdu.request_change_flow);
    assert_true(pdu.confirm_change_flow);
    assert_int_equal(ns_unitdata_encode(&pdu, b, 4), 4);
    assert_memory_equal(b, c, 4);
}

static void test_decode_faults(void **state)
{
    struct ns_unitdata pdu;
    (void)state;
    EXPECT_FAULT(ns_unitdata_decode(&pdu, typed, 0), TRUNCATED, 0);
    EXPECT_FAULT(ns_unitdata_decode(&pdu, typed, 3), TRUNCATED, 3);
    EXPECT_FAULT(ns_unitdata_decode(&pdu, TYPED(0x0a, 0, 0, 0), 4), TYPE, 0); // NS-ALIVE
    for (int bit = 2; bit < 8; bit++)
        EXPECT_FAULT(ns_unitdata_decode(&pdu, TYPED(0, (uint8_t)(1 << bit), 0, 0), 4), RESERVED, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_control_bits),
        cmocka_unit_test(test_decode_faults),
    };
    return cmocka_run_group_tests_name("wire/ns", tests, NULL, NULL);
}
