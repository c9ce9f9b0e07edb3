// The lab's Gb receiver: typed frames of the oracle, reassembly per context, delays by the stamp,
// and what it gives up or calls a fault.
#include "lab/bss/receiver.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/llc_cipher.h"
#include "dataplane/wire/pdus.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/oracle/typed_frames.h"

#define TLLI         0xc0000001u
#define FRAME_OCTETS 2048
#define BSS          0xc0000202u // the destination of the typed frames
#define NSE          7u

static struct receiver receiver;
static uint32_t destination; // of the frames that are made here

static int add_context(uint8_t nsapi, uint8_t traffic_class)
{
    struct receiver_key key = {.nse = NSE, .nsapi = nsapi, .tlli = TLLI};
    return receiver_add_context(&receiver, &key, traffic_class);
}

static int make_receiver(void **state)
{
    (void)state;
    memset(&receiver, 0, sizeof receiver);
    destination = BSS;
    const struct receiver_limits limits = {.endpoints = 2, .contexts = 4, .deciphers = 1};
    const struct receiver_endpoint endpoint = {address_of_ipv4(BSS), 23000};
    if (receiver_setup(&receiver, &limits) != 0 ||
        receiver_add_endpoint(&receiver, &endpoint, NSE) != 0)
        return -1;
    return add_context(5, CLASS_STREAMING);
}

static int release_receiver(void **state)
{
    (void)state;
    receiver_release(&receiver);
    return 0;
}

static const struct receiver_class *of_class(void)
{
    return &receiver.of_class[CLASS_STREAMING];
}

static void receive(const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    receiver_frame(&receiver, frame, octets, now_ns);
}

// Below LLC, by the project's own codecs, which have tests of their own.
static void receive_llc(uint8_t *b, uint32_t n, uint64_t now_ns)
{
    struct bssgp_dl_unitdata bssgp = {.tlli = TLLI, .llc_pdu = {b, n}};
    n = (uint32_t)bssgp_dl_unitdata_encode(&bssgp, b, FRAME_OCTETS);
    struct ns_unitdata ns = {.bvci = 2, .sdu = {b, n}};
    n = (uint32_t)ns_unitdata_encode(&ns, b, FRAME_OCTETS);
    struct udp udp = {23000, 23000, 0, {b, n}};
    n = (uint32_t)udp_encode(&udp, b, FRAME_OCTETS);
    struct ipv4 ip = {.ttl = 64, .protocol = 17, .destination = destination, .payload = {b, n}};
    n = (uint32_t)ipv4_encode(&ip, b, FRAME_OCTETS);
    struct ether ether = {.type = 0x0800, .payload = {b, n}};
    n = (uint32_t)ether_encode(&ether, b, FRAME_OCTETS);
    receive(b, n, now_ns);
}

// A segment for TLLI and NSAPI 5.
static void receive_segment(const struct sndcp_unitdata *segment, uint64_t now_ns)
{
    static uint8_t b[FRAME_OCTETS];
    uint32_t n = (uint32_t)sndcp_unitdata_encode(segment, b, sizeof b);
    struct llc_ui llc = {.cr = true, .sapi = 3, .protect_all = true, .info = {b, n}};
    n = (uint32_t)llc_ui_encode(&llc, b, sizeof b);
    receive_llc(b, n, now_ns);
}

static void segment(bool first, bool more, uint8_t number, uint16_t npdu, uint32_t octets)
{
    static const uint8_t zeros[1520];
    struct sndcp_unitdata s = {.first = first,
                               .more = more,
                               .nsapi = 5,
                               .segment = number,
                               .npdu_number = npdu,
                               .data = {zeros, octets}};
    receive_segment(&s, 0);
}

static void expect_npdus(uint64_t npdus, uint64_t octets)
{
    assert_true(of_class()->npdus == npdus);
    assert_true(of_class()->octets == octets);
}

static void test_typed_single_segment(void **state)
{
    (void)state;
    receive(single, sizeof single, 0);
    assert_int_equal(receiver.frames, 1);
    assert_int_equal(receiver.faults, 0);
    expect_npdus(1, sizeof single_npdu);
}

static void test_typed_three_segments(void **state)
{
    (void)state;
    receive(three_0, sizeof three_0, 0);
    assert_int_equal(receiver_partial(&receiver), 1);
    receive(three_1, sizeof three_1, 0);
    expect_npdus(0, 0);
    receive(three_2, sizeof three_2, 0);
    expect_npdus(1, sizeof three_npdu);
    assert_int_equal(receiver_partial(&receiver), 0);
    assert_int_equal(receiver.faults, 0);
    assert_int_equal(receiver.discarded, 0);
}

// The first 8 octets behind the inner IPv4 and UDP headers say when it was sent.
static void test_delay_by_the_stamp(void **state)
{
    uint8_t npdu[36] = {[28] = 0, 0, 0, 1, 0, 0, 0, 5}; // 2^32 + 5 ns
    struct sndcp_unitdata s = {.first = true, .nsapi = 5, .data = {npdu, sizeof npdu}};
    (void)state;
    receive_segment(&s, (1ULL << 32) + 105);
    assert_int_equal(of_class()->delay_ns.samples, 1);
    assert_int_equal(histogram_quantile(&of_class()->delay_ns, 500), 100);
    s.data.n = 35; // no room for a stamp
    receive_segment(&s, (1ULL << 32) + 105);
    assert_int_equal(of_class()->delay_ns.samples, 1);
    expect_npdus(2, 71);
}

static void test_sixteen_segments(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < 16; i++)
        segment(i == 0, i < 15, i, 9, 1516);
    expect_npdus(1, 16 * 1516);
    assert_int_equal(receiver.faults, 0);
}

static void test_a_missing_segment(void **state)
{
    (void)state;
    segment(true, true, 0, 0, 10);
    segment(false, true, 2, 0, 10);
    segment(false, false, 3, 0, 10);
    expect_npdus(0, 0);
    assert_int_equal(receiver.discarded, 1);
    assert_int_equal(receiver.faults, 2);
    segment(true, false, 0, 1, 10);
    expect_npdus(1, 10);
    assert_non_null(strstr(receiver.first_fault, "frame 2, SNDCP: segment out of order"));
}

// What comes once more is out of order, too, and is not put behind itself.
static void test_a_repeated_segment(void **state)
{
    (void)state;
    segment(true, true, 0, 0, 10);
    segment(false, true, 1, 0, 10);
    segment(false, true, 1, 0, 10);
    segment(false, false, 2, 0, 10);
    expect_npdus(0, 0);
    assert_int_equal(receiver.discarded, 1);
    assert_int_equal(receiver.faults, 2);
}

static void test_another_npdu_begins(void **state)
{
    (void)state;
    segment(true, true, 0, 0, 10);
    segment(true, false, 0, 1, 20);
    expect_npdus(1, 20);
    assert_int_equal(receiver.discarded, 1);
    segment(true, true, 0, 2, 10);
    segment(true, true, 0, 3, 30);
    segment(false, false, 1, 3, 30);
    expect_npdus(2, 80);
    assert_int_equal(receiver.discarded, 2);
    assert_int_equal(receiver_partial(&receiver), 0);
}

static void test_another_npdus_number_in_between(void **state)
{
    (void)state;
    segment(true, true, 0, 7, 10);
    segment(false, false, 1, 8, 10);
    expect_npdus(0, 0);
    assert_int_equal(receiver.faults, 1);
    assert_int_equal(receiver.discarded, 1);
}

// Segment number 0 alone does not open an N-PDU: the F bit does.
static void test_a_segment_without_its_first(void **state)
{
    (void)state;
    segment(false, false, 0, 0, 10);
    expect_npdus(0, 0);
    assert_int_equal(receiver.faults, 1);
    segment(false, false, 1, 0, 10);
    expect_npdus(0, 0);
    assert_int_equal(receiver.faults, 2);
}

// A TLLI means something within its NSE only.
static void test_one_tlli_in_two_nses(void **state)
{
    (void)state;
    struct receiver_key other = {.nse = NSE + 1, .nsapi = 5, .tlli = TLLI};
    assert_int_equal(receiver_add_context(&receiver, &other, CLASS_BACKGROUND), 0);
    assert_int_equal(receiver_add_context(&receiver, &other, CLASS_BACKGROUND), -EEXIST);
    segment(true, false, 0, 0, 10);
    expect_npdus(1, 10);
    assert_true(receiver.of_class[CLASS_BACKGROUND].npdus == 0);
}

static const uint8_t kc[16] = {1, 2, 3};
#define IOV_UI 0xfffffe00u

static void add_cipher(void)
{
    struct receiver_key key = {.nse = NSE, .tlli = TLLI};
    assert_int_equal(receiver_add_cipher(&receiver, &key, 4, (struct octets){kc, 8}, 0), -EINVAL);
    assert_int_equal(receiver_add_cipher(&receiver, &key, 4, (struct octets){kc, 16}, IOV_UI), 0);
    assert_int_equal(receiver_add_cipher(&receiver, &key, 4, (struct octets){kc, 16}, 0), -EEXIST);
    key.tlli++;
    assert_int_equal(receiver_add_cipher(&receiver, &key, 4, (struct octets){kc, 16}, 0), -ENOSPC);
}

// An N-PDU of ten octets in UI frame `number` of SAPI 3, of which the FCS is as good as said. The
// cipher is the project's own, which has tests against others.
static void enciphered(uint32_t number, uint8_t fcs_flip)
{
    static struct cipher_scratch scratch;
    static uint8_t b[FRAME_OCTETS];
    uint8_t zeros[10] = {0};
    struct sndcp_unitdata s = {.first = true, .nsapi = 5, .data = {zeros, sizeof zeros}};
    uint32_t n = (uint32_t)sndcp_unitdata_encode(&s, b, sizeof b);
    struct llc_ui llc = {.cr = true,
                         .sapi = 3,
                         .nu = number % 512,
                         .enciphered = true,
                         .protect_all = true,
                         .info = {b, n}};
    n = (uint32_t)llc_ui_encode(&llc, b, sizeof b);
    b[n - 1] ^= fcs_flip;
    struct cipher_segment segment = {
        kc, b + 3, llc_cipher_input_ui(IOV_UI, 3, number % 512, number / 512 * 512),
        (uint16_t)(n - 3), CIPHER_DOWNLINK};
    cipher_run(&scratch, &segment, 1);
    receive_llc(b, n, 0);
}

static void expect_fault(uint64_t faults, const char *text)
{
    assert_true(receiver.faults == faults);
    assert_non_null(strstr(receiver.first_fault, text));
}

static void test_enciphered(void **state)
{
    (void)state;
    add_cipher();
    for (uint32_t number = 0; number < 1100; number++)
        enciphered(number, 0);
    assert_int_equal(receiver.faults, 0);
    expect_npdus(1100, 11000);
    enciphered(1200, 0); // a hundred were lost
    assert_int_equal(receiver.faults, 0);
    enciphered(1199, 0);
    expect_fault(1, "LLC: N(U) late or a duplicate");
    enciphered(1201, 0);
    expect_npdus(1102, 11020);
}

static void test_enciphered_with_a_wrong_fcs(void **state)
{
    (void)state;
    add_cipher();
    enciphered(0, 1);
    expect_fault(1, "LLC: FCS wrong after deciphering");
    enciphered(512, 0); // another overflow than the frame's number says
    assert_int_equal(receiver.faults, 2);
    enciphered(0, 0);
    expect_npdus(1, 10);
}

static void test_a_key_on_one_side_only(void **state)
{
    (void)state;
    enciphered(0, 0);
    expect_fault(1, "LLC: enciphered, but the MS has no key");
    receiver.faults = 0;
    add_cipher();
    segment(true, false, 0, 0, 10);
    expect_fault(1, "LLC: not enciphered");
    expect_npdus(0, 0);
}

static void test_enciphered_and_too_long(void **state)
{
    static uint8_t b[FRAME_OCTETS] = {0x43, 0xc0, 0x03};
    (void)state;
    add_cipher();
    receive_llc(b, 1527, 0);
    expect_fault(1, "LLC: longer than the largest N201-U");
    receive_llc(b, 1526, 0);
    assert_int_equal(receiver.faults, 2);
}

static void test_a_frame_for_nobody(void **state)
{
    (void)state;
    assert_int_equal(add_context(6, CLASS_BACKGROUND), 0);
    segment(true, false, 0, 0, 10);
    expect_npdus(1, 10);
    struct sndcp_unitdata other = {.first = true, .nsapi = 7};
    receive_segment(&other, 0);
    expect_npdus(1, 10);
    expect_fault(1, "no PDP context with this TLLI and NSAPI in the NSE");
}

// An NSE may have more endpoints than one; what comes to another is nobody's.
static void test_endpoints(void **state)
{
    const struct receiver_endpoint other = {address_of_ipv4(BSS + 1), 23000};
    (void)state;
    destination = BSS + 1;
    segment(true, false, 0, 0, 10);
    assert_int_equal(receiver.faults, 1);
    assert_int_equal(receiver_add_endpoint(&receiver, &other, NSE), 0);
    assert_int_equal(receiver_add_endpoint(&receiver, &other, NSE), -EEXIST);
    segment(true, false, 0, 0, 10);
    expect_npdus(1, 10);
}

static void test_contexts_are_apart(void **state)
{
    (void)state;
    assert_int_equal(add_context(6, CLASS_BACKGROUND), 0);
    segment(true, true, 0, 0, 10);
    struct sndcp_unitdata other = {.first = true, .nsapi = 6};
    receive_segment(&other, 0);
    segment(false, false, 1, 0, 10);
    expect_npdus(1, 20);
    assert_int_equal(receiver.of_class[CLASS_BACKGROUND].npdus, 1);
    assert_int_equal(receiver.faults, 0);
}

static void test_no_room_for_a_context(void **state)
{
    (void)state;
    for (uint8_t nsapi = 6; nsapi < 9; nsapi++)
        assert_int_equal(add_context(nsapi, 0), 0);
    assert_true(add_context(9, 0) < 0);
}

// Each frame that is cut somewhere is a fault and nothing more.
static void test_truncated_frames(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < sizeof single; n++)
        receive(single, n, 0);
    assert_int_equal(receiver.frames, sizeof single);
    assert_int_equal(receiver.faults, sizeof single);
    expect_npdus(0, 0);
}

#define RECEIVER_TEST(name) cmocka_unit_test_setup_teardown(name, make_receiver, release_receiver)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(test_typed_single_segment),
        RECEIVER_TEST(test_typed_three_segments),
        RECEIVER_TEST(test_delay_by_the_stamp),
        RECEIVER_TEST(test_sixteen_segments),
        RECEIVER_TEST(test_a_missing_segment),
        RECEIVER_TEST(test_a_repeated_segment),
        RECEIVER_TEST(test_another_npdu_begins),
        RECEIVER_TEST(test_another_npdus_number_in_between),
        RECEIVER_TEST(test_a_segment_without_its_first),
        RECEIVER_TEST(test_one_tlli_in_two_nses),
        RECEIVER_TEST(test_enciphered),
        RECEIVER_TEST(test_enciphered_with_a_wrong_fcs),
        RECEIVER_TEST(test_a_key_on_one_side_only),
        RECEIVER_TEST(test_enciphered_and_too_long),
        RECEIVER_TEST(test_a_frame_for_nobody),
        RECEIVER_TEST(test_endpoints),
        RECEIVER_TEST(test_contexts_are_apart),
        RECEIVER_TEST(test_no_room_for_a_context),
        RECEIVER_TEST(test_truncated_frames),
    };
    return cmocka_run_group_tests_name("lab/bss/receiver", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}
