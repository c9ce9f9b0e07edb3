// A phone of the lab against octets of 24.008 typed by hand; the LLC frames called "captured" are
// osmo-sgsn's to another phone. Its own messages are compared octet by octet, and its timers to the
// ns.
#include "lab/ms/phone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lab/live/bts/hex.h"
#include "tests/oracle/fcs.h"

#define S 1000000000ull

static struct phone phone;
static uint64_t now_ns;
static struct {
    char text[1024]; // of a message, as hexadecimal digits
    uint32_t n, nu, tlli;
} sent;
static struct {
    uint32_t n, address;
} told;
static uint32_t down_nu;

// LLC as 44.064 has it: SAPI 1, a command of an MS, UI with a number, everything protected.
static void take_frame(void *self, struct phone *from, const uint8_t *llc, uint32_t octets,
                       uint64_t at_ns)
{
    assert_ptr_equal(self, &sent);
    assert_ptr_equal(from, &phone);
    assert_true(at_ns == now_ns && octets >= 6);
    assert_int_equal(llc[0], 0x01);
    assert_int_equal(llc[1] & 0xf8, 0xc0);
    assert_int_equal(llc[2] & 3, 1);
    uint32_t fcs = llc[octets - 3] | llc[octets - 2] << 8 | (uint32_t)llc[octets - 1] << 16;
    assert_int_equal(fcs, plain_fcs(llc, octets - 3));
    assert_int_equal(sent.nu, (llc[1] & 7) << 6 | llc[2] >> 2);
    sent.nu = (sent.nu + 1) % 512;
    for (uint32_t i = 3; i < octets - 3; i++)
        sprintf(sent.text + 2 * (i - 3), "%02x", llc[i]);
    sent.tlli = from->tlli;
    sent.n++;
}

static void hear_of_context(void *self, struct phone *from, uint64_t at_ns)
{
    assert_ptr_equal(self, &sent);
    assert_true(at_ns == now_ns);
    told.n++;
    told.address = from->address;
}

static uint32_t draw(void *self)
{
    assert_ptr_equal(self, &sent);
    return 0xfbcdef01;
}

static int begin(void **state)
{
    static const struct phone_config config = {.imsi = "262420123456789",
                                               .imeisv = "4901542032375101",
                                               .apn = "internet.test",
                                               .nsapi = 5,
                                               .sapi = 3};
    static const struct phone_owner owner = {
        .self = &sent, .send = take_frame, .context = hear_of_context, .random = draw};
    (void)state;
    memset(&sent, 0, sizeof sent);
    memset(&told, 0, sizeof told);
    down_nu = 0;
    now_ns = 7 * S;
    phone_setup(&phone, &config, &owner);
    return 0;
}

// The last message of the phone, and how many there were before it.
static void expect_sent(uint32_t n, const char *octets)
{
    char plain[1024];
    uint32_t length = 0;
    for (const char *c = octets; *c; c++)
        if (*c != ' ')
            plain[length++] = *c;
    plain[length] = '\0';
    assert_int_equal(sent.n, n);
    assert_string_equal(sent.text, plain);
}

static bool down_frame(const char *octets)
{
    uint8_t b[512];
    uint32_t n = hex(octets, b);
    return phone_down(&phone, b, n, now_ns);
}

// A message of the SGSN, in the next frame.
static void down(const char *octets)
{
    uint8_t b[512] = {0x41};
    uint32_t n = 3 + hex(octets, b + 3);
    b[1] = (uint8_t)(0xc0 | down_nu >> 6);
    b[2] = (uint8_t)(down_nu << 2 | 1);
    down_nu++;
    uint32_t fcs = plain_fcs(b, n);
    for (uint32_t i = 0; i < 3; i++)
        b[n + i] = (uint8_t)(fcs >> 8 * i);
    assert_true(phone_down(&phone, b, n + 3, now_ns));
}

static uint64_t count(enum phone_count which)
{
    return phone.count[which];
}

#define IMSI_ID "08 29 26 24 10 32 54 76 98"
#define ATTACH  "08 01 02 21 00 71 00 00 " IMSI_ID "00 f0 00 ff fe ff 05 32 a5 15 80 00"
#define ACTIVATE                                                                               \
    "0a 41 05 03 0c 1b 92 1f 73 97 40 40 74 03 ff ff 00 02 01 21 28 0e 08 696e7465726e6574 04" \
    "74657374 27 14 80 80 21 10 01 00 00 10 81 06 00000000 83 06 00000000"
// P-TMSI db50adb0, area 262-42-4660-86, T3312 60 min, READY 2 s.
#define ACCEPT "08 02 01 2a 44 62 f2 24 12 34 56 17 01 18 05 f4 db 50 ad b0"
#define GOT    "8a 42 03 0c 1b 92 1f 73 97 40 40 74 03 ff ff 00 04 2b 06 01 21 ac 10 de 01"

static void be_attached(void)
{
    phone_on(&phone, now_ns);
    down(ACCEPT);
    down(GOT);
    assert_int_equal(phone.state, PHONE_ATTACHED);
    assert_int_equal(phone.context, PHONE_CONTEXT_ACTIVE);
    assert_int_equal(sent.n, 3);
    assert_int_equal(told.n, 1);
}

// What osmo-sgsn said to a phone with this IMSI, frame by frame.
static void test_captured(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    expect_sent(1, ATTACH);
    assert_int_equal(sent.tlli, 0x7bcdef01);
    assert_true(down_frame("41c001 081502 de8e9a")); // IMEI?
    expect_sent(2, "08 16 08 4a 09 51 24 30 32 57 01");
    assert_true(down_frame("01c005 0802012a4462f22412345617011805f4db50adb0 f57c94"));
    assert_int_equal(phone.tlli, 0xdb50adb0);
    assert_int_equal(phone.tlli_before, 0x7bcdef01);
    expect_sent(4, ACTIVATE);
    assert_int_equal(sent.tlli, 0xdb50adb0);
    assert_true(down_frame("01c009 8a42030e23621f72993f3f1143ffff000000042b060121ac10de01 41a586"));
    assert_int_equal(told.n, 1);
    assert_int_equal(told.address, 0xac10de01);
    assert_int_equal(sent.n, 4);
    assert_int_equal(count(PHONE_COUNT_frames), 3);
    assert_int_equal(count(PHONE_COUNT_messages), 3);
    assert_int_equal(count(PHONE_COUNT_attaches), 1);
    assert_int_equal(count(PHONE_COUNT_contexts), 1);
}

static void test_complete_is_on_the_new_tlli(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    sent.n = 0;
    down("08 02 01 2a 44 62 f2 24 12 34 56"); // no P-TMSI: no COMPLETE
    assert_int_equal(sent.n, 1);
    assert_int_equal(sent.tlli, 0x7bcdef01);
    assert_string_not_equal(sent.text, "0803");
    down(ACCEPT); // again, with one
    expect_sent(2, "08 03");
    assert_int_equal(sent.tlli, 0xdb50adb0);
    down(ACCEPT); // COMPLETE was lost
    expect_sent(3, "08 03");
    assert_int_equal(count(PHONE_COUNT_attaches), 1);
}

static void test_identities(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    down("08 15 01");
    expect_sent(2, "08 16 " IMSI_ID);
    down("08 15 03");
    expect_sent(3, "08 16 09 43 09 51 24 30 32 57 01 f1");
    down("08 15 04");
    expect_sent(4, "08 16 01 f0");
    down("08 15 11"); // force to STANDBY
    expect_sent(5, "08 16 " IMSI_ID);
}

// T3310 five times, T3311 between five attempts, then T3302, and by its IMSI.
static void test_nobody_answers(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    uint32_t n = 1;
    for (uint32_t attempt = 0; attempt < 5; attempt++) {
        for (uint32_t again = 0; again < 5; again++) {
            assert_true(phone_next_ns(&phone) == now_ns + 15 * S);
            now_ns += 15 * S - 1;
            phone_turn(&phone, now_ns);
            assert_int_equal(sent.n, n);
            now_ns++;
            phone_turn(&phone, now_ns);
            n += again < 4;
            expect_sent(n, ATTACH);
        }
        uint64_t wait_ns = (attempt < 4 ? 15 : 12 * 60) * S;
        assert_int_equal(phone.state, PHONE_WAITS);
        assert_true(phone_next_ns(&phone) == now_ns + wait_ns);
        now_ns += wait_ns;
        phone_turn(&phone, now_ns);
        expect_sent(++n, ATTACH);
        assert_int_equal(phone.state, PHONE_ATTACHING);
    }
    assert_int_equal(count(PHONE_COUNT_given_up), 5);
    assert_int_equal(count(PHONE_COUNT_messages_again), 20);
}

static void test_attach_with_a_p_tmsi(void **state)
{
    (void)state;
    be_attached();
    phone_off(&phone, now_ns);
    expect_sent(4, "08 05 09 18 05 f4 db 50 ad b0");
    assert_int_equal(phone.state, PHONE_OFF);
    assert_int_equal(told.n, 2);
    assert_int_equal(told.address, 0);
    assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
    phone_on(&phone, now_ns);
    expect_sent(5, "08 01 02 21 00 71 00 00 05 f4 db 50 ad b0 62 f2 24 12 34 56 05 32 a5 15 80 00");
    assert_int_equal(sent.tlli, 0xdb50adb0);
}

static void test_attach_refused(void **state)
{
    static const uint8_t for_good[] = {2, 3, 6, 7, 8, 11, 12, 13, 14, 15};
    (void)state;
    phone_on(&phone, now_ns);
    down("08 04 11"); // network failure: T3311
    assert_int_equal(phone.state, PHONE_WAITS);
    assert_int_equal(phone.cause, 17);
    assert_true(phone_next_ns(&phone) == now_ns + 15 * S);
    now_ns += 15 * S;
    phone_turn(&phone, now_ns);
    expect_sent(2, ATTACH);
    down("08 04 16 3a 01 22"); // congestion, T3346 2 min
    assert_true(phone_next_ns(&phone) == now_ns + 120 * S);
    phone_turn(&phone, now_ns += 120 * S);
    down("08 04 16 3a 01 20"); // T3346 of no minute: T3311
    assert_true(phone_next_ns(&phone) == now_ns + 15 * S);
    down("08 04 11"); // there is nothing to refuse
    assert_int_equal(count(PHONE_COUNT_attaches_refused), 3);
    assert_int_equal(count(PHONE_COUNT_messages_unexpected), 1);
    for (uint32_t i = 0; i < sizeof for_good; i++) {
        char reject[16];
        begin(NULL);
        phone_on(&phone, now_ns);
        sprintf(reject, "08 04 %02x", for_good[i]);
        down(reject);
        assert_int_equal(phone.state, PHONE_REFUSED);
        assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
    }
}

// T3312 begins behind READY, anew with each frame that goes up.
static void test_periodic_update(void **state)
{
    const uint64_t period_ns = (3600 + 2) * S; // as ACCEPT says: 10 decihours, 1 x 2 s
    (void)state;
    phone_on(&phone, now_ns);
    down("08 02 01 4a 44 62 f2 24 12 34 56 17 01 18 05 f4 db 50 ad b0");
    down(GOT);
    assert_true(phone_next_ns(&phone) == now_ns + period_ns);
    now_ns += 100 * S;
    phone_sent(&phone, now_ns);
    assert_true(phone_next_ns(&phone) == now_ns + period_ns);
    now_ns += period_ns;
    phone_turn(&phone, now_ns);
    expect_sent(4, "08 08 73 62 f2 24 12 34 56 05 32 a5 15 80 00 32 02 20 00");
    assert_int_equal(phone.state, PHONE_UPDATING);
    assert_true(phone_next_ns(&phone) == now_ns + 15 * S);
    now_ns += 15 * S;
    phone_turn(&phone, now_ns);
    assert_int_equal(sent.n, 5);
    // RA updated, T3312 off, another area and P-TMSI; NSAPI 5 is active.
    down("08 09 00 e0 62 f2 24 12 34 57 18 05 f4 c0 00 00 07 17 16 32 02 20 00");
    expect_sent(6, "08 0a");
    assert_int_equal(sent.tlli, 0xc0000007);
    assert_int_equal(phone.state, PHONE_ATTACHED);
    assert_int_equal(phone.context, PHONE_CONTEXT_ACTIVE);
    assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
    phone_update(&phone, now_ns);
    expect_sent(7, "08 08 70 62 f2 24 12 34 57 05 32 a5 15 80 00 32 02 20 00");
    assert_int_equal(sent.tlli, 0x80000007); // the foreign TLLI of its P-TMSI
    assert_true(phone.abroad && phone.tlli_before == 0xc0000007);
    down("08 09 00 e0 62 f2 24 12 34 58 32 02 00 00"); // the network has no context
    assert_false(phone.abroad);
    assert_int_equal(sent.tlli, 0xc0000007); // as it has no other P-TMSI
    assert_int_equal(told.n, 2);
    assert_int_equal(told.address, 0);
    expect_sent(8, ACTIVATE);
    assert_int_equal(count(PHONE_COUNT_updates), 2);
}

// T3312 of 0 s, READY of 0 s: an update without end is not meant.
static void test_no_period(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    down("08 02 01 00 44 62 f2 24 12 34 56 17 00 18 05 f4 db 50 ad b0");
    down(GOT);
    assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
}

// A network that gives no P-TMSI: there is no TLLI but the random one.
static void test_update_without_a_p_tmsi(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    uint32_t tlli = sent.tlli;
    down("08 02 01 2a 44 62 f2 24 12 34 56 17 01");
    assert_int_equal(phone.state, PHONE_ATTACHED);
    phone_update(&phone, now_ns);
    assert_int_equal(phone.state, PHONE_UPDATING);
    assert_int_equal(sent.tlli, tlli);
    assert_true(phone.abroad && phone.tlli_before == 0);
}

static void test_update_refused(void **state)
{
    (void)state;
    be_attached();
    phone_update(&phone, now_ns);
    down("08 0b 0a 00"); // implicitly detached: it attaches by its P-TMSI
    assert_int_equal(phone.state, PHONE_ATTACHING);
    assert_int_equal(told.address, 0);
    assert_int_equal(sent.tlli, 0x9b50adb0); // foreign: it is not in the area of its P-TMSI
    assert_memory_equal(sent.text,
                        "0801022100710000"
                        "05f4db50adb0",
                        28);
    down(ACCEPT);
    down(GOT);
    phone_update(&phone, now_ns);
    down("08 0b 09 00"); // identity not derived: by its IMSI
    assert_int_equal(sent.tlli, 0x7bcdef01);
    assert_memory_equal(sent.text,
                        "0801022100710000"
                        "0829262410",
                        26);
    down(ACCEPT);
    down(GOT);
    phone_update(&phone, now_ns);
    down("08 0b 11 00"); // network failure: T3311, and its context stays
    assert_int_equal(phone.state, PHONE_ATTACHED);
    assert_int_equal(phone.context, PHONE_CONTEXT_ACTIVE);
    assert_true(phone_next_ns(&phone) == now_ns + 15 * S);
    uint32_t n = sent.n;
    now_ns += 15 * S;
    phone_turn(&phone, now_ns);
    expect_sent(n + 1, "08 08 70 62 f2 24 12 34 56 05 32 a5 15 80 00 32 02 20 00");
    down("08 0b 07 00"); // no GPRS
    assert_int_equal(phone.state, PHONE_REFUSED);
    assert_int_equal(told.address, 0);
}

static void test_the_network_detaches(void **state)
{
    (void)state;
    be_attached();
    down("08 05 01 25 0a"); // attach again, implicitly detached
    assert_int_equal(sent.n, 5);
    assert_int_equal(phone.state, PHONE_ATTACHING);
    assert_int_equal(told.address, 0);
    down(ACCEPT);
    assert_int_equal(phone.state, PHONE_ATTACHED);
    down("08 05 02");
    expect_sent(8, "08 06");
    assert_int_equal(phone.state, PHONE_REFUSED);
    assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
    down("08 05 01");
    assert_int_equal(count(PHONE_COUNT_messages_unexpected), 1);
}

static void test_detach(void **state)
{
    (void)state;
    be_attached();
    phone_detach(&phone, now_ns);
    expect_sent(4, "08 05 01 18 05 f4 db 50 ad b0");
    for (uint32_t i = 0; i < 4; i++) {
        now_ns = phone_next_ns(&phone);
        phone_turn(&phone, now_ns);
        expect_sent(5 + i, "08 05 01 18 05 f4 db 50 ad b0");
    }
    assert_true(now_ns == 67 * S);
    down("18 06 00"); // a skip indicator: to be ignored
    assert_int_equal(phone.state, PHONE_DETACHING);
    down("08 06 00");
    assert_int_equal(phone.state, PHONE_OFF);
    assert_true(phone_next_ns(&phone) == PHONE_NEVER_NS);
    begin(NULL);
    be_attached();
    phone_detach(&phone, now_ns);
    for (uint32_t i = 0; i < 5; i++)
        phone_turn(&phone, now_ns = phone_next_ns(&phone));
    assert_int_equal(phone.state, PHONE_OFF);
    assert_int_equal(sent.n, 8);
}

static void test_reallocation(void **state)
{
    (void)state;
    be_attached();
    down("08 10 05 f4 c1 02 03 04 62 f2 24 12 34 57 00");
    expect_sent(4, "08 11");
    assert_int_equal(sent.tlli, 0xc1020304);
    assert_int_equal(phone.tlli_before, 0xdb50adb0);
}

// Without a card: an algorithm alone is agreed to, RAND is not.
static void test_authentication(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    down("08 12 10 30"); // no algorithm, reference 3, IMEISV
    expect_sent(2, "08 13 03 23 09 43 09 51 24 30 32 57 01 f1");
    down("08 12 00 40 21 000102030405060708090a0b0c0d0e0f 81");
    expect_sent(3, "08 20 61");
    down("08 12 03 40");
    expect_sent(4, "08 20 61");
}

// T3380 five times, then a minute; refused: a minute.
static void test_context_without_an_answer(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    down("08 02 01 e0 44 62 f2 24 12 34 56 18 05 f4 db 50 ad b0");
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(phone_next_ns(&phone) == now_ns + 30 * S);
        phone_turn(&phone, now_ns += 30 * S);
        expect_sent(4 + i, ACTIVATE);
    }
    phone_turn(&phone, now_ns += 30 * S);
    assert_int_equal(phone.context, PHONE_CONTEXT_NONE);
    assert_true(phone_next_ns(&phone) == now_ns + 60 * S);
    phone_turn(&phone, now_ns += 60 * S);
    expect_sent(8, ACTIVATE);
    down("8a 43 1a"); // insufficient resources
    assert_int_equal(phone.cause, 26);
    assert_int_equal(count(PHONE_COUNT_contexts_refused), 1);
    assert_true(phone_next_ns(&phone) == now_ns + 60 * S);
    down("8a 43 1a");
    assert_int_equal(count(PHONE_COUNT_messages_unexpected), 1);
    assert_int_equal(told.n, 0);
}

static void test_context_ends(void **state)
{
    (void)state;
    be_attached();
    down("8a 46 24"); // regular deactivation
    expect_sent(4, "0a 47");
    assert_int_equal(told.address, 0);
    assert_int_equal(phone.context, PHONE_CONTEXT_NONE);
    down("8a 46 24"); // ACCEPT was lost
    expect_sent(5, "0a 47");
    phone_turn(&phone, now_ns += 60 * S);
    expect_sent(6, ACTIVATE);
    down(GOT);
    assert_int_equal(told.address, 0xac10de01);
    down("8a 46 27"); // reactivation requested
    expect_sent(8, ACTIVATE);
    down(GOT);
    assert_int_equal(told.n, 5);
    down("8a 55 51"); // the network does not know this transaction
    assert_int_equal(told.address, 0);
    assert_int_equal(count(PHONE_COUNT_contexts_ended), 2);
    assert_int_equal(count(PHONE_COUNT_contexts), 3);
}

static void test_other_sm_messages(void **state)
{
    (void)state;
    be_attached();
    down("8a 48 04 03 03 0b 92 1f"); // modified by the network
    expect_sent(4, "0a 49");
    down("1a 44 02 01 21"); // a request for a context of the network's transaction 1
    expect_sent(5, "9a 45 1f");
    down("9a 46 24"); // a transaction that it does not have
    expect_sent(6, "1a 55 51");
    down("8a 7f");
    expect_sent(7, "0a 55 61");
    down("7a 46 24"); // an extended one, and the same to the side that chose it
    down("fa 46 24");
    assert_int_equal(sent.n, 7);
    assert_int_equal(count(PHONE_COUNT_messages_odd), 3);
    down("8a 42 03 03 0b 92 1f 04 2b 06 01 21 0a 00 00 01"); // once more: it was asked again
    assert_int_equal(phone.address, 0xac10de01);
    assert_int_equal(count(PHONE_COUNT_messages_unexpected), 2);
}

// ACCEPT without an address of IPv4: it is none.
static void test_address(void **state)
{
    static const char *const wrong[] = {"8a 42 03 03 0b 92 1f 04",
                                        "8a 42 03 03 0b 92 1f 04 2b 02 01 21",
                                        "8a 42 03 03 0b 92 1f 04 2b 06 01 57 0a 00 00 01",
                                        "8a 42 03 03 0b 92 1f 04 2b 06 01 21 00 00 00 00"};
    (void)state;
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        begin(NULL);
        phone_on(&phone, now_ns);
        down(ACCEPT);
        down(wrong[i]);
        assert_int_equal(phone.context, PHONE_CONTEXT_NONE);
        assert_int_equal(told.n, 0);
        expect_sent(4, "0a 55 60");
    }
}

static void test_odd(void **state)
{
    (void)state;
    be_attached();
    assert_false(down_frame("43c001 081502 000000")); // SAPI 3
    assert_false(down_frame("41fb01 000000"));        // XID
    assert_false(down_frame("41"));
    assert_true(down_frame("41c02d 081502 de8e9a")); // its FCS is another's
    assert_true(down_frame("41c001"));
    assert_true(down_frame("41c02f 081501 000000")); // enciphered
    assert_int_equal(count(PHONE_COUNT_frames_bad), 3);
    down("08 02 01"); // cut
    down("18 15 01"); // a skip indicator: to be ignored
    down("05 01");    // another protocol
    down("08");
    down("");
    assert_int_equal(count(PHONE_COUNT_messages_odd), 5);
    assert_int_equal(sent.n, 3);
    down("08 7f");
    expect_sent(4, "08 20 61");
    down("08 20 60");
    down("08 21");
    assert_int_equal(sent.n, 4);
}

static void test_duplicates(void **state)
{
    (void)state;
    phone_on(&phone, now_ns);
    down("08 15 01");
    down_nu = 0;
    down("08 15 01");
    assert_int_equal(sent.n, 2);
    assert_int_equal(count(PHONE_COUNT_frames_duplicate), 1);
    phone_reset(&phone); // by XID: both begin at 0
    sent.nu = 0;
    down_nu = 0;
    down("08 15 01");
    assert_int_equal(sent.n, 3);
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_captured),
        EACH(test_complete_is_on_the_new_tlli),
        EACH(test_identities),
        EACH(test_nobody_answers),
        EACH(test_attach_with_a_p_tmsi),
        EACH(test_attach_refused),
        EACH(test_periodic_update),
        EACH(test_no_period),
        EACH(test_update_without_a_p_tmsi),
        EACH(test_update_refused),
        EACH(test_the_network_detaches),
        EACH(test_detach),
        EACH(test_reallocation),
        EACH(test_authentication),
        EACH(test_context_without_an_answer),
        EACH(test_context_ends),
        EACH(test_other_sm_messages),
        EACH(test_address),
        EACH(test_odd),
        EACH(test_duplicates),
    };
    return cmocka_run_group_tests_name("lab/ms/phone", tests, NULL, NULL);
}
