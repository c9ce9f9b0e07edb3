// What the JSON writer writes, octet by octet, as RFC 8259 and its own header want it.
#include "lab/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    struct json json;
    char *text;
    size_t octets;
} written;

static struct json *begin(void)
{
    json_begin(&written.json, open_memstream(&written.text, &written.octets));
    return &written.json;
}

static void expect_written(const char *expected)
{
    json_end(&written.json);
    fclose(written.json.out);
    assert_string_equal(written.text, expected);
    free(written.text);
}

static void expect_text(const char *text, const char *expected)
{
    struct json *json = begin();
    json_text(json, text);
    char line[256];
    snprintf(line, sizeof line, "\"%s\"\n", expected);
    expect_written(line);
}

static void test_empty_containers(void **state)
{
    (void)state;
    struct json *json = begin();
    json_object(json);
    json_close(json);
    expect_written("{}\n");
    json = begin();
    json_array(json);
    json_array(json);
    json_close(json);
    json_object(json);
    json_close(json);
    json_close(json);
    expect_written("[\n  [],\n  {}\n]\n");
}

static void test_nesting_and_commas(void **state)
{
    (void)state;
    struct json *json = begin();
    json_object(json);
    json_put(json, "one", 1);
    json_key(json, "list");
    json_array(json);
    json_integer(json, -2);
    json_text(json, "three");
    json_object(json);
    json_put_text(json, "deep", "yes");
    json_close(json);
    json_boolean(json, true);
    json_close(json);
    json_key(json, "last");
    json_boolean(json, false);
    json_close(json);
    expect_written("{\n"
                   "  \"one\": 1,\n"
                   "  \"list\": [\n"
                   "    -2,\n"
                   "    \"three\",\n"
                   "    {\n"
                   "      \"deep\": \"yes\"\n"
                   "    },\n"
                   "    true\n"
                   "  ],\n"
                   "  \"last\": false\n"
                   "}\n");
}

static void test_deep_nesting(void **state)
{
    (void)state;
    char expected[4096] = "";
    struct json *json = begin();
    for (int depth = 0; depth < 31; depth++) {
        json_array(json);
        sprintf(expected + strlen(expected), "%s%*s[", depth ? "\n" : "", 2 * depth, "");
    }
    for (int depth = 30; depth >= 0; depth--) {
        json_close(json);
        if (depth == 30)
            strcat(expected, "]");
        else
            sprintf(expected + strlen(expected), "\n%*s]", 2 * depth, "");
    }
    strcat(expected, "\n");
    expect_written(expected);
}

static void test_integers(void **state)
{
    (void)state;
    struct json *json = begin();
    json_array(json);
    json_integer(json, INT64_MIN);
    json_integer(json, INT64_MAX);
    json_integer(json, 0);
    json_close(json);
    expect_written("[\n  -9223372036854775808,\n  9223372036854775807,\n  0\n]\n");
}

static void test_put_of_a_large_counter(void **state)
{
    (void)state;
    struct json *json = begin();
    json_object(json);
    json_put(json, "octets", UINT64_MAX);
    json_close(json);
    expect_written("{\n  \"octets\": 18446744073709551615\n}\n");
}

static void test_decimals(void **state)
{
    (void)state;
    struct json *json = begin();
    json_array(json);
    json_decimal(json, 12345, 3);
    json_decimal(json, 45, 3);
    json_decimal(json, 0, 1);
    json_decimal(json, 1000, 2);
    json_decimal(json, UINT64_MAX, 19);
    json_close(json);
    expect_written("[\n  12.345,\n  0.045,\n  0.0,\n  10.00,\n  1.8446744073709551615\n]\n");
}

static void test_escapes(void **state)
{
    (void)state;
    expect_text("", "");
    expect_text("say \"a\\b\"", "say \\\"a\\\\b\\\"");
    expect_text("\n\t\x01\x1f", "\\u000a\\u0009\\u0001\\u001f");
    expect_text("a\x7f/z", "a\x7f/z");
}

static void test_escapes_in_keys(void **state)
{
    (void)state;
    struct json *json = begin();
    json_object(json);
    json_put(json, "a\"b", 1);
    json_close(json);
    expect_written("{\n  \"a\\\"b\": 1\n}\n");
}

static void test_utf8_stays(void **state)
{
    (void)state;
    const char *ends = "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf";
    expect_text("\u00e9\u20ac", "\u00e9\u20ac");
    expect_text(ends, ends);
}

static void test_utf8_of_four_octets_stays(void **state)
{
    (void)state;
    expect_text("\U0001f4e1", "\U0001f4e1");
    expect_text("\U00010000\U0010ffff", "\U00010000\U0010ffff");
}

static void test_stray_octets_are_escaped(void **state)
{
    (void)state;
    expect_text("\x80", "\\u0080");
    expect_text("a\xff"
                "b",
                "a\\u00ffb");
    expect_text("\xc3", "\\u00c3");
    expect_text("\xe2\x82", "\\u00e2\\u0082");
    expect_text("\xe2\x82z", "\\u00e2\\u0082z");
    expect_text("\xc3\xc3\xa9", "\\u00c3\u00e9");
}

// RFC 3629: each character in its shortest form, no surrogates, nothing above U+10FFFF.
static void test_forbidden_sequences_are_escaped(void **state)
{
    (void)state;
    expect_text("\xc0\xaf", "\\u00c0\\u00af");
    expect_text("\xe0\x80\xaf", "\\u00e0\\u0080\\u00af");
    expect_text("\xed\xa0\x80", "\\u00ed\\u00a0\\u0080");
    expect_text("\xf4\x90\x80\x80", "\\u00f4\\u0090\\u0080\\u0080");
}

static void test_reals(void **state)
{
    (void)state;
    struct json *json = begin();
    json_array(json);
    json_real(json, -12.5);
    json_real(json, 1.0 / 3);
    json_real(json, 7);
    json_real(json, 1e10);
    json_close(json);
    expect_written("[\n  -12.5,\n  0.333333333,\n  7,\n  1e+10\n]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_containers),
        cmocka_unit_test(test_nesting_and_commas),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_put_of_a_large_counter),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_escapes_in_keys),
        cmocka_unit_test(test_utf8_stays),
        cmocka_unit_test(test_utf8_of_four_octets_stays),
        cmocka_unit_test(test_stray_octets_are_escaped),
        cmocka_unit_test(test_forbidden_sequences_are_escaped),
    };
    return cmocka_run_group_tests_name("base/json", tests, NULL, NULL);
}
