// See tornado.h. All lengths are in the picture's own pixels.
#include "control/report/tornado.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/sections.h"

#define MARKS_MOST  24 // of an axis; far from 0 its numbers are the same, or have no end
#define WIDTH       760
#define LEFT        236 // of the plot; the names of the knobs are beside it
#define RIGHT       752
#define SIDE        108 // room within the plot for the texts at the ends of bars
#define ROW         34
#define BAR         12
#define AXIS        34 // below the rows
#define TOP         8
#define NAME_OCTETS 34 // of a name; the whole one is its title
#define VALUE_MOST  16
#define ROWS_MAX    64
#define TEXT_ROOM   512

struct tornado {
    const struct json_object *row[ROWS_MAX];
    uint32_t rows;
    double base, least, most; // of the band; infinite: no bound
    double from, to;          // the axis, at LEFT + SIDE and RIGHT - SIDE
    bool met;                 // at the base
    FILE *out;
};

static const char *const sides[] = {"low", "high"};

static double number_of(const struct json_object *of, const char *name)
{
    return value_as_real(value_in(of, name));
}

static bool is_met(const struct json_object *of)
{
    char verdict[16];
    return strcmp(value_text(of, "verdict", verdict, sizeof verdict), "met") == 0;
}

static bool moves(const struct json_object *side)
{
    return value_is_true(value_in(side, "moves")) && !isnan(number_of(side, "mean"));
}

// ---- The axis ----

static void take(struct tornado *t, double x)
{
    t->from = fmin(t->from, x);
    t->to = fmax(t->to, x);
}

// The band's ends are shown if they are not so far away that the bars would become small.
static void set_axis(struct tornado *t)
{
    t->from = t->to = t->base;
    for (uint32_t i = 0; i < t->rows; i++)
        for (int s = 0; s < 2; s++)
            if (moves(value_in(t->row[i], sides[s])))
                take(t, number_of(value_in(t->row[i], sides[s]), "mean"));
    double span = t->to - t->from, from = t->from, to = t->to;
    if (!(span > 0))
        span = fmax(fabs(t->base) * 0.1, 1e-6);
    if (t->least > from - 1.5 * span && t->least < to + 1.5 * span)
        take(t, t->least);
    if (t->most > from - 1.5 * span && t->most < to + 1.5 * span)
        take(t, t->most);
    if (!(t->to > t->from)) {
        t->from -= span / 2;
        t->to += span / 2;
    }
}

static double x_of(const struct tornado *t, double value)
{
    double part = (value - t->from) / (t->to - t->from);
    double x = LEFT + SIDE + part * (RIGHT - LEFT - 2 * SIDE);
    return fmin(fmax(x, LEFT), RIGHT);
}

// 1, 2 or 5 times a power of ten, for four to ten marks.
static double step_of(double span)
{
    double unit = pow(10, floor(log10(span / 4))), many = span / 4 / unit;
    return unit * (many >= 5 ? 5 : many >= 2 ? 2 : 1);
}

static void put_axis(const struct tornado *t, const char *unit)
{
    int bottom = TOP + ROW * (int)t->rows;
    double step = step_of(t->to - t->from), reach = (t->to - t->from) * 0.12;
    fputs("<g font-size=\"12\" text-anchor=\"middle\" fill=\"currentColor\">", t->out);
    double first = ceil((t->from - reach) / step);
    for (int n = 0; n < MARKS_MOST && (first + n) * step <= t->to + reach; n++) {
        double i = first + n, x = x_of(t, i * step);
        fprintf(t->out,
                "<path d=\"M%.1f %dV%d\" stroke=\"var(--grid)\"/>"
                "<text x=\"%.1f\" y=\"%d\">%.6g</text>",
                x, TOP, bottom, x, bottom + 15, i * step == 0 ? 0.0 : i * step);
    }
    fprintf(t->out, "<text x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2, bottom + 30);
    section_escape(unit, t->out);
    fputs("</text></g>\n", t->out);
}

// ---- Rows ----

static void put_band(const struct tornado *t)
{
    double left = isinf(t->least) ? LEFT : x_of(t, t->least);
    double right = isinf(t->most) ? RIGHT : x_of(t, t->most);
    fprintf(t->out,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"var(--s6)\" "
            "fill-opacity=\".16\"/>\n",
            left, TOP, fmax(right - left, 1), ROW * (int)t->rows);
}

// As much of a text as there is room for, all of it as its title.
static void put_text(const struct tornado *t, const char *place, double x, double y,
                     const char *text, size_t most)
{
    char shown[TEXT_ROOM];
    bool long_one = strlen(text) > most;
    snprintf(shown, sizeof shown, "%.*s%s", (int)(long_one ? most - 2 : most), text,
             long_one ? ".." : "");
    fprintf(t->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, place);
    if (long_one) {
        fputs("<title>", t->out);
        section_escape(text, t->out);
        fputs("</title>", t->out);
    }
    section_escape(shown, t->out);
    fputs("</text>", t->out);
}

// A bar has a colour where the verdict is another than at the base.
static const char *colour_of(const struct tornado *t, const struct json_object *side)
{
    if (is_met(side) == t->met)
        return "--s7";
    return t->met ? "--s5" : "--s2";
}

static void put_interval(const struct tornado *t, const struct json_object *side, double middle)
{
    double mean = number_of(side, "mean"), half = number_of(side, "ci95");
    if (isnan(half) || half <= 0)
        return;
    fprintf(t->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"currentColor\"/>", x_of(t, mean - half),
            middle, x_of(t, mean + half));
}

static void put_bar(const struct tornado *t, const struct json_object *side, double top)
{
    char value[TEXT_ROOM];
    double base = x_of(t, t->base), end = x_of(t, number_of(side, "mean"));
    double half = number_of(side, "ci95"), mean = number_of(side, "mean"), beyond = end;
    bool leftward = end < base;
    if (half > 0)
        beyond = x_of(t, leftward ? mean - half : mean + half);
    fprintf(t->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"var(%s)\"%s/>",
            fmin(base, end), top, fmax(fabs(end - base), 1), BAR, colour_of(t, side),
            value_is_true(value_in(side, "firm")) ? "" : " fill-opacity=\".55\"");
    put_interval(t, side, top + BAR / 2.0);
    // Where there is no room beyond its end, the text is on the other side of the base.
    value_text(side, "value", value, sizeof value);
    bool left = leftward ? beyond > LEFT + SIDE / 2 : beyond > RIGHT - SIDE / 2;
    double x = left ? (leftward ? beyond : base) - 4 : (leftward ? base : beyond) + 4;
    put_text(t, left ? "end" : "start", x, top + BAR - 2, value, VALUE_MOST);
}

static void put_row(const struct tornado *t, uint32_t i)
{
    char name[TEXT_ROOM], base[TEXT_ROOM];
    double top = TOP + ROW * (double)i;
    value_text(t->row[i], "name", name, sizeof name);
    value_text(t->row[i], "base", base, sizeof base);
    put_text(t, "end", LEFT - 10, top + 15, name, NAME_OCTETS);
    fputs("<g opacity=\".75\">", t->out);
    put_text(t, "end", LEFT - 10, top + 29, base, NAME_OCTETS);
    fputs("</g>", t->out);
    for (int s = 0; s < 2; s++) {
        const struct json_object *side = value_in(t->row[i], sides[s]);
        if (side && moves(side))
            put_bar(t, side, top + 4 + s * (BAR + 2));
    }
    fputc('\n', t->out);
}

void tornado_draw(const struct json_object *conclusion, FILE *out)
{
    struct tornado t = {.base = number_of(value_in(conclusion, "base"), "mean"),
                        .least = number_of(conclusion, "least"),
                        .most = number_of(conclusion, "most"),
                        .met = is_met(value_in(conclusion, "base")),
                        .out = out};
    const struct json_object *knobs = value_in(conclusion, "knobs");
    char unit[64];
    t.least = isnan(t.least) ? -INFINITY : t.least;
    t.most = isnan(t.most) ? INFINITY : t.most;
    for (size_t i = 0; i < value_size(knobs) && t.rows < ROWS_MAX; i++) {
        const struct json_object *row = value_item(knobs, i);
        if (moves(value_in(row, "low")) || moves(value_in(row, "high")))
            t.row[t.rows++] = row;
    }
    if (t.rows == 0 || isnan(t.base))
        return;
    set_axis(&t);
    int height = TOP + ROW * (int)t.rows;
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"currentColor\" role=\"img\">\n",
            WIDTH, height + AXIS);
    put_band(&t);
    put_axis(&t, value_text(conclusion, "unit", unit, sizeof unit));
    for (uint32_t i = 0; i < t.rows; i++)
        put_row(&t, i);
    fprintf(out, "<path d=\"M%.1f %dV%d\" stroke=\"currentColor\" stroke-width=\"1.5\"/></svg>\n",
            x_of(&t, t.base), TOP, height);
}
