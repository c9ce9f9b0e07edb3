// The uplink of an MS, read by the oracle's receiver, which wants every N(U) and N-PDU number, a
// good FCS, and the same octets; libosmocore deciphers. Sizes, numbers, refusals.
#include "tests/lab/ms/fixture.h"
#include "tests/oracle/gb_receiver.h"

static struct gb_receiver *sgsn;
static uint8_t npdu[16 * 1517], got[GB_NPDU_OCTETS_MAX];
static size_t got_octets;
static uint64_t npdus;

static void deliver(void *ctx, const struct gb_npdu *n)
{
    (void)ctx;
    npdus++;
    got_octets = n->len;
    memcpy(got, n->octets, n->len);
}

static bool decipher(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t n)
{
    (void)ctx;
    if (f.ms.gea && n)
        fixture_cipher(f.ms.gea, kc, IOV_UI, frame->sapi, frame->oc + frame->nu, false, octets, n);
    return f.ms.gea;
}

static int begin(void **state)
{
    sgsn = gb_receiver_new(deliver, NULL);
    gb_receiver_uplink(sgsn);
    gb_receiver_set_decipher(sgsn, decipher, NULL);
    npdus = 0;
    for (size_t i = 0; i < sizeof npdu; i++)
        npdu[i] = (uint8_t)(i * 7 + (i >> 8));
    return fixture_begin(state);
}

static int end(void **state)
{
    gb_receiver_free(sgsn);
    return fixture_end(state);
}

static void read_all(void)
{
    for (uint32_t i = 0; i < f.pdus; i++) {
        int code = gb_receiver_llc_pdu(sgsn, 1, f.pdu[i].octets, f.pdu[i].n);
        if (code)
            fail_msg("%s", gb_receiver_error_text(code));
    }
}

// Sends an N-PDU, and sees it arrive in that many frames.
static void send(uint8_t nsapi, uint32_t octets, uint32_t frames)
{
    uint64_t before = npdus;
    f.pdus = 0;
    npdu[0]++; // unlike the one before
    assert_true(ms_up(&f.ms, nsapi, npdu, octets, 77));
    assert_int_equal(f.pdus, frames);
    read_all();
    assert_int_equal(npdus, before + 1);
    assert_int_equal(got_octets, octets);
    assert_memory_equal(got, npdu, octets);
}

static void set_n201_u(uint16_t octets)
{
    for (uint32_t i = 0; i < MS_LLES; i++)
        f.ms.lle[i].n201_u_octets = octets;
}

// N(U) 0 to 2 of SAPI 3; the frame's octets are those of the oracle's sender.
static void test_the_same_octets_as_the_oracle(void **state)
{
    struct ul_ms oracle = {.n201_u = 500};
    struct ul_llc pdu[UL_SEGMENTS_MAX];
    (void)state;
    set_n201_u(500);
    ms_up(&f.ms, 5, npdu, 1400, 77);
    assert_int_equal(ul_llc(&oracle, 3, 5, npdu, 1400, 0, pdu), f.pdus);
    for (uint32_t i = 0; i < f.pdus; i++) {
        assert_int_equal(f.pdu[i].n, pdu[i].n);
        assert_memory_equal(f.pdu[i].octets, pdu[i].octets, pdu[i].n);
    }
}

// Cut into as few segments as N201-U allows, over the wraps of N(U) and of the N-PDU number.
static void check_sizes(void)
{
    static const uint16_t n201_us[] = {140, 141, 500, 1503, 1504, 1520};
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t first = n201_us[k] - 4u, next = n201_us[k] - 3u;
        set_n201_u(n201_us[k]);
        for (uint32_t n = 1; n <= 1520; n += 1 + n % 3)
            send(n % 2 ? 5 : 6, n, n <= first ? 1 : 1 + (n - first + next - 1) / next);
    }
    assert_true(f.ms.context[0].up_number < 4096 && npdus > 4096);
    assert_true(f.ms.lle[0].up_next > 8 * 512);
}

static void test_sizes(void **state)
{
    (void)state;
    check_sizes();
}

static void test_sizes_enciphered(void **state)
{
    (void)state;
    fixture_key(3);
    check_sizes();
    gb_receiver_new_key(sgsn, 1);
    fixture_key(4);
    f.pdus = 0;
    for (uint32_t n = 1; n <= 1520; n++)
        send(5, n, n <= 1516 ? 1 : 2);
}

static void test_unprotected(void **state)
{
    (void)state;
    f.shared.config.protects_all = 0;
    send(5, 100, 1);
    assert_int_equal(f.pdu[0].octets[2] & 3, 0);
}

static void test_conservation(void **state)
{
    (void)state;
    send(5, 100, 1);
    send(6, 1520, 2);
    assert_false(ms_up(&f.ms, 7, npdu, 30, 77));
    assert_false(ms_up(&f.ms, 4, npdu, 30, 77));
    assert_false(ms_up(&f.ms, 16, npdu, 30, 77));
    assert_false(ms_up(&f.ms, 5, npdu, 0, 77));
    set_n201_u(140);
    f.pdus = 0;
    ms_up(&f.ms, 5, npdu, 136 + 15 * 137, 77);
    assert_int_equal(f.pdus, 16);
    assert_false(ms_up(&f.ms, 5, npdu, 136 + 15 * 137 + 1, 77));
    assert_int_equal(f.pdus, 16);
    assert_int_equal(f.counters.up_npdus.packets, 8);
    assert_int_equal(f.counters.up_sent.packets, 3);
    assert_int_equal(f.counters.up_sent.octets, 100 + 1520 + 2191);
    assert_int_equal(f.counters.up_unsent[MS_UNSENT_unknown].packets, 3);
    assert_int_equal(f.counters.up_unsent[MS_UNSENT_unknown].octets, 90);
    assert_int_equal(f.counters.up_unsent[MS_UNSENT_empty].packets, 1);
    assert_int_equal(f.counters.up_unsent[MS_UNSENT_large].octets, 2192);
    assert_int_equal(f.counters.up_pdus.packets, 1 + 2 + 16);
    assert_int_equal(f.counters.up_pdus.octets, 3811 + 3 * 4 + 16 * 3 + 19 * 6);
    send(6, 50, 1); // what was not sent took no number
}

static void test_a_new_key_begins_again(void **state)
{
    (void)state;
    send(5, 100, 1);
    fixture_key(4);
    gb_receiver_new_key(sgsn, 1);
    send(5, 100, 1);
    assert_int_equal(f.ms.lle[0].up_next, 1);
}

#define UP_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        UP_TEST(test_the_same_octets_as_the_oracle),
        UP_TEST(test_sizes),
        UP_TEST(test_sizes_enciphered),
        UP_TEST(test_unprotected),
        UP_TEST(test_conservation),
        UP_TEST(test_a_new_key_begins_again),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_up", tests, NULL, NULL);
}
