// LLC UI frames: captured and typed frames both ways, what the FCS covers with and without PM, the
// encipherment bit, each fault.
#include "dataplane/wire/llc.h"

#include "tests/dataplane/wire/judge.h"

// A captured downlink GMM frame, PM = 1, and an uplink one, PM = 0 with N(U) 4.
static const uint8_t downlink[] = {0x41, 0xc0, 0x01, 0x08, 0x15, 0x02, 0xde, 0x8e, 0x9a};
static const uint8_t uplink[] = {0x01, 0xc0, 0x10, 0x08, 0x05, 0x09, 0xaf, 0xe6, 0x33};

static struct llc_ui decoded(const uint8_t *b, uint32_t n)
{
    struct llc_ui frame;
    assert_int_equal(llc_ui_decode(&frame, page_end_copy(b, n), n), n);
    return frame;
}

static void expect_encoded(const struct llc_ui *frame, const uint8_t *expected, int n)
{
    uint8_t b[64];
    assert_int_equal(llc_ui_encode(frame, b, sizeof b), n);
    assert_memory_equal(b, expected, (size_t)n);
}

static void test_captured_downlink_frame(void **state)
{
    struct llc_ui frame = decoded(downlink, sizeof downlink);
    (void)state;
    assert_true(frame.cr);
    assert_int_equal(frame.sapi, 1);
    assert_int_equal(frame.nu, 0);
    assert_false(frame.enciphered);
    assert_true(frame.protect_all);
    expect_octets(frame.info, "\x08\x15\x02", 3);
    expect_encoded(&frame, downlink, sizeof downlink);
}

static void test_captured_uplink_frame(void **state)
{
    struct llc_ui frame = decoded(uplink, sizeof uplink);
    (void)state;
    assert_false(frame.cr);
    assert_int_equal(frame.sapi, 1);
    assert_int_equal(frame.nu, 4);
    assert_false(frame.enciphered);
    assert_false(frame.protect_all);
    expect_octets(frame.info, "\x08\x05\x09", 3);
    expect_encoded(&frame, uplink, sizeof uplink);
}

// User data on SAPI 3; the frame of the digest's last vector.
static void test_user_data_frame(void **state)
{
    static const uint8_t typed[] = {0x43, 0xc0, 0x01, 0x2b, 0x2b, 0x2b, 0x3d, 0x27, 0x85};
    struct llc_ui frame = {
        .cr = true, .sapi = 3, .protect_all = true, .info = {(const uint8_t *)"+++", 3}};
    (void)state;
    expect_encoded(&frame, typed, sizeof typed);
}

// N(U) has 9 bits, three in the first control octet and six in the second.
static void test_nu_bits(void **state)
{
    static const struct {
        uint16_t nu;
        uint8_t control[2];
    } cases[] = {{1, {0xc0, 0x05}},   {63, {0xc0, 0xfd}},  {64, {0xc1, 0x01}},
                 {256, {0xc4, 0x01}}, {511, {0xc7, 0xfd}}, {0, {0xc0, 0x01}}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct llc_ui frame = {.cr = true, .sapi = 3, .nu = cases[i].nu, .protect_all = true};
        uint8_t b[6];
        assert_int_equal(llc_ui_encode(&frame, b, sizeof b), 6);
        assert_memory_equal(b + 1, cases[i].control, 2);
        assert_int_equal(decoded(b, 6).nu, cases[i].nu);
        memset(b, 0xff, sizeof b);
        llc_ui_put_header(&frame, b);
        assert_int_equal(b[0], 0x43);
        assert_memory_equal(b + 1, cases[i].control, 2);
        assert_int_equal(b[3], 0xff);
    }
}

static void test_saps(void **state)
{
    uint8_t b[6];
    (void)state;
    for (uint8_t sapi = 1; sapi <= 14; sapi++) {
        struct llc_ui frame = {.sapi = sapi};
        assert_int_equal(llc_ui_encode(&frame, b, sizeof b), 6);
        assert_int_equal(b[0], sapi);
        assert_int_equal(decoded(b, 6).sapi, sapi);
    }
}

// 44.064 5.5: with PM the FCS covers all, without it the header and the first N202 = 4 octets.
static void test_what_the_fcs_covers(void **state)
{
    uint8_t info[40] = {0}, b[46];
    (void)state;
    for (uint32_t n = 0; n <= sizeof info; n++) {
        for (int protect_all = 0; protect_all < 2; protect_all++) {
            struct llc_ui frame = {
                .cr = true, .sapi = 3, .protect_all = protect_all, .info = {info, n}};
            uint32_t covered = protect_all || n < 4 ? n : 4;
            assert_int_equal(llc_ui_encode(&frame, b, sizeof b), n + 6);
            uint32_t fcs = plain_fcs(b, 3 + covered);
            assert_int_equal(b[n + 3] | b[n + 4] << 8 | b[n + 5] << 16, fcs);
        }
    }
}

static void test_what_the_fcs_does_not_cover(void **state)
{
    struct llc_ui frame = {.sapi = 3, .info = {(const uint8_t *)"abcdefgh", 8}};
    uint8_t b[14];
    (void)state;
    assert_int_equal(llc_ui_encode(&frame, b, sizeof b), 14);
    for (uint32_t at = 3; at < 14; at++) {
        b[at] ^= 0x10;
        int result = llc_ui_decode(&frame, b, sizeof b);
        if (at >= 7 && at < 11)
            assert_int_equal(result, 14);
        else
            EXPECT_FAULT(result, FCS, 11);
        b[at] ^= 0x10;
    }
}

// What is enciphered tells nothing: the same frame with a wrong FCS is good with E set.
static void test_enciphered_frame(void **state)
{
    static const uint8_t typed[] = {0x43, 0xc0, 0x03, 'x', 'y', 0, 0, 0};
    struct llc_ui frame = decoded(typed, sizeof typed);
    (void)state;
    assert_true(frame.enciphered);
    assert_true(frame.protect_all);
    expect_octets(frame.info, "xy", 2);
}

// Deciphered, it is judged as any other, over a header that says E.
static void test_deciphered_frame(void **state)
{
    uint8_t b[] = {0x43, 0xc0, 0x02, 'a', 'b', 'c', 'd', 'e', 'f', 0, 0, 0};
    (void)state;
    for (uint8_t protect_all = 0; protect_all < 2; protect_all++) {
        b[2] = 0x02 | protect_all;
        uint32_t fcs = plain_fcs(b, protect_all ? 9 : 7);
        for (int i = 0; i < 3; i++)
            b[9 + i] = (uint8_t)(fcs >> 8 * i);
        for (uint32_t at = 0; at < sizeof b; at++) {
            uint8_t flip = at == 2 ? 0x02 : 0x10; // of the control field E, and not PM
            assert_true(llc_ui_fcs_good(b, sizeof b));
            b[at] ^= flip;
            bool covered = protect_all || at < 7 || at >= 9;
            assert_int_equal(llc_ui_fcs_good(b, sizeof b), !covered);
            b[at] ^= flip;
        }
    }
}

static void expect_refused(uint32_t at, uint8_t value, enum wire_err err, uint32_t offset)
{
    uint8_t b[sizeof downlink];
    struct llc_ui frame;
    memcpy(b, downlink, sizeof b);
    b[at] = value;
    uint32_t fcs = plain_fcs(b, 6);
    for (int i = 0; i < 3 && err != WIRE_FCS; i++)
        b[6 + i] = (uint8_t)(fcs >> 8 * i);
    expect_fault(llc_ui_decode(&frame, b, sizeof b), err, offset);
}

// A later release gives the bits X of the control field a meaning; a receiver passes over them.
static void test_spare_bits_are_not_looked_at(void **state)
{
    (void)state;
    for (int bits = 0x08; bits <= 0x18; bits += 0x08) {
        uint8_t b[sizeof downlink];
        struct llc_ui frame;
        memcpy(b, downlink, sizeof b);
        b[1] |= (uint8_t)bits;
        uint32_t fcs = plain_fcs(b, 6);
        for (int i = 0; i < 3; i++)
            b[6 + i] = (uint8_t)(fcs >> 8 * i);
        assert_int_equal(llc_ui_decode(&frame, b, sizeof b), sizeof b);
        assert_int_equal(frame.nu, 0);
    }
}

static void test_decode_faults(void **state)
{
    struct llc_ui frame;
    (void)state;
    for (uint32_t n = 0; n < 6; n++)
        EXPECT_FAULT(llc_ui_decode(&frame, page_end_copy(downlink, n), n), TRUNCATED, n);
    expect_refused(0, 0xc1, WIRE_TYPE, 0); // PD
    expect_refused(0, 0x51, WIRE_RESERVED, 0);
    expect_refused(0, 0x61, WIRE_RESERVED, 0);
    expect_refused(0, 0x40, WIRE_RESERVED, 0);
    expect_refused(0, 0x4f, WIRE_RESERVED, 0);
    expect_refused(1, 0xfb, WIRE_TYPE, 1); // XID, a U frame
    expect_refused(1, 0x00, WIRE_TYPE, 1); // an I frame
    expect_refused(1, 0x80, WIRE_TYPE, 1); // an S frame
    for (uint32_t at = 3; at < 9; at++)
        expect_refused(at, 0x77, WIRE_FCS, 6);
}

static void test_encode_faults(void **state)
{
    uint8_t b[64];
    (void)state;
    EXPECT_FAULT(llc_ui_encode(&(struct llc_ui){.sapi = 0}, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(llc_ui_encode(&(struct llc_ui){.sapi = 15}, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(llc_ui_encode(&(struct llc_ui){.sapi = 3, .nu = 512}, b, sizeof b), RANGE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_downlink_frame),
        cmocka_unit_test(test_captured_uplink_frame),
        cmocka_unit_test(test_user_data_frame),
        cmocka_unit_test(test_nu_bits),
        cmocka_unit_test(test_saps),
        cmocka_unit_test(test_what_the_fcs_covers),
        cmocka_unit_test(test_what_the_fcs_does_not_cover),
        cmocka_unit_test(test_enciphered_frame),
        cmocka_unit_test(test_deciphered_frame),
        cmocka_unit_test(test_spare_bits_are_not_looked_at),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/llc", tests, NULL, NULL);
}
