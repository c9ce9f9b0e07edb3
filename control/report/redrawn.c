// See redrawn.h.
#include "control/report/redrawn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"

#define POINTS_MAX  5000
#define TICKS_MAX   8 // of values at few places; with names, all have one
#define NAMES_MAX   24
#define VALUE_MOST  1e15
#define GROUP_WIDTH 0.8  // of a name's columns
#define MARGIN      0.04 // beside the first and last place

struct making {
    struct redrawn_figure *figure;
    const struct json_object *series;
    uint32_t number, all; // of the series
    double low, high;     // of all y
    bool has_curve;
};

uint32_t redrawn_series(const struct redrawn_figure *figure)
{
    size_t count = value_count(value_in(figure->json, "series"));
    return count < REDRAWN_SERIES_MAX ? (uint32_t)count : REDRAWN_SERIES_MAX;
}

static size_t points_of(const struct json_object *series, const char *list)
{
    size_t count = value_count(value_in(series, list));
    return count < POINTS_MAX ? count : POINTS_MAX;
}

static bool is_kind(const struct json_object *series, const char *kind)
{
    char text[16];
    return strcmp(value_text(series, "kind", text, sizeof text), kind) == 0;
}

// ---- One point ----

static bool fits(double value, bool log)
{
    return fabs(value) < VALUE_MOST && (!log || value > 0); // NAN is not
}

// The numbers of a point: how many, or 0 if there is no place for it.
static size_t numbers_of(const struct plot *p, const struct json_object *point, double number[3])
{
    size_t count = value_count(point);
    if (count < 2 || count > 3)
        return 0;
    for (size_t i = 0; i < count; i++)
        number[i] = value_as_real(value_at(point, i));
    bool good = fits(number[0], p->log_x) && fits(number[1], p->log_y) &&
                (count < 3 || fits(number[2], false));
    return good ? count : 0;
}

// Of a name's group, the place of this series.
static double place_of(const struct making *m, double x)
{
    double width = GROUP_WIDTH / m->all;
    return m->figure->named ? x - GROUP_WIDTH / 2 + (m->number + 0.5) * width : x;
}

static void widen(struct making *m, double x, double low, double high)
{
    struct plot *p = &m->figure->plot;
    p->x_least = fmin(p->x_least, x);
    p->x_most = fmax(p->x_most, x);
    m->low = fmin(m->low, low);
    m->high = fmax(m->high, high);
}

// Few places get a tick each; one more than those is none.
static void add_tick(struct plot *p, double x)
{
    for (uint32_t i = 0; i < p->ticks && i < TICKS_MAX; i++)
        if (p->tick[i].at == x)
            return;
    if (p->ticks < TICKS_MAX) {
        p->tick[p->ticks].at = x;
        snprintf(p->tick[p->ticks].text, PLOT_ROW_OCTETS, "%.6g", x);
    }
    p->ticks += p->ticks <= TICKS_MAX;
}

// ---- The points of a series ----

static void add_value(struct making *m, const double number[3], bool has_interval)
{
    struct plot *p = &m->figure->plot;
    double x = place_of(m, number[0]), half = has_interval ? fabs(number[2]) : 0;
    double low = number[1] - half, high = number[1] + half;
    if (!fits(low, p->log_y))
        low = number[1];
    if (m->figure->named)
        p->column[p->columns++] = (struct plot_column){
            x - 0.45 * GROUP_WIDTH / m->all, x + 0.45 * GROUP_WIDTH / m->all, number[1], m->number};
    p->value[p->values++] =
        (struct plot_value){x, number[1], low, high, m->number, m->figure->named};
    widen(m, number[0], low, high);
    add_tick(p, number[0]);
}

// A figure with names has no lines; a formula has no values.
static bool add_points(struct making *m)
{
    struct plot *p = &m->figure->plot;
    size_t count = points_of(m->series, "points");
    struct plot_line line = {.point = calloc(count + 1, sizeof *line.point),
                             .colour = m->number,
                             .dots = value_is_true(value_in(m->series, "marks"))};
    bool of_runs = is_kind(m->series, "ours");
    if (!line.point)
        return false;
    for (size_t i = 0; i < count; i++) {
        double number[3];
        size_t n = numbers_of(p, value_at(value_in(m->series, "points"), i), number);
        if (n == 0)
            continue;
        line.point[line.points++] = (struct plot_point){number[0], number[1]};
        if (m->figure->named || of_runs)
            add_value(m, number, n == 3);
        else
            widen(m, number[0], number[1], number[1]);
    }
    m->has_curve |= line.points && !of_runs && !m->figure->named;
    m->figure->any_ours |= line.points > 0;
    if (m->figure->named || line.points == 0) {
        free(line.point);
        return true;
    }
    p->line[p->lines++] = line;
    return true;
}

static void add_published(struct making *m)
{
    struct plot *p = &m->figure->plot;
    size_t count = points_of(m->series, "published");
    for (size_t i = 0; i < count; i++) {
        double number[3];
        size_t n = numbers_of(p, value_at(value_in(m->series, "published"), i), number);
        if (n == 0)
            continue;
        double high = n == 3 ? number[2] : number[1];
        p->published[p->publisheds++] = (struct plot_published){
            place_of(m, number[0]), number[1], high, m->figure->named ? PLOT_INK : m->number, 0};
        widen(m, number[0], number[1], high);
        add_tick(p, number[0]);
    }
}

// Where they are drawn is known with the y axis.
static void add_bands(struct making *m)
{
    struct plot *p = &m->figure->plot;
    size_t count = points_of(m->series, "bands");
    for (size_t i = 0; i < count && !m->figure->named; i++) {
        const struct json_object *band = value_at(value_in(m->series, "bands"), i);
        double from = value_as_real(value_at(band, 0)), to = value_as_real(value_at(band, 1));
        if (!fits(from, p->log_x) || !fits(to, p->log_x) || !(to > from))
            continue;
        p->published[p->publisheds++] = (struct plot_published){from, 0, 0, m->number, to};
        p->x_least = fmin(p->x_least, from);
        p->x_most = fmax(p->x_most, to);
    }
}

// Below the top, those of a series below those of the one before.
static void place_bands(struct plot *p)
{
    for (uint32_t i = 0; i < p->publisheds; i++) {
        struct plot_published *d = &p->published[i];
        double down = 0.02 + 0.05 * d->colour;
        if (d->to > d->x && p->log_y)
            d->least = d->most = p->y_most * pow(p->y_least / p->y_most, down);
        else if (d->to > d->x)
            d->least = d->most = p->y_most - down * (p->y_most - p->y_least);
    }
}

// ---- Axes ----

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

// An end that the file gives, or `other`.
static double end_of(const struct json_object *axis, const char *name, double other)
{
    double given = value_as_real(value_in(axis, name));
    return fits(given, value_is_true(value_in(axis, "log"))) ? given : other;
}

static void set_ends(const struct json_object *axis, double *least, double *most)
{
    *least = end_of(axis, "least", *least);
    *most = end_of(axis, "most", *most);
    if (!(*most > *least))
        *most = *least > 0 ? 2 * *least : *least + 1;
}

static void set_x(struct making *m)
{
    struct plot *p = &m->figure->plot;
    const struct json_object *axis = value_in(m->figure->json, "x");
    size_t names = value_count(value_in(axis, "names"));
    if (m->figure->named) {
        p->x_least = 0.5;
        p->x_most = (double)(names < NAMES_MAX ? names : NAMES_MAX) + 0.5;
        return;
    }
    if (!(p->x_least <= p->x_most))
        p->x_least = p->x_most = p->log_x ? 1 : 0;
    if (m->has_curve && !p->log_x && p->x_least > 0 && p->x_least < 0.1 * p->x_most)
        p->x_least = 0;
    double span = p->x_most - p->x_least;
    if (!m->has_curve && p->log_x) {
        double factor = pow(p->x_most / p->x_least, MARGIN);
        p->x_least /= factor;
        p->x_most *= factor;
    } else if (!m->has_curve) {
        p->x_least -= MARGIN * span;
        p->x_most += MARGIN * span;
    }
    set_ends(axis, &p->x_least, &p->x_most);
    if (m->has_curve || p->ticks > TICKS_MAX)
        p->ticks = 0;
}

// From 0, if all is above; a logarithmic one between round numbers.
static void set_y(struct making *m)
{
    struct plot *p = &m->figure->plot;
    if (!(m->low <= m->high))
        m->low = m->high = p->log_y ? 1 : 0;
    p->y_least = p->log_y ? round_125(m->low, false) : fmin(1.08 * m->low, 0);
    p->y_most = p->log_y ? round_125(m->high, true) : fmax(1.08 * m->high, 0);
    set_ends(value_in(m->figure->json, "y"), &p->y_least, &p->y_most);
}

static void set_title(const struct json_object *axis, char title[PLOT_TITLE_OCTETS])
{
    char what[80], unit[32];
    value_text(axis, "title", what, sizeof what);
    value_text(axis, "unit", unit, sizeof unit);
    snprintf(title, PLOT_TITLE_OCTETS, "%s%s%s", what, unit[0] ? " in " : "", unit);
}

static void set_names(struct plot *p, const struct json_object *names)
{
    p->ticks = 0;
    for (size_t i = 0; i < value_count(names) && i < NAMES_MAX; i++) {
        struct plot_tick *tick = &p->tick[p->ticks++];
        tick->at = (double)i + 1;
        value_printable(value_text_at(names, i), tick->text, sizeof tick->text);
    }
}

// ---- A figure ----

// Room for all points of all its series.
static bool reserve(struct redrawn_figure *f)
{
    size_t points = 1, published = 1;
    for (uint32_t i = 0; i < redrawn_series(f); i++) {
        const struct json_object *series = value_at(value_in(f->json, "series"), i);
        points += points_of(series, "points");
        published += points_of(series, "published") + points_of(series, "bands");
    }
    struct plot *p = &f->plot;
    p->line = calloc(REDRAWN_SERIES_MAX, sizeof *p->line);
    p->column = calloc(points, sizeof *p->column);
    p->value = calloc(points, sizeof *p->value);
    p->published = calloc(published, sizeof *p->published);
    p->tick = calloc(NAMES_MAX, sizeof *p->tick);
    return p->line && p->column && p->value && p->published && p->tick;
}

static bool make_figure(struct redrawn_figure *f)
{
    const struct json_object *x = value_in(f->json, "x"), *y = value_in(f->json, "y");
    struct making m = {.figure = f, .all = redrawn_series(f), .low = INFINITY, .high = -INFINITY};
    f->named = value_count(value_in(x, "names")) > 0;
    f->plot = (struct plot){.x_title = f->x_title,
                            .y_title = f->y_title,
                            .log_x = value_is_true(value_in(x, "log")) && !f->named,
                            .log_y = value_is_true(value_in(y, "log")),
                            .x_least = INFINITY,
                            .x_most = -INFINITY};
    set_title(x, f->x_title);
    set_title(y, f->y_title);
    if (!reserve(f))
        return false;
    for (m.number = 0; m.number < m.all; m.number++) {
        m.series = value_at(value_in(f->json, "series"), m.number);
        if (!add_points(&m))
            return false;
        add_published(&m);
        add_bands(&m);
    }
    set_x(&m);
    set_y(&m);
    place_bands(&f->plot);
    if (f->named)
        set_names(&f->plot, value_in(x, "names"));
    return true;
}

bool redrawn_make(struct redrawn *r, const struct json_object *figures)
{
    const struct json_object *list = value_in(figures, "figures");
    size_t count = value_count(list);
    *r = (struct redrawn){.figure = calloc(REDRAWN_FIGURES_MAX, sizeof *r->figure)};
    bool good = r->figure != NULL;
    for (size_t i = 0; good && i < count && i < REDRAWN_FIGURES_MAX; i++) {
        struct redrawn_figure *f = &r->figure[r->count++];
        f->json = value_at(list, i);
        good = make_figure(f);
    }
    return good;
}

void redrawn_release(struct redrawn *r)
{
    for (uint32_t i = 0; r->figure && i < r->count; i++) {
        struct plot *p = &r->figure[i].plot;
        for (uint32_t k = 0; p->line && k < p->lines; k++)
            free(p->line[k].point);
        free(p->line);
        free(p->column);
        free(p->value);
        free(p->published);
        free(p->tick);
    }
    free(r->figure);
    *r = (struct redrawn){0};
}
