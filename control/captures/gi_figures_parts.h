// What makes the figures of gi_figures.h, kind by kind. The functions add one figure each, or name
// it as one without flows.
#ifndef SLUICE_CONTROL_CAPTURES_GI_FIGURES_PARTS_H
#define SLUICE_CONTROL_CAPTURES_GI_FIGURES_PARTS_H

#include "control/captures/gi_figures.h"

#define GI_SERIES_MOST 5u
#define GI_TEXT_ROOM   96
#define GI_VALUE_MOST  1e15 // what is above is read as 0

// ---- gi_figures.c ----
// Memory that lives as long as the figures.
void *gi_keep(struct gi_figures *f, size_t octets);
struct figure *gi_begin(struct gi_figures *f, const char *title, const char *x_title,
                        const char *y_title);
// A figure that is not drawn is named as one without flows.
void gi_end_figure(struct gi_figures *f, const struct figure *figure, bool drawn);
// For the legend, with the number of flows; below 0: without.
void gi_add_name(struct gi_figures *f, struct figure *figure, const char *name, double flows,
                 uint32_t colour);

const struct json_object *gi_labelled(const struct json_object *rows, const char *label);
double gi_number(const struct json_object *row, const char *key); // 0: there is none

// ---- gi_histograms.c ----
struct gi_histogram {
    const char *title, *x_title, *unit, *sheet;
    double scale; // from the JSON's unit to the axis's
    const char *row[GI_SERIES_MOST];
};

// The rows on each other; beside each other; all flows of two reports.
void gi_add_stack(struct gi_figures *f, const struct json_object *report,
                  const struct gi_histogram *h);
void gi_add_stairs(struct gi_figures *f, const struct json_object *report,
                   const struct gi_histogram *h);
void gi_add_both(struct gi_figures *f, const struct json_object *const reports[2],
                 const struct gi_histogram *h);
void gi_add_round_trips(struct gi_figures *f, const struct json_object *report);

// ---- gi_over_time.c ----
void gi_add_over_time(struct gi_figures *f, const struct json_object *report);
void gi_add_sequence(struct gi_figures *f, const struct json_object *report);

// ---- gi_bars.c ----
void gi_add_bottlenecks(struct gi_figures *f, const struct json_object *report);
void gi_add_losses(struct gi_figures *f, const struct json_object *report);
void gi_add_effects(struct gi_figures *f, const struct json_object *report);
void gi_add_goodputs(struct gi_figures *f, const struct json_object *const reports[2]);

#endif
