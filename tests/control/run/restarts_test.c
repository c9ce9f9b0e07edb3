// The restart counter of a folder: the clock's in a new one, then one more for each run, whatever
// other files come and go; what is no number there counts as none, and a number that cannot be kept
// is none.
#include "control/run/restarts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NOW_S (7 * RESTARTS_NUMBERS + 42)

static char dir[64], path[80];
static struct results results;

static int begin(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/restarts_test.XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/restarts", dir);
    return results_open(&results, dir, NULL);
}

static int end(void **state)
{
    (void)state;
    results_close(&results);
    unlink(path);
    return rmdir(dir);
}

static void put(const char *text, size_t octets)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, octets, out), octets);
    assert_int_equal(fclose(out), 0);
}

static void one_more_for_each_run(void **state)
{
    (void)state;
    assert_int_equal(restarts_next(&results, NOW_S), 42);
    for (uint32_t run = 1; run <= 300; run++) {
        results_close(&results);
        assert_int_equal(results_open(&results, dir, NULL), 0);
        assert_int_equal(results_clear(&results), 0);
        assert_int_equal(restarts_next(&results, NOW_S + 1000 * run), (42 + run) % 256);
    }
}

static void what_is_no_number_is_none(void **state)
{
    static const char *const texts[] = {
        "",       "\n",   "x\n",   "-1\n",          "256\n", " 7\n",  "7",         "7 \n",
        "7\n7\n", "+7\n", "0x7\n", "99999999999\n", "7\r\n", "1e1\n", "123456789", "4294967303\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put(texts[i], strlen(texts[i]));
        assert_int_equal(restarts_next(&results, NOW_S), 42);
    }
    put("7\0\n", 3);
    assert_int_equal(restarts_next(&results, NOW_S), 42);
    put("255\n", 4);
    assert_int_equal(restarts_next(&results, NOW_S), 0);
    put("007\n", 4);
    assert_int_equal(restarts_next(&results, NOW_S), 8);
}

// Neither what it leads to is read, nor waited for.
static void a_link_or_a_pipe_is_none(void **state)
{
    char other[80];
    struct stat s;
    (void)state;
    snprintf(other, sizeof other, "%s/other", dir);
    put("7\n", 2);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(restarts_next(&results, NOW_S), 42);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISREG(s.st_mode));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(restarts_next(&results, NOW_S), 42);
}

static void a_number_that_is_not_kept_is_none(void **state)
{
    (void)state;
    assert_int_equal(mkdir(path, 0700), 0); // nothing takes its place
    assert_int_equal(restarts_next(&results, NOW_S), -EISDIR);
    assert_int_equal(rmdir(path), 0);
    struct results closed = {.folder = -1};
    assert_int_equal(restarts_next(&closed, NOW_S), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_more_for_each_run, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_number_is_none, begin, end),
        cmocka_unit_test_setup_teardown(a_link_or_a_pipe_is_none, begin, end),
        cmocka_unit_test_setup_teardown(a_number_that_is_not_kept_is_none, begin, end),
    };
    return cmocka_run_group_tests_name("control/run/restarts", tests, NULL, NULL);
}
