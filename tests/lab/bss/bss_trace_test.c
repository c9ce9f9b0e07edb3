// A cell that follows a file: it says each row when it is due, to the bit what the row says, and
// nothing else; and files that are wrong are refused by name.
#include "lab/bss/bss_trace.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lab/bss/peer.h"

#define HEAD "time_ns,imsi,bmax_octets,rate_bit_per_s,ms_bmax_octets,ms_rate_bit_per_s\n"

static char name[32]; // of a file in memory
static int fd;

static void write_rows(const char *text)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static void follow(const char *rows)
{
    char error[BSS_TRACE_ERROR_ROOM] = "";
    write_rows(rows);
    struct bss_trace *trace = bss_trace_read(name, error);
    if (!trace)
        fail_msg("%s", error);
    bss_cell_follow(w.cell, trace);
}

static void begin(uint32_t cells)
{
    configure(BSS_NS_RESET);
    w.cell_config.flow_repeat = false;
    make(1, cells);
}

#define OF_CELL(tag, bmax, r, ms_bmax, ms_r) \
    BVCI_2 "26 1e81" tag " 0582" bmax " 0382" r " 0182" ms_bmax " 1c82" ms_r
#define OF_MS(tag, bmax, r) BVCI_2 "28 " TLLI_IE "1e81" tag " 1282" bmax " 0382" r

// The first row holds when the cell comes up; later ones go out at their times, twice in C as well.
static void test_the_cells_rows(void **state)
{
    (void)state;
    begin(1);
    follow(HEAD "0,,6000,48000,3000,24000\n"
                "2500000000,,5000,40000,3000,24000\n"
                "2600000000,,100,0,3000,24000\n");
    bss_start(w.bss, now());
    run(S);
    forget_sent();
    in("03 01 82 0007 04 82 0065");
    in("0b");
    in("07");
    in(BVCI_0 "23 04 82 0000");
    forget_sent();
    in(BVCI_0 "23 04 82 0002");
    out(OF_CELL("01", "003c", "01e0", "001e", "00f0"));
    in(BVCI_2 "27 1e 81 01");
    run(1500 * MS);
    out_at(2500 * MS, OF_CELL("02", "0032", "0190", "001e", "00f0"));
    in(BVCI_2 "27 1e 81 02");
    run(100 * MS);
    out_at(2600 * MS, OF_CELL("03", "0001", "0000", "001e", "00f0"));
    run(S);
    out_at(3600 * MS, OF_CELL("04", "0001", "0000", "001e", "00f0")); // had no answer
    in(BVCI_2 "27 1e 81 04");
    run(20 * S);
    none();
    no_fault();
}

// Without a row of its own an MS has none; one that is in another cell is not spoken of.
static void test_rows_of_an_ms(void **state)
{
    (void)state;
    begin(2);
    follow(HEAD "0,,6000,48000,6000,48000\n"
                "1000000000,001010000000001,1000,8000,,\n"
                "1000000000,001010000000002,1000,8000,,\n"
                "1000000000,001010000000003,1000,8000,,\n"
                "1500000000,001010000000001,2000,16000,,\n");
    bring_up(NULL);
    enter(w.cell, TLLI);
    enter(w.other, TLLI + 1);
    run(0);
    out(OF_CELL("02", "003c", "01e0", "003c", "01e0")); // the first one was without the file
    in(BVCI_2 "27 1e 81 02");
    run(S);
    out_at(S, OF_MS("01", "000a", "0050"));
    in(BVCI_2 "29 " TLLI_IE "1e8101");
    run(500 * MS);
    out_at(1500 * MS, OF_MS("02", "0014", "00a0"));
    run(S);
    out_at(2500 * MS, OF_MS("03", "0014", "00a0")); // had no answer
    in(BVCI_2 "29 " TLLI_IE "1e8103");
    run(20 * S);
    none();
    no_fault();
}

static void expect_refused(const char *rows, const char *why)
{
    char error[BSS_TRACE_ERROR_ROOM] = "";
    write_rows(rows);
    assert_null(bss_trace_read(name, error));
    if (!strstr(error, why))
        fail_msg("\"%s\" does not say \"%s\"", error, why);
}

static void test_wrong_files(void **state)
{
    (void)state;
#define ROW(row) HEAD "5,,100,100,100,100\n" row "\n"
    expect_refused(ROW("4,,100,100,100,100"), "line 3: time_ns: before");
    expect_refused(ROW("1000000000000001,,100,100,100,100"), "line 3: time_ns");
    expect_refused(ROW("5,12345,100,100,,"), "line 3: imsi");
    expect_refused(ROW("5,1234567890123456,100,100,,"), "line 3: imsi");
    expect_refused(ROW("5,12345x,100,100,,"), "line 3: imsi");
    expect_refused(ROW("5,,-1,100,100,100"), "line 3: bmax_octets");
    expect_refused(ROW("5,,100,99999999999999,100,100"), "line 3: rate_bit_per_s");
    expect_refused(ROW("5,,100,100"), "line 3: ms_bmax_octets");
    expect_refused(ROW("5,,100,100,100,100,1"), "line 3: more columns");
    expect_refused(HEAD, "no rows");
    expect_refused("5,,100,100,100,100\n", "head");
    expect_refused("", "no rows");
    char error[BSS_TRACE_ERROR_ROOM] = "";
    assert_null(bss_trace_read("/nowhere/at/all", error));
    assert_string_equal(error, "trace: /nowhere/at/all: No such file or directory");
    assert_null(bss_trace_read("/dev/null", error));
    assert_string_equal(error, "trace: /dev/null: not a regular file");
}

static int make_file(void **state)
{
    (void)state;
    fd = memfd_create("trace", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return fd < 0 ? -1 : 0;
}

static int close_file(void **state)
{
    (void)state;
    return close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_cells_rows),
        TEST(test_rows_of_an_ms),
        TEST(test_wrong_files),
    };
    return cmocka_run_group_tests_name("lab/bss/bss_trace", tests, make_file, close_file);
}
