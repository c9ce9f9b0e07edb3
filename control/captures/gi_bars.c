// See gi_figures_parts.h: shares and means as bars in rows.
#include "control/captures/gi_figures_parts.h"

#include <math.h>
#include <string.h>

#include "control/client/value.h"

#define ROWS_MOST 16u

// ---- Bars ----

struct bars {
    struct figure *figure;
    double most;
    uint32_t series;
};

static struct bars begin_bars(struct gi_figures *f, const char *title, const char *x_title,
                              uint32_t series)
{
    struct bars b = {.figure = gi_begin(f, title, x_title, ""), .series = series};
    struct plot *p = &b.figure->plot;
    p->bar = gi_keep(f, 2 * ROWS_MOST * series * sizeof *p->bar);
    p->row = gi_keep(f, ROWS_MOST * sizeof *p->row);
    p->row_bars = series;
    p->mark = gi_keep(f, series * sizeof *p->mark);
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

// On a bar of the row that was begun last.
static void add_mark(struct bars *b, uint32_t series, double value)
{
    struct plot *p = &b->figure->plot;
    p->mark[p->marks++] = (struct plot_mark){value, (series + 0.5) / b->series, p->rows - 1};
    b->figure->published = true;
    b->most = fmax(b->most, value);
}

static void end_bars(struct gi_figures *f, struct bars *b)
{
    b->figure->plot.x_most = b->most > 0 ? 1.05 * b->most : 1;
    gi_end_figure(f, b->figure, b->figure->plot.bars > 0);
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
    char text[GI_TEXT_ROOM];
    for (size_t i = 0; i < value_count(rows); i++)
        if (strcmp(value_text(value_at(rows, i), "where", text, sizeof text), where) == 0 &&
            strcmp(value_text(value_at(rows, i), "what", text, sizeof text), what) == 0)
            return value_at(rows, i);
    return NULL;
}

void gi_add_bottlenecks(struct gi_figures *f, const struct json_object *report)
{
    static const char *const labels[] = {"no loss", "GPRS", "Internet", "equal"};
    bool paper = value_in(report, "paper");
    struct bars b = begin_bars(f, "Fig. 8: where more of a flow was lost", "flows, %", 1 + paper);
    double flows = 0;
    char label[GI_SIDE_OCTETS];
    for (int i = 0; i < 4; i++) {
        const struct json_object *row = gi_figures_row(report, "bottlenecks", labels[i]);
        snprintf(begin_row(&b), PLOT_ROW_OCTETS, "%s: %.0f",
                 gi_sides_in(&f->sides, labels[i], label, sizeof label), gi_number(row, "flows"));
        flows += gi_number(row, "flows");
        add_bar(&b, 0, 100 * gi_number(row, "share"), 0);
        const struct json_object *other = published(report, "Fig. 8", labels[i]);
        if (other)
            add_bar(&b, 1, 100 * gi_number(other, "published_least"), 0);
    }
    gi_add_name(f, b.figure, "of this capture", flows, 0);
    if (paper)
        gi_add_name(f, b.figure, "published", -1, 1);
    if (flows == 0)
        b.figure->plot.bars = 0;
    end_bars(f, &b);
}

void gi_add_losses(struct gi_figures *f, const struct json_object *report)
{
    static const char *const rows[][2] = {{"loss below 1 %", "below 0.01"},
                                          {"loss 1 to 2 %", "0.01 to 0.02"},
                                          {"loss 2 to 3 %", "0.02 to 0.03"}};
    struct bars b =
        begin_bars(f, "Fig. 10: single flows above 100 kB, by their loss ratio", "mean, kbit/s", 2);
    for (int i = 0; i < 3; i++) {
        const struct json_object *row = gi_figures_row(report, "single", rows[i][0]);
        if (gi_number(row, "flows") == 0)
            continue;
        snprintf(begin_row(&b), PLOT_ROW_OCTETS, "%s: %.0f", rows[i][1], gi_number(row, "flows"));
        add_bar(&b, 0, gi_number(row, "mean_throughput_bit_per_s") / 1000,
                gi_number(row, "deviation_throughput_bit_per_s") / 1000);
        add_bar(&b, 1, gi_number(row, "b_goodput_bit_per_s") / 1000,
                gi_number(row, "deviation_b_goodput_bit_per_s") / 1000);
    }
    gi_add_name(f, b.figure, "throughput", -1, 0);
    gi_add_name(f, b.figure, "goodput", -1, 1);
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
    char label[GI_TEXT_ROOM];
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
static bool add_cluster_row(struct bars *b, const char *name, const struct json_object *const *rows)
{
    double flows[3];
    uint32_t filled = 0;
    for (uint32_t i = 0; i < b->series; i++)
        filled += (flows[i] = gi_number(rows[i], "flows")) > 0;
    if (filled < 2 || b->figure->plot.rows == ROWS_MOST)
        return false;
    name_row(begin_row(b), name, flows, b->series);
    for (uint32_t i = 0; i < b->series; i++)
        if (flows[i] > 0)
            add_bar(b, i, gi_number(rows[i], "mean_goodput_bit_per_s") / 1000,
                    gi_number(rows[i], "deviation_goodput_bit_per_s") / 1000);
    return true;
}

// Of the row of all flows: Table III has them by each of the series.
static void add_published(struct bars *b, const struct json_object *report, const char *const *all)
{
    for (uint32_t i = 0; i < b->series; i++) {
        char what[GI_TEXT_ROOM];
        snprintf(what, sizeof what, "%s: goodput", all[i]);
        double value = gi_number(published(report, "Table III", what), "published_least");
        if (value > 0)
            add_mark(b, i, value / 1000);
    }
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
        gi_add_name(f, b.figure, traits[trait].series[i], gi_number(rows[i], "flows"), i);
    }
    if (add_cluster_row(&b, "all", rows))
        add_published(&b, report, traits[trait].all);
    snprintf(b.figure->remark, sizeof b.figure->remark,
             "Rows: clusters, and the flows of each bar. Thin lines: standard deviation.");
    end_bars(f, &b);
}

void gi_add_effects(struct gi_figures *f, const struct json_object *report)
{
    add_effect(f, report, "Fig. 14: the effect of the MSS", MSS);
    add_effect(f, report, "Fig. 15: the effect of SACK", SACK);
    add_effect(f, report, "Fig. 16: the effect of timestamps", STAMPS);
    add_effect(f, report, "Fig. 17: the effect of the receiver's window", WINDOW);
}

// ---- Two reports ----

// The 95 % interval of a mean of many; few are too few to draw one.
static double interval_of(const struct json_object *row)
{
    double n = gi_number(row, "values");
    return n >= 30 ? 1.96 * gi_number(row, "deviation_goodput_bit_per_s") / sqrt(n) : 0;
}

void gi_add_goodputs(struct gi_figures *f, const struct json_object *const reports[2])
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
            flows[s] = gi_number(row[s], "flows");
        }
        if (flows[0] + flows[1] == 0)
            continue;
        name_row(begin_row(&b), labels[i], flows, 2);
        for (uint32_t s = 0; s < 2; s++)
            if (flows[s] > 0)
                add_bar(&b, s, gi_number(row[s], "mean_goodput_bit_per_s") / 1000,
                        interval_of(row[s]) / 1000);
    }
    gi_add_name(f, b.figure, "A", -1, 0);
    gi_add_name(f, b.figure, "B", -1, 1);
    snprintf(b.figure->remark, sizeof b.figure->remark,
             "Rows: flows of A and B. Thin lines: 95 %% interval of means of 30 flows or more.");
    end_bars(f, &b);
}
