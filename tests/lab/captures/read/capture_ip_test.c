// From packets, typed octet by octet from the RFCs, to datagrams: verdicts, what is cut, fragments,
// checksums. Files are tests/e2e/audit_bad.py's.
#include "lab/captures/read/capture_peel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcap/dlt.h>

// IPv4, 10.0.0.1:1000 to 10.0.0.2:23000, "hello" in UDP without a checksum.
static const uint8_t hello[] = {0x45, 0,    0, 33, 0, 1,  0,   0,   64,  17,   0x66,
                                0xc9, 10,   0, 0,  1, 10, 0,   0,   2,   0x03, 0xe8,
                                0x59, 0xd8, 0, 13, 0, 0,  'h', 'e', 'l', 'l',  'o'};
#define LENGTH_AT   3
#define FLAGS_AT    6
#define CHECKSUM_AT 10
#define UDP_AT      20

static uint8_t memory[2048];
static struct capture_room room;
static uint64_t counts[CAPTURE_COUNTS];

static int clear(void **state)
{
    (void)state;
    memset(counts, 0, sizeof counts);
    memset(memory, 0xee, sizeof memory);
    memset(capture_room_of(&room, 2048), 0xee, 2048);
    return 0;
}

// What the snap length has cut is not there: other octets are.
static struct capture_packet packet_of(int link, const uint8_t *head, uint32_t head_octets,
                                       uint32_t captured)
{
    uint32_t length = head_octets + (uint32_t)sizeof hello;
    if (head_octets)
        memcpy(memory, head, head_octets);
    memcpy(memory + head_octets, hello, sizeof hello);
    if (captured < length)
        memset(memory + captured, 0xee, length - captured);
    return (struct capture_packet){1,     0, link, memory, captured < length ? captured : length,
                                   length};
}

static bool read_udp(const struct capture_packet *packet, struct capture_udp *udp)
{
    struct capture_ip ip;
    return capture_peel_link(packet, &ip, counts) == CAPTURE_taken && ip.protocol == 17 &&
           capture_ip_udp(&ip, udp, &room, counts);
}

static void check_hello(int link, const uint8_t *head, uint32_t octets)
{
    struct capture_udp udp;
    struct capture_packet packet = packet_of(link, head, octets, UINT32_MAX);
    assert_true(read_udp(&packet, &udp));
    assert_int_equal(udp.source_port, 1000);
    assert_int_equal(udp.destination_port, 23000);
    assert_int_equal(udp.length, 5);
    assert_int_equal(udp.captured, 5);
    assert_memory_equal(udp.octets, "hello", 5);
}

static void test_links(void **state)
{
    (void)state;
    static const uint8_t ether[14] = {[12] = 8}, vlan[18] = {[12] = 0x81, [16] = 8};
    static const uint8_t qinq[22] = {[12] = 0x88, 0xa8, [16] = 0x81, [20] = 8};
    static const uint8_t sll[16] = {[14] = 8}, sll2[20] = {8}, loop[4] = {2};
    check_hello(DLT_EN10MB, ether, sizeof ether);
    check_hello(DLT_EN10MB, vlan, sizeof vlan);
    check_hello(DLT_EN10MB, qinq, sizeof qinq);
    check_hello(DLT_LINUX_SLL, sll, sizeof sll);
    check_hello(DLT_LINUX_SLL2, sll2, sizeof sll2);
    check_hello(DLT_NULL, loop, sizeof loop);
    check_hello(DLT_RAW, NULL, 0);
    assert_int_equal(counts[CAPTURE_taken], 7);
}

static void refuse(struct capture_packet packet, enum capture_count verdict)
{
    struct capture_udp udp;
    uint64_t before = counts[verdict];
    assert_false(read_udp(&packet, &udp));
    assert_int_equal(counts[verdict], before + 1);
}

static void test_verdicts(void **state)
{
    (void)state;
    static const uint8_t arp[14] = {[12] = 8, 6};
    refuse(packet_of(DLT_EN10MB, arp, sizeof arp, UINT32_MAX), CAPTURE_not_ip);
    refuse(packet_of(147, NULL, 0, UINT32_MAX), CAPTURE_link_unknown);
    refuse(packet_of(DLT_RAW, NULL, 0, 19), CAPTURE_cut_header);
    refuse(packet_of(DLT_RAW, NULL, 0, 27), CAPTURE_udp_cut);
    struct capture_packet packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    memory[CHECKSUM_AT] ^= 1;
    refuse(packet, CAPTURE_ip_checksum);
    packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    memory[LENGTH_AT]++;
    refuse(packet, CAPTURE_ip_malformed);
    packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    memory[UDP_AT + 5]--;
    refuse(packet, CAPTURE_udp_malformed);
    packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    memory[UDP_AT + 7] = 1;
    refuse(packet, CAPTURE_udp_checksum);
}

static void test_snap_length(void **state)
{
    (void)state;
    struct capture_udp udp;
    for (uint32_t captured = 28; captured <= sizeof hello; captured++) {
        struct capture_packet packet = packet_of(DLT_RAW, NULL, 0, captured);
        assert_true(read_udp(&packet, &udp));
        assert_int_equal(udp.length, 5);
        assert_int_equal(udp.captured, captured - 28);
    }
}

static void put_flags(uint8_t flags, uint8_t offset)
{
    memory[FLAGS_AT] = flags;
    memory[FLAGS_AT + 1] = offset;
    memory[CHECKSUM_AT] = memory[CHECKSUM_AT + 1] = 0; // left to hardware
}

static void test_fragments(void **state)
{
    (void)state;
    struct capture_udp udp;
    struct capture_packet packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    put_flags(0x20, 0);
    memory[UDP_AT + 4] = 1; // 269 octets are announced
    assert_true(read_udp(&packet, &udp));
    assert_int_equal(udp.length, 261);
    assert_int_equal(udp.captured, 5);
    for (uint32_t i = 5; i < udp.length; i++)
        assert_int_equal(udp.octets[i], 0);
    assert_int_equal(counts[CAPTURE_first_fragment], 1);
    packet = packet_of(DLT_RAW, NULL, 0, UINT32_MAX);
    put_flags(0, 40);
    refuse(packet, CAPTURE_later_fragment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_links, clear),
        cmocka_unit_test_setup(test_verdicts, clear),
        cmocka_unit_test_setup(test_snap_length, clear),
        cmocka_unit_test_setup(test_fragments, clear),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_ip", tests, NULL, NULL);
}
