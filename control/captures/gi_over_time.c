// See gi_figures_parts.h: what passed while the capture lasted, a line for each direction.
#include "control/captures/gi_figures_parts.h"

#include <math.h>
#include <string.h>

#include "control/client/value.h"

#define ROWS_MOST 4096u

struct over_time {
    const struct json_object *rows;
    uint32_t count;
    double begin_s, interval_s; // of the first row; of each
    double unit_s;              // of the axis
    const char *x_title;
};

static struct over_time over_time_of(const struct json_object *report)
{
    static const struct {
        double unit_s;
        const char *title;
    } axes[] = {{1, "since the first packet, s"},
                {60, "since the first packet, min"},
                {3600, "since the first packet, h"}};
    const struct json_object *series = value_in(report, "series");
    struct over_time o = {.rows = value_in(series, "rows"),
                          .interval_s = gi_number(series, "interval_s")};
    o.count = value_count(o.rows) < ROWS_MOST ? (uint32_t)value_count(o.rows) : ROWS_MOST;
    if (o.count == 0 || o.interval_s <= 0)
        return (struct over_time){.count = 0};
    o.begin_s = gi_number(value_at(o.rows, 0), "begin_s");
    double lasts_s = gi_number(value_at(o.rows, o.count - 1), "begin_s") - o.begin_s;
    int axis = lasts_s < 600 ? 0 : lasts_s < 36000 ? 1 : 2;
    o.unit_s = axes[axis].unit_s;
    o.x_title = axes[axis].title;
    return o;
}

typedef double value_fn(const struct json_object *row);

// A stair, with a gap where there is no row, or none of that value; or dots in the middle.
static void add_line(struct gi_figures *f, struct figure *figure, const struct over_time *o,
                     const char *name, uint32_t colour, value_fn *value, bool dots)
{
    struct plot *p = &figure->plot;
    if (!p->line)
        p->line = gi_keep(f, GI_SERIES_MOST * sizeof *p->line);
    struct plot_line *line = &p->line[p->lines];
    *line = (struct plot_line){.point = gi_keep(f, 3 * o->count * sizeof(struct plot_point)),
                               .colour = colour,
                               .dots = dots};
    double end = 0;
    bool any = false;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct json_object *row = value_at(o->rows, i);
        double from = (gi_number(row, "begin_s") - o->begin_s) / o->unit_s, y = value(row);
        double to = from + o->interval_s / o->unit_s;
        if (dots && !isnan(y)) {
            line->point[line->points++] = (struct plot_point){(from + to) / 2, y};
        } else if (!dots) {
            if (i && from > end + o->interval_s / o->unit_s / 2)
                line->point[line->points++] = (struct plot_point){end, NAN};
            line->point[line->points++] = (struct plot_point){from, y};
            line->point[line->points++] = (struct plot_point){to, y};
        }
        end = to;
        any |= !isnan(y);
        p->x_most = fmax(p->x_most, to);
        p->y_most = fmax(p->y_most, isnan(y) ? 0 : 1.05 * y);
    }
    p->lines += any;
    if (any)
        gi_add_name(f, figure, name, -1, colour);
}

static double rate_down(const struct json_object *row)
{
    return gi_number(row, "down_bit_per_s") / 1000;
}

static double rate_up(const struct json_object *row)
{
    return gi_number(row, "up_bit_per_s") / 1000;
}

static double part(const struct json_object *row, const char *again, const char *segments)
{
    double of = gi_number(row, segments);
    return of > 0 ? 100 * fmin(gi_number(row, again) / of, 1) : (double)NAN;
}

static double again_down(const struct json_object *row)
{
    return part(row, "down_again", "down_segments");
}

static double again_up(const struct json_object *row)
{
    return part(row, "up_again", "up_segments");
}

static double setup(const struct json_object *row)
{
    return gi_number(row, "setups") > 0 ? gi_number(row, "setup_mean_s") : (double)NAN;
}

static double alive(const struct json_object *row)
{
    return gi_number(row, "flows_alive");
}

static void add(struct gi_figures *f, const struct over_time *o, const char *title,
                const char *y_title, const char *const names[2], value_fn *const value[2],
                bool dots)
{
    struct figure *figure = gi_begin(f, title, o->x_title, y_title);
    for (uint32_t i = 0; i < 2 && value[i] && o->count; i++)
        add_line(f, figure, o, names[i], i, value[i], dots);
    if (figure->plot.y_most == 0)
        figure->plot.y_most = 1;
    gi_end_figure(f, figure, figure->plot.lines > 0);
}

void gi_add_over_time(struct gi_figures *f, const struct json_object *report)
{
    struct over_time o = over_time_of(report);
    static const char *const ways[] = {"to users", "of users"};
    add(f, &o, "Rate over time: TCP with its IP headers", "kbit/s", ways,
        (value_fn *const[]){rate_down, rate_up}, false);
    add(f, &o, "Repetitions over time: segments sent again, or late", "of all segments, %", ways,
        (value_fn *const[]){again_down, again_up}, false);
    add(f, &o, "Set-up over time: mean delay", "s", (const char *const[]){"set-up", NULL},
        (value_fn *const[]){setup, NULL}, true);
    add(f, &o, "Flows over time: those that live", "flows", (const char *const[]){"flows", NULL},
        (value_fn *const[]){alive, NULL}, false);
}

// ---- One connection ----

#define POINTS_MOST 32768u

static void add_kind(struct gi_figures *f, struct figure *figure, const struct json_object *points,
                     const char *kind, const char *name, uint32_t colour, bool dots)
{
    struct plot *p = &figure->plot;
    size_t count = value_count(points) < POINTS_MOST ? value_count(points) : POINTS_MOST;
    struct plot_line *line = &p->line[p->lines];
    char text[GI_TEXT_ROOM];
    *line = (struct plot_line){.point = gi_keep(f, (2 * count + 1) * sizeof(struct plot_point)),
                               .colour = colour,
                               .dots = dots};
    for (size_t i = 0; i < count; i++) {
        const struct json_object *point = value_at(points, i);
        if (strcmp(value_text(point, "kind", text, sizeof text), kind) != 0)
            continue;
        struct plot_point at = {gi_number(point, "after_s"), gi_number(point, "octets") / 1000};
        if (!dots && line->points) { // a stair
            double before = line->point[line->points - 1].y;
            line->point[line->points++] = (struct plot_point){at.x, before};
        }
        line->point[line->points++] = at;
        p->x_most = fmax(p->x_most, at.x);
        p->y_most = fmax(p->y_most, 1.05 * at.y);
        p->y_least = fmin(p->y_least, at.y);
    }
    p->lines += line->points > 0;
    if (line->points)
        gi_add_name(f, figure, name, -1, colour);
}

void gi_add_sequence(struct gi_figures *f, const struct json_object *report)
{
    const struct json_object *sequence = value_in(report, "sequence");
    const struct json_object *points = value_in(sequence, "points");
    char title[3 * GI_TEXT_ROOM], user[GI_TEXT_ROOM], host[GI_TEXT_ROOM];
    if (!sequence)
        return;
    snprintf(title, sizeof title, "Sequence: %s to %s",
             value_text(sequence, "host", host, sizeof host),
             value_text(sequence, "user", user, sizeof user));
    struct figure *figure = gi_begin(f, title, "since its first segment, s", "kB");
    struct plot *p = &figure->plot;
    p->line = gi_keep(f, GI_SERIES_MOST * sizeof *p->line);
    add_kind(f, figure, points, "ack", "acknowledged", 2, false);
    add_kind(f, figure, points, "data", "sent first", 0, true);
    add_kind(f, figure, points, "again", "sent again, or late", 1, true);
    if (p->x_most <= 0)
        p->x_most = 1;
    if (p->y_most <= 0)
        p->y_most = 1;
    gi_end_figure(f, figure, p->lines > 0);
}
