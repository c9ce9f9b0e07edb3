// See gi_sheets.h. Mean and deviation by Welford's method: one pass, and exact enough for any
// number of flows.
#include "lab/gi/gi_sheets.h"

#include <math.h>
#include <stdlib.h>

struct cell {
    uint64_t flows, values; // values: of a
    double mean, squares;   // of a
    double sum_a, sum_b;
    uint64_t values_b;
    struct histogram *histogram;
};

struct sheet {
    const struct gi_field *a, *b;
    uint64_t flows;
    struct cell cell[GI_SHEET_ROWS];
};

struct gi_sheets {
    struct sheet *sheet;
};

static const struct gi_field *field_of(const char *name)
{
    for (size_t i = 0; name && i < gi_fields_count; i++)
        if (strcmp(gi_fields[i].name, name) == 0)
            return &gi_fields[i];
    if (name)
        abort(); // a name of gi_sheet_list that gi_flow.def has not
    return NULL;
}

struct gi_sheets *gi_sheets_create(void)
{
    struct gi_sheets *sheets = calloc(1, sizeof *sheets);
    if (!sheets || !(sheets->sheet = calloc(gi_sheet_count, sizeof *sheets->sheet)))
        abort();
    for (size_t i = 0; i < gi_sheet_count; i++) {
        const struct gi_sheet *of = &gi_sheet_list[i];
        sheets->sheet[i].a = field_of(of->a);
        sheets->sheet[i].b = field_of(of->b);
        for (size_t k = 0; of->shows & GI_SHOW_QUANTILES && of->row[k].label; k++) {
            sheets->sheet[i].cell[k].histogram = calloc(1, sizeof(struct histogram));
            if (!sheets->sheet[i].cell[k].histogram)
                abort();
        }
    }
    return sheets;
}

void gi_sheets_destroy(struct gi_sheets *sheets)
{
    for (size_t i = 0; i < gi_sheet_count; i++)
        for (size_t k = 0; k < GI_SHEET_ROWS; k++)
            free(sheets->sheet[i].cell[k].histogram);
    free(sheets->sheet);
    free(sheets);
}

// ---- Counting ----

static int64_t value_of(const struct gi_field *field, const struct gi_result *result)
{
    int64_t value = GI_NONE;
    if (field)
        memcpy(&value, (const char *)result + field->at, sizeof value);
    return value;
}

static void count(struct cell *cell, int64_t a, int64_t b)
{
    cell->flows++;
    if (b != GI_NONE) {
        cell->values_b++;
        cell->sum_b += (double)b;
    }
    if (a == GI_NONE)
        return;
    double before = cell->mean;
    cell->values++;
    cell->sum_a += (double)a;
    cell->mean += ((double)a - before) / (double)cell->values;
    cell->squares += ((double)a - before) * ((double)a - cell->mean);
    if (cell->histogram)
        histogram_add(cell->histogram, a > 0 ? (uint64_t)a : 0);
}

void gi_sheets_count(struct gi_sheets *sheets, const struct gi_result *result)
{
    for (size_t i = 0; i < gi_sheet_count; i++) {
        const struct gi_sheet *of = &gi_sheet_list[i];
        struct sheet *sheet = &sheets->sheet[i];
        if (!of->about(result))
            continue;
        sheet->flows++;
        int64_t a = value_of(sheet->a, result), b = value_of(sheet->b, result);
        for (size_t k = 0; of->row[k].label; k++)
            if (of->row[k].is(result))
                count(&sheet->cell[k], a, b);
    }
}

// ---- Figures of a row ----

// In the unit that is written: seconds, kbit/s, or as it is.
static double scaled(const struct gi_field *field, double value)
{
    return field->kind == GI_KIND_NS ? value / S_IN_NS : value;
}

struct figure {
    char name[48];    // of JSON
    const char *head; // of the text; its unit is the sheet's
    bool there, percent, fraction;
    double value;
};

#define FIGURES_MOST 9

struct figures {
    struct figure figure[FIGURES_MOST];
    uint32_t count;
};

static void add(struct figures *figures, bool there, double value, const char *what,
                const struct gi_field *field)
{
    enum gi_kind kind = field ? field->kind : GI_KIND_COUNT;
    const char *unit = kind == GI_KIND_NS ? "_s" : kind == GI_KIND_RATE ? "_bit_per_s" : "";
    struct figure *figure = &figures->figure[figures->count++];
    *figure = (struct figure){.there = there, .value = there ? value : 0, .head = what};
    snprintf(figure->name, sizeof figure->name, "%s%s%s%s", what, field && what[0] ? "_" : "",
             field ? field->name : "", unit);
    figure->percent =
        kind == GI_KIND_FLAG || strcmp(what, "share") == 0 || strcmp(what, "ratio") == 0;
    figure->fraction = kind == GI_KIND_NS;
}

static void add_quantiles(struct figures *figures, const struct sheet *sheet,
                          const struct cell *cell)
{
    static const struct {
        uint32_t per_mille;
        const char *what;
    } quantiles[] = {{50, "p5"}, {500, "p50"}, {950, "p95"}};
    for (size_t i = 0; i < 3; i++)
        add(figures, cell->values > 0,
            scaled(sheet->a, (double)histogram_quantile(cell->histogram, quantiles[i].per_mille)),
            quantiles[i].what, sheet->a);
}

static struct figures figures_of(const struct gi_sheet *of, const struct sheet *sheet, size_t row)
{
    struct figures f = {.count = 0};
    const struct cell *cell = &sheet->cell[row];
    add(&f, true, (double)cell->flows, "flows", NULL);
    if (of->shows & GI_SHOW_SHARE)
        add(&f, sheet->flows, (double)cell->flows / (double)(sheet->flows ? sheet->flows : 1),
            "share", NULL);
    if (of->shows & GI_SHOW_RATIO) {
        add(&f, true, cell->sum_a, "lost", NULL);
        add(&f, true, cell->sum_b, "sent", NULL);
        add(&f, cell->sum_b > 0, cell->sum_a / (cell->sum_b > 0 ? cell->sum_b : 1), "ratio", NULL);
    }
    if (of->shows & GI_SHOW_MEAN)
        add(&f, cell->values, scaled(sheet->a, cell->mean), "mean", sheet->a);
    if (of->shows & GI_SHOW_DEVIATION)
        add(&f, cell->values > 1,
            scaled(sheet->a,
                   sqrt(cell->squares / (double)(cell->values > 1 ? cell->values - 1 : 1))),
            "deviation", sheet->a);
    if (of->shows & GI_SHOW_MEAN_B)
        add(&f, cell->values_b,
            scaled(sheet->b, cell->sum_b / (double)(cell->values_b ? cell->values_b : 1)), "b",
            sheet->b);
    if (of->shows & GI_SHOW_QUANTILES)
        add_quantiles(&f, sheet, cell);
    return f;
}

// ---- Text ----

static void print_figure(const struct figure *figure, FILE *out)
{
    char text[48] = "-";
    if (figure->there && figure->percent)
        snprintf(text, sizeof text, "%.2f %%", 100 * figure->value);
    else if (figure->there)
        snprintf(text, sizeof text, "%.*f", figure->fraction ? 3 : 0, figure->value);
    fprintf(out, "  %10s", text);
}

static void print_sheet(const struct gi_sheet *of, const struct sheet *sheet, FILE *out)
{
    fprintf(out, "\n%s\n", of->title);
    struct figures head = figures_of(of, sheet, 0);
    fprintf(out, "%-44s", "");
    for (uint32_t i = 0; i < head.count; i++)
        fprintf(out, "  %10s", head.figure[i].head);
    fprintf(out, "\n");
    for (size_t k = 0; of->row[k].label; k++) {
        if (k && of->shows & GI_SHOW_FILLED && sheet->cell[k].flows == 0)
            continue;
        struct figures f = figures_of(of, sheet, k);
        fprintf(out, "%-44s", of->row[k].label);
        for (uint32_t i = 0; i < f.count; i++)
            print_figure(&f.figure[i], out);
        fprintf(out, "\n");
    }
}

void gi_sheets_print(const struct gi_sheets *sheets, FILE *out)
{
    for (size_t i = 0; i < gi_sheet_count; i++)
        print_sheet(&gi_sheet_list[i], &sheets->sheet[i], out);
}

// ---- CSV ----

static void write_lines(const struct gi_sheet *of, const struct sheet *sheet, size_t row, FILE *out)
{
    struct figures f = figures_of(of, sheet, row);
    for (uint32_t i = 0; i < f.count; i++) {
        fprintf(out, "%s,\"%s\",%s,", of->name, of->row[row].label, f.figure[i].name);
        if (f.figure[i].there)
            fprintf(out, "%.9f", f.figure[i].value);
        fputc('\n', out);
    }
}

void gi_sheets_csv(const struct gi_sheets *sheets, FILE *out)
{
    fputs("table,row,figure,value\n", out);
    for (size_t i = 0; i < gi_sheet_count; i++)
        for (size_t k = 0; gi_sheet_list[i].row[k].label; k++)
            write_lines(&gi_sheet_list[i], &sheets->sheet[i], k, out);
}

// ---- JSON ----

static void put_row(const struct gi_sheet *of, const struct sheet *sheet, size_t row,
                    struct json *json)
{
    struct figures f = figures_of(of, sheet, row);
    json_object(json);
    json_put_text(json, "row", of->row[row].label);
    for (uint32_t i = 0; i < f.count; i++) {
        json_key(json, f.figure[i].name);
        if (f.figure[i].there)
            json_real(json, f.figure[i].value);
        else
            json_null(json);
    }
    json_close(json);
}

void gi_sheets_put(const struct gi_sheets *sheets, struct json *json)
{
    for (size_t i = 0; i < gi_sheet_count; i++) {
        json_key(json, gi_sheet_list[i].name);
        json_array(json);
        for (size_t k = 0; gi_sheet_list[i].row[k].label; k++)
            put_row(&gi_sheet_list[i], &sheets->sheet[i], k, json);
        json_close(json);
    }
}
