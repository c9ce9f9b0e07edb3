// SNDCP SN-UNITDATA: typed octets both ways for first and next segments, and each fault.
#include "dataplane/wire/sndcp.h"

#include "tests/dataplane/wire/judge.h"

// X F T M and NSAPI 5; DCOMP 1, PCOMP 2; segment 0, N-PDU 0x0abc.
static const uint8_t first[] = {0x75, 0x12, 0x0a, 0xbc, 'h', 'i'};
// The last segment: number 15 of N-PDU 4095, NSAPI 15, no compression octet.
static const uint8_t next[] = {0x2f, 0xff, 0xff, 'h', 'i'};

static struct sndcp_unitdata decoded(const uint8_t *b, uint32_t n)
{
    struct sndcp_unitdata pdu;
    assert_int_equal(sndcp_unitdata_decode(&pdu, page_end_copy(b, n), n), n);
    return pdu;
}

static void expect_encoded(const struct sndcp_unitdata *pdu, const uint8_t *expected, int n,
                           uint32_t header)
{
    uint8_t b[64];
    assert_int_equal(sndcp_unitdata_encode(pdu, b, sizeof b), n);
    assert_memory_equal(b, expected, (size_t)n);
    memset(b, 0xee, sizeof b);
    assert_int_equal(sndcp_unitdata_put_header(pdu, b), header);
    assert_memory_equal(b, expected, header);
    assert_int_equal(b[header], 0xee);
}

static void test_first_segment(void **state)
{
    struct sndcp_unitdata pdu = decoded(first, sizeof first);
    (void)state;
    assert_true(pdu.first);
    assert_true(pdu.more);
    assert_int_equal(pdu.nsapi, 5);
    assert_int_equal(pdu.dcomp, 1);
    assert_int_equal(pdu.pcomp, 2);
    assert_int_equal(pdu.segment, 0);
    assert_int_equal(pdu.npdu_number, 0x0abc);
    expect_octets(pdu.data, "hi", 2);
    expect_encoded(&pdu, first, sizeof first, 4);
}

static void test_next_segment(void **state)
{
    struct sndcp_unitdata pdu = decoded(next, sizeof next);
    (void)state;
    assert_false(pdu.first);
    assert_false(pdu.more);
    assert_int_equal(pdu.nsapi, 15);
    assert_int_equal(pdu.dcomp, 0);
    assert_int_equal(pdu.pcomp, 0);
    assert_int_equal(pdu.segment, 15);
    assert_int_equal(pdu.npdu_number, 4095);
    expect_octets(pdu.data, "hi", 2);
    expect_encoded(&pdu, next, sizeof next, 3);
}

static void test_whole_npdu_in_one_segment(void **state)
{
    static const uint8_t typed[] = {0x65, 0x00, 0x00, 0x01};
    struct sndcp_unitdata pdu = decoded(typed, sizeof typed);
    (void)state;
    assert_true(pdu.first);
    assert_false(pdu.more);
    assert_int_equal(pdu.npdu_number, 1);
    assert_int_equal(pdu.data.n, 0);
    expect_encoded(&pdu, typed, sizeof typed, 4);
}

static void test_number_bits(void **state)
{
    static const struct {
        uint8_t segment;
        uint16_t npdu_number;
        uint8_t octets[2];
    } cases[] = {{1, 0, {0x10, 0x00}},
                 {8, 1, {0x80, 0x01}},
                 {0, 256, {0x01, 0x00}},
                 {3, 2048, {0x38, 0x00}}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sndcp_unitdata pdu = {
            .nsapi = 6, .segment = cases[i].segment, .npdu_number = cases[i].npdu_number};
        uint8_t typed[3] = {0x26, cases[i].octets[0], cases[i].octets[1]};
        expect_encoded(&pdu, typed, 3, 3);
        assert_int_equal(decoded(typed, 3).segment, cases[i].segment);
        assert_int_equal(decoded(typed, 3).npdu_number, cases[i].npdu_number);
    }
}

// Segments count modulo 16, N-PDUs modulo 4096: each pair has octets of its own, and comes back.
static void test_every_number(void **state)
{
    uint8_t b[3];
    (void)state;
    for (uint32_t number = 0; number < 16 * 4096; number++) {
        struct sndcp_unitdata pdu = {
            .nsapi = 5, .segment = number / 4096, .npdu_number = number % 4096};
        assert_int_equal(sndcp_unitdata_encode(&pdu, b, sizeof b), 3);
        assert_int_equal(b[1] << 8 | b[2], number);
        assert_int_equal(sndcp_unitdata_decode(&pdu, b, sizeof b), 3);
        assert_int_equal(pdu.segment * 4096 + pdu.npdu_number, number);
    }
}

static void expect_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    struct sndcp_unitdata pdu;
    uint8_t *b = page_end_copy(first, sizeof first);
    b[at] = value;
    expect_fault(sndcp_unitdata_decode(&pdu, b, sizeof first), err, offset);
}

static void test_spare_bit_is_not_looked_at(void **state)
{
    uint8_t b[sizeof first];
    struct sndcp_unitdata with, without;
    (void)state;
    memcpy(b, first, sizeof b);
    b[0] |= 0x80; // X
    assert_int_equal(sndcp_unitdata_decode(&with, b, sizeof b), sizeof b);
    assert_int_equal(sndcp_unitdata_decode(&without, first, sizeof first), sizeof first);
    assert_int_equal(with.nsapi, without.nsapi);
    assert_int_equal(with.npdu_number, without.npdu_number);
}

static void test_decode_faults(void **state)
{
    struct sndcp_unitdata pdu;
    (void)state;
    for (uint32_t n = 0; n < 4; n++)
        EXPECT_FAULT(sndcp_unitdata_decode(&pdu, page_end_copy(first, n), n), TRUNCATED, n);
    for (uint32_t n = 0; n < 3; n++)
        EXPECT_FAULT(sndcp_unitdata_decode(&pdu, page_end_copy(next, n), n), TRUNCATED, n);
    expect_refused(0, 0x55, WIRE_TYPE, 0); // SN-DATA
    for (uint8_t nsapi = 0; nsapi < 5; nsapi++)
        expect_refused(0, 0x70 | nsapi, WIRE_RESERVED, 0);
    expect_refused(1, 0xf2, WIRE_RESERVED, 1);
    expect_refused(1, 0x1f, WIRE_RESERVED, 1);
}

static void test_encode_faults(void **state)
{
    static const struct sndcp_unitdata at_octet_0[] = {{.nsapi = 4},
                                                       {.nsapi = 16},
                                                       {.nsapi = 5, .segment = 16},
                                                       {.nsapi = 5, .npdu_number = 4096}};
    static const struct sndcp_unitdata at_octet_1[] = {{.nsapi = 5, .first = true, .dcomp = 15},
                                                       {.nsapi = 5, .first = true, .pcomp = 15},
                                                       {.nsapi = 5, .dcomp = 1},
                                                       {.nsapi = 5, .pcomp = 1}};
    uint8_t b[8];
    (void)state;
    for (size_t i = 0; i < COUNT(at_octet_0); i++)
        EXPECT_FAULT(sndcp_unitdata_encode(&at_octet_0[i], b, sizeof b), RANGE, 0);
    for (size_t i = 0; i < COUNT(at_octet_1); i++)
        EXPECT_FAULT(sndcp_unitdata_encode(&at_octet_1[i], b, sizeof b), RANGE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_segment),
        cmocka_unit_test(test_next_segment),
        cmocka_unit_test(test_whole_npdu_in_one_segment),
        cmocka_unit_test(test_number_bits),
        cmocka_unit_test(test_every_number),
        cmocka_unit_test(test_spare_bit_is_not_looked_at),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/sndcp", tests, NULL, NULL);
}
