// What the Gb receiver refuses: for every error a frame that provokes it.
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

// What fragments can do wrong, and a packet beyond the MTU, is in ip_reader_test.c in full; here,
// that the receiver says it as well. Two fragments of `single`, 40 octets and the rest.
static struct frame fragment(unsigned flags_and_offset, size_t from, size_t to)
{
    struct frame f = TYPED(single);
    f.len = UDP + to - from;
    memcpy(f.at + UDP, single + UDP + from, to - from);
    put16(f.at + IP + 2, f.len - IP);
    put16(f.at + IP + 6, flags_and_offset);
    frame_ip_checksum(&f);
    return f;
}

static void expect_fragments(struct caught *caught, struct frame second, enum gb_error error)
{
    gb_receiver_accept(caught->receiver, &(struct ip_accept){.fragments = true});
    expect_verdict(caught, fragment(0x2000, 0, 40), GB_ERR_NONE);
    assert_int_equal(gb_receiver_counters(caught->receiver)->datagrams_open, 1);
    expect_verdict(caught, second, error);
}

static void test_fragment_faults(void **state)
{
    const size_t n = sizeof(single) - UDP;
    (void)state;
    const struct {
        struct frame second;
        enum gb_error error;
    } cases[] = {
        {fragment(5, 40, n), GB_ERR_NONE},
        {fragment(4, 32, n), GB_ERR_IP_FRAGMENT_OVERLAP},
        {fragment(4, 32, 36), GB_ERR_IP_FRAGMENT_END},
        {fragment(0x2005, 40, n), GB_ERR_IP_FRAGMENT_LENGTH},
        {fragment(0x4005, 40, n), GB_ERR_IP_FRAGMENT_DF},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        void *fresh;
        assert_int_equal(receiver_setup(&fresh), 0);
        struct caught *caught = fresh;
        expect_fragments(caught, cases[i].second, cases[i].error);
        assert_int_equal(caught->npdus, cases[i].error == GB_ERR_NONE);
        assert_int_equal(gb_receiver_counters(caught->receiver)->datagrams_open,
                         cases[i].error != GB_ERR_NONE);
        receiver_teardown(&fresh);
    }
}

static void test_network_limits(void **state)
{
    struct caught *caught = *state;
    const size_t n = sizeof(single) - IP;
    gb_receiver_accept(caught->receiver, &(struct ip_accept){.mtu_octets = n - 1});
    expect_verdict(caught, TYPED(single), GB_ERR_IP_MTU);
    gb_receiver_accept(caught->receiver, &(struct ip_accept){.fragments = true});
    for (unsigned id = 0; id <= REASSEMBLY_OPEN_MAX; id++) {
        struct frame f = fragment(0x2000, 0, 40);
        put16(f.at + IP + 4, id);
        frame_ip_checksum(&f);
        expect_verdict(caught, f, id < REASSEMBLY_OPEN_MAX ? GB_ERR_NONE : GB_ERR_IP_FRAGMENT_FULL);
    }
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

// What is expected, in another order, with an octet more, one less, another one, or none of it.
static void test_options(void **state)
{
    static const uint8_t expected[] = {0x17, 0x81, 0x05, 0x28, 0x81, 0x08};
    static const struct {
        uint8_t octets[9], n;
    } others[] = {{{0x28, 0x81, 0x08, 0x17, 0x81, 0x05}, 6},
                  {{0x17, 0x81, 0x05, 0x28, 0x81, 0x08, 0x0a, 0x81, 0x00}, 9},
                  {{0x17, 0x81, 0x05}, 3},
                  {{0x17, 0x81, 0x04, 0x28, 0x81, 0x08}, 6},
                  {{0}, 0}};
    struct caught *caught = *state;
    struct spec s = plain;
    assert_true(gb_receiver_expect_options(caught->receiver, s.tlli, s.nsapi, expected, 6));
    for (unsigned i = 0; i < 5; i++) {
        struct frame f = TYPED(single);
        f.at[f.llc + 2] = (uint8_t)(0x01 | i << 2);
        f.at[f.llc + 6] = (uint8_t)i;
        memmove(f.at + LLC_IE - 3, f.at + LLC_IE, f.len - LLC_IE); // without its PFI
        f.len -= 3;
        frame_insert(&f, LLC_IE - 3, others[i].octets, others[i].n);
        f.llc = f.llc - 3 + others[i].n;
        frame_lengths(&f);
        expect_verdict(caught, frame_repaired(f), GB_ERR_BSSGP_OPTIONS);
    }
    assert_false(gb_receiver_expect_options(caught->receiver, 1, 4, expected, 6));
    assert_false(gb_receiver_expect_options(caught->receiver, 1, 16, expected, 6));
    assert_false(gb_receiver_expect_options(caught->receiver, 1, 5, octets_1520, 129));
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
        RECEIVER_TEST(test_fragment_faults),
        RECEIVER_TEST(test_network_limits),
        RECEIVER_TEST(test_options),
        RECEIVER_TEST(test_llc_too_long),
        RECEIVER_TEST(test_in_the_clear),
        RECEIVER_TEST(test_partial_is_discarded),
        RECEIVER_TEST(test_goes_on_after_a_gap),
        RECEIVER_TEST(test_table_is_full),
        RECEIVER_TEST(test_error_texts),
        RECEIVER_TEST(test_every_error_was_provoked),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver errors", tests, NULL, NULL);
}
