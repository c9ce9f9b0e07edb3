// See script.h.
#include "control/report/script.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "control/report/svg.h"
#include "control/report/values.h"

// ---- Texts ----

#define NAME_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -:/."

// Only what cannot end a string, begin a markup in gnuplot or SVG, or be a format.
static void put_text(const char *text, const char *signs, FILE *out)
{
    for (; *text; text++)
        fputc(strchr(signs, *text) ? *text : (*text == '_' ? ' ' : '?'), out);
}

static void put_name(const char *name, FILE *out)
{
    put_text(name, NAME_SIGNS, out);
}

static void put_title(const char *axis, const char *title, FILE *out)
{
    fprintf(out, "set %slabel '", axis);
    put_text(title ? title : "", NAME_SIGNS "%,()+=", out);
    fputs("' textcolor rgb '" SVG_TEXT "'\n", out);
}

// ---- Axes ----

#define LETTERS_BESIDE 52 // of an axis

// Marks at 1, 2, 5, 10 and so on; within a power of ten more of them, on a long axis fewer. The
// range is a little wider, for gnuplot leaves out a mark at an end.
static void put_log_marks(const char *axis, double least, double most, FILE *out)
{
    static const struct {
        double span;
        int count;
        double step[6];
    } of_span[] = {{11, 6, {1, 1.5, 2, 3, 5, 7}}, {301, 3, {1, 2, 5}}, {INFINITY, 1, {1}}};
    const char *between = "";
    int k = 0;
    while (most / least > of_span[k].span)
        k++;
    fprintf(out, "set %srange [%.9g:%.9g]\nset logscale %s\nset %stics (", axis, least * (1 - 1e-6),
            most * (1 + 1e-6), axis, axis);
    double unit = fmax(pow(10, floor(log10(least))), DBL_MIN); // 0 would not grow
    for (; unit < 1.01 * most; unit *= 10)
        for (int i = 0; i < of_span[k].count; i++) {
            double mark = unit * of_span[k].step[i];
            if (mark < 0.99 * least || mark > 1.01 * most)
                continue;
            fprintf(out, "%s\"%.10g\" %.10g", between, mark, mark);
            between = ", ";
        }
    fputs(")\n", out);
}

// Texts of which one would not fit into its part of the axis are turned.
static void put_ticks(const struct plot *p, FILE *out)
{
    size_t longest = 0;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < p->ticks; i++) {
        size_t n = p->tick[i].unseen ? 0 : strlen(p->tick[i].text);
        longest = n > longest ? n : longest;
        seen += !p->tick[i].unseen;
    }
    fprintf(out, "set xtics %s(",
            (longest + 1) * seen > LETTERS_BESIDE ? "rotate by 30 right " : "");
    const char *between = "\"";
    for (uint32_t i = 0; i < p->ticks; i++) {
        if (p->tick[i].unseen)
            continue;
        fputs(between, out);
        put_name(p->tick[i].text, out);
        fprintf(out, "\" %.10g", p->tick[i].at);
        between = ", \"";
    }
    fputs(")\n", out);
}

static void put_axes(const struct plot *p, FILE *out)
{
    fprintf(out,
            "reset\n"
            "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,16'\n"
            "unset key\n"
            "set border 3 lw 0.7 lc rgb '" SVG_TEXT "'\n"
            "set tics nomirror out scale 0.4 textcolor rgb '" SVG_TEXT "'\n"
            "set grid lt 1 lw 0.7 lc rgb '" SVG_GRID "'\n"
            "set format '%%.10g'\n"
            "set xrange [%.9g:%.9g]\n",
            SVG_WIDTH, p->rows ? svg_height_of_rows(p->rows, p->row_bars) : SVG_HEIGHT, p->x_least,
            p->x_most);
    put_title("x", p->x_title, out);
    put_title("y", p->y_title, out);
    if (p->log_x)
        put_log_marks("x", p->x_least, p->x_most, out);
    if (p->log_y)
        put_log_marks("y", p->y_least, p->y_most, out);
    else
        fprintf(out, "set yrange [%.9g:%.9g]\n", p->y_least, p->y_most);
    if (p->y_least < 0)
        fputs("set xzeroaxis lt 1 lw 0.7 lc rgb '" SVG_TEXT "'\n", out);
    if (p->x_mark > 0)
        fprintf(out,
                "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead dt 2 lw 1 "
                "lc rgb '" SVG_TEXT "'\n",
                p->x_mark, p->x_mark);
    if (p->ticks)
        put_ticks(p, out);
}

// ---- Lines ----

static void put_points(const struct plot *p, FILE *out)
{
    for (uint32_t i = 0; i < p->lines; i++) {
        fprintf(out, "$l%u << END\n", i);
        for (uint32_t k = 0; k < p->line[i].points; k++)
            if (isnan(p->line[i].point[k].y))
                fputc('\n', out);
            else
                fprintf(out, "%.6g %.6g\n", p->line[i].point[k].x, p->line[i].point[k].y);
        fputs("END\n", out);
    }
}

static void put_line(const struct plot *p, uint32_t i, FILE *out)
{
    const struct plot_line *line = &p->line[i];
    uint32_t colour = line->colour % PLOT_COLOURS;
    if (line->dots)
        fprintf(out, "$l%u with points pt " SVG_DOT " lc rgb '" SVG_SERIES "'", i, colour);
    else
        fprintf(out, "$l%u with lines lw 2 dt %u lc rgb '" SVG_SERIES "'", i,
                1 + line->colour / PLOT_COLOURS % 5, colour);
}

// ---- Columns, values and what is published ----

// As SVG_TEXT and SVG_SERIES.
static uint32_t rgb_of(uint32_t colour)
{
    return colour == PLOT_INK ? 0x010200 : 0x010300 + colour % PLOT_COLOURS;
}

static void put_columns(const struct plot *p, FILE *out)
{
    fputs("$c << END\n", out);
    for (uint32_t i = 0; i < p->columns; i++) {
        const struct plot_column *c = &p->column[i];
        double foot = p->log_y ? p->y_least : 0;
        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g 0x%06x\n", c->to, c->y, c->from, c->to,
                fmin(foot, c->y), fmax(foot, c->y), rgb_of(c->colour));
    }
    fputs("END\nset style fill solid noborder\n", out);
}

// Their intervals on columns, which are lines of the text's colour; and the others.
static void put_values(const struct plot *p, FILE *out)
{
    fputs("$i << END\n", out);
    for (uint32_t i = 0; i < p->values; i++)
        if (p->value[i].on_column)
            fprintf(out, "%.9g %.9g\n%.9g %.9g\n\n", p->value[i].x, p->value[i].least,
                    p->value[i].x, p->value[i].most);
    fputs("END\n$v << END\n", out);
    for (uint32_t i = 0; i < p->values; i++) {
        const struct plot_value *v = &p->value[i];
        if (!v->on_column)
            fprintf(out, "%.9g %.9g %.9g %.9g 0x%06x\n", v->x, v->y, v->least, v->most,
                    rgb_of(v->colour));
    }
    fputs("END\n", out);
}

static bool is_range(const struct plot_published *d)
{
    return d->most > d->least || d->to > d->x;
}

static void put_end(const struct plot_published *d, bool first, FILE *out)
{
    fprintf(out, "%.9g %.9g 0x%06x\n", !first && d->to > d->x ? d->to : d->x,
            first ? d->least : d->most, rgb_of(d->colour));
}

// The lines of ranges, and all marks.
static void put_published(const struct plot *p, FILE *out)
{
    fputs("$r << END\n", out);
    for (uint32_t i = 0; i < p->publisheds; i++)
        if (is_range(&p->published[i])) {
            put_end(&p->published[i], true, out);
            put_end(&p->published[i], false, out);
            fputc('\n', out);
        }
    fputs("END\n$p << END\n", out);
    for (uint32_t i = 0; i < p->publisheds; i++) {
        put_end(&p->published[i], true, out);
        if (is_range(&p->published[i]))
            put_end(&p->published[i], false, out);
    }
    fputs("END\n", out);
}

static bool has_values(const struct plot *p, bool on_column)
{
    for (uint32_t i = 0; i < p->values; i++)
        if (p->value[i].on_column == on_column)
            return true;
    return false;
}

static bool has_ranges(const struct plot *p)
{
    for (uint32_t i = 0; i < p->publisheds; i++)
        if (is_range(&p->published[i]))
            return true;
    return false;
}

// ---- Places ----

#define OF_PLACES "$z with points pt " SVG_PLACE

// What is marked, but not drawn.
static void put_places(const struct plot *p, FILE *out)
{
    fputs("$z << END\n", out);
    for (int i = 0; i < VALUES_PLACES; i++) {
        double x, y;
        values_place(p, i, &x, &y);
        fprintf(out, "%.9g %.9g\n", x, y);
    }
    fputs("END\n", out);
}

// ---- The picture ----

// gnuplot warns of a block without a row, so none is named.
static void put_picture(const struct plot *p, FILE *out)
{
    static const char of_column[] = "$c using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable";
    static const char of_interval[] = "$i with lines lw 1.5 lc rgb '" SVG_TEXT "'";
    static const char of_value[] =
        "$v using 1:2:3:4:5 with yerrorbars lw 1.5 pt " SVG_DOT " lc rgb variable";
    static const char of_range[] = "$r using 1:2:3 with lines lw 1 lc rgb variable";
    static const char of_published[] =
        "$p using 1:2:3 with points pt " SVG_PUBLISHED " lc rgb variable";
    const char *between = "plot ";
    const struct {
        bool there;
        const char *text;
    } above[] = {{has_values(p, true), of_interval},
                 {has_values(p, false), of_value},
                 {has_ranges(p), of_range},
                 {p->publisheds > 0, of_published}};
    if (p->columns) {
        fprintf(out, "%s%s", between, of_column);
        between = ", ";
    }
    for (uint32_t i = 0; i < p->lines; i++) {
        fputs(between, out);
        put_line(p, i, out);
        between = ", ";
    }
    for (size_t i = 0; i < sizeof above / sizeof above[0]; i++)
        if (above[i].there) {
            fprintf(out, "%s%s", between, above[i].text);
            between = ", ";
        }
    fprintf(out, "%s" OF_PLACES "\n", between);
}

static void put_lines(const struct plot *p, FILE *out)
{
    put_points(p, out);
    put_columns(p, out);
    put_values(p, out);
    put_published(p, out);
    put_picture(p, out);
}

// ---- Bars in rows ----

// A step with at most four more marks than the 0.
static double step_of(double most)
{
    double step = pow(10, floor(log10(most)));
    return most / step > 4 ? 2 * step : (most / step > 2 ? step : step / 2);
}

static void put_marks(const struct plot *p, FILE *out)
{
    fputs("$p << END\n", out);
    for (uint32_t i = 0; i < p->marks; i++)
        fprintf(out, "%.9g %.4f 0x%06x\n", p->mark[i].x,
                plot_place(p->mark[i].row, p->mark[i].within), rgb_of(PLOT_INK));
    fputs("END\n", out);
}

// Rows from the top down.
static void put_bars(const struct plot *p, FILE *out)
{
    fprintf(out, "set yrange [%u:0]\nset xtics %.9g\nset grid noytics\nset ytics scale 0 (",
            p->rows, step_of(p->x_most));
    for (uint32_t i = 0; i < p->rows; i++) {
        fprintf(out, "%s\"", i ? ", " : "");
        put_name(p->row[i], out);
        fprintf(out, "\" %u.5", i);
    }
    fputs(")\n$b << END\n", out);
    for (uint32_t i = 0; i < p->bars; i++) {
        const struct plot_bar *b = &p->bar[i];
        double top = plot_place(b->row, b->low), bottom = plot_place(b->row, b->high);
        fprintf(out, "%.9g %.4f %.9g %.9g %.4f %.4f 0x%06x\n", b->to, bottom, b->from, b->to, top,
                bottom, rgb_of(b->colour));
    }
    fputs("END\n", out);
    put_marks(p, out);
    fprintf(out,
            "set style fill solid noborder\n"
            "plot $b using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable%s, " OF_PLACES "\n",
            p->marks ? ", $p using 1:2:3 with points pt " SVG_PUBLISHED " lc rgb variable" : "");
}

void script_put(const struct plot *plot, FILE *out)
{
    put_axes(plot, out);
    put_places(plot, out);
    (plot->rows ? put_bars : put_lines)(plot, out);
}
