// LLC UI frames on their way up (TS 44.064): which are the path's, numbers and their window, and
// the cipher's overflow counter. Numbers of frames are N(U) plus OC.
#include "tests/dataplane/up/fixture.h"

static void give_llc(uint32_t ms, const uint8_t *llc, uint32_t octets)
{
    uint8_t b[4100];
    fixture_give_pdu(0, b, fixture_ul_unitdata(TLLI_FIRST + ms, 2, llc, octets, b));
}

// An event holds the frame as it came: still enciphered, if it was.
static void expect_control(uint32_t ms, const uint8_t *llc, uint32_t octets)
{
    uint8_t b[4100];
    give_llc(ms, llc, octets);
    struct event e;
    assert_true(fixture_event(&e));
    assert_int_equal(e.kind, EVENT_ns);
    assert_int_equal(e.ms_id, ms);
    assert_int_equal(e.bvc_id, 0);
    assert_int_equal(e.pdu.n, fixture_ul_unitdata(TLLI_FIRST + ms, 2, llc, octets, b));
    assert_memory_equal(e.pdu.at, b, e.pdu.n);
    rte_pktmbuf_free(e.buffer);
}

static void other_sapis_and_frames_are_controls(void **state)
{
    static const uint8_t gmm[] = {0x01, 0xc0, 0x08, 0x05, 0x09, 0xaf, 0xe6, 0x33};
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x04, 0xd2, 0x16, 0xf9, 0x84};
    static const uint8_t null_frame[] = {0x01, 0xe0, 0x12, 0x34, 0x56};
    static const uint8_t sabm[] = {0x03, 0xf7, 0x12, 0x34, 0x56}; // no parameters
    static const uint8_t supervisory[] = {0x03, 0x80, 0x00, 0x12, 0x34, 0x56};
    static const uint8_t information[] = {0x05, 0x00, 0x00, 0x00, 0x12, 0x34, 0x56};
    static const uint8_t enciphered[] = {0x01, 0xc0, 0x02, 0x11, 0x22, 0x33, 0x44};
    static const uint8_t address[] = {0x07}; // SMS, and no more of it
    (void)state;
    expect_control(0, gmm, sizeof gmm);
    expect_control(0, xid, sizeof xid);
    expect_control(0, null_frame, sizeof null_frame);
    expect_control(0, sabm, sizeof sabm);
    expect_control(0, supervisory, sizeof supervisory);
    expect_control(0, information, sizeof information);
    expect_control(KEYED, enciphered, sizeof enciphered);
    expect_control(0, address, sizeof address);
    assert_int_equal(fixture_dropped().packets, 0);
}

static void a_malformed_frame_is_dropped(void **state)
{
    static const uint8_t pd[] = {0x83, 0xc0, 0x01, 0x65, 0x00, 0x00, 0x00, 1, 2, 3, 4};
    static const uint8_t spare[] = {0x13, 0xc0, 0x01, 0x65, 0x00, 0x00, 0x00, 1, 2, 3, 4};
    static const uint8_t sapi_0[] = {0x00, 0xc0, 0x01, 0x65, 0x00, 0x00, 0x00, 1, 2, 3, 4};
    static const uint8_t sapi_15[] = {0x0f, 0xc0, 0x01, 0x65, 0x00, 0x00, 0x00, 1, 2, 3, 4};
    static const uint8_t truncated[] = {0x03, 0xc0, 0x01, 0xaa, 0xbb};
    (void)state;
    give_llc(0, pd, sizeof pd);
    give_llc(0, spare, sizeof spare);
    give_llc(0, sapi_0, sizeof sapi_0);
    give_llc(0, sapi_15, sizeof sapi_15);
    give_llc(0, truncated, sizeof truncated);
    give_llc(0, NULL, 0);
    ASSERT_FRAMES(llc, 6);
    assert_int_equal(rte_ring_count(u.up.events), 0);
}

// N201-U ends at 1520 octets of information; longer is nobody's frame, enciphered or not.
static void a_frame_longer_than_any_n201_u_is_dropped(void **state)
{
    static uint8_t data[1517];
    (void)state;
    fixture_fill(data, sizeof data, 7);
    for (uint32_t ms = 0; ms < 2; ms++) {
        fixture_give(SEGMENT(.ms = ms, .data = data, .octets = 1517)); // with 4 of SNDCP
        fixture_expect_nothing();
        fixture_give(SEGMENT(.ms = ms, .data = data, .octets = 1516));
        fixture_expect(ms == KEYED ? 6 : 0, data, 1516);
    }
    ASSERT_FRAMES(llc, 2);
}

static void each_sapi_has_its_own_numbers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        fixture_give(SEGMENT(.number = i));
        fixture_expect_any(0);
        fixture_give(SEGMENT(.number = i, .sapi = 5, .nsapi = 7));
        fixture_expect_any(2);
        fixture_give(SEGMENT(.number = i, .sapi = 11, .nsapi = 8));
        fixture_expect_any(3);
    }
    assert_int_equal(u.state.ms_up[0].lle[0].next, 3);
    assert_int_equal(u.state.ms_up[0].lle[1].next, 3);
    assert_int_equal(u.state.ms_up[0].lle[2].next, 0);
    assert_int_equal(u.state.ms_up[0].lle[3].next, 3);
    const uint32_t octets = 9 * (3 + 4 + 40 + 3); // LLC, SNDCP, FCS
    assert_int_equal(u.state.bvc[0].up_frames, 9);
    assert_int_equal(u.state.bvc[0].up_octets, octets);
    assert_int_equal(u.state.ms_up[0].octets, octets);
}

static void a_wrong_fcs_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 2; ms++) {
        const struct state_lle_up *lle = &u.state.ms_up[ms].lle[0];
        for (uint32_t i = 0; i < 10; i++)
            fixture_give_number(ms, i);
        struct state_lle_up before = *lle;
        for (uint32_t number = 0; number < 600; number++)
            fixture_give(SEGMENT(.ms = ms, .number = number, .forged = true));
        assert_memory_equal(lle, &before, sizeof before);
        ASSERT_FRAMES(llc_fcs, 600 * (ms + 1));
        fixture_expect_numbers(ms, 10);
        fixture_give_number(ms, 10);
        fixture_expect_numbers(ms, 1);
    }
    assert_int_equal(fixture_dropped().packets, 1200);
}

// The FCS covers the header and four octets of the information, or all of it: so what is changed
// behind them is seen, or not.
static void an_fcs_may_cover_the_header_only(void **state)
{
    uint8_t llc[100], data[40];
    (void)state;
    fixture_fill(data, sizeof data, 1);
    data[30] ^= 0x10;
    for (uint32_t all = 0; all < 2; all++) {
        uint32_t n = fixture_llc(SEGMENT(.number = all, .header_only = !all), llc);
        llc[3 + 4 + 30] ^= 0x10;
        give_llc(0, llc, n);
    }
    fixture_expect(0, data, sizeof data);
    fixture_expect_nothing();
    ASSERT_FRAMES(llc_fcs, 1);
    for (uint32_t number = 0; number < 5; number++)
        fixture_give(SEGMENT(.ms = KEYED, .number = number, .header_only = number % 2));
    fixture_expect_numbers(KEYED, 5);
}

// User data of an MS with a key is enciphered, of another it cannot be.
static void clear_and_enciphered_do_not_mix(void **state)
{
    uint8_t llc[100];
    (void)state;
    fixture_give(SEGMENT(.ms = KEYED, .clear = true));
    ASSERT_FRAMES(llc_cipher, 1);
    uint32_t n = fixture_llc(SEGMENT(.ms = KEYED), llc);
    give_llc(0, llc, n);
    ASSERT_FRAMES(llc_cipher, 2);
    assert_int_equal(u.state.ms_up[0].lle[0].next, 0);
    assert_int_equal(u.state.ms_up[KEYED].lle[0].next, 0);
    fixture_expect_nothing();
    fixture_give_number(0, 0);
    fixture_expect_numbers(0, 1);
    fixture_give_number(KEYED, 0);
    fixture_expect_numbers(KEYED, 1);
}

// Over more than three wraps, in bursts of any length: in the clear and enciphered.
static void numbers_go_round(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 2; ms++)
        for (uint32_t number = 0, burst = 1; number < 1800; burst = burst % PORT_BURST + 1) {
            for (uint32_t i = 0; i < burst; i++)
                fixture_put_segment(SEGMENT(.ms = ms, .number = number++));
            fixture_burst();
            fixture_expect_numbers(ms, burst);
        }
    assert_int_equal(fixture_dropped().packets, 0);
}

// Under one key each SAPI has a key stream and an OC of its own.
static void each_sapi_is_enciphered_apart(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 1100; number++) {
        fixture_put_segment(SEGMENT(.ms = KEYED, .number = number));
        if (number % 4 == 0)
            fixture_put_segment(SEGMENT(.ms = KEYED, .number = number / 4, .sapi = 5, .nsapi = 6));
        fixture_burst();
        fixture_expect_any(6);
        if (number % 4 == 0)
            fixture_expect_any(7);
    }
    assert_int_equal(fixture_dropped().packets, 0);
}

// The wrap in the middle of a burst, with frames of both sides of it out of order, some lost.
static void numbers_wrap_within_a_burst(void **state)
{
    static const uint32_t numbers[] = {505, 507, 512, 511, 506, 530, 513, 509, 1000, 1030, 1023};
    (void)state;
    for (uint32_t ms = 0; ms < 2; ms++) {
        for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            fixture_put_segment(SEGMENT(.ms = ms, .number = numbers[i]));
        fixture_burst();
        fixture_expect_numbers(ms, 11);
        assert_int_equal(u.state.ms_up[ms].lle[0].next, 1031);
    }
    assert_int_equal(fixture_dropped().packets, 0);
}

// What comes once more is dropped, one by one or in one burst; and nothing but that.
static void a_duplicate_is_dropped(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 2; ms++) {
        for (uint32_t number = 0; number < 600; number += 3)
            fixture_give_number(ms, number);
        fixture_expect_numbers(ms, 200);
        for (uint32_t back = 1; back <= 31; back += 3) {
            fixture_give_number(ms, 598 - back);
            fixture_put_segment(SEGMENT(.ms = ms, .number = 598 - back));
            fixture_put_segment(SEGMENT(.ms = ms, .number = 598 - back - 1)); // missing until now
            fixture_put_segment(SEGMENT(.ms = ms, .number = 598 - back - 1));
            fixture_burst();
        }
        fixture_expect_numbers(ms, 11);
        ASSERT_FRAMES(llc_duplicate, (ms + 1) * 33);
    }
}

// 32 behind V(UR) a number may be new; one further back it is far ahead. There the cipher tells
// that it is not; in the clear nothing does.
static void the_window_is_32_wide(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 2; ms++) {
        struct state_lle_up *lle = &u.state.ms_up[ms].lle[0];
        fixture_give_number(ms, 99); // V(UR) is 100, and none of those before has come
        fixture_expect_numbers(ms, 1);
        fixture_give_number(ms, 100 - UP_WINDOW);
        fixture_expect_numbers(ms, 1);
        assert_int_equal(lle->next, 100);
        fixture_give_number(ms, 100 - UP_WINDOW - 1);
        fixture_expect_numbers(ms, ms != KEYED);
        assert_int_equal(lle->next, ms == KEYED ? 100 : 512 + 100 - UP_WINDOW);
    }
    ASSERT_FRAMES(llc_fcs, 1);
}

// After a step of any width what was missed is known to be missing, and what came before the step
// to have come, as far as the window goes.
static void a_step_keeps_the_window(void **state)
{
    uint32_t next = 100, duplicates = 0;
    (void)state;
    for (uint32_t step = 1; step < 100; step++) {
        for (uint32_t i = 0; i < 40; i++)
            fixture_give_number(0, next++);
        next += step;
        fixture_give_number(0, next - 1);
        fixture_expect_numbers(0, 41);
        for (uint32_t back = 2; back <= UP_WINDOW; back++) {
            fixture_give_number(0, next - back);
            fixture_expect_numbers(0, back <= step);
            duplicates += back > step;
            ASSERT_FRAMES(llc_duplicate, duplicates);
        }
    }
}

// Before the first number under a key there is none, so a high N(U) then is far ahead.
static void nothing_is_older_than_the_first(void **state)
{
    (void)state;
    fixture_give_number(KEYED, 500);
    fixture_give_number(KEYED, 490);
    fixture_give_number(KEYED, 501);
    fixture_expect_numbers(KEYED, 3);
    fixture_give_number(KEYED, 512 + 10);
    fixture_expect_numbers(KEYED, 1);
    assert_int_equal(u.state.ms_up[KEYED].lle[0].next, 523);
}

// As much of a gap as can be told from a late frame, and one more.
static void a_gap_of_479_is_bridged(void **state)
{
    (void)state;
    fixture_give_number(KEYED, 600);
    fixture_expect_numbers(KEYED, 0); // not what V(UR) = 0 takes it for: 88
    ASSERT_FRAMES(llc_fcs, 1);
    fixture_give_number(KEYED, 100);
    fixture_give_number(KEYED, 101 + 479);
    fixture_expect_numbers(KEYED, 2);
    fixture_give_number(KEYED, 581 + 480);
    fixture_expect_numbers(KEYED, 0);
    ASSERT_FRAMES(llc_fcs, 2);
    assert_int_equal(u.state.ms_up[KEYED].lle[0].next, 581);
}

// In one burst a frame makes so large a step that those behind it were guessed wrong; they are
// right all the same. So is a second step, and one that takes those behind it for late ones.
static void a_step_within_a_burst_moves_what_is_behind_it(void **state)
{
    static const uint32_t numbers[] = {400, 490, 460, 900, 870, 1300, 1301, 1290};
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        fixture_put_segment(SEGMENT(.ms = KEYED, .number = numbers[i]));
    fixture_put_segment(SEGMENT(.ms = KEYED, .number = 1290));
    fixture_put_segment(SEGMENT(.ms = KEYED, .number = 1302, .forged = true));
    fixture_burst();
    fixture_expect_numbers(KEYED, 8);
    ASSERT_FRAMES(llc_duplicate, 1);
    ASSERT_FRAMES(llc_fcs, 1);
    assert_int_equal(u.state.ms_up[KEYED].lle[0].next, 1302);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(other_sapis_and_frames_are_controls),
        UP_TEST(a_malformed_frame_is_dropped),
        UP_TEST(a_frame_longer_than_any_n201_u_is_dropped),
        UP_TEST(each_sapi_has_its_own_numbers),
        UP_TEST(a_wrong_fcs_changes_nothing),
        UP_TEST(an_fcs_may_cover_the_header_only),
        UP_TEST(clear_and_enciphered_do_not_mix),
        UP_TEST(numbers_go_round),
        UP_TEST(each_sapi_is_enciphered_apart),
        UP_TEST(numbers_wrap_within_a_burst),
        UP_TEST(a_duplicate_is_dropped),
        UP_TEST(the_window_is_32_wide),
        UP_TEST(a_step_keeps_the_window),
        UP_TEST(nothing_is_older_than_the_first),
        UP_TEST(a_gap_of_479_is_bridged),
        UP_TEST(a_step_within_a_burst_moves_what_is_behind_it),
    };
    return cmocka_run_group_tests(tests, fixture_start, NULL);
}
