// The CSV reader: rows as they are meant, and each way of being wrong named with its line.
#include "control/report/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/reader_test.XXXXXX";
static struct reader reader;

static int begin(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int finish(void **state)
{
    (void)state;
    return unlink(path);
}

static bool read_text(const char *text, size_t octets)
{
    bool absent;
    FILE *out = fopen(path, "w");
    fwrite(text, 1, octets, out);
    fclose(out);
    return reader_open(&reader, path, 0, &absent);
}

static void rows(void **state)
{
    static const char text[] =
        "time_s,\"na,me\",value\n1.5,a,7\r\n2,\"say \"\"b\"\", c\",\n3,,0.25";
    double number;
    (void)state;
    assert_true(read_text(text, strlen(text)));
    assert_int_equal(reader.columns, 3);
    assert_int_equal(reader_column(&reader, "na,me"), 1);
    assert_int_equal(reader_column(&reader, "nothing"), -1);
    assert_true(reader_next(&reader));
    assert_true(reader_number(&reader, 0, &number) && number == 1.5);
    assert_true(reader_number(&reader, 2, &number) && number == 7);
    assert_true(reader_next(&reader));
    assert_string_equal(reader.cell[1], "say \"b\", c");
    assert_false(reader_number(&reader, 2, &number));
    assert_string_equal(reader.error, "");
    assert_true(reader_next(&reader));
    assert_string_equal(reader.cell[1], "");
    assert_true(reader_number(&reader, 2, &number) && number == 0.25);
    assert_false(reader_next(&reader));
    assert_string_equal(reader.error, "");
    reader_close(&reader);
}

static void wrong_rows(void **state)
{
    static const struct {
        const char *text, *error;
        size_t octets; // 0: of the text
    } wrong[] = {
        {"a,b\n1\n", "line 2: not as many cells as there are names", 0},
        {"a,b\n1,2,3\n", "line 2: not as many cells as there are names", 0},
        {"a,b\n\"1,2\n", "line 2: quotes that do not end with their cell", 0},
        {"a,b\n\"1\"x,2\n", "line 2: quotes that do not end with their cell", 0},
        {"a,b\n1,2\0\n3,4\n", "line 2: it is too long, or has a NUL", 13},
        {"a,b\n\0", "line 2: it is too long, or has a NUL", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t octets = wrong[i].octets ? wrong[i].octets : strlen(wrong[i].text);
        assert_true(read_text(wrong[i].text, octets));
        while (reader_next(&reader))
            ;
        assert_string_equal(reader.error, wrong[i].error);
        reader_close(&reader);
    }
}

static void no_numbers(void **state)
{
    static const char *const cells[] = {
        "-1", "1e5",   "nan", "inf", "0x10",
        " 1", "1.2.3", ".5",  "1,",  "12345678901234567890123456789012345678901"};
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        char text[80];
        double number;
        snprintf(text, sizeof text, "a\n\"%s\"\n", cells[i]);
        assert_true(read_text(text, strlen(text)));
        assert_true(reader_next(&reader));
        assert_false(reader_number(&reader, 0, &number));
        assert_string_equal(reader.error, "line 2: a cell that is not a number where one must be");
        reader_close(&reader);
    }
}

static void too_much(void **state)
{
    static char text[40000];
    (void)state;
    memset(text, 'a', sizeof text);
    assert_false(read_text(text, sizeof text));
    assert_string_equal(reader.error, "line 1: it is too long, or has a NUL");
    memset(text, ',', 300);
    assert_false(read_text(text, 300));
    assert_string_equal(reader.error, "line 1: more than 256 cells");
    assert_false(read_text(text, 0));
    assert_string_equal(reader.error, "line 0: a row of names is missing");
}

static void a_file_that_is_not_there(void **state)
{
    bool absent;
    (void)state;
    assert_false(reader_open(&reader, "/tmp/reader_test/no", 4, &absent));
    assert_true(absent);
    assert_false(reader_open(&reader, "/tmp", 4, &absent));
    assert_false(absent);
    assert_string_not_equal(reader.error, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(wrong_rows),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(too_much),
        cmocka_unit_test(a_file_that_is_not_there),
    };
    return cmocka_run_group_tests_name("control/report/reader", tests, begin, finish);
}
