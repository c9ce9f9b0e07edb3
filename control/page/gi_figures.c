// See gi_figures.h. Numbers are checked as they are read: a report may be anybody's.
#include "control/page/gi_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"

#define BINS_MOST    1000u
#define COLUMNS_MOST 100u // in a picture; more bins are taken together
#define STEPS_MOST   40u
#define ROWS_MOST    16u
#define SERIES_MOST  5u
#define VALUE_MOST   1e15
#define TEXT_ROOM    96

// ---- Memory ----

static void *keep(struct gi_figures *f, size_t octets)
{
    void *memory = f->kepts < GI_KEPT_MOST ? calloc(1, octets) : NULL;
    if (!memory)
        abort();
    return f->kept[f->kepts++] = memory;
}

void gi_figures_release(struct gi_figures *f)
{
    while (f->kepts > 0)
        free(f->kept[--f->kepts]);
}

static struct figure *begin(struct gi_figures *f, const char *title, const char *x_title,
                            const char *y_title)
{
    if (f->count == GI_FIGURES_MOST)
        abort();
    struct figure *figure = &f->figure[f->count];
    *figure = (struct figure){.name = keep(f, SERIES_MOST * sizeof *figure->name),
                              .plot = {.x_title = x_title, .y_title = y_title, .row_bars = 1}};
    snprintf(figure->title, sizeof figure->title, "%s", title);
    return figure;
}

// A figure without flows is named, not drawn.
static void end(struct gi_figures *f, const struct figure *figure, bool drawn)
{
    size_t n = strlen(f->empty);
    f->count += drawn;
    if (!drawn)
        snprintf(f->empty + n, sizeof f->empty - n, "%s%.*s", n ? ", " : "",
                 (int)strcspn(figure->title, ":"), figure->title);
}

// The flows of a name are its second half.
static void add_name(struct gi_figures *f, struct figure *figure, const char *name, double flows,
                     uint32_t colour)
{
    char *text = keep(f, TEXT_ROOM);
    snprintf(text, TEXT_ROOM, flows < 0 ? "%s" : "%s (%.0f)", name, flows);
    figure->name[figure->names++] = (struct figures_name){text, colour};
}

// ---- Reading ----

static const struct json_object *labelled(const struct json_object *rows, const char *label)
{
    char text[TEXT_ROOM];
    for (size_t i = 0; i < value_count(rows); i++)
        if (strcmp(value_text(value_at(rows, i), "row", text, sizeof text), label) == 0)
            return value_at(rows, i);
    return NULL;
}

const struct json_object *gi_figures_row(const struct json_object *report, const char *table,
                                         const char *label)
{
    return labelled(value_in(value_in(report, "tables"), table), label);
}

// 0: there is none.
static double number(const struct json_object *row, const char *key)
{
    double value = value_as_real(value_in(row, key));
    return fabs(value) < VALUE_MOST ? value : 0;
}

struct bins {
    double width, all; // width as on the axis; all: with those beyond
    uint32_t count;    // up to the last that is not empty
    double n[BINS_MOST];
};

static struct bins *bins_of(struct gi_figures *f, const struct json_object *report,
                            const char *sheet, const char *label, double scale)
{
    const struct json_object *of = value_in(value_in(report, "histograms"), sheet);
    const struct json_object *row = labelled(value_in(of, "rows"), label);
    const struct json_object *counts = value_in(row, "counts");
    struct bins *bins = keep(f, sizeof *bins);
    bins->width = number(of, "width") * scale;
    bins->all = number(row, "beyond");
    for (uint32_t i = 0; i < value_count(counts) && i < BINS_MOST; i++) {
        double n = value_as_real(value_at(counts, i));
        bins->n[i] = n > 0 && n < VALUE_MOST ? n : 0;
        bins->all += bins->n[i];
        if (bins->n[i] > 0)
            bins->count = i + 1;
    }
    if (!(bins->width > 0 && bins->width < VALUE_MOST))
        bins->count = 0;
    return bins;
}

// So many bins are taken together that at most `most` are shown.
static uint32_t together(uint32_t count, uint32_t most)
{
    return count > most ? (count + most - 1) / most : 1;
}

static double sum_of(const struct bins *bins, uint32_t from, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = from; i < from + n && i < bins->count; i++)
        sum += bins->n[i];
    return sum;
}

static void tell_beyond(struct figure *figure, const struct bins *bins, double end)
{
    double beyond = bins->all - sum_of(bins, 0, bins->count);
    if (beyond > 0)
        snprintf(figure->remark, sizeof figure->remark, "%.0f flows are beyond %g.", beyond, end);
}

static const char *share_title(struct gi_figures *f, double width, const char *unit)
{
    char *text = keep(f, TEXT_ROOM);
    snprintf(text, TEXT_ROOM, "flows in %g%s%s, %%", width, *unit ? " " : "", unit);
    return text;
}

// ---- Histograms ----

struct histogram {
    const char *title, *x_title, *unit, *sheet;
    double scale; // from the JSON's unit to the axis's
    const char *row[SERIES_MOST];
};

static void set_axes(struct plot *p, double x_most, double y_most)
{
    p->x_most = x_most > 0 ? x_most : 1;
    p->y_most = y_most > 0 ? 1.05 * y_most : 1;
}

// The rows lie on each other, the first below, in shares of all of them together; later columns are
// drawn over earlier ones, so the whole height comes first.
static void add_stack(struct gi_figures *f, const struct json_object *report,
                      const struct histogram *h)
{
    struct figure *figure = begin(f, h->title, h->x_title, NULL);
    struct plot *p = &figure->plot;
    struct bins *bins[SERIES_MOST];
    uint32_t rows = 0, count = 0;
    double all = 0, beyond = 0, y_most = 0;
    for (; rows < SERIES_MOST && h->row[rows]; rows++) {
        bins[rows] = bins_of(f, report, h->sheet, h->row[rows], h->scale);
        count = bins[rows]->count > count ? bins[rows]->count : count;
        all += bins[rows]->all;
        beyond += bins[rows]->all - sum_of(bins[rows], 0, bins[rows]->count);
    }
    uint32_t step = together(count, COLUMNS_MOST);
    double width = bins[0]->width * step;
    p->column = keep(f, ((size_t)count * rows + 1) * sizeof *p->column);
    for (uint32_t i = 0; i < count; i += step)
        for (uint32_t k = rows; k-- > 0;) {
            double top = 0, left = bins[0]->width * i;
            for (uint32_t j = 0; j <= k; j++)
                top += 100 * sum_of(bins[j], i, step) / all;
            if (sum_of(bins[k], i, step) > 0)
                p->column[p->columns++] = (struct plot_column){left, left + width, top, k};
            y_most = fmax(y_most, top);
        }
    for (uint32_t k = 0; k < rows && rows > 1; k++)
        add_name(f, figure, h->row[k], bins[k]->all, k);
    if (beyond > 0)
        snprintf(figure->remark, sizeof figure->remark, "%.0f flows are beyond the last bin.",
                 beyond);
    figure->boxes = true;
    p->y_title = share_title(f, width, h->unit);
    set_axes(p, bins[0]->width * count, y_most);
    end(f, figure, p->columns > 0);
}

static struct plot_line *add_line(struct gi_figures *f, struct figure *figure, uint32_t points,
                                  uint32_t colour)
{
    struct plot *p = &figure->plot;
    if (!p->line)
        p->line = keep(f, SERIES_MOST * sizeof *p->line);
    p->line[p->lines] =
        (struct plot_line){.point = keep(f, points * sizeof(struct plot_point)), .colour = colour};
    return &p->line[p->lines++];
}

static void add_point(struct plot_line *line, double x, double y)
{
    line->point[line->points++] = (struct plot_point){x, y};
}

// What part is below x.
static void add_cdf(struct gi_figures *f, struct figure *figure, const struct bins *bins,
                    const char *name, uint32_t colour)
{
    if (bins->count == 0)
        return;
    struct plot_line *line = add_line(f, figure, bins->count + 2, colour);
    uint32_t first = 0;
    while (bins->n[first] == 0)
        first++;
    add_point(line, bins->width * first, 0);
    for (uint32_t i = first; i < bins->count; i++)
        add_point(line, bins->width * (i + 1), 100 * sum_of(bins, 0, i + 1) / bins->all);
    add_name(f, figure, name, bins->all, colour);
    set_axes(&figure->plot, fmax(figure->plot.x_most, bins->width * bins->count), 100 / 1.05);
    tell_beyond(figure, bins, bins->width * bins->count);
}

// Each goes on as far as the longest.
static void end_cdfs(struct gi_figures *f, struct figure *figure)
{
    struct plot *p = &figure->plot;
    for (uint32_t i = 0; i < p->lines; i++) {
        const struct plot_line *line = &p->line[i];
        const struct plot_point *last = &line->point[line->points - 1];
        if (last->x < p->x_most)
            add_point(&p->line[i], p->x_most, last->y);
    }
    end(f, figure, p->lines > 0);
}

// A stair, from the ground to the ground.
static void add_stair(struct gi_figures *f, struct figure *figure, const struct bins *bins,
                      uint32_t step, const char *name, uint32_t colour)
{
    struct plot *p = &figure->plot;
    if (bins->count == 0)
        return;
    struct plot_line *line = add_line(f, figure, 2 * bins->count + 4, colour);
    double width = bins->width, most = p->y_most / 1.05, right = 0;
    add_point(line, 0, 0);
    for (uint32_t i = 0; i < bins->count; i += step) {
        double share = 100 * sum_of(bins, i, step) / bins->all;
        right = width * (i + step);
        add_point(line, width * i, share);
        add_point(line, right, share);
        most = fmax(most, share);
    }
    add_point(line, right, 0);
    add_name(f, figure, name, bins->all, colour);
    set_axes(p, fmax(p->x_most, right), most);
    tell_beyond(figure, bins, width * bins->count);
}

static void add_stairs(struct gi_figures *f, const struct json_object *report,
                       const struct histogram *h)
{
    struct figure *figure = begin(f, h->title, h->x_title, NULL);
    struct bins *bins[SERIES_MOST];
    uint32_t rows = 0, count = 0;
    for (; rows < SERIES_MOST && h->row[rows]; rows++) {
        bins[rows] = bins_of(f, report, h->sheet, h->row[rows], h->scale);
        count = bins[rows]->count > count ? bins[rows]->count : count;
    }
    uint32_t step = together(count, STEPS_MOST);
    for (uint32_t k = 0; k < rows; k++)
        add_stair(f, figure, bins[k], step, h->row[k], k);
    figure->plot.y_title = share_title(f, bins[0]->width * step, h->unit);
    end(f, figure, figure->plot.lines > 0);
}

static void add_round_trips(struct gi_figures *f, const struct json_object *report)
{
    static const char *const rows[][3] = {{"GPRS side, all", "rtt_gprs", "all"},
                                          {"peak, 10 to 12 h", "rtt_gprs", "peak, 10 to 12 h"},
                                          {"off-peak, 3 to 7 h", "rtt_gprs", "off-peak, 3 to 7 h"},
                                          {"Internet side", "rtt_internet", "all"}};
    struct figure *figure = begin(f, "Fig. 4: round trips at set-up, without background",
                                  "round trip, s", "flows below, %");
    for (uint32_t i = 0; i < 4; i++)
        add_cdf(f, figure, bins_of(f, report, rows[i][1], rows[i][2], 1), rows[i][0], i);
    end_cdfs(f, figure);
}

// ---- Bars ----

struct bars {
    struct figure *figure;
    double most;
    uint32_t series;
};

static struct bars begin_bars(struct gi_figures *f, const char *title, const char *x_title,
                              uint32_t series)
{
    struct bars b = {.figure = begin(f, title, x_title, ""), .series = series};
    struct plot *p = &b.figure->plot;
    p->bar = keep(f, 2 * ROWS_MOST * series * sizeof *p->bar);
    p->row = keep(f, ROWS_MOST * sizeof *p->row);
    p->row_bars = series;
    b.figure->boxes = true;
    return b;
}

// A bar of the row that was begun last, and a line of the deviation over it.
static void add_bar(struct bars *b, uint32_t series, double value, double deviation)
{
    struct plot *p = &b->figure->plot;
    double low = (double)series / b->series, high = (series + 1.0) / b->series;
    double middle = (low + high) / 2, thin = 0.03 / (p->row_bars > 1 ? 1 : 2);
    p->bar[p->bars++] = (struct plot_bar){0, value, low, high, p->rows - 1, series};
    if (deviation > 0)
        p->bar[p->bars++] = (struct plot_bar){fmax(value - deviation, 0),
                                              value + deviation,
                                              middle - thin,
                                              middle + thin,
                                              p->rows - 1,
                                              PLOT_INK};
    b->most = fmax(b->most, value + deviation);
}

static void end_bars(struct gi_figures *f, struct bars *b)
{
    b->figure->plot.x_most = b->most > 0 ? 1.05 * b->most : 1;
    end(f, b->figure, b->figure->plot.bars > 0);
}

static char *begin_row(struct bars *b)
{
    return b->figure->plot.row[b->figure->plot.rows++];
}

// What the paper has of a row, or NULL.
static const struct json_object *published(const struct json_object *report, const char *where,
                                           const char *what)
{
    const struct json_object *rows = value_in(report, "paper");
    char text[TEXT_ROOM];
    for (size_t i = 0; i < value_count(rows); i++)
        if (strcmp(value_text(value_at(rows, i), "where", text, sizeof text), where) == 0 &&
            strcmp(value_text(value_at(rows, i), "what", text, sizeof text), what) == 0)
            return value_at(rows, i);
    return NULL;
}

static void add_bottlenecks(struct gi_figures *f, const struct json_object *report)
{
    static const char *const labels[] = {"no loss", "GPRS", "Internet", "equal"};
    bool paper = value_in(report, "paper");
    struct bars b = begin_bars(f, "Fig. 8: where more of a flow was lost", "flows, %", 1 + paper);
    double flows = 0;
    for (int i = 0; i < 4; i++) {
        const struct json_object *row = gi_figures_row(report, "bottlenecks", labels[i]);
        snprintf(begin_row(&b), PLOT_ROW_OCTETS, "%s: %.0f", labels[i], number(row, "flows"));
        flows += number(row, "flows");
        add_bar(&b, 0, 100 * number(row, "share"), 0);
        const struct json_object *other = published(report, "Fig. 8", labels[i]);
        if (other)
            add_bar(&b, 1, 100 * number(other, "published_least"), 0);
    }
    add_name(f, b.figure, "of this capture", flows, 0);
    if (paper)
        add_name(f, b.figure, "published", -1, 1);
    if (flows == 0)
        b.figure->plot.bars = 0;
    end_bars(f, &b);
}

static void add_losses(struct gi_figures *f, const struct json_object *report)
{
    static const char *const rows[][2] = {{"loss below 1 %", "below 0.01"},
                                          {"loss 1 to 2 %", "0.01 to 0.02"},
                                          {"loss 2 to 3 %", "0.02 to 0.03"}};
    struct bars b =
        begin_bars(f, "Fig. 10: single flows above 100 kB, by their loss ratio", "mean, kbit/s", 2);
    for (int i = 0; i < 3; i++) {
        const struct json_object *row = gi_figures_row(report, "single", rows[i][0]);
        if (number(row, "flows") == 0)
            continue;
        snprintf(begin_row(&b), PLOT_ROW_OCTETS, "%s: %.0f", rows[i][1], number(row, "flows"));
        add_bar(&b, 0, number(row, "mean_throughput_bit_per_s") / 1000,
                number(row, "deviation_throughput_bit_per_s") / 1000);
        add_bar(&b, 1, number(row, "b_goodput_bit_per_s") / 1000,
                number(row, "deviation_b_goodput_bit_per_s") / 1000);
    }
    add_name(f, b.figure, "throughput", -1, 0);
    add_name(f, b.figure, "goodput", -1, 1);
    snprintf(b.figure->remark, sizeof b.figure->remark,
             "Rows: loss ratio, and the number of flows. Thin lines: standard deviation.");
    end_bars(f, &b);
}

// ---- Clusters ----

// What a cluster is told by; a figure has one of these as its series, the others as rows.
enum { WINDOW, SACK, MSS, STAMPS, TRAITS };

static const struct {
    uint32_t count;
    const char *in_label[3], *series[3], *all[3];
} traits[TRAITS] = {
    {3,
     {"window low", "window medium", "window high"},
     {"window low", "window medium", "window high"},
     {"window low", "window medium", "window high"}},
    {2, {", SACK", ", no SACK"}, {"SACK", "no SACK"}, {"SACK", "no SACK"}},
    {2, {", MSS low", ", MSS high"}, {"MSS low", "MSS high"}, {"MSS low", "MSS high"}},
    {2, {"", ", timestamps"}, {"no timestamps", "timestamps"}, {"no timestamps", "timestamps"}}};

// As a row of a picture names them, which is narrow.
static const char *const short_names[TRAITS][3] = {{"wnd low", "wnd med", "wnd high"},
                                                   {" SACK", " no SACK"},
                                                   {" MSS low", " MSS high"},
                                                   {"", " TS"}};

static const struct json_object *cluster(const struct json_object *report,
                                         const uint32_t at[TRAITS])
{
    char label[TEXT_ROOM];
    snprintf(label, sizeof label, "%s%s%s%s", traits[WINDOW].in_label[at[WINDOW]],
             traits[SACK].in_label[at[SACK]], traits[MSS].in_label[at[MSS]],
             traits[STAMPS].in_label[at[STAMPS]]);
    return gi_figures_row(report, "clusters", label);
}

// Its name, and the flows of each series.
static void name_row(char *row, const char *name, const double *flows, uint32_t series)
{
    size_t n = (size_t)snprintf(row, PLOT_ROW_OCTETS, "%s:", name);
    for (uint32_t i = 0; i < series && n < PLOT_ROW_OCTETS; i++)
        n += (size_t)snprintf(row + n, PLOT_ROW_OCTETS - n, "%s%.0f", i ? "/" : " ", flows[i]);
}

// A row is shown if two series at least have flows, as the figure compares them.
static void add_cluster_row(struct bars *b, const char *name, const struct json_object *const *rows)
{
    double flows[3];
    uint32_t filled = 0;
    for (uint32_t i = 0; i < b->series; i++)
        filled += (flows[i] = number(rows[i], "flows")) > 0;
    if (filled < 2 || b->figure->plot.rows == ROWS_MOST)
        return;
    name_row(begin_row(b), name, flows, b->series);
    for (uint32_t i = 0; i < b->series; i++)
        if (flows[i] > 0)
            add_bar(b, i, number(rows[i], "mean_goodput_bit_per_s") / 1000,
                    number(rows[i], "deviation_goodput_bit_per_s") / 1000);
}

static void add_effect(struct gi_figures *f, const struct json_object *report, const char *title,
                       uint32_t trait)
{
    struct bars b = begin_bars(f, title, "goodput, kbit/s", traits[trait].count);
    const struct json_object *rows[3] = {NULL};
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t at[TRAITS] = {i / 8, i / 4 % 2, i / 2 % 2, i % 2};
        char name[PLOT_ROW_OCTETS] = "";
        if (at[trait] != 0)
            continue;
        for (uint32_t k = 0; k < TRAITS; k++)
            if (k != trait)
                strcat(name, short_names[k][at[k]]);
        for (at[trait] = 0; at[trait] < b.series; at[trait]++)
            rows[at[trait]] = cluster(report, at);
        add_cluster_row(&b, name + (name[0] == ' '), rows);
    }
    for (uint32_t i = 0; i < b.series; i++) {
        rows[i] = gi_figures_row(report, "clusters", traits[trait].all[i]);
        add_name(f, b.figure, traits[trait].series[i], number(rows[i], "flows"), i);
    }
    add_cluster_row(&b, "all", rows);
    snprintf(b.figure->remark, sizeof b.figure->remark,
             "Rows: clusters, and the flows of each bar. Thin lines: standard deviation.");
    end_bars(f, &b);
}

// ---- One report ----

void gi_figures_of(struct gi_figures *f, const struct json_object *report)
{
    static const struct histogram
        setups = {"Fig. 3: set-up delay",
                  "set-up delay, s",
                  "s",
                  "setups",
                  1,
                  {"1 SYN, 1 SYN-ACK, no background", "1 SYN, 1 SYN-ACK, background",
                   "1+ SYN or SYN-ACK, no background", "1+ SYN or SYN-ACK, background"}},
        rates =
            {"Fig. 7: rate of the channel, down", "rate, kbit/s", "kbit/s", "rates", 1e-3, {"all"}},
        single = {"Fig. 9: throughput of single flows above 100 kB",
                  "throughput, kbit/s",
                  "kbit/s",
                  "single",
                  1e-3,
                  {"all"}},
        shares = {"Fig. 11: a flow above 100 kB in the traffic of its user",
                  "Btcp / (Btcp + Bother)",
                  "",
                  "shares",
                  1,
                  {"all"}},
        parallel = {
            "Fig. 13: throughput of users during flows above 100 kB",
            "throughput, kbit/s",
            "kbit/s",
            "parallel",
            1e-3,
            {"less than 1/3 background", "1/3 to 2/3 background", "at least 2/3 background"}};
    *f = (struct gi_figures){.count = 0};
    add_stack(f, report, &setups);
    add_round_trips(f, report);
    add_stack(f, report, &rates);
    add_bottlenecks(f, report);
    add_stack(f, report, &single);
    add_losses(f, report);
    add_stack(f, report, &shares);
    add_stairs(f, report, &parallel);
    add_effect(f, report, "Fig. 14: the effect of the MSS", MSS);
    add_effect(f, report, "Fig. 15: the effect of SACK", SACK);
    add_effect(f, report, "Fig. 16: the effect of timestamps", STAMPS);
    add_effect(f, report, "Fig. 17: the effect of the receiver's window", WINDOW);
}

// ---- Two reports ----

static void add_both(struct gi_figures *f, const struct json_object *const reports[2],
                     const struct histogram *h)
{
    static const char *const names[] = {"A", "B"};
    struct figure *figure = begin(f, h->title, h->x_title, "flows below, %");
    for (uint32_t i = 0; i < 2; i++)
        add_cdf(f, figure, bins_of(f, reports[i], h->sheet, h->row[0], h->scale), names[i], i);
    end_cdfs(f, figure);
}

// The 95 % interval of a mean of many; few are too few to draw one.
static double interval_of(const struct json_object *row)
{
    double n = number(row, "values");
    return n >= 30 ? 1.96 * number(row, "deviation_goodput_bit_per_s") / sqrt(n) : 0;
}

static void add_goodputs(struct gi_figures *f, const struct json_object *const reports[2])
{
    static const char *const labels[] = {
        "all",        "MSS low",       "MSS high",   "SACK",          "no SACK",
        "timestamps", "no timestamps", "window low", "window medium", "window high"};
    struct bars b =
        begin_bars(f, "Table III: goodput of single flows above 32 kB", "mean, kbit/s", 2);
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        double flows[2];
        const struct json_object *row[2];
        for (int s = 0; s < 2; s++) {
            row[s] = gi_figures_row(reports[s], "clusters", labels[i]);
            flows[s] = number(row[s], "flows");
        }
        if (flows[0] + flows[1] == 0)
            continue;
        name_row(begin_row(&b), labels[i], flows, 2);
        for (uint32_t s = 0; s < 2; s++)
            if (flows[s] > 0)
                add_bar(&b, s, number(row[s], "mean_goodput_bit_per_s") / 1000,
                        interval_of(row[s]) / 1000);
    }
    add_name(f, b.figure, "A", -1, 0);
    add_name(f, b.figure, "B", -1, 1);
    snprintf(b.figure->remark, sizeof b.figure->remark,
             "Rows: flows of A and B. Thin lines: 95 %% interval of means of 30 flows or more.");
    end_bars(f, &b);
}

void gi_figures_beside(struct gi_figures *f, const struct json_object *const reports[2])
{
    static const struct histogram list[] = {
        {"Fig. 3: set-up delay", "set-up delay, s", "", "setups", 1, {"all"}},
        {"Fig. 4: round trip on the GPRS side", "round trip, s", "", "rtt_gprs", 1, {"all"}},
        {"Fig. 4: round trip on the Internet side",
         "round trip, s",
         "",
         "rtt_internet",
         1,
         {"all"}},
        {"Fig. 7: rate of the channel, down", "rate, kbit/s", "", "rates", 1e-3, {"all"}},
        {"Fig. 9: throughput of single flows above 100 kB",
         "throughput, kbit/s",
         "",
         "single",
         1e-3,
         {"all"}},
        {"Fig. 11: a flow above 100 kB in the traffic of its user",
         "Btcp / (Btcp + Bother)",
         "",
         "shares",
         1,
         {"all"}},
        {"Fig. 13: throughput of users during flows above 100 kB",
         "throughput, kbit/s",
         "",
         "parallel",
         1e-3,
         {"all"}}};
    *f = (struct gi_figures){.count = 0};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        add_both(f, reports, &list[i]);
    add_goodputs(f, reports);
}
