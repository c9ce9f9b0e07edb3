// A pcap file as capture_plain reads it, beside libpcap on the same octets: random packets, in each
// unit of time; cut at any place; with octets changed at random.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "dataplane/base/rng.h"
#include "lab/captures/read/capture_plain.h"

#define HEAD_OCTETS 24
#define FILE_MOST   (4 << 20)

static uint8_t file[FILE_MOST];
static uint32_t octets;
static struct rng rng;
static uint64_t all_packets, all_damages, all_batches;

static void put(uint32_t word)
{
    memcpy(file + octets, &word, 4);
    octets += 4;
}

static void compose(uint32_t magic, uint32_t snap, uint32_t packets, uint32_t most)
{
    octets = 0;
    put(magic);
    put(4 << 16 | 2);
    put(0);
    put(0);
    put(snap);
    put(101);
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t n = (uint32_t)rng_below(&rng, most);
        put(1000 + i);
        put((uint32_t)rng_below(&rng, 1000000));
        put(n);
        put(n + (uint32_t)rng_below(&rng, 3) * 100);
        for (uint32_t k = 0; k < n; k += 64)
            file[octets + k] = (uint8_t)rng_below(&rng, 256);
        octets += n;
    }
}

// All of the file by both. The packets of a batch are looked at when all of it is there.
static void compare(uint32_t n, uint32_t most)
{
    char path[] = "/tmp/capture_plain_XXXXXX", why[PCAP_ERRBUF_SIZE], damage[CAPTURE_TEXT] = "";
    struct capture_plain plain;
    struct pcap_pkthdr *header;
    const u_char *b;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, file, n) == (ssize_t)n);
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
    unlink(path);
    if (!capture_plain_open(&plain, fd)) { // libpcap takes more
        if (pcap)
            pcap_close(pcap);
        close(fd);
        return;
    }
    assert_non_null(pcap);
    assert_int_equal(plain.link == 101 ? DLT_RAW : plain.link, pcap_datalink(pcap));
    enum capture_plain_got got = CAPTURE_PLAIN_LATER;
    while (got == CAPTURE_PLAIN_LATER || got == CAPTURE_PLAIN_PACKET) {
        struct capture_raw raw[32];
        uint32_t count = 0;
        while (count < most && (got = capture_plain_next(&plain, &raw[count], count == 0,
                                                         damage)) == CAPTURE_PLAIN_PACKET)
            count++;
        all_batches += count > 1;
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(pcap_next_ex(pcap, &header, &b), 1);
            assert_int_equal(raw[i].captured, header->caplen);
            assert_int_equal(raw[i].length, header->len);
            assert_int_equal(raw[i].seconds, header->ts.tv_sec);
            // libpcap multiplies in 32 bits, so what is no time may become one there.
            if (raw[i].part_ns >= 0 && raw[i].part_ns < 1000000000)
                assert_int_equal(raw[i].part_ns, header->ts.tv_usec);
            assert_memory_equal(raw[i].octets, b, header->caplen);
            all_packets++;
        }
    }
    int end = pcap_next_ex(pcap, &header, &b);
    assert_int_equal(end, got == CAPTURE_PLAIN_END ? PCAP_ERROR_BREAK : PCAP_ERROR);
    assert_int_equal(damage[0] != 0, got == CAPTURE_PLAIN_DAMAGED);
    all_damages += got == CAPTURE_PLAIN_DAMAGED;
    capture_plain_close(&plain);
    pcap_close(pcap);
    close(fd);
}

// After it was opened the file is cut, or cannot be read: no packet, and why.
static void test_a_file_that_changes(void **state)
{
    (void)state;
    rng_seed(&rng, 5, 0);
    compose(0xa1b2c3d4, 65535, 20, 100);
    for (int n = -1; n <= HEAD_OCTETS + 8; n++) {
        char path[] = "/tmp/capture_plain_XXXXXX", damage[CAPTURE_TEXT] = "", why[64] = "";
        struct capture_plain plain;
        struct capture_raw raw;
        int fd = mkstemp(path), other = open(path, O_WRONLY);
        assert_true(fd >= 0 && other >= 0 && write(fd, file, octets) == (ssize_t)octets);
        unlink(path);
        assert_true(capture_plain_open(&plain, fd));
        assert_int_equal(n < 0 ? dup2(other, fd) : ftruncate(fd, n), n < 0 ? fd : 0);
        assert_int_equal(capture_plain_next(&plain, &raw, false, damage), CAPTURE_PLAIN_LATER);
        assert_int_equal(capture_plain_next(&plain, &raw, true, damage),
                         n < 0 || n > HEAD_OCTETS ? CAPTURE_PLAIN_DAMAGED : CAPTURE_PLAIN_END);
        if (n > HEAD_OCTETS)
            snprintf(why, sizeof why, "truncated: %d octets are left of a packet's 16",
                     n - HEAD_OCTETS);
        assert_string_equal(damage, n < 0 ? strerror(EBADF) : why);
        capture_plain_close(&plain);
        close(fd);
        close(other);
    }
}

static void test_as_libpcap(void **state)
{
    static const uint32_t magics[] = {0xa1b2c3d4, 0xa1b23c4d};
    (void)state;
    rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 40; i++) {
        compose(magics[i % 2], i % 3 ? 262144 : 100, 300, i % 5 ? 2000 : 9000);
        compare(octets, 1 + i % 32);
    }
    compose(magics[0], 0, 12, 262145); // packets as large as half of the room
    compare(octets, 32);
    assert_true(all_packets > 10000 && all_batches > 300 && all_damages == 0);
    compose(magics[0], 0, 3, 10); // and one that is too large
    for (uint32_t i = 0; i < 4; i++)
        put(262145);
    octets += 262145;
    compare(octets, 32);
    assert_int_equal(all_damages, 1);
}

static void test_a_file_that_breaks_off(void **state)
{
    (void)state;
    rng_seed(&rng, 2, 0);
    compose(0xa1b2c3d4, 65535, 20, 100);
    for (uint32_t n = 0; n <= octets; n++)
        compare(n, 8);
    assert_true(all_damages > 500);
    compose(0xa1b2c3d4, 65535, 800, 2000);
    for (uint32_t n = CAPTURE_PLAIN_PIECE - 40; n < CAPTURE_PLAIN_PIECE + 40; n++)
        compare(n, 32); // ends about where a piece does
}

static void test_octets_at_random(void **state)
{
    (void)state;
    rng_seed(&rng, 3, 0);
    for (int i = 0; i < 2000; i++) {
        compose(0xa1b2c3d4, 65535, 30, 200);
        for (uint64_t k = rng_below(&rng, 10); k-- > 0;)
            file[rng_below(&rng, i % 4 ? octets : HEAD_OCTETS)] = (uint8_t)rng_below(&rng, 256);
        compare(octets, 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_libpcap),
        cmocka_unit_test(test_a_file_that_breaks_off),
        cmocka_unit_test(test_octets_at_random),
        cmocka_unit_test(test_a_file_that_changes),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_plain", tests, NULL, NULL);
}
