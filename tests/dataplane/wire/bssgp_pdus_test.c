// BSSGP PDUs of the procedures, as octets typed by hand from the clauses, both ways.
#include "dataplane/wire/bssgp.h"

#include "tests/dataplane/wire/any_pdu.h"
#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/typed.h"

// Octets must decode to `wanted` and come out of it again.
static void expect_pdu(const char *octets, uint32_t n, const void *wanted)
{
    const struct wire_pdu *pdu = wire_pdu_of("bssgp", (uint8_t)octets[0]);
    union wire_any any;
    uint8_t b[64];
    assert_non_null(pdu);
    assert_int_equal(pdu->decode(&any, page_end_copy(octets, n), n), n);
    const char *different = any_pdu_difference(pdu, &any, wanted);
    if (different)
        fail_msg("%s: %s differs", pdu->name, different);
    assert_int_equal(pdu->encode(wanted, b, sizeof b), n);
    assert_memory_equal(b, octets, n);
}
#define EXPECT_PDU(octets, name, ...) \
    expect_pdu(octets, sizeof octets - 1, &(struct name){__VA_ARGS__})

// 10.4.4 and on: units of 100 octets and 100 bit/s, of more with a granularity.
static void test_flow_control(void **state)
{
    (void)state;
    EXPECT_PDU("\x26\x1e\x81\x01\x05\x82\x00\x64\x03\x82\x00\x50\x01\x82\x00\x32\x1c\x82\x00\x28",
               bssgp_flow_control_bvc, .tag = 1, .bmax_octets = 10000, .r_bit_per_s = 8000,
               .bmax_default_octets = 5000, .r_default_bit_per_s = 4000);
    EXPECT_PDU("\x26\x1e\x81\x02\x05\x82\x00\x64\x03\x82\x00\x50\x01\x82\x00\x32\x1c\x82\x00\x28"
               "\x3c\x81\xff\x06\x82\xff\xff\x7e\x81\x02",
               bssgp_flow_control_bvc, .tag = 2, .bmax_octets = 1000000, .r_bit_per_s = 800000,
               .bmax_default_octets = 500000, .r_default_bit_per_s = 400000,
               .has_full_percent = true, .full_percent = 255, .has_measured_delay_ms = true,
               .measured_delay_ms = 655350, .has_granularity = true, .granularity = 2);
    EXPECT_PDU("\x27\x1e\x81\x01", bssgp_flow_control_bvc_ack, .tag = 1);
    EXPECT_PDU("\x28\x1f\x84\xc0\x00\x00\x01\x1e\x81\x07\x12\x82\xff\xff\x03\x82\x00\x00"
               "\x7e\x81\x03",
               bssgp_flow_control_ms, .tlli = 0xc0000001, .tag = 7, .bmax_octets = 6553500000ULL,
               .has_granularity = true, .granularity = 3);
    EXPECT_PDU("\x29\x1f\x84\xc0\x00\x00\x01\x1e\x81\x07", bssgp_flow_control_ms_ack,
               .tlli = 0xc0000001, .tag = 7);
    EXPECT_PDU("\x2d\x1f\x84\xc0\x00\x00\x01\x1e\x81\x07\x03\x82\x00\x02\x52\x8d\x02"
               "\x05\x00\x01\x00\x02\x64\x7f\x00\x03\x00\x04\x96",
               bssgp_flow_control_pfc, .tlli = 0xc0000001, .tag = 7, .has_r_bit_per_s = true,
               .r_bit_per_s = 200, .flows.n = 2,
               .flows.item = {{5, 100, 200, true, 100}, {127, 300, 400, true, 150}});
}

static void test_flush_and_discard(void **state)
{
    (void)state;
    EXPECT_PDU("\x2a\x1f\x84\xc0\x00\x00\x01\x04\x82\x00\x02\x04\x82\x00\x03\x3e\x82\x01\x00",
               bssgp_flush_ll, .tlli = 0xc0000001, .old_bvci = 2, .has_new_bvci = true,
               .new_bvci = 3, .has_nsei = true, .nsei = 256);
    EXPECT_PDU("\x2a\x1f\x84\xc0\x00\x00\x01\x04\x82\x00\x02", bssgp_flush_ll, .tlli = 0xc0000001,
               .old_bvci = 2);
    EXPECT_PDU("\x2b\x1f\x84\xc0\x00\x00\x01\x0c\x81\x01\x04\x82\x00\x03\x25\x83\x01\x02\x03",
               bssgp_flush_ll_ack, .tlli = 0xc0000001, .action = 1, .has_new_bvci = true,
               .new_bvci = 3, .octets = 0x010203);
    EXPECT_PDU("\x2c\x1f\x84\xc0\x00\x00\x01\x0f\x81\x04\x04\x82\x00\x02\x25\x83\x00\x05\xdc",
               bssgp_llc_discarded, .tlli = 0xc0000001, .frames = 4, .bvci = 2, .octets = 1500);
}

static void test_mobility(void **state)
{
    (void)state;
    EXPECT_PDU("\x0a\x1f\x84\xc0\x00\x00\x01\x19\x81\x02", bssgp_radio_status, .has_tlli = true,
               .tlli = 0xc0000001, .cause = 2);
    EXPECT_PDU("\x0c\x1f\x84\xc0\x00\x00\x01\x1b\x86\x62\xf2\x24\x00\x17\x05\x1d\x81\x09",
               bssgp_suspend_ack, .tlli = 0xc0000001, .routeing_area = {262, 42, 2, 23, 5, 0},
               .suspend_reference = 9);
    EXPECT_PDU("\x22\x04\x82\x00\x02\x07\x81\x08\x08\x88\x13\x00\x41\x00\x17\x05\x01\x02",
               bssgp_bvc_reset, .bvci = 2, .cause = 8, .has_cell = true,
               .cell = {310, 140, 3, 23, 5, 0x0102});
    EXPECT_PDU("\x06\x0d\x88\x29\x26\x24\x00\x00\x00\x00\x10\x04\x82\x00\x02\x18\x83\x00\x00\x21",
               bssgp_paging_ps, .imsi = {"262420000000001"}, .has_bvci = true, .bvci = 2,
               .qos.not_ack = true, .qos.precedence = 1);
}

static void test_packet_flow_contexts(void **state)
{
    (void)state;
    EXPECT_PDU("\x51\x1f\x84\xc0\x00\x00\x01\x28\x81\x08\x29\x81\x22\x3a\x83"
               "abc"
               "\x17\x81\x04\x29\x81\x05",
               bssgp_create_bss_pfc, .tlli = 0xc0000001, .pfi = 8, .packet_flow_timer_s = 120,
               .abqp = {(const uint8_t *)"abc", 3}, .has_priority = true, .priority = 4,
               .has_t10_s = true, .t10_s = 10);
}

// What cannot be read in a conditional element has its own fault; an element without its length is
// none, whichever it would have been.
static void test_faults_of_a_conditional_element(void **state)
{
    (void)state;
    TYPED_REFUSED("bssgp_radio_status", CONDITIONAL_IE, 2, 0x0a, 0x1f, 0x83, 1, 2, 3);
    TYPED_REFUSED("bssgp_radio_status", CONDITIONAL_IE, 2, 0x0a, 0x1f, 0x84, 1, 2, 3);
    TYPED_REFUSED("bssgp_radio_status", TRUNCATED, 2, 0x0a, 0x1f);
    TYPED_REFUSED("bssgp_radio_status", LENGTH, 8, 0x0a, 0x1f, 0x84, 1, 2, 3, 4, 0x19, 0x82, 0, 0);
    TYPED_REFUSED("bssgp_bvc_reset", CONDITIONAL_IE, 10, 0x22, 0x04, 0x82, 0, 2, 0x07, 0x81, 8,
                  0x08, 0x88, 0xaa, 0, 0, 0, 0, 0, 0, 0);
}

// Exactly one of several: none is a missing element, two exclude each other.
static void test_one_of_several(void **state)
{
    struct bssgp_radio_status status = {.cause = 1};
    struct bssgp_paging_ps paging = {.imsi = {"26242"}};
    uint8_t b[64];
    (void)state;
    EXPECT_FAULT(bssgp_radio_status_encode(&status, b, sizeof b), MISSING_CONDITIONAL, 4);
    status.has_tlli = status.has_imsi = true;
    strcpy(status.imsi.text, "26242");
    EXPECT_FAULT(bssgp_radio_status_encode(&status, b, sizeof b), UNEXPECTED_IE, 15);
    EXPECT_FAULT(bssgp_radio_status_decode(&status, (const uint8_t *)"\x0a\x19\x81\x00", 4),
                 MISSING_CONDITIONAL, 4);
    EXPECT_FAULT(bssgp_paging_ps_encode(&paging, b, sizeof b), MISSING_CONDITIONAL, 11);
    paging.has_bss_area = true;
    assert_int_equal(bssgp_paging_ps_encode(&paging, b, sizeof b), 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow_control),
        cmocka_unit_test(test_flush_and_discard),
        cmocka_unit_test(test_mobility),
        cmocka_unit_test(test_packet_flow_contexts),
        cmocka_unit_test(test_one_of_several),
        cmocka_unit_test(test_faults_of_a_conditional_element),
    };
    return cmocka_run_group_tests_name("wire/bssgp_pdus", tests, NULL, NULL);
}
