// The values of BSSGP elements: every code of a GPRS timer, areas digit by digit, flow units, PFC
// flows with and without ratio, what no code can say.
#include "dataplane/wire/bssgp.h"

#include "tests/dataplane/wire/judge.h"

// The timer's octet in a MODIFY-BSS-PFC-ACK.
#define TIMER_AT 12
static const uint8_t modify_ack[] = {0x55, 0x1f, 0x84, 0, 0,    0,    1, 0x28, 0x81,
                                     8,    0x29, 0x81, 0, 0x3a, 0x83, 1, 2,    3};

// 24.008 10.5.7.3: 2 s, a minute, a tenth of an hour; 111 never ends; other units count minutes.
static uint32_t timer_s(uint8_t code)
{
    static const uint32_t unit_s[8] = {2, 60, 360, 60, 60, 60, 60, 0};
    return code >> 5 == 7 ? UINT32_MAX : (code & 31u) * unit_s[code >> 5];
}

static void test_every_timer_code(void **state)
{
    struct bssgp_modify_bss_pfc_ack pdu, again;
    uint8_t b[sizeof modify_ack];
    (void)state;
    for (uint32_t code = 0; code < 256; code++) {
        memcpy(b, modify_ack, sizeof b);
        b[TIMER_AT] = (uint8_t)code;
        assert_int_equal(bssgp_modify_bss_pfc_ack_decode(&pdu, b, sizeof b), sizeof b);
        assert_int_equal(pdu.packet_flow_timer_s, timer_s((uint8_t)code));
        assert_int_equal(bssgp_modify_bss_pfc_ack_encode(&pdu, b, sizeof b), sizeof b);
        assert_true(b[TIMER_AT] <= code); // the finest unit that holds it
        assert_int_equal(bssgp_modify_bss_pfc_ack_decode(&again, b, sizeof b), sizeof b);
        assert_int_equal(again.packet_flow_timer_s, pdu.packet_flow_timer_s);
    }
}

static void test_times_without_a_code(void **state)
{
    static const uint32_t times_s[] = {1, 63, 1861, 11161, UINT32_MAX - 1};
    struct bssgp_modify_bss_pfc_ack pdu = {.abqp = {modify_ack, 3}};
    uint8_t b[sizeof modify_ack];
    (void)state;
    for (size_t i = 0; i < COUNT(times_s); i++) {
        pdu.packet_flow_timer_s = times_s[i];
        EXPECT_FAULT(bssgp_modify_bss_pfc_ack_encode(&pdu, b, sizeof b), RANGE, 10);
    }
}

static int suspend_with(const uint8_t plmn[3], struct bssgp_suspend *pdu)
{
    uint8_t b[] = {0x0b, 0x1f, 0x84, 0, 0, 0, 1, 0x1b, 0x86, 0, 0, 0, 0, 23, 5};
    memcpy(b + 9, plmn, 3);
    return bssgp_suspend_decode(pdu, b, sizeof b);
}

// 24.008 10.5.1.3: MCC 2 1, MNC 3 or filler and MCC 3, MNC 2 1.
static void test_areas(void **state)
{
    struct bssgp_suspend pdu = {0};
    uint8_t b[15];
    (void)state;
    assert_int_equal(suspend_with(TYPED(0x21, 0xf3, 0x54), &pdu), 15);
    assert_int_equal(pdu.routeing_area.mcc, 123);
    assert_int_equal(pdu.routeing_area.mnc, 45);
    assert_int_equal(pdu.routeing_area.mnc_digits, 2);
    assert_int_equal(suspend_with(TYPED(0x21, 0x63, 0x54), &pdu), 15);
    assert_int_equal(pdu.routeing_area.mnc, 456);
    assert_int_equal(pdu.routeing_area.mnc_digits, 3);
    assert_int_equal(bssgp_suspend_encode(&pdu, b, sizeof b), 15);
    assert_memory_equal(b + 9, TYPED(0x21, 0x63, 0x54), 3);
    pdu.routeing_area.mnc = 7;
    assert_int_equal(bssgp_suspend_encode(&pdu, b, sizeof b), 15);
    assert_memory_equal(b + 9, TYPED(0x21, 0x73, 0x00), 3);
}

static void test_wrong_areas(void **state)
{
    struct bssgp_suspend pdu = {0};
    uint8_t b[15];
    (void)state;
    EXPECT_FAULT(suspend_with(TYPED(0x2a, 0xf3, 0x54), &pdu), RESERVED, 9);
    EXPECT_FAULT(suspend_with(TYPED(0x21, 0xe3, 0x54), &pdu), RESERVED, 9);
    EXPECT_FAULT(suspend_with(TYPED(0x21, 0xf3, 0x5f), &pdu), RESERVED, 9);
    const struct bssgp_area wrong[] = {{1000, 0, 2, 0, 0, 0},
                                       {0, 100, 2, 0, 0, 0},
                                       {0, 1000, 3, 0, 0, 0},
                                       {0, 0, 1, 0, 0, 0},
                                       {0, 0, 4, 0, 0, 0}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        pdu.routeing_area = wrong[i];
        EXPECT_FAULT(bssgp_suspend_encode(&pdu, b, sizeof b), RANGE, 7);
    }
}

static void test_flow_units(void **state)
{
    struct bssgp_flow_control_ms pdu = {.bmax_octets = 100};
    uint8_t b[32];
    (void)state;
    assert_int_equal(bssgp_flow_control_ms_encode(&pdu, b, sizeof b), 18);
    pdu.bmax_octets = 101;
    EXPECT_FAULT(bssgp_flow_control_ms_encode(&pdu, b, sizeof b), RANGE, 10);
    pdu.bmax_octets = 6553600;
    EXPECT_FAULT(bssgp_flow_control_ms_encode(&pdu, b, sizeof b), RANGE, 10);
    pdu.has_granularity = true;
    pdu.granularity = 1;
    pdu.bmax_octets = 6553000;
    assert_int_equal(bssgp_flow_control_ms_encode(&pdu, b, sizeof b), 21);
    assert_memory_equal(b + 12, "\x19\x99", 2);
    b[20] = 0xfd; // spare bits beside granularity 1
    assert_int_equal(bssgp_flow_control_ms_decode(&pdu, b, 21), 21);
    assert_int_equal(pdu.bmax_octets, 6553000);
}

// `value` is that of the flows' element.
static int pfc_with(const uint8_t *value, uint32_t n, struct bssgp_flow_control_pfc *pdu)
{
    uint8_t b[96] = {0x2d, 0x1f, 0x84, 0, 0, 0, 1, 0x1e, 0x81, 1, 0x52, (uint8_t)(0x80 | n)};
    memcpy(b + 12, value, n);
    return bssgp_flow_control_pfc_decode(pdu, page_end_copy(b, 12 + n), 12 + n);
}

static void test_pfc_flows(void **state)
{
    struct bssgp_flow_control_pfc pdu;
    uint8_t b[128];
    (void)state;
    assert_int_equal(pfc_with(TYPED(1, 0x85, 0, 1, 0, 2), 6, &pdu), 18);
    assert_int_equal(pdu.flows.n, 1);
    assert_int_equal(pdu.flows.item[0].pfi, 5);
    assert_int_equal(pdu.flows.item[0].bmax_octets, 100);
    assert_int_equal(pdu.flows.item[0].r_bit_per_s, 200);
    assert_false(pdu.flows.item[0].has_full_percent);
    assert_int_equal(pfc_with(TYPED(0), 1, &pdu), 13);
    assert_int_equal(pdu.flows.n, 0);
    EXPECT_FAULT(pfc_with(TYPED(1, 5, 0, 1, 0), 5, &pdu), LENGTH, 12);
    EXPECT_FAULT(pfc_with(TYPED(2, 5, 0, 1, 0, 2), 6, &pdu), LENGTH, 12);
    EXPECT_FAULT(pfc_with(TYPED(12), 1, &pdu), RESERVED, 12);
    pdu = (struct bssgp_flow_control_pfc){.flows.n = 2, .flows.item[1].has_full_percent = true};
    EXPECT_FAULT(bssgp_flow_control_pfc_encode(&pdu, b, sizeof b), RANGE, 10);
    pdu = (struct bssgp_flow_control_pfc){.flows.n = 12};
    EXPECT_FAULT(bssgp_flow_control_pfc_encode(&pdu, b, sizeof b), RANGE, 10);
}

static void test_pfc_flows_at_their_limits(void **state)
{
    const struct bssgp_pfc_flow most = {
        .pfi = 0x7f, .bmax_octets = 6553500, .r_bit_per_s = 6553500};
    const struct bssgp_pfc_flow wrong[] = {{.pfi = 0x80},
                                           {.bmax_octets = 101},
                                           {.bmax_octets = 6553600},
                                           {.r_bit_per_s = 101},
                                           {.r_bit_per_s = 6553600}};
    struct bssgp_flow_control_pfc pdu = {.flows = {.n = 2, .item = {most}}}; // and one of zeroes
    uint8_t b[32];
    (void)state;
    assert_int_equal(bssgp_flow_control_pfc_encode(&pdu, b, sizeof b), 23);
    assert_memory_equal(b + 10, "\x52\x8b\x02\x7f\xff\xff\xff\xff\0\0\0\0\0", 13);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        pdu.flows.item[1] = wrong[i];
        EXPECT_FAULT(bssgp_flow_control_pfc_encode(&pdu, b, sizeof b), RANGE, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_timer_code),
        cmocka_unit_test(test_times_without_a_code),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_wrong_areas),
        cmocka_unit_test(test_flow_units),
        cmocka_unit_test(test_pfc_flows),
        cmocka_unit_test(test_pfc_flows_at_their_limits),
    };
    return cmocka_run_group_tests_name("wire/bssgp_values", tests, NULL, NULL);
}
