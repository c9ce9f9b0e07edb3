// See figures.h.
#include "control/report/figures.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX      24
#define POINT_LETTERS 60 // of a title

static const char *const way_texts[] = {"down", "up"};

struct figure *figures_begin(struct figures *f)
{
    assert(f->count < FIGURES_MAX);
    struct figure *figure = &f->figure[f->count];
    *figure = (struct figure){.name = calloc(FIGURES_NAMES_MAX, sizeof *figure->name)};
    return figure->name ? figure : NULL;
}

void figures_name(struct figure *figure, const char *text, uint32_t colour)
{
    for (uint32_t i = 0; i < figure->names; i++)
        if (figure->name[i].colour == colour)
            return;
    if (figure->names < FIGURES_NAMES_MAX)
        figure->name[figure->names++] = (struct figures_name){text, colour};
}

// ---- Names that are cut ----

#define DOTS    "..."
#define CONTEXT 5 // letters of what all share

static size_t shared_beginning(const char *names, size_t room, uint32_t count)
{
    size_t shared = strlen(names);
    for (uint32_t i = 1; i < count; i++)
        for (size_t k = 0; k < shared; k++)
            if (names[i * room + k] != names[k])
                shared = k;
    return shared;
}

static void cut_name(const char *name, size_t shared, size_t letters,
                     char text[FIGURES_SHORT_OCTETS])
{
    size_t from = strlen(name) > letters && shared > CONTEXT ? shared - CONTEXT : 0;
    size_t room = letters - (from ? strlen(DOTS) : 0);
    bool is_longer = strlen(name + from) > room;
    snprintf(text, FIGURES_SHORT_OCTETS, "%s%.*s%s", from ? DOTS : "",
             (int)(is_longer ? room - strlen(DOTS) : room), name + from, is_longer ? DOTS : "");
}

void figures_short(const char *names, size_t room, uint32_t count, uint32_t i, size_t letters,
                   char text[FIGURES_SHORT_OCTETS])
{
    size_t shared = shared_beginning(names, room, count);
    char other[FIGURES_SHORT_OCTETS];
    bool alone = true;
    cut_name(names + i * room, shared, letters, text);
    for (uint32_t k = 0; k < count; k++) {
        cut_name(names + k * room, shared, letters, other);
        alone &= k == i || strcmp(text, other) != 0;
    }
    size_t n = strlen(text);
    if (!alone)
        snprintf(text + n, FIGURES_SHORT_OCTETS - n, " no. %u", i + 1);
}

// ---- Lines ----

static void widen(struct plot *p, const struct curve *curve)
{
    for (uint32_t i = 0; i < curve->points; i++) {
        const struct plot_point *at = &curve->point[i];
        if (isnan(at->y))
            continue;
        p->x_least = fmin(p->x_least, at->x);
        p->x_most = fmax(p->x_most, at->x);
        p->y_most = fmax(p->y_most, at->y);
    }
}

static void add_line(struct figure *figure, const struct curve *curve, uint32_t colour,
                     const char *name)
{
    struct plot *p = &figure->plot;
    if (curve->points == 0)
        return;
    p->line[p->lines++] =
        (struct plot_line){.point = curve->point, .points = curve->points, .colour = colour};
    widen(p, curve);
    figures_name(figure, name, colour);
}

// The next of 1, 2, 5, 10 and so on that is not above, or not below.
static double round_125(double x, bool up)
{
    static const int steps[] = {1, 2, 5, 10};
    double unit = pow(10, floor(log10(x)));
    int i = 0;
    while (i < 3 && (up ? unit * steps[i] < x : unit * steps[i + 1] <= x))
        i++;
    return unit * steps[i];
}

// A logarithmic axis for delays; else time, from 0 to its end.
static void set_axes(struct plot *p, bool is_share, double elapsed_s)
{
    p->log_x = is_share;
    if (is_share) {
        p->x_least = round_125(p->x_least, false);
        p->x_most = round_125(p->x_most, true);
        p->y_most = 100;
    } else {
        p->x_least = 0;
        p->x_most = elapsed_s;
    }
    if (p->x_most <= p->x_least)
        p->x_most = p->x_least > 0 ? 10 * p->x_least : 1;
    p->y_most = is_share ? 100 : (p->y_most > 0 ? 1.05 * p->y_most : 1);
}

struct view {
    struct figures *figures;
    const struct runs *runs;
    const struct curves *curves;
    int kind, way;
};

static struct figure *begin_lines(const struct view *v, uint32_t lines)
{
    struct figure *figure = figures_begin(v->figures);
    if (!figure)
        return NULL;
    const struct curves_kind *kind = &curves_kinds[v->kind];
    figure->plot = (struct plot){.x_title = kind->x_title,
                                 .y_title = kind->y_title,
                                 .x_least = INFINITY,
                                 .line = calloc(lines, sizeof *figure->plot.line)};
    if (figure->plot.line)
        return figure;
    free(figure->name);
    return NULL;
}

// Of the runs the longest. A curve over time shows the warm-up, too: whether it is long enough.
static void mark_warmup(const struct view *v, struct figure *figure)
{
    for (uint32_t i = 0; i < v->runs->count; i++)
        figure->plot.x_mark = fmax(figure->plot.x_mark, v->runs->run[i].warmup_s);
    size_t n = strlen(figure->remark);
    if (figure->plot.x_mark > 0)
        snprintf(figure->remark + n, sizeof figure->remark - n,
                 "%sLeft of the dashed line is the warm-up.", n ? " " : "");
}

// A figure without lines is none, nor is one of nothing but 0.
static void end_lines(const struct view *v, struct figure *figure)
{
    if (figure->plot.lines == 0 || figure->plot.y_most <= 0) {
        free(figure->plot.line);
        free(figure->name);
        return;
    }
    double elapsed_s = 0;
    bool is_share = strcmp(curves_kinds[v->kind].x, "delay_ms") == 0;
    for (uint32_t i = 0; i < v->runs->count; i++)
        elapsed_s = fmax(elapsed_s, v->runs->run[i].elapsed_s);
    set_axes(&figure->plot, is_share, elapsed_s);
    if (!is_share)
        mark_warmup(v, figure);
    v->figures->count++;
}

static bool of_groups(const struct view *v)
{
    const struct curves_kind *kind = &curves_kinds[v->kind];
    const struct curves *c = v->curves;
    struct figure *figure = begin_lines(v, CURVES_GROUPS_MAX);
    if (!figure)
        return false;
    for (uint32_t group = 0; group < c->names[kind->of]; group++)
        add_line(figure, curves_at(c, v->kind, group, v->way, 0), group, c->name[kind->of][group]);
    snprintf(figure->title, sizeof figure->title, "%s, %s", kind->title, way_texts[v->way]);
    if (c->more[kind->of])
        snprintf(figure->remark, sizeof figure->remark, "The first %d; the files have all.",
                 CURVES_GROUPS_MAX);
    end_lines(v, figure);
    return true;
}

// A point that has figures: the first and the last, and those between at equal distances.
static uint32_t point_of(const struct runs *runs, uint32_t i)
{
    if (runs->points <= FIGURES_POINTS)
        return i;
    return i * (runs->points - 1) / (FIGURES_POINTS - 1);
}

static uint32_t points_of(const struct runs *runs)
{
    return runs->points < FIGURES_POINTS ? runs->points : FIGURES_POINTS;
}

static void set_title(struct figure *figure, const char *what, const struct runs *runs,
                      uint32_t point)
{
    char text[FIGURES_SHORT_OCTETS];
    figures_short(runs->point[0], sizeof runs->point[0], runs->points, point, POINT_LETTERS, text);
    snprintf(figure->title, sizeof figure->title, "%.119s%s%s", what, *text ? "; " : "", text);
    if (runs->points > FIGURES_POINTS)
        snprintf(figure->remark, sizeof figure->remark, "%d of the %u points; the files have all.",
                 FIGURES_POINTS, runs->points);
}

// The variants at a point. The figures of all points have the same axes.
static bool of_variants(const struct view *v, uint32_t group, uint32_t point)
{
    const struct curves_kind *kind = &curves_kinds[v->kind];
    const struct runs *runs = v->runs;
    struct figure *figure = begin_lines(v, runs->groups);
    char what[120];
    if (!figure)
        return false;
    for (uint32_t i = 0; i < runs->groups; i++) {
        const struct curve *curve = curves_at(v->curves, v->kind, group, v->way, i);
        uint32_t variant = runs->group[i].variant;
        if (runs->group[i].point == point)
            add_line(figure, curve, variant, runs->variant[variant]);
        else
            widen(&figure->plot, curve);
    }
    snprintf(what, sizeof what, "%s: %s, %s", kind->title, v->curves->name[kind->of][group],
             way_texts[v->way]);
    set_title(figure, what, runs, point);
    end_lines(v, figure);
    return true;
}

// All of one direction.
static bool make_lines(struct figures *f, const struct runs *runs, const struct curves *curves,
                       int way)
{
    bool good = true;
    for (int kind = 0; kind < CURVES_KINDS; kind++) {
        struct view view = {f, runs, curves, kind, way};
        // Of several runs, all classes, the first cell, and no flow.
        uint32_t most = curves_kinds[kind].of == CURVES_CLASS
                            ? CURVES_GROUPS_MAX
                            : curves_kinds[kind].of == CURVES_CELL;
        if (runs->count == 1)
            good &= of_groups(&view);
        for (uint32_t i = 0;
             runs->count > 1 && i < most && i < curves->names[curves_kinds[kind].of]; i++)
            for (uint32_t p = 0; p < points_of(runs); p++)
                good &= of_variants(&view, i, point_of(runs, p));
    }
    return good;
}

// ---- Drops ----

// The row of a reason; -1: it is beyond those shown.
static int row_of(struct figure *figure, const char *what)
{
    struct plot *p = &figure->plot;
    for (uint32_t i = 0; i < p->rows; i++)
        if (strcmp(p->row[i], what) == 0)
            return (int)i;
    if (p->rows == ROWS_MAX) {
        snprintf(figure->remark, sizeof figure->remark, "The first %d; the files have all.",
                 ROWS_MAX);
        return -1;
    }
    snprintf(p->row[p->rows], PLOT_ROW_OCTETS, "%s", what);
    return (int)p->rows++;
}

static uint32_t class_colour(const struct curves *curves, const char *class)
{
    for (uint32_t i = 0; i < curves->names[CURVES_CLASS]; i++)
        if (strcmp(curves->name[CURVES_CLASS][i], class) == 0)
            return i;
    return PLOT_COLOURS - 1;
}

// One run: the classes of a reason behind each other.
static void bars_of_classes(struct figure *figure, const struct curves *curves,
                            const struct drops *drops)
{
    struct plot *p = &figure->plot;
    double end[ROWS_MAX] = {0};
    for (uint32_t i = 0; i < drops->count; i++) {
        const struct drops_row *d = &drops->row[i];
        int row = d->packets ? row_of(figure, d->what) : -1;
        if (row < 0)
            continue;
        uint32_t colour = class_colour(curves, d->class);
        double to = end[row] + (double)d->packets;
        p->bar[p->bars++] = (struct plot_bar){end[row], to, 0, 1, (uint32_t)row, colour};
        figures_name(figure, d->class, colour);
        end[row] = to;
    }
}

// Several: the variants of a reason below each other, all their classes together, the mean of their
// runs.
static void bars_of_variants(struct figure *figure, const struct runs *runs,
                             const struct drops *drops, uint32_t point)
{
    struct plot *p = &figure->plot;
    for (uint32_t i = 0; i < drops->count; i++) {
        const struct drops_row *d = &drops->row[i];
        const struct runs_group *group = &runs->group[runs->run[d->run].group];
        uint32_t variant = group->variant, k = 0;
        int row = d->packets && group->point == point ? row_of(figure, d->what) : -1;
        if (row < 0)
            continue;
        while (k < p->bars && (p->bar[k].row != (uint32_t)row || p->bar[k].colour != variant))
            k++;
        if (k == p->bars)
            p->bar[p->bars++] = (struct plot_bar){.low = (double)variant / runs->variants,
                                                  .high = (variant + 1.0) / runs->variants,
                                                  .row = (uint32_t)row,
                                                  .colour = variant};
        p->bar[k].to += (double)d->packets / group->runs;
        figures_name(figure, runs->variant[variant], variant);
    }
    p->row_bars = runs->variants;
    if (runs->count > runs->groups && !figure->remark[0])
        snprintf(figure->remark, sizeof figure->remark, "The mean of each variant's runs.");
}

static bool make_bars(struct figures *f, const struct runs *runs, const struct curves *curves,
                      const struct drops *drops, uint32_t point)
{
    struct figure *figure = figures_begin(f);
    if (!figure)
        return false;
    struct plot *p = &figure->plot;
    *p = (struct plot){.x_title = "packets",
                       .bar = calloc(drops->count + 1, sizeof *p->bar),
                       .row = calloc(ROWS_MAX, sizeof *p->row)};
    set_title(figure, "Drops by reason", runs, point);
    figure->boxes = true;
    f->count++;
    if (!p->bar || !p->row)
        return false;
    if (runs->count == 1)
        bars_of_classes(figure, curves, drops);
    else
        bars_of_variants(figure, runs, drops, point);
    for (uint32_t i = 0; i < p->bars; i++)
        p->x_most = fmax(p->x_most, p->bar[i].to);
    p->x_most *= 1.05;
    return true;
}

static bool any_drops(const struct runs *runs, const struct drops *drops, uint32_t point)
{
    for (uint32_t i = 0; i < drops->count; i++) {
        const struct drops_row *d = &drops->row[i];
        if (d->packets > 0 && runs->group[runs->run[d->run].group].point == point)
            return true;
    }
    return false;
}

bool figures_make(struct figures *f, const struct runs *runs, const struct curves *curves,
                  const struct drops *drops)
{
    *f = (struct figures){.figure = calloc(FIGURES_MAX, sizeof *f->figure)};
    bool good = f->figure && make_lines(f, runs, curves, 0);
    for (uint32_t p = 0; p < points_of(runs); p++)
        if (good && any_drops(runs, drops, point_of(runs, p)))
            good = make_bars(f, runs, curves, drops, point_of(runs, p));
    return good && make_lines(f, runs, curves, 1);
}

void figures_release(struct figures *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        free(f->figure[i].name);
        free(f->figure[i].own);
        free(f->figure[i].plot.value);
        free(f->figure[i].plot.tick);
        free(f->figure[i].plot.line);
        free(f->figure[i].plot.bar);
        free(f->figure[i].plot.row);
    }
    free(f->figure);
    *f = (struct figures){0};
}
