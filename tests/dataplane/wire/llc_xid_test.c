// LLC XID frames: captured and typed frames both ways, each parameter's range and unit, both forms
// of a length, each fault.
#include "dataplane/wire/llc_xid.h"

#include "tests/dataplane/wire/typed.h"

// Downlink, SAPI 3: version 0, N201-U 500, N201-I 1503.
static void test_captured_downlink_frame(void **state)
{
    struct llc_xid xid;
    (void)state;
    TYPED_BOTH_WAYS("llc_xid", &xid, 0x43, 0xfb, 0x01, 0x00, 0x16, 0x01, 0xf4, 0x1a, 0x05, 0xdf,
                    0x8c, 0x7c, 0x4e);
    assert_true(xid.cr && xid.pf && !xid.reset);
    assert_int_equal(xid.sapi, 3);
    assert_true(xid.has_version && xid.has_n201_u_octets && xid.has_n201_i_octets);
    assert_int_equal(xid.version, 0);
    assert_int_equal(xid.n201_u_octets, 500);
    assert_int_equal(xid.n201_i_octets, 1503);
    assert_false(xid.has_iov_ui || xid.has_iov_i || xid.has_t200_ms || xid.has_n200);
    assert_false(xid.has_md_octets || xid.has_mu_octets || xid.has_kd || xid.has_ku);
    assert_false(xid.has_layer3);
}

static void test_captured_uplink_frame(void **state)
{
    struct llc_xid xid;
    (void)state;
    TYPED_BOTH_WAYS("llc_xid", &xid, 0x03, 0xfb, 0x16, 0x04, 0xd2, 0x16, 0xf9, 0x84);
    assert_false(xid.cr || xid.has_version);
    assert_int_equal(xid.n201_u_octets, 1234);
}

// All thirteen, each with another value.
static void test_every_parameter(void **state)
{
    struct llc_xid xid;
    (void)state;
    TYPED_BOTH_WAYS("llc_xid", &xid, 0x43, 0xfb, 0x30, 0x01, 0x00, 0x84, 0x10, 0x12, 0x34, 0x56,
                    0x78, 0x88, 0x10, 0x00, 0x00, 0x00, 0x01, 0x0e, 0x00, 0x32, 0x11, 0x03, 0x16,
                    0x05, 0xf0, 0x1a, 0x05, 0xdf, 0x1e, 0x05, 0xf0, 0x22, 0x00, 0x09, 0x25, 0x10,
                    0x29, 0xff, 0x2f, 0x00, 0x01, 0x00, 0x7d, 0xa3, 0xf4);
    assert_true(xid.reset);
    assert_true(xid.has_version && xid.version == 0);
    assert_true(xid.has_iov_ui && xid.iov_ui == 0x12345678);
    assert_true(xid.has_iov_i && xid.iov_i == 1);
    assert_true(xid.has_t200_ms && xid.t200_ms == 5000);
    assert_true(xid.has_n200 && xid.n200 == 3);
    assert_true(xid.has_n201_u_octets && xid.n201_u_octets == 1520);
    assert_true(xid.has_n201_i_octets && xid.n201_i_octets == 1503);
    assert_true(xid.has_md_octets && xid.md_octets == 1520 * 16);
    assert_true(xid.has_mu_octets && xid.mu_octets == 9 * 16);
    assert_true(xid.has_kd && xid.kd == 16);
    assert_true(xid.has_ku && xid.ku == 255);
    assert_true(xid.has_layer3);
    expect_octets(xid.layer3, "\0\1\0", 3);
}

// A frame around the parameters.
static uint32_t frame_of(const uint8_t *parameters, uint32_t n, uint8_t *b)
{
    b[0] = 0x43;
    b[1] = 0xfb;
    if (n)
        memcpy(b + 2, parameters, n);
    uint32_t fcs = plain_fcs(b, 2 + n);
    for (int i = 0; i < 3; i++)
        b[2 + n + (uint32_t)i] = (uint8_t)(fcs >> 8 * i);
    return n + 5;
}

static uint8_t frame[300];

#define FRAME(...) frame_of(TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__), frame)
#define DECODED(xid, ...)                                                        \
    do {                                                                         \
        uint32_t n_ = FRAME(__VA_ARGS__);                                        \
        assert_int_equal(llc_xid_decode(xid, page_end_copy(frame, n_), n_), n_); \
    } while (0)
#define BOTH_WAYS(xid, ...) typed_both_ways("llc_xid", xid, frame, FRAME(__VA_ARGS__))
#define REFUSED(err, offset, ...) \
    typed_refused("llc_xid", frame, FRAME(__VA_ARGS__), WIRE_##err, offset)

static void test_lowest_and_highest_values(void **state)
{
    struct llc_xid xid;
    (void)state;
    BOTH_WAYS(&xid, 0x01, 15, 0x0e, 0, 1, 0x11, 1, 0x16, 0, 140, 0x1a, 0, 140, 0x1e, 0, 0, 0x22,
              0x5f, 0x00, 0x25, 1);
    assert_int_equal(xid.version, 15);
    assert_int_equal(xid.t200_ms, 100);
    assert_int_equal(xid.n200, 1);
    assert_int_equal(xid.n201_u_octets, 140);
    assert_int_equal(xid.n201_i_octets, 140);
    assert_int_equal(xid.md_octets, 0);
    assert_int_equal(xid.mu_octets, 24320 * 16);
    assert_int_equal(xid.kd, 1);
    BOTH_WAYS(&xid, 0x0e, 0x0f, 0xff, 0x11, 15, 0x1a, 0x05, 0xf0, 0x1e, 0, 9);
    assert_int_equal(xid.t200_ms, 409500);
    assert_int_equal(xid.n200, 15);
    assert_int_equal(xid.n201_i_octets, 1520);
    assert_int_equal(xid.md_octets, 144);
}

static void test_values_out_of_range(void **state)
{
    (void)state;
    REFUSED(RESERVED, 3, 0x01, 16);   // version
    REFUSED(RESERVED, 3, 0x0e, 0, 0); // T200
    REFUSED(RESERVED, 3, 0x0e, 0x10, 0);
    REFUSED(RESERVED, 3, 0x11, 0); // N200
    REFUSED(RESERVED, 3, 0x11, 16);
    REFUSED(RESERVED, 3, 0x16, 0, 139); // N201-U
    REFUSED(RESERVED, 3, 0x16, 0x05, 0xf1);
    REFUSED(RESERVED, 3, 0x1a, 0, 139); // N201-I
    REFUSED(RESERVED, 3, 0x1a, 0x05, 0xf1);
    REFUSED(RESERVED, 3, 0x1e, 0, 8); // mD
    REFUSED(RESERVED, 3, 0x1e, 0x5f, 0x01);
    REFUSED(RESERVED, 3, 0x22, 0, 8); // mU
    REFUSED(RESERVED, 3, 0x22, 0x5f, 0x01);
    REFUSED(RESERVED, 3, 0x25, 0); // kD
    REFUSED(RESERVED, 3, 0x29, 0); // kU
}

// Layer-3 parameters of 0, 3, 4 and 255 octets: lengths of 2 and of 8 bits.
static void test_layer3_lengths(void **state)
{
    static const struct {
        uint32_t n, head;
        uint8_t octets[2];
    } cases[] = {{0, 1, {0x2c}},
                 {3, 1, {0x2f}},
                 {4, 2, {0xac, 0x10}},
                 {64, 2, {0xad, 0x00}},
                 {255, 2, {0xaf, 0xfc}}};
    static uint8_t parameters[257];
    struct llc_xid xid;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(parameters, 0x5a, sizeof parameters);
        memcpy(parameters, cases[i].octets, cases[i].head);
        uint32_t n = frame_of(parameters, cases[i].head + cases[i].n, frame);
        typed_both_ways("llc_xid", &xid, frame, n);
        assert_true(xid.has_layer3);
        expect_octets(xid.layer3, parameters + cases[i].head, cases[i].n);
    }
}

static void test_no_parameters(void **state)
{
    struct llc_xid xid;
    (void)state;
    typed_both_ways("llc_xid", &xid, frame, frame_of(NULL, 0, frame));
    assert_false(xid.reset || xid.has_version || xid.has_layer3);
}

// Any order, an 8-bit length where 2 bits would do, types of later releases, a type that comes
// again: taken, and written again as this encoder writes.
static void test_what_is_taken_but_not_written(void **state)
{
    struct llc_xid xid;
    (void)state;
    DECODED(&xid, 0x16, 0x01, 0xf4, 0x30, 0x80, 0x04, 0x07);
    assert_true(xid.reset && xid.has_n201_u_octets && xid.has_version);
    assert_int_equal(xid.n201_u_octets, 500);
    assert_int_equal(xid.version, 7);
    DECODED(&xid, 0xb4, 0x10, 1, 2, 3, 4, 0x39, 1, 0x7c, 0x01, 2);
    assert_true(xid.has_version && xid.version == 2);
    DECODED(&xid, 0x01, 1, 0x01, 2, 0x2d, 'a', 0x2d, 'b');
    assert_int_equal(xid.version, 1);
    expect_octets(xid.layer3, "a", 1);
}

static void test_decode_faults(void **state)
{
    (void)state;
    REFUSED(LENGTH, 2, 0x00);             // version of no octet
    REFUSED(LENGTH, 2, 0x02, 0, 0);       // and of two
    REFUSED(LENGTH, 2, 0x07, 0, 0, 0);    // IOV-UI of three
    REFUSED(LENGTH, 2, 0x0d, 1);          // T200 of one
    REFUSED(LENGTH, 2, 0x31, 0);          // Reset of one
    REFUSED(LENGTH, 4, 0x01, 0, 0x16, 1); // more than there is
    REFUSED(LENGTH, 2, 0x84, 0x10, 1, 2, 3);
    REFUSED(TRUNCATED, 3, 0x84);                  // the second octet of a length is not there
    REFUSED(RESERVED, 3, 0x84, 0x11, 1, 2, 3, 4); // spare bits beside it
    REFUSED(RESERVED, 3, 0x84, 0x12, 1, 2, 3, 4);
    for (uint32_t n = 0; n < 5; n++)
        typed_refused("llc_xid", TYPED(0x03, 0xfb, 0, 0, 0), n, WIRE_TRUNCATED, n);
    TYPED_REFUSED("llc_xid", TYPE, 1, 0x03, 0xf7, 0x6a, 0x13, 0x48);                         // SABM
    TYPED_REFUSED("llc_xid", TYPE, 1, 0x43, 0xc0, 0x01, 0x2b, 0x2b, 0x2b, 0x3d, 0x27, 0x85); // UI
    TYPED_REFUSED("llc_xid", FCS, 5, 0x03, 0xfb, 0x16, 0x04, 0xd2, 0x16, 0xf9, 0x85);
}

// The offset is where the parameter would stand, or the second octet of the header is 1.
static void test_encode_faults(void **state)
{
    static const struct llc_xid at_2[] = {
        {.sapi = 3, .has_version = true, .version = 16},
        {.sapi = 3, .has_t200_ms = true, .t200_ms = 0},
        {.sapi = 3, .has_t200_ms = true, .t200_ms = 5050},
        {.sapi = 3, .has_t200_ms = true, .t200_ms = 409600},
        {.sapi = 3, .has_n200 = true, .n200 = 16},
        {.sapi = 3, .has_n201_u_octets = true, .n201_u_octets = 139},
        {.sapi = 3, .has_n201_i_octets = true, .n201_i_octets = 1521},
        {.sapi = 3, .has_md_octets = true, .md_octets = 24321 * 16},
        {.sapi = 3, .has_md_octets = true, .md_octets = 128},
        {.sapi = 3, .has_mu_octets = true, .mu_octets = 145},
        {.sapi = 3, .has_kd = true, .kd = 0},
        {.sapi = 3, .has_layer3 = true, .layer3 = {frame, 256}},
    };
    uint8_t b[300];
    (void)state;
    for (size_t i = 0; i < COUNT(at_2); i++)
        EXPECT_FAULT(llc_xid_encode(&at_2[i], b, sizeof b), RANGE, 2);
    EXPECT_FAULT(llc_xid_encode(&(struct llc_xid){.sapi = 0}, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(llc_xid_encode(&(struct llc_xid){.sapi = 15}, b, sizeof b), RANGE, 0);
    struct llc_xid xid = {.sapi = 3, .reset = true, .has_iov_ui = true, .has_ku = true};
    EXPECT_FAULT(llc_xid_encode(&xid, b, sizeof b), RANGE, 9);
}

// The layer-3 parameters may lie anywhere in the buffer that is written.
static void test_encode_in_place(void **state)
{
    uint8_t expected[64], b[64];
    struct llc_xid xid = {.sapi = 3,
                          .reset = true,
                          .has_iov_ui = true,
                          .iov_ui = 0x01020304,
                          .has_layer3 = true,
                          .layer3 = {(const uint8_t *)"abcdefgh", 8}};
    (void)state;
    int n = llc_xid_encode(&xid, expected, sizeof expected);
    for (uint32_t offset = 0; offset < 40; offset++) {
        memcpy(b + offset, "abcdefgh", 8);
        xid.layer3.at = b + offset;
        assert_int_equal(llc_xid_encode(&xid, b, sizeof b), n);
        assert_memory_equal(b, expected, (size_t)n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_downlink_frame),
        cmocka_unit_test(test_captured_uplink_frame),
        cmocka_unit_test(test_every_parameter),
        cmocka_unit_test(test_lowest_and_highest_values),
        cmocka_unit_test(test_values_out_of_range),
        cmocka_unit_test(test_layer3_lengths),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_what_is_taken_but_not_written),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
        cmocka_unit_test(test_encode_in_place),
    };
    return cmocka_run_group_tests_name("wire/llc_xid", tests, NULL, NULL);
}
