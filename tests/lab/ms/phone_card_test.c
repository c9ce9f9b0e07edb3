// A phone of the lab with a card, whose keys are the first set of TS 35.208. Its messages must have
// the octets that 24.008 says, which were typed by hand. Its enciphered frames must be those that
// Osmocom's code for Milenage and GEA makes.
#include "lab/ms/phone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lab/live/bts/hex.h"
#include "tests/oracle/fcs.h"

#define S 1000000000ull

static struct phone phone;
static uint32_t frames;
static char last[1024]; // the LLC frame, as hexadecimal digits
static struct {
    uint32_t n, gea;
    char kc[64];
} told;

static void take_frame(void *self, struct phone *from, const uint8_t *llc, uint32_t octets,
                       uint64_t now_ns)
{
    (void)self;
    (void)from;
    (void)now_ns;
    frames++;
    for (uint32_t i = 0; i < octets; i++)
        sprintf(last + 2 * i, "%02x", llc[i]);
}

static void hear_of_context(void *self, struct phone *from, uint64_t now_ns)
{
    (void)self;
    (void)from;
    (void)now_ns;
}

static uint32_t draw(void *self)
{
    (void)self;
    return 7;
}

static void hear_of_key(void *self, struct phone *from, uint8_t gea, struct octets kc)
{
    (void)self;
    (void)from;
    told.n++;
    told.gea = gea;
    told.kc[0] = '\0';
    for (uint32_t i = 0; i < kc.n; i++)
        sprintf(told.kc + 2 * i, "%02x", kc.at[i]);
}

static int begin(void **state)
{
    static struct cipher_scratch scratch;
    struct phone_config config = {.imsi = "262420123456789",
                                  .imeisv = "4901542032375101",
                                  .apn = "internet.test",
                                  .nsapi = 5,
                                  .sapi = 3,
                                  .has_card = true};
    (void)state;
    assert_true(milenage_ready());
    hex("465b5ce8b199b49faa5f0a2ee238a6bc", config.card.k);
    hex("cd63cb71954a9f4e48a5994e37a02baf", config.card.opc);
    memset(&told, 0, sizeof told);
    frames = 0;
    phone_setup(&phone, &config,
                &(struct phone_owner){.send = take_frame,
                                      .context = hear_of_context,
                                      .random = draw,
                                      .scratch = &scratch,
                                      .keyed = hear_of_key});
    phone_on(&phone, S);
    return 0;
}

static void down_frame(const char *octets)
{
    uint8_t b[512];
    uint32_t n = hex(octets, b);
    assert_true(phone_down(&phone, b, n, S));
}

// The octets of a UI frame of SAPI 1 in clear: of the SGSN, or of the phone.
static uint32_t frame_of(bool is_down, uint32_t nu, const char *message, uint8_t b[512])
{
    b[0] = is_down ? 0x41 : 0x01;
    b[1] = (uint8_t)(0xc0 | nu >> 6);
    b[2] = (uint8_t)(nu << 2 | 1);
    uint32_t n = 3 + hex(message, b + 3), fcs = plain_fcs(b, n);
    for (uint32_t i = 0; i < 3; i++)
        b[n + i] = (uint8_t)(fcs >> 8 * i);
    return n + 3;
}

static void down(uint32_t nu, const char *message)
{
    uint8_t b[512];
    uint32_t n = frame_of(true, nu, message, b);
    assert_true(phone_down(&phone, b, n, S));
}

static void expect_frame(uint32_t n, const char *octets)
{
    assert_int_equal(frames, n);
    assert_string_equal(last, octets);
}

static void expect_clear(uint32_t n, uint32_t nu, const char *message)
{
    uint8_t b[512];
    char text[1024];
    uint32_t octets = frame_of(false, nu, message, b);
    for (uint32_t i = 0; i < octets; i++)
        sprintf(text + 2 * i, "%02x", b[i]);
    expect_frame(n, text);
}

#define RAND  "21 23553cbe9637a89d218ae64dae47bf35"
#define AUTN  "28 10 55f328b43577 b9b9 4a9ffac354dfafb3" // SQN ff9bb4d0b607
#define OTHER "21 000102030405060708090a0b0c0d0e0f"
#define GEA3  "08 12 03 50" RAND "82" AUTN // its reference is 5, its CKSN 2
#define RES   "22 a54211d5"
#define REST  "29 04 e3ba50bf"
#define KC    "eae4be823af9a08b"

#define ATTACH \
    "08 01 02 21 30 71 00 00 08 29 26 24 10 32 54 76 98 00 f0 00 ff fe ff 05 32 a5 15 80 00"
// ACCEPT with P-TMSI db50adb0, its signature 010203, area 262-42-4660-86; N(U) 1, and under Kc.
#define ACCEPT "41c007aa59c181a8380bf9a6d3d5b546c9aca1d9097ce63a27512380de08"
#define ACTIVATE                                                                           \
    "01c00f807cc65823ff1e0c1a801a58ef9676ddda3548438eaebdd38814499bf3ecc90f351eb7c696cbe8" \
    "43d945502bb3e4867d07fde2ebc38024263137a9efa3"

static void be_attached(void)
{
    expect_clear(1, 0, ATTACH);
    down(0, GEA3);
    expect_clear(2, 1, "08 13 05" RES REST);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.gea, 3);
    assert_string_equal(told.kc, KC);
    down_frame(ACCEPT);
    assert_int_equal(phone.state, PHONE_ATTACHED);
    expect_frame(4, ACTIVATE); // COMPLETE is before that
}

static void test_it_proves_who_it_is_and_enciphers(void **state)
{
    (void)state;
    be_attached();
    assert_int_equal(phone.count[PHONE_COUNT_frames_bad], 0);
}

// An update says the key's set and the signature, and is in clear.
static void test_an_update_has_what_it_got(void **state)
{
    (void)state;
    be_attached();
    phone_update(&phone, S);
    expect_clear(5, 4, "08 08 20 62 f2 24 12 34 56 05 32 a5 15 80 00 19 01 02 03 32 02 00 00");
}

static void test_the_same_rand_gets_the_same_answer_and_no_key(void **state)
{
    (void)state;
    be_attached();
    down(2, GEA3);
    expect_clear(5, 4, "08 13 05" RES REST);
    assert_int_equal(told.n, 1);
}

static void test_a_network_without_its_key_is_refused(void **state)
{
    (void)state;
    down(0, "08 12 03 50" RAND "82 28 10 55f328b43577 b9b9 4a9ffac354dfafb2");
    expect_clear(2, 1, "08 1c 14");
    assert_int_equal(told.n, 0);
    down(1, GEA3);
    expect_clear(3, 2, "08 13 05" RES REST);
}

static void test_an_old_sqn_is_refused_and_the_card_says_its_own(void **state)
{
    (void)state;
    be_attached();
    down(2, "08 12 03 60" OTHER "83 28 10 fda0d7259a88 b9b9 9ef81d5d88a6dfb0");
    expect_clear(5, 4, "08 1c 15 30 0e 6418a61bbf2f 0fd6198ad6cd3354");
    assert_int_equal(told.n, 1);
}

// GEA4 takes Kc128, and a Reset with an IOV-UI of its own begins its numbers.
static void test_another_key(void **state)
{
    (void)state;
    be_attached();
    down(2, "08 12 14 60" OTHER "83 28 10 fda0d7259a87 b9b9 01d1e297a8038e78");
    expect_clear(5, 4, "08 13 06 22 a8866ac4 23 09 43 09 51 24 30 32 57 01 f1 29 04 6a440436");
    assert_int_equal(told.n, 2);
    assert_string_equal(told.kc, "7c8fb471d95af7e971fe44a17271f164");
    phone.iov_ui = 0x01020304;
    phone_reset(&phone);
    down_frame("41c00391ec51257427e006c641ff6183c3f233ed854de5dbc5"); // P-TMSI db50adb1
    expect_frame(6, "01c0035e76330a3c");
    assert_int_equal(phone.p_tmsi, 0xdb50adb1);
    assert_int_equal(phone.signature, 0x040506);
}

// A detach in clear is anybody's; identity is asked so.
static void test_in_clear_under_a_key(void **state)
{
    (void)state;
    be_attached();
    down(2, "08 05 01");
    assert_int_equal(phone.state, PHONE_ATTACHED);
    assert_int_equal(phone.count[PHONE_COUNT_frames_bad], 1);
    down(2, "08 15 01");
    expect_clear(5, 4, "08 16 08 29 26 24 10 32 54 76 98");
    down_frame(
        "41c00faa59c181a8380bf9a6d3d5b546c9aca1d9097ce63a27512380de08"); // no number makes it good
    assert_int_equal(phone.count[PHONE_COUNT_frames_bad], 2);
}

static void test_told_that_it_is_wrong_it_gives_up(void **state)
{
    (void)state;
    down(0, "08 14");
    assert_int_equal(phone.state, PHONE_ATTACHING); // it has answered nothing
    down(1, GEA3);
    down(2, "08 14");
    assert_int_equal(phone.state, PHONE_REFUSED);
    assert_int_equal(phone.cksn, PHONE_NO_KEY);
}

// GEA1 and GEA2 it has not said that it can.
static void test_other_ciphers(void **state)
{
    (void)state;
    down(0, "08 12 01 50" RAND "82" AUTN);
    expect_clear(2, 1, "08 20 61");
    down(1, "08 12 00 50" RAND "82" AUTN);
    expect_clear(3, 2, "08 13 05" RES REST);
    assert_int_equal(told.gea, 0);
    down(2, "08 02 01 2a 44 62 f2 24 12 34 56 17 01 18 05 f4 db 50 ad b0");
    assert_int_equal(phone.state, PHONE_ATTACHED);
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_it_proves_who_it_is_and_enciphers),
        EACH(test_an_update_has_what_it_got),
        EACH(test_the_same_rand_gets_the_same_answer_and_no_key),
        EACH(test_a_network_without_its_key_is_refused),
        EACH(test_an_old_sqn_is_refused_and_the_card_says_its_own),
        EACH(test_another_key),
        EACH(test_in_clear_under_a_key),
        EACH(test_told_that_it_is_wrong_it_gives_up),
        EACH(test_other_ciphers),
    };
    return cmocka_run_group_tests_name("lab/ms/phone_card", tests, NULL, NULL);
}
