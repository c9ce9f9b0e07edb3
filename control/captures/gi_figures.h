// The figures of `sluice gi`, out of its JSON: of one report, or of two beside each other.
#ifndef SLUICE_CONTROL_CAPTURES_GI_FIGURES_H
#define SLUICE_CONTROL_CAPTURES_GI_FIGURES_H

#include "control/report/figures.h"
#include "lab/captures/gi/gi_sides.h"

#define GI_FIGURES_MOST 24
#define GI_KEPT_MOST    2048
#define GI_EMPTY_OCTETS 400

struct json_object;

// As a report calls them; the paper's, if it does not.
struct gi_sides gi_sides_of(const struct json_object *report);

struct gi_figures {
    struct gi_sides sides;
    struct figure figure[GI_FIGURES_MOST];
    uint32_t count;
    char empty[GI_EMPTY_OCTETS]; // the figures that have no flow
    void *kept[GI_KEPT_MOST];    // what they point to
    uint32_t kepts;
};

void gi_figures_of(struct gi_figures *figures, const struct json_object *report);
void gi_figures_beside(struct gi_figures *figures, const struct json_object *const reports[2]);
void gi_figures_release(struct gi_figures *figures);

// The row of a table with that label, or NULL.
const struct json_object *gi_figures_row(const struct json_object *report, const char *table,
                                         const char *label);

#endif
