// BSSGP: DL-UNITDATA in typed octets both ways, peak rates, lifetimes, lengths, optional elements,
// each fault. The other PDUs are in bssgp_pdus_test.c.
#include "dataplane/wire/bssgp.h"

#include "tests/dataplane/wire/judge.h"

// TLLI c0000001, peak 80 x 100 bit/s, data without LLC ACK on acknowledged RLC, precedence 1,
// lifetime 1000 cs, LLC-PDU "abc".
static const uint8_t typed[] = {0x00, 0xc0, 0x00, 0x00, 0x01, 0x00, 0x50, 0x31, 0x16,
                                0x82, 0x03, 0xe8, 0x0e, 0x83, 'a',  'b',  'c'};

static struct bssgp_dl_unitdata decoded(const uint8_t *b, uint32_t n)
{
    struct bssgp_dl_unitdata pdu;
    assert_int_equal(bssgp_dl_unitdata_decode(&pdu, page_end_copy(b, n), n), n);
    return pdu;
}

static void test_decode(void **state)
{
    struct bssgp_dl_unitdata pdu = decoded(typed, sizeof typed);
    (void)state;
    assert_true(pdu.tlli == 0xc0000001);
    assert_true(pdu.qos.peak_bit_per_s == 8000);
    assert_true(pdu.qos.not_ack);
    assert_true(pdu.qos.user_data);
    assert_false(pdu.qos.rlc_unack);
    assert_int_equal(pdu.qos.precedence, 1);
    assert_int_equal(pdu.lifetime_ms, 10000);
    expect_octets(pdu.llc_pdu, "abc", 3);
}

static void test_encode(void **state)
{
    struct bssgp_dl_unitdata pdu = {.tlli = 0xc0000001,
                                    .qos.peak_bit_per_s = 8000,
                                    .qos.not_ack = true,
                                    .qos.user_data = true,
                                    .qos.precedence = 1,
                                    .lifetime_ms = 10000,
                                    .llc_pdu = {(const uint8_t *)"abc", 3}};
    uint8_t b[17];
    (void)state;
    assert_int_equal(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), 17);
    assert_memory_equal(b, typed, sizeof b);
}

// The parts that frame.c writes around an LLC-PDU that is in place.
static void test_encode_in_parts(void **state)
{
    struct bssgp_dl_unitdata pdu = decoded(typed, sizeof typed);
    uint8_t b[17];
    (void)state;
    memset(b, 0xff, sizeof b);
    bssgp_dl_unitdata_put_fixed(&pdu, b);
    assert_memory_equal(b, typed, 12);
    assert_int_equal(b[12], 0xff);
    bssgp_dl_unitdata_put_lifetime(655350, b);
    assert_memory_equal(b, typed, 10);
    assert_memory_equal(b + 10, "\xff\xff\xff", 3);
    assert_int_equal(bssgp_llc_tag_octets(3), 2);
    bssgp_put_llc_tag(3, b + 12);
    assert_memory_equal(b + 12, typed + 12, 2);
    assert_int_equal(b[14], 0xff);
}

static void expect_qos(const uint8_t qos[3], const struct bssgp_dl_unitdata *expected)
{
    uint8_t b[sizeof typed];
    memcpy(b, typed, sizeof b);
    memcpy(b + 5, qos, 3);
    struct bssgp_dl_unitdata pdu = decoded(b, sizeof b);
    assert_true(pdu.qos.peak_bit_per_s == expected->qos.peak_bit_per_s);
    assert_int_equal(pdu.qos.not_ack, expected->qos.not_ack);
    assert_int_equal(pdu.qos.user_data, expected->qos.user_data);
    assert_int_equal(pdu.qos.rlc_unack, expected->qos.rlc_unack);
    assert_int_equal(pdu.qos.precedence, expected->qos.precedence);
    assert_int_equal(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), sizeof b);
    assert_memory_equal(b + 5, qos, 3);
}

static void test_qos_bits(void **state)
{
    (void)state;
    expect_qos(TYPED(0, 0, 0x00), &(struct bssgp_dl_unitdata){0});
    expect_qos(TYPED(0, 0, 0x20), &(struct bssgp_dl_unitdata){.qos.not_ack = true});
    expect_qos(TYPED(0, 0, 0x10), &(struct bssgp_dl_unitdata){.qos.user_data = true});
    expect_qos(TYPED(0, 0, 0x08), &(struct bssgp_dl_unitdata){.qos.rlc_unack = true});
    expect_qos(TYPED(0, 0, 0x07), &(struct bssgp_dl_unitdata){.qos.precedence = 7});
}

// 11.3.28: two bits say whether the 16 bits count 100, 1000, 10 000 or 100 000 bit/s.
static void test_peak_rates(void **state)
{
    (void)state;
    expect_qos(TYPED(0x00, 0x01, 0x00), &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 100});
    expect_qos(TYPED(0xff, 0xff, 0x00), &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 6553500});
    expect_qos(TYPED(0x19, 0x9a, 0x40), &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 6554000});
    expect_qos(TYPED(0xff, 0xff, 0x40),
               &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 65535000});
    expect_qos(TYPED(0xff, 0xff, 0x80),
               &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 655350000});
    expect_qos(TYPED(0xff, 0xff, 0xc0),
               &(struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 6553500000ULL});
}

// A coarse unit where a fine one would do is taken, and rewritten in the fine one.
static void test_peak_rate_in_a_coarse_unit(void **state)
{
    uint8_t b[sizeof typed];
    (void)state;
    memcpy(b, typed, sizeof b);
    memcpy(b + 5, "\x00\x02\xc0", 3);
    struct bssgp_dl_unitdata pdu = decoded(b, sizeof b);
    assert_true(pdu.qos.peak_bit_per_s == 200000);
    assert_int_equal(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), sizeof b);
    assert_memory_equal(b + 5, "\x07\xd0\x00", 3);
}

static void test_lifetimes(void **state)
{
    static const struct {
        uint8_t octets[2];
        uint32_t ms;
    } cases[] = {{{0, 0}, 0}, {{0, 1}, 10}, {{0xff, 0xfe}, 655340}, {{0xff, 0xff}, 655350}};
    uint8_t b[sizeof typed];
    (void)state;
    memcpy(b, typed, sizeof b);
    for (size_t i = 0; i < COUNT(cases); i++) {
        memcpy(b + 10, cases[i].octets, 2);
        struct bssgp_dl_unitdata pdu = decoded(b, sizeof b);
        assert_int_equal(pdu.lifetime_ms, cases[i].ms);
        assert_int_equal(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), sizeof b);
        assert_memory_equal(b + 10, cases[i].octets, 2);
    }
}

// Up to 127 octets the length takes one octet with its high bit set, from 128 on two.
static void test_llc_pdu_lengths(void **state)
{
    static const struct {
        uint32_t n, header;
        uint8_t tag[3];
    } cases[] = {{0, 14, {0x0e, 0x80}},
                 {127, 14, {0x0e, 0xff}},
                 {128, 15, {0x0e, 0x00, 0x80}},
                 {1526, 15, {0x0e, 0x05, 0xf6}},
                 {32767, 15, {0x0e, 0x7f, 0xff}}};
    static uint8_t octets[32767], b[32782];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bssgp_dl_unitdata pdu = {.llc_pdu = {octets, cases[i].n}};
        uint32_t n = cases[i].header + cases[i].n;
        assert_int_equal(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), n);
        assert_memory_equal(b + 12, cases[i].tag, cases[i].header - 12);
        assert_int_equal(decoded(b, n).llc_pdu.n, cases[i].n);
    }
}

static const uint8_t elements[] = {0x17, 0x81, 0x10, 0x28, 0x81, 0x85, 0x7f, 0x00,
                                   0x02, 0x19, 0x32, 0x0d, 0x00, 0x03, 0x29, 0x43,
                                   0x65, 0x00, 0x83, 0x0e, 0x0e, 0x0e};

// Priority, PFI with its spare bit set, an unknown element and an IMSI in the two-octet length
// form, alignment octets that are not 0.
static void test_optional_elements(void **state)
{
    uint8_t b[sizeof typed + sizeof elements];
    (void)state;
    memcpy(b, typed, 12);
    memcpy(b + 12, elements, sizeof elements);
    memcpy(b + 12 + sizeof elements, typed + 12, 5);
    struct bssgp_dl_unitdata pdu = decoded(b, sizeof b);
    expect_octets(pdu.llc_pdu, "abc", 3);
    assert_true(pdu.has_priority && pdu.has_pfi && pdu.has_imsi && pdu.has_alignment);
    assert_false(pdu.has_drx || pdu.has_old_tlli || pdu.has_sci);
    assert_int_equal(pdu.priority, 0x10);
    assert_int_equal(pdu.pfi, 5);
    assert_string_equal(pdu.imsi.text, "23456");
    assert_int_equal(pdu.alignment, 3);
}

// What comes again is stepped over, wherever the LLC PDU stands.
static void test_order_and_repetition(void **state)
{
    static const uint8_t tail[] = {0x28, 0x81, 0x07, 0x28, 0x81, 0x08, 0x0e, 0x81, 'x'};
    uint8_t b[sizeof typed + sizeof tail];
    (void)state;
    memcpy(b, typed, sizeof typed);
    memcpy(b + sizeof typed, tail, sizeof tail);
    struct bssgp_dl_unitdata pdu = decoded(b, sizeof b);
    assert_int_equal(pdu.pfi, 7);
    expect_octets(pdu.llc_pdu, "abc", 3);
}

// A short LLC-PDU behind a length in the long form.
static void test_long_form_of_a_short_length(void **state)
{
    uint8_t b[18];
    (void)state;
    memcpy(b, typed, 12);
    memcpy(b + 12,
           "\x0e\x00\x03"
           "abc",
           6);
    expect_octets(decoded(b, sizeof b).llc_pdu, "abc", 3);
}

static void expect_refused(uint32_t n, uint32_t at, uint8_t value, enum wire_err err,
                           uint32_t offset)
{
    struct bssgp_dl_unitdata pdu;
    uint8_t *b = page_end(n);
    memcpy(b, typed, n);
    if (at < n)
        b[at] = value;
    expect_fault(bssgp_dl_unitdata_decode(&pdu, b, n), err, offset);
}

static void test_decode_faults(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 8; n++) // no TLLI, no QoS profile, or half of one
        expect_refused(n, 99, 0, n == 1 || n == 5 ? WIRE_MISSING_IE : WIRE_TRUNCATED, n);
    expect_refused(8, 99, 0, WIRE_MISSING_IE, 8);
    expect_refused(9, 99, 0, WIRE_TRUNCATED, 9);
    expect_refused(10, 99, 0, WIRE_LENGTH, 9);
    expect_refused(11, 99, 0, WIRE_LENGTH, 9);
    expect_refused(12, 99, 0, WIRE_MISSING_IE, 12);
    expect_refused(13, 99, 0, WIRE_TRUNCATED, 13);
    expect_refused(14, 13, 0x00, WIRE_TRUNCATED, 14); // the long form's second octet is missing
    expect_refused(14, 99, 0, WIRE_LENGTH, 13);
    expect_refused(16, 99, 0, WIRE_LENGTH, 13);
    expect_refused(17, 0, 0x01, WIRE_TYPE, 0); // UL-UNITDATA
    expect_refused(17, 8, 0x7f, WIRE_MISSING_IE, 17);
    expect_refused(17, 8, 0x17, WIRE_LENGTH, 9); // a priority of two octets
    expect_refused(17, 9, 0x81, WIRE_LENGTH, 9);
    expect_refused(17, 13, 0x84, WIRE_LENGTH, 13);
    expect_refused(17, 13, 0x82, WIRE_TRUNCATED, 17); // an octet behind the LLC-PDU
    expect_refused(17, 12, 0x7f, WIRE_MISSING_IE, 17);
}

static void test_optional_element_beyond_the_end(void **state)
{
    struct bssgp_dl_unitdata pdu;
    uint8_t b[17];
    (void)state;
    memcpy(b, typed, sizeof b);
    b[12] = 0x0d;
    b[13] = 0x84; // three octets are there
    EXPECT_FAULT(bssgp_dl_unitdata_decode(&pdu, page_end_copy(b, sizeof b), sizeof b), LENGTH, 13);
}

// The offset is that of the element.
static void test_encode_faults(void **state)
{
    static uint8_t b[32783];
    struct bssgp_dl_unitdata pdu = {.llc_pdu = {b, 32768}};
    (void)state;
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 12);
    pdu = (struct bssgp_dl_unitdata){.lifetime_ms = 655360};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 8);
    pdu = (struct bssgp_dl_unitdata){.lifetime_ms = 5};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 8);
    pdu = (struct bssgp_dl_unitdata){.qos.peak_bit_per_s = 6553500001ULL};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 5);
    pdu = (struct bssgp_dl_unitdata){.qos.precedence = 8};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 5);
    pdu = (struct bssgp_dl_unitdata){.has_pfi = true, .pfi = 128};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 12);
    pdu = (struct bssgp_dl_unitdata){.has_alignment = true, .alignment = 4};
    EXPECT_FAULT(bssgp_dl_unitdata_encode(&pdu, b, sizeof b), RANGE, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_encode_in_parts),
        cmocka_unit_test(test_qos_bits),
        cmocka_unit_test(test_peak_rates),
        cmocka_unit_test(test_peak_rate_in_a_coarse_unit),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_llc_pdu_lengths),
        cmocka_unit_test(test_optional_elements),
        cmocka_unit_test(test_order_and_repetition),
        cmocka_unit_test(test_long_form_of_a_short_length),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_optional_element_beyond_the_end),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/bssgp", tests, NULL, NULL);
}
