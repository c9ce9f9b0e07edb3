// Packets of pcap and pcapng files as capture_records reads them, beside libpcap on the same
// octets: both orders of octets, each unit of time; cut at any place; with octets changed at
// random. What libpcap refuses, interfaces that are unlike, has the truth from how it was written.
// Compressed files give the same packets as plain ones, as far as they go.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "dataplane/base/rng.h"
#include "lab/captures/read/capture_records.h"

#define FILE_MOST    (4 << 20)
#define PACKETS_MOST 1000

static uint8_t file[FILE_MOST];
static uint32_t octets;
static bool swapped;
static struct rng rng;
static uint64_t all_packets, all_damages, all_batches, all_refused;

static uint32_t any(uint32_t below)
{
    return (uint32_t)rng_below(&rng, below);
}

// ---- Writing ----

static void put(uint32_t word)
{
    word = swapped ? __builtin_bswap32(word) : word;
    memcpy(file + octets, &word, 4);
    octets += 4;
}

static void put_halves(uint16_t first, uint16_t second)
{
    uint16_t halves[] = {swapped ? __builtin_bswap16(first) : first,
                         swapped ? __builtin_bswap16(second) : second};
    memcpy(file + octets, halves, 4);
    octets += 4;
}

static void put_data(uint32_t n)
{
    for (uint32_t k = 0; k < n; k += 61)
        file[octets + k] = (uint8_t)any(256);
    octets += n;
}

static void compose(uint32_t magic, uint16_t minor, uint32_t snap, uint32_t packets, uint32_t most)
{
    octets = 0;
    put(magic);
    put_halves(2, minor);
    put(0);
    put(0);
    put(snap);
    put(101);
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t n = any(most), length = n + any(3) * 100;
        put(1000 + i);
        put(any(1000000));
        put(minor < 3 ? length : n);
        put(minor < 3 ? n : length);
        if (magic == 0xa1b2cd34) {
            put(any(10));
            put(any(10));
        }
        put_data(n);
    }
}

// What put_block_end closes.
static uint32_t block_at;

static void put_block(uint32_t type)
{
    block_at = octets;
    put(type);
    put(0);
}

static void put_block_end(void)
{
    memset(file + octets, 0, 3);
    octets = (octets + 3) / 4 * 4;
    uint32_t n = octets + 4 - block_at, end = octets;
    octets = block_at + 4;
    put(n);
    octets = end;
    put(n);
}

static void put_section(void)
{
    put_block(0x0a0d0d0a);
    put(0x1a2b3c4d);
    put_halves(1, 0);
    put(UINT32_MAX);
    put(UINT32_MAX);
    put_block_end();
}

static void put_interface(uint16_t link, uint32_t snap, uint8_t units, int64_t offset_s)
{
    put_block(1);
    put_halves(link, 0);
    put(snap);
    put_halves(2, 5); // a name, which nobody asks for
    memcpy(file + octets, "eth0\0\0\0", 8);
    octets += 8;
    put_halves(9, 1);
    memcpy(file + octets, (uint8_t[4]){units}, 4);
    octets += 4;
    put_halves(14, 8);
    put((uint32_t)(swapped ? offset_s >> 32 : offset_s));
    put((uint32_t)(swapped ? offset_s : offset_s >> 32));
    put_halves(0, 0);
    put_block_end();
}

static void put_enhanced(uint32_t interface, uint64_t stamp, uint32_t n, uint32_t length)
{
    put_block(6);
    put(interface);
    put((uint32_t)(stamp >> 32));
    put((uint32_t)stamp);
    put(n);
    put(length);
    put_data(n);
    memset(file + octets, 0, 3);
    octets = (octets + 3) / 4 * 4;
    if (any(3) == 0) { // flags
        put_halves(2, 4);
        put(1);
        put_halves(0, 0);
    }
    put_block_end();
}

static void put_others(void)
{
    put_block(any(2) ? 5 : 0x80000bad); // statistics of an interface; nobody's
    put(0);
    put_data(any(100));
    put_block_end();
}

// One interface, as libpcap can read it.
static void compose_ng(uint8_t units, uint32_t packets, uint32_t most)
{
    uint64_t second = 1;
    for (uint8_t i = 0; i < (units & 0x7f); i++)
        second *= units & 0x80 ? 2 : 10;
    octets = 0;
    put_section();
    put_interface(101, 262144, units, any(2) ? 0 : 5000);
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t n = any(most);
        if (any(10) == 0)
            put_others();
        put_enhanced(0, (1000 + i) * second + rng_below(&rng, second), n, n + any(3) * 100);
    }
}

// ---- Reading ----

struct reader {
    int fd;
    struct capture_source source;
    struct capture_records records;
    char damage[CAPTURE_TEXT];
};

static int new_file(const uint8_t *at, uint32_t n)
{
    int fd = memfd_create("capture", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, at, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static bool reader_open(struct reader *r, int fd)
{
    *r = (struct reader){.fd = fd};
    assert_true(capture_source_open(&r->source, fd, r->damage));
    bool good = capture_records_open(&r->records, &r->source, r->damage);
    assert_int_equal(good, r->damage[0] == '\0');
    return good;
}

static void reader_close(struct reader *r)
{
    capture_records_close(&r->records);
    capture_source_close(&r->source);
    close(r->fd);
}

static enum capture_got next(struct reader *r, struct capture_raw *raw, bool more)
{
    return capture_records_next(&r->records, &r->source, raw, more, r->damage);
}

static void expect_as_libpcap(const struct capture_raw *raw, pcap_t *pcap)
{
    struct pcap_pkthdr *header;
    const u_char *b;
    if (pcap_next_ex(pcap, &header, &b) != 1)
        fail_msg("%s", pcap_geterr(pcap));
    assert_int_equal(raw->captured, header->caplen);
    if (raw->length != header->len)
        fail_msg("%u %u %u %u", raw->captured, raw->length, header->caplen, header->len);
    assert_memory_equal(raw->octets, b, header->caplen);
    all_packets++;
    // libpcap multiplies in 32 bits, so what is no time may become one there.
    if (raw->part_ns < 0 || raw->part_ns >= 1000000000)
        return;
    // Until 1.10.4 libpcap took the seconds of pcap, which have no sign, for a number with one.
    bool is_pcapng = memcmp(file, "\n\r\r\n", 4) == 0;
    assert_int_equal(raw->seconds, is_pcapng ? header->ts.tv_sec : (uint32_t)header->ts.tv_sec);
    assert_int_equal(raw->part_ns, header->ts.tv_usec);
}

// All of the file by both. The packets of a batch are looked at when all of it is there.
static void compare(uint32_t n, uint32_t most)
{
    char why[PCAP_ERRBUF_SIZE];
    struct reader r;
    struct pcap_pkthdr *header;
    const u_char *b;
    int fd = new_file(file, n);
    FILE *stream = fdopen(new_file(file, n), "rb");
    pcap_t *pcap =
        pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!reader_open(&r, fd) || !pcap) { // each has formats that the other does not know
        all_refused++;
        reader_close(&r);
        pcap ? pcap_close(pcap) : (void)fclose(stream);
        return;
    }
    enum capture_got got = CAPTURE_GOT_LATER;
    while (got == CAPTURE_GOT_LATER || got == CAPTURE_GOT_IT) {
        struct capture_raw raw[32];
        uint32_t count = 0;
        while (count < most && (got = next(&r, &raw[count], count == 0)) == CAPTURE_GOT_IT)
            count++;
        all_batches += count > 1;
        for (uint32_t i = 0; i < count; i++)
            expect_as_libpcap(&raw[i], pcap);
    }
    int end = pcap_next_ex(pcap, &header, &b);
    assert_int_equal(end, got == CAPTURE_GOT_END ? PCAP_ERROR_BREAK : PCAP_ERROR);
    assert_int_equal(r.damage[0] != 0, got == CAPTURE_GOT_DAMAGE);
    all_damages += got == CAPTURE_GOT_DAMAGE;
    reader_close(&r);
    pcap_close(pcap);
}

static void begin(uint64_t seed)
{
    rng_seed(&rng, seed, 0);
    all_packets = all_damages = all_batches = all_refused = 0;
    swapped = false;
}

static void test_as_libpcap(void **state)
{
    static const uint32_t magics[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34};
    (void)state;
    begin(1);
    for (uint32_t i = 0; i < 60; i++) {
        swapped = i % 4 == 3;
        compose(magics[i % 3], i % 7 == 6 ? 2 : 4, i % 5 ? 262144 : 100, 300, i % 5 ? 2000 : 9000);
        compare(octets, 1 + i % 32);
    }
    compose(magics[0], 4, 0, 12, 262145); // packets as large as half of the room
    compare(octets, 32);
    assert_int_equal(all_refused, 0);
    assert_true(all_packets > 15000 && all_batches > 300 && all_damages == 0);
    compose(magics[0], 4, 0, 3, 10); // and one that is too large
    for (uint32_t i = 0; i < 4; i++)
        put(262145);
    octets += 262145;
    compare(octets, 32);
    assert_int_equal(all_damages, 1);
}

static void test_pcapng_as_libpcap(void **state)
{
    static const uint8_t units[] = {6, 9, 3, 0, 0x80 | 20, 0x80 | 30, 7, 0x80};
    (void)state;
    begin(2);
    for (uint32_t i = 0; i < 64; i++) {
        swapped = i % 3 == 2;
        compose_ng(units[i % 8], 300, i % 5 ? 2000 : 9000);
        compare(octets, 1 + i % 32);
    }
    compose_ng(9, 12, 262145);
    compare(octets, 32);
    assert_int_equal(all_refused, 0);
    assert_true(all_packets > 15000 && all_batches > 300 && all_damages == 0);
}

static void test_a_file_that_breaks_off(void **state)
{
    (void)state;
    begin(3);
    compose(0xa1b2c3d4, 4, 65535, 20, 100);
    for (uint32_t n = 0; n <= octets; n++)
        compare(n, 8);
    assert_true(all_damages > 500 && all_refused < 30);
    compose_ng(6, 20, 100);
    for (uint32_t n = 0; n <= octets; n++)
        compare(n, 8);
    assert_true(all_damages > 1500 && all_refused < 150);
    compose(0xa1b2c3d4, 4, 65535, 800, 2000);
    for (uint32_t n = CAPTURE_SOURCE_PIECE - 40; n < CAPTURE_SOURCE_PIECE + 40; n += 3)
        compare(n, 32); // ends about where a piece does
    compose_ng(6, 800, 2000);
    for (uint32_t n = CAPTURE_SOURCE_PIECE - 40; n < CAPTURE_SOURCE_PIECE + 40; n += 3)
        compare(n, 32);
}

static void test_octets_at_random(void **state)
{
    (void)state;
    begin(4);
    for (int i = 0; i < 600; i++) {
        compose(0xa1b2c3d4, 4, 65535, 30, 200);
        for (uint32_t k = any(10); k-- > 0;)
            file[any(i % 4 ? octets : 24)] = (uint8_t)any(256);
        compare(octets, 32);
    }
}

// Of pcapng libpcap refuses more, and other things: here all that is read must be readable, and the
// reader comes to an end.
static void test_pcapng_octets_at_random(void **state)
{
    uint64_t packets = 0, damages = 0, touched = 0;
    (void)state;
    begin(5);
    for (int i = 0; i < 1500; i++) {
        struct capture_raw raw;
        struct reader r;
        compose_ng(6, 30, 200);
        for (uint32_t k = 1 + any(10); k-- > 0;)
            file[any(i % 4 ? octets : 90)] = (uint8_t)any(256);
        if (reader_open(&r, new_file(file, octets))) {
            uint32_t n = 0;
            for (; next(&r, &raw, true) == CAPTURE_GOT_IT; n++)
                for (uint32_t k = 0; k < raw.captured; k++)
                    touched += raw.octets[k];
            assert_in_range(n, 0, 30);
            packets += n;
            damages += r.damage[0] != 0;
        }
        reader_close(&r);
    }
    assert_true(packets > 5000 && damages > 500 && touched > 0);
}

// ---- Interfaces that are unlike ----

static struct {
    int link;
    int64_t seconds, part_ns;
    uint32_t captured, length, at;
} truth[PACKETS_MOST];
static uint32_t truths;

static void expect_truth(int link, int64_t seconds, int64_t part_ns, uint32_t captured,
                         uint32_t length, uint32_t at)
{
    truth[truths].link = link;
    truth[truths].seconds = seconds;
    truth[truths].part_ns = part_ns;
    truth[truths].captured = captured;
    truth[truths].length = length;
    truth[truths++].at = at;
}

static void read_truth(uint32_t most)
{
    struct reader r;
    struct capture_raw raw[32];
    uint32_t n = 0, got = 1;
    assert_true(reader_open(&r, new_file(file, octets)));
    while (got > 0) {
        got = 0;
        while (got < most && next(&r, &raw[got], got == 0) == CAPTURE_GOT_IT)
            got++;
        for (uint32_t i = 0; i < got; i++, n++) {
            assert_in_range(n, 0, truths - 1);
            assert_int_equal(raw[i].link, truth[n].link);
            assert_int_equal(raw[i].seconds, truth[n].seconds);
            if (raw[i].seconds != -1)
                assert_int_equal(raw[i].part_ns, truth[n].part_ns);
            assert_int_equal(raw[i].captured, truth[n].captured);
            assert_int_equal(raw[i].length, truth[n].length);
            assert_memory_equal(raw[i].octets, file + truth[n].at, truth[n].captured);
        }
    }
    assert_int_equal(n, truths);
    assert_string_equal(r.damage, "");
    reader_close(&r);
}

// Stamps of each interface in a unit, a zone and a snap length of its own; sections in both orders.
static void test_unlike_interfaces(void **state)
{
    (void)state;
    begin(6);
    octets = truths = 0;
    for (uint32_t section = 0; section < 6; section++) {
        swapped = section % 2;
        put_section();
        put_interface(1, 100, 6, 0);
        put_interface(113, 0, 9, -3600);
        put_interface(101, 65535, 0x80 | 10, 7);
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t n = any(300);
            put_others();
            put_enhanced(0, 5000000123ull + i, n, n);
            expect_truth(1, 5000, 123000 + 1000 * (int64_t)i, n, n, block_at + 28);
            put_enhanced(1, 4600000000123ull, n, n + 9);
            expect_truth(113, 1000, 123, n, n + 9, block_at + 28);
            put_enhanced(2, (900ull << 10) + 512, n, n);
            expect_truth(101, 907, 500000000, n, n, block_at + 28);
            put_block(3); // simple: of the first interface, cut at its snap length
            put(n);
            put_data(n < 100 ? n : 100);
            put_block_end();
            expect_truth(1, -1, 0, n < 100 ? n : 100, n, block_at + 12);
            put_block(2); // old
            put_halves(1, 3);
            put(1071);
            put(90149427); // 1071 * 2^32 + 90149427 ns
            put(n);
            put(n);
            put_data(n);
            put_block_end();
            expect_truth(113, 1000, 123443, n, n, block_at + 28);
        }
    }
    for (uint32_t most = 1; most <= 32; most += 7)
        read_truth(most);
}

// A block that nobody wants may be larger than the room; its octets are left out.
static void test_a_long_block(void **state)
{
    (void)state;
    begin(7);
    octets = truths = 0;
    put_section();
    put_interface(1, 0, 6, 0);
    for (uint32_t i = 0; i < 3; i++) {
        put_block(0x80000bad);
        put_data(700000);
        put_block_end();
        put_enhanced(0, 77, 60, 60);
        expect_truth(1, 0, 77000, 60, 60, block_at + 28);
    }
    read_truth(1);
    read_truth(32);
}

static void expect_damage(const char *why)
{
    struct capture_raw raw;
    struct reader r;
    assert_true(reader_open(&r, new_file(file, octets)));
    assert_int_equal(next(&r, &raw, true), CAPTURE_GOT_DAMAGE);
    assert_string_equal(r.damage, why);
    reader_close(&r);
}

static void test_blocks_that_cannot_be(void **state)
{
    (void)state;
    begin(8);
    octets = 0;
    put_section();
    uint32_t head = octets;
    put_enhanced(0, 1, 10, 10);
    expect_damage("a packet of interface 0, which nothing describes");
    octets = head;
    put_interface(1, 0, 6, 0);
    head = octets;
    put_block(6);
    for (uint32_t i = 0; i < 3; i++)
        put(0);
    put(5);
    put(5);
    put_block_end();
    expect_damage("a packet of 5 octets in a smaller block: damaged");
    octets = head;
    put_enhanced(0, 1, 262145, 262145);
    expect_damage("a packet of 262145 octets, more than there can be: damaged");
    octets = head;
    put(5);
    put(11);
    expect_damage("a block of 11 octets, which there cannot be: damaged");
    octets = head;
    put_enhanced(0, 1, 10, 10);
    file[octets - 4] ^= 4;
    expect_damage("a block's two lengths differ: damaged");
    octets = head;
    put_block(0x0a0d0d0a);
    put(0x01020304);
    put_block_end();
    expect_damage("a section's head without an order of octets (04030201): damaged");
}

static void expect_none(const char *octets_of, uint32_t n, const char *why)
{
    struct reader r;
    assert_false(reader_open(&r, new_file((const uint8_t *)octets_of, n)));
    assert_string_equal(r.damage, why);
    reader_close(&r);
}

static void test_no_capture(void **state)
{
    (void)state;
    expect_none("", 0, "no capture: it is empty");
    expect_none("hello, this is none", 19,
                "no capture: it begins with 68656c6c, which neither pcap nor pcapng does");
    expect_none("\xd4\xc3\xb2\xa1\2\0\4\0", 8,
                "truncated: 8 octets are left of a capture's head's 24");
    expect_none("\xd4\xc3\xb2\xa1\3\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24,
                "pcap version 3, and only 2 is known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_libpcap),
        cmocka_unit_test(test_pcapng_as_libpcap),
        cmocka_unit_test(test_a_file_that_breaks_off),
        cmocka_unit_test(test_octets_at_random),
        cmocka_unit_test(test_pcapng_octets_at_random),
        cmocka_unit_test(test_unlike_interfaces),
        cmocka_unit_test(test_a_long_block),
        cmocka_unit_test(test_blocks_that_cannot_be),
        cmocka_unit_test(test_no_capture),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_records", tests, NULL, NULL);
}
