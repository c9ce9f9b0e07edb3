// Lines of the log: what each says, which level lets it through, and that a flood of lines, alike
// or not, is cut and counted.
#include "control/plane/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "dataplane/base/units.h"

struct written {
    struct log log;
    char *text;
    size_t n;
};

static void begin(struct written *w, enum log_level level)
{
    *w = (struct written){.log = {.level = level}};
    w->log.out = open_memstream(&w->text, &w->n);
    assert_non_null(w->log.out);
}

static const char *text_of(struct written *w)
{
    fflush(w->log.out);
    return w->text;
}

static void end(struct written *w)
{
    fclose(w->log.out);
    free(w->text);
}

static uint32_t lines_with(const char *text, const char *what)
{
    uint32_t n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void test_a_line_says_when_and_how_grave(void **state)
{
    (void)state;
    struct written w;
    begin(&w, LOG_INFO);
    log_put(&w.log, LOG_WARN, 12 * S_IN_NS + 345678901, "NSE 101 is down");
    assert_string_equal(text_of(&w), "12.345678 warn  NSE 101 is down\n");
    end(&w);
}

static void test_a_dated_line_begins_with_the_time_of_day(void **state)
{
    (void)state;
    struct written w;
    struct tm utc = {0};
    int micros = -1, end_of_time = 0;
    begin(&w, LOG_INFO);
    w.log.dated = true;
    time_t before = time(NULL);
    log_put(&w.log, LOG_WARN, 12 * S_IN_NS + 345678901, "NSE 101 is down");
    assert_int_equal(sscanf(text_of(&w), "%4d-%2d-%2dT%2d:%2d:%2d.%6dZ %n", &utc.tm_year,
                            &utc.tm_mon, &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec,
                            &micros, &end_of_time),
                     7);
    utc.tm_year -= 1900;
    utc.tm_mon--;
    assert_in_range(timegm(&utc), before, time(NULL));
    assert_in_range(micros, 0, 999999);
    assert_int_equal(end_of_time, strlen("2026-01-01T00:00:00.000000Z "));
    assert_string_equal(w.text + end_of_time, "12.345678 warn  NSE 101 is down\n");
    end(&w);
}

static void test_a_level_lets_through_what_is_as_grave(void **state)
{
    (void)state;
    for (int level = 0; level < LOG_LEVELS; level++) {
        struct written w;
        begin(&w, (enum log_level)level);
        for (int of = 0; of < LOG_LEVELS; of++)
            log_put(&w.log, (enum log_level)of, 0, log_level_names[of]);
        assert_int_equal(lines_with(text_of(&w), "\n"), level + 1);
        end(&w);
    }
}

static void test_a_long_line_is_cut_and_says_so(void **state)
{
    (void)state;
    struct written w;
    static char text[2 << 20];
    memset(text, 'x', sizeof text - 1);
    begin(&w, LOG_INFO);
    log_put(&w.log, LOG_INFO, 0, text);
    assert_in_range(strlen(text_of(&w)), LOG_OCTETS_MAX, 4096);
    assert_non_null(strstr(text_of(&w), "xxx... (2097151 octets)\n"));
    end(&w);
}

static void test_a_flood_is_cut_and_counted(void **state)
{
    (void)state;
    struct written w;
    char line[64];
    begin(&w, LOG_INFO);
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "a peer that nobody knows, %d", i);
        log_put(&w.log, LOG_INFO, 5 * S_IN_NS, line);
    }
    assert_int_equal(lines_with(text_of(&w), "nobody knows"), LOG_A_SECOND);
    log_put(&w.log, LOG_INFO, 6 * S_IN_NS, "a peer that nobody knows, again");
    assert_int_equal(lines_with(text_of(&w), "nobody knows, again"), 1);
    assert_int_equal(lines_with(text_of(&w), "990 more lines like \"a peer that nobody knows...\""),
                     1);
    assert_int_equal(w.log.left_out, 990);
    end(&w);
}

// A flood of one kind does not silence another.
static void test_kinds_are_told_apart(void **state)
{
    (void)state;
    struct written w;
    begin(&w, LOG_INFO);
    for (int i = 0; i < 1000; i++) {
        log_put(&w.log, LOG_INFO, 0, "one kind of line, which is long");
        if (i % 200 == 0)
            log_put(&w.log, LOG_INFO, 0, "another");
    }
    assert_int_equal(lines_with(text_of(&w), "another"), 5);
    end(&w);
}

// No two of them are alike, or 11 at a time are, so that there is something to say of each kind.
static void test_a_flood_of_all_kinds_is_cut_and_counted(void **state)
{
    (void)state;
    for (uint32_t alike = 1; alike <= 11; alike += 10) {
        struct written w;
        char line[64];
        begin(&w, LOG_INFO);
        for (uint32_t i = 0; i < 100000; i++) {
            snprintf(line, sizeof line, "BVC %u has gone, or it has come", i / alike);
            log_put(&w.log, LOG_INFO, 5 * S_IN_NS, line);
        }
        assert_int_equal(lines_with(text_of(&w), "\n"), LOG_ALL_A_SECOND);
        uint32_t written = lines_with(text_of(&w), "it has come");
        assert_int_equal(w.log.left_out, 100000 - written);
        assert_int_equal(lines_with(text_of(&w), "of all kinds"), 0);
        log_put(&w.log, LOG_ERROR, 5 * S_IN_NS, "an error is not left out");
        assert_int_equal(lines_with(text_of(&w), "an error is not left out"), 1);
        log_put(&w.log, LOG_INFO, 6 * S_IN_NS, "another second");
        assert_int_equal(lines_with(text_of(&w), "another second"), 1);
        assert_int_equal(lines_with(text_of(&w), " more lines of all kinds left out\n"), 1);
        if (alike == 1)
            assert_int_equal(lines_with(text_of(&w), "99000 more lines of all kinds"), 1);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_says_when_and_how_grave),
        cmocka_unit_test(test_a_dated_line_begins_with_the_time_of_day),
        cmocka_unit_test(test_a_level_lets_through_what_is_as_grave),
        cmocka_unit_test(test_a_long_line_is_cut_and_says_so),
        cmocka_unit_test(test_a_flood_is_cut_and_counted),
        cmocka_unit_test(test_kinds_are_told_apart),
        cmocka_unit_test(test_a_flood_of_all_kinds_is_cut_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
