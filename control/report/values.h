// What a figure says under the pointer: the value of each point, column and bar, and of some points
// of a line, as the title of a part that nobody sees. No script is needed.
#ifndef SLUICE_CONTROL_REPORT_VALUES_H
#define SLUICE_CONTROL_REPORT_VALUES_H

#include <stdio.h>

struct plot;

// Two places in the axes' numbers that gnuplot is told to mark, so that those of all are known.
#define VALUES_PLACES 2
void values_place(const struct plot *plot, int i, double *x, double *y);

// Where it marked them, in pixels.
struct values_frame {
    double x[VALUES_PLACES], y[VALUES_PLACES];
    int places;
};

// Nothing, if a place is not known.
void values_put(const struct plot *plot, const struct values_frame *frame, FILE *out);

#endif
