// LLC U frames: typed octets both ways, C/R in both directions, SABM refused by DM, each fault. The
// FCS of the typed frames was computed apart from this code, and tshark calls it right.
#include "dataplane/wire/llc_u.h"

#include "tests/dataplane/wire/typed.h"

static void expect_header(const struct llc_u *frame, bool cr, uint8_t sapi, bool pf,
                          uint8_t command)
{
    assert_int_equal(frame->cr, cr);
    assert_int_equal(frame->sapi, sapi);
    assert_int_equal(frame->pf, pf);
    assert_int_equal(frame->command, command);
}

static void test_frames_without_information(void **state)
{
    struct llc_u frame;
    (void)state;
    TYPED_BOTH_WAYS("llc_u", &frame, 0x03, 0xf7, 0x6a, 0x13, 0x48);
    expect_header(&frame, false, 3, true, LLC_U_SABM);
    assert_int_equal(frame.info.n, 0);
    TYPED_BOTH_WAYS("llc_u", &frame, 0x03, 0xf1, 0x28, 0xd7, 0x09);
    expect_header(&frame, false, 3, true, LLC_U_DM);
    TYPED_BOTH_WAYS("llc_u", &frame, 0x03, 0xf4, 0x4b, 0xf1, 0x68);
    expect_header(&frame, false, 3, true, LLC_U_DISC);
    TYPED_BOTH_WAYS("llc_u", &frame, 0x43, 0xe6, 0x3e, 0x8b, 0x6e);
    expect_header(&frame, true, 3, false, LLC_U_UA);
    TYPED_BOTH_WAYS("llc_u", &frame, 0x43, 0xe0, 0x7c, 0x4f, 0x2f);
    expect_header(&frame, true, 3, false, LLC_U_NULL);
}

static void test_frames_with_information(void **state)
{
    struct llc_u frame;
    (void)state;
    TYPED_BOTH_WAYS("llc_u", &frame, 0x03, 0xf8, 0xff, 0, 0, 0, 0, 0x08, 0xf1, 0x6c, 0xee);
    expect_header(&frame, false, 3, true, LLC_U_FRMR);
    expect_octets(frame.info, "\xff\0\0\0\0\x08", 6);
    TYPED_BOTH_WAYS("llc_u", &frame, 0x03, 0xfb, 0x16, 0x04, 0xd2, 0x16, 0xf9, 0x84);
    expect_header(&frame, false, 3, true, LLC_U_XID);
    expect_octets(frame.info, "\x16\x04\xd2", 3);
}

// The FCS covers all of the information, also beyond the N202 octets of a UI frame.
static void test_what_the_fcs_covers(void **state)
{
    static uint8_t info[LLC_U_INFO_MAX], b[LLC_U_INFO_MAX + 5];
    struct llc_u frame = {.sapi = 1, .command = LLC_U_XID, .info = {info, sizeof info}};
    (void)state;
    assert_int_equal(llc_u_encode(&frame, b, sizeof b), sizeof b);
    uint32_t fcs = plain_fcs(b, sizeof b - 3);
    assert_int_equal(b[sizeof b - 3] | b[sizeof b - 2] << 8 | b[sizeof b - 1] << 16, fcs);
    for (uint32_t at = 2; at < sizeof b; at += 7) {
        b[at] ^= 0x10;
        EXPECT_FAULT(llc_u_decode(&frame, b, sizeof b), FCS, sizeof b - 3);
        b[at] ^= 0x10;
    }
    assert_int_equal(llc_u_decode(&frame, b, sizeof b), sizeof b);
}

// 44.064 6.2.2: downlink commands and uplink responses have the bit set.
static void test_command_response_bit(void **state)
{
    (void)state;
    assert_true(llc_cr(true, true));
    assert_false(llc_cr(false, true));
    assert_false(llc_cr(true, false));
    assert_true(llc_cr(false, false));
}

// An MS wants acknowledged operation and is refused: DM with the F bit that P asks for.
static void test_sabm_is_refused(void **state)
{
    static const uint8_t sabm[] = {0x03, 0xf7, 0x6a, 0x13, 0x48};
    static const uint8_t dm[] = {0x03, 0xf1, 0x28, 0xd7, 0x09};
    struct llc_u frame;
    uint8_t b[8];
    (void)state;
    assert_int_equal(llc_u_decode(&frame, sabm, sizeof sabm), sizeof sabm);
    assert_true(frame.cr == llc_cr(true, false) && frame.command == LLC_U_SABM);
    struct llc_u answer = {
        .cr = llc_cr(false, true), .sapi = frame.sapi, .pf = frame.pf, .command = LLC_U_DM};
    assert_int_equal(llc_u_encode(&answer, b, sizeof b), sizeof dm);
    assert_memory_equal(b, dm, sizeof dm);
}

static void expect_refused(uint8_t address, uint8_t control, enum wire_err err, uint32_t offset)
{
    uint8_t b[5] = {address, control};
    uint32_t fcs = plain_fcs(b, 2);
    for (int i = 0; i < 3; i++)
        b[2 + i] = (uint8_t)(fcs >> 8 * i);
    typed_refused("llc_u", b, sizeof b, err, offset);
}

static void test_decode_faults(void **state)
{
    static uint8_t longest[LLC_U_INFO_MAX + 6] = {0x03, 0xfb};
    (void)state;
    for (uint32_t n = 0; n < 5; n++)
        typed_refused("llc_u", TYPED(0x03, 0xf7, 0x6a, 0x13, 0x48), n, WIRE_TRUNCATED, n);
    expect_refused(0x83, 0xf7, WIRE_TYPE, 0); // PD
    expect_refused(0x13, 0xf7, WIRE_RESERVED, 0);
    expect_refused(0x23, 0xf7, WIRE_RESERVED, 0);
    expect_refused(0x40, 0xf7, WIRE_RESERVED, 0);
    expect_refused(0x0f, 0xf7, WIRE_RESERVED, 0);
    expect_refused(0x03, 0xc0, WIRE_TYPE, 1); // UI
    expect_refused(0x03, 0x80, WIRE_TYPE, 1); // S
    expect_refused(0x03, 0x00, WIRE_TYPE, 1); // I
    TYPED_REFUSED("llc_u", FCS, 2, 0x03, 0xf7, 0x6a, 0x13, 0x49);
    TYPED_REFUSED("llc_u", FCS, 2, 0x03, 0xe7, 0x6a, 0x13, 0x48);
    typed_refused("llc_u", longest, sizeof longest, WIRE_LENGTH, sizeof longest);
}

static void test_encode_faults(void **state)
{
    static uint8_t b[LLC_U_INFO_MAX + 8];
    (void)state;
    EXPECT_FAULT(llc_u_encode(&(struct llc_u){.sapi = 0}, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(llc_u_encode(&(struct llc_u){.sapi = 15}, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(llc_u_encode(&(struct llc_u){.sapi = 3, .command = 16}, b, sizeof b), RANGE, 1);
    EXPECT_FAULT(
        llc_u_encode(&(struct llc_u){.sapi = 3, .info = {b, LLC_U_INFO_MAX + 1}}, b, sizeof b),
        RANGE, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_without_information),
        cmocka_unit_test(test_frames_with_information),
        cmocka_unit_test(test_what_the_fcs_covers),
        cmocka_unit_test(test_command_response_bit),
        cmocka_unit_test(test_sabm_is_refused),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/llc_u", tests, NULL, NULL);
}
