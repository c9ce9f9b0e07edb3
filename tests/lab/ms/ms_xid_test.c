// XID commands of the SGSN, typed octet by octet after TS 44.064 6.4.1.6 and 8.5.3 and TS 44.065 8:
// the MS's answers, and what they change.
#include "tests/lab/ms/fixture.h"
#include "tests/oracle/fcs.h"

enum { XID_COMMAND = 0xfb, XID_RESPONSE = 0xfb, NO_P = 0xeb };

// A parameter: type, then its octets.
#define N201_U(octets)  0x16, (octets) >> 8, (octets)&0xff
#define IOV(a, b, c, d) 0x84, 0x10, a, b, c, d
#define RESET           0x30
#define INFO(...)       (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void expect_answer(uint8_t address, uint8_t control, const uint8_t *info, uint32_t octets)
{
    assert_int_equal(f.pdus, 1);
    const struct ul_llc *pdu = &f.pdu[0];
    uint32_t fcs = plain_fcs(pdu->octets, pdu->n - 3);
    assert_int_equal(pdu->n, 2 + octets + 3);
    assert_int_equal(pdu->octets[0], address);
    assert_int_equal(pdu->octets[1], control);
    if (octets)
        assert_memory_equal(pdu->octets + 2, info, octets);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pdu->octets[pdu->n - 3 + i], fcs >> 8 * i & 0xff);
    assert_int_equal(f.counters.answers.packets, 1);
    assert_int_equal(f.counters.answers.octets, pdu->n);
    assert_int_equal(f.counters.control.packets, 1);
    assert_int_equal(f.shared.faults, 0);
    f.counters.answers = f.counters.control = f.counters.pdus = (struct ms_amount){0};
    f.pdus = 0;
}

// gb-protocols' frame: 43fb 1605f0, and the answer of an MS, whose responses have C/R set.
static void test_n201_u_is_agreed_to(void **state)
{
    uint8_t info[1000] = {0x65};
    (void)state;
    assert_int_equal(ms_set_terms(&f.ms, &(struct ms_terms){.n201_u_octets = 500}), 0);
    fixture_ui(3, 0, info, 501, 0);
    assert_int_equal(f.counters.refused[MS_REFUSED_long].packets, 1);
    memset(&f.counters, 0, sizeof f.counters);
    f.shared.faults = 0;
    fixture_u(0x43, XID_COMMAND, INFO(N201_U(1000)));
    expect_answer(0x43, XID_RESPONSE, INFO(N201_U(1000)));
    fixture_ui(3, 0, info, 1000, 0);
    fixture_expect(1, 996);
    ms_up(&f.ms, 5, info, 996, 77);
    assert_int_equal(f.pdus, 1);
    f.pdus = 0;
    ms_up(&f.ms, 6, info, 993, 77); // SAPI 9 has 500 still
    assert_int_equal(f.pdus, 2);
}

static void test_no_more_than_the_own_n201_u(void **state)
{
    uint8_t info[1000] = {0x65};
    (void)state;
    f.shared.config.n201_u_most_octets = 600;
    assert_int_equal(ms_set_terms(&f.ms, &(struct ms_terms){.n201_u_octets = 500}), 0);
    fixture_u(0x43, NO_P, INFO(N201_U(1520)));
    expect_answer(0x43, NO_P, INFO(N201_U(600)));
    fixture_ui(3, 0, info, 600, 0);
    fixture_expect(1, 596);
    fixture_ui(3, 1, info, 601, 0);
    fixture_expect_fault(1, "LLC: longer than N201-U");
}

// A smaller one counts for the uplink at once; what the SGSN sent before it knew is taken.
static void test_a_smaller_n201_u(void **state)
{
    uint8_t info[1000] = {0x65};
    (void)state;
    fixture_u(0x43, XID_COMMAND, INFO(N201_U(140)));
    expect_answer(0x43, XID_RESPONSE, INFO(N201_U(140)));
    fixture_ui(3, 0, info, 1000, 0);
    fixture_expect(1, 996);
    ms_up(&f.ms, 5, info, 137, 77);
    assert_int_equal(f.pdus, 2);
}

// SAPI 1 has no user data; its N201-U is agreed to all the same.
static void test_other_sapis(void **state)
{
    (void)state;
    fixture_u(0x41, XID_COMMAND, INFO(N201_U(400)));
    expect_answer(0x41, XID_RESPONSE, INFO(N201_U(400)));
    assert_int_equal(f.ms.lle[0].n201_u_octets, 1520);
}

// Each parameter of table 6; version 3 is answered by 0, IOV-UI stays as it came.
static void test_every_parameter(void **state)
{
    (void)state;
    fixture_u(0x43, XID_COMMAND,
              INFO(0x01, 3, IOV(1, 2, 3, 4), 0x88, 0x10, 5, 6, 7, 8, 0x0e, 0, 50, 0x11, 3,
                   N201_U(500), 0x1a, 5, 0xdf, 0x1e, 5, 0xf0, 0x22, 5, 0xf0, 0x25, 16, 0x29, 16));
    expect_answer(0x43, XID_RESPONSE,
                  INFO(0x01, 0, IOV(1, 2, 3, 4), 0x88, 0x10, 5, 6, 7, 8, 0x0e, 0, 50, 0x11, 3,
                       N201_U(500), 0x1a, 5, 0xdf, 0x1e, 5, 0xf0, 0x22, 5, 0xf0, 0x25, 16, 0x29,
                       16));
    assert_int_equal(f.ms.iov_ui, 0x01020304);
}

// Reset: numbers of both ways, OC, N201-U and the N-PDU numbers begin again; the IOV-UI is that of
// the command, under the same key.
static void test_reset(void **state)
{
    static const uint8_t info[] = {0x65, 0, 0, 0, 1};
    uint8_t npdu[600] = {9};
    (void)state;
    fixture_key(4);
    f.ms.iov_ui = 5;
    f.ms.lle[0].down_next = f.ms.lle[0].up_next = 700;
    ms_up(&f.ms, 5, npdu, 10, 77);
    f.pdus = 0;
    fixture_u(0x41, XID_COMMAND, INFO(RESET, IOV(0xff, 0xff, 0xfe, 0x00)));
    expect_answer(0x41, XID_RESPONSE, INFO(IOV(0xff, 0xff, 0xfe, 0x00)));
    assert_int_equal(f.counters.resets, 1);
    assert_int_equal(f.ms.iov_ui, IOV_UI);
    fixture_ui(3, 0, info, sizeof info, 0);
    fixture_expect(1, 1);
    memset(&f.counters, 0, sizeof f.counters);
    f.npdus = f.octets = 0;
    ms_up(&f.ms, 5, npdu, sizeof npdu, 77);
    assert_int_equal(f.pdus, 2); // table 9: 500
    uint8_t *b = f.pdu[0].octets;
    assert_int_equal(b[1] << 8 | b[2], 0xc003);
    fixture_cipher(4, kc, IOV_UI, 3, 0, false, b + 3, f.pdu[0].n - 3);
    assert_memory_equal(b + 3, "\x75\0\0\0\x09", 5);
    assert_int_equal(f.shared.faults, 0);
}

// Table 9: without an IOV-UI in the command it is 0.
static void test_reset_alone(void **state)
{
    (void)state;
    fixture_key(4);
    fixture_u(0x41, XID_COMMAND, INFO(RESET));
    expect_answer(0x41, XID_RESPONSE, NULL, 0);
    assert_int_equal(f.ms.iov_ui, 0);
}

// An open N-PDU survives: SNDCP's segments do not know of LLC's numbers.
static void test_reset_within_an_npdu(void **state)
{
    (void)state;
    fixture_segment(true, true, 0, 0, 10);
    fixture_u(0x41, XID_COMMAND, INFO(RESET));
    f.pdus = 0;
    fixture_number = 0;
    fixture_segment(false, false, 1, 0, 10);
    fixture_expect(1, 20);
    // Frames that were lost before the Reset leave no gap, but are nobody's fault.
    fixture_segment(true, true, 0, 1, 10);
    fixture_u(0x41, XID_COMMAND, INFO(RESET));
    fixture_number = 0;
    fixture_segment(false, false, 2, 1, 10);
    assert_int_equal(f.counters.npdus_lost[MS_LOST_missing], 1);
    assert_int_equal(f.shared.faults, 0);
}

// SNDCP: version 1, an entity of data compression and two of headers, of which none is wanted:
// P = 0, no octets.
static void test_compression_is_refused(void **state)
{
    (void)state;
    fixture_u(0x43, XID_COMMAND,
              INFO(0xac, 0x68, 0, 1, 1, 1, 6, 0x81, 1, 3, 0x20, 0, 0x20, 2, 13, 0x80, 0, 4, 0x12, 0,
                   0x20, 15, 0x81, 2, 3, 0x34, 0, 0x20));
    expect_answer(0x43, XID_RESPONSE, INFO(0xac, 0x34, 0, 1, 0, 1, 2, 1, 0, 2, 4, 0, 0, 1, 0));
    fixture_u(0x43, XID_COMMAND, INFO(0x2d, 9));
    expect_answer(0x43, XID_RESPONSE, INFO(0x2f, 0, 1, 0)); // what cannot be read: the version
}

static void test_an_ms_that_answers_nothing(void **state)
{
    (void)state;
    f.shared.config.answers_xid = 0;
    fixture_u(0x41, XID_COMMAND, INFO(RESET));
    assert_int_equal(f.pdus, 0);
    assert_int_equal(f.counters.resets, 0);
    assert_int_equal(f.counters.control.packets, 1);
}

static void test_malformed(void **state)
{
    (void)state;
    fixture_u(0x43, XID_COMMAND, INFO(RESET, 0x16, 1));
    fixture_expect_fault(1, "LLC PDU 1, for MS c0000001, XID: length field does not fit");
    fixture_u(0x43, XID_COMMAND, INFO(RESET, N201_U(139)));
    assert_int_equal(f.counters.refused[MS_REFUSED_xid].packets, 2);
    assert_int_equal(f.counters.resets, 0);
    assert_int_equal(f.pdus, 0);
    fixture_u(0x03, XID_RESPONSE, INFO(N201_U(140))); // an answer to nothing
    assert_int_equal(f.counters.control.packets, 1);
    assert_int_equal(f.ms.lle[0].n201_u_octets, 1520);
    assert_int_equal(f.pdus, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MS_TEST(test_n201_u_is_agreed_to),
        MS_TEST(test_no_more_than_the_own_n201_u),
        MS_TEST(test_a_smaller_n201_u),
        MS_TEST(test_other_sapis),
        MS_TEST(test_every_parameter),
        MS_TEST(test_reset),
        MS_TEST(test_reset_alone),
        MS_TEST(test_reset_within_an_npdu),
        MS_TEST(test_compression_is_refused),
        MS_TEST(test_an_ms_that_answers_nothing),
        MS_TEST(test_malformed),
    };
    return cmocka_run_group_tests_name("lab/ms/ms_xid", tests, NULL, NULL);
}
