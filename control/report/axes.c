// See figures.h: an outcome over each axis of a sweep, a line for each variant, with the 95 %
// interval of each mean. Of a sweep with several axes a figure is of one value of each other axis.
// Values that are numbers of one unit have their places by number, others at equal distances; at a
// value the variants are side by side, so that each interval is seen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/report/figures.h"

#define PANELS_MOST   4 // of an outcome over an axis
#define TICKS_MOST    10
#define LOG_FACTOR    9 // from which on a scale is logarithmic
#define FACTOR_MOST   1e12
#define BESIDE        0.012 // of the axis, between neighbours
#define CLOSE         0.5   // of the way to the next value, for all variants at one
#define MARGIN        0.05
#define NEAR          0.06 // of the axis
#define TICK_LETTERS  16
#define APART         1e-6 // ends that a figure can tell
#define ROOM_ABOVE    1.08
#define UNIT_OCTETS   24
#define PANEL_OCTETS  640 // seven other axes, each with its value
#define PANEL_LETTERS 24  // of a value
#define OUTCOMES_MOST 8

struct scale {
    const struct outcomes_axis *axis;
    bool numbers, log;
    char unit[UNIT_OCTETS];
    double number[OUTCOMES_POINTS_MAX]; // of each value; at equal distances its place from 1 on
    double least, most;
};

// ---- Where a value is ----

static double number_of(const char *text, const char **unit)
{
    char *end;
    double number = strtod(text, &end);
    *unit = end + strspn(end, " ");
    return end > text && fabs(number) < 1e15 ? number : NAN;
}

// The least distance of two values, as a part of the axis.
static double nearest_of(const struct scale *s)
{
    double nearest = 1;
    for (uint32_t i = 0; i < s->axis->values; i++)
        for (uint32_t k = 0; k < i; k++) {
            double part = s->log ? log(s->number[i] / s->number[k]) / log(s->most / s->least)
                                 : (s->number[i] - s->number[k]) / (s->most - s->least);
            nearest = fmin(nearest, fabs(part));
        }
    return nearest;
}

static void set_equal(struct scale *s)
{
    s->numbers = s->log = false;
    s->least = 1;
    s->most = s->axis->values;
    for (uint32_t i = 0; i < s->axis->values; i++)
        s->number[i] = i + 1;
}

static struct scale scale_of(const struct outcomes_axis *axis)
{
    struct scale s = {.axis = axis, .numbers = true, .least = INFINITY, .most = -INFINITY};
    for (uint32_t i = 0; i < axis->values; i++) {
        const char *unit;
        s.number[i] = number_of(axis->value[i], &unit);
        if (i == 0)
            snprintf(s.unit, sizeof s.unit, "%.*s", UNIT_OCTETS - 1, unit);
        s.numbers &= !isnan(s.number[i]) && strcmp(unit, s.unit) == 0;
        s.least = fmin(s.least, s.number[i]);
        s.most = fmax(s.most, s.number[i]);
    }
    s.numbers &= s.most - s.least > APART * fmax(fabs(s.least), fabs(s.most));
    s.log = s.numbers && s.least > 0 && s.most > LOG_FACTOR * s.least;
    s.numbers &= !s.log || s.most < FACTOR_MOST * s.least;
    // The texts of a few values must not lie on each other.
    if (!s.numbers || (axis->values <= TICKS_MOST && nearest_of(&s) < NEAR))
        set_equal(&s);
    return s;
}

// A variant's place at a value, and with MARGIN the axis' ends.
static double place_of(const struct scale *s, double at, double part)
{
    if (s->log)
        return at * pow(s->most / s->least, part);
    return at + part * (s->most - s->least);
}

static void short_value(const struct outcomes_axis *axis, uint32_t i, size_t letters,
                        char text[FIGURES_SHORT_OCTETS])
{
    figures_short(axis->value[0], sizeof axis->value[0], axis->values, i, letters, text);
}

static bool set_ticks(struct plot *p, const struct scale *s)
{
    if (s->axis->values > TICKS_MOST && s->numbers)
        return true;
    p->tick = calloc(s->axis->values, sizeof *p->tick);
    uint32_t step = (s->axis->values + TICKS_MOST - 1) / TICKS_MOST;
    for (uint32_t i = 0; p->tick && i < s->axis->values; i++) {
        struct plot_tick *tick = &p->tick[p->ticks++];
        char text[FIGURES_SHORT_OCTETS];
        tick->at = s->number[i];
        tick->unseen = i % step != 0;
        if (s->numbers)
            snprintf(text, sizeof text, "%.6g", s->number[i]);
        else
            short_value(s->axis, i, TICK_LETTERS, text);
        snprintf(tick->text, sizeof tick->text, "%.47s", text);
    }
    return p->tick != NULL;
}

// ---- One figure ----

struct making {
    struct figures *figures;
    const struct outcomes *o;
    uint32_t axis, outcome, colour;
    struct scale scale;
    double most; // of all panels
};

// Whether a point has the same values of all axes but this one.
static bool is_beside(const struct making *m, uint32_t point, uint32_t other)
{
    for (uint32_t a = 0; a < m->o->axes; a++)
        if (a != m->axis && m->o->at[point][a] != m->o->at[other][a])
            return false;
    return true;
}

// The values of the other axes.
static void put_panel(const struct making *m, uint32_t point, char text[PANEL_OCTETS])
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t a = 0; a < m->o->axes && n < PANEL_OCTETS; a++)
        if (a != m->axis && m->o->axis[a].values > 1) {
            char value[FIGURES_SHORT_OCTETS];
            short_value(&m->o->axis[a], m->o->at[point][a], PANEL_LETTERS, value);
            n += (size_t)snprintf(text + n, PANEL_OCTETS - n, "; %s %s", m->o->axis[a].name, value);
        }
}

static void add_variant(const struct making *m, struct figure *figure, uint32_t variant,
                        uint32_t panel)
{
    const struct outcomes *o = m->o;
    struct plot *p = &figure->plot;
    struct plot_line *line = &p->line[p->lines];
    *line = (struct plot_line){.point = figure->own + p->values, .colour = m->colour + variant};
    double step = fmin(BESIDE, CLOSE * nearest_of(&m->scale) / o->variants);
    double beside = step * (variant - (o->variants - 1) / 2.0);
    for (uint32_t value = 0; value < m->scale.axis->values; value++)
        for (uint32_t point = 0; point < o->points; point++) {
            if (o->at[point][m->axis] != value || !is_beside(m, point, panel))
                continue;
            struct statistics s = outcomes_at(o, m->outcome, variant, point);
            double x = place_of(&m->scale, m->scale.number[value], beside);
            if (s.n == 0 || p->values == o->points * o->variants)
                continue;
            line->point[line->points++] = (struct plot_point){x, s.mean};
            p->value[p->values++] = (struct plot_value){
                x, s.mean, s.mean - s.ci95, s.mean + s.ci95, line->colour, false};
        }
    if (line->points == 0)
        return;
    p->lines++;
    figures_name(figure, o->variant[variant], line->colour);
}

static void set_axes(const struct making *m, struct figure *figure)
{
    struct plot *p = &figure->plot;
    const struct scale *s = &m->scale;
    double margin = MARGIN + BESIDE * m->o->variants / 2;
    const struct outcomes_kind *kind = m->o->outcome[m->outcome].kind;
    snprintf(figure->x_title, sizeof figure->x_title, "%.60s%s%s", s->axis->name,
             s->numbers && *s->unit ? " in " : "", s->numbers ? s->unit : "");
    snprintf(figure->y_title, sizeof figure->y_title, "%s%s%s", kind->text,
             *kind->unit ? " in " : "", kind->unit);
    p->x_title = figure->x_title;
    p->y_title = figure->y_title;
    p->log_x = s->log;
    p->x_least = place_of(s, s->least, -margin);
    p->x_most = place_of(s, s->most, margin);
    p->y_most = m->most > 1e-9 ? ROOM_ABOVE * m->most : 1;
}

static bool add_figure(const struct making *m, uint32_t panel)
{
    const struct outcomes *o = m->o;
    struct figure *figure = figures_begin(m->figures);
    size_t most = (size_t)o->points * o->variants;
    char rest[PANEL_OCTETS];
    if (!figure)
        return false;
    struct plot *p = &figure->plot;
    m->figures->count++;
    p->line = calloc(o->variants, sizeof *p->line);
    p->value = calloc(most, sizeof *p->value);
    figure->own = calloc(most, sizeof *figure->own);
    if (!p->line || !p->value || !figure->own || !set_ticks(p, &m->scale))
        return false;
    for (uint32_t v = 0; v < o->variants; v++)
        add_variant(m, figure, v, panel);
    set_axes(m, figure);
    put_panel(m, panel, rest);
    snprintf(figure->title, sizeof figure->title, "%.47s: %s over %s%s",
             o->outcome[m->outcome].subject, o->outcome[m->outcome].kind->text, m->scale.axis->name,
             rest);
    return true;
}

// ---- All of an outcome over an axis ----

static bool is_panel(const struct making *m, uint32_t point)
{
    for (uint32_t other = 0; other < point; other++)
        if (is_beside(m, other, point))
            return false;
    return true;
}

static bool add_panels(struct making *m)
{
    uint32_t panels = 0;
    m->most = 0;
    for (uint32_t v = 0; v < m->o->variants; v++)
        for (uint32_t point = 0; point < m->o->points; point++) {
            struct statistics s = outcomes_at(m->o, m->outcome, v, point);
            m->most = fmax(m->most, s.mean + s.ci95);
        }
    for (uint32_t point = 0; point < m->o->points; point++)
        if (is_panel(m, point) && panels++ < PANELS_MOST && !add_figure(m, point))
            return false;
    if (panels > PANELS_MOST) {
        struct figure *last = &m->figures->figure[m->figures->count - 1];
        snprintf(last->remark, sizeof last->remark,
                 "The first %d of %u; the table of means has all.", PANELS_MOST, panels);
    }
    return true;
}

bool figures_over_axes(struct figures *f, const struct outcomes *o, uint32_t colour)
{
    struct making m = {.figures = f, .o = o, .colour = colour};
    *f = (struct figures){.figure = calloc(FIGURES_MAX, sizeof *f->figure)};
    if (!f->figure)
        return false;
    for (m.axis = 0; m.axis < o->axes; m.axis++) {
        uint32_t count = 0;
        if (o->axis[m.axis].values < 2)
            continue;
        m.scale = scale_of(&o->axis[m.axis]);
        for (m.outcome = 0; m.outcome < o->outcomes; m.outcome++)
            if (o->outcome[m.outcome].first && count++ < OUTCOMES_MOST && !add_panels(&m))
                return false;
    }
    return true;
}
