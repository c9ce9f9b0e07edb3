// A capture is read to its end, or until it is told to stop: by lab/captures/read and by libpcap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/captures/gi/gi.h"
#include "lab/captures/read/capture_merge.h"

#define FRAMES   1000
#define AT_ONCE  64 // it is asked so often at least
#define LINK_RAW 101

static uint64_t asked;

// The words of a file's or a packet's head. In the other order of octets libpcap reads the file.
static void put(FILE *file, const uint32_t *words, uint32_t n, bool swap)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = swap ? __builtin_bswap32(words[i]) : words[i];
        fwrite(&word, sizeof word, 1, file);
    }
}

// Packets of an octet, which are none of IP.
static void compose(const char *path, bool swap)
{
    const uint32_t head[] = {0xa1b2c3d4, swap ? 2 << 16 | 4 : 4 << 16 | 2, 0, 0, 65535, LINK_RAW};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    put(file, head, 6, swap);
    for (uint32_t i = 0; i < FRAMES; i++) {
        const uint32_t record[] = {i, 0, 1, 2};
        put(file, record, 4, swap);
        fputc(0, file);
    }
    assert_int_equal(fclose(file), 0);
}

static bool go_on(void *self, uint64_t frames)
{
    asked++;
    return frames < *(const uint64_t *)self;
}

static void no_flow(void *self, const struct gi_result *result)
{
    (void)self, (void)result;
    fail();
}

static void read_some(const char *path, uint64_t most)
{
    struct capture_part part = {.path = path};
    struct gi_config config = {.idle_s = 1, .flows_most = 1};
    assert_true(capture_parts_sort(&part, 1));
    struct capture_merge *captures = capture_merge_create(&part, 1, NULL);
    struct gi *gi = gi_create(&config, no_flow, NULL);
    asked = 0;
    uint64_t frames = gi_read(gi, captures, go_on, &most);
    assert_in_range(frames, most < FRAMES ? most : FRAMES, most < FRAMES ? most + AT_ONCE : FRAMES);
    assert_in_range(asked, frames / AT_ONCE, FRAMES + 1);
    assert_int_equal(gi_counts_of(gi)->frames, frames);
    gi_finish(gi);
    assert_int_equal(gi_counts_of(gi)->n[GI_COUNT_odd], frames);
    assert_int_equal(gi_counts_of(gi)->capture[CAPTURE_cut], frames);
    gi_destroy(gi);
    capture_merge_destroy(captures);
    capture_parts_close(&part, 1);
}

static void test_it_stops_when_it_is_told_to(void **state)
{
    char path[] = "/tmp/gi_take_XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    for (int swap = 0; swap < 2; swap++) {
        compose(path, swap);
        for (uint64_t most = 0; most < FRAMES; most += FRAMES / 10)
            read_some(path, most);
        read_some(path, UINT64_MAX);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_stops_when_it_is_told_to)};
    return cmocka_run_group_tests_name("lab/captures/gi/gi_take", tests, NULL, NULL);
}
