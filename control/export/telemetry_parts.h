// What the files of the telemetry share. A command's function puts its answer into `row`, or
// returns why there is none.
#ifndef SLUICE_CONTROL_EXPORT_TELEMETRY_PARTS_H
#define SLUICE_CONTROL_EXPORT_TELEMETRY_PARTS_H

#include "control/export/ask.h"
#include "control/export/cells.h"
#include "control/export/rows.h"
#include "control/export/telemetry.h"

struct telemetry {
    struct telemetry_source source;
    struct ask ask;
    struct cells cells; // as they were read last
};

typedef const char *telemetry_fn(struct telemetry *t, const char *words, struct row *row);

// The next number of words separated by commas, which it takes off. False: there is none of up to
// `most`.
bool telemetry_number(const char **words, uint64_t most, uint64_t *value);

// NSEI and BVCI, taken off: that cell's index. False: there is none.
bool telemetry_cell(const struct telemetry *t, const char **words, uint32_t *bvc);

// telemetry_pages.c
telemetry_fn telemetry_nses, telemetry_nsvcs, telemetry_bvcs, telemetry_mss, telemetry_cell_mss;
// telemetry_single.c
telemetry_fn telemetry_bvc, telemetry_ms;
// telemetry_stats.c
telemetry_fn telemetry_info, telemetry_stats, telemetry_classes;

// Rows as every page has them.
void telemetry_put_bvc(const struct telemetry *t, struct row *row, const struct view_bvc *view,
                       const struct view_drops *drops);
void telemetry_put_ms(const struct telemetry *t, struct row *row, const struct view_ms *view,
                      const struct view_drops *drops);

void telemetry_put_class(struct row *row, uint32_t traffic_class, struct row *inner);

#define TELEMETRY_NO_NUMBER "a number is missing, or too large"
#define TELEMETRY_NO_CELL   "there is no such cell"

#endif
