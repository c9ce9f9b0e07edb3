// LLC's part of the downlink case by case: what is refused and why, late frames and duplicates, OC,
// bursts of losses, keys.
#include "tests/lab/ms/fixture.h"

#include <errno.h>

static void test_refused_frames(void **state)
{
    static const uint8_t info[] = {0x65, 0, 0, 0, 1};
    uint8_t large[1521] = {0x65};
    (void)state;
    fixture_ui(3, 0, info, sizeof info, 0x40);
    fixture_expect_fault(1, "LLC PDU 1, for MS c0000001, LLC: wrong FCS (octet 8 of the layer)");
    fixture_ui(15, 0, info, sizeof info, 0);
    fixture_down((const uint8_t[]){0x43}, 1);
    fixture_down(NULL, 0);
    fixture_down((const uint8_t[]){0x43, 0xc0, 1, 2, 3}, 5);
    assert_int_equal(f.counters.refused[MS_REFUSED_llc].packets, 5);
    fixture_ui(3, 0, large, sizeof large, 0);
    assert_int_equal(f.counters.refused[MS_REFUSED_long].packets, 1);
    fixture_ui(3, 0, large, sizeof large - 1, 0);
    fixture_expect(1, 1516);
}

// With PM = 0 the FCS covers header and four octets.
static void test_an_unprotected_frame(void **state)
{
    struct ul_ms sgsn = {.n201_u = 500, .of_sgsn = true, .unprotected = true};
    struct ul_llc pdu[UL_SEGMENTS_MAX];
    (void)state;
    assert_int_equal(ul_llc(&sgsn, 3, 5, (const uint8_t *)"seven67", 7, 0, pdu), 1);
    pdu[0].octets[9] ^= 1;
    fixture_down(pdu[0].octets, (uint32_t)pdu[0].n);
    fixture_expect(1, 7);
    pdu[0].octets[5] ^= 1;
    fixture_down(pdu[0].octets, (uint32_t)pdu[0].n);
    fixture_expect_fault(1, "wrong FCS");
}

// NULL, a response, SABM, an I frame, and UI frames of GMM and SMS.
static void test_frames_that_are_ignored(void **state)
{
    (void)state;
    fixture_u(0x43, 0xe0, NULL, 0);
    fixture_u(0x03, 0xe1, NULL, 0);
    fixture_u(0x43, 0xf7, NULL, 0);
    fixture_down((const uint8_t[]){0x43, 0x00, 0x00, 0x00}, 4);
    fixture_ui(1, 0, (const uint8_t[]){8, 1}, 2, 0);
    fixture_ui(7, 0, (const uint8_t[]){8, 1}, 2, 0);
    assert_int_equal(f.counters.control.packets, 6);
    assert_int_equal(f.shared.faults, 0);
    assert_int_equal(f.pdus, 0);
    fixture_down((const uint8_t[]){0x43, 0xe0, 1, 2, 3}, 5);
    fixture_expect_fault(1, "LLC PDU 7, for MS c0000001, LLC: wrong FCS");
}

// ---- N(U) ----

static void frame(uint32_t number)
{
    static const uint8_t info[] = {0x65, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    fixture_ui(3, number, info, sizeof info, 0);
}

static void in_both_modes(void (*check)(void))
{
    check();
    for (uint8_t gea = 3; gea <= 4; gea++) {
        assert_int_equal(fixture_end(NULL), 0);
        assert_int_equal(fixture_begin(NULL), 0);
        fixture_key(gea);
        check();
    }
}

static void check_late_and_duplicates(void)
{
    for (uint32_t number = 0; number < 600; number++)
        frame(number);
    frame(650); // fifty are lost
    fixture_expect(601, 6010);
    frame(650);
    fixture_expect_fault(1, "LLC: N(U) late or a duplicate");
    frame(649); // late, for the first time
    fixture_expect(602, 6020);
    assert_int_equal(f.counters.late, 1);
    frame(649);
    frame(619); // the window's last
    fixture_expect(603, 6030);
    frame(619);
    assert_int_equal(f.counters.refused[MS_REFUSED_duplicate].packets, 3);
    frame(651);
    fixture_expect(604, 6040);
    assert_int_equal(f.shared.faults, 3);
}

static void test_late_and_duplicates(void **state)
{
    (void)state;
    in_both_modes(check_late_and_duplicates);
}

// Whatever the gap is, all that is within the window and did not come may come once.
static void check_gaps(void)
{
    uint32_t next = 0, npdus = 0, duplicates = 0;
    for (uint32_t gap = 1; gap < 70; gap++) {
        frame(next);
        next += 1 + gap;
        frame(next);
        npdus += 2;
        for (uint32_t behind = 1; behind < 32; behind++) {
            bool came = behind > gap;
            if (behind > next || (came && behind > gap + 1))
                continue;
            frame(next - behind);
            npdus += !came;
            duplicates += came;
        }
        next++;
        fixture_expect(npdus, 10 * npdus);
        assert_int_equal(f.counters.refused[MS_REFUSED_duplicate].packets, duplicates);
    }
    assert_int_equal(f.shared.faults, duplicates);
}

static void test_gaps_of_every_length(void **state)
{
    (void)state;
    in_both_modes(check_gaps);
}

// What an MS does not refuse, whatever it has missed: up to 512 - 33 frames in a row, over each
// wrap of N(U).
static void check_bursts(void)
{
    uint32_t number = 0, npdus = 0;
    for (uint32_t burst = 0; burst <= 479; burst += 1 + burst / 16, npdus++) {
        frame(number);
        number += 1 + burst;
    }
    assert_true(number > 4 * 512);
    fixture_expect(npdus, 10 * npdus);
    assert_int_equal(f.shared.faults, 0);
}

static void test_bursts_of_losses(void **state)
{
    (void)state;
    in_both_modes(check_bursts);
}

// Nothing precedes the first number: an N(U) of 511 in the beginning is ahead.
static void check_first(void)
{
    frame(500);
    fixture_expect(1, 10);
    frame(0);
    assert_int_equal(f.shared.faults, f.ms.gea ? 1 : 0); // 512, which has another OC
}

static void test_nothing_precedes_the_first(void **state)
{
    (void)state;
    in_both_modes(check_first);
}

// ---- Keys ----

// One that comes later than the window is for the next round of N(U); its key stream shows that it
// is of this one.
static void test_an_enciphered_frame_too_late(void **state)
{
    static const uint8_t info[] = {0x65, 0, 0, 0, 1};
    (void)state;
    for (uint8_t gea = 3; gea <= 4; gea++) {
        assert_int_equal(fixture_end(NULL), 0);
        assert_int_equal(fixture_begin(NULL), 0);
        fixture_key(gea);
        f.ms.has_moved = true;
        frame(40);
        frame(400);
        frame(600);
        frame(568); // 33 behind
        frame(90);  // 511 behind
        fixture_expect(3, 30);
        assert_int_equal(f.counters.stale, 2);
        assert_int_equal(f.counters.refused[MS_REFUSED_deciphered].packets, 2);
        assert_int_equal(f.shared.faults, 0);
        fixture_ui(3, 568, info, sizeof info, 1);
        fixture_expect_fault(1, "LLC: FCS wrong after deciphering");
        frame(569); // the window's last
        fixture_expect(4, 40);
        assert_int_equal(f.counters.stale, 2);
    }
}

static void test_enciphered_with_a_wrong_fcs(void **state)
{
    static const uint8_t info[] = {0x65, 0, 0, 0, 1};
    struct ms_lle before;
    (void)state;
    fixture_key(4);
    before = f.ms.lle[0];
    fixture_ui(3, 0, info, sizeof info, 1);
    fixture_expect_fault(1, "LLC: FCS wrong after deciphering");
    fixture_ui(3, 512, info, sizeof info, 0); // another OC than that of the frame's number
    assert_int_equal(f.counters.refused[MS_REFUSED_deciphered].packets, 2);
    assert_memory_equal(&before, &f.ms.lle[0], sizeof before);
    fixture_ui(3, 0, info, sizeof info, 0);
    fixture_expect(1, 1);
}

static void test_a_key_on_one_side_only(void **state)
{
    struct ul_ms sgsn = {.n201_u = 500, .of_sgsn = true};
    struct ul_llc pdu[UL_SEGMENTS_MAX];
    (void)state;
    fixture_down((const uint8_t[]){0x43, 0xc0, 0x03, 1, 2, 3, 4}, 7);
    fixture_expect_fault(1, "LLC: enciphered, but the MS has no key");
    f.shared.faults = 0;
    fixture_key(4);
    assert_int_equal(ul_llc(&sgsn, 3, 5, (const uint8_t *)"1", 1, 0, pdu), 1);
    fixture_down(pdu[0].octets, (uint32_t)pdu[0].n);
    fixture_expect_fault(1, "LLC: not enciphered");
    assert_int_equal(f.counters.refused[MS_REFUSED_cipher].packets, 2);
    fixture_expect(0, 0);
}

static void test_terms_that_cannot_be(void **state)
{
    struct ms_terms terms = {.n201_u_octets = 139};
    (void)state;
    assert_int_equal(ms_set_terms(&f.ms, &terms), -ERANGE);
    terms.n201_u_octets = 1521;
    assert_int_equal(ms_set_terms(&f.ms, &terms), -ERANGE);
    terms.n201_u_octets = 140;
    terms.gea = 4;
    terms.kc = (struct octets){kc, 8};
    assert_int_equal(ms_set_terms(&f.ms, &terms), -EINVAL);
    terms.gea = 1;
    assert_int_equal(ms_set_terms(&f.ms, &terms), -ENOTSUP);
    frame(0);
    fixture_expect(1, 10); // as before
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MS_TEST(test_refused_frames),
        MS_TEST(test_an_unprotected_frame),
        MS_TEST(test_frames_that_are_ignored),
        MS_TEST(test_late_and_duplicates),
        MS_TEST(test_gaps_of_every_length),
        MS_TEST(test_bursts_of_losses),
        MS_TEST(test_nothing_precedes_the_first),
        MS_TEST(test_an_enciphered_frame_too_late),
        MS_TEST(test_enciphered_with_a_wrong_fcs),
        MS_TEST(test_a_key_on_one_side_only),
        MS_TEST(test_terms_that_cannot_be),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_down", tests, NULL, NULL);
}
