// Numbers and pictures that the pages of `sluice gi` share.
#ifndef SLUICE_CONTROL_CAPTURES_GI_TABLES_H
#define SLUICE_CONTROL_CAPTURES_GI_TABLES_H

#include <stdio.h>

#include "control/captures/gi_figures.h"
#include "control/report/cells.h"

enum gi_unit { GI_UNIT_COUNT, GI_UNIT_SHARE, GI_UNIT_S, GI_UNIT_RATE };

enum gi_unit gi_unit_of(const char *key); // of a figure's key in JSON
extern const char *const gi_unit_texts[]; // behind a column's head

// mean_setup_s: "mean, s"; b_goodput_bit_per_s: "goodput, bit/s"; and the deviation of that.
void gi_figure_name(const char *key, FILE *out);

// A cell with the number, rounded as its unit is; a dash if it is NAN.
void gi_cell(double value, enum gi_unit unit, FILE *out);
// With a sign.
void gi_cell_signed(double value, enum gi_unit unit, FILE *out);

// The title that the report has for a table, or its name.
void gi_title(const struct json_object *titles, const char *name, FILE *out);

// Draws and releases them.
void gi_pictures(struct gi_figures *figures, const char *note, FILE *out);

#endif
