// A radio's rate from a file: what arrives is what the file's rates carry, ms by ms, whether they
// hold or come again; and what is wrong with a file is said with its line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lab/radio/cell.h"

#define BLOCK 50 // octets

static char path[] = "/tmp/sluice-trace-XXXXXX";

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

static struct radio_trace *trace_of(const char *text)
{
    char error[RADIO_TRACE_ERROR_ROOM] = "";
    write_octets(text, strlen(text));
    struct radio_trace *trace = radio_trace_read(path, error);
    assert_string_equal(error, "");
    return trace;
}

// ---- What arrives ----

// Bits in the ms that begins then.
typedef uint64_t bits_fn(uint64_t ms);

// Endless PDUs of a block each. Data that comes at 0 goes in the period that starts at 20 ms.
static void expect_carried(const char *text, bits_fn *bits, uint32_t slots)
{
    cell_config();
    cell.config.down_coding = RADIO_CODING_RATE;
    cell.config.down_pdu_octets = BLOCK;
    cell.config.slots = 4;
    cell_begin(1, 1);
    radio_follow(cell.radio, trace_of(text));
    radio_set_slots(cell.radio, slots, 0);
    cell.quiet = true;
    cell_endless(0, RADIO_DOWN, BLOCK);
    uint64_t carried = 0;
    for (uint32_t period = 1; period < 400; period++) {
        cell_run(MS(20 * (period + 1)));
        for (uint32_t ms = 0; ms < 20; ms++)
            carried += bits(20 * period + ms);
        assert_int_equal(cell.ms[0].arrived_octets[RADIO_DOWN] / BLOCK,
                         carried * slots / 4 / (8 * BLOCK));
    }
    cell_end(1);
}

static uint64_t held_bits(uint64_t ms)
{
    return ms < 130 ? 40 : ms < 2000 ? 0 : ms < 2001 ? 1000000 : 9;
}

static void test_a_rate_holds_until_the_next(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbftime,rate\r\n# seconds, bit/s\n\n0.05, 40000\r\n0.130,0\n"
        " 2.0000000009,1000000000\n2.001 , 9000.75\n";
    expect_carried(text, held_bits, 4);
    expect_carried(text, held_bits, 2);
}

// Chances at 1, 3, 3, 7 and 45 ms, then again 45 ms later.
static uint64_t chances_bits(uint64_t ms)
{
    uint64_t end = ms % 45 + 1;
    return 1504 * 8 * (end == 3 ? 2 : end == 1 || end == 7 || end == 45);
}

static void test_chances_come_again(void **state)
{
    (void)state;
    expect_carried("1\n3\n3\n7\n45\n", chances_bits, 4);
}

static uint64_t one_ms_bits(uint64_t ms)
{
    (void)ms;
    return 2 * 1504 * 8;
}

static void test_chances_of_one_ms_are_a_steady_rate(void **state)
{
    (void)state;
    expect_carried("0\n1\n", one_ms_bits, 4);
}

// ---- What flow control is told ----

static void test_the_rate_is_the_mean_of_the_last_second(void **state)
{
    (void)state;
    cell_config();
    cell.config.down_coding = RADIO_CODING_RATE;
    cell_begin(1, 1);
    radio_follow(cell.radio, trace_of("0,8000\n1.5,24000\n4,0\n"));
    static const uint64_t rates[][2] = {{0, 8000},     {1000, 8000}, {2000, 16000}, {2500, 24000},
                                        {4250, 18000}, {5000, 0},    {90000, 0}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        cell_run(MS(rates[i][0]));
        assert_int_equal(radio_cell_rate_bit_per_s(cell.radio, RADIO_DOWN), rates[i][1]);
    }
    assert_int_equal(radio_cell_rate_bit_per_s(cell.radio, RADIO_UP), 12000 * 4);
    cell_end(1);
}

// ---- How long nothing is carried ----

static void expect_silent(const char *text, uint64_t until_ms, uint64_t silent_ms)
{
    struct radio_trace *trace = trace_of(text);
    assert_int_equal(radio_trace_silent_ns(trace, MS(until_ms)), MS(silent_ms));
    radio_trace_free(trace);
}

static void test_the_longest_silence(void **state)
{
    (void)state;
    expect_silent("0,0\n", 60000, 60000);
    expect_silent("0,1\n", 60000, 0);
    expect_silent("0,1\n5,0\n", 60000, 55000);
    expect_silent("0,1\n5,0\n", 3000, 0);
    expect_silent("Time, rate (bit/s)\n0,0\n5,1\n6,0\n30.5,1\n", 60000, 24500);
    expect_silent("0,0\n5,1\n6,0\n30.5,1\n", 10000, 5000);
    expect_silent("2000\n5000\n", 60000, 2999); // from 2 to 4.999 s
    expect_silent("1000\n1500\n5000\n5001\n", 60000, 3499);
    expect_silent("4000\n4500\n9000\n", 60000, 4499);
    expect_silent("7000\n7001\n7002\n", 60000, 6999); // from 7.002 s to 14.001 s
    expect_silent("7000\n7001\n7002\n", 2000, 2000);
    expect_silent("1\n", 60000, 0);
}

// ---- Wrong files ----

static void expect_fault(const char *text, size_t octets, const char *fault)
{
    char error[RADIO_TRACE_ERROR_ROOM] = "", wanted[RADIO_TRACE_ERROR_ROOM];
    write_octets(text, octets);
    assert_null(radio_trace_read(path, error));
    snprintf(wanted, sizeof wanted, "trace: %s: %s", path, fault);
    assert_string_equal(error, wanted);
}

static void test_what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    static const char form[] =
        "allowed TIME,RATE, in s and bit/s, or in all lines a whole number of ms";
    static const char rate[] = "allowed a rate from 0 to 1000000000 bit/s behind the comma";
    static const struct {
        const char *text, *line, *fault;
    } rows[] = {
        {"", "", "no rate in it"},
        {"# nothing\n\nname,other\n", "line 3: ", form},
        {"time,rate\n", "line 1: ", "no rate in it"},
        {"O,32000\n1,48000\n", "line 1: ", form}, // no header: the letter O
        {"nan,nan\n0,32000\n", "line 1: ", form},
        {"time,Infinity \n0,32000\n", "line 1: ", form},
        {"x\n0,32000\n", "line 1: ", form},
        {"time s,rate in 10^3\n0,1\n", "line 1: ", form},
        {"time,rate,cell\n0,1\n", "line 1: ", form},
        {"time,\n0,1\n", "line 1: ", form},
        {"l\n2\n3\n", "line 1: ", form},
        {"time,rate\nO,32000\n", "line 2: ", form},
        {"0,1\n-1,2\n", "line 2: ", form},
        {"0,1\n1 2,3\n", "line 2: ", form},
        {"0,1\n5\n", "line 2: ", form},
        {"1000001,1\n", "line 1: ", form},
        {"99999999999999999999999,1\n", "line 1: ", form},
        {".5,1\n", "line 1: ", form},
        {"0,-1\n", "line 1: ", rate},
        {"0,\n", "line 1: ", rate},
        {"0,1000000001\n", "line 1: ", rate},
        {"0,18446744073709551617\n", "line 1: ", rate},
        {"0,1,2\n", "line 1: ", rate},
        {"0,1e3\n", "line 1: ", rate},
        {"0,1\n0.0,2\n", "line 2: ", "a time that is not above the one before"},
        {"7\n5\n", "line 2: ", "a time below the one before"},
        {"7\n8,1\n", "line 2: ", "allowed a whole number of ms, as in the first line"},
        {"7.5\n", "line 1: ", form},
        {"1000000001\n", "line 1: ", form},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char fault[200];
        const char *line =
            strcmp(rows[i].fault, "no rate in it") == 0 && !*rows[i].text ? "" : rows[i].line;
        snprintf(fault, sizeof fault, "%s%s", line, rows[i].fault);
        expect_fault(rows[i].text, strlen(rows[i].text), fault);
    }
    expect_fault("0,1\n\0", 5, "line 2: a NUL");
    char many[84 * 2 + 1] = "";
    for (int i = 0; i < 84; i++)
        strcat(many, "9\n");
    write_octets(many, 83 * 2);
    char error[RADIO_TRACE_ERROR_ROOM];
    struct radio_trace *most = radio_trace_read(path, error);
    assert_non_null(most); // 83 x 1504 octets in a ms: 998.7 Mbit/s
    radio_trace_free(most);
    expect_fault(many, 84 * 2, "line 84: a rate above 1 Gbit/s");
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    char error[RADIO_TRACE_ERROR_ROOM];
    assert_null(radio_trace_read("/nowhere/cell.csv", error));
    assert_string_equal(error, "trace: /nowhere/cell.csv: No such file or directory");
    assert_null(radio_trace_read("/tmp", error));
    assert_string_equal(error, "trace: /tmp: not a regular file");
    assert_null(radio_trace_read("/dev/zero", error));
    assert_string_equal(error, "trace: /dev/zero: not a regular file");
    assert_int_equal(truncate(path, RADIO_TRACE_OCTETS_MOST + 1l), 0);
    assert_null(radio_trace_read(path, error));
    assert_non_null(strstr(error, ": larger than 64 MiB"));
}

static void test_a_million_rates_and_no_more(void **state)
{
    (void)state;
    char *text = NULL, error[RADIO_TRACE_ERROR_ROOM] = "";
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    for (uint32_t i = 0; i <= RADIO_TRACE_STEPS_MOST; i++)
        fprintf(out, "%u.%03u,%u\n", i / 1000, i % 1000, i % 7);
    assert_int_equal(fclose(out), 0);
    write_octets(text, octets);
    assert_null(radio_trace_read(path, error));
    assert_non_null(strstr(error, ": line 1000001: more than 1000000 rates"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rate_holds_until_the_next),
        cmocka_unit_test(test_chances_come_again),
        cmocka_unit_test(test_chances_of_one_ms_are_a_steady_rate),
        cmocka_unit_test(test_the_rate_is_the_mean_of_the_last_second),
        cmocka_unit_test(test_the_longest_silence),
        cmocka_unit_test(test_what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_a_million_rates_and_no_more),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
