// For the files of the telemetry only. A command's function puts its answer into `row` and returns
// NULL, or a text of why there is none.
#ifndef SLUICE_CONTROL_EXPORT_TELEMETRY_PARTS_H
#define SLUICE_CONTROL_EXPORT_TELEMETRY_PARTS_H

#include "control/export/ask.h"
#include "control/export/cells.h"
#include "control/export/rows.h"
#include "control/export/telemetry.h"

// The records of the last trace that the workers' rings have given so far.
struct telemetry_traced {
    struct trace_wish wish; // packets 0: nothing has been traced
    bool on;                // not ended by command
    struct trace_record *record;
    uint32_t n;
};

struct telemetry {
    struct telemetry_source source;
    struct ask ask;
    struct cells cells; // as of the last read
    struct telemetry_traced traced;
};

typedef const char *telemetry_fn(struct telemetry *t, const char *words, struct row *row);

// Takes the next number off a list of words separated by commas. Returns false if it is missing or
// above `most`.
bool telemetry_number(const char **words, uint64_t most, uint64_t *value);

// Takes NSEI and BVCI off the words, and finds the cell's index. Returns false if there is no such
// cell.
bool telemetry_cell(const struct telemetry *t, const char **words, uint32_t *bvc);

// What the words of trace_on ask for. NULL, or why it is nothing.
const char *telemetry_wish(const struct telemetry *t, const char *words, struct trace_wish *wish);

// A page of rows from `first` on. telemetry_page_add: if the page is full, frees the row, notes the
// next page's begin, and returns false.
struct telemetry_page {
    struct telemetry *t;
    struct row *row;
    struct row rows;
    uint32_t n;
    uint64_t first, next; // next UINT64_MAX: no further page
};
struct telemetry_page telemetry_page_begin(struct telemetry *t, struct row *row, uint64_t first);
bool telemetry_page_add(struct telemetry_page *page, struct row *row, uint64_t id);
void telemetry_page_end(struct telemetry_page *page);

// telemetry_trace.c
telemetry_fn telemetry_trace, telemetry_trace_on, telemetry_trace_off, telemetry_trace_records;

// telemetry_pages.c
telemetry_fn telemetry_nses, telemetry_nsvcs, telemetry_bvcs, telemetry_mss, telemetry_cell_mss;
// telemetry_single.c
telemetry_fn telemetry_bvc, telemetry_ms;
// telemetry_stats.c
telemetry_fn telemetry_info, telemetry_stats, telemetry_classes;

// Rows for pages and single records.
void telemetry_put_bvc(const struct telemetry *t, struct row *row, const struct view_bvc *view,
                       const struct view_drops *drops);
void telemetry_put_ms(const struct telemetry *t, struct row *row, const struct view_ms *view,
                      const struct view_drops *drops);

void telemetry_put_class(struct row *row, uint32_t traffic_class, struct row *inner);

#define TELEMETRY_NO_NUMBER "a number is missing, or too large"
#define TELEMETRY_NO_CELL   "there is no such cell"

#endif
