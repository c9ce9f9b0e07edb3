// Headers out of frames: typed octets of each layer, whole and cut at each octet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "lab/captures/gi/gi_packet.h"

#define S_IN_NS 1000000000ULL

// 10.0.0.1:40000 to 203.0.113.9:80, SYN 1000, window 5840, MSS 1460, SACK, timestamps 7, scale 2.
static const uint8_t syn[] = {0x45, 0,    0,    60,   0,   9, 0x40, 0,    64,   6,    0xf4, 0xa8,
                              10,   0,    0,    1,    203, 0, 113,  9,    0x9c, 0x40, 0,    80,
                              0,    0,    0x03, 0xe8, 0,   0, 0,    0,    0xa0, 0x02, 0x16, 0xd0,
                              0x00, 0x00, 0,    0,    2,   4, 5,    0xb4, 4,    2,    8,    10,
                              0,    0,    0,    7,    0,   0, 0,    0,    1,    3,    3,    2};
static const struct gi_packet_rules any_sum = {.take_bad_checksums = true};
static struct gi_counts counts;
static struct gi_packet packet;
static struct gi_piece piece;

// In memory that ends with it, so that a sanitizer sees one octet too far.
static enum gi_count read_cut(const uint8_t *octets, uint32_t captured, uint32_t length, int link,
                              const struct gi_packet_rules *rules)
{
    uint8_t *copy = test_malloc(captured + 1);
    memcpy(copy + 1, octets, captured);
    struct capture_packet frame = {1, 5 * S_IN_NS, link, copy + 1, captured, length};
    enum gi_count fate = gi_packet_read(&packet, &piece, &frame, rules, &counts);
    test_free(copy);
    return fate;
}

static enum gi_count read_all(const uint8_t *octets, uint32_t n, int link)
{
    return read_cut(octets, n, n, link, &any_sum);
}

static void assert_syn(void)
{
    assert_int_equal(packet.time_ns, 5 * S_IN_NS);
    assert_int_equal(address_ipv4(&packet.from.address), 0x0a000001);
    assert_int_equal(address_ipv4(&packet.to.address), 0xcb007109);
    assert_int_equal(packet.from.port, 40000);
    assert_int_equal(packet.to.port, 80);
    assert_int_equal(packet.ip_octets, 60);
    assert_int_equal(packet.ip_id, 9);
    assert_int_equal(packet.sequence, 1000);
    assert_int_equal(packet.flags, 2);
    assert_int_equal(packet.window, 5840);
    assert_int_equal(packet.data_octets, 0);
}

static void test_a_segment_with_its_options(void **state)
{
    (void)state;
    assert_int_equal(read_all(syn, sizeof syn, DLT_RAW), GI_COUNT_segments);
    assert_syn();
    assert_true(packet.sack_permitted && packet.has_timestamps && packet.has_scale);
    assert_int_equal(packet.timestamp, 7);
    assert_int_equal(packet.scale, 2);
    assert_false(packet.options_cut);
}

static void test_cut_at_each_octet(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < sizeof syn; n++) {
        counts.n[GI_COUNT_options_cut] = 0;
        enum gi_count fate = read_cut(syn, n, sizeof syn, DLT_RAW, &any_sum);
        assert_int_equal(fate, n < 40 ? GI_COUNT_cut : GI_COUNT_segments);
        assert_int_equal(counts.n[GI_COUNT_options_cut], n >= 40);
        // An option counts if all of it is there: SACK permitted ends at octet 46.
        if (n >= 40)
            assert_int_equal(packet.sack_permitted, n >= 46);
    }
}

static void assert_doubt(const uint8_t *octets, uint32_t captured,
                         const struct gi_packet_rules *rules, enum gi_count doubt)
{
    assert_int_equal(read_cut(octets, captured, sizeof syn, DLT_RAW, rules), GI_COUNT_segments);
    assert_int_equal(packet.doubt, doubt);
}

static void test_the_checksum_of_tcp(void **state)
{
    static const struct gi_packet_rules judge = {0};
    uint8_t good[sizeof syn];
    (void)state;
    assert_doubt(syn, sizeof syn, &judge, GI_COUNT_tcp_checksum);
    assert_doubt(syn, sizeof syn, &any_sum, GI_COUNT_segments);
    memcpy(good, syn, sizeof syn);
    // The checksum of RFC 1071, added up by hand, of the pseudo header 0x0a00 0001 cb00 7109 0006
    // 0028, then the segment.
    uint32_t sum = 0x0a00 + 0x0001 + 0xcb00 + 0x7109 + 6 + 40;
    for (uint32_t i = 20; i < sizeof syn; i += 2)
        sum += (uint32_t)syn[i] << 8 | syn[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    good[36] = (uint8_t)(~sum >> 8);
    good[37] = (uint8_t)~sum;
    assert_doubt(good, sizeof syn, &judge, GI_COUNT_segments);
    good[59] ^= 1;
    assert_doubt(good, sizeof syn, &judge, GI_COUNT_tcp_checksum);
    // Of what is not there it cannot be judged.
    assert_doubt(good, sizeof syn - 1, &judge, GI_COUNT_segments);
    good[12] ^= 1;
    assert_doubt(good, sizeof syn, &judge, GI_COUNT_ip_checksum);
    assert_doubt(good, sizeof syn, &any_sum, GI_COUNT_segments);
}

static void test_links(void **state)
{
    static const struct {
        int link;
        uint32_t octets, type_at;
    } links[] = {{DLT_EN10MB, 14, 12}, {DLT_LINUX_SLL, 16, 14}, {276, 20, 0}, {DLT_NULL, 4, 2}};
    uint8_t b[128];
    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        memset(b, 0, sizeof b);
        b[links[i].type_at] = 8; // 0x0800
        memcpy(b + links[i].octets, syn, sizeof syn);
        assert_int_equal(read_all(b, links[i].octets + sizeof syn, links[i].link),
                         GI_COUNT_segments);
        assert_syn();
        for (uint32_t n = 0; n < links[i].octets; n++)
            assert_int_equal(read_cut(b, n, links[i].octets + sizeof syn, links[i].link, &any_sum),
                             GI_COUNT_cut);
        b[links[i].type_at + 1] = 6; // ARP
        if (links[i].link != DLT_NULL)
            assert_int_equal(read_all(b, 80, links[i].link), GI_COUNT_link_other);
    }
    assert_int_equal(read_all(syn, sizeof syn, 147), GI_COUNT_link_other);
}

static void test_ethernet_with_padding_and_tags(void **state)
{
    uint8_t b[128] = {[12] = 0x88, 0xa8, 0, 5, 0x81, 0, 0, 7, 8, 0};
    (void)state;
    memcpy(b + 22, syn, sizeof syn);
    assert_int_equal(read_all(b, 22 + sizeof syn + 9, DLT_EN10MB), GI_COUNT_segments);
    assert_syn();
    assert_int_equal(read_cut(b, 20, 100, DLT_EN10MB, &any_sum), GI_COUNT_cut);
}

static void test_lengths_that_cannot_be(void **state)
{
    static const struct {
        uint8_t at, octet;
    } wrong[] = {{0, 0x44}, {0, 0x55}, {3, 61}, {3, 19}, {3, 39}, {32, 0x40}, {32, 0xb0}};
    uint8_t b[sizeof syn];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(b, syn, sizeof syn);
        b[wrong[i].at] = wrong[i].octet;
        b[10] = b[11] = 0; // not judged
        assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_odd);
    }
}

static void test_options_that_cannot_be(void **state)
{
    uint8_t b[sizeof syn];
    (void)state;
    for (int octets = 0; octets < 256; octets++) {
        memcpy(b, syn, sizeof syn);
        b[41] = (uint8_t)octets; // the length of the first
        assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_segments);
        assert_int_equal(packet.sack_permitted, octets == 4);
    }
}

static void test_fragments(void **state)
{
    uint8_t b[sizeof syn];
    (void)state;
    memcpy(b, syn, sizeof syn);
    b[10] = b[11] = 0;
    b[6] = 0x20; // the first
    assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_fragments);
    assert_int_equal(packet.from.port, 40000);
    b[6] = 0;
    b[7] = 5; // another
    assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_fragments);
    assert_int_equal(packet.from.port, 0);
}

// GTP-U over UDP over IPv4, with a sequence number and an extension header.
static uint32_t tunnelled(uint8_t *b, uint8_t type)
{
    static const uint8_t head[] = {0x45, 0,    0, 104, 0, 0,   0,    0,    64, 17,   0,
                                   0,    192,  0, 2,   2, 192, 0,    2,    1,  8,    0x68,
                                   8,    0x68, 0, 84,  0, 0,   0x36, 0xff, 0,  68,   0,
                                   0,    0,    9, 0,   1, 0,   0x40, 1,    8,  0x68, 0};
    memcpy(b, head, sizeof head);
    b[29] = type;
    memcpy(b + sizeof head, syn, sizeof syn);
    return sizeof head + sizeof syn;
}

static void test_a_tunnel(void **state)
{
    uint8_t b[128];
    uint32_t n = tunnelled(b, 255);
    (void)state;
    counts.n[GI_COUNT_tunnelled] = 0;
    assert_int_equal(read_all(b, n, DLT_RAW), GI_COUNT_segments);
    assert_syn();
    assert_int_equal(counts.n[GI_COUNT_tunnelled], 1);
    for (uint32_t cut = 20; cut < n - sizeof syn + 40; cut++)
        assert_int_equal(read_cut(b, cut, n, DLT_RAW, &any_sum),
                         cut < 28 ? GI_COUNT_other_protocols : GI_COUNT_cut);
    tunnelled(b, 1);
    assert_int_equal(read_all(b, n, DLT_RAW), GI_COUNT_gtp_other);
    tunnelled(b, 255);
    b[40] = 0; // an extension header without length
    assert_int_equal(read_all(b, n, DLT_RAW), GI_COUNT_odd);
    tunnelled(b, 255);
    b[28] = 0x50; // another version: a datagram as any other
    assert_int_equal(read_all(b, n, DLT_RAW), GI_COUNT_other_protocols);
}

static void test_nothing_is_left_of_the_packet_before(void **state)
{
    uint8_t b[40];
    (void)state;
    memcpy(b, syn, sizeof b);
    b[3] = sizeof b;
    b[10] = b[11] = 0; // not judged
    b[32] = 0x50;      // no options
    memset(&packet, 0xff, sizeof packet);
    assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_segments);
    assert_int_equal(packet.teid | packet.from.user | packet.to.user, 0);
    assert_false(packet.options_cut || packet.has_scale || packet.sack_permitted);
    assert_false(packet.has_timestamps || packet.scale || packet.sack_blocks);
    assert_int_equal(packet.timestamp | packet.echo, 0);
    b[9] = 17; // UDP
    memset(&packet, 0xff, sizeof packet);
    assert_int_equal(read_all(b, sizeof b, DLT_RAW), GI_COUNT_other_protocols);
    assert_int_equal(packet.teid | packet.from.user | packet.to.user, 0);
    assert_int_equal(packet.from.port | packet.to.port, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_segment_with_its_options),
        cmocka_unit_test(test_cut_at_each_octet),
        cmocka_unit_test(test_the_checksum_of_tcp),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_ethernet_with_padding_and_tags),
        cmocka_unit_test(test_lengths_that_cannot_be),
        cmocka_unit_test(test_options_that_cannot_be),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_a_tunnel),
        cmocka_unit_test(test_nothing_is_left_of_the_packet_before),
    };
    return cmocka_run_group_tests_name("lab/captures/gi/gi_packet", tests, NULL, NULL);
}
