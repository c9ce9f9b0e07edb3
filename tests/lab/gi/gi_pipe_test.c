// A capture by one thread and by two: the same rows, the same counts, whichever thread is slow,
// from a file with pieces and without; who reads may be told to stop. In suite `threads`, where
// ThreadSanitizer watches.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "lab/gi/gi_pipe.h"
#include "lab/gi/gi_write.h"

#define FLOWS    50
#define ROUNDS   2400
#define LIVES    (ROUNDS / FLOWS) // rounds by which a flow lives longer than the one before
#define FRAMES   (FLOWS * 3 + LIVES * FLOWS * (FLOWS + 1))
#define SLOW_US  3000
#define DATA     1400
#define LINK_RAW 101
#define HOST     0xcb007109
#define BEHIND   32768 // frames, and a piece that each thread reads just then
#define PIECE    5000  // frames of 56 octets in 256 kB, and some more

// Of the large one the data is there, too, but for an octet, so that nobody asks for its checksum:
// few frames are in a piece then, and as many pieces wait as there are places.
static struct file {
    char path[sizeof "/tmp/gi_pipe_test.XXXXXX"];
    bool swap, large;
} plain = {"/tmp/gi_pipe_test.XXXXXX", false, false},
  swapped = {"/tmp/gi_pipe_test.XXXXXX", true, false},
  large = {"/tmp/gi_pipe_test.XXXXXX", false, true};
static pthread_t taker;
static enum { NOBODY, READER, TAKER } slow;
static const struct gi *taking;
static atomic_uint_fast64_t stepped; // frames that have been read so far; both threads read
static uint64_t most_behind;         // the most frames that were read and not yet taken

// The words of a file's and a packet's head; in the other order of octets no file has pieces.
static void put_words(FILE *file, const uint32_t *words, uint32_t n, bool swap)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = swap ? __builtin_bswap32(words[i]) : words[i];
        fwrite(&word, sizeof word, 1, file);
    }
}

// A time is a number of milliseconds.
static void put(FILE *file, const struct file *of, uint32_t flow, uint32_t at_ms, bool down,
                uint8_t flags, uint32_t sequence, uint32_t ack, uint32_t data_octets)
{
    uint32_t user = 0x0a000001 + flow, length = IPV4_OCTETS + TCP_OCTETS + data_octets;
    uint32_t captured = of->large && data_octets ? length - 1 : IPV4_OCTETS + TCP_OCTETS;
    uint32_t record[4] = {1000 + at_ms / 1000, at_ms % 1000 * 1000, captured, length};
    uint8_t b[IPV4_OCTETS + TCP_OCTETS + DATA] = {0}, *t = b + IPV4_OCTETS;
    struct ipv4 ip = {.ttl = 64,
                      .protocol = IPV4_PROTOCOL_TCP,
                      .source = down ? HOST : user,
                      .destination = down ? user : HOST};
    ipv4_put_header(&ip, length - IPV4_OCTETS, b);
    put_be16(t, down ? 80 : 40000);
    put_be16(t + 2, down ? 40000 : 80);
    put_be32(t + 4, sequence);
    put_be32(t + 8, ack);
    t[12] = TCP_OCTETS / 4 << 4;
    t[13] = flags;
    put_be16(t + 14, 16384);
    if (!data_octets)
        tcp_put_checksum(t, TCP_OCTETS, ip.source, ip.destination);
    put_words(file, record, 4, of->swap);
    fwrite(b, captured, 1, file);
}

// Flows end one after the other.
static int compose(struct file *of)
{
    int fd = mkstemp(of->path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    uint32_t head[6] = {0xa1b2c3d4, of->swap ? 2 << 16 | 4 : 4 << 16 | 2, 0, 0, 65535, LINK_RAW};
    if (!file)
        return -1;
    put_words(file, head, 6, of->swap);
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        put(file, of, flow, flow, false, TCP_SYN, 0, 0, 0);
        put(file, of, flow, flow, true, TCP_SYN | TCP_ACK, 0, 1, 0);
        put(file, of, flow, flow, false, TCP_ACK, 1, 1, 0);
    }
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (uint32_t flow = i / LIVES; flow < FLOWS; flow++) {
            uint32_t at_ms = 100 + 100 * i + flow;
            uint32_t again = i % 50 == 49 ? DATA : 0; // a repetition now and then
            put(file, of, flow, at_ms, true, TCP_ACK, 1 + i * DATA - again, 1, DATA);
            put(file, of, flow, at_ms, false, TCP_ACK, 1, 1 + (i + 1) * DATA - again, 0);
        }
    return fclose(file);
}

static int begin(void **state)
{
    (void)state;
    taker = pthread_self();
    return compose(&plain) | compose(&swapped) | compose(&large);
}

static int end(void **state)
{
    (void)state;
    return unlink(plain.path) | unlink(swapped.path) | unlink(large.path);
}

static void take(void *self, const struct gi_result *result)
{
    if (slow == TAKER)
        usleep(SLOW_US);
    uint64_t frames = atomic_load(&stepped), taken = gi_counts_of(taking)->frames;
    if (frames > taken + most_behind)
        most_behind = frames - taken;
    gi_write_row(self, result);
}

static bool go_on(void *self, uint64_t frames)
{
    if (slow == READER && !pthread_equal(pthread_self(), taker))
        usleep(SLOW_US);
    atomic_store(&stepped, frames);
    return frames < *(const uint64_t *)self;
}

// The rows; how many frames there were, and the counts.
static char *rows_of(const char *path, int threads, uint64_t most, uint64_t *frames,
                     struct gi_counts *counts)
{
    char error[CAPTURE_TEXT], *text = NULL;
    size_t octets;
    struct gi_config config = {.idle_s = 1, .flows_most = 1000};
    FILE *rows = open_memstream(&text, &octets);
    struct capture_file *capture = capture_file_open(path, error);
    assert_non_null(capture);
    struct gi *gi = gi_create(&config, take, rows);
    taking = gi;
    atomic_store(&stepped, 0);
    *frames = gi_pipe_read(gi, capture, threads, go_on, &most);
    gi_finish(gi);
    assert_null(gi_wrong(gi));
    *counts = *gi_counts_of(gi);
    gi_destroy(gi);
    capture_file_close(capture);
    fclose(rows);
    return text;
}

static void check_same(const char *path)
{
    struct gi_counts counts[2];
    uint64_t frames[2];
    char *one = rows_of(path, 1, UINT64_MAX, &frames[0], &counts[0]);
    char *two = rows_of(path, 2, UINT64_MAX, &frames[1], &counts[1]);
    assert_int_equal(frames[0], FRAMES);
    assert_int_equal(frames[1], FRAMES);
    assert_int_equal(counts[0].n[GI_COUNT_segments], FRAMES);
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
    assert_string_equal(one, two);
    free(one);
    free(two);
}

static void test_two_threads_write_what_one_does(void **state)
{
    (void)state;
    check_same(plain.path);
    check_same(swapped.path);
    check_same(large.path);
}

static void test_a_slow_reader(void **state)
{
    (void)state;
    slow = READER;
    check_same(plain.path);
    check_same(swapped.path);
    check_same(large.path);
    slow = NOBODY;
}

static void test_a_slow_taker_falls_behind_by_so_much(void **state)
{
    (void)state;
    slow = TAKER;
    most_behind = 0;
    check_same(plain.path);
    check_same(swapped.path);
    check_same(large.path);
    assert_in_range(most_behind, BEHIND / 2, BEHIND + 2 * PIECE);
    slow = NOBODY;
}

static void test_it_stops_when_it_is_told_to(void **state)
{
    (void)state;
    struct gi_counts counts;
    for (int threads = 1; threads <= 2; threads++)
        for (uint64_t most = 0; most < FRAMES; most += FRAMES / 5)
            for (int i = 0; i < 2; i++) {
                uint64_t frames;
                free(rows_of(i ? plain.path : swapped.path, threads, most, &frames, &counts));
                assert_in_range(frames, most, most + GI_FRAMES_MOST);
                assert_int_equal(counts.frames, frames);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_threads_write_what_one_does),
        cmocka_unit_test(test_a_slow_reader),
        cmocka_unit_test(test_a_slow_taker_falls_behind_by_so_much),
        cmocka_unit_test(test_it_stops_when_it_is_told_to),
    };
    return cmocka_run_group_tests_name("lab/gi/gi_pipe", tests, begin, end);
}
