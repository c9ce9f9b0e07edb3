// `sluice gi --compare` under any two reports: an input is both, with a NUL between. What is no
// report is said to be none; of two reports come a text, JSON that parses, and a page.
#include <string.h>

#include "control/client/value.h"
#include "control/captures/gi_compare.h"
#include "control/captures/gi_report.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/drawn.h"

#define ROWS_MOST 2000

static struct json_object *report_of(const uint8_t *data, size_t size)
{
    struct json_object *report = NULL;
    FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
    if (!in)
        return NULL;
    enum gi_report verdict = gi_report_parse(in, &report);
    CHECK((verdict == GI_REPORT) == (report != NULL));
    CHECK(!report || value_is_object(value_in(report, "tables")));
    fclose(in);
    return report;
}

static char *written(const struct gi_compared *compared,
                     void (*write)(const struct gi_compared *, FILE *), size_t *octets)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, octets);
    CHECK(out);
    write(compared, out);
    fclose(out);
    return text;
}

static void expect_json(const char *text, size_t octets)
{
    struct json_object *value = value_parse(text, octets);
    const struct json_object *rows = value_in(value, "rows");
    CHECK(value_is_object(value) && value_is_list(rows) && value_count(rows) <= ROWS_MOST);
    for (size_t i = 0; i < value_count(rows); i++) {
        char verdict[16];
        const struct json_object *row = value_at(rows, i);
        value_text(row, "verdict", verdict, sizeof verdict);
        bool differs = strcmp(verdict, "more") == 0 || strcmp(verdict, "less") == 0;
        bool judged = differs || strcmp(verdict, "chance") == 0;
        CHECK(judged || strcmp(verdict, "none") == 0);
        double least = value_as_real(value_in(row, "least"));
        double most = value_as_real(value_in(row, "most"));
        CHECK(!judged || least <= most);
        CHECK(!judged || differs == (least > 0 || most < 0));
    }
    value_free(value);
}

static void compare(struct json_object *const reports[2])
{
    static const char *const paths[2] = {"a<script>", "b"};
    struct gi_compared *compared = gi_compared_of(paths, reports);
    size_t octets;
    char *text = written(compared, gi_compared_print, &octets);
    CHECK(octets > 0);
    free(text);
    text = written(compared, gi_compared_json, &octets);
    expect_json(text, octets);
    free(text);
    text = written(compared, gi_compared_page, &octets);
    expect_page(text, octets);
    free(text);
    gi_compared_free(compared);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *between = size ? memchr(data, 0, size) : NULL;
    size_t first = between ? (size_t)(between - data) : size;
    struct json_object *reports[2] = {report_of(data, first),
                                      between ? report_of(between + 1, size - first - 1) : NULL};
    if (reports[0] && reports[1])
        compare(reports);
    value_free(reports[0]);
    value_free(reports[1]);
    return 0;
}
