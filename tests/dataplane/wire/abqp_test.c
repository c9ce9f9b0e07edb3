// ABQP: octets typed from 24.008 10.5.6.5, every rate, delay and size code, extended rates, faults.
#include "dataplane/wire/abqp.h"

#include "tests/dataplane/wire/judge.h"

// Delay class 4, reliability 3; peak 5, precedence 2; mean 31; interactive, not in order, erroneous
// SDUs not delivered; 1500 octets; 64/568 kbit/s; BER 5, SDU error ratio 4; 300 ms, THP 2; no GBR.
static const uint8_t typed[] = {0x23, 0x52, 0x1f,        0x73, 150, 0x40,
                                0x7f, 0x54, 18 << 2 | 2, 0,    0xff};

static struct abqp decoded(const uint8_t *b, uint32_t n)
{
    struct abqp abqp;
    uint8_t again[16];
    assert_int_equal(abqp_decode(&abqp, page_end_copy(b, n), n), n);
    assert_int_equal(abqp_encode(&abqp, again, sizeof again), n);
    assert_memory_equal(again, b, n);
    return abqp;
}

static void test_typed(void **state)
{
    struct abqp abqp = decoded(typed, sizeof typed);
    (void)state;
    assert_int_equal(abqp.delay_class, 4);
    assert_int_equal(abqp.reliability, 3);
    assert_int_equal(abqp.peak_throughput, 5);
    assert_int_equal(abqp.precedence, 2);
    assert_int_equal(abqp.mean_throughput, 31);
    assert_int_equal(abqp.traffic_class, 3);
    assert_int_equal(abqp.delivery_order, 2);
    assert_int_equal(abqp.erroneous_sdus, 3);
    assert_int_equal(abqp.sdu_octets, 1500);
    assert_int_equal(abqp.mbr_up_bit_per_s, 64000);
    assert_int_equal(abqp.mbr_down_bit_per_s, 568000);
    assert_int_equal(abqp.residual_ber, 5);
    assert_int_equal(abqp.sdu_error_ratio, 4);
    assert_int_equal(abqp.transfer_delay_ms, 300);
    assert_int_equal(abqp.handling_priority, 2);
    assert_false(abqp.has_gbr_up_bit_per_s);
    assert_true(abqp.has_gbr_down_bit_per_s);
    assert_int_equal(abqp.gbr_down_bit_per_s, 0);
    assert_false(abqp.signalling);
}

static struct abqp with(uint32_t at, uint8_t code)
{
    uint8_t b[sizeof typed];
    memcpy(b, typed, sizeof b);
    b[at] = code;
    return decoded(b, sizeof b);
}

// The end points that the clause names, and that each code is a rate of its own, rising.
static void test_rates(void **state)
{
    static const struct {
        uint8_t code;
        uint32_t kbit_per_s;
    } rows[] = {{1, 1},      {63, 63},    {0x40, 64},  {0x41, 72},
                {0x7f, 568}, {0x80, 576}, {0x81, 640}, {0xfe, 8640}};
    uint32_t before = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(with(6, rows[i].code).mbr_down_bit_per_s, 1000 * rows[i].kbit_per_s);
    for (uint32_t code = 1; code < 0xff; code++) {
        uint32_t rate = with(10, (uint8_t)code).gbr_down_bit_per_s;
        assert_true(rate > before);
        before = rate;
    }
}

static void test_delays_and_sizes(void **state)
{
    (void)state;
    assert_int_equal(with(8, 1 << 2).transfer_delay_ms, 10);
    assert_int_equal(with(8, 15 << 2).transfer_delay_ms, 150);
    assert_int_equal(with(8, 16 << 2).transfer_delay_ms, 200);
    assert_int_equal(with(8, 31 << 2).transfer_delay_ms, 950);
    assert_int_equal(with(8, 32 << 2).transfer_delay_ms, 1000);
    assert_int_equal(with(8, 62 << 2).transfer_delay_ms, 4000);
    assert_false(with(8, 3).has_transfer_delay_ms);
    assert_int_equal(with(4, 1).sdu_octets, 10);
    assert_int_equal(with(4, 151).sdu_octets, 1502);
    assert_int_equal(with(4, 152).sdu_octets, 1510);
    assert_int_equal(with(4, 153).sdu_octets, 1520);
    assert_false(with(4, 0).has_sdu_octets);
}

// Downlink before uplink; 0xfe before, in the octet that an older receiver reads.
static void test_extended_rates(void **state)
{
    uint8_t b[16];
    (void)state;
    memcpy(b, typed, sizeof typed);
    b[5] = b[6] = 0xfe;
    b[11] = 0x11;
    memcpy(b + 12, TYPED(0x01, 0, 0xfa, 0), 4);
    struct abqp abqp = decoded(b, 16);
    assert_int_equal(abqp.mbr_down_bit_per_s, 8700000);
    assert_int_equal(abqp.mbr_up_bit_per_s, 256000000);
    assert_true(abqp.signalling);
    assert_int_equal(abqp.source_statistics, 1);
    b[12] = 0x4a;
    assert_int_equal(decoded(b, 14).mbr_down_bit_per_s, 16000000);
    b[12] = 0x4b;
    assert_int_equal(decoded(b, 14).mbr_down_bit_per_s, 17000000);
    b[12] = 0xba;
    assert_int_equal(decoded(b, 14).mbr_down_bit_per_s, 128000000);
    b[12] = 0xbb;
    assert_int_equal(decoded(b, 14).mbr_down_bit_per_s, 130000000);
    assert_true(decoded(b, 12).signalling);
}

static void expect_refused(uint32_t n, uint32_t at, uint8_t value, enum wire_err err,
                           uint32_t offset)
{
    uint8_t b[17] = {0};
    struct abqp abqp;
    memcpy(b, typed, sizeof typed);
    b[at] = value;
    expect_fault(abqp_decode(&abqp, page_end_copy(b, n), n), err, offset);
}

static void test_decode_faults(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 11; n++)
        expect_refused(n, 16, 0, WIRE_TRUNCATED, n);
    expect_refused(13, 16, 0, WIRE_TRUNCATED, 13);
    expect_refused(15, 16, 0, WIRE_TRUNCATED, 15);
    expect_refused(11, 4, 154, WIRE_RESERVED, 4);
    expect_refused(11, 8, 0xfc, WIRE_RESERVED, 8);
    for (uint32_t at = 12; at < 16; at++)
        expect_refused(16, at, 0xfb, WIRE_RESERVED, at);
}

static void test_values_without_a_code(void **state)
{
    struct abqp abqp = {.has_mbr_up_bit_per_s = true, .mbr_up_bit_per_s = 65000};
    uint8_t b[16];
    (void)state;
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 5);
    abqp = (struct abqp){.has_mbr_down_bit_per_s = true, .mbr_down_bit_per_s = 8641000};
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 6);
    abqp = (struct abqp){.has_gbr_up_bit_per_s = true, .gbr_up_bit_per_s = 999};
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 9);
    abqp = (struct abqp){.has_gbr_down_bit_per_s = true, .gbr_down_bit_per_s = 256000001};
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 10);
    abqp = (struct abqp){.has_sdu_octets = true, .sdu_octets = 1501};
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 4);
    abqp = (struct abqp){.has_transfer_delay_ms = true, .transfer_delay_ms = 160};
    EXPECT_FAULT(abqp_encode(&abqp, b, sizeof b), RANGE, 8);
}

// Values share octets: what is too large for its bits is refused, not cut off.
static void test_values_beyond_their_bits(void **state)
{
    uint8_t b[32];
    struct abqp pdu = {.traffic_class = 1};
    (void)state;
    assert_true(abqp_encode(&pdu, b, sizeof b) > 0);
    pdu.traffic_class = 11;
    EXPECT_FAULT(abqp_encode(&pdu, b, sizeof b), RANGE, 0);
    pdu.traffic_class = 1;
    pdu.delay_class = 9;
    EXPECT_FAULT(abqp_encode(&pdu, b, sizeof b), RANGE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_delays_and_sizes),
        cmocka_unit_test(test_extended_rates),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_values_without_a_code),
        cmocka_unit_test(test_values_beyond_their_bits),
    };
    return cmocka_run_group_tests_name("wire/abqp", tests, NULL, NULL);
}
