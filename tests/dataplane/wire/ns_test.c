// NS PDUs: octets typed from TS 48.016 both ways, every truncation, each fault.
#include "dataplane/wire/ns.h"

#include "tests/dataplane/wire/typed.h"

static const uint8_t typed[] = {0x00, 0x00, 0x01, 0x02, 'p', 'd', 'u'};

static void test_unitdata_decode(void **state)
{
    struct ns_unitdata pdu;
    (void)state;
    assert_int_equal(ns_unitdata_decode(&pdu, typed, sizeof typed), 7);
    assert_false(pdu.request_change_flow);
    assert_false(pdu.confirm_change_flow);
    assert_int_equal(pdu.bvci, 0x0102);
    expect_octets(pdu.sdu, "pdu", 3);
}

static void test_unitdata_encode(void **state)
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
static void test_unitdata_control_bits(void **state)
{
    struct ns_unitdata pdu;
    (void)state;
    TYPED_BOTH_WAYS("ns_unitdata", &pdu, 0x00, 0x01, 0xff, 0xfe);
    assert_true(pdu.request_change_flow);
    assert_false(pdu.confirm_change_flow);
    assert_int_equal(pdu.bvci, 0xfffe);
    TYPED_BOTH_WAYS("ns_unitdata", &pdu, 0x00, 0x02, 0x00, 0x00);
    assert_false(pdu.request_change_flow);
    assert_true(pdu.confirm_change_flow);
}

static void test_unitdata_faults(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 4; n++)
        typed_refused("ns_unitdata", typed, n, WIRE_TRUNCATED, n);
    TYPED_REFUSED("ns_unitdata", TYPE, 0, 0x0a, 0, 0, 0); // NS-ALIVE
}

// Of the control octet and of the flags only the bits with a meaning count.
static void test_spare_bits_are_not_looked_at(void **state)
{
    struct ns_unitdata unitdata;
    struct sns_config config;
    (void)state;
    for (int bit = 2; bit < 8; bit++) {
        const uint8_t b[] = {0, (uint8_t)(1 << bit | 1), 0, 7};
        assert_int_equal(ns_unitdata_decode(&unitdata, b, sizeof b), sizeof b);
        assert_true(unitdata.request_change_flow && !unitdata.confirm_change_flow);
    }
    const uint8_t b[] = {0x0f, 0xff, 0x04, 0x82, 0x01, 0x02};
    assert_int_equal(sns_config_decode(&config, b, sizeof b), sizeof b);
    assert_true(config.end_flag == 1);
}

static void test_reset(void **state)
{
    struct ns_reset reset;
    struct ns_reset_ack ack;
    (void)state;
    TYPED_BOTH_WAYS("ns_reset", &reset, 0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0x00, 0x65, 0x04, 0x82,
                    0x01, 0x02);
    assert_int_equal(reset.cause, 1);
    assert_int_equal(reset.ns_vci, 101);
    assert_int_equal(reset.nsei, 0x0102);
    TYPED_BOTH_WAYS("ns_reset_ack", &ack, 0x03, 0x01, 0x82, 0x00, 0x65, 0x04, 0x82, 0xff, 0xfe);
    assert_int_equal(ack.ns_vci, 101);
    assert_int_equal(ack.nsei, 0xfffe);
}

static void test_block(void **state)
{
    struct ns_block block;
    struct ns_block_ack ack;
    (void)state;
    TYPED_BOTH_WAYS("ns_block", &block, 0x04, 0x00, 0x81, 0x00, 0x01, 0x82, 0x12, 0x34);
    assert_int_equal(block.cause, 0);
    assert_int_equal(block.ns_vci, 0x1234);
    TYPED_BOTH_WAYS("ns_block_ack", &ack, 0x05, 0x01, 0x82, 0x12, 0x34);
    assert_int_equal(ack.ns_vci, 0x1234);
}

static void test_pdus_of_one_octet(void **state)
{
    union wire_any any;
    (void)state;
    TYPED_BOTH_WAYS("ns_unblock", &any, 0x06);
    TYPED_BOTH_WAYS("ns_unblock_ack", &any, 0x07);
    TYPED_BOTH_WAYS("ns_alive", &any, 0x0a);
    TYPED_BOTH_WAYS("ns_alive_ack", &any, 0x0b);
    typed_refused("ns_alive", TYPED(0), 0, WIRE_TRUNCATED, 0);
    TYPED_REFUSED("ns_alive", TYPE, 0, 0x0b);
}

// Each with what its cause asks for.
static void test_status(void **state)
{
    struct ns_status status;
    (void)state;
    TYPED_BOTH_WAYS("ns_status", &status, 0x08, 0x00, 0x81, 0x03, 0x01, 0x82, 0x00, 0x07);
    assert_int_equal(status.cause, 3);
    assert_true(status.has_ns_vci && !status.has_bvci && !status.has_pdu_in_error);
    assert_int_equal(status.ns_vci, 7);
    TYPED_BOTH_WAYS("ns_status", &status, 0x08, 0x00, 0x81, 0x05, 0x03, 0x82, 0x00, 0x09);
    assert_true(status.has_bvci && !status.has_ns_vci);
    assert_int_equal(status.bvci, 9);
    TYPED_BOTH_WAYS("ns_status", &status, 0x08, 0x00, 0x81, 0x0b, 0x02, 0x83, 0x04, 0x01, 0x02);
    assert_true(status.has_pdu_in_error && !status.has_bvci);
    expect_octets(status.pdu_in_error, "\x04\x01\x02", 3);
    TYPED_BOTH_WAYS("ns_status", &status, 0x08, 0x00, 0x81, 0x14, 0x05, 0x88, 127, 0, 0, 1, 0x59,
                    0xd8, 1, 2);
    assert_true(status.has_ip4_endpoints && !status.has_ip6_endpoints);
    assert_int_equal(status.ip4_endpoints.n, 1);
}

// A PDU in error of more than 127 octets has a length of two.
static void test_status_with_a_long_pdu(void **state)
{
    static uint8_t b[4 + 3 + 300] = {0x08, 0x00, 0x81, 0x0d, 0x02, 0x01, 0x2c};
    struct ns_status status;
    (void)state;
    typed_both_ways("ns_status", &status, b, sizeof b);
    assert_int_equal(status.pdu_in_error.n, 300);
}

#define NSEI_258 0x04, 0x82, 0x01, 0x02
#define TWO_IP4 \
    0x05, 0x90, 192, 0, 2, 1, 0x59, 0xd8, 0x01, 0x02, 192, 0, 2, 255, 0xff, 0xff, 0xff, 0x00
#define TWO_IP6                                                                               \
    0x06, 0xa8, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x59, 0xd8, 0x01, \
        0x02, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0

static void expect_two_ip4(bool has, const struct ns_ip4_endpoints *list)
{
    assert_true(has);
    assert_int_equal(list->n, 2);
    assert_true(list->item[0].address == 0xc0000201 && list->item[1].address == 0xc00002ff);
    assert_int_equal(list->item[0].udp_port, 23000);
    assert_int_equal(list->item[0].signalling_weight, 1);
    assert_int_equal(list->item[0].data_weight, 2);
    assert_int_equal(list->item[1].udp_port, 0xffff);
    assert_int_equal(list->item[1].signalling_weight, 255);
    assert_int_equal(list->item[1].data_weight, 0);
}

static void expect_two_ip6(bool has, const struct ns_ip6_endpoints *list)
{
    static const uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 0xfe};
    assert_true(has);
    assert_int_equal(list->n, 2);
    assert_int_equal(list->item[0].address.octet[15], 1);
    assert_memory_equal(list->item[1].address.octet, address, 16);
    assert_int_equal(list->item[0].udp_port, 23000);
    assert_int_equal(list->item[0].signalling_weight, 1);
    assert_int_equal(list->item[0].data_weight, 2);
    assert_int_equal(list->item[1].udp_port, 0xffff);
    assert_int_equal(list->item[1].signalling_weight, 255);
    assert_int_equal(list->item[1].data_weight, 0);
}

static void test_sns_size(void **state)
{
    struct sns_size size;
    struct sns_size_ack ack;
    (void)state;
    TYPED_BOTH_WAYS("sns_size", &size, 0x12, NSEI_258, 0x0a, 0x01, 0x07, 0x00, 0x08, 0x08, 0x00,
                    0x02, 0x09, 0x01, 0x03);
    assert_int_equal(size.nsei, 258);
    assert_true(size.reset_flag);
    assert_int_equal(size.max_ns_vcs, 8);
    assert_true(size.has_ip4_endpoints && size.has_ip6_endpoints);
    assert_int_equal(size.ip4_endpoints, 2);
    assert_int_equal(size.ip6_endpoints, 259);
    TYPED_BOTH_WAYS("sns_size", &size, 0x12, NSEI_258, 0x0a, 0x00, 0x07, 0x01, 0x00);
    assert_false(size.reset_flag);
    assert_int_equal(size.max_ns_vcs, 256);
    assert_false(size.has_ip4_endpoints || size.has_ip6_endpoints);
    TYPED_BOTH_WAYS("sns_size_ack", &ack, 0x13, NSEI_258);
    assert_false(ack.has_cause);
    TYPED_BOTH_WAYS("sns_size_ack", &ack, 0x13, NSEI_258, 0x00, 0x81, 0x10);
    assert_true(ack.has_cause);
    assert_int_equal(ack.cause, 16);
    assert_int_equal(ack.nsei, 258);
}

static void test_sns_config(void **state)
{
    struct sns_config config;
    struct sns_config_ack ack;
    (void)state;
    TYPED_BOTH_WAYS("sns_config", &config, 0x0f, 0x01, NSEI_258, TWO_IP4);
    assert_true(config.end_flag);
    assert_int_equal(config.nsei, 258);
    expect_two_ip4(config.has_ip4_endpoints, &config.ip4_endpoints);
    assert_false(config.has_ip6_endpoints);
    TYPED_BOTH_WAYS("sns_config", &config, 0x0f, 0x00, NSEI_258, TWO_IP6);
    assert_false(config.end_flag || config.has_ip4_endpoints);
    expect_two_ip6(config.has_ip6_endpoints, &config.ip6_endpoints);
    TYPED_BOTH_WAYS("sns_config_ack", &ack, 0x10, NSEI_258);
    assert_int_equal(ack.nsei, 258);
    assert_false(ack.has_cause);
    TYPED_BOTH_WAYS("sns_config_ack", &ack, 0x10, NSEI_258, 0x00, 0x81, 0x11);
    assert_int_equal(ack.cause, 17);
}

static void test_sns_ack(void **state)
{
    struct sns_ack ack;
    (void)state;
    TYPED_BOTH_WAYS("sns_ack", &ack, 0x0c, NSEI_258, 0x2a);
    assert_int_equal(ack.nsei, 258);
    assert_int_equal(ack.transaction, 42);
    assert_false(ack.has_cause || ack.has_ip4_endpoints || ack.has_ip6_endpoints);
    TYPED_BOTH_WAYS("sns_ack", &ack, 0x0c, NSEI_258, 0x00, 0x00, 0x81, 0x12, TWO_IP4, TWO_IP6);
    assert_int_equal(ack.transaction, 0);
    assert_int_equal(ack.cause, 18);
    expect_two_ip4(ack.has_ip4_endpoints, &ack.ip4_endpoints);
    expect_two_ip6(ack.has_ip6_endpoints, &ack.ip6_endpoints);
}

static void test_sns_add_and_changeweight(void **state)
{
    struct sns_add add;
    struct sns_changeweight change;
    (void)state;
    TYPED_BOTH_WAYS("sns_add", &add, 0x0d, NSEI_258, 0x07, TWO_IP6);
    assert_int_equal(add.nsei, 258);
    assert_int_equal(add.transaction, 7);
    expect_two_ip6(add.has_ip6_endpoints, &add.ip6_endpoints);
    TYPED_BOTH_WAYS("sns_changeweight", &change, 0x0e, NSEI_258, 0xff, TWO_IP4);
    assert_int_equal(change.transaction, 255);
    expect_two_ip4(change.has_ip4_endpoints, &change.ip4_endpoints);
}

static void test_sns_delete(void **state)
{
    static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
    static const uint8_t ip6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
    struct sns_delete pdu;
    (void)state;
    TYPED_BOTH_WAYS("sns_delete", &pdu, 0x11, NSEI_258, 0x07, TWO_IP4);
    assert_false(pdu.has_address);
    expect_two_ip4(pdu.has_ip4_endpoints, &pdu.ip4_endpoints);
    TYPED_BOTH_WAYS("sns_delete", &pdu, 0x11, NSEI_258, 0x07, 0x0b, 0x01, 192, 0, 2, 1);
    assert_int_equal(pdu.transaction, 7);
    assert_true(pdu.has_address);
    assert_memory_equal(pdu.address.octet, mapped, 16);
    TYPED_BOTH_WAYS("sns_delete", &pdu, 0x11, NSEI_258, 0x07, 0x0b, 0x02, 0x20, 0x01, 0x0d, 0xb8, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, TWO_IP6);
    assert_memory_equal(pdu.address.octet, ip6, 16);
    expect_two_ip6(pdu.has_ip6_endpoints, &pdu.ip6_endpoints);
}

// The most endpoints of either kind, and one more.
static void test_endpoint_lists_at_their_limit(void **state)
{
    static uint8_t ip4[6 + 3 + 33 * 8] = {0x0f, 0x01, NSEI_258, 0x05, 0x01, 0x00};
    static uint8_t ip6[6 + 3 + 33 * 20] = {0x0f, 0x01, NSEI_258, 0x06, 0x02, 0x80};
    struct sns_config config;
    (void)state;
    typed_both_ways("sns_config", &config, ip4, sizeof ip4 - 8);
    assert_int_equal(config.ip4_endpoints.n, 32);
    typed_both_ways("sns_config", &config, ip6, sizeof ip6 - 20);
    assert_int_equal(config.ip6_endpoints.n, 32);
    ip4[8] += 8;
    ip6[8] += 20;
    typed_refused("sns_config", ip4, sizeof ip4, WIRE_LENGTH, 7);
    typed_refused("sns_config", ip6, sizeof ip6, WIRE_LENGTH, 7);
    config = (struct sns_config){.has_ip4_endpoints = true, .ip4_endpoints.n = 33};
    EXPECT_FAULT(sns_config_encode(&config, ip4, sizeof ip4), RANGE, 6);
    config = (struct sns_config){.has_ip6_endpoints = true, .ip6_endpoints.n = 33};
    EXPECT_FAULT(sns_config_encode(&config, ip6, sizeof ip6), RANGE, 6);
    config = (struct sns_config){.has_ip6_endpoints = true};
    EXPECT_FAULT(sns_config_encode(&config, ip6, sizeof ip6), RANGE, 6);
}

static void test_faults(void **state)
{
    (void)state;
    TYPED_REFUSED("ns_reset", TYPE, 0, 0x03, 0x00, 0x81, 0x01);
    TYPED_REFUSED("ns_reset", TRUNCATED, 2, 0x02, 0x00);
    TYPED_REFUSED("ns_reset", LENGTH, 2, 0x02, 0x00, 0x81);
    TYPED_REFUSED("ns_reset", LENGTH, 2, 0x02, 0x00, 0x82, 0x01, 0x02);
    TYPED_REFUSED("ns_reset", MISSING_IE, 8, 0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0x00, 0x65);
    TYPED_REFUSED("ns_reset_ack", MISSING_IE, 1, 0x03);
    TYPED_REFUSED("ns_status", MISSING_IE, 5, 0x08, 0x03, 0x82, 0x00, 0x09);
    TYPED_REFUSED("ns_status", LENGTH, 5, 0x08, 0x00, 0x81, 0x0b, 0x02, 0x80);
    TYPED_REFUSED("sns_size", MISSING_IE, 7, 0x12, NSEI_258, 0x0a, 0x01);
    TYPED_REFUSED("sns_size", TRUNCATED, 9, 0x12, NSEI_258, 0x0a, 0x01, 0x07, 0);
    TYPED_REFUSED("sns_config", MISSING_IE, 1, 0x0f);
    TYPED_REFUSED("sns_config", MISSING_IE, 2, 0x0f, 0x01);
    TYPED_REFUSED("sns_config", LENGTH, 8, 0x0f, 0x01, NSEI_258, 0x05, 0x89, 0, 0, 0, 0, 0, 0, 0, 0,
                  0);
    TYPED_REFUSED("sns_config", LENGTH, 8, 0x0f, 0x01, NSEI_258, 0x06, 0x95, 0, 0, 0, 0, 0, 0, 0, 0,
                  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    TYPED_REFUSED("sns_config", LENGTH, 7, 0x0f, 0x01, NSEI_258, 0x05, 0x80);
}

// Where an element without a tag follows the NSEI, the NSEI has to stand first.
static void test_faults_of_the_first_nsei(void **state)
{
    (void)state;
    TYPED_REFUSED("sns_ack", TRUNCATED, 4, 0x0c, 0x04, 0x82, 0x01);
    TYPED_REFUSED("sns_ack", MISSING_IE, 5, 0x0c, NSEI_258);
    TYPED_REFUSED("sns_ack", MISSING_IE, 1, 0x0c, 0x00, 0x81, 0x12, 0x2a, 0x00);
    TYPED_REFUSED("sns_ack", LENGTH, 2, 0x0c, 0x04, 0x81, 0x01, 0x2a, 0x00);
}

static void test_faults_of_an_address(void **state)
{
    (void)state;
    TYPED_REFUSED("sns_delete", TRUNCATED, 7, 0x11, NSEI_258, 0x07, 0x0b);
    TYPED_REFUSED("sns_delete", TRUNCATED, 11, 0x11, NSEI_258, 0x07, 0x0b, 0x01, 192, 0, 2);
    TYPED_REFUSED("sns_delete", TRUNCATED, 12, 0x11, NSEI_258, 0x07, 0x0b, 0x02, 192, 0, 2, 1);
    TYPED_REFUSED("sns_delete", RESERVED, 7, 0x11, NSEI_258, 0x07, 0x0b, 0x03, 0, 0, 0, 0, 0, 0, 0,
                  0, 0, 0, 0, 0, 0, 0, 0, 1);
    // ::ffff:192.0.2.1 as an IPv6 address
    TYPED_REFUSED("sns_delete", RESERVED, 8, 0x11, NSEI_258, 0x07, 0x0b, 0x02, 0, 0, 0, 0, 0, 0, 0,
                  0, 0, 0, 0xff, 0xff, 192, 0, 2, 1);
}

static void test_pdus_by_type(void **state)
{
    static const struct {
        uint8_t type;
        const char *name;
    } cases[] = {{0x00, "ns_unitdata"},
                 {0x02, "ns_reset"},
                 {0x0e, "sns_changeweight"},
                 {0x13, "sns_size_ack"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct wire_pdu *pdu = wire_pdu_of("ns", cases[i].type);
        assert_non_null(pdu);
        assert_string_equal(pdu->name, cases[i].name);
    }
    assert_null(wire_pdu_of("ns", 0x01));
    assert_null(wire_pdu_of("ns", 0x14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unitdata_decode),
        cmocka_unit_test(test_unitdata_encode),
        cmocka_unit_test(test_unitdata_control_bits),
        cmocka_unit_test(test_unitdata_faults),
        cmocka_unit_test(test_spare_bits_are_not_looked_at),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_pdus_of_one_octet),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_status_with_a_long_pdu),
        cmocka_unit_test(test_sns_size),
        cmocka_unit_test(test_sns_config),
        cmocka_unit_test(test_sns_ack),
        cmocka_unit_test(test_sns_add_and_changeweight),
        cmocka_unit_test(test_sns_delete),
        cmocka_unit_test(test_endpoint_lists_at_their_limit),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_faults_of_the_first_nsei),
        cmocka_unit_test(test_faults_of_an_address),
        cmocka_unit_test(test_pdus_by_type),
    };
    return cmocka_run_group_tests_name("wire/ns", tests, NULL, NULL);
}
