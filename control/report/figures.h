// The figures of a page. With one run, a line is a class, a cell or a flow; with several, there is
// a figure for each class at each point, and a line is a variant, all its seeds together.
#ifndef SLUICE_CONTROL_REPORT_FIGURES_H
#define SLUICE_CONTROL_REPORT_FIGURES_H

#include <stdio.h>

#include "control/report/curves.h"
#include "control/report/drops.h"
#include "control/report/outcomes.h"

#define FIGURES_POINTS       4 // of a sweep, at most
#define FIGURES_MAX          ((2 * CURVES_KINDS * CURVES_GROUPS_MAX + 1) * FIGURES_POINTS)
#define FIGURES_NAMES_MAX    RUNS_GROUPS_MAX
#define FIGURES_TITLE_OCTETS 768
#define FIGURES_SHORT_OCTETS 80

struct figures_name {
    const char *text;
    uint32_t colour;
};

struct figure {
    char title[FIGURES_TITLE_OCTETS], remark[120]; // printable ASCII; the remark may be ""
    struct figures_name *name;                     // the legend
    uint32_t names;
    bool boxes;     // in the legend, in place of lines
    bool published; // has marks of what is published
    struct plot plot;
    struct plot_point *own; // of lines that are of no file
    char x_title[PLOT_TITLE_OCTETS], y_title[PLOT_TITLE_OCTETS];
};

struct figures {
    struct figure *figure;
    uint32_t count;
};

// Points into all three. False: no memory.
bool figures_make(struct figures *figures, const struct runs *runs, const struct curves *curves,
                  const struct drops *drops);
// axes.c: the outcomes that an answer begins with, over each axis of a sweep. colour: of the first
// variant. Points into the outcomes. False: no memory.
bool figures_over_axes(struct figures *figures, const struct outcomes *o, uint32_t colour);
void figures_release(struct figures *figures);

// For those who make figures: the next one, which is counted by who keeps it, or NULL; and a line
// of the legend, once for each colour.
struct figure *figures_begin(struct figures *figures);
void figures_name(struct figure *figure, const char *text, uint32_t colour);

// One of several names, each in `room` octets, in so many letters: of a longer one what follows the
// beginning that all share; and where that is another's text, too, with its number behind it.
void figures_short(const char *names, size_t room, uint32_t count, uint32_t i, size_t letters,
                   char text[FIGURES_SHORT_OCTETS]);

// page.c: its title, picture, legend and remark, which is not escaped.
void section_figure(const struct figure *figure, const char *svg, FILE *out);
// Begins a section with all of them, drawn. none: what the page says if count is 0; NULL: nothing.
void section_figures(const struct figure *figure, uint32_t count, const char *none, FILE *out);

#endif
