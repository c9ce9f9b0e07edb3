// What makes pages, under any files: the first octet says whether the rest is a CSV file or
// gnuplot's SVG. A row has the cells of its head, a number is one, what is wrong is said.
#include <math.h>
#include <string.h>

#include "control/report/plot.h"
#include "control/report/reader.h"
#include "control/report/svg.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

static void read_csv(const uint8_t *data, size_t size)
{
    static struct reader reader;
    const char *path = memory_file(data, size);
    bool absent;
    if (!reader_open(&reader, path, strlen(path), &absent)) {
        CHECK(reader.error[0] && !absent);
        return;
    }
    CHECK(reader.columns > 0 && reader.columns <= READER_CELLS_MAX);
    while (reader_next(&reader)) {
        CHECK(reader.cells == reader.columns);
        for (uint32_t i = 0; i < reader.columns; i++) {
            double number = 0;
            CHECK(strlen(reader.cell[i]) < READER_LINE_OCTETS);
            if (reader_number(&reader, (int)i, &number))
                CHECK(isfinite(number) && number >= 0);
            reader.error[0] = '\0';
        }
    }
    reader_close(&reader);
}

static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

// Of the axes 0 to 10: a line with a gap, a column, and a value with its interval.
static struct plot plot_of(bool log_x)
{
    static struct plot_point points[] = {{1, 2}, {2, NAN}, {4, 8}};
    static struct plot_line line = {.point = points, .points = 3};
    static struct plot_column column = {1, 2, 5, 0};
    static struct plot_value value = {3, 4, 2, 6, 0, false};
    return (struct plot){.x_title = "x <&>",
                         .y_title = "y",
                         .log_x = log_x,
                         .x_least = log_x,
                         .x_most = 10,
                         .y_most = 10,
                         .line = &line,
                         .column = &column,
                         .value = &value,
                         .lines = 1,
                         .columns = 1,
                         .values = 1};
}

static void split_svg(const uint8_t *data, size_t size)
{
    char *text = text_of(data + 1, size - 1);
    uint32_t count = 1 + data[0] % 4;
    const struct plot plots[] = {plot_of(false), plot_of(true), plot_of(false), plot_of(true)};
    char **parts = svg_split(text, plots, count);
    for (uint32_t i = 0; parts && i < count; i++) {
        CHECK(parts[i] && strlen(parts[i]) <= 16 * size + 4096);
        free(parts[i]);
    }
    free(parts);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const ways[])(const uint8_t *, size_t) = {read_csv, split_svg};
    if (size > 1)
        ways[data[0] % 2](data + 1, size - 1);
    return 0;
}
