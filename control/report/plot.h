// Figures drawn by gnuplot, a child process without a shell, as SVG for the inside of an HTML page.
// Their colours are CSS variables of the page: --s0 to --s7, --grid, --ground, and the text's own.
// Of a file's texts only letters, digits and a few signs reach gnuplot.
#ifndef SLUICE_CONTROL_REPORT_PLOT_H
#define SLUICE_CONTROL_REPORT_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#define PLOT_COLOURS      8
#define PLOT_INK          UINT32_MAX // the text's colour, of what lies on columns
#define PLOT_ROW_OCTETS   48
#define PLOT_TITLE_OCTETS 128

struct plot_point {
    double x, y; // y NAN: the line has a gap
};

struct plot_line {
    struct plot_point *point;
    uint32_t points, colour; // from PLOT_COLOURS on, the line is dashed
    bool dots;               // instead of a line
};

struct plot_bar {
    double from, to;
    double low, high; // within its row, 0 to 1
    uint32_t row, colour;
};

// A column that stands on the x axis.
struct plot_column {
    double from, to, y;
    uint32_t colour;
};

// What is published of a bar: a mark within its row, 0 to 1.
struct plot_mark {
    double x, within;
    uint32_t row;
};

// A value with its interval, least to most.
struct plot_value {
    double x, y, least, most;
    uint32_t colour;
    bool on_column; // the interval alone is drawn
};

// A published value: a mark of its own, or with most > least two of them and a line between. Or,
// with to > x, a band of the x axis: two marks at `least`, and a line between.
struct plot_published {
    double x, least, most;
    uint32_t colour; // or PLOT_INK
    double to;
};

struct plot_tick {
    double at;
    char text[PLOT_ROW_OCTETS];
    bool unseen; // for want of room it stands under the pointer alone
};

// Lines and what lies on them, or bars in rows.
struct plot {
    const char *x_title, *y_title;
    bool log_x, log_y;
    double x_least, x_most, y_least, y_most;
    double x_mark; // a line across the picture; 0: none
    struct plot_line *line;
    struct plot_column *column;
    struct plot_value *value;
    struct plot_published *published;
    struct plot_tick *tick; // of the x axis; none: gnuplot chooses
    struct plot_bar *bar;
    struct plot_mark *mark;
    char (*row)[PLOT_ROW_OCTETS];
    uint32_t lines, columns, values, publisheds, ticks;
    uint32_t bars, marks, rows, row_bars; // row_bars: those below each other in a row
};

// A place within a row, 0 to 1, as a number of the y axis: the middle seven tenths are for bars.
static inline double plot_place(uint32_t row, double within)
{
    return row + 0.15 + 0.7 * within;
}

// Draws them all. Returns their SVG, to be freed one by one and as a whole; or NULL, and error says
// why.
char **plot_draw(const struct plot *plots, uint32_t count, char error[256]);

#endif
