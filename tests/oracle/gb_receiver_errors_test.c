// What the Gb receiver refuses: for every error a frame that provokes it, and 200 000 mutants of
// good frames, of which none may crash it or bring a wrong N-PDU.
#include "tests/oracle/gb_receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/receiver_fixture.h"
#include "tests/oracle/typed_frames.h"

// Patches to the frame `single`; offset 0 ends them. A length cuts the frame. What `keep` names is
// not repaired: 'i' the IP checksum, 'u' the UDP checksum, 'l' the LLC FCS.
struct fault {
    enum gb_error error;
    size_t len;
    struct {
        uint16_t at;
        uint8_t value;
    } patches[5];
    char keep;
};

static const struct fault faults[] = {
    {GB_ERR_ETHERNET_SHORT, 13, {{0}}, 'i'},
    {GB_ERR_ETHERNET_TYPE, 0, {{12, 0x86}, {13, 0xdd}}, 0},
    {GB_ERR_IP_SHORT, 33, {{0}}, 'i'},
    {GB_ERR_IP_HEADER, 0, {{14, 0x46}}, 0},
    {GB_ERR_IP_HEADER, 0, {{14, 0x65}}, 0},
    {GB_ERR_IP_LENGTH, 0, {{17, 0x5e}}, 0},
    {GB_ERR_IP_LENGTH, 0, {{17, 0x5c}}, 0},
    {GB_ERR_IP_LENGTH, 60, {{17, 19}}, 0},
    {GB_ERR_IP_CHECKSUM, 0, {{25, 0x8c}}, 'i'},
    {GB_ERR_IP_FRAGMENT, 0, {{20, 0x20}}, 0},
    {GB_ERR_IP_FRAGMENT, 0, {{20, 0x80}}, 0},
    {GB_ERR_IP_FRAGMENT, 0, {{21, 0x01}}, 0},
    {GB_ERR_IP_TTL, 0, {{22, 0}}, 0},
    {GB_ERR_IP_PROTOCOL, 0, {{23, 6}}, 0},
    {GB_ERR_UDP_SHORT, 41, {{17, 27}}, 0},
    {GB_ERR_UDP_LENGTH, 0, {{39, 0x48}}, 0},
    {GB_ERR_UDP_LENGTH, 0, {{39, 0x4a}}, 0},
    {GB_ERR_UDP_CHECKSUM, 0, {{41, 0x05}}, 'u'},
    {GB_ERR_NS_SHORT, 42, {{17, 28}, {39, 8}}, 0},
    {GB_ERR_NS_SHORT, 45, {{17, 31}, {39, 11}}, 0},
    {GB_ERR_NS_TYPE, 0, {{42, 0x0a}}, 0},
    {GB_ERR_NS_CONTROL, 0, {{43, 0x01}}, 0},
    {GB_ERR_NS_BVCI, 0, {{44, 0}, {45, 0}}, 0},
    {GB_ERR_NS_BVCI, 0, {{44, 0}, {45, 1}}, 0},
    {GB_ERR_BSSGP_SHORT, 46, {{17, 32}, {39, 12}}, 0},
    {GB_ERR_BSSGP_SHORT, 57, {{17, 43}, {39, 23}}, 0},
    {GB_ERR_BSSGP_TYPE, 0, {{46, 0x01}}, 0},
    {GB_ERR_BSSGP_TYPE, 47, {{17, 33}, {39, 13}, {46, 0x41}}, 0},
    {GB_ERR_BSSGP_LIFETIME, 0, {{54, 0x17}}, 0},
    {GB_ERR_BSSGP_LIFETIME, 0, {{55, 0x81}}, 0},
    {GB_ERR_BSSGP_IE, 0, {{62, 0xad}}, 0},
    {GB_ERR_BSSGP_IE, 62, {{17, 48}, {39, 28}}, 0},
    {GB_ERR_BSSGP_IE, 63, {{17, 49}, {39, 29}, {62, 0}}, 0},
    {GB_ERR_BSSGP_NO_LLC, 0, {{61, 0x0f}}, 0},
    {GB_ERR_BSSGP_NO_LLC, 58, {{17, 44}, {39, 24}}, 0},
    {GB_ERR_BSSGP_AFTER_LLC, 0, {{62, 0xab}}, 0},
    {GB_ERR_BSSGP_ALIGNMENT, 0, {{58, 0x00}}, 0},
    {GB_ERR_BSSGP_ALIGNMENT, 0, {{58, 0x00}, {59, 0x84}}, 0},
    {GB_ERR_BSSGP_ALIGNMENT, 0, {{58, 0x00}, {59, 0x80}, {60, 0x28}, {61, 0x80 + 45}}, 0},
    {GB_ERR_LLC_SHORT, 68, {{17, 54}, {39, 34}, {62, 0x85}}, 0},
    {GB_ERR_LLC_ADDRESS, 0, {{63, 0xc3}}, 0},
    {GB_ERR_LLC_ADDRESS, 0, {{63, 0x53}}, 0},
    {GB_ERR_LLC_ADDRESS, 0, {{63, 0x63}}, 0},
    {GB_ERR_LLC_RESPONSE, 0, {{63, 0x03}}, 0},
    {GB_ERR_LLC_SAPI, 0, {{63, 0x41}}, 0},
    {GB_ERR_LLC_SAPI, 0, {{63, 0x40}}, 0},
    {GB_ERR_LLC_SAPI, 0, {{63, 0x47}}, 0},
    {GB_ERR_LLC_CONTROL, 0, {{64, 0xe0}}, 0},
    {GB_ERR_LLC_CONTROL, 0, {{64, 0xd0}}, 0},
    {GB_ERR_LLC_CONTROL, 0, {{64, 0xc8}}, 0},
    {GB_ERR_LLC_CIPHERED, 0, {{65, 0x03}}, 0},
    {GB_ERR_LLC_FCS, 0, {{104, 0x48}}, 'l'},
    {GB_ERR_LLC_FCS, 0, {{106, 0xd1}}, 'l'},
    {GB_ERR_LLC_FCS, 0, {{103, 'd'}}, 'l'},
    {GB_ERR_LLC_NU, 0, {{65, 0x05}}, 0},
    {GB_ERR_LLC_NU, 0, {{64, 0xc4}}, 0},
    {GB_ERR_SNDCP_SHORT, 69, {{17, 55}, {39, 35}, {62, 0x86}}, 0},
    {GB_ERR_SNDCP_SHORT, 72, {{17, 58}, {39, 38}, {62, 0x89}}, 0},
    {GB_ERR_SNDCP_SPARE, 0, {{66, 0xe5}}, 0},
    {GB_ERR_SNDCP_TYPE, 0, {{66, 0x45}}, 0},
    {GB_ERR_SNDCP_NSAPI, 0, {{66, 0x64}}, 0},
    {GB_ERR_SNDCP_COMPRESSION, 0, {{67, 0x10}}, 0},
    {GB_ERR_SNDCP_COMPRESSION, 0, {{67, 0x01}}, 0},
    {GB_ERR_SNDCP_EMPTY, 73, {{17, 59}, {39, 39}, {62, 0x8a}}, 0},
    {GB_ERR_SNDCP_NPDU_NUMBER, 0, {{69, 1}}, 0},
    {GB_ERR_SNDCP_NPDU_NUMBER, 0, {{68, 8}}, 0},
    {GB_ERR_SNDCP_SEGMENT, 0, {{68, 0x10}}, 0},
    {GB_ERR_SNDCP_NO_FIRST, 0, {{66, 0x25}}, 0},
};

static struct frame faulty(const struct fault *fault)
{
    struct frame f = TYPED(single);
    for (size_t i = 0; i < 5 && fault->patches[i].at != 0; i++)
        f.at[fault->patches[i].at] = fault->patches[i].value;
    if (fault->len != 0)
        f.len = fault->len;
    if (fault->keep != 'l')
        frame_fcs(&f);
    if (fault->keep != 'u')
        frame_udp_checksum(&f);
    if (fault->keep != 'i')
        frame_ip_checksum(&f);
    return f;
}

// One receiver for each fault. Up to the FCS nothing may leave a trace: the good frame still fits.
static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        void *fresh;
        assert_int_equal(receiver_setup(&fresh), 0);
        struct caught *caught = fresh;
        expect_verdict(caught, faulty(&faults[i]), faults[i].error);
        assert_int_equal(gb_receiver_counters(caught->receiver)->errors[faults[i].error], 1);
        assert_int_equal(caught->npdus, 0);
        if (faults[i].error < GB_ERR_LLC_NU)
            expect_verdict(caught, TYPED(single), GB_ERR_NONE);
        receiver_teardown(&fresh);
    }
}

static void test_llc_too_long(void **state)
{
    struct spec s = plain;
    s.octets = octets_1520;
    s.len = GB_N201_U_MAX - 4 + 1;
    expect_verdict(*state, frame_built(&s), GB_ERR_LLC_LONG);
}

static bool everybody_has_a_cipher(void *ctx, const struct gb_ciphered *frame, uint8_t *octets,
                                   size_t len)
{
    (void)ctx, (void)frame, (void)octets, (void)len;
    return true;
}

static void test_in_the_clear(void **state)
{
    struct caught *caught = *state;
    gb_receiver_set_decipher(caught->receiver, everybody_has_a_cipher, NULL);
    expect_verdict(caught, TYPED(single), GB_ERR_LLC_CLEAR);
}

// The last of the frames is refused, and the N-PDU that the others began goes with it.
static void expect_last(const struct spec *specs, size_t count, enum gb_error error)
{
    void *fresh;
    assert_int_equal(receiver_setup(&fresh), 0);
    struct caught *caught = fresh;
    for (size_t i = 0; i < count; i++)
        expect_verdict(caught, frame_built(&specs[i]), i + 1 < count ? GB_ERR_NONE : error);
    assert_int_equal(gb_receiver_counters(caught->receiver)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(caught->receiver)->partials_discarded, 1);
    receiver_teardown(&fresh);
}

static void test_partial_is_discarded(void **state)
{
    static const uint8_t x[] = {'x'};
    const struct spec first = {1, 3, 5, F | M, 0, 0, 0, 1, x};
    struct {
        enum gb_error error;
        struct spec second;
    } cases[] = {
        {GB_ERR_SNDCP_FIRST_AGAIN, {1, 3, 5, F, 1, 1, 0, 1, x}},
        {GB_ERR_SNDCP_NPDU_CHANGED, {1, 3, 5, 0, 1, 1, 1, 1, x}},
        {GB_ERR_SNDCP_SEGMENT, {1, 3, 5, 0, 1, 0, 2, 1, x}},
        {GB_ERR_SNDCP_SEGMENT, {1, 3, 5, 0, 1, 0, 0, 1, x}},
        {GB_ERR_SNDCP_OTHER_SAPI, {1, 9, 5, 0, 0, 0, 1, 1, x}},
        {GB_ERR_SNDCP_NPDU_LONG, {1, 3, 5, 0, 1, 0, 1, 1500, octets_1520}},
        {GB_ERR_LLC_NU, {1, 3, 5, 0, 2, 0, 1, 1, x}},
        {GB_ERR_LLC_NU, {1, 3, 5, 0, 0, 0, 1, 1, x}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct spec specs[] = {first, cases[i].second};
        if (cases[i].error == GB_ERR_SNDCP_NPDU_LONG) {
            specs[0].len = 21;
            specs[0].octets = octets_1520;
        }
        expect_last(specs, 2, cases[i].error);
    }
}

// After one lost frame there is one error for each number that jumped, then all is well again.
static void test_goes_on_after_a_gap(void **state)
{
    struct caught *caught = *state;
    static const enum gb_error errors[] = {GB_ERR_LLC_NU, GB_ERR_SNDCP_NPDU_NUMBER, GB_ERR_NONE};
    struct spec s = plain;
    for (unsigned i = 0; i < 3; i++) {
        s.nu = s.npdu_number = i + 1;
        expect_verdict(caught, frame_built(&s), errors[i]);
    }
    assert_int_equal(gb_receiver_counters(caught->receiver)->frames, 3);
    assert_int_equal(caught->npdus, 1);
}

static void test_table_is_full(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    for (uint32_t i = 0; i < GB_MSS_MAX; i++) {
        s.tlli = 0xc0000000 + i * 0x1000; // all fall into one bucket
        expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
        assert_int_equal(caught->npdu.tlli, s.tlli);
    }
    s.tlli = 0x12345678;
    expect_verdict(caught, frame_built(&s), GB_ERR_MS_TABLE);
    s.tlli = 0xc0000000;
    s.nu = s.npdu_number = 1;
    expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
}

static void test_error_texts(void **state)
{
    (void)state;
    assert_string_equal(gb_receiver_error_text(0), "no error");
    assert_string_equal(gb_receiver_error_text(-GB_ERR_SNDCP_NPDU_LONG),
                        "N-PDU is longer than 1520 octets");
    assert_string_equal(gb_receiver_error_text(1), "unknown error");
    assert_string_equal(gb_receiver_error_text(-GB_ERR_COUNT), "unknown error");
    for (int a = 0; a < GB_ERR_COUNT; a++) {
        for (int b = 0; b < a; b++)
            assert_string_not_equal(gb_receiver_error_text(-a), gb_receiver_error_text(-b));
    }
}

static uint64_t random_state = 88172645463325252;

static unsigned random_below(size_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 20) % bound);
}

static void mutate_once(struct frame *f)
{
    size_t at = random_below(f->len);
    uint8_t octet = (uint8_t)random_below(256);
    switch (random_below(12)) {
    case 0:
        f->len = at + 1;
        break;
    case 1:
        frame_insert(f, at, &octet, 1);
        break;
    case 2:
        memmove(f->at + at, f->at + at + 1, f->len - at - 1);
        f->len -= f->len > 1;
        break;
    case 3:
        f->at[at] = octet;
        break;
    default:
        f->at[at] ^= (uint8_t)(1u << octet % 8);
    }
}

// Most mutants get good lengths and a good IP checksum, so that they reach the upper layers; the
// FCS is never repaired.
static struct frame mutant(struct frame f)
{
    for (unsigned times = 1 + random_below(3); times > 0; times--)
        mutate_once(&f);
    if (f.len < NS || random_below(8) == 0)
        return f;
    f.at[UDP + 6] = f.at[UDP + 7] = 0;
    frame_lengths(&f);
    frame_ip_checksum(&f);
    return f;
}

// Whatever is delivered must be the original, since the FCS covers all of it (PM = 1). The frames
// stay below 255 bits, where the FCS is good for any few flipped bits; test_fcs_period has the
// rest.
static void test_mutations(void **state)
{
    uint64_t delivered = 0, errors[GB_ERR_COUNT] = {0};
    struct spec s = plain;
    s.len = 17;
    const struct frame whole[] = {frame_built(&s)};
    const struct spec parts[] = {{9, 11, 6, F | M, 0, 0, 0, 12, three_npdu},
                                 {9, 11, 6, M, 1, 0, 1, 12, three_npdu + 12},
                                 {9, 11, 6, 0, 2, 0, 2, 12, three_npdu + 24}};
    const struct frame three[] = {frame_built(&parts[0]), frame_built(&parts[1]),
                                  frame_built(&parts[2])};
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        const struct frame *frames = i % 2 ? whole : three;
        unsigned count = i % 2 ? 1 : 3, victim = random_below(count);
        void *fresh;
        assert_int_equal(receiver_setup(&fresh), 0);
        struct caught *caught = fresh;
        for (unsigned n = 0; n < count; n++) {
            struct frame f = n == victim ? mutant(frames[n]) : frames[n];
            errors[-receiver_fed(caught, f.at, f.len)]++;
        }
        assert_in_range(caught->npdus, 0, 1);
        if (caught->npdus > 0)
            expect_npdu(caught, i % 2 ? single_npdu : three_npdu, i % 2 ? 17 : 36);
        delivered += caught->npdus;
        receiver_teardown(&fresh);
    }
    assert_in_range(delivered, 10000, 199999);
    assert_in_range(errors[GB_ERR_LLC_FCS], 10000, 199999);
    assert_in_range(errors[GB_ERR_BSSGP_IE], 1000, 199999);
}

// Runs last: every error above has been seen at least once.
static void test_every_error_was_provoked(void **state)
{
    (void)state;
    for (int i = 0; i < GB_ERR_COUNT; i++) {
        if (!expected_verdicts[i])
            fail_msg("no frame provoked \"%s\"", gb_receiver_error_text(-i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(test_faults),
        RECEIVER_TEST(test_llc_too_long),
        RECEIVER_TEST(test_in_the_clear),
        RECEIVER_TEST(test_partial_is_discarded),
        RECEIVER_TEST(test_goes_on_after_a_gap),
        RECEIVER_TEST(test_table_is_full),
        RECEIVER_TEST(test_error_texts),
        RECEIVER_TEST(test_mutations),
        RECEIVER_TEST(test_every_error_was_provoked),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver errors", tests, NULL, NULL);
}
