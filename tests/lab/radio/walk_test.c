// The downlink of an MS over time: what a file says, block by block; who comes later finds the row
// that holds then; a block keeps its octets; and what is wrong with a file is said with its line.
#include <stdio.h>
#include <unistd.h>

#include "tests/lab/radio/cell.h"

#define HEAD "time,down_coding,down_bler\n"

static char path[] = "/tmp/sluice-walk-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    return mkstemp(path) < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_octets(const char *text, size_t octets)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, octets, file), octets);
    assert_int_equal(fclose(file), 0);
}

static struct radio_walk *walk_of(const char *text)
{
    char error[RADIO_WALK_ERROR_ROOM] = "";
    write_octets(text, strlen(text));
    struct radio_walk *walk = radio_walk_read(path, error);
    assert_string_equal(error, "");
    return walk;
}

static void add_walker(uint32_t ms, const struct radio_walk *walk)
{
    struct radio_own own = {.walk = walk};
    assert_int_equal(radio_add_ms(cell.radio, ms, &own), ms);
}

// ---- What a file says ----

static void test_rows(void **state)
{
    (void)state;
    struct radio_walk *walk = walk_of("# one who goes\n" HEAD "0,MCS-9,0%\r\n"
                                      "\n 1.5 , MCS-1 , 12.5 %\n1000000,MCS-5,99.9999 %");
    static const struct radio_walk_row rows[] = {
        {0, RADIO_CODING_MCS9, 0},
        {1500 * MS_IN_NS, RADIO_CODING_MCS1, 125000},
        {1000000 * S_IN_NS, RADIO_CODING_MCS5, 999999},
    };
    assert_int_equal(walk->rows, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(walk->row[i].at_ns == rows[i].at_ns);
        assert_int_equal(walk->row[i].coding, rows[i].coding);
        assert_int_equal(walk->row[i].bler_ppm, rows[i].bler_ppm);
    }
    radio_walk_free(walk);
}

// What a spreadsheet writes, or a person.
static void test_what_may_be_around_the_head(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "\xef\xbb\xbf" HEAD,
        "\xef\xbb\xbf# a walk\r\n" HEAD,
        "\xef\xbb\xbf\n" HEAD,
        "time,down_coding,down_bler \t\r\n",
    };
    for (uint32_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s1,MCS-9,5 %%\n", heads[i]);
        struct radio_walk *walk = walk_of(text);
        assert_int_equal(walk->rows, 1);
        radio_walk_free(walk);
    }
}

static void expect_refused(const char *text, size_t octets, const char *why)
{
    char error[RADIO_WALK_ERROR_ROOM] = "";
    write_octets(text, octets);
    assert_null(radio_walk_read(path, error));
    if (strncmp(error, "trace: ", 7) != 0 || !strstr(error, why))
        fail_msg("\"%s\" does not say \"%s\"", error, why);
}

static void test_wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *why;
    } wrong[] = {
        {"", "no rows"},
        {"-1,MCS-9,0 %", ", line 2: time: allowed seconds"},
        {"1000001,MCS-9,0 %", ", line 2: time: allowed"},
        {"1 s,MCS-9,0 %", ", line 2: time: allowed"},
        {"nan,MCS-9,0 %", ", line 2: time: allowed"},
        {"1,MCS-9,0 %\n1,MCS-8,0 %", ", line 3: time: not above"},
        {"1", ", line 2: down_coding: allowed"},
        {"1,MCS-10,0 %", ", line 2: down_coding: allowed"},
        {"1,mcs-9,0 %", ", line 2: down_coding: allowed"},
        {"1,rate,0 %", ", line 2: down_coding: allowed"},
        {"1,CS-4,0 %\n2,MCS-1,0 %", ", line 3: down_coding: allowed CS alone or MCS alone"},
        {"1,MCS-9", ", line 2: down_bler: allowed"},
        {"1,MCS-9,5", ", line 2: down_bler: allowed"},
        {"1,MCS-9,100 %", ", line 2: down_bler: allowed"},
        {"1,MCS-9,5 %%", ", line 2: down_bler: allowed"},
        {"1,MCS-9,5 %,", ", line 2: more columns"},
        {"1,MCS-9,99999999999999999999999999 %", ", line 2: down_bler: allowed"},
    };
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "%s", wrong[i].rows);
        expect_refused(text, strlen(text), wrong[i].why);
    }
    expect_refused("time,down_coding\n", 17, "line 1: the first line is not the head");
    expect_refused("time,down_coding,down_bler x\n", 29, "line 1: the first line is not the head");
    expect_refused("\n\xef\xbb\xbf" HEAD, 4 + sizeof HEAD - 1, "line 2: the first line is not");
    expect_refused(HEAD "1,MCS-9\0,5 %", sizeof HEAD - 1 + 12, "line 2: down_bler: allowed");
    char error[RADIO_WALK_ERROR_ROOM];
    assert_null(radio_walk_read("/", error));
    assert_non_null(strstr(error, "not a regular file"));
}

// ---- What arrives ----

// Endless PDUs in one slot: a block of each period from 20 ms on. Octets of PDUs of n in blocks of
// b take n + 1 - 1/b of blocks each.
static void expect_octets(uint32_t ms, double blocks, double b)
{
    static uint64_t before[CELL_MSS_MAX];
    double n = 1500, octets = (double)(cell.ms[ms].arrived_octets[RADIO_DOWN] - before[ms]);
    double expected = blocks * b * n / (n + 1 - 1 / b);
    before[ms] = cell.ms[ms].arrived_octets[RADIO_DOWN];
    if (octets < expected - 1500 || octets > expected + 1500)
        fail_msg("%.0f octets instead of %.0f", octets, expected);
}

// MS 0 walks and has one of two slots, MS 1 stays in MCS-9; both have one of each period.
static void test_from_good_to_bad_and_back(void **state)
{
    (void)state;
    struct radio_walk *walk = walk_of(HEAD "0,MCS-9,0 %\n100,MCS-1,0 %\n200,MCS-6,0 %\n");
    cell_config();
    cell.config.slots = 2;
    cell.config.down_coding = RADIO_CODING_MCS9;
    cell_begin(0, 1);
    add_walker(0, walk);
    assert_int_equal(radio_add_ms(cell.radio, 1, NULL), 1);
    cell_endless(0, RADIO_DOWN, 1500);
    cell_endless(1, RADIO_DOWN, 1500);
    static const struct {
        uint32_t until_s;
        double periods, octets;
    } parts[] = {{100, 4999, 148}, {200, 5000, 22}, {300, 5000, 74}};
    for (uint32_t i = 0; i < 3; i++) {
        cell_run(parts[i].until_s * S_IN_NS);
        expect_octets(0, parts[i].periods, parts[i].octets);
        expect_octets(1, parts[i].periods, 148);
    }
    cell_end(2);
    radio_walk_free(walk);
}

// An MS that comes when two rows have passed has the second, and one before the first row has that.
static void test_the_row_that_holds(void **state)
{
    (void)state;
    struct radio_walk *walk = walk_of(HEAD "10,CS-1,0 %\n20,CS-4,0 %\n30,CS-2,0 %\n");
    static const struct {
        uint32_t at_s, blocks;
    } by[] = {{0, 50}, {5, 50}, {19, 50}, {20, 20}, {29, 20}, {30, 34}, {1000, 34}};
    for (uint32_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        cell_config();
        cell_begin(0, 1);
        cell_run(by[i].at_s * S_IN_NS);
        add_walker(0, walk);
        cell_down(0, 1000);
        cell_run(cell_now() + S_IN_NS);
        assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->blocks, by[i].blocks);
        cell_end(1);
    }
    radio_walk_free(walk);
}

// Two blocks of MCS-9 that arrive with errors go again as they were, one in each slot of MCS-1.
static void test_a_block_keeps_its_octets(void **state)
{
    (void)state;
    struct radio_walk *walk = walk_of(HEAD "0,MCS-9,99.9999 %\n0.1,MCS-1,0 %\n");
    cell_config();
    cell.config.slots = 1;
    cell_begin(0, 1);
    add_walker(0, walk);
    cell_down(0, 148);
    cell_run(S_IN_NS);
    const struct radio_counts *counts = radio_counts(cell.radio, RADIO_DOWN);
    assert_int_equal(counts->blocks, 4);
    assert_int_equal(counts->blocks_again, 2);
    assert_int_equal(counts->slots_used, 3);
    cell_expect(0, MS(20 + 120 + 40), 0, RADIO_DOWN, 0, ARRIVED);
    cell_end(1);
    radio_walk_free(walk);
}

// CS has a window of 64 blocks, MCS one by the slots, also with a file.
static void test_the_window_is_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        uint64_t blocks;
    } by[] = {{HEAD "0,CS-1,0 %\n", 64}, {HEAD "0,MCS-1,0 %\n", 1024}};
    for (uint32_t i = 0; i < 2; i++) {
        struct radio_walk *walk = walk_of(by[i].rows);
        cell_config();
        cell.config.carriers = 16;
        cell.config.slots = 128;
        cell.config.round_trip_ns = S_IN_NS;
        cell_begin(0, 1);
        add_walker(0, walk);
        cell_endless(0, RADIO_DOWN, 1500);
        cell_run(S_IN_NS);
        assert_int_equal(radio_counts(cell.radio, RADIO_DOWN)->blocks, by[i].blocks);
        cell_end(1);
        radio_walk_free(walk);
    }
}

// A cell that is given as a rate has no window, whatever coding schemes an MS brings there.
static void test_no_window_where_the_cell_is_a_rate(void **state)
{
    (void)state;
    struct radio_walk *walk = walk_of(HEAD "0,CS-1,0 %\n");
    for (uint32_t walks = 0; walks < 2; walks++) {
        cell_config();
        cell.config.down_coding = cell.config.up_coding = RADIO_CODING_RATE;
        cell.config.down_rate_bit_per_s = cell.config.up_rate_bit_per_s = 100000;
        cell.config.down_pdu_octets = cell.config.up_pdu_octets = 25; // 10 blocks of each period
        cell.config.down_window = cell.config.up_window = 0;
        cell.config.round_trip_ns = S_IN_NS;
        cell_begin(0, 1);
        struct radio_config config = cell.config;
        config.down_coding = RADIO_CODING_MCS9;
        config.up_coding = RADIO_CODING_CS1;
        struct radio_own own = cell_own(&config);
        own.walk = walks ? walk : NULL;
        assert_int_equal(radio_add_ms(cell.radio, 0, &own), 0);
        cell_endless(0, RADIO_DOWN, 1500);
        cell_endless(0, RADIO_UP, 1500);
        cell_run(S_IN_NS - 1);
        assert_in_range(radio_counts(cell.radio, RADIO_DOWN)->blocks, 480, 500);
        assert_in_range(radio_counts(cell.radio, RADIO_UP)->blocks, 480, 500);
        cell_end(1);
    }
    radio_walk_free(walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_what_may_be_around_the_head),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_from_good_to_bad_and_back),
        cmocka_unit_test(test_the_row_that_holds),
        cmocka_unit_test(test_a_block_keeps_its_octets),
        cmocka_unit_test(test_the_window_is_of_the_file),
        cmocka_unit_test(test_no_window_where_the_cell_is_a_rate),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
