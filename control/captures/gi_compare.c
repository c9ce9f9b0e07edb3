// See gi_compare.h. Which figures a row has is read from the reports themselves: `share` is of the
// sheet's flows, `mean_X` has its deviation and number of values, `b_X` too, `ratio` its error.
// Quantiles have no interval here, and are not compared; the page draws the distributions.
#include "control/captures/gi_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/cli/commands.h"
#include "control/captures/pages.h"
#include "control/captures/gi_chance.h"
#include "control/captures/gi_report.h"
#include "lab/base/table.h"
#include "lab/captures/gi/gi_sheets.h"

#define ROWS_MOST       2000u
#define TABLE_ROWS_MOST 100u // a report may be anybody's, and each row is looked for in the other
#define FIGURES_MOST    32u  // of a row
#define TEXT_ROOM       192

enum side { A, B, SIDES };

struct row {
    char table[64], title[TEXT_ROOM], label[TEXT_ROOM], figure[64];
    const char *unit;
    double value[SIDES], values[SIDES]; // value NAN: there is none
    bool judged;
    struct gi_interval interval;
};

struct gi_compared {
    const char *path[SIDES];
    struct json_object *report[SIDES];
    struct row *row;
    uint32_t rows;
    uint64_t left_out;                // rows that one report alone has
    char table[64], title[TEXT_ROOM]; // the one that is being read
};

static double number(const struct json_object *row, const char *key)
{
    return value_as_real(value_in(row, key));
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

// ---- One figure of a row ----

static const char *unit_of(const char *key)
{
    if (ends(key, "_bit_per_s"))
        return "bit/s";
    return ends(key, "_s") ? "s" : "share";
}

static struct gi_sample sample_of(const struct json_object *row, const char *key,
                                  const char *values, const char *deviation)
{
    return (struct gi_sample){number(row, values), number(row, key), number(row, deviation)};
}

// False: it is none that is compared.
static bool judge(struct row *r, const struct json_object *a, const struct json_object *b,
                  const char *key)
{
    char deviation[96];
    bool is_share = strcmp(key, "share") == 0, is_b = begins(key, "b_");
    if (strcmp(key, "ratio") == 0) {
        r->values[A] = number(a, "sent");
        r->values[B] = number(b, "sent");
        r->judged = gi_chance_of_errors(number(a, key), number(a, "error"), number(b, key),
                                        number(b, "error"), &r->interval);
        return true;
    }
    if (!is_share && !is_b && !begins(key, "mean_"))
        return false;
    snprintf(deviation, sizeof deviation, "deviation_%s", begins(key, "mean_") ? key + 5 : key);
    const char *values = is_share ? "of" : is_b ? "values_b" : "values";
    struct gi_sample of_a = sample_of(a, key, values, deviation);
    struct gi_sample of_b = sample_of(b, key, values, deviation);
    r->values[A] = of_a.n;
    r->values[B] = of_b.n;
    bool shares = is_share || strcmp(unit_of(key), "share") == 0;
    r->judged = (shares && !begins(key, "mean_") ? gi_chance_of_shares
                                                 : gi_chance_of_means)(of_a, of_b, &r->interval);
    return true;
}

// Nothing to compare: no values, or all flows of both.
static bool is_empty(const struct row *r)
{
    bool all = strcmp(r->figure, "share") == 0 && r->value[A] == 1 && r->value[B] == 1;
    return all || (isnan(r->value[A]) && isnan(r->value[B])) ||
           (r->value[A] == 0 && r->value[B] == 0 && strcmp(r->unit, "share") == 0);
}

static void take_figure(struct gi_compared *c, const struct json_object *a,
                        const struct json_object *b, const char *key)
{
    if (c->rows == ROWS_MOST)
        return;
    struct row *r = &c->row[c->rows];
    *r = (struct row){.unit = unit_of(key), .value = {number(a, key), number(b, key)}};
    value_printable(key, r->figure, sizeof r->figure);
    value_text(a, "row", r->label, sizeof r->label);
    memcpy(r->table, c->table, sizeof r->table);
    memcpy(r->title, c->title, sizeof r->title);
    if (!judge(r, a, b, key) || is_empty(r))
        return;
    r->judged = r->judged && isfinite(r->interval.least) && isfinite(r->interval.most);
    c->rows++;
}

// ---- All rows ----

static size_t most(size_t count, size_t bound)
{
    return count < bound ? count : bound;
}

static const struct json_object *same_row(const struct json_object *rows,
                                          const struct json_object *as)
{
    char label[TEXT_ROOM], other[TEXT_ROOM];
    value_text(as, "row", label, sizeof label);
    for (size_t i = 0; i < most(value_count(rows), TABLE_ROWS_MOST); i++)
        if (strcmp(value_text(value_at(rows, i), "row", other, sizeof other), label) == 0)
            return value_at(rows, i);
    return NULL;
}

static void take_table(void *self, const char *name, struct json_object *rows)
{
    struct gi_compared *c = self;
    const struct json_object *others = value_in(value_in(c->report[B], "tables"), name);
    snprintf(c->table, sizeof c->table, "%s", name);
    value_text(value_in(value_in(c->report[A], "texts"), "tables"), name, c->title,
               sizeof c->title);
    c->left_out += value_count(rows) - most(value_count(rows), TABLE_ROWS_MOST);
    for (size_t i = 0; i < most(value_count(rows), TABLE_ROWS_MOST); i++) {
        const struct json_object *row = value_at(rows, i), *other = same_row(others, row);
        c->left_out += !other;
        if (!value_is_object(row) || !other)
            continue;
        for (size_t k = 0; k < most(value_size(row), FIGURES_MOST); k++)
            take_figure(c, row, other, value_key(row, k));
    }
}

// What the first does not have of the second.
static void count_others(void *self, const char *name, struct json_object *rows)
{
    struct gi_compared *c = self;
    const struct json_object *of_a = value_in(value_in(c->report[A], "tables"), name);
    c->left_out += value_count(rows) - most(value_count(rows), TABLE_ROWS_MOST);
    for (size_t i = 0; i < most(value_count(rows), TABLE_ROWS_MOST); i++)
        c->left_out += !same_row(of_a, value_at(rows, i));
}

struct gi_compared *gi_compared_of(const char *const paths[2], struct json_object *const reports[2])
{
    struct gi_compared *c = calloc(1, sizeof *c);
    if (!c || !(c->row = calloc(ROWS_MOST, sizeof *c->row)))
        abort();
    for (int s = 0; s < SIDES; s++) {
        c->path[s] = paths[s];
        c->report[s] = reports[s];
    }
    value_members(value_in(c->report[A], "tables"), take_table, c);
    value_members(value_in(c->report[B], "tables"), count_others, c);
    return c;
}

void gi_compared_free(struct gi_compared *c)
{
    free(c->row);
    free(c);
}

static const char *verdict_of(const struct row *r)
{
    if (!r->judged)
        return "none";
    return r->interval.least > 0 ? "more" : r->interval.most < 0 ? "less" : "chance";
}

// ---- Text ----

static void print_value(const struct row *r, bool there, double value, FILE *out)
{
    bool is_share = strcmp(r->unit, "share") == 0, is_time = strcmp(r->unit, "s") == 0;
    int decimals = is_share ? 2 : is_time ? gi_seconds_decimals(value) : 0;
    char text[32] = "-";
    if (there && !isnan(value))
        snprintf(text, sizeof text, "%.*f%s", decimals, is_share ? 100 * value : value,
                 is_share ? " %" : "");
    fprintf(out, " %11s", text);
}

static void print_row(const struct row *r, FILE *out)
{
    const char *figure = begins(r->figure, "mean_") ? "mean"
                         : begins(r->figure, "b_")  ? "b"
                                                    : r->figure;
    fprintf(out, "%-44s %-6s", r->label, figure);
    print_value(r, true, r->value[A], out);
    print_value(r, true, r->value[B], out);
    print_value(r, true, r->value[B] - r->value[A], out);
    print_value(r, r->judged, r->interval.least, out);
    print_value(r, r->judged, r->interval.most, out);
    fprintf(out, "  %-6s %10.0f %10.0f\n", verdict_of(r), r->values[A], r->values[B]);
}

static const char chance_text[] =
    "The interval is that in which B - A lies with 95 % probability. more, less: 0 is outside.\n"
    "chance: it is inside. none: too few values. Of rows that do not differ, one in twenty is\n"
    "called more or less. Flows are taken as independent; if a few users have most of them,\n"
    "the intervals are too narrow.\n";

void gi_compared_print(const struct gi_compared *c, FILE *out)
{
    char path[TEXT_ROOM];
    for (int s = 0; s < SIDES; s++)
        fprintf(out, "%c: %s\n", 'A' + s, value_printable(c->path[s], path, sizeof path));
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct row *r = &c->row[i];
        if (i == 0 || strcmp(r->table, c->row[i - 1].table) != 0)
            fprintf(out, "\n%s\n%-51s %11s %11s %11s %11s %11s  %-6s %10s %10s\n", r->title, "",
                    "A", "B", "B - A", "from", "to", "", "values A", "values B");
        print_row(r, out);
    }
    if (c->left_out)
        fprintf(out, "\n%" PRIu64 " rows are left out, for one of the reports alone has them.\n",
                c->left_out);
    fprintf(out, "\n%s", chance_text);
}

// ---- JSON ----

#define TABLE_FILE  "control/captures/gi_compare.def"
#define TABLE_OWNER const struct gi_compared *c
#include "lab/base/table_make.h"

static void put_titles(const struct gi_compared *c, struct json *json)
{
    json_put_object(json, "titles");
    for (uint32_t i = 0; i < c->rows; i++)
        if (i == 0 || strcmp(c->row[i].table, c->row[i - 1].table) != 0)
            json_put_text(json, c->row[i].table, c->row[i].title);
    json_close(json);
}

void gi_compared_json(const struct gi_compared *c, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put_text(&json, "a", c->path[A]);
    json_put_text(&json, "b", c->path[B]);
    json_put_text(&json, "note", chance_text);
    json_put(&json, "left_out", c->left_out);
    put_titles(c, &json);
    table_json(&gi_compare_rows, c, &json);
    json_close(&json);
    json_end(&json);
}

// ---- Outputs ----

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

void gi_compared_page(const struct gi_compared *c, FILE *out)
{
    char *text = NULL;
    size_t octets;
    FILE *memory = open_memstream(&text, &octets);
    if (!memory)
        abort();
    gi_compared_json(c, memory);
    fclose(memory);
    struct json_object *value = value_parse_object(text);
    const struct json_object *const reports[2] = {c->report[A], c->report[B]};
    gi_compare_page(out, value, reports);
    value_free(value);
    free(text);
}

static bool write_to(const char *path, const struct gi_compared *c,
                     void (*write)(const struct gi_compared *c, FILE *out))
{
    FILE *out = is_stdout(path) ? stdout : fopen(path, "we");
    if (out)
        write(c, out);
    bool good = out && fflush(out) == 0 && !ferror(out);
    if (!good)
        fprintf(stderr, "sluice gi: %s: %s\n", path, strerror(errno));
    if (out && out != stdout)
        fclose(out);
    return good;
}

static bool write_all(const struct gi_compared *c, const char *json, const char *page)
{
    if (!is_stdout(json) && !is_stdout(page))
        gi_compared_print(c, stdout);
    bool good = !json || write_to(json, c, gi_compared_json);
    return (!page || write_to(page, c, gi_compared_page)) && good;
}

int gi_compare(const char *a, const char *b, const char *json, const char *page)
{
    const char *const paths[SIDES] = {a, b};
    struct json_object *reports[SIDES];
    bool good = true;
    for (int s = 0; s < SIDES; s++)
        good = (reports[s] = gi_report_read(paths[s])) && good;
    if (good) {
        struct gi_compared *c = gi_compared_of(paths, reports);
        good = write_all(c, json, page);
        gi_compared_free(c);
    }
    for (int s = 0; s < SIDES; s++)
        value_free(reports[s]);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}
