// The figures that a file of targets declares, as plots: out of figures.json, which its command
// left.
#ifndef SLUICE_CONTROL_REPORT_REDRAWN_H
#define SLUICE_CONTROL_REPORT_REDRAWN_H

#include "control/report/plot.h"

#define REDRAWN_FIGURES_MAX 100
#define REDRAWN_SERIES_MAX  16

struct json_object;

struct redrawn_figure {
    const struct json_object *json;
    struct plot plot;
    char x_title[PLOT_TITLE_OCTETS], y_title[PLOT_TITLE_OCTETS];
    bool named;    // its x axis has names, so it has columns
    bool any_ours; // a point of a run or of a formula
};

struct redrawn {
    struct redrawn_figure *figure;
    uint32_t count;
};

// False: no memory. Points that are no numbers are left out, as are those that a logarithmic axis
// has no place for.
bool redrawn_make(struct redrawn *redrawn, const struct json_object *figures);
void redrawn_release(struct redrawn *redrawn);

// The series of a figure, which are bounded.
uint32_t redrawn_series(const struct redrawn_figure *figure);

#endif
