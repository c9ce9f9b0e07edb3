// Several captures as one: the packets of random files, which overlap or not, come as a stable sort
// of all of them has them, in pieces of any size, each octet for octet; and what cannot be read is
// named and does not keep the others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/captures/read/capture_merge.h"
#include "tests/dataplane/random.h"

#define PARTS_MOST   100
#define PACKETS_MOST 400
#define LINK_RAW     101

struct made {
    uint64_t time_ns;
    uint32_t part, number; // in the order of the files and their packets
};

static char folder[] = "/tmp/capture_merge_XXXXXX";
static char path[PARTS_MOST][64];
static struct capture_part part[PARTS_MOST];
static struct made made[PARTS_MOST * PACKETS_MOST];
static uint32_t count;
static uint64_t begin_ns[PARTS_MOST];

static void put32(FILE *file, uint32_t word)
{
    fwrite(&word, sizeof word, 1, file);
}

static FILE *begin_file(uint32_t i)
{
    snprintf(path[i], sizeof path[i], "%s/%u.pcap", folder, i);
    FILE *file = fopen(path[i], "wb");
    assert_non_null(file);
    const uint32_t head[] = {0xa1b23c4d, 4 << 16 | 2, 0, 0, 65535, LINK_RAW};
    for (int k = 0; k < 6; k++)
        put32(file, head[k]);
    part[i] = (struct capture_part){.path = path[i]};
    return file;
}

// A packet that says which one it is.
static void put_packet(FILE *file, uint64_t time_ns, uint32_t of, uint32_t number)
{
    put32(file, (uint32_t)(time_ns / 1000000000));
    put32(file, (uint32_t)(time_ns % 1000000000));
    put32(file, 8);
    put32(file, 8);
    put32(file, of);
    put32(file, number);
    made[count++] = (struct made){time_ns, of, number};
}

// Times rise within a file, and are often the same as another one's.
static void make_file(uint32_t i, uint64_t now_ns)
{
    FILE *file = begin_file(i);
    begin_ns[i] = now_ns;
    for (uint64_t n = random_in(1, PACKETS_MOST); n > 0; n--) {
        put_packet(file, now_ns, i, count);
        now_ns += random_in(0, 3) * 1000;
    }
    assert_int_equal(fclose(file), 0);
}

// Of the same time, the file that begins first; of these, the one that was named first.
static int compare(const void *a, const void *b)
{
    const struct made *one = a, *other = b;
    uint64_t one_ns = begin_ns[one->part], other_ns = begin_ns[other->part];
    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    if (one_ns != other_ns)
        return one_ns < other_ns ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static void expect_packet(const struct capture_packet *packet, const struct made *right)
{
    uint32_t words[2];
    assert_int_equal(packet->captured, 8);
    memcpy(words, packet->octets, 8);
    assert_int_equal(packet->time_ns, right->time_ns);
    if (words[0] != right->part || words[1] != right->number)
        fail_msg("packet %u of file %u in place of %u of %u", words[1], words[0], right->number,
                 right->part);
}

static uint32_t read_all(uint32_t parts, bool in_order)
{
    uint64_t counts[CAPTURE_COUNTS] = {0};
    struct capture_packet packets[200];
    uint32_t n, all = 0;
    assert_true(capture_parts_sort(part, parts));
    struct capture_merge *merge = capture_merge_create(part, parts, NULL);
    while ((n = capture_merge_read(merge, packets, (uint32_t)random_in(1, 200), counts)) > 0)
        for (uint32_t i = 0; i < n; i++, all++)
            if (in_order)
                expect_packet(&packets[i], &made[all]);
    assert_true(capture_merge_progress(merge) == 1);
    capture_merge_destroy(merge);
    for (uint32_t i = 0; i < parts; i++)
        assert_null(part[i].file);
    return all;
}

static void test_random_files(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t world = 0; world < 60; world++) {
        uint32_t parts = (uint32_t)random_in(1, 6);
        bool ring = world % 3 == 0; // they hardly overlap
        count = 0;
        for (uint32_t i = 0; i < parts; i++)
            make_file(i, 1000000000 + (ring ? (parts - i) * 600000 : random_in(0, 400000)));
        qsort(made, count, sizeof *made, compare);
        assert_int_equal(read_all(parts, true), count);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < parts; i++)
            sum += part[i].packets;
        assert_int_equal(sum, count);
    }
}

// More than may be open at once: all packets still come.
static void test_very_many_files(void **state)
{
    (void)state;
    count = 0;
    for (uint32_t i = 0; i < PARTS_MOST; i++)
        make_file(i, 1000000000 + random_in(0, 1000));
    assert_int_equal(read_all(PARTS_MOST, false), count);
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    count = 0;
    FILE *empty = begin_file(1), *short_one = begin_file(2), *whole = begin_file(3);
    put_packet(short_one, 5, 2, 0);
    put_packet(short_one, 7, 2, 2);
    put_packet(whole, 6, 3, 1);
    put_packet(whole, 8, 3, 3);
    fclose(empty);
    fclose(short_one);
    fclose(whole);
    assert_int_equal(truncate(path[2], 24 + 24 + 20), 0); // its second packet is cut
    part[0] = (struct capture_part){.path = "/nowhere/at/all"};
    assert_int_equal(read_all(4, false), 3);
    for (uint32_t i = 0; i < 4; i++) {
        const char *why = part[i].fault;
        if (part[i].place == 0)
            assert_string_equal(why, "No such file or directory");
        else if (part[i].place == 2)
            assert_true(strlen(why) > 0 && part[i].packets == 1);
        else
            assert_string_equal(why, "");
    }
    part[0] = (struct capture_part){.path = "/nowhere/at/all"};
    assert_false(capture_parts_sort(part, 1));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PARTS_MOST; i++)
        unlink(path[i]);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_files),
        cmocka_unit_test(test_very_many_files),
        cmocka_unit_test(test_files_that_cannot_be_read),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_merge", tests, make_folder,
                                       remove_folder);
}
