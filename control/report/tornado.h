// A tornado figure as SVG: a row for each knob, and in it a bar from the base to what the low
// setting gives and one to what the high one gives. Drawn here, without gnuplot: bars with texts at
// their ends and a band behind them are not what it draws well.
#ifndef SLUICE_CONTROL_REPORT_TORNADO_H
#define SLUICE_CONTROL_REPORT_TORNADO_H

#include <stdio.h>

struct json_object;

// Draws a conclusion of knobs.json whose base has a figure. Knobs that move nothing have no row.
void tornado_draw(const struct json_object *conclusion, FILE *out);

#endif
