// The receiver's side of ciphering, with a toy in the cipher's place: which numbers it names to the
// hook, and that frames deciphered or not are judged alike. Real ciphers come in where it is used.
#include "tests/oracle/receiver_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool has_cipher;

// Any two frames that differ in a number have other octets.
static bool toy(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t len)
{
    (void)ctx;
    uint32_t x = frame->tlli * 31 + frame->oc * 17 + frame->sapi * 5 + frame->nu + 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        octets[i] ^= (uint8_t)(x >> 24);
    }
    return has_cipher;
}

static int toy_setup(void **state)
{
    int fault = receiver_setup(state);
    has_cipher = true;
    if (!fault)
        gb_receiver_set_decipher(((struct caught *)*state)->receiver, toy, NULL);
    return fault;
}
#define TOY_TEST(name) cmocka_unit_test_setup_teardown(name, toy_setup, receiver_teardown)

// FCS with E in the header, then the cipher over information and FCS.
static struct frame enciphered(const struct spec *s, uint32_t oc)
{
    struct frame f = frame_built(s);
    struct gb_ciphered numbers = {s->tlli, oc, s->sapi, (uint16_t)s->nu};
    f.at[f.llc + 2] |= 0x02;
    frame_fcs(&f);
    toy(NULL, &numbers, f.at + f.llc + 3, f.len - f.llc - 3);
    frame_udp_checksum(&f);
    return f;
}

static void expect_frame(struct caught *caught, uint32_t number, uint32_t oc, enum gb_error error)
{
    struct spec s = plain;
    s.nu = number % 512;
    s.npdu_number = number % 4096;
    expect_verdict(caught, enciphered(&s, oc), error);
    if (!error)
        expect_npdu(caught, plain.octets, plain.len);
}

static void expect_frames(struct caught *caught, uint32_t first, uint32_t end)
{
    for (uint32_t number = first; number < end; number++)
        expect_frame(caught, number, number / 512 * 512, GB_ERR_NONE);
}

static void test_number_0_is_the_first_of_its_overflow(void **state)
{
    expect_frames(*state, 0, 1540);
}

static void test_another_overflow_is_noise(void **state)
{
    expect_frames(*state, 0, 511);
    expect_frame(*state, 511, 512, GB_ERR_LLC_FCS);
    expect_frame(*state, 511, 0, GB_ERR_NONE);
    expect_frame(*state, 512, 0, GB_ERR_LLC_FCS);
    expect_frame(*state, 512, 512, GB_ERR_NONE);
}

// A frame that comes twice is known as such, also across the wrap, and is not a whole round ahead.
static void test_a_duplicate_is_under_its_old_overflow(void **state)
{
    expect_frames(*state, 0, 512);
    expect_frame(*state, 511, 0, GB_ERR_LLC_NU);
}

static void test_a_gap_across_the_wrap(void **state)
{
    struct caught *caught = *state;
    expect_frames(caught, 0, 500);
    expect_frame(caught, 515, 512, GB_ERR_LLC_NU);
    expect_frame(caught, 516, 512, GB_ERR_SNDCP_NPDU_NUMBER);
    expect_frame(caught, 517, 512, GB_ERR_NONE);
}

static void test_lles_count_apart(void **state)
{
    struct spec s = plain;
    expect_frames(*state, 0, 513);
    s.sapi = 5;
    s.nsapi = 6;
    expect_verdict(*state, enciphered(&s, 0), GB_ERR_NONE);
    s = plain;
    s.tlli++;
    expect_verdict(*state, enciphered(&s, 0), GB_ERR_NONE);
}

static void test_unprotected_mode(void **state)
{
    struct frame f = frame_built(&plain);
    struct gb_ciphered numbers = {plain.tlli, 0, plain.sapi, 0};
    f.at[f.llc + 2] = 0x02;
    frame_fcs(&f);
    f.at[f.len - 4] ^= 1; // beyond N202
    toy(NULL, &numbers, f.at + f.llc + 3, f.len - f.llc - 3);
    frame_udp_checksum(&f);
    expect_verdict(*state, f, GB_ERR_NONE);
}

static void test_who_has_a_cipher(void **state)
{
    struct frame e = enciphered(&plain, 0);
    expect_verdict(*state, frame_built(&plain), GB_ERR_LLC_CLEAR);
    has_cipher = false;
    expect_verdict(*state, e, GB_ERR_LLC_CIPHERED);
    expect_verdict(*state, frame_built(&plain), GB_ERR_NONE);
}

// N(U) and OC begin anew; the N-PDU that is half there goes on.
static void test_new_key(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    expect_frames(caught, 0, 600);
    s.bits = F | M;
    s.nu = 600 % 512;
    s.npdu_number = 600;
    expect_verdict(caught, enciphered(&s, 512), GB_ERR_NONE);
    gb_receiver_new_key(caught->receiver, plain.tlli);
    gb_receiver_new_key(caught->receiver, plain.tlli + 1); // nobody
    s.bits = 0;
    s.nu = 0;
    s.segment = 1;
    expect_verdict(caught, enciphered(&s, 0), GB_ERR_NONE);
    assert_int_equal(caught->npdu.len, 2 * plain.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOY_TEST(test_number_0_is_the_first_of_its_overflow),
        TOY_TEST(test_another_overflow_is_noise),
        TOY_TEST(test_a_duplicate_is_under_its_old_overflow),
        TOY_TEST(test_a_gap_across_the_wrap),
        TOY_TEST(test_lles_count_apart),
        TOY_TEST(test_unprotected_mode),
        TOY_TEST(test_who_has_a_cipher),
        TOY_TEST(test_new_key),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver cipher", tests, NULL, NULL);
}
