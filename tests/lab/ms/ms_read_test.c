// What an LLC PDU to an MS carried that was lost: in each cipher mode, far ahead of the MS and far
// behind, on either side of a Reset; and what cannot be read.
#include "tests/lab/ms/fixture.h"

#include <errno.h>

static const uint8_t npdu[] = "the first octets of an N-PDU, and more of them than one segment has";
static struct ms_sgsn numbers;

static struct ms_stamp sent(const struct ul_llc *pdu)
{
    return ms_sgsn_sent(&numbers, pdu->octets, (uint32_t)pdu->n);
}

static bool read_again(struct ms_stamp stamp, const struct ul_llc *pdu, struct ms_what *what)
{
    struct ms before = f.ms;
    memset(what, 0xff, sizeof *what);
    bool good = ms_read(&f.ms, stamp, pdu->octets, (uint32_t)pdu->n, what);
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
        ms_sgsn_setup(&numbers, &f.ms);
        check();
    }
}

static void expect_first(const struct ms_what *what, uint32_t number, const uint8_t *data)
{
    assert_int_equal(what->sapi, 9);
    assert_int_equal(what->segment.nsapi, 6);
    assert_int_equal(what->segment.npdu_number, number);
    assert_true(what->segment.first && what->segment.more);
    assert_int_equal(what->segment.data.n, 136);
    assert_memory_equal(what->segment.data.at, data, 136);
}

// More than N(U) tells are lost one after another, and the first is read once more in the end.
static void check_down(void)
{
    struct ul_ms sgsn = {.n201_u = 140, .of_sgsn = true, .encipher = encipher};
    struct ul_llc pdu[UL_SEGMENTS_MAX], first;
    struct ms_stamp stamp, first_stamp;
    struct ms_what what;
    uint8_t large[270] = {1, 2, 3};
    for (uint32_t lost = 0; lost < 700; lost++) {
        assert_int_equal(ul_llc(&sgsn, 9, 6, large, sizeof large, 0, pdu), 2);
        stamp = sent(&pdu[0]);
        assert_true(stamp.known);
        assert_true(read_again(stamp, &pdu[0], &what));
        expect_first(&what, lost, large);
        if (lost == 0) {
            first = pdu[0];
            first_stamp = stamp;
        }
        assert_true(read_again(sent(&pdu[1]), &pdu[1], &what));
        assert_int_equal(what.segment.segment, 1);
        assert_true(!what.segment.first && !what.segment.more);
        assert_int_equal(what.segment.data.n, 134);
    }
    assert_true(read_again(first_stamp, &first, &what));
    expect_first(&what, 0, large);
    assert_true(!f.ms.gea || !read_again(stamp, &first, &what)); // its own stamp only
}

static void test_down(void **state)
{
    (void)state;
    in_each_mode(check_down);
}

// The SGSN has sent a Reset, which the MS may have had or not.
static void check_across_a_reset(void)
{
    struct ul_ms sgsn = {.n201_u = 500, .of_sgsn = true, .encipher = encipher};
    struct ul_llc before[UL_SEGMENTS_MAX], after[UL_SEGMENTS_MAX];
    struct ms_what what;
    sgsn.next_ui[9] = 7;
    assert_int_equal(ul_llc(&sgsn, 9, 6, npdu, sizeof npdu, 0, before), 1);
    struct ms_stamp stamp = sent(&before[0]);
    struct ul_llc reset = {0};
    reset.n = fixture_reset(IOV_UI, reset.octets);
    assert_int_equal(stamp.resets, 0);
    assert_int_equal(sent(&reset).resets, 1);
    sgsn.next_ui[9] = 0;
    assert_int_equal(ul_llc(&sgsn, 9, 6, npdu, sizeof npdu, 0, after), 1);
    struct ms_stamp later = sent(&after[0]);
    assert_int_equal(later.resets, 1);
    for (int had = 0; had < 2; had++) {
        assert_true(read_again(stamp, &before[0], &what));
        assert_true(read_again(later, &after[0], &what));
        assert_memory_equal(what.segment.data.at, npdu, sizeof npdu);
        fixture_down(reset.octets, (uint32_t)reset.n);
    }
}

static void test_across_a_reset(void **state)
{
    (void)state;
    in_each_mode(check_across_a_reset);
}

// ---- Another key ----

static uint8_t sgsn_gea;
static const uint8_t *sgsn_key;

static bool encipher_as_the_sgsn(void *ctx, const struct ul_ciphered *frame, uint8_t *octets,
                                 size_t n)
{
    (void)ctx;
    if (n)
        fixture_cipher(sgsn_gea, sgsn_key, IOV_UI, frame->sapi, frame->oc + frame->nu, true, octets,
                       n);
    return true;
}

static enum ms_refused arrives(struct ms_stamp stamp, const struct ul_llc *pdu)
{
    return ms_down_stamped(&f.ms, stamp, pdu->octets, (uint32_t)pdu->n, 77);
}

// What was under way under the key before cannot be deciphered, which is nobody's fault, and is
// known all the same. What is under neither key is a fault.
static void test_another_key(void **state)
{
    static const uint8_t new_kc[8] = {9, 8, 7, 6, 5, 4, 3, 2};
    static struct ms_keys keys;
    struct ul_ms sgsn = {.n201_u = 500, .of_sgsn = true, .encipher = encipher_as_the_sgsn};
    struct ul_llc before[UL_SEGMENTS_MAX], after[UL_SEGMENTS_MAX];
    struct ms_what what;
    (void)state;
    fixture_key(4);
    f.ms.before = &keys;
    ms_sgsn_setup(&numbers, &f.ms);
    sgsn_gea = 4;
    sgsn_key = kc;
    assert_int_equal(ul_llc(&sgsn, 9, 6, npdu, sizeof npdu, 0, before), 1);
    struct ms_stamp stamp = sent(&before[0]);
    assert_int_equal(ms_take_key(&f.ms, 5, (struct octets){new_kc, 8}), -ENOTSUP);
    for (uint32_t i = 0; i < MS_KEYS_BEFORE; i++) // the last of them is in force
        assert_int_equal(ms_take_key(&f.ms, 3, (struct octets){new_kc, 8}), 0);
    assert_int_equal(arrives(stamp, &before[0]), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 0);
    assert_true(read_again(stamp, &before[0], &what));
    assert_memory_equal(what.segment.data.at, npdu, sizeof npdu);
    sgsn_gea = 3;
    sgsn_key = new_kc;
    sgsn.next_ui[9] = 0;
    ms_sgsn_setup(&numbers, &f.ms);
    assert_int_equal(ul_llc(&sgsn, 9, 6, npdu, sizeof npdu, 0, after), 1);
    stamp = sent(&after[0]);
    assert_int_equal(arrives(stamp, &after[0]), MS_REFUSED_COUNT);
    assert_int_equal(f.npdus, 1);
    before[0].octets[5] ^= 1;
    assert_int_equal(arrives(stamp, &before[0]), MS_REFUSED_deciphered);
    fixture_expect_fault(1, "FCS wrong after deciphering");
}

static struct ms_stamp any; // of no MS that has a key

static void expect_unreadable(struct ul_llc *pdu)
{
    struct ms_what what;
    assert_false(read_again(any, pdu, &what));
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
    assert_true(read_again(any, &pdu[0], &what));
    for (bad = pdu[0]; bad.n > 0;) {
        bad.n--;
        expect_unreadable(&bad);
    }
    bad = pdu[0];
    bad.octets[20] ^= 1;
    expect_unreadable(&bad);
    fixture_key(4);
    expect_unreadable(&pdu[0]); // in the clear
    ul_llc(&sgsn, 3, 5, npdu, sizeof npdu, 0, pdu);
    expect_unreadable(&pdu[0]); // with a stamp of nothing
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
        MS_TEST(test_across_a_reset),
        MS_TEST(test_another_key),
        MS_TEST(test_what_cannot_be_read),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_read", tests, NULL, NULL);
}
