// The oracle's GGSN: a typed G-PDU, each error, and G-PDUs over both families whole and in
// fragments.
#include "tests/oracle/gn_receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/ip_writer.h"

// clang-format off
static const uint8_t typed[] = { // 192.0.2.1 to 192.0.2.2, TEID 0x01020304, "sluice!"
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
    0x45, 0, 0, 43, 0, 0, 0, 0, 64, 17, 0xf6, 0xbe, 192, 0, 2, 1, 192, 0, 2, 2,
    0x08, 0x68, 0x08, 0x68, 0, 23, 0, 0,
    0x30, 255, 0, 7, 1, 2, 3, 4, 's', 'l', 'u', 'i', 'c', 'e', '!',
};
// clang-format on

static struct gn_receiver *receiver;
static struct gn_tpdu last;
static uint8_t octets[9000], got[9000];
static bool provoked[GN_ERR_COUNT];

static void catch_tpdu(void *ctx, const struct gn_tpdu *tpdu)
{
    assert_ptr_equal(ctx, &last);
    last = *tpdu;
    memcpy(got, tpdu->octets, tpdu->n);
}

static int setup(void **state)
{
    (void)state;
    last = (struct gn_tpdu){.n = 0};
    receiver = gn_receiver_new(catch_tpdu, &last);
    return receiver ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    gn_receiver_free(receiver);
    return 0;
}

static void expect(const uint8_t *frame, size_t n, enum gn_error error)
{
    uint8_t *copy = malloc(n);
    memcpy(copy, frame, n);
    int code = gn_receiver_frame(receiver, copy, n);
    free(copy);
    if (code != -(int)error)
        print_error("got \"%s\"\n", gn_receiver_error_text(code));
    assert_int_equal(code, -(int)error);
    assert_int_equal(gn_receiver_counters(receiver)->errors[error] > 0, error != GN_ERR_NONE);
    provoked[error] = true;
}

static void test_typed(void **state)
{
    (void)state;
    expect(typed, sizeof(typed), GN_ERR_NONE);
    assert_int_equal(last.teid, 0x01020304);
    assert_int_equal(last.n, 7);
    assert_memory_equal(got, "sluice!", 7);
    assert_int_equal(last.ends.source_port, 2152);
    assert_memory_equal(last.ends.destination + 10, "\xff\xff\xc0\x00\x02\x02", 6);
    assert_int_equal(gn_receiver_counters(receiver)->frames, 1);
    assert_int_equal(gn_receiver_counters(receiver)->tpdus, 1);
}

// UDP's checksum is none in the typed frame, so nothing else has to be repaired.
static void test_faults(void **state)
{
    static const struct {
        enum gn_error error;
        uint8_t at, value;
    } faults[] = {
        {GN_ERR_UDP_PORT, 35, 0x69},     {GN_ERR_UDP_PORT, 37, 0x69},
        {GN_ERR_GTPU_VERSION, 42, 0x50}, {GN_ERR_GTPU_VERSION, 42, 0x20},
        {GN_ERR_GTPU_TYPE, 43, 26},      {GN_ERR_GTPU_FLAGS, 42, 0x34},
        {GN_ERR_GTPU_FLAGS, 42, 0x32},   {GN_ERR_GTPU_FLAGS, 42, 0x31},
        {GN_ERR_GTPU_FLAGS, 42, 0x38},   {GN_ERR_GTPU_LENGTH, 45, 6},
        {GN_ERR_GTPU_LENGTH, 45, 8},     {GN_ERR_GTPU_LENGTH, 44, 1},
        {GN_ERR_IP_CHECKSUM, 25, 0},     {GN_ERR_UDP_LENGTH, 39, 22},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        uint8_t frame[sizeof(typed)];
        memcpy(frame, typed, sizeof(frame));
        frame[faults[i].at] = faults[i].value;
        expect(frame, sizeof(frame), faults[i].error);
    }
    assert_int_equal(gn_receiver_counters(receiver)->tpdus, 0);
}

static const struct ip_ends ends_4 = {
    .source = {[10] = 0xff, 0xff, 10, 0, 0, 1},
    .destination = {[10] = 0xff, 0xff, 10, 0, 0, 2},
    .source_port = 2152,
    .destination_port = 2152,
};
static const struct ip_ends ends_6 = {
    .ipv6 = true,
    .source = {0xfd, [15] = 1},
    .destination = {0xfd, [15] = 2},
    .source_port = 2152,
    .destination_port = 2152,
};

static struct ip_frame a_gpdu(const struct ip_ends *ends, uint32_t teid, size_t n)
{
    static struct ip_frame f;
    static uint8_t gpdu[9000] = {0x30, 255};
    gpdu[2] = (uint8_t)(n >> 8);
    gpdu[3] = (uint8_t)n;
    for (int i = 0; i < 4; i++)
        gpdu[4 + i] = (uint8_t)(teid >> (24 - 8 * i));
    memcpy(gpdu + 8, octets, n);
    ip_write(&f, ends, gpdu, 8 + n);
    return f;
}

static void test_short(void **state)
{
    struct ip_frame f;
    (void)state;
    ip_write(&f, &ends_4, octets, 7);
    expect(f.octets, f.n, GN_ERR_GTPU_SHORT);
    f = a_gpdu(&ends_4, 0, 7);
    expect(f.octets, f.n, GN_ERR_GTPU_TEID);
    f = a_gpdu(&ends_4, 1, 0);
    expect(f.octets, f.n, GN_ERR_GTPU_EMPTY);
}

static void test_both_families_whole_and_in_fragments(void **state)
{
    static struct ip_frame whole, piece;
    (void)state;
    for (size_t i = 0; i < sizeof(octets); i++)
        octets[i] = (uint8_t)(i * 31 + (i >> 8));
    gn_receiver_accept(receiver, &(struct ip_accept){.ipv6 = true, .fragments = true, 1280});
    for (size_t n = 1; n < 4000; n += 13) {
        bool six = n % 2;
        size_t at = 0, taken = 0;
        whole = a_gpdu(six ? &ends_6 : &ends_4, (uint32_t)n, n);
        bool fits = whole.n <= 14 + 1280;
        do {
            if (!fits)
                at = ip_fragment(&whole, (uint32_t)n, 1280, at, &piece);
            expect(fits ? whole.octets : piece.octets, fits ? whole.n : piece.n, GN_ERR_NONE);
            taken++;
            assert_int_equal(gn_receiver_counters(receiver)->datagrams_open, at > 0);
        } while (at > 0);
        assert_int_equal(last.teid, n);
        assert_int_equal(last.n, n);
        assert_memory_equal(got, octets, n);
        assert_int_equal(last.ends.ipv6, six);
        assert_int_equal(taken, 1 + (whole.n - 15 - (six ? 40 : 20)) / (six ? 1232 : 1256) * !fits);
        last.n = 0;
    }
    assert_int_equal(gn_receiver_counters(receiver)->tpdus, 308);
}

static void test_error_texts(void **state)
{
    (void)state;
    assert_string_equal(gn_receiver_error_text(-GN_ERR_GTPU_TEID), "TEID is 0");
    assert_string_equal(gn_receiver_error_text(1), "unknown error");
    assert_string_equal(gn_receiver_error_text(-GN_ERR_COUNT), "unknown error");
}

// Runs last. The lower layers' errors are provoked in ip_reader_test.c.
static void test_every_error_was_provoked(void **state)
{
    (void)state;
    for (int i = GN_ERR_UDP_CHECKSUM + 1; i < GN_ERR_COUNT; i++)
        if (!provoked[i])
            fail_msg("no frame provoked \"%s\"", gn_receiver_error_text(-i));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_typed),       TEST(test_faults),
        TEST(test_short),       TEST(test_both_families_whole_and_in_fragments),
        TEST(test_error_texts), TEST(test_every_error_was_provoked),
    };
    return cmocka_run_group_tests_name("oracle/gn_receiver", tests, NULL, NULL);
}
