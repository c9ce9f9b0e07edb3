// A series: exact bytes, a row only for the subjects that have one, empty cells, and one head.
#include "lab/report/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t count;
static bool away[4];
static uint64_t level[4];

static uint32_t subjects(void *self)
{
    (void)self;
    return count;
}

static bool has_row(void *self, uint32_t subject)
{
    (void)self;
    return !away[subject];
}

static void put_subject(void *self, uint32_t subject, struct csv *csv)
{
    (void)self;
    csv_text(csv, subject ? "b,\"c\"" : "a");
    csv_text(csv, "down");
}

static uint64_t read_level(void *self, uint32_t subject, uint64_t step_ns)
{
    (void)step_ns;
    return ((uint64_t *)self)[subject];
}

static uint64_t read_step(void *self, uint32_t subject, uint64_t step_ns)
{
    (void)self, (void)subject;
    return step_ns / 1000000;
}

static void exact_bytes(void **state)
{
    static const struct series_name names[] = {
        {"queue", "which"}, {"direction", "up or down"}, {NULL, NULL}};
    static const struct series_subjects of = {names, subjects, has_row, put_subject, NULL};
    static const struct series_column columns[] = {
        {"level_octets", 0, read_level, "its level", level},
        {"srtt_ms", 3, read_level, "its time", level},
        {"step_ms", 0, read_step, "of the step", NULL}};
    struct series series;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    (void)state;
    series_setup(&series, out, &of);
    for (int i = 0; i < 3; i++)
        series_column(&series, &columns[i]);
    count = 1;
    level[0] = 12345;
    series_step(&series, 1000000000);
    count = 2;
    level[0] = SERIES_NONE;
    level[1] = 7;
    series_step(&series, 1500000000);
    away[0] = true;
    level[1] = UINT64_MAX - 1;
    series_step(&series, 61500001000);
    fclose(out);
    assert_string_equal(text, "time_s,queue,direction,level_octets,srtt_ms,step_ms\n"
                              "1.000000,a,down,12345,12.345,1000\n"
                              "1.500000,a,down,,,500\n"
                              "1.500000,\"b,\"\"c\"\"\",down,7,0.007,500\n"
                              "61.500001,\"b,\"\"c\"\"\",down,18446744073709551614,"
                              "18446744073709551.614,60000\n");
    free(text);
    out = open_memstream(&text, &n);
    series_describe(&series, out);
    fclose(out);
    assert_string_equal(text, "time_s: the end of the step\nqueue: which\ndirection: up or down\n"
                              "level_octets: its level\nsrtt_ms: its time\nstep_ms: of the step\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_bytes)};
    return cmocka_run_group_tests_name("lab/report/series", tests, NULL, NULL);
}
