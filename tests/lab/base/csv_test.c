// Rows of the CSV writer, as typed.
#include "lab/base/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What is written of a row, without the end of its line.
static char *row_of(void (*write)(struct csv *csv))
{
    char *text;
    size_t octets;
    struct csv csv = {.out = open_memstream(&text, &octets)};
    write(&csv);
    csv_end(&csv);
    assert_false(csv.within);
    fclose(csv.out);
    assert_int_equal(text[octets - 1], '\n');
    text[octets - 1] = '\0';
    return text;
}

static void is(void (*write)(struct csv *csv), const char *right)
{
    char *found = row_of(write);
    assert_string_equal(found, right);
    free(found);
}

static void numbers(struct csv *csv)
{
    csv_number(csv, 0);
    csv_number(csv, 9);
    csv_number(csv, 10);
    csv_number(csv, 1234567890123456789);
    csv_number(csv, UINT64_MAX);
}

static void decimals(struct csv *csv)
{
    csv_decimal(csv, 12345, 3);
    csv_decimal(csv, 0, 3);
    csv_decimal(csv, 7, 3);
    csv_decimal(csv, 1000, 3);
    csv_decimal(csv, 1001, 1);
    csv_decimal(csv, UINT64_MAX, 6);
    csv_decimal(csv, UINT64_MAX, 19);
}

static void texts(struct csv *csv)
{
    csv_text(csv, "plain");
    csv_none(csv);
    csv_text(csv, "a,\"b\"");
    csv_none(csv);
}

static void others(struct csv *csv)
{
    csv_quoted(csv, "a");
    csv_hexadecimal(csv, 0xc1);
    csv_integer(csv, -5, 0);
    csv_integer(csv, -5, 3);
    csv_integer(csv, INT64_MIN, 0);
    csv_integer(csv, 12345, 3);
    csv_real(csv, -0.125, 2);
    csv_number(csv, 1);
}

static void test_other_kinds(void **state)
{
    (void)state;
    is(others, "\"a\",000000c1,-5,-0.005,-9223372036854775808,12.345,-0.12,1");
}

static void test_numbers(void **state)
{
    (void)state;
    is(numbers, "0,9,10,1234567890123456789,18446744073709551615");
}

static void test_decimals(void **state)
{
    (void)state;
    is(decimals, "12.345,0.000,0.007,1.000,100.1,18446744073709.551615,1.8446744073709551615");
}

static void test_texts_and_empty_cells(void **state)
{
    (void)state;
    is(texts, "plain,,\"a,\"\"b\"\"\",");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_texts_and_empty_cells),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
