// The capture file, octet by octet: libpcap's format with nanosecond stamps, little endian.
#include "lab/line/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/capture_test.XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void test_stamps_and_octets(void **state)
{
    static const uint8_t expected[] = {
        0x4d, 0x3c, 0xb2, 0xa1, 2,    0,    4,    0,
        0,    0,    0,    0,    0,    0,    0,    0, // nanosecond magic, 2.4
        0xff, 0xff, 0,    0,    1,    0,    0,    0, // snap length, Ethernet
        0,    0,    0,    0,    1,    0,    0,    0,
        3,    0,    0,    0,    3,    0,    0,    0, // at 1 ns
        'o',  'n',  'e',                             //
        7,    0,    0,    0,    0xff, 0xc9, 0x9a, 0x3b,
        5,    0,    0,    0,    5,    0,    0,    0, // 1 ns before 8 s
        'o',  't',  'h',  'e',  'r',
    };
    char error[256];
    uint8_t found[sizeof expected + 1];
    (void)state;
    struct capture *capture = capture_open(fopen(path, "w"), CAPTURE_ETHERNET, error);
    assert_non_null(capture);
    capture_frame(capture, 1, (const uint8_t *)"one", 3);
    capture_frame(capture, 7999999999, (const uint8_t *)"other", 5);
    assert_int_equal(capture_close(capture), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), sizeof expected);
    fclose(file);
    assert_memory_equal(found, expected, sizeof expected);
}

// /dev/full takes nothing: what was lost is told at the end.
static void test_a_full_disk(void **state)
{
    char error[256];
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct capture *capture = capture_open(full, CAPTURE_ETHERNET, error);
    assert_non_null(capture);
    capture_frame(capture, 1, (const uint8_t *)"one", 3);
    assert_int_not_equal(capture_close(capture), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stamps_and_octets),
        cmocka_unit_test(test_a_full_disk),
    };
    return cmocka_run_group_tests_name("lab/line/capture", tests, make_path, remove_path);
}
