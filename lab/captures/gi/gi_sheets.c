// See gi_sheets.h. Mean and deviation by Welford's method: one pass, and exact enough for any
// number of flows.
#include "lab/captures/gi/gi_sheets.h"

#include <math.h>
#include <stdlib.h>

#define LABEL_OCTETS 256 // of a title or a row's label

struct moments {
    uint64_t values;
    double mean, squares; // squares: of the differences from the mean
};

struct cell {
    uint64_t flows, of; // of: those that are in the row or are known not to be
    struct moments a, b;
    double sum_a, sum_b, sum_aa, sum_ab, sum_bb; // of flows that have both, but for the first two
    struct histogram *histogram;
    uint64_t *bin; // of each width, one after the other; behind the bins one for what is beyond
};

// Widths of bins that are tried: the list's own, and a thousandth to a thousandfold of it, for a
// LAN has round trips that all are in the first bin of a mobile network's, and rates far beyond the
// last. The list's is kept but where nine in ten flows are in its first bin, or beyond its last.
#define WIDTHS    7
#define OWN_WIDTH 3
static const struct {
    uint64_t times, over;
} widths[WIDTHS] = {{1, 1000}, {1, 100}, {1, 10}, {1, 1}, {10, 1}, {100, 1}, {1000, 1}};

struct sheet {
    const struct gi_field *a, *b;
    struct cell cell[GI_SHEET_ROWS];
};

// Flows wait until there are some, as to fetch the cells and all that is asked of a flow takes
// longer than to count it.
#define WAIT_MOST 64
struct waiting {
    uint32_t flows;
    struct gi_result flow[WAIT_MOST];
};

struct gi_sheets {
    struct sheet *sheet;
    struct waiting *waiting;
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

static void *zeros(size_t n, size_t octets)
{
    void *memory = calloc(n, octets);
    if (!memory)
        abort();
    return memory;
}

// All of a sheet in one piece: the system gives it page by page, when a page is used.
static void create_cells(const struct gi_sheet *of, struct cell *cell)
{
    size_t rows = 0, bins = WIDTHS * (of->bins.count + 1);
    while (of->row[rows].label)
        rows++;
    struct histogram *histogram =
        of->shows & GI_SHOW_QUANTILES ? zeros(rows, sizeof *histogram) : NULL;
    uint64_t *bin = of->bins.count ? zeros(rows, bins * sizeof *bin) : NULL;
    for (size_t i = 0; i < rows; i++) {
        cell[i].histogram = histogram ? &histogram[i] : NULL;
        cell[i].bin = bin ? &bin[i * bins] : NULL;
    }
}

struct gi_sheets *gi_sheets_create(void)
{
    struct gi_sheets *sheets = zeros(1, sizeof *sheets);
    sheets->sheet = zeros(gi_sheet_count, sizeof *sheets->sheet);
    sheets->waiting = zeros(1, sizeof *sheets->waiting);
    for (size_t i = 0; i < gi_sheet_count; i++) {
        const struct gi_sheet *of = &gi_sheet_list[i];
        sheets->sheet[i].a = field_of(of->a);
        sheets->sheet[i].b = field_of(of->b);
        create_cells(of, sheets->sheet[i].cell);
    }
    return sheets;
}

void gi_sheets_destroy(struct gi_sheets *sheets)
{
    for (size_t i = 0; i < gi_sheet_count; i++) {
        free(sheets->sheet[i].cell[0].histogram);
        free(sheets->sheet[i].cell[0].bin);
    }
    free(sheets->waiting);
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

static void add_moment(struct moments *moments, double value)
{
    double before = moments->mean;
    moments->values++;
    moments->mean += (value - before) / (double)moments->values;
    moments->squares += (value - before) * (value - moments->mean);
}

static void add_sums(struct cell *cell, double a, double b)
{
    cell->sum_aa += a * a;
    cell->sum_ab += a * b;
    cell->sum_bb += b * b;
}

static double width_of(const struct gi_bins *bins, int w)
{
    return (double)bins->width * (double)widths[w].times / (double)widths[w].over;
}

static uint64_t *bins_of(const struct cell *cell, const struct gi_bins *bins, int w)
{
    return cell->bin + (size_t)w * (bins->count + 1);
}

static void add_bin(struct cell *cell, const struct gi_bins *bins, int64_t value)
{
    uint64_t at = (uint64_t)(value > 0 ? value : 0);
    at = at < UINT64_MAX / 1000 ? at : UINT64_MAX / 1000;
    for (int w = 0; w < WIDTHS; w++) {
        uint64_t width = (uint64_t)bins->width * widths[w].times, place = at * widths[w].over;
        uint64_t i = place == width * bins->count ? bins->count - 1 : place / width;
        bins_of(cell, bins, w)[i < bins->count ? i : bins->count]++;
    }
}

// By the first row, which has all flows.
static int width_for(const struct gi_bins *bins, const struct cell *all)
{
    uint64_t values = all->a.values;
    int w = OWN_WIDTH;
    while (w > 0 && bins_of(all, bins, w)[0] * 10 > values * 9)
        w--;
    while (w >= OWN_WIDTH && w + 1 < WIDTHS && bins_of(all, bins, w)[bins->count] * 10 > values * 9)
        w++;
    return w;
}

static void count(struct cell *cell, const struct gi_bins *bins, int64_t a, int64_t b)
{
    cell->flows++;
    if (b != GI_NONE) {
        cell->sum_b += (double)b;
        add_moment(&cell->b, (double)b);
    }
    if (a == GI_NONE)
        return;
    cell->sum_a += (double)a;
    add_moment(&cell->a, (double)a);
    if (b != GI_NONE)
        add_sums(cell, (double)a, (double)b);
    if (cell->histogram)
        histogram_add(cell->histogram, a > 0 ? (uint64_t)a : 0);
    if (cell->bin)
        add_bin(cell, bins, a);
}

static void count_in(const struct gi_sheet *of, struct sheet *sheet, const struct gi_result *result)
{
    int64_t a = value_of(sheet->a, result), b = value_of(sheet->b, result);
    for (size_t k = 0; of->row[k].label; k++) {
        if (!gi_sheet_knows(&of->row[k], result))
            continue;
        sheet->cell[k].of++;
        if (of->row[k].is(result))
            count(&sheet->cell[k], &of->bins, a, b);
    }
}

static void count_waiting(const struct gi_sheets *sheets)
{
    struct waiting *waiting = sheets->waiting;
    for (size_t i = 0; i < gi_sheet_count; i++)
        for (uint32_t k = 0; k < waiting->flows; k++)
            if (gi_sheet_list[i].about(&waiting->flow[k]))
                count_in(&gi_sheet_list[i], &sheets->sheet[i], &waiting->flow[k]);
    waiting->flows = 0;
}

void gi_sheets_count(struct gi_sheets *sheets, const struct gi_result *result)
{
    struct waiting *waiting = sheets->waiting;
    waiting->flow[waiting->flows++] = *result;
    if (waiting->flows == WAIT_MOST)
        count_waiting(sheets);
}

// Whatever is read of a sheet is read by this.
static const struct sheet *sheet_of(const struct gi_sheets *sheets, size_t i)
{
    count_waiting(sheets);
    return &sheets->sheet[i];
}

// ---- Figures of a row ----

// In the unit that is written: seconds, a fraction, or as it is.
static double scaled(const struct gi_field *field, double value)
{
    return field->kind == GI_KIND_NS      ? value / S_IN_NS
           : field->kind == GI_KIND_SHARE ? value / 1000000
                                          : value;
}

struct figure {
    char name[48];    // of JSON
    const char *head; // of the text; its unit is the sheet's
    bool there, percent, fraction;
    bool aside; // JSON alone: what a comparison of two reports needs besides
    double value;
};

#define FIGURES_MOST 16

struct figures {
    struct figure figure[FIGURES_MOST];
    uint32_t count;
};

static void add(struct figures *figures, bool aside, bool there, double value, const char *what,
                const struct gi_field *field)
{
    enum gi_kind kind = field ? field->kind : GI_KIND_COUNT;
    const char *unit = kind == GI_KIND_NS ? "_s" : kind == GI_KIND_RATE ? "_bit_per_s" : "";
    struct figure *figure = &figures->figure[figures->count++];
    *figure = (struct figure){.there = there, .value = value, .head = what, .aside = aside};
    snprintf(figure->name, sizeof figure->name, "%s%s%s%s", what, field && what[0] ? "_" : "",
             field ? field->name : "", unit);
    figure->percent = kind == GI_KIND_FLAG || kind == GI_KIND_SHARE || strcmp(what, "share") == 0 ||
                      strcmp(what, "ratio") == 0;
    figure->fraction = kind == GI_KIND_NS;
}

static double deviation_of(const struct moments *m)
{
    return m->values > 1 ? sqrt(m->squares / (double)(m->values - 1)) : 0;
}

// The standard error of sum a / sum b, if flows are independent of each other; what is counted
// within a flow need not be.
static double error_of(const struct cell *cell)
{
    double n = (double)cell->a.values, ratio = cell->sum_a / cell->sum_b;
    double squares = cell->sum_aa - 2 * ratio * cell->sum_ab + ratio * ratio * cell->sum_bb;
    return sqrt(fmax(squares, 0) * n / (n - 1)) / cell->sum_b;
}

static double quantile_of(const struct sheet *sheet, const struct cell *cell, uint32_t per_mille)
{
    return scaled(sheet->a, (double)histogram_quantile(cell->histogram, per_mille));
}

static struct figures figures_of(const struct gi_sheet *of, const struct sheet *sheet, size_t row)
{
    struct figures f = {.count = 0};
    const struct cell *cell = &sheet->cell[row];
    const struct gi_field *a = sheet->a, *b = sheet->b;
    const unsigned shows = of->shows;
// clang-format off
#define FIGURE(is_shown, what, field, there, value) \
    if (is_shown)                                   \
        add(&f, false, there, (there) ? (value) : 0, what, field);
#define ASIDE(is_shown, what, field, there, value) \
    if (is_shown)                                  \
        add(&f, true, there, (there) ? (value) : 0, what, field);
#include "lab/captures/gi/gi_sheet_figures.def"
#undef FIGURE
#undef ASIDE
    // clang-format on
    return f;
}

// ---- Text ----

static void print_figure(const struct figure *figure, FILE *out)
{
    char text[48] = "-";
    if (figure->there && figure->percent)
        snprintf(text, sizeof text, "%.2f %%", 100 * figure->value);
    else if (figure->there)
        snprintf(text, sizeof text, "%.*f",
                 figure->fraction ? gi_seconds_decimals(figure->value) : 0, figure->value);
    fprintf(out, "  %10s", text);
}

static void print_sheet(const struct gi_sheet *of, const struct sheet *sheet,
                        const struct gi_sides *sides, FILE *out)
{
    char text[LABEL_OCTETS];
    fprintf(out, "\n%s\n", gi_sides_in(sides, of->title, text, sizeof text));
    struct figures head = figures_of(of, sheet, 0);
    fprintf(out, "%-44s", "");
    for (uint32_t i = 0; i < head.count; i++)
        if (!head.figure[i].aside)
            fprintf(out, "  %10s", head.figure[i].head);
    fprintf(out, "\n");
    for (size_t k = 0; of->row[k].label; k++) {
        if (k && of->shows & GI_SHOW_FILLED && sheet->cell[k].flows == 0)
            continue;
        struct figures f = figures_of(of, sheet, k);
        fprintf(out, "%-44s", gi_sides_in(sides, of->row[k].label, text, sizeof text));
        for (uint32_t i = 0; i < f.count; i++)
            if (!f.figure[i].aside)
                print_figure(&f.figure[i], out);
        fprintf(out, "\n");
    }
}

void gi_sheets_print(const struct gi_sheets *sheets, const struct gi_sides *sides, FILE *out)
{
    for (size_t i = 0; i < gi_sheet_count; i++)
        print_sheet(&gi_sheet_list[i], sheet_of(sheets, i), sides, out);
}

// ---- CSV ----

// A row of a file; figure: of tables; from and flows: of bins.
struct line {
    const struct gi_sheet *of;
    size_t row;
    const struct figure *figure;
    double from;
    uint64_t flows;
};

static const char *text_of(char room[TABLE_ROOM], const char *format, double value)
{
    snprintf(room, TABLE_ROOM, format, value);
    return room;
}

#define TABLE_FILE  "lab/captures/gi/gi_sheets.def"
#define TABLE_OWNER const void *nothing
#include "lab/base/table_make.h"

static void write_lines(const struct gi_sheet *of, const struct sheet *sheet, size_t row, FILE *out)
{
    struct figures f = figures_of(of, sheet, row);
    for (uint32_t i = 0; i < f.count; i++) {
        struct line line = {of, row, &f.figure[i], 0, 0};
        table_csv_row(&gi_list_tables, NULL, &line, out);
    }
}

void gi_sheets_csv(const struct gi_sheets *sheets, FILE *out)
{
    table_csv_head(&gi_list_tables, out);
    for (size_t i = 0; i < gi_sheet_count; i++)
        for (size_t k = 0; gi_sheet_list[i].row[k].label; k++)
            write_lines(&gi_sheet_list[i], sheet_of(sheets, i), k, out);
}

static void write_bins(const struct gi_sheet *of, const struct sheet *sheet, size_t row, FILE *out)
{
    int w = width_for(&of->bins, &sheet->cell[0]);
    for (uint32_t i = 0; i <= of->bins.count; i++) {
        struct line line = {of, row, NULL, scaled(sheet->a, i * width_of(&of->bins, w)),
                            bins_of(&sheet->cell[row], &of->bins, w)[i]};
        if (line.flows)
            table_csv_row(&gi_list_bins, NULL, &line, out);
    }
}

void gi_sheets_csv_bins(const struct gi_sheets *sheets, FILE *out)
{
    table_csv_head(&gi_list_bins, out);
    for (size_t i = 0; i < gi_sheet_count; i++)
        for (size_t k = 0; gi_sheet_list[i].bins.count && gi_sheet_list[i].row[k].label; k++)
            write_bins(&gi_sheet_list[i], sheet_of(sheets, i), k, out);
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
        json_put_array(json, gi_sheet_list[i].name);
        for (size_t k = 0; gi_sheet_list[i].row[k].label; k++)
            put_row(&gi_sheet_list[i], sheet_of(sheets, i), k, json);
        json_close(json);
    }
}

// Up to the last bin that is not empty.
static void put_counts(const uint64_t *bin, uint32_t most, struct json *json)
{
    uint32_t count = most;
    while (count > 0 && bin[count - 1] == 0)
        count--;
    json_put_array(json, "counts");
    for (uint32_t i = 0; i < count; i++)
        json_integer(json, (int64_t)bin[i]);
    json_close(json);
    json_put(json, "beyond", bin[most]);
}

static void put_bins(const struct gi_sheet *of, const struct sheet *sheet, struct json *json)
{
    int w = width_for(&of->bins, &sheet->cell[0]);
    json_put_object(json, of->name);
    json_put_text(json, "of", of->a);
    json_key(json, "width");
    json_real(json, scaled(sheet->a, width_of(&of->bins, w)));
    json_put(json, "bins", of->bins.count);
    json_put_array(json, "rows");
    for (size_t k = 0; of->row[k].label; k++) {
        json_object(json);
        json_put_text(json, "row", of->row[k].label);
        put_counts(bins_of(&sheet->cell[k], &of->bins, w), of->bins.count, json);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void gi_sheets_put_bins(const struct gi_sheets *sheets, struct json *json)
{
    for (size_t i = 0; i < gi_sheet_count; i++)
        if (gi_sheet_list[i].bins.count)
            put_bins(&gi_sheet_list[i], sheet_of(sheets, i), json);
}

void gi_sheets_put_titles(const struct gi_sides *sides, struct json *json)
{
    char text[LABEL_OCTETS];
    for (size_t i = 0; i < gi_sheet_count; i++)
        json_put_text(json, gi_sheet_list[i].name,
                      gi_sides_in(sides, gi_sheet_list[i].title, text, sizeof text));
}

// ---- For others ----

static size_t sheet_named(const char *name)
{
    size_t i = 0;
    while (i < gi_sheet_count && strcmp(gi_sheet_list[i].name, name) != 0)
        i++;
    return i;
}

bool gi_sheets_figure(const struct gi_sheets *sheets, const char *sheet, const char *row,
                      const char *figure, double *value)
{
    size_t i = sheet_named(sheet), k = 0;
    if (i == gi_sheet_count)
        return false;
    while (gi_sheet_list[i].row[k].label && strcmp(gi_sheet_list[i].row[k].label, row) != 0)
        k++;
    if (!gi_sheet_list[i].row[k].label)
        return false;
    struct figures f = figures_of(&gi_sheet_list[i], sheet_of(sheets, i), k);
    for (uint32_t j = 0; j < f.count; j++)
        if (strcmp(f.figure[j].name, figure) == 0) {
            *value = f.figure[j].value;
            return f.figure[j].there;
        }
    return false;
}

const uint64_t *gi_sheets_bins(const struct gi_sheets *sheets, const char *sheet, uint32_t *count)
{
    size_t i = sheet_named(sheet);
    *count = i < gi_sheet_count ? gi_sheet_list[i].bins.count : 0;
    return *count ? bins_of(&sheet_of(sheets, i)->cell[0], &gi_sheet_list[i].bins, OWN_WIDTH)
                  : NULL;
}
