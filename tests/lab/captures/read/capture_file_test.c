// Packets of a plain pcap file beside a slow reader that has the file in memory: heads as they are,
// with stamps and lengths that cannot be, and at the end of what was written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "lab/captures/read/capture_file.h"

#define FILE_MOST    (2 << 20)
#define HEAD_OCTETS  24
#define LINK_RAW     101
#define PACKETS_MOST 3000
#define OCTETS_MOST  262144u

static uint8_t file[FILE_MOST];
static uint32_t octets, snap, unit_ns;
static uint64_t begin_ns; // of the last packet of another file
static struct rng rng;

// What the slow reader says.
static struct {
    uint64_t time_ns;
    uint32_t at, captured, length;
} told[PACKETS_MOST];
static uint32_t told_n;
static uint64_t told_counts[CAPTURE_COUNTS], all_impossible;

static uint32_t any(uint32_t below)
{
    return (uint32_t)rng_below(&rng, below);
}

static void put(uint32_t word)
{
    memcpy(file + octets, &word, 4);
    octets += 4;
}

static uint32_t word_at(uint32_t at)
{
    uint32_t word;
    memcpy(&word, file + at, sizeof word);
    return word;
}

// odd: of so many packets one has something that cannot be.
static void compose(uint32_t packets, uint32_t most, uint32_t odd)
{
    unit_ns = any(2) ? 1000 : 1;
    snap = any(3) ? 65535 : 200;
    octets = 0;
    begin_ns = any(2) * 77000000000ull;
    put(unit_ns == 1000 ? 0xa1b2c3d4 : 0xa1b23c4d);
    put(4 << 16 | 2);
    put(0);
    put(0);
    put(snap);
    put(LINK_RAW);
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t n = any(most), what = any(odd) ? 0 : 1 + any(5);
        put(what == 1 ? 0x80000000u + any(1000) : 1000 + i); // 1: after 2038
        put(what == 2 ? 1000000000u / unit_ns + any(1000) : any(1000000000u / unit_ns));
        put(n);
        put(what == 3 ? any(n + 1) : what == 4 ? OCTETS_MOST + 1 + any(1000) : n + any(3) * 100);
        for (uint32_t k = 0; k < n; k++)
            file[octets + k] = (uint8_t)rng_next(&rng);
        octets += n;
    }
}

static void tell(uint32_t end)
{
    uint64_t time_ns = begin_ns;
    told_n = 0;
    memset(told_counts, 0, sizeof told_counts);
    for (uint32_t at = HEAD_OCTETS; end - at >= 16 && end - at - 16 >= word_at(at + 8);
         at += 16 + word_at(at + 8)) {
        uint32_t captured = word_at(at + 8) < snap ? word_at(at + 8) : snap;
        uint32_t length = word_at(at + 12);
        if (word_at(at + 4) >= 1000000000u / unit_ns)
            told_counts[CAPTURE_stamp_impossible]++;
        else
            time_ns = word_at(at) * 1000000000ull + word_at(at + 4) * (uint64_t)unit_ns;
        told_counts[CAPTURE_length_impossible] += captured > length || length > OCTETS_MOST;
        length = length > OCTETS_MOST ? OCTETS_MOST : length;
        captured = captured > length ? length : captured;
        told_counts[CAPTURE_cut] += captured < length;
        told[told_n].time_ns = time_ns;
        told[told_n].at = at + 16;
        told[told_n].captured = captured;
        told[told_n++].length = length;
    }
    all_impossible +=
        told_counts[CAPTURE_stamp_impossible] + told_counts[CAPTURE_length_impossible];
}

static void check_packet(const struct capture_packet *packet, uint32_t i)
{
    assert_in_range(i + 1, 1, told_n);
    assert_int_equal(packet->number, i + 1);
    assert_int_equal(packet->time_ns, told[i].time_ns);
    assert_int_equal(packet->link, LINK_RAW);
    assert_int_equal(packet->captured, told[i].captured);
    assert_int_equal(packet->length, told[i].length);
    assert_memory_equal(packet->octets, file + told[i].at, told[i].captured);
}

static void check_end(struct capture_file *capture, const uint64_t *counts, uint32_t n,
                      uint32_t end)
{
    uint32_t left = told_n ? told[told_n - 1].at + word_at(told[told_n - 1].at - 8) : HEAD_OCTETS;
    assert_int_equal(n, told_n);
    assert_memory_equal(counts, told_counts, sizeof told_counts);
    assert_int_equal(capture_file_damage(capture) != NULL, left != end);
    capture_file_close(capture);
}

static void check_all(const char *path, uint32_t end)
{
    static struct capture_packet packets[64];
    uint64_t counts[CAPTURE_COUNTS] = {0};
    char why[CAPTURE_TEXT];
    struct capture_file *capture = capture_file_open(path, why);
    assert_non_null(capture);
    capture_file_begin_at(capture, begin_ns);
    uint32_t n = 0;
    for (uint32_t got; (got = capture_file_read(capture, packets, 1 + any(64), counts)); n += got)
        for (uint32_t i = 0; i < got; i++)
            check_packet(&packets[i], n + i);
    check_end(capture, counts, n, end);
}

static void check(uint32_t end)
{
    char path[] = "/tmp/capture_file_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, file, end) == (ssize_t)end);
    close(fd);
    tell(end);
    check_all(path, end);
    unlink(path);
}

static void test_heads_that_cannot_be(void **state)
{
    (void)state;
    rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 60; i++) {
        compose(20 + any(PACKETS_MOST - 20), 1 + any(600), 1 + any(40));
        check(octets);
        check(HEAD_OCTETS + any(octets - HEAD_OCTETS));
    }
    assert_true(all_impossible > 10000);
}

static void test_nothing_but_such(void **state)
{
    (void)state;
    rng_seed(&rng, 2, 0);
    for (uint32_t i = 0; i < 20; i++) {
        compose(PACKETS_MOST, 300, 1);
        check(octets);
    }
    compose(0, 1, 1);
    check(octets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_that_cannot_be),
        cmocka_unit_test(test_nothing_but_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
