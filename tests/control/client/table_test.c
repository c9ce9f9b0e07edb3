// Figures as `sluice stats` and `top` write them, rows of them out of JSON of any kind, and that no
// more than ASCII of it is printed.
#include "control/client/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/client/columns.h"
#include "control/client/session.h"
#include "control/client/value.h"

static void figures_have_three_digits(void **state)
{
    static const struct {
        uint64_t value;
        const char *unit, *text;
    } cases[] = {{0, "", "0"},
                 {999, "", "999"},
                 {999, "B", "999 B"},
                 {1000, "", "1.00 k"},
                 {1999, "", "1.99 k"},
                 {12345, "bit/s", "12.3 kbit/s"},
                 {123456, "B", "123 kB"},
                 {999999, "B", "999 kB"},
                 {1000000, "B", "1.00 MB"},
                 {65535000000, "bit/s", "65.5 Gbit/s"},
                 {UINT64_MAX, "", "18.4 E"}};
    char text[TABLE_CELL_OCTETS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(table_scaled(cases[i].value, cases[i].unit, text), cases[i].text);
}

static void times_in_ms_or_s(void **state)
{
    char text[TABLE_CELL_OCTETS];
    (void)state;
    assert_string_equal(table_time(0, text), "0.0 ms");
    assert_string_equal(table_time(1999999, text), "1.9 ms");
    assert_string_equal(table_time(999999999, text), "999.9 ms");
    assert_string_equal(table_time(1000000000, text), "1.00 s");
    assert_string_equal(table_time(12345678901, text), "12.34 s");
}

static const struct table_column column[] = {{"cell", "", TABLE_CELL, 7},
                                             {"state", "state", TABLE_STATE, 8},
                                             {"R", "rate", TABLE_RATE, 9},
                                             {"n", "n", TABLE_COUNT, 4}};
static const struct table_columns columns = {column, 4};

static void expect_row(const char *json, const char *wanted)
{
    char line[TABLE_LINE_OCTETS];
    struct json_object *row = value_parse(json, strlen(json));
    table_row(&columns, row, line);
    assert_string_equal(line, wanted);
    value_free(row);
}

static void rows_by_their_columns(void **state)
{
    (void)state;
    expect_row("{\"nsei\": 1, \"bvci\": 22, \"state\": \"up\", \"rate\": 8000, \"n\": 5}",
               "1-22     up        8.00 kbit     5");
    expect_row("{\"nsei\": 1, \"bvci\": 2, \"state\": \"up\", \"blocked\": 1, \"n\": 12345}",
               "1-2      blocked           -  12.3");
    expect_row("{}", "0-0                        -     0");
}

static void numbers_in_full_where_they_fit(void **state)
{
    (void)state;
    expect_row("{\"rate\": 800, \"n\": 9999}", "0-0                800 bit/s  9999");
    expect_row("{\"rate\": 1000, \"n\": 10000}", "0-0                1.00 kbit  10.0");
}

// Control's word goes before what the dataplane has, which it explains.
static void states_say_why_nothing_is_sent(void **state)
{
    (void)state;
    expect_row("{\"state\": \"down\", \"blocked\": 1, \"stopped\": 1}",
               "0-0      down              -     0");
    expect_row("{\"state\": \"up\", \"stopped\": 1, \"bucket_octets\": 0}",
               "0-0      no flow           -     0");
    expect_row("{\"state\": \"up\", \"stopped\": 1, \"bucket_octets\": 9}",
               "0-0      stopped           -     0");
    expect_row("{\"state\": \"up\", \"stopped\": 1, \"frozen\": 1, \"bucket_octets\": 9}",
               "0-0      frozen            -     0");
}

// The tables of stats and top: which columns, in which order, and how wide. Those of top leave room
// for the rank in 80 characters.
static void titles_above_their_figures(void **state)
{
    static const struct {
        const struct table_columns *columns;
        const char *title;
    } tables[] = {
        {&columns_ports, "port  link    frames in       octets in   frames out      octets out  to "
                         "control   dropped"},
        {&columns_classes, "class            N-PDUs in       octets in         out   queued       "
                           "octets    marked    dropped"},
        {&columns_nses, "  NSEI  state        cells             R  B x 8 / R   queued            "
                        "sent           heard    dropped  discarded"},
        {&columns_nsvcs, "  NSEI   NSVCI  state               "},
        {&columns_cells, "cell         state            MSs              R       Bmax  B x 8 / R   "
                         "   waits  queued           sent   marked  dropped  discarded"},
        {&columns_mss, "IMSI                 TLLI  state                     R  B x 8 / R      "
                       "waits  queued           sent   marked  dropped  discarded"},
        {&columns_flows, "packet flow                R  B x 8 / R      waits   queued   octets"},
        {&columns_top_cells,
         "cell         state         R bit/s    sends   B x 8/R     waits  queued"},
        {&columns_top_mss,
         "IMSI             state         R bit/s    sends   B x 8/R     waits  queued"},
    };
    char line[TABLE_LINE_OCTETS];
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        table_title(tables[i].columns, line);
        assert_string_equal(line, tables[i].title);
    }
}

static void what_is_no_number_or_text_is_nothing(void **state)
{
    (void)state;
    expect_row("{\"nsei\": -1, \"bvci\": \"x\", \"state\": 7, \"rate\": null, \"n\": 1.5}",
               "0-0                        -     0");
    expect_row("{\"state\": \"a\\u001b[2Jb\\n\"}", "0-0      a?[2Jb?           -     0");
    expect_row("[1, 2]", "0-0                        -     0");
    expect_row("", "0-0                        -     0");
}

static void json_is_taken_whole_or_not(void **state)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "{}x",
                                      "{\"a\":}",
                                      "nul",
                                      "{\"a\":1,}",
                                      "[1 2]",
                                      "\"",
                                      "{\"a\" 1}",
                                      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
                                      "{\"\xff\":1}"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(value_parse(bad[i], strlen(bad[i])));
    struct json_object *good = value_parse("{\"a\": 18446744073709551615}", 27);
    assert_true(value_has(good, "a"));
    value_free(good);
}

// Whatever comes, a terminal gets no more than ASCII, and JSON stays JSON.
// All by its number: of octets that are no ASCII json-c 0.18, strict, takes none in a text.
static void what_is_printed_is_ascii(void **state)
{
    static const char json[] =
        "{\"a\\u001b\": \"b\\u009b2J\\u001b\\u00e9\x7f\\n\", \"\\u009b\": [1]}";
    char *text = NULL;
    size_t n = 0, line_ends = 0;
    (void)state;
    struct json_object *value = value_parse(json, strlen(json));
    assert_true(value_is_object(value));
    FILE *out = open_memstream(&text, &n);
    value_print(value, out);
    value_put_text("\x1b[2J \xff\n", out);
    fclose(out);
    value_free(value);
    for (size_t i = 0; i < n; i++) {
        assert_true((text[i] >= ' ' && text[i] <= '~') || text[i] == '\n');
        line_ends += text[i] == '\n';
    }
    const char *tail = "}\n?[2J ?\n";
    assert_true(n > strlen(tail) && line_ends > 2);
    assert_string_equal(text + n - strlen(tail), tail);
    value = value_parse(text, n - strlen(tail) + 1);
    assert_int_equal(value_count(value_in(value, "??")), 1);
    value_free(value);
    free(text);
}

static void cells_as_words(void **state)
{
    static const char *const bad[] = {"", "7", "7-", "-7", "7-20x", "7-20-1", "123456-1", "x-1"};
    char words[SESSION_CELL_OCTETS];
    (void)state;
    assert_true(session_cell("65535-2", words));
    assert_string_equal(words, "65535,2");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(session_cell(bad[i], words));
}

static void add_up(void *self, const char *name, uint64_t number)
{
    (void)name;
    *(uint64_t *)self += number;
}

static void lists_and_members(void **state)
{
    static const char json[] = "{\"a\": 1, \"b\": {\"x\": 5}, \"c\": -2, \"d\": {}, \"e\": 40}";
    uint64_t sum = 0;
    (void)state;
    struct json_object *object = value_parse(json, strlen(json));
    value_numbers(object, add_up, &sum);
    assert_int_equal(sum, 41);
    struct json_object *list = value_list_of(object);
    assert_int_equal(value_count(list), 2);
    assert_int_equal(value_number(value_at(list, 0), "x"), 5);
    assert_null(value_at(list, 2));
    value_cut(list, 0, 1);
    assert_int_equal(value_count(list), 1);
    value_cut(list, 5, 1);
    assert_int_equal(value_count(list), 1);
    value_cut(object, 0, 1); // is no list
    assert_int_equal(value_count(object), 0);
    value_free(list);
    value_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_have_three_digits),
        cmocka_unit_test(times_in_ms_or_s),
        cmocka_unit_test(rows_by_their_columns),
        cmocka_unit_test(numbers_in_full_where_they_fit),
        cmocka_unit_test(states_say_why_nothing_is_sent),
        cmocka_unit_test(titles_above_their_figures),
        cmocka_unit_test(what_is_no_number_or_text_is_nothing),
        cmocka_unit_test(json_is_taken_whole_or_not),
        cmocka_unit_test(lists_and_members),
        cmocka_unit_test(what_is_printed_is_ascii),
        cmocka_unit_test(cells_as_words),
    };
    return cmocka_run_group_tests_name("control/client/table", tests, NULL, NULL);
}
