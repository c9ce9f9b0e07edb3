// Tables by their list: what each kind of column becomes in CSV and JSON, and what is not there.
#include "lab/base/table.h"

#include "lab/base/csv.h"
#include "lab/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bean {
    const struct bean *next;
    const char *name;
    uint32_t number, tlli;
    bool picked, has_pod;
    uint64_t age_ns;
    int64_t late_ns;
    double part, mean;
    const struct bean *seeds;
    uint32_t seed_count;
};

struct kitchen {
    const struct bean *beans;
    uint64_t begin_ns;
};

static uint32_t asked; // how often the part was worked out

static double part_of(const struct bean *bean)
{
    asked++;
    return bean->part;
}

static void put_name(const void *name, struct json *json)
{
    json_put_text(json, name, "its name");
}

static void describe_name(const char *before, FILE *out)
{
    fprintf(out, "%sNAME: of a function\n", before);
}

extern const struct table seeds_table;
#define TABLE_FILE  "tests/lab/base/table_test.def"
#define TABLE_OWNER const struct kitchen *kitchen
#include "lab/base/table_make.h"

static const struct bean seeds[] = {{.next = &seeds[1], .number = 7}, {.number = 8}, {.number = 9}};
static const struct bean beans[] = {{.next = &beans[1],
                                     .name = "a \"b\", c",
                                     .number = UINT32_MAX,
                                     .tlli = 0xc1,
                                     .picked = true,
                                     .has_pod = true,
                                     .age_ns = 1700000000123456789,
                                     .late_ns = -1,
                                     .part = 0.25,
                                     .mean = 2.26,
                                     .seeds = seeds,
                                     .seed_count = 2},
                                    {.name = "d", .tlli = 0xc0000001}};
static const struct kitchen kitchen = {.beans = beans, .begin_ns = 0};

static void is(char *found, const char *right)
{
    assert_string_equal(found, right);
    free(found);
}

static void test_csv(void **state)
{
    (void)state;
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    asked = 0;
    table_csv(&beans_table, &kitchen, out);
    fclose(out);
    is(text, "name,quoted,number,tlli,picked,age_s,late_s,part,mean,cooked_s,salt\n"
             "\"a \"\"b\"\", c\",\"a \"\"b\"\", c\",4294967295,000000c1,1,1700000000.123456789,"
             "-0.000000001,0.250000,2.3,1700000000.123456789,0.012345\n"
             "d,\"\",0,c0000001,0,,,,,,\n");
    assert_int_equal(asked, 1);
}

static void test_json(void **state)
{
    (void)state;
    char *text;
    size_t octets;
    struct json json;
    FILE *out = open_memstream(&text, &octets);
    json_begin(&json, out);
    json_object(&json);
    table_json(&beans_table, &kitchen, &json);
    json_close(&json);
    json_end(&json);
    fclose(out);
    is(text, "{\n  \"beans\": [\n"
             "    {\n      \"name\": \"a \\\"b\\\", c\",\n      \"quoted\": \"a \\\"b\\\", c\",\n"
             "      \"number\": 4294967295,\n      \"tlli\": 193,\n      \"picked\": true,\n"
             "      \"age_ns\": 1700000000123456789,\n"
             "      \"pod\": {\n        \"late_ns\": -1,\n        \"part\": 0.25,\n"
             "        \"mean\": 2.26\n      },\n"
             "      \"seeds\": [\n        {\n          \"number\": 7\n        },\n"
             "        {\n          \"number\": 8\n        }\n      ],\n"
             "      \"cooked_s\": 1700000000.123456789,\n      \"salt\": 0.012345,\n"
             "      \"json_alone\": 1\n"
             "    },\n"
             "    {\n      \"name\": \"d\",\n      \"number\": 0,\n      \"tlli\": 3221225473,\n"
             "      \"picked\": false,\n      \"pod\": null,\n      \"cooked_s\": null,\n"
             "      \"salt\": null,\n      \"json_alone\": 1\n    }\n"
             "  ]\n}\n");
}

static void test_no_row(void **state)
{
    (void)state;
    static const struct kitchen empty;
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    table_csv(&beans_table, &empty, out);
    fclose(out);
    is(text, "name,quoted,number,tlli,picked,age_s,late_s,part,mean,cooked_s,salt\n");
}

static void test_description(void **state)
{
    (void)state;
    assert_int_equal(beans_table.columns, 15);
    assert_string_equal(beans_table.column[5].help, "since it was picked");
    assert_ptr_equal(beans_table.column[11].list, &seeds_table);
    assert_true(beans_table.shown(&kitchen, &beans[0]));
    assert_false(beans_table.shown(&kitchen, &beans[1]));
}

static void test_words(void **state)
{
    (void)state;
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    table_describe(&beans_table, out);
    fclose(out);
    is(text, "name: its name\nquoted: its name in quotes\nnumber: its number\ntlli: its TLLI\n"
             "picked: is it picked?\nage_s, in JSON age_ns: since it was picked\n"
             "in JSON pod: of its pod\nlate_s, in JSON pod.late_ns: too late by\n"
             "part, in JSON pod.part: part of the pod\nmean, in JSON pod.mean: mean of the pod\n"
             "in JSON seeds: its seeds\ncooked_s: how long it was cooked\nsalt: part of salt\n"
             "in JSON json_alone: in JSON alone\n");
}

// As JSON, of a bean with these.
static void put_shelf(bool has_pod, bool picked, const char *right)
{
    struct bean bean = {
        .name = "x", .has_pod = has_pod, .picked = picked, .mean = 1.256, .part = 0.0625};
    char *text;
    size_t octets;
    struct json json;
    FILE *out = open_memstream(&text, &octets);
    json_begin(&json, out);
    asked = 0;
    table_json_row(&shelf_table, NULL, &bean, &json);
    json_end(&json);
    fclose(out);
    is(text, right);
    assert_int_equal(asked, has_pod + (has_pod && picked));
}

static void test_objects(void **state)
{
    (void)state;
    put_shelf(true, true,
              "{\n  \"one\": 1.3,\n  \"outer\": {\n    \"two\": 1.26,\n    \"inner\": {\n"
              "      \"three\": 0.062,\n      \"x\": \"its name\"\n    },\n"
              "    \"behind\": null\n  },\n  \"last\": {\n    \"six\": 0.062500\n  }\n}\n");
    put_shelf(true, false,
              "{\n  \"one\": 1.3,\n  \"outer\": {\n    \"two\": 1.26,\n"
              "    \"behind\": null\n  }\n}\n");
    put_shelf(false, true,
              "{\n  \"one\": 1.3,\n  \"outer\": null,\n  \"last\": {\n"
              "    \"six\": 0.062500\n  }\n}\n");
}

static void test_keys(void **state)
{
    (void)state;
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    table_describe_keys(&shelf_table, "SHELF.", out);
    fclose(out);
    is(text, "SHELF.one: with one decimal\nSHELF.outer: around the others\n"
             "SHELF.outer.two: with two\nSHELF.outer.inner: in outer\n"
             "SHELF.outer.inner.three: with three\nSHELF.outer.inner.NAME: of a function\n"
             "SHELF.outer.behind: behind inner\nSHELF.last: behind outer\n"
             "SHELF.last.six: with six\n");
    out = open_memstream(&text, &octets);
    table_describe_keys(&beans_table, "", out);
    fclose(out);
    assert_non_null(strstr(text, "\nage_ns: since it was picked\npod: of its pod\npod.late_ns: "));
    assert_non_null(strstr(text, "\nseeds: its seeds\nseeds.number: its number\ncooked_s: "));
    free(text);
}

// Thousandths lie on both sides of the half of a hundredth, by what a double can hold.
static void test_csv_and_json_round_alike(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        char in_csv[64] = "", in_json[64] = "";
        struct csv csv = {.out = fmemopen(in_csv, sizeof in_csv, "w")};
        FILE *out = fmemopen(in_json, sizeof in_json, "w");
        struct json json;
        csv_real(&csv, k / 1000.0, 2);
        fclose(csv.out);
        json_begin(&json, out);
        json_fixed(&json, k / 1000.0, 2);
        fclose(out);
        assert_string_equal(in_json, in_csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),    cmocka_unit_test(test_json),
        cmocka_unit_test(test_no_row), cmocka_unit_test(test_description),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_objects),
        cmocka_unit_test(test_keys),   cmocka_unit_test(test_csv_and_json_round_alike),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
