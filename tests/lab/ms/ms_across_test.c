// LLC PDUs that the SGSN sent under other numbers than the MS has, for a Reset passed them or is
// lost, or for too many were lost: refused, and nobody's fault. With any other wrong frame it is a
// fault, also of the same MS at the same time.
#include "tests/lab/ms/fixture.h"

#define OTHER_IOV 0x12345678u

static struct ms_sgsn numbers;
static struct ms other; // has had no Reset
static struct ms_counters counters_of_other;

struct frame {
    uint8_t octets[1600];
    uint32_t n;
    struct ms_stamp stamp;
};

static uint32_t sgsn_iov;

static bool encipher(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n)
{
    (void)ctx;
    if (f.ms.gea && n)
        fixture_cipher(f.ms.gea, kc, sgsn_iov, frame->sapi, frame->oc + frame->nu, true, octets, n);
    return f.ms.gea;
}

static struct ul_ms sgsn;

static void begin(uint8_t gea)
{
    struct ms_terms terms = {.n201_u_octets = 1520, .gea = gea, .kc = {kc, 16}, .iov_ui = IOV_UI};
    fixture_key(gea);
    ms_sgsn_setup(&numbers, &f.ms);
    sgsn = (struct ul_ms){.n201_u = 1520, .of_sgsn = true, .encipher = encipher};
    sgsn_iov = IOV_UI;
    memset(&counters_of_other, 0, sizeof counters_of_other);
    assert_int_equal(ms_setup(&other, &f.shared, &counters_of_other, &terms), 0);
    assert_int_equal(ms_add_context(&other, 5, 3), 0);
}

static struct frame make(uint32_t octets)
{
    uint8_t npdu[1500] = {0x45};
    struct ul_llc pdu[UL_SEGMENTS_MAX];
    struct frame frame;
    assert_int_equal(ul_llc(&sgsn, 3, 5, npdu, octets, 0, pdu), 1);
    frame.n = (uint32_t)pdu[0].n;
    memcpy(frame.octets, pdu[0].octets, frame.n);
    frame.stamp = ms_sgsn_sent(&numbers, frame.octets, frame.n);
    return frame;
}

static struct frame reset(uint32_t iov_ui)
{
    struct frame frame;
    frame.n = fixture_reset(iov_ui, frame.octets);
    frame.stamp = ms_sgsn_sent(&numbers, frame.octets, frame.n);
    sgsn.next_ui[3] = 0;
    sgsn.next_npdu[5] = 0;
    sgsn_iov = iov_ui;
    return frame;
}

static enum ms_refused give(const struct frame *frame)
{
    return ms_down_stamped(&f.ms, frame->stamp, frame->octets, frame->n, 77);
}

#define TAKEN MS_REFUSED_COUNT

static void expect_a_fault(const struct frame *good)
{
    struct frame wrong = *good;
    uint64_t faults = f.shared.faults;
    wrong.octets[wrong.n - 1] ^= 1;
    assert_int_equal(give(&wrong), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, faults + 1);
}

// LLC PDUs of different SAPIs may overtake each other in a BSS.
static void test_a_reset_overtakes_a_frame(void **state)
{
    (void)state;
    begin(4);
    struct frame first = make(100), late = make(100), command = reset(OTHER_IOV), next = make(100);
    assert_int_equal(give(&first), TAKEN);
    assert_int_equal(give(&command), TAKEN);
    assert_int_equal(give(&late), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 0);
    assert_int_equal(give(&next), TAKEN);
    fixture_expect(2, 200);
    expect_a_fault(&late);
    fixture_expect_fault(1, "FCS wrong after deciphering");
}

// T200 has the SGSN repeat it, with another IOV-UI.
static void test_a_reset_is_lost(void **state)
{
    (void)state;
    begin(4);
    reset(OTHER_IOV);
    struct frame meanwhile[3] = {make(100), make(200), make(300)};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(give(&meanwhile[i]), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 0);
    struct frame command = reset(OTHER_IOV + 1), next = make(100);
    assert_int_equal(give(&command), TAKEN);
    assert_int_equal(give(&next), TAKEN);
    fixture_expect(1, 100);
    expect_a_fault(&meanwhile[2]);
}

static void test_not_for_another_ms(void **state)
{
    (void)state;
    begin(4);
    reset(OTHER_IOV);
    struct frame lost = make(100);
    assert_int_equal(give(&lost), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 0);
    struct ms_sgsn of_other;
    ms_sgsn_setup(&of_other, &other);
    struct ms_stamp stamp = ms_sgsn_sent(&of_other, lost.octets, lost.n);
    assert_int_equal(ms_down_stamped(&other, stamp, lost.octets, lost.n, 77),
                     MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 1);
}

// The SGSN may not use the new IOV-UI before its Reset, nor the old one behind it.
static void test_not_for_the_wrong_side(void **state)
{
    (void)state;
    begin(4);
    sgsn_iov = OTHER_IOV;
    struct frame early = make(100);
    assert_int_equal(give(&early), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 1);
    struct frame command = reset(OTHER_IOV);
    sgsn_iov = IOV_UI;
    struct frame old = make(100);
    assert_int_equal(give(&command), TAKEN);
    assert_int_equal(give(&old), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 2);
}

// Without a stamp there is no excuse.
static void test_not_without_a_stamp(void **state)
{
    (void)state;
    begin(4);
    reset(OTHER_IOV);
    struct frame frame = make(100);
    frame.stamp.known = false;
    assert_int_equal(give(&frame), MS_REFUSED_deciphered);
    assert_int_equal(f.shared.faults, 1);
}

// Table 9 has 500 octets after a Reset; more were agreed on before.
static void test_n201_u_of_before(void **state)
{
    for (uint8_t gea = 0; gea <= 4; gea += 4) {
        if (gea) {
            fixture_end(state);
            fixture_begin(state);
        }
        begin(gea);
        struct frame late = make(1000), command = reset(gea ? OTHER_IOV : IOV_UI);
        struct frame behind = make(1000);
        assert_int_equal(give(&command), TAKEN);
        assert_int_equal(give(&late), MS_REFUSED_long);
        assert_int_equal(f.shared.faults, 0);
        assert_int_equal(give(&behind), MS_REFUSED_long); // nobody has agreed on that
        assert_int_equal(f.shared.faults, 1);
    }
}

// In the clear N(U) begins again, and looks like one of before: a duplicate, of which the Reset or
// the cipher's INPUT alone tells that it is none.
static void test_numbers_of_before(void **state)
{
    (void)state;
    begin(0);
    struct frame first = make(100);
    assert_int_equal(give(&first), TAKEN);
    for (uint32_t i = 0; i < 10; i++) {
        struct frame frame = make(100);
        assert_int_equal(give(&frame), TAKEN);
    }
    reset(0);
    struct frame next = make(100), of_before = next;
    next.stamp.input = first.stamp.input;
    assert_int_equal(give(&next), MS_REFUSED_duplicate);
    of_before.stamp.resets = first.stamp.resets;
    assert_int_equal(give(&of_before), MS_REFUSED_duplicate);
    assert_int_equal(f.shared.faults, 0);
    next.stamp = first.stamp;
    assert_int_equal(give(&next), MS_REFUSED_duplicate);
    fixture_expect_fault(1, "N(U) late or a duplicate");
}

// 479 is the most that N(U) tells: 32 of 512 are behind. From then on the MS is out of step for
// good.
static void test_too_many_lost(void **state)
{
    (void)state;
    for (uint32_t lost = 479; lost <= 480; lost++) {
        fixture_end(state);
        fixture_begin(state);
        begin(4);
        sgsn.next_ui[3] = numbers.next[0] = 40;
        f.ms.lle[0].down_next = 40;
        for (uint32_t i = 0; i < lost; i++)
            make(10);
        struct frame frame = make(100);
        assert_int_equal(give(&frame), lost == 479 ? TAKEN : MS_REFUSED_deciphered);
        assert_int_equal(f.shared.faults, 0);
        expect_a_fault(&frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MS_TEST(test_a_reset_overtakes_a_frame), MS_TEST(test_a_reset_is_lost),
        MS_TEST(test_not_for_another_ms),        MS_TEST(test_not_for_the_wrong_side),
        MS_TEST(test_not_without_a_stamp),       MS_TEST(test_n201_u_of_before),
        MS_TEST(test_numbers_of_before),         MS_TEST(test_too_many_lost),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_across", tests, NULL, NULL);
}
