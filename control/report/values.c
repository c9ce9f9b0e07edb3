// See values.h. A group has the colour of what lies under it, so that a name of the legend hides
// both.
#include "control/report/values.h"

#include <math.h>
#include <string.h>

#include "control/report/plot.h"
#include "control/report/sections.h"

#define APART_PIXELS 24 // of a line's points

// ---- From numbers to pixels ----

static double part_of(double value, double least, double most, bool log_scale)
{
    return log_scale ? log(value / least) / log(most / least) : (value - least) / (most - least);
}

static double at_part(double part, double least, double most, bool log_scale)
{
    return log_scale ? least * pow(most / least, part) : least + part * (most - least);
}

// Rows stand from the top down.
static double y_least(const struct plot *p)
{
    return p->rows ? p->rows : p->y_least;
}

static double y_most(const struct plot *p)
{
    return p->rows ? 0 : p->y_most;
}

static const double parts[VALUES_PLACES] = {0.25, 0.75};

void values_place(const struct plot *p, int i, double *x, double *y)
{
    *x = at_part(parts[i], p->x_least, p->x_most, p->log_x);
    *y = at_part(parts[i], y_least(p), y_most(p), p->log_y);
}

struct values {
    const struct plot *plot;
    const struct values_frame *frame;
    FILE *out;
    uint32_t colour; // of the open group
    bool open;
};

static double between(const double pixel[VALUES_PLACES], double part)
{
    return pixel[0] + (part - parts[0]) / (parts[1] - parts[0]) * (pixel[1] - pixel[0]);
}

static double x_of(const struct values *v, double x)
{
    const struct plot *p = v->plot;
    return between(v->frame->x, part_of(x, p->x_least, p->x_most, p->log_x));
}

static double y_of(const struct values *v, double y)
{
    const struct plot *p = v->plot;
    return between(v->frame->y, part_of(y, y_least(p), y_most(p), p->log_y));
}

// What gnuplot does not draw, for it is outside of the axes, says nothing.
static bool is_inside(const struct values *v, double x, double y)
{
    const struct plot *p = v->plot;
    double across = part_of(x, p->x_least, p->x_most, p->log_x);
    double up = part_of(y, y_least(p), y_most(p), p->log_y);
    return across > -0.01 && across < 1.01 && up > -0.01 && up < 1.01; // no NAN
}

// ---- Parts ----

static void close_group(struct values *v)
{
    fputs(v->open ? "</g>" : "", v->out);
    v->open = false;
}

static void colour(struct values *v, uint32_t of)
{
    if (v->open && v->colour == of)
        return;
    close_group(v);
    v->open = true;
    v->colour = of;
    if (of == PLOT_INK)
        fputs("<g class=\"at\" stroke=\"currentColor\">", v->out);
    else
        fprintf(v->out, "<g class=\"at\" stroke=\"var(--s%u)\">", of % PLOT_COLOURS);
}

static bool begin_point(struct values *v, double x, double y, uint32_t of)
{
    if (!is_inside(v, x, y))
        return false;
    colour(v, of);
    fprintf(v->out, "<path d=\"M%.1f,%.1fh0\"><title>", x_of(v, x), y_of(v, y));
    return true;
}

static bool begin_area(struct values *v, const double x[2], const double y[2], uint32_t of)
{
    if (x[0] == x[1] || !is_inside(v, x[0], y[0]) || !is_inside(v, x[1], y[1]))
        return false;
    colour(v, of);
    fprintf(v->out, "<path class=\"area\" d=\"M%.1f,%.1fH%.1fV%.1fH%.1fz\"><title>", x_of(v, x[0]),
            y_of(v, y[0]), x_of(v, x[1]), y_of(v, y[1]), x_of(v, x[0]));
    return true;
}

static void end(struct values *v)
{
    fputs("</title></path>\n", v->out);
}

// ---- What is said ----

static void put_name(const char *name, FILE *out)
{
    section_escape(name && *name ? name : "value", out);
    fputs(": ", out);
}

// Of an axis with names at places that of the nearest, else the number.
static void put_x(const struct values *v, double x)
{
    const struct plot *p = v->plot;
    const struct plot_tick *nearest = p->tick;
    for (uint32_t i = 1; i < p->ticks; i++)
        if (fabs(p->tick[i].at - x) < fabs(nearest->at - x))
            nearest = &p->tick[i];
    put_name(p->x_title, v->out);
    if (p->ticks)
        section_escape(nearest->text, v->out);
    else
        fprintf(v->out, "%.4g", x);
    fputs("; ", v->out);
}

static void put_y(const struct values *v, double y)
{
    put_name(v->plot->y_title, v->out);
    fprintf(v->out, "%.4g", y);
}

static void put_range(double least, double most, FILE *out)
{
    if (most > least)
        fprintf(out, " (%.4g to %.4g)", least, most);
}

static void put_line(struct values *v, const struct plot_line *line)
{
    double last = -INFINITY;
    for (uint32_t i = 0; i < line->points; i++) {
        struct plot_point at = line->point[i];
        double x = x_of(v, at.x);
        if (isnan(at.y) || (!line->dots && !(fabs(x - last) >= APART_PIXELS)))
            continue;
        if (!begin_point(v, at.x, at.y, line->colour))
            continue;
        last = x;
        put_x(v, at.x);
        put_y(v, at.y);
        end(v);
    }
}

static void put_columns(struct values *v)
{
    const struct plot *p = v->plot;
    for (uint32_t i = 0; i < p->columns; i++) {
        const struct plot_column *c = &p->column[i];
        double foot = p->log_y ? p->y_least : 0;
        if (!begin_area(v, (double[]){c->from, c->to}, (double[]){foot, c->y}, c->colour))
            continue;
        if (p->ticks) {
            put_x(v, (c->from + c->to) / 2);
        } else {
            put_name(p->x_title, v->out);
            fprintf(v->out, "%.4g to %.4g; ", c->from, c->to);
        }
        put_y(v, c->y);
        end(v);
    }
}

static void put_points(struct values *v)
{
    const struct plot *p = v->plot;
    for (uint32_t i = 0; i < p->values; i++) {
        const struct plot_value *value = &p->value[i];
        if (!begin_point(v, value->x, value->y, value->colour))
            continue;
        put_x(v, value->x);
        put_y(v, value->y);
        put_range(value->least, value->most, v->out);
        end(v);
    }
    for (uint32_t i = 0; i < p->publisheds; i++) {
        const struct plot_published *d = &p->published[i];
        if (!begin_point(v, d->x, d->least, d->colour))
            continue;
        fputs("published: ", v->out);
        put_x(v, d->x);
        put_y(v, d->least);
        put_range(d->least, d->most, v->out);
        end(v);
    }
}

static void put_bars(struct values *v)
{
    const struct plot *p = v->plot;
    for (uint32_t i = 0; i < p->bars; i++) {
        const struct plot_bar *b = &p->bar[i];
        double y[] = {plot_place(b->row, b->low), plot_place(b->row, b->high)};
        if (!begin_area(v, (double[]){b->from, b->to}, y, b->colour))
            continue;
        section_escape(p->row[b->row], v->out);
        fputs("; ", v->out);
        put_name(p->x_title, v->out);
        if (b->from != 0)
            fprintf(v->out, "%.4g to ", b->from);
        fprintf(v->out, "%.4g", b->to);
        end(v);
    }
    for (uint32_t i = 0; i < p->marks; i++) {
        const struct plot_mark *m = &p->mark[i];
        if (!begin_point(v, m->x, plot_place(m->row, m->within), PLOT_INK))
            continue;
        fputs("published: ", v->out);
        put_name(p->row[m->row], v->out);
        fprintf(v->out, "%.4g", m->x);
        end(v);
    }
}

void values_put(const struct plot *plot, const struct values_frame *frame, FILE *out)
{
    struct values v = {.plot = plot, .frame = frame, .out = out};
    if (frame->places != VALUES_PLACES)
        return;
    if (plot->rows)
        put_bars(&v);
    put_columns(&v);
    for (uint32_t i = 0; i < plot->lines; i++)
        put_line(&v, &plot->line[i]);
    put_points(&v);
    close_group(&v);
}
