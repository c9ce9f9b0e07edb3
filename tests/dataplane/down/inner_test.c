// What the path reads of an inner packet, ECN and flow, on packets typed octet by octet; and the CE
// mark, whose checksum a plain sum judges.
#include "dataplane/down/down.h"

#include <stdlib.h>

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

static const uint8_t ipv4_udp[] = {0x45, 0x00, 0x00, 0x20, 0x12, 0x34, 0x00, 0x00, 0x40, 0x11, 0,
                                   0,    192,  0,    2,    1,    10,   0,    0,    1, // addresses
                                   0x13, 0x88, 0x00, 0x35, 0x00, 0x0c, 0x00, 0x00, 1,    2,    3,
                                   4};
static const uint8_t ipv6_udp[] = {
    0x60, 0,    0,    0,    0, 12, 17, 64,                         // UDP
    0x20, 0x01, 0x0d, 0xb8, 0, 0,  0,  0,  0, 0, 0, 0, 0, 0, 0, 1, // source
    0x20, 0x01, 0x0d, 0xb8, 0, 0,  0,  0,  0, 0, 0, 0, 0, 0, 0, 2, // destination
    0x13, 0x88, 0x00, 0x35, 0, 12, 0,  0,  1, 2, 3, 4};
// Hop-by-hop options and destination options before the same UDP header.
static const uint8_t ipv6_options[] = {
    0x60, 0,    0,    0,    0, 28, 0, 64,                         //
    0x20, 0x01, 0x0d, 0xb8, 0, 0,  0, 0,  0, 0, 0, 0, 0, 0, 0, 1, //
    0x20, 0x01, 0x0d, 0xb8, 0, 0,  0, 0,  0, 0, 0, 0, 0, 0, 0, 2, //
    60,   0,    1,    4,    0, 0,  0, 0,                          // hop-by-hop
    17,   0,    1,    4,    0, 0,  0, 0,                          // destination options
    0x13, 0x88, 0x00, 0x35, 0, 12, 0, 0,  1, 2, 3, 4};
#define IPV6_ADDRESSES_END 40

static const struct down_flow_key key = {
    {0x0123456789abcdef, 0xfedcba9876543210, 0x5555aaaa3333cccc}};

static struct pdu classified(const uint8_t *b, uint32_t n)
{
    struct pdu pdu = {0};
    down_inner_classify(b, n, &key, &pdu);
    return pdu;
}

static uint32_t hash_of(const uint8_t *b, uint32_t n)
{
    return classified(b, n).flow_hash;
}

// The hash of a packet with one octet changed.
static uint32_t hash_with(const uint8_t *packet, uint32_t n, uint32_t at, uint8_t octet)
{
    uint8_t b[128];
    memcpy(b, packet, n);
    b[at] = octet;
    return hash_of(b, n);
}

static void test_ecn_of_both_versions(void **state)
{
    uint8_t v4[sizeof ipv4_udp], v6[sizeof ipv6_udp];
    (void)state;
    memcpy(v4, ipv4_udp, sizeof v4);
    memcpy(v6, ipv6_udp, sizeof v6);
    for (unsigned tos = 0; tos < 256; tos++) {
        v4[1] = (uint8_t)tos;
        v6[0] = (uint8_t)(0x60 | tos >> 4);
        v6[1] = (uint8_t)(tos << 4 | 0x0f);
        assert_int_equal(classified(v4, sizeof v4).ect, tos % 4 != 0);
        assert_int_equal(classified(v6, sizeof v6).ect, tos % 4 != 0);
    }
}

static void test_what_is_no_ip_is_not_capable(void **state)
{
    uint8_t b[40];
    (void)state;
    memset(b, 0xff, sizeof b);
    for (uint8_t version = 0; version < 16; version++) {
        b[0] = (uint8_t)(version << 4 | 5);
        uint32_t most = version == 4 ? 19 : version == 6 ? 39 : 40;
        for (uint32_t n = 1; n <= most; n++) {
            assert_int_equal(classified(b, n).ect, 0);
            assert_int_equal(hash_of(b, n), 0);
        }
    }
}

static void test_the_flow_is_the_five_tuple(void **state)
{
    // Addresses, protocol (to TCP) and ports tell flows apart; the rest does not.
    static const uint32_t tells[] = {9, 12, 15, 16, 19, 20, 21, 22, 23};
    uint32_t hash = hash_of(ipv4_udp, sizeof ipv4_udp);
    (void)state;
    for (size_t i = 0; i < sizeof tells / sizeof tells[0]; i++)
        assert_int_not_equal(hash, hash_with(ipv4_udp, sizeof ipv4_udp, tells[i], 6));
    for (uint32_t at = 1; at < sizeof ipv4_udp; at++)
        if ((at < 6 || at == 8 || at == 10 || at == 11 || at > 23))
            assert_int_equal(hash, hash_with(ipv4_udp, sizeof ipv4_udp, at, 77));
}

static void test_without_ports_their_place_does_not_count(void **state)
{
    uint8_t icmp[sizeof ipv4_udp];
    (void)state;
    memcpy(icmp, ipv4_udp, sizeof icmp);
    icmp[9] = 1;
    assert_int_equal(hash_of(icmp, sizeof icmp), hash_with(icmp, sizeof icmp, 20, 77));
    assert_int_equal(hash_of(icmp, sizeof icmp), hash_of(icmp, 20));
}

// The first fragment (MF) has ports and the others have not: all go by their addresses.
static void test_fragments_go_by_their_addresses(void **state)
{
    uint8_t b[sizeof ipv4_udp];
    (void)state;
    memcpy(b, ipv4_udp, sizeof b);
    b[6] = 0x20;
    uint32_t first = hash_of(b, sizeof b);
    assert_int_equal(first, hash_with(b, sizeof b, 21, 77));
    b[6] = 0x00;
    b[7] = 0xb9;
    assert_int_equal(first, hash_with(b, sizeof b, 23, 99));
    assert_int_not_equal(first, hash_with(b, sizeof b, 19, 9));
    b[6] = 0x40; // DF alone is no fragment
    b[7] = 0;
    assert_int_equal(hash_of(b, sizeof b), hash_of(ipv4_udp, sizeof ipv4_udp));
}

static void test_ipv6_flows(void **state)
{
    static const uint32_t tells[] = {6, 8, 15, 16, 23, 24, 31, 32, 39, 40, 41, 42, 43};
    uint32_t hash = hash_of(ipv6_udp, sizeof ipv6_udp);
    (void)state;
    for (size_t i = 0; i < sizeof tells / sizeof tells[0]; i++)
        assert_int_not_equal(hash, hash_with(ipv6_udp, sizeof ipv6_udp, tells[i], 6));
    assert_int_equal(hash, hash_with(ipv6_udp, sizeof ipv6_udp, 3, 77)); // flow label
    assert_int_equal(hash, hash_of(ipv6_options, sizeof ipv6_options));
}

static void test_ipv6_fragments_go_by_their_addresses(void **state)
{
    uint8_t b[sizeof ipv6_options];
    (void)state;
    memcpy(b, ipv6_options, sizeof b);
    b[6] = 44;
    uint32_t first = hash_of(b, sizeof b);
    for (uint32_t at = IPV6_ADDRESSES_END; at < sizeof b; at++)
        assert_int_equal(first, hash_with(b, sizeof b, at, 77));
    assert_int_not_equal(first, hash_with(b, sizeof b, 39, 77));
}

static void test_flows_spread(void **state)
{
    uint8_t b[sizeof ipv4_udp];
    uint32_t in[16] = {0};
    (void)state;
    memcpy(b, ipv4_udp, sizeof b);
    for (uint32_t port = 0; port < 4096; port++) {
        b[22] = (uint8_t)(port >> 8);
        b[23] = (uint8_t)port;
        in[hash_of(b, sizeof b) % 16]++;
    }
    for (int i = 0; i < 16; i++) // 256 each, with a deviation of 15.5
        assert_in_range(in[i], 256 - 93, 256 + 93);
}

// Flows that share a queue by chance: as many as tags of 16 bits make, with any key, and others
// with each; so who does not know the key cannot find them.
static void test_who_meets_depends_on_the_key(void **state)
{
    static uint16_t tag[2][1 << 16];
    uint32_t meet[2] = {0}, both = 0;
    uint8_t b[sizeof ipv4_udp];
    (void)state;
    memcpy(b, ipv4_udp, sizeof b);
    for (uint32_t port = 0; port < 1 << 16; port++) {
        b[22] = (uint8_t)(port >> 8);
        b[23] = (uint8_t)port;
        for (uint32_t k = 0; k < 2; k++) {
            struct down_flow_key of = key;
            of.word[0] += k;
            struct pdu pdu = {0};
            down_inner_classify(b, sizeof b, &of, &pdu);
            tag[k][port] = (uint16_t)(pdu.flow_hash ^ pdu.flow_hash >> 16);
        }
    }
    for (uint32_t port = 1; port < 1 << 16; port++) { // with port 0: one is to be expected
        meet[0] += tag[0][port] == tag[0][0];
        meet[1] += tag[1][port] == tag[1][0];
        both += tag[0][port] == tag[0][0] && tag[1][port] == tag[1][0];
    }
    assert_true(meet[0] < 10 && meet[1] < 10 && both == 0);
    for (uint32_t step = 1; step < 1 << 16; step *= 2) { // no difference of ports meets more often
        uint32_t met = 0;
        for (uint32_t port = 0; port + step < 1 << 16; port++)
            met += tag[0][port] == tag[0][port + step];
        assert_true(met < 20);
    }
}

static void test_no_hash_unless_it_is_wanted(void **state)
{
    struct pdu pdu = {.flow_hash = 1};
    (void)state;
    down_inner_classify(ipv4_udp, sizeof ipv4_udp, NULL, &pdu);
    assert_int_equal(pdu.flow_hash, 0);
}

// Nothing beyond its end is read, whatever it holds: the sanitizers watch.
static void test_any_octets(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 100000; i++) {
        uint32_t n = (uint32_t)random_in(1, 100);
        uint8_t *b = malloc(n);
        random_fill(b, n);
        b[0] = (uint8_t)((i % 2 ? 0x40 : 0x60) | (b[0] & 15));
        if (n > 6 && i % 4 == 0)
            b[6] = (uint8_t[]){0, 43, 60, 44}[random_next() % 4];
        classified(b, n);
        free(b);
    }
}

static void test_ipv4_mark_keeps_the_checksum(void **state)
{
    uint8_t b[20], before[20];
    (void)state;
    random_begin();
    for (int i = 0; i < 100000; i++) {
        random_fill(b, sizeof b);
        b[0] = 0x45;
        b[10] = b[11] = 0;
        uint16_t sum = plain_checksum(b, sizeof b);
        b[10] = (uint8_t)(sum >> 8);
        b[11] = (uint8_t)sum;
        memcpy(before, b, sizeof b);
        down_inner_mark_ce(b);
        assert_int_equal(b[1], before[1] | 3);
        assert_int_equal(plain_checksum(b, sizeof b), 0);
        before[1] = b[1];
        before[10] = b[10];
        before[11] = b[11];
        assert_memory_equal(b, before, sizeof b);
    }
}

static void test_a_wrong_checksum_stays_wrong(void **state)
{
    uint8_t b[20] = {0x45, 2, 0, 20};
    (void)state;
    b[11] = 1;
    down_inner_mark_ce(b);
    assert_int_not_equal(plain_checksum(b, sizeof b), 0);
}

static void test_ipv6_mark(void **state)
{
    uint8_t b[sizeof ipv6_udp];
    (void)state;
    memcpy(b, ipv6_udp, sizeof b);
    b[0] = 0x6a;
    b[1] = 0xa5;
    down_inner_mark_ce(b);
    assert_int_equal(b[0], 0x6a);
    assert_int_equal(b[1], 0xb5);
    assert_memory_equal(b + 2, ipv6_udp + 2, sizeof b - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ecn_of_both_versions),
        cmocka_unit_test(test_what_is_no_ip_is_not_capable),
        cmocka_unit_test(test_the_flow_is_the_five_tuple),
        cmocka_unit_test(test_without_ports_their_place_does_not_count),
        cmocka_unit_test(test_fragments_go_by_their_addresses),
        cmocka_unit_test(test_ipv6_flows),
        cmocka_unit_test(test_ipv6_fragments_go_by_their_addresses),
        cmocka_unit_test(test_flows_spread),
        cmocka_unit_test(test_who_meets_depends_on_the_key),
        cmocka_unit_test(test_no_hash_unless_it_is_wanted),
        cmocka_unit_test(test_any_octets),
        cmocka_unit_test(test_ipv4_mark_keeps_the_checksum),
        cmocka_unit_test(test_a_wrong_checksum_stays_wrong),
        cmocka_unit_test(test_ipv6_mark),
    };
    return cmocka_run_group_tests_name("down/inner", tests, NULL, NULL);
}
