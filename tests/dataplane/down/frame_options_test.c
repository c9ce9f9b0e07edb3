// What a DL-UNITDATA says besides its LLC-PDU, octet for octet: the MS's optional elements, which
// come and go by command, and the PFI of the context (TS 48.018 10.2.1, in that order); and frames
// over IPv6, whose UDP checksum covers what the cipher has left.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define IPV4_OUTER  42 // Ethernet, IPv4, UDP
#define NS_OCTETS   4
#define BSSGP_FIXED 12

// Whole frames, one after the other.
static struct {
    uint8_t octets[2048];
    uint32_t n;
} frames[64];
static uint32_t frame_count;

static void keep(enum stats_side side, const uint8_t *frame, size_t octets)
{
    (void)side;
    assert_true(frame_count < COUNT(frames) && octets <= sizeof frames[0].octets);
    memcpy(frames[frame_count].octets, frame, octets);
    frames[frame_count++].n = (uint32_t)octets;
}

static void open_with(uint16_t n201_u, int pfi)
{
    path_open_small(100, 64);
    path_ms(0, 0, n201_u);
    path_pfc(0, 0, CLASS_BACKGROUND);
    path_pdp(0, 0, 0, 5, 3, PATH_NONE, pfi);
    p.on_frame = keep;
    frame_count = 0;
}

static void send_and_take(uint32_t octets)
{
    frame_count = 0;
    path_down(0, octets);
    path_poll();
}

static const uint8_t ra_capability[] = {0x11, 0x22, 0x33};

static struct command all_options(void)
{
    return (struct command){.op = COMMAND_ms_options,
                            .ms_options = {.has_ra_capability = true,
                                           .ra_capability = {ra_capability, 3},
                                           .has_priority = true,
                                           .priority = 5,
                                           .has_drx = true,
                                           .drx = 0x1234,
                                           .has_imsi = true,
                                           .imsi = {"001010123456789"},
                                           .has_old_tlli = true,
                                           .old_tlli = 0xc0000099}};
}

#define RA_CAPABILITY_IE 0x13, 0x83, 0x11, 0x22, 0x33
#define PRIORITY_IE      0x17, 0x81, 0x05
#define DRX_IE           0x0a, 0x82, 0x12, 0x34
#define IMSI_IE          0x0d, 0x88, 0x09, 0x10, 0x10, 0x10, 0x32, 0x54, 0x76, 0x98
#define OLD_TLLI_IE      0x1f, 0x84, 0xc0, 0x00, 0x00, 0x99
#define PFI_IE           0x28, 0x81, 0x21
#define ALL_IES          TYPED(RA_CAPABILITY_IE, PRIORITY_IE, DRX_IE, IMSI_IE, OLD_TLLI_IE)

// The whole NS-UNITDATA of an N-PDU of 20 octets, but for those and the FCS.
static void a_frame_octet_for_octet(void **state)
{
    // clang-format off
    static const uint8_t expected[] = {
        0x00, 0x00, 0x00, 0x02,             // NS-UNITDATA, BVCI 2
        0x00, 0xc0, 0x00, 0x00, 0x00,       // DL-UNITDATA, TLLI
        0x00, 0x00, 0x32,                   // QoS: best effort, low priority
        0x16, 0x82, 0x0f, 0xa0,             // lifetime 40 s
        RA_CAPABILITY_IE, PRIORITY_IE, DRX_IE, IMSI_IE, OLD_TLLI_IE, PFI_IE,
        0x0e, 0x9e,                         // LLC-PDU of 30 octets
        0x43, 0xc0, 0x01,                   // UI, SAPI 3, N(U) 0, PM
        0x65, 0x00, 0x00, 0x00,             // SN-UNITDATA, NSAPI 5, N-PDU 0
    };
    // clang-format on
    struct command options = all_options();
    (void)state;
    open_with(500, 0x21);
    path_ms_options(0, &options.ms_options, ALL_IES, sizeof ALL_IES);
    send_and_take(20);
    assert_int_equal(frame_count, 1);
    assert_int_equal(frames[0].n, IPV4_OUTER + sizeof expected + 20 + 3);
    assert_memory_equal(frames[0].octets + IPV4_OUTER, expected, sizeof expected);
    const uint8_t *llc = frames[0].octets + frames[0].n - 30;
    uint32_t fcs = llc[27] | (uint32_t)llc[28] << 8 | (uint32_t)llc[29] << 16;
    assert_int_equal(fcs, plain_fcs(llc, 27));
    path_close();
}

// The next frame has these elements between its lifetime and its LLC-PDU; the receiver is told the
// same and judges every other frame.
static void expect_elements(const uint8_t *octets, uint32_t n)
{
    assert_true(gb_receiver_expect_options(p.gb, PATH_TLLI, 5, octets, n));
    send_and_take(20);
    assert_int_equal(frame_count, 1);
    assert_int_equal(frames[0].n, IPV4_OUTER + NS_OCTETS + BSSGP_FIXED + n + 2 + 30);
    if (n)
        assert_memory_equal(frames[0].octets + IPV4_OUTER + NS_OCTETS + BSSGP_FIXED, octets, n);
}
#define EXPECT_ELEMENTS(...) expect_elements(TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__))
// Each command says all of it again.
static void each_element_alone(void **state)
{
    (void)state;
    open_with(500, -1);
    expect_elements(NULL, 0);
    DO(ms_options, .has_ra_capability = true, .ra_capability = {ra_capability, 3});
    EXPECT_ELEMENTS(RA_CAPABILITY_IE);
    DO(ms_options, .has_priority = true, .priority = 5);
    EXPECT_ELEMENTS(PRIORITY_IE);
    DO(ms_options, .has_drx = true, .drx = 0x1234);
    EXPECT_ELEMENTS(DRX_IE);
    DO(ms_options, .has_imsi = true, .imsi = {"001010123456789"});
    EXPECT_ELEMENTS(IMSI_IE);
    DO(ms_options, .has_imsi = true, .imsi = {"123456"}); // an even number of digits: a filler
    EXPECT_ELEMENTS(0x0d, 0x84, 0x11, 0x32, 0x54, 0xf6);
    DO(ms_options, .has_old_tlli = true, .old_tlli = 0xc0000099);
    EXPECT_ELEMENTS(OLD_TLLI_IE);
    DO(ms_options, .has_drx = true, .drx = 0x1234, .has_old_tlli = true, .old_tlli = 0xc0000099);
    EXPECT_ELEMENTS(DRX_IE, OLD_TLLI_IE);
    DO(ms_options, .has_drx = false);
    expect_elements(NULL, 0);
    path_close();
}

static void the_pfi_is_the_contexts(void **state)
{
    struct command options = all_options();
    (void)state;
    open_with(500, 0);
    EXPECT_ELEMENTS(0x28, 0x81, 0x00);
    path_do(&options);
    EXPECT_ELEMENTS(RA_CAPABILITY_IE, PRIORITY_IE, DRX_IE, IMSI_IE, OLD_TLLI_IE, 0x28, 0x81, 0x00);
    path_close();
    open_with(500, 127);
    EXPECT_ELEMENTS(0x28, 0x81, 0x7f);
    path_close();
}

// Each of the segments has them, and those of another MS have their own or none.
static void every_segment_says_them(void **state)
{
    static const uint8_t all[] = {RA_CAPABILITY_IE, PRIORITY_IE, DRX_IE,
                                  IMSI_IE,          OLD_TLLI_IE, PFI_IE};
    struct command options = all_options();
    (void)state;
    open_with(140, 0x21);
    path_do(&options);
    path_plain_ms(1, 0, 140);
    assert_true(gb_receiver_expect_options(p.gb, PATH_TLLI, 5, all, sizeof all));
    assert_true(gb_receiver_expect_options(p.gb, PATH_TLLI + 1, 5, NULL, 0));
    for (uint32_t octets = 1; octets <= 1500; octets += 13)
        for (uint32_t pdp = 0; pdp < 2; pdp++) {
            path_down(pdp, octets);
            frame_count = 0;
            path_poll();
        }
    assert_int_equal(p.pdp[0].down.received, 116);
    assert_int_equal(p.pdp[1].down.received, 116);
    path_close();
}

// The NSE's only NS-VC is one over IPv6.
static void over_ipv6(void)
{
    path_nsvc(1, 0, true, 1);
    path_nsvc_remove(0);
    gb_receiver_accept(p.gb, &(struct ip_accept){.ipv6 = true});
}

// As long as elements may be: an RA capability of 48 octets, and 3 for the PFI. The largest frame
// has room in front of its N-PDU even over IPv6, and so has each segment in front of its copy.
static void the_longest_elements_fit(void **state)
{
    static const uint8_t capability[48] = {[0] = 1, [47] = 2};
    uint8_t expected[53] = {0x13, 0xb0, 1};
    (void)state;
    expected[49] = 2;
    memcpy(expected + 50, TYPED(0x28, 0x81, 0x21), 3);
    for (int segments = 0; segments < 2; segments++) {
        open_with(segments ? 140 : 1520, 0x21);
        over_ipv6();
        DO(ms_options, .has_ra_capability = true, .ra_capability = {capability, 48});
        assert_true(gb_receiver_expect_options(p.gb, PATH_TLLI, 5, expected, sizeof expected));
        send_and_take(1400);
        assert_int_equal(p.down_received, 1);
        assert_int_equal(frame_count, segments ? 11 : 1);
        path_close();
    }
}

// --- IPv6 ----------------------------------------------------------------------------------------

// IPv6 40, UDP 8, NS 4, BSSGP 14, LLC 3, SNDCP 4, N-PDU 20, FCS 3: 56 behind IPv6.
static void ipv6_headers_octet_for_octet(void **state)
{
    static const uint8_t expected[] = {
        2,    0,    0,    2,    0,    3,    2,    0,    0, 2,  0, 1, 0x86, 0xdd, // Ethernet
        0x60, 0,    0,    0,    0,    56,   17,   64,                            // IPv6
        0x20, 0x01, 0x0d, 0xb8, 0,    2,    0,    0,    0, 0,  0, 0, 0,    0,
        0,    1,    0x20, 0x01, 0x0d, 0xb8, 0,    2,    0, 0,  0, 0, 0,    0,
        0,    0,    0,    3,    0x59, 0xd8, 0x59, 0xda, 0, 56, // UDP
    };
    (void)state;
    open_with(500, -1);
    over_ipv6();
    send_and_take(20);
    assert_int_equal(p.down_received, 1); // the receiver has checked the UDP checksum
    assert_int_equal(frames[0].n, 14 + 40 + 56);
    assert_memory_equal(frames[0].octets, expected, sizeof expected);
    for (uint32_t octets = 1; octets <= 1500; octets += 7)
        send_and_take(octets);
    assert_int_equal(p.down_received, 1 + 215);
    path_close();
}

static bool udp_sum_is_right(const uint8_t *frame, uint32_t n)
{
    uint16_t sum = plain_sum(17, frame + 14 + 8, 32); // addresses; the protocol's number
    sum = plain_sum(sum, TYPED((uint8_t)((n - 54) >> 8), (uint8_t)(n - 54)), 2);
    return plain_sum(sum, frame + 54, n - 54) == 0xffff && (frame[60] || frame[61]);
}

static void the_checksum_covers_what_the_cipher_left(void **state)
{
    static const uint8_t kc[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct rte_mbuf *m;
    uint32_t taken = 0;
    (void)state;
    open_with(500, -1);
    over_ipv6();
    p.hold_frames = true;
    DO(ms_cipher, .gea = 3, .key = {kc, 8});
    for (uint32_t octets = 1; octets <= 1500; octets += 7) {
        path_offer(0, octets);
        path_poll();
        for (; (m = path_next(STATS_GB)) != NULL; taken++) {
            assert_true(udp_sum_is_right(rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len));
            rte_pktmbuf_free(m);
        }
    }
    assert_true(taken > 215);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_octet_for_octet),
        cmocka_unit_test(each_element_alone),
        cmocka_unit_test(the_pfi_is_the_contexts),
        cmocka_unit_test(every_segment_says_them),
        cmocka_unit_test(the_longest_elements_fit),
        cmocka_unit_test(ipv6_headers_octet_for_octet),
        cmocka_unit_test(the_checksum_covers_what_the_cipher_left),
    };
    return cmocka_run_group_tests_name("down/frame_options", tests, path_start_eal, NULL);
}
