// See gi_figures_parts.h: histograms as columns and stairs, and distributions, out of their bins.
#include "control/captures/gi_figures_parts.h"

#include <math.h>
#include <string.h>

#include "control/client/value.h"

#define BINS_MOST    1000u
#define COLUMNS_MOST 100u // in a picture; more bins are taken together
#define STEPS_MOST   40u

struct bins {
    double width, all; // width as on the axis; all: with those beyond
    uint32_t count;    // up to the last that is not empty
    double n[BINS_MOST];
};

static struct bins *bins_of(struct gi_figures *f, const struct json_object *report,
                            const char *sheet, const char *label, double scale)
{
    const struct json_object *of = value_in(value_in(report, "histograms"), sheet);
    const struct json_object *row = gi_labelled(value_in(of, "rows"), label);
    const struct json_object *counts = value_in(row, "counts");
    struct bins *bins = gi_keep(f, sizeof *bins);
    bins->width = gi_number(of, "width") * scale;
    bins->all = fmax(gi_number(row, "beyond"), 0);
    for (uint32_t i = 0; i < value_count(counts) && i < BINS_MOST; i++) {
        double n = value_as_real(value_at(counts, i));
        bins->n[i] = n > 0 && n < GI_VALUE_MOST ? n : 0;
        bins->all += bins->n[i];
        if (bins->n[i] > 0)
            bins->count = i + 1;
    }
    if (!(bins->width > 0 && bins->width < GI_VALUE_MOST))
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

static void tell_beyond(struct figure *figure, const char *name, double flows)
{
    size_t n = strlen(figure->remark);
    if (flows > 0)
        snprintf(figure->remark + n, sizeof figure->remark - n, "%s%s%s%.0f",
                 n ? ", " : "Flows beyond the axis: ", name, *name ? ": " : "", flows);
}

static double beyond_of(const struct bins *bins)
{
    return bins->all - sum_of(bins, 0, bins->count);
}

static const char *share_title(struct gi_figures *f, double width, const char *unit)
{
    char *text = gi_keep(f, GI_TEXT_ROOM);
    snprintf(text, GI_TEXT_ROOM, "flows in %g%s%s, %%", width, *unit ? " " : "", unit);
    return text;
}

// ---- Histograms ----

static void set_axes(struct plot *p, double x_most, double y_most)
{
    p->x_most = x_most > 0 ? x_most : 1;
    p->y_most = y_most > 0 ? 1.05 * y_most : 1;
}

// Lines at the ends of what the paper says of the figure; all that it says of these is of their x
// axis.
static void add_published(struct gi_figures *f, const struct json_object *report,
                          struct figure *figure, double scale)
{
    static const char *const ends[] = {"published_least", "published_most"};
    const struct json_object *rows = value_in(report, "paper");
    struct plot *p = &figure->plot;
    char where[GI_TEXT_ROOM];
    p->published = gi_keep(f, (2 * value_count(rows) + 1) * sizeof *p->published);
    for (size_t i = 0; i < 2 * value_count(rows); i++) {
        const struct json_object *row = value_at(rows, i / 2);
        double x = gi_number(row, ends[i % 2]) * scale;
        size_t n = strlen(value_text(row, "where", where, sizeof where));
        bool of_figure = strncmp(figure->title, where, n) == 0 && figure->title[n] == ':';
        bool again = i % 2 && x == gi_number(row, ends[0]) * scale;
        if (!of_figure || x <= 0 || again)
            continue;
        p->published[p->publisheds++] =
            (struct plot_published){x, 0, p->y_most / 1.05, PLOT_INK, 0};
        p->x_most = fmax(p->x_most, 1.05 * x);
        figure->published = true;
    }
}

// The rows lie on each other, the first below, in shares of all of them together; later columns are
// drawn over earlier ones, so the whole height comes first.
void gi_add_stack(struct gi_figures *f, const struct json_object *report,
                  const struct gi_histogram *h)
{
    struct figure *figure = gi_begin(f, h->title, h->x_title, NULL);
    struct plot *p = &figure->plot;
    struct bins *bins[GI_SERIES_MOST];
    uint32_t rows = 0, count = 0;
    double all = 0, beyond = 0, y_most = 0;
    for (; rows < GI_SERIES_MOST && h->row[rows]; rows++) {
        bins[rows] = bins_of(f, report, h->sheet, h->row[rows], h->scale);
        count = bins[rows]->count > count ? bins[rows]->count : count;
        all += bins[rows]->all;
        beyond += beyond_of(bins[rows]);
    }
    uint32_t step = together(count, COLUMNS_MOST);
    double width = bins[0]->width * step;
    p->column = gi_keep(f, ((size_t)count * rows + 1) * sizeof *p->column);
    for (uint32_t i = 0; i < count; i += step)
        for (uint32_t k = rows; k-- > 0;) {
            double top = 0, left = bins[0]->width * i;
            for (uint32_t j = 0; j <= k; j++)
                top += 100 * sum_of(bins[j], i, step) / all;
            if (sum_of(bins[k], i, step) > 0)
                p->column[p->columns++] = (struct plot_column){left, left + width, top, k};
            y_most = fmax(y_most, top);
        }
    for (uint32_t k = 0; k < rows; k++)
        gi_add_name(f, figure, rows > 1 ? h->row[k] : "flows", bins[k]->all, k);
    tell_beyond(figure, "", beyond);
    figure->boxes = true;
    p->y_title = share_title(f, width, h->unit);
    set_axes(p, bins[0]->width * count, y_most);
    add_published(f, report, figure, h->scale);
    gi_end_figure(f, figure, p->columns > 0);
}

static struct plot_line *add_line(struct gi_figures *f, struct figure *figure, uint32_t points,
                                  uint32_t colour)
{
    struct plot *p = &figure->plot;
    if (!p->line)
        p->line = gi_keep(f, GI_SERIES_MOST * sizeof *p->line);
    p->line[p->lines] = (struct plot_line){.point = gi_keep(f, points * sizeof(struct plot_point)),
                                           .colour = colour};
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
    gi_add_name(f, figure, name, bins->all, colour);
    set_axes(&figure->plot, fmax(figure->plot.x_most, bins->width * bins->count), 100 / 1.05);
    tell_beyond(figure, name, beyond_of(bins));
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
    gi_end_figure(f, figure, p->lines > 0);
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
    gi_add_name(f, figure, name, bins->all, colour);
    set_axes(p, fmax(p->x_most, right), most);
    tell_beyond(figure, name, beyond_of(bins));
}

void gi_add_stairs(struct gi_figures *f, const struct json_object *report,
                   const struct gi_histogram *h)
{
    struct figure *figure = gi_begin(f, h->title, h->x_title, NULL);
    struct bins *bins[GI_SERIES_MOST];
    uint32_t rows = 0, count = 0;
    for (; rows < GI_SERIES_MOST && h->row[rows]; rows++) {
        bins[rows] = bins_of(f, report, h->sheet, h->row[rows], h->scale);
        count = bins[rows]->count > count ? bins[rows]->count : count;
    }
    uint32_t step = together(count, STEPS_MOST);
    for (uint32_t k = 0; k < rows; k++)
        add_stair(f, figure, bins[k], step, h->row[k], k);
    figure->plot.y_title = share_title(f, bins[0]->width * step, h->unit);
    gi_end_figure(f, figure, figure->plot.lines > 0);
}

void gi_add_round_trips(struct gi_figures *f, const struct json_object *report)
{
    static const char *const rows[][3] = {{"GPRS side, all", "rtt_gprs", "all"},
                                          {"peak, 10 to 12 h", "rtt_gprs", "peak, 10 to 12 h"},
                                          {"off-peak, 3 to 7 h", "rtt_gprs", "off-peak, 3 to 7 h"},
                                          {"Internet side", "rtt_internet", "all"}};
    struct figure *figure = gi_begin(f, "Fig. 4: round trips at set-up, without background",
                                     "round trip, s", "flows below, %");
    for (uint32_t i = 0; i < 4; i++)
        add_cdf(f, figure, bins_of(f, report, rows[i][1], rows[i][2], 1), rows[i][0], i);
    end_cdfs(f, figure);
}

void gi_add_both(struct gi_figures *f, const struct json_object *const reports[2],
                 const struct gi_histogram *h)
{
    static const char *const names[] = {"A", "B"};
    struct figure *figure = gi_begin(f, h->title, h->x_title, "flows below, %");
    for (uint32_t i = 0; i < 2; i++)
        add_cdf(f, figure, bins_of(f, reports[i], h->sheet, "all", h->scale), names[i], i);
    end_cdfs(f, figure);
}
