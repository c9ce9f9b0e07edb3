// The oracles' lower layers: the reader takes typed frames of both families (tshark finds their
// checksums good) and what the writer makes, whole and in fragments in any order, and names what is
// wrong with others.
#include "tests/oracle/ip_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/ip_writer.h"

// clang-format off
#define ETHERNET 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1
#define SLUICE 's', 'l', 'u', 'i', 'c', 'e', '!'
static const uint8_t typed_6[] = { // traffic class 0xb8, 2001:db8::1 port 23001 to ::2 port 23000
    ETHERNET, 0x86, 0xdd, 0x6b, 0x80, 0, 0, 0, 15, 17, 64,
    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x59, 0xd9, 0x59, 0xd8, 0, 15, 0x83, 0x6e, SLUICE,
};
static const uint8_t typed_4[] = { // TOS 0xb8, 192.0.2.1 to 192.0.2.2
    ETHERNET, 0x08, 0x00, 0x45, 0xb8, 0, 35, 0, 0, 0, 0, 64, 17, 0xf6, 0x0e,
    192, 0, 2, 1, 192, 0, 2, 2,
    0x59, 0xd9, 0x59, 0xd8, 0, 15, 0x5a, 0xdf, SLUICE,
};
static const struct ip_ends ends_6 = {
    {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, true,
    {0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}, 23001, 23000, 0xb8};
static const struct ip_ends ends_4 = {
    {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, false,
    {[10] = 0xff, 0xff, 192, 0, 2, 1}, {[10] = 0xff, 0xff, 192, 0, 2, 2}, 23001, 23000, 0xb8};
// clang-format on

static const struct ip_ends *const both[] = {&ends_4, &ends_6};
static struct ip_reader reader;
static struct ip_datagram datagram;
static uint8_t payload[8192];
static bool provoked[IP_ERR_UDP_CHECKSUM + 1];

static void begin(bool ipv6, bool fragments, size_t mtu)
{
    ip_reader_release(&reader);
    reader = (struct ip_reader){.accept = {ipv6, fragments, mtu}};
}

// From memory of exactly its size, so that a sanitizer sees the first octet read past the end.
static enum ip_error read_octets(const uint8_t *octets, size_t n)
{
    static uint8_t *copy;
    free(copy);
    copy = malloc(n ? n : 1);
    memcpy(copy, octets, n);
    enum ip_error error = ip_read(&reader, copy, n, &datagram);
    provoked[error] = true;
    return error;
}

static enum ip_error read_frame(const struct ip_frame *f)
{
    return read_octets(f->octets, f->n);
}

static void expect_datagram(const struct ip_ends *ends, const uint8_t *octets, size_t n)
{
    assert_non_null(datagram.octets);
    assert_int_equal(datagram.n, n);
    assert_memory_equal(datagram.octets, octets, n);
    assert_memory_equal(datagram.ends.source_mac, ends->source_mac, 12);
    assert_int_equal(datagram.ends.ipv6, ends->ipv6);
    assert_memory_equal(datagram.ends.source, ends->source, 32);
    assert_int_equal(datagram.ends.source_port, ends->source_port);
    assert_int_equal(datagram.ends.destination_port, ends->destination_port);
    assert_int_equal(datagram.ends.tos, ends->tos);
}

static void test_typed_frames(void **state)
{
    (void)state;
    begin(true, false, 0);
    assert_int_equal(read_octets(typed_6, sizeof(typed_6)), IP_ERR_NONE);
    expect_datagram(&ends_6, (const uint8_t *)"sluice!", 7);
    assert_int_equal(read_octets(typed_4, sizeof(typed_4)), IP_ERR_NONE);
    expect_datagram(&ends_4, (const uint8_t *)"sluice!", 7);
}

static void test_the_writer_writes_the_typed_frames(void **state)
{
    struct ip_frame f;
    (void)state;
    ip_write(&f, &ends_6, (const uint8_t *)"sluice!", 7);
    assert_int_equal(f.n, sizeof(typed_6));
    assert_memory_equal(f.octets, typed_6, f.n);
    ip_write(&f, &ends_4, (const uint8_t *)"sluice!", 7);
    assert_int_equal(f.n, sizeof(typed_4));
    assert_memory_equal(f.octets, typed_4, f.n);
}

static void test_every_flipped_bit_is_seen_or_is_not_checked(void **state)
{
    (void)state;
    begin(true, true, 0);
    for (size_t bit = 0; bit < 8 * sizeof(typed_6); bit++) {
        uint8_t f[sizeof(typed_6)];
        memcpy(f, typed_6, sizeof(f));
        f[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        enum ip_error error = read_octets(f, sizeof(f));
        // Ethernet addresses, traffic class and flow label, hop limit (64): not covered.
        bool open =
            bit / 8 < 12 || (bit >= 14 * 8 + 4 && bit < 18 * 8) || (bit / 8 == 21 && bit % 8 != 1);
        assert_int_equal(error == IP_ERR_NONE, open);
    }
}

struct fault {
    enum ip_error error;
    const uint8_t *frame;
    size_t n, at;
    uint8_t value;
    bool repaired;
};

static const struct fault faults[] = {
    {IP_ERR_ETHERNET_SHORT, typed_6, 13, 0, 2, false},
    {IP_ERR_ETHERNET_TYPE, typed_6, sizeof(typed_6), 13, 0xde, false},
    {IP_ERR_IP_SHORT, typed_6, 53, 0, 2, false},
    {IP_ERR_IP_SHORT, typed_4, 33, 0, 2, false},
    {IP_ERR_IP_HEADER, typed_6, sizeof(typed_6), 14, 0x4b, false},
    {IP_ERR_IP_HEADER, typed_4, sizeof(typed_4), 14, 0x46, false},
    {IP_ERR_IP_LENGTH, typed_6, sizeof(typed_6), 19, 16, false},
    {IP_ERR_IP_LENGTH, typed_6, sizeof(typed_6), 19, 14, false},
    {IP_ERR_IP_LENGTH, typed_4, sizeof(typed_4), 17, 34, true},
    {IP_ERR_IP_CHECKSUM, typed_4, sizeof(typed_4), 25, 0x0f, false},
    {IP_ERR_IP_FRAGMENT, typed_4, sizeof(typed_4), 20, 0x20, true},
    {IP_ERR_IP_FRAGMENT, typed_6, sizeof(typed_6), 20, 44, false},
    {IP_ERR_IP_TTL, typed_6, sizeof(typed_6), 21, 0, false},
    {IP_ERR_IP_TTL, typed_4, sizeof(typed_4), 22, 0, true},
    {IP_ERR_IP_PROTOCOL, typed_6, sizeof(typed_6), 20, 58, false},
    {IP_ERR_IP_PROTOCOL, typed_4, sizeof(typed_4), 23, 1, true},
    {IP_ERR_UDP_LENGTH, typed_6, sizeof(typed_6), 59, 14, true},
    {IP_ERR_UDP_CHECKSUM, typed_6, sizeof(typed_6), 68, '?', false},
    {IP_ERR_UDP_CHECKSUM, typed_4, sizeof(typed_4), 48, '?', false},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct ip_frame f = {.n = faults[i].n};
        begin(true, false, 0);
        memcpy(f.octets, faults[i].frame, f.n);
        f.octets[faults[i].at] = faults[i].value;
        if (faults[i].repaired)
            ip_repair(&f);
        assert_int_equal(read_frame(&f), faults[i].error);
    }
    begin(false, false, 0);
    assert_int_equal(read_octets(typed_6, sizeof(typed_6)), IP_ERR_ETHERNET_TYPE);
    begin(true, true, 54);
    assert_int_equal(read_octets(typed_6, sizeof(typed_6)), IP_ERR_IP_MTU);
    begin(true, true, 55);
    assert_int_equal(read_octets(typed_6, sizeof(typed_6)), IP_ERR_NONE);
}

// A datagram without a UDP header, and one over IPv6 without a checksum (RFC 8200 8.1).
static void test_udp_faults(void **state)
{
    uint8_t f[sizeof(typed_6)];
    (void)state;
    begin(true, false, 0);
    memcpy(f, typed_6, sizeof(f));
    f[19] = 7;
    assert_int_equal(read_octets(f, 14 + 40 + 7), IP_ERR_UDP_SHORT);
    memcpy(f, typed_6, sizeof(f));
    f[60] = f[61] = 0;
    assert_int_equal(read_octets(f, sizeof(f)), IP_ERR_UDP_CHECKSUM);
    memcpy(f, typed_4, sizeof(typed_4));
    f[40] = f[41] = 0;
    assert_int_equal(read_octets(f, sizeof(typed_4)), IP_ERR_NONE);
}

static void test_padding(void **state)
{
    uint8_t f[60] = {0};
    (void)state;
    begin(true, false, 0);
    memcpy(f, typed_4, sizeof(typed_4));
    assert_int_equal(read_octets(f, 60), IP_ERR_NONE);
    expect_datagram(&ends_4, (const uint8_t *)"sluice!", 7);
    assert_int_equal(read_octets(f, 59), IP_ERR_IP_LENGTH);
}

// At most 64 fragments of a payload; how many there were.
static unsigned fragments_of(const struct ip_ends *ends, size_t n, size_t mtu, uint32_t id,
                             struct ip_frame *pieces)
{
    static struct ip_frame whole;
    unsigned count = 0;
    size_t offset = 0;
    ip_write(&whole, ends, payload, n);
    do {
        assert_in_range(count, 0, 63);
        offset = ip_fragment(&whole, id, mtu, offset, &pieces[count++]);
    } while (offset);
    return count;
}

static void shuffle(struct ip_frame *pieces, unsigned count)
{
    static struct ip_frame held;
    for (unsigned i = count; i > 1; i--) {
        unsigned with = (unsigned)random() % i;
        held = pieces[i - 1];
        pieces[i - 1] = pieces[with];
        pieces[with] = held;
    }
}

static void test_fragments_in_any_order(void **state)
{
    static struct ip_frame pieces[64];
    (void)state;
    srandom(1);
    for (unsigned round = 0; round < 2000; round++) {
        const struct ip_ends *ends = both[round % 2];
        size_t n = 1 + (size_t)random() % 8000, mtu = 576 + (size_t)random() % 1000;
        begin(true, true, mtu);
        unsigned count = fragments_of(ends, n, mtu, round, pieces);
        shuffle(pieces, count);
        for (unsigned i = 0; i < count; i++) {
            assert_null(datagram.octets);
            assert_int_equal(read_frame(&pieces[i]), IP_ERR_NONE);
            assert_int_equal(reader.reassembly.open, i + 1 < count);
        }
        expect_datagram(ends, payload, n);
        assert_int_equal(reader.fragments, count > 1 || ends->ipv6 ? count : 0);
        datagram.octets = NULL;
    }
}

// Fragments of datagrams with other ids, addresses or families go apart.
static void test_interleaved(void **state)
{
    static struct ip_frame pieces[4][64];
    struct ip_ends other = ends_6;
    (void)state;
    begin(true, true, 0);
    other.source[15] = 9;
    const struct ip_ends *ends[] = {&ends_6, &ends_6, &other, &ends_4};
    for (uint32_t d = 0; d < 4; d++)
        assert_int_equal(fragments_of(ends[d], 3000 + d, 1280, d == 1, pieces[d]), 3);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned d = 0; d < 4; d++) {
            assert_int_equal(read_frame(&pieces[d][i]), IP_ERR_NONE);
            if (i == 2)
                expect_datagram(ends[d], payload, 3000 + d);
        }
}

static void expect_pair(const struct ip_frame *a, const struct ip_frame *b, enum ip_error error)
{
    begin(true, true, 0);
    assert_int_equal(read_frame(a), IP_ERR_NONE);
    assert_int_equal(read_frame(b), error);
    assert_null(datagram.octets);
}

static void expect_alone(const struct ip_frame *f, enum ip_error error)
{
    begin(true, true, 0);
    assert_int_equal(read_frame(f), error);
}

static void ipv4_patched(struct ip_frame *f, unsigned flags_and_offset)
{
    f->octets[20] = (uint8_t)(flags_and_offset >> 8);
    f->octets[21] = (uint8_t)flags_and_offset;
    f->octets[24] = f->octets[25] = 0;
    uint32_t sum = 0;
    for (int i = 14; i < 34; i += 2)
        sum += (uint32_t)f->octets[i] << 8 | f->octets[i + 1];
    sum = ~(sum % 65535) & 0xffff;
    f->octets[24] = (uint8_t)(sum >> 8);
    f->octets[25] = (uint8_t)sum;
}

static void test_bad_fragments(void **state)
{
    static struct ip_frame four[64], six[64], f;
    (void)state;
    assert_int_equal(fragments_of(&ends_4, 1592, 820, 7, four), 2); // 800 octets each
    assert_int_equal(fragments_of(&ends_6, 1592, 848, 7, six), 2);
    expect_pair(&four[0], &four[0], IP_ERR_IP_FRAGMENT_OVERLAP);
    expect_pair(&six[0], &six[0], IP_ERR_IP_FRAGMENT_OVERLAP);
    f = four[1];
    ipv4_patched(&f, 0x2000 | 200);
    four[2] = four[1];
    ipv4_patched(&four[2], 50);
    expect_pair(&f, &four[2], IP_ERR_IP_FRAGMENT_END); // the last would end before another
    f = four[1];
    ipv4_patched(&f, 0x2000 | 100);
    expect_pair(&four[1], &f, IP_ERR_IP_FRAGMENT_OVERLAP);
    ipv4_patched(&f, 0x2000 | 101);
    expect_pair(&four[1], &f, IP_ERR_IP_FRAGMENT_END);
    ipv4_patched(&f, 101);
    expect_pair(&four[1], &f, IP_ERR_IP_FRAGMENT_END);
    ipv4_patched(&f, 0x4000 | 100);
    expect_alone(&f, IP_ERR_IP_FRAGMENT_DF);
    ipv4_patched(&f, 0x8000 | 100);
    expect_alone(&f, IP_ERR_IP_FRAGMENT);
    ipv4_patched(&f, 0x1fff);
    expect_alone(&f, IP_ERR_IP_FRAGMENT_LENGTH);
    f = six[0];
    f.n--, f.octets[19]--;
    expect_alone(&f, IP_ERR_IP_FRAGMENT_LENGTH);
    f = six[0];
    f.octets[14 + 40 + 1] = 1;
    expect_alone(&f, IP_ERR_IP_FRAGMENT);
    f = six[0];
    f.octets[14 + 40 + 3] |= 2;
    expect_alone(&f, IP_ERR_IP_FRAGMENT);
    f = six[0];
    f.octets[14 + 40] = 58;
    expect_alone(&f, IP_ERR_IP_PROTOCOL);
    f = six[0];
    f.n = 14 + 40 + 7, f.octets[18] = 0, f.octets[19] = 7;
    expect_alone(&f, IP_ERR_IP_SHORT);
}

static void test_table_is_full(void **state)
{
    static struct ip_frame pieces[64];
    (void)state;
    begin(true, true, 0);
    for (uint32_t id = 0; id <= REASSEMBLY_OPEN_MAX; id++) {
        fragments_of(&ends_6, 1000, 576, id, pieces);
        assert_int_equal(read_frame(&pieces[0]),
                         id < REASSEMBLY_OPEN_MAX ? IP_ERR_NONE : IP_ERR_IP_FRAGMENT_FULL);
    }
    assert_int_equal(reader.reassembly.open, REASSEMBLY_OPEN_MAX);
}

// Runs last.
static void test_every_error_was_provoked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(provoked); i++)
        if (!provoked[i])
            fail_msg("nothing provoked error %zu", i);
    ip_reader_release(&reader);
}

static int payload_setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(payload); i++)
        payload[i] = (uint8_t)(i * 167 >> 3 ^ i);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed_frames),
        cmocka_unit_test(test_the_writer_writes_the_typed_frames),
        cmocka_unit_test(test_every_flipped_bit_is_seen_or_is_not_checked),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_udp_faults),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_fragments_in_any_order),
        cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_bad_fragments),
        cmocka_unit_test(test_table_is_full),
        cmocka_unit_test(test_every_error_was_provoked),
    };
    return cmocka_run_group_tests_name("oracle/ip_reader", tests, payload_setup, NULL);
}
