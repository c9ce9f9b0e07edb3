// Figures drawn by gnuplot, a child process without a shell, as SVG for the inside of an HTML page.
// Their colours are CSS variables of the page: --s0 to --s7, --grid, and the text's own. No text of
// a file reaches gnuplot but names of rows, of which only letters, digits and a few signs are left.
#ifndef SLUICE_CONTROL_PAGE_PLOT_H
#define SLUICE_CONTROL_PAGE_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#define PLOT_COLOURS    8
#define PLOT_ROW_OCTETS 48

struct plot_point {
    double x, y; // y NAN: the line has a gap
};

struct plot_line {
    struct plot_point *point;
    uint32_t points, colour; // from PLOT_COLOURS on, the line is dashed
};

struct plot_bar {
    double from, to;
    double low, high; // within its row, 0 to 1
    uint32_t row, colour;
};

// Lines, or bars in rows.
struct plot {
    const char *x_title, *y_title; // constants of the program
    bool log_x, thin;
    double x_least, x_most, y_most;
    struct plot_line *line;
    struct plot_bar *bar;
    char (*row)[PLOT_ROW_OCTETS];
    uint32_t lines, bars, rows, row_bars; // row_bars: those below each other in a row
};

// Draws them all. Returns their SVG, to be freed one by one and as a whole; or NULL, and error says
// why.
char **plot_draw(const struct plot *plots, uint32_t count, char error[256]);

#endif
