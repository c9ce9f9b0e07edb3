// A run's folder: made with what is above it, had by one run at a time, without an earlier run's
// results and with what is not ours; a file in it is whole or not there.
#include "control/run/results.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[64], dir[80];
static struct results results;

static int begin(void **state)
{
    (void)state;
    strcpy(base, "/tmp/results_test.XXXXXX");
    if (!mkdtemp(base))
        return -1;
    snprintf(dir, sizeof dir, "%s/a/b", base);
    return results_open(&results, dir, NULL);
}

// Fails if something is left in it.
static int end(void **state)
{
    char above[80];
    (void)state;
    results_close(&results);
    snprintf(above, sizeof above, "%s/a", base);
    return rmdir(dir) == 0 && rmdir(above) == 0 && rmdir(base) == 0 ? 0 : -1;
}

static void put_text(const void *self, FILE *out)
{
    fputs(self, out);
}

static bool is_there(const char *name)
{
    char path[PATH_MAX];
    results_path(&results, name, path);
    return access(path, F_OK) == 0;
}

static void take_away(const char *name)
{
    char path[PATH_MAX];
    results_path(&results, name, path);
    assert_int_equal(unlink(path), 0);
}

static void one_run_at_a_time(void **state)
{
    struct results other;
    (void)state;
    assert_int_equal(results_open(&other, dir, NULL), -EWOULDBLOCK);
    results_close(&other);
    results_close(&results);
    assert_int_equal(results_open(&other, dir, NULL), 0);
    results_close(&other);
}

static void an_earlier_runs_are_cleared(void **state)
{
    static const char *const ours[] = {"summary.json", "run.json", "contexts.json",
                                       "gn.pcap",      "gb.pcap",  "runs.csv"};
    (void)state;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(results_write(&results, ours[i], put_text, "old"), 0);
    assert_int_equal(results_write(&results, "notes.txt", put_text, "mine"), 0);
    results_close(&results);
    assert_int_equal(results_open(&results, dir, NULL), 0);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_true(is_there(ours[i])); // to be looked at before
    assert_int_equal(results_clear(&results), 0);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_false(is_there(ours[i]));
    take_away("notes.txt");
}

static void has(const char *name, const char *text)
{
    char path[PATH_MAX], found[32] = "";
    results_path(&results, name, path);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(found, sizeof found, in));
    fclose(in);
    assert_string_equal(found, text);
}

static void capture_again(const char *name, const char *text)
{
    FILE *out = results_file(&results, name);
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

// The next run or the next capture does not take it; no more than one is kept.
static void the_last_capture_of_real_time_stays(void **state)
{
    static const char *const kept[][2] = {{"user.pcapng", "previous-user.pcapng"},
                                          {"signalling.pcap", "previous-signalling.pcap"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        capture_again(kept[i][0], "first");
        assert_int_equal(results_clear(&results), 0);
        assert_false(is_there(kept[i][0]));
        has(kept[i][1], "first");
        assert_int_equal(results_clear(&results), 0);
        has(kept[i][1], "first");
        capture_again(kept[i][0], "second");
        has(kept[i][1], "first");
        capture_again(kept[i][0], "third");
        has(kept[i][0], "third");
        has(kept[i][1], "second");
        take_away(kept[i][0]);
        take_away(kept[i][1]);
    }
    results.simulated = true;
    capture_again("signalling.pcap", "simulated");
    assert_int_equal(results_clear(&results), 0);
    assert_false(is_there("signalling.pcap"));
    assert_false(is_there("previous-signalling.pcap"));
    results.simulated = false;
    capture_again("gn.pcap", "simulated");
    assert_int_equal(results_clear(&results), 0);
    assert_false(is_there("gn.pcap"));
    assert_false(is_there("previous-gn.pcap"));
}

static void take_file(void *self, const char *name, uint64_t octets)
{
    size_t n = strlen(self);
    snprintf((char *)self + n, 200 - n, "%s %llu;", name, (unsigned long long)octets);
}

// Files of a run alone, with what they hold now.
static void what_is_there(void **state)
{
    char found[200] = "";
    (void)state;
    results_files(&results, take_file, found);
    assert_string_equal(found, "");
    assert_int_equal(results_write(&results, "gn.pcap", put_text, "four"), 0);
    assert_int_equal(results_write(&results, "summary.json", put_text, "longer"), 0);
    assert_int_equal(results_write(&results, "notes.txt", put_text, "mine"), 0);
    results_files(&results, take_file, found);
    assert_string_equal(found, "summary.json 6;gn.pcap 4;");
    take_away("summary.json");
    take_away("gn.pcap");
    take_away("notes.txt");
}

static void whole_or_not_there(void **state)
{
    (void)state;
    FILE *out = results_begin(&results, "run.json");
    assert_non_null(out);
    fputs("half", out);
    assert_false(is_there("run.json"));
    results_drop(&results, "run.json", out);
    assert_false(is_there("run.json"));
    out = results_begin(&results, "run.json");
    assert_non_null(out);
    fputs("all", out);
    assert_int_equal(results_end(&results, "run.json", out), 0);
    take_away("run.json");
}

static void for_the_owner_and_the_group_unless_simulated(void **state)
{
    (void)state;
    umask(0);
    for (int simulated = 0; simulated < 2; simulated++) {
        char path[PATH_MAX];
        struct stat s;
        results.simulated = simulated;
        FILE *out = results_file(&results, "gb.pcap");
        assert_non_null(out);
        fclose(out);
        results_path(&results, "gb.pcap", path);
        assert_int_equal(stat(path, &s), 0);
        assert_int_equal(s.st_mode & 0777, simulated ? 0644 : 0640);
    }
    take_away("gb.pcap");
}

// Such as one that leads elsewhere: it is replaced, and what it leads to stays.
static void what_somebody_has_put_there_is_not_written_to(void **state)
{
    char path[PATH_MAX];
    struct stat s;
    (void)state;
    results_path(&results, ".run.json.part", path);
    assert_int_equal(symlink("notes.txt", path), 0);
    assert_int_equal(results_write(&results, "run.json", put_text, "ours"), 0);
    results_path(&results, "run.json", path);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISREG(s.st_mode));
    assert_false(is_there("notes.txt"));
    take_away("run.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_run_at_a_time, begin, end),
        cmocka_unit_test_setup_teardown(an_earlier_runs_are_cleared, begin, end),
        cmocka_unit_test_setup_teardown(the_last_capture_of_real_time_stays, begin, end),
        cmocka_unit_test_setup_teardown(what_is_there, begin, end),
        cmocka_unit_test_setup_teardown(whole_or_not_there, begin, end),
        cmocka_unit_test_setup_teardown(for_the_owner_and_the_group_unless_simulated, begin, end),
        cmocka_unit_test_setup_teardown(what_somebody_has_put_there_is_not_written_to, begin, end),
    };
    return cmocka_run_group_tests_name("control/program/results", tests, NULL, NULL);
}
