// What an LLC PDU carried that was lost, both ways and in each cipher mode, far ahead and behind;
// and what cannot be read.
#include "tests/lab/ms/fixture.h"

static const uint8_t npdu[] = "the first octets of an N-PDU, and more of them than one segment has";

static bool read_again(enum ms_way way, const struct ul_llc *pdu, struct ms_what *what)
{
    struct ms before = f.ms;
    memset(what, 0xff, sizeof *what);
    bool good = ms_read(&f.ms, way, pdu->octets, (uint32_t)pdu->n, what);
    assert_memory_equal(&before, &f.ms, sizeof before);
    return good;
}

// libosmocore's, for the SGSN's frames.
static bool encipher(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n)
{
    (void)ctx;
    if (f.ms.gea && n)
        fixture_cipher(f.ms.gea, kc, IOV_UI, frame->sapi, frame->oc + frame->nu, true, octets, n);
    return f.ms.gea;
}

static void in_each_mode(void (*check)(void))
{
    static const uint8_t geas[] = {0, 3, 4};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(fixture_end(NULL), 0);
        assert_int_equal(fixture_begin(NULL), 0);
        fixture_key(geas[i]);
        check();
    }
}

// The frames after a number of lost ones, up to as many as an MS can miss.
static void check_down(void)
{
    struct ul_ms sgsn = {.n201_u = 140, .of_sgsn = true, .encipher = encipher};
    struct ul_llc pdu[UL_SEGMENTS_MAX];
    struct ms_what what;
    uint8_t large[270] = {1, 2, 3};
    for (uint32_t lost = 0; lost < 479; lost += 2) {
        assert_int_equal(ul_llc(&sgsn, 9, 6, large, sizeof large, 0, pdu), 2);
        assert_true(read_again(MS_DOWN, &pdu[0], &what));
        assert_int_equal(what.number, lost);
        assert_int_equal(what.sapi, 9);
        assert_int_equal(what.segment.nsapi, 6);
        assert_int_equal(what.segment.npdu_number, lost / 2);
        assert_true(what.segment.first && what.segment.more);
        assert_int_equal(what.segment.data.n, 136);
        assert_memory_equal(what.segment.data.at, large, 136);
        assert_true(read_again(MS_DOWN, &pdu[1], &what));
        assert_int_equal(what.segment.segment, 1);
        assert_true(!what.segment.first && !what.segment.more);
        assert_int_equal(what.segment.data.n, 134);
    }
    fixture_down(pdu[1].octets, (uint32_t)pdu[1].n); // the last of them arrives
    assert_int_equal(f.shared.faults, 0);
    assert_true(read_again(MS_DOWN, &pdu[0], &what)); // the one before it is lost
    assert_int_equal(what.number, 478);
}

static void test_down(void **state)
{
    (void)state;
    in_each_mode(check_down);
}

// A lost uplink frame is one of the last 512 that the MS sent.
static void check_up(void)
{
    struct ul_llc first[3];
    struct ms_what what;
    for (uint32_t i = 0; i < 1100; i++) {
        f.pdus = 0;
        ms_up(&f.ms, 5, npdu, sizeof npdu, 77);
        if (i == 588 || i == 700 || i == 1099)
            first[i == 588 ? 0 : i == 700 ? 1 : 2] = f.pdu[0];
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(read_again(MS_UP, &first[i], &what));
        assert_int_equal(what.number, ((const uint32_t[]){588, 700, 1099})[i]);
        assert_int_equal(what.segment.npdu_number, what.number);
        assert_int_equal(what.segment.nsapi, 5);
        assert_int_equal(what.segment.data.n, sizeof npdu);
        assert_memory_equal(what.segment.data.at, npdu, sizeof npdu);
    }
}

// After a Reset the old numbers are those of no frame that the MS has sent.
static void test_up_before_a_reset(void **state)
{
    struct ms_what what;
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        ms_up(&f.ms, 5, npdu, sizeof npdu, 77);
    fixture_u(0x41, 0xfb, (const uint8_t[]){0x30}, 1);
    assert_false(read_again(MS_UP, &f.pdu[0], &what));
    ms_up(&f.ms, 5, npdu, sizeof npdu, 77);
    assert_true(read_again(MS_UP, &f.pdu[0], &what)); // may be the new one, for all it tells
    assert_false(read_again(MS_UP, &f.pdu[1], &what));
}

static void test_up(void **state)
{
    (void)state;
    in_each_mode(check_up);
}

static void expect_unreadable(struct ul_llc *pdu)
{
    struct ms_what what;
    assert_false(read_again(MS_DOWN, pdu, &what));
    assert_int_equal(f.shared.faults, 0);
    assert_int_equal(f.counters.pdus.packets, 0);
}

static void test_what_cannot_be_read(void **state)
{
    struct ul_ms sgsn = {.n201_u = 500, .of_sgsn = true, .encipher = encipher};
    struct ul_llc pdu[UL_SEGMENTS_MAX], bad;
    struct ms_what what;
    (void)state;
    ul_llc(&sgsn, 3, 5, npdu, sizeof npdu, 0, pdu);
    assert_true(read_again(MS_DOWN, &pdu[0], &what));
    for (bad = pdu[0]; bad.n > 0;) {
        bad.n--;
        expect_unreadable(&bad);
    }
    bad = pdu[0];
    bad.octets[20] ^= 1;
    expect_unreadable(&bad);
    fixture_key(4);
    expect_unreadable(&pdu[0]);                     // in the clear
    for (uint32_t lost = 512; lost < 900; lost++) { // more than N(U) tells
        sgsn.next_ui[3] = lost;
        ul_llc(&sgsn, 3, 5, npdu, sizeof npdu, 0, pdu);
        expect_unreadable(&pdu[0]);
    }
    fixture_key(0);
    expect_unreadable(&pdu[0]); // without its key
    ul_llc(&sgsn, 7, 5, npdu, sizeof npdu, 0, pdu);
    expect_unreadable(&pdu[0]); // SMS
    memcpy(pdu[0].octets, (uint8_t[]){0x43, 0xe0, 0xfb, 0x32, 0x6f}, pdu[0].n = 5);
    expect_unreadable(&pdu[0]); // NULL
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MS_TEST(test_down),
        MS_TEST(test_up),
        MS_TEST(test_up_before_a_reset),
        MS_TEST(test_what_cannot_be_read),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_read", tests, NULL, NULL);
}
