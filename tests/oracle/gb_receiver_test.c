// What the Gb receiver takes: typed frames, all sizes, every counter's wrap, both modes of the FCS.
// What it refuses is in gb_receiver_errors_test.c.
#include "tests/oracle/gb_receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/fcs.h"
#include "tests/oracle/receiver_fixture.h"
#include "tests/oracle/typed_frames.h"

static void test_fcs_vectors(void **state)
{
    static const struct {
        uint8_t octets[10], len;
        uint32_t fcs;
    } vectors[] = {
        {{0x01, 0xc0, 0x10, 0x08, 0x05, 0x09}, 6, 0x33e6af},
        {{0x41, 0xc0, 0x01, 0x08, 0x15, 0x02}, 6, 0x9a8ede},
        {{0x43, 0xfb, 0x01, 0x00, 0x16, 0x01, 0xf4, 0x1a, 0x05, 0xdf}, 10, 0x4e7c8c},
        {{0x03, 0xfb, 0x16, 0x04, 0xd2}, 5, 0x84f916},
        {{0x43, 0xc0, 0x01, 0x2b, 0x2b, 0x2b}, 6, 0x85273d},
        {{'1', '2', '3', '4', '5', '6', '7', '8', '9'}, 9, 0x4e86cb},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint32_t got = plain_fcs(vectors[i].octets, vectors[i].len);
        assert_int_equal(got, vectors[i].fcs);
    }
}

// The generator divides x^255 + 1, so two flipped bits 255 apart leave the FCS as it was. This is
// 44.064's own weakness: who wants to know that octets are right must compare the octets.
static void test_fcs_period(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    s.octets = octets_1520;
    s.len = 100;
    struct frame f = frame_built(&s);
    put16(f.at + UDP + 6, 0);
    f.at[NPDU + 10] ^= 0x80;
    expect_verdict(caught, f, GB_ERR_LLC_FCS);
    f.at[NPDU + 10 + 32] ^= 0x40;
    expect_verdict(caught, f, GB_ERR_NONE);
    assert_memory_not_equal(caught->octets, octets_1520, 100);
}

static void test_single_segment(void **state)
{
    struct caught *caught = *state;
    expect_verdict(caught, TYPED(single), GB_ERR_NONE);
    assert_int_equal(caught->npdus, 1);
    expect_npdu(caught, single_npdu, sizeof(single_npdu));
    assert_int_equal(caught->npdu.bvci, 0x0102);
    assert_int_equal(caught->npdu.tlli, 0xc0000001);
    assert_int_equal(caught->npdu.sapi, 3);
    assert_int_equal(caught->npdu.nsapi, 5);
    assert_int_equal(caught->npdu.npdu_number, 0);
    assert_memory_equal(caught->npdu.qos, "\x00\x50\x31", 3);
    assert_int_equal(caught->npdu.lifetime_cs, 1000);
    assert_int_equal(caught->npdu.segments, 1);
}

static void test_three_segments(void **state)
{
    struct caught *caught = *state;
    const struct gb_receiver_counters *counters = gb_receiver_counters(caught->receiver);
    expect_verdict(caught, TYPED(three_0), GB_ERR_NONE);
    expect_verdict(caught, TYPED(three_1), GB_ERR_NONE);
    assert_int_equal(caught->npdus, 0);
    assert_int_equal(counters->partials_open, 1);
    expect_verdict(caught, TYPED(three_2), GB_ERR_NONE);
    assert_int_equal(caught->npdus, 1);
    expect_npdu(caught, three_npdu, sizeof(three_npdu));
    assert_int_equal(caught->npdu.segments, 3);
    assert_int_equal(counters->frames, 3);
    assert_int_equal(counters->npdus, 1);
    assert_int_equal(counters->partials_open, 0);
    assert_int_equal(counters->partials_discarded, 0);
}

// N(U) wraps eight times while the N-PDU number wraps once: after 4096 frames the first fits again.
static void test_number_wraps(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    for (unsigned i = 0; i < 4095; i++) {
        s.nu = i % 512;
        s.npdu_number = i;
        expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
        assert_int_equal(caught->npdu.npdu_number, i);
        assert_int_equal(caught->npdu.segments, 1);
    }
    expect_verdict(caught, TYPED(single_511_4095), GB_ERR_NONE);
    assert_int_equal(caught->npdu.npdu_number, 4095);
    expect_verdict(caught, TYPED(single), GB_ERR_NONE);
    assert_int_equal(caught->npdu.npdu_number, 0);
    assert_int_equal(caught->npdus, 4097);
}

static void test_segment_number_wraps(void **state)
{
    struct caught *caught = *state;
    uint8_t octets[17];
    for (unsigned i = 0; i < 17; i++)
        octets[i] = (uint8_t)(0xe1 + i);
    struct spec s = plain;
    s.len = 1;
    for (unsigned i = 0; i < 15; i++) {
        s.bits = i == 0 ? F | M : M;
        s.nu = s.segment = i;
        s.octets = octets + i;
        expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
    }
    expect_verdict(caught, TYPED(segment_15), GB_ERR_NONE);
    assert_int_equal(caught->npdus, 0);
    expect_verdict(caught, TYPED(segment_16), GB_ERR_NONE);
    expect_npdu(caught, octets, sizeof(octets));
    assert_int_equal(caught->npdu.segments, 17);
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {1, 2, 117, 118, 119, 500, 1500, 1516};
    struct caught *caught = *state;
    struct spec s = plain;
    s.octets = octets_1520;
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        s.nu = s.npdu_number = i;
        s.len = sizes[i];
        expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
        expect_npdu(caught, octets_1520, sizes[i]);
    }
}

static void test_longest_npdu(void **state)
{
    struct caught *caught = *state;
    struct spec s = plain;
    s.octets = octets_1520;
    s.bits = F | M;
    s.len = 20;
    expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
    s.bits = 0;
    s.nu = s.segment = 1;
    s.octets += 20;
    s.len = 1500;
    expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
    expect_npdu(caught, octets_1520, sizeof(octets_1520));
}

// MSs, SAPIs and NSAPIs number their frames and N-PDUs apart, and their segments may alternate.
static void test_sequences_apart(void **state)
{
    static const struct spec lles[] = {
        {1, 3, 5, 0, 0, 0, 0, 0, NULL},   {2, 3, 5, 0, 0, 0, 0, 0, NULL},
        {1, 5, 6, 0, 0, 0, 0, 0, NULL},   {1, 9, 7, 0, 0, 0, 0, 0, NULL},
        {1, 11, 15, 0, 0, 0, 0, 0, NULL},
    };
    struct caught *caught = *state;
    for (unsigned segment = 0; segment < 2; segment++) {
        for (size_t i = 0; i < sizeof(lles) / sizeof(lles[0]); i++) {
            struct spec s = lles[i];
            uint8_t octet[] = {(uint8_t)(0x10 * i + segment)};
            s.bits = segment == 0 ? F | M : 0;
            s.nu = s.segment = segment;
            s.octets = octet;
            s.len = 1;
            expect_verdict(caught, frame_built(&s), GB_ERR_NONE);
            assert_int_equal(caught->npdus, segment == 0 ? 0 : i + 1);
            if (segment == 0)
                continue;
            uint8_t whole[] = {(uint8_t)(octet[0] - 1), octet[0]};
            expect_npdu(caught, whole, 2);
            assert_int_equal(caught->npdu.tlli, s.tlli);
            assert_int_equal(caught->npdu.sapi, s.sapi);
            assert_int_equal(caught->npdu.nsapi, s.nsapi);
        }
    }
}

static void test_gap_spares_other_sapis(void **state)
{
    static const uint8_t xy[] = {'x', 'y'};
    const struct spec first = {1, 3, 5, F | M, 0, 0, 0, 1, xy};
    const struct spec gap = {1, 9, 6, F, 1, 0, 0, 1, xy};
    const struct spec last = {1, 3, 5, 0, 1, 0, 1, 1, xy + 1};
    struct caught *caught = *state;
    expect_verdict(caught, frame_built(&first), GB_ERR_NONE);
    expect_verdict(caught, frame_built(&gap), GB_ERR_LLC_NU);
    expect_verdict(caught, frame_built(&last), GB_ERR_NONE);
    expect_npdu(caught, xy, 2);
}

static void test_optional_elements(void **state)
{
    static const uint8_t long_form[] = {0x13, 0x00, 0x03, 0x0e, 0x81, 0x01};
    static const uint8_t alignment[] = {0x00, 0x83, 0x00, 0x00, 0x00};
    static const uint8_t wide[3 + 200] = {0x0d, 0x00, 200};
    struct caught *caught = *state;
    struct frame f = TYPED(single);
    frame_insert(&f, LLC_IE, alignment, sizeof(alignment));
    frame_insert(&f, LLC_IE, long_form, sizeof(long_form));
    f.llc += sizeof(alignment) + sizeof(long_form);
    frame_lengths(&f);
    expect_verdict(caught, frame_repaired(f), GB_ERR_NONE);

    struct spec s = plain;
    s.nu = s.npdu_number = 1;
    f = frame_built(&s);
    frame_insert(&f, LLC_IE, wide, sizeof(wide));
    f.llc += sizeof(wide);
    frame_lengths(&f);
    expect_verdict(caught, frame_repaired(f), GB_ERR_NONE);
    expect_npdu(caught, single_npdu, sizeof(single_npdu));
}

static void test_udp_checksum_may_be_none(void **state)
{
    struct frame f = TYPED(single);
    put16(f.at + UDP + 6, 0);
    expect_verdict(*state, f, GB_ERR_NONE);
}

// PM = 0 protects the header and four octets: what follows may change, nothing before it.
static void test_unprotected_mode(void **state)
{
    struct caught *caught = *state;
    struct frame f = TYPED(single);
    f.at[LLC + 2] &= 0xfe;
    f = frame_repaired(f);
    put16(f.at + UDP + 6, 0);
    struct frame in_header = f, in_info = f;
    in_header.at[LLC + 3] ^= 0x01;
    expect_verdict(caught, in_header, GB_ERR_LLC_FCS);
    in_info.at[NPDU - 1] ^= 0x01;
    expect_verdict(caught, in_info, GB_ERR_LLC_FCS);
    f.at[NPDU] ^= 0x01;
    expect_verdict(caught, f, GB_ERR_NONE);
    assert_int_equal(caught->octets[0], single_npdu[0] ^ 0x01);
}

// With three octets of information PM = 0 and PM = 1 cover the same.
static void test_unprotected_mode_short(void **state)
{
    struct spec s = plain;
    s.bits = 0;
    s.len = 0;
    struct frame f = frame_built(&s);
    f.at[LLC + 2] &= 0xfe;
    expect_verdict(*state, frame_repaired(f), GB_ERR_SNDCP_EMPTY);
}

// Padding up to 60 octets is Ethernet's: the NS-ALIVE in front of it is what gets refused.
static void test_padding(void **state)
{
    struct frame f = TYPED(single);
    f.len = NS + 1;
    f.at[NS] = 0x0a;
    frame_lengths(&f);
    f = frame_repaired(f);
    expect_verdict(*state, f, GB_ERR_NS_TYPE);
    f.len = 60;
    expect_verdict(*state, f, GB_ERR_NS_TYPE);
    f.len = 59;
    expect_verdict(*state, f, GB_ERR_IP_LENGTH);
    f.len = 61;
    expect_verdict(*state, f, GB_ERR_IP_LENGTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(test_fcs_vectors),
        RECEIVER_TEST(test_fcs_period),
        RECEIVER_TEST(test_single_segment),
        RECEIVER_TEST(test_three_segments),
        RECEIVER_TEST(test_number_wraps),
        RECEIVER_TEST(test_segment_number_wraps),
        RECEIVER_TEST(test_sizes),
        RECEIVER_TEST(test_longest_npdu),
        RECEIVER_TEST(test_sequences_apart),
        RECEIVER_TEST(test_gap_spares_other_sapis),
        RECEIVER_TEST(test_optional_elements),
        RECEIVER_TEST(test_udp_checksum_may_be_none),
        RECEIVER_TEST(test_unprotected_mode),
        RECEIVER_TEST(test_unprotected_mode_short),
        RECEIVER_TEST(test_padding),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver", tests, NULL, NULL);
}
