// The choice between huge pages and 4 KiB pages, against a made sysfs directory, and the line that
// says what was chosen; processors for lcores; a folder for each process's socket.
#include "control/process/eal.h"

#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024ULL * 1024)

static char sysfs[64];

static int make_sysfs(void **state)
{
    (void)state;
    strcpy(sysfs, "/tmp/eal_test.XXXXXX");
    return mkdtemp(sysfs) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

static int remove_sysfs(void **state)
{
    (void)state;
    return nftw(sysfs, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_file(const char *directory, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", sysfs, directory);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", sysfs, directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_free(const char *directory, const char *text)
{
    put_file(directory, "free_hugepages", text);
}

static void expect_plan(uint64_t need_octets, uint64_t free_octets, bool huge)
{
    struct eal_plan plan = eal_plan(sysfs, need_octets);
    assert_true(plan.huge_free_octets == free_octets);
    assert_int_equal(plan.huge, huge);
}

static void test_no_directory_at_all(void **state)
{
    (void)state;
    struct eal_plan plan = eal_plan("/nonexistent", 1);
    assert_true(plan.huge_free_octets == 0);
    assert_false(plan.huge);
}

static void test_no_page_size(void **state)
{
    (void)state;
    expect_plan(1, 0, false);
}

static void test_none_free(void **state)
{
    (void)state;
    put_free("hugepages-2048kB", "0\n");
    expect_plan(1, 0, false);
}

// DPDK takes some for itself, so even a dataplane of 1 octet does not fit into one page.
static void test_too_few(void **state)
{
    (void)state;
    put_free("hugepages-2048kB", "1\n");
    expect_plan(1, 2 * MIB, false);
    put_free("hugepages-2048kB", "500\n");
    expect_plan(1000 * MIB, 1000 * MIB, false);
}

static void test_enough(void **state)
{
    (void)state;
    put_free("hugepages-2048kB", "512\n");
    expect_plan(100 * MIB, 1024 * MIB, true);
}

// From which number of pages on it is enough is what the plan itself asks for, and not one less.
static void test_just_enough(void **state)
{
    char text[32];
    (void)state;
    uint64_t need = eal_plan(sysfs, 300 * MIB).need_octets;
    assert_true(need >= 300 * MIB);
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)((need + 2 * MIB - 1) / (2 * MIB)));
    put_free("hugepages-2048kB", text);
    assert_true(eal_plan(sysfs, 300 * MIB).huge);
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)((need - 1) / (2 * MIB)));
    put_free("hugepages-2048kB", text);
    assert_false(eal_plan(sysfs, 300 * MIB).huge);
}

static void test_several_page_sizes(void **state)
{
    (void)state;
    put_free("hugepages-2048kB", "10\n");
    put_free("hugepages-1048576kB", "2\n");
    expect_plan(1000 * MIB, 2068 * MIB, true);
}

// Only free_hugepages counts, and only below a directory of a page size.
static void test_other_files_do_not_count(void **state)
{
    (void)state;
    put_file("hugepages-2048kB", "nr_hugepages", "5000\n");
    put_free("somewhere", "5000\n");
    put_free("hugepages-", "5000\n");
    expect_plan(1, 0, false);
}

static void test_garbage_counts_as_none(void **state)
{
    (void)state;
    put_free("hugepages-2048kB", "");
    expect_plan(1, 0, false);
    put_free("hugepages-2048kB", "many\n");
    expect_plan(1, 0, false);
    put_free("hugepages-2048kB", "\n\n\n");
    expect_plan(1, 0, false);
}

static void put_pages(const char *size, uint64_t reserved, uint64_t free, uint64_t promised)
{
    char text[32], directory[64];
    snprintf(directory, sizeof directory, "hugepages-%s", size);
    snprintf(text, sizeof text, "%" PRIu64 "\n", reserved);
    put_file(directory, "nr_hugepages", text);
    snprintf(text, sizeof text, "%" PRIu64 "\n", free);
    put_file(directory, "free_hugepages", text);
    snprintf(text, sizeof text, "%" PRIu64 "\n", promised);
    put_file(directory, "resv_hugepages", text);
}

static const char *text_of(const struct eal_plan *plan)
{
    static char text[512];
    eal_plan_text(plan, text, sizeof text);
    assert_null(strchr(text, '\n'));
    return text;
}

static void test_text_with_huge_pages(void **state)
{
    (void)state;
    put_pages("2048kB", 600, 600, 88);
    struct eal_plan plan = eal_plan(sysfs, 100 * MIB);
    assert_string_equal(text_of(&plan), "memory: huge pages (145 MiB needed, 1024 MiB free)");
}

// One line: what was chosen, what it costs, and how to have the other. As many pages as it names
// are enough, and one less is not; it takes none from those who have reserved or taken some.
static void expect_advice(uint64_t reserved, uint64_t free, uint64_t promised, uint64_t found_mib)
{
    char found[32];
    put_pages("2048kB", reserved, free, promised);
    struct eal_plan plan = eal_plan(sysfs, 333 * MIB);
    const char *text = text_of(&plan);
    snprintf(found, sizeof found, "and %" PRIu64 " MiB are free", found_mib);
    assert_non_null(strstr(text, "4 KiB pages, because "));
    assert_non_null(strstr(text, found));
    assert_non_null(strstr(text, "more cycles"));
    const char *advice = strstr(text, "echo ");
    assert_non_null(advice);
    uint64_t advised = strtoull(advice + strlen("echo "), NULL, 10);
    assert_non_null(strstr(advice, " > " EAL_SYSFS "/hugepages-2048kB/nr_hugepages"));
    assert_true(advised > reserved);
    put_pages("2048kB", advised, free + advised - reserved, promised);
    assert_true(eal_plan(sysfs, 333 * MIB).huge);
    put_pages("2048kB", advised - 1, free + advised - 1 - reserved, promised);
    assert_int_equal(eal_plan(sysfs, 333 * MIB).huge, found_mib >= 1024);
}

static void test_text_without_huge_pages(void **state)
{
    (void)state;
    expect_advice(0, 0, 0, 0);
    expect_advice(7, 7, 0, 14);
    expect_advice(5007, 7, 0, 14);
    expect_advice(1300, 1000, 990, 20);
}

// A page of 1 GiB is no page of 2 MiB, and the file counts those of its size.
static void test_advice_of_a_size(void **state)
{
    (void)state;
    put_pages("1048576kB", 5, 0, 0);
    expect_advice(100, 7, 0, 14);
    put_pages("1048576kB", 5, 1, 0);
    put_pages("2048kB", 100, 7, 0);
    struct eal_plan plan = eal_plan(sysfs, 1200 * MIB);
    assert_false(plan.huge);
    assert_int_equal(plan.pages_advised, 100 - 7 + (1200 + 150 + 32) / 2);
}

static void test_advice_where_none_helps(void **state)
{
    (void)state;
    put_pages("1048576kB", 1, 1, 0);
    struct eal_plan plan = eal_plan(sysfs, 2000 * MIB);
    assert_non_null(strstr(text_of(&plan), "1024 MiB are free"));
    assert_non_null(strstr(text_of(&plan), "no huge pages of 2 MiB"));
    assert_null(strstr(text_of(&plan), "echo"));
}

// With --no-huge, as in each child of several runs, no number of free pages is the reason.
static void test_text_of_refused_huge_pages(void **state)
{
    static const uint64_t free[] = {0, 1200};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        put_pages("2048kB", 1300, free[i], 0);
        struct eal_plan plan = eal_plan(sysfs, 100 * MIB);
        eal_plan_refuse_huge(&plan);
        assert_false(plan.huge);
        assert_string_equal(
            text_of(&plan),
            "memory: 4 KiB pages, because of --no-huge (each run of a sweep has it)");
    }
}

static void test_text_fits_its_room(void **state)
{
    struct eal_plan plan = {.need_octets = 100 * MIB};
    char text[32];
    (void)state;
    memset(text, 'x', sizeof text);
    eal_plan_text(&plan, text, 10);
    assert_int_equal(strlen(text), 9);
    assert_int_equal(text[10], 'x');
}

static void test_nics_need_huge_pages(void **state)
{
    static const struct {
        const char *device[EAL_DEVICES_MAX], *lacks;
    } row[] = {
        {{NULL}, NULL},
        {{"net_af_packet0,iface=a", "net_tap1,iface=gb"}, NULL},
        {{"0000:01:00.0", "0000:01:00.1"}, "0000:01:00.0"},
        {{"net_null0", "0000:01:00.1,some=1"}, "0000:01:00.1,some=1"},
        {{NULL, NULL, NULL, "01:00.0"}, "01:00.0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct eal_threads threads = {.lcores = 1};
        memcpy(threads.device, row[i].device, sizeof threads.device);
        struct eal_plan small = {.huge = false}, huge = {.huge = true};
        const char *lacks = eal_plan_lacks(&small, &threads);
        assert_string_equal(lacks ? lacks : "", row[i].lacks ? row[i].lacks : "");
        assert_null(eal_plan_lacks(&huge, &threads));
    }
}

// Each lcore its own while there are enough; then the workers share what control does not have.
static void test_processors_of_lcores(void **state)
{
    static const uint16_t wanted[] = {5, 6, 7};
    struct eal_threads threads = {.lcores = 3};
    (void)state;
    assert_int_equal(eal_processors(&threads, wanted, 3), 3);
    assert_memory_equal(threads.processor, wanted, sizeof wanted);
    threads.lcores = 6;
    assert_int_equal(eal_processors(&threads, wanted, 3), 3);
    static const uint16_t shared[] = {5, 6, 7, 6, 7, 6}, one[] = {5, 5, 5, 5, 5, 5};
    assert_memory_equal(threads.processor, shared, sizeof shared);
    assert_int_equal(eal_processors(&threads, wanted, 1), 1);
    assert_memory_equal(threads.processor, one, sizeof one);
}

// Without a wish those that the process may use, no more than there are lcores.
static void test_processors_of_the_process(void **state)
{
    struct eal_threads threads = {.lcores = 2};
    (void)state;
    uint32_t n = eal_processors(&threads, NULL, 0);
    assert_true(n == 1 || n == 2);
    assert_int_equal(eal_processor_missing(threads.processor, 2), -1);
    assert_int_equal(n == 1, threads.processor[0] == threads.processor[1]);
    assert_int_equal(eal_processor_missing((uint16_t[]){threads.processor[0], 1023}, 2), 1023);
}

// DPDK's socket below it has to fit into 108 octets, however long the run's name is.
static void test_a_socket_for_each_process(void **state)
{
    char name[200], wanted[64], path[PATH_MAX];
    struct eal_plan plan = {.huge = false};
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    setenv("RUNTIME_DIRECTORY", sysfs, 1);
    assert_int_equal(eal_plan_telemetry(&plan, name), 0);
    snprintf(wanted, sizeof wanted, "sluice-%.40s-%d", name, (int)getpid());
    assert_string_equal(plan.instance, wanted);
    snprintf(path, sizeof path, "%s/dpdk/%s", sysfs, wanted);
    assert_int_equal(access(path, W_OK), 0);
    assert_true(strlen("/var/run/dpdk//dpdk_telemetry.v2") + strlen(plan.instance) < 108);
    setenv("RUNTIME_DIRECTORY", "/proc/no/such", 1);
    assert_true(eal_plan_telemetry(&plan, "x") < 0);
    assert_string_equal(plan.instance, "");
    unsetenv("RUNTIME_DIRECTORY");
}

#define EAL_TEST(name) cmocka_unit_test_setup_teardown(name, make_sysfs, remove_sysfs)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EAL_TEST(test_no_directory_at_all),
        EAL_TEST(test_no_page_size),
        EAL_TEST(test_none_free),
        EAL_TEST(test_too_few),
        EAL_TEST(test_enough),
        EAL_TEST(test_just_enough),
        EAL_TEST(test_several_page_sizes),
        EAL_TEST(test_other_files_do_not_count),
        EAL_TEST(test_garbage_counts_as_none),
        EAL_TEST(test_text_with_huge_pages),
        EAL_TEST(test_text_without_huge_pages),
        EAL_TEST(test_advice_of_a_size),
        EAL_TEST(test_advice_where_none_helps),
        EAL_TEST(test_text_of_refused_huge_pages),
        EAL_TEST(test_text_fits_its_room),
        EAL_TEST(test_nics_need_huge_pages),
        EAL_TEST(test_processors_of_lcores),
        EAL_TEST(test_processors_of_the_process),
        EAL_TEST(test_a_socket_for_each_process),
    };
    return cmocka_run_group_tests_name("control/process/eal", tests, NULL, NULL);
}
