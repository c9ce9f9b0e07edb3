// The tables: each row counts the flows that it is about, with mean and deviation of one or two of
// their figures, and some a histogram. A table is a SHEET of gi_sheet_list.def; text and JSON
// are written from the same numbers.
#ifndef SLUICE_GI_SHEETS_H
#define SLUICE_GI_SHEETS_H

#include "lab/base/histogram.h"
#include "lab/base/json.h"
#include "lab/base/table.h"
#include "lab/captures/gi/gi_result.h"
#include "lab/captures/gi/gi_sides.h"

#define GI_SHEET_ROWS 40

struct gi_row {
    const char *label;
    bool (*is)(const struct gi_result *result);
};

// What a sheet shows besides the number of flows.
#define GI_SHOW_SHARE     1 // of the flows that the sheet is about
#define GI_SHOW_MEAN      2 // of a
#define GI_SHOW_DEVIATION 4 // standard deviation of a
#define GI_SHOW_MEAN_B    8
#define GI_SHOW_QUANTILES 16 // of a: 5, 50 and 95 %
#define GI_SHOW_RATIO     32 // sum of a over sum of b
#define GI_SHOW_FILLED    64 // in the text only rows with flows, and the first

// Bin i has the values from i * width on; the last one has its upper end too.
struct gi_bins {
    int64_t width; // as gi_flow.def counts: ns, bit/s, parts per million
    uint32_t count;
};

struct gi_sheet {
    const char *name, *title;
    bool (*about)(const struct gi_result *result);
    const char *a, *b; // names of figures, as in gi_flow.def; NULL
    unsigned shows;
    struct gi_bins bins;              // of a, for each row; count 0: none
    struct gi_row row[GI_SHEET_ROWS]; // the last has no label
};

extern const struct gi_sheet gi_sheet_list[];
extern const size_t gi_sheet_count;
// Does this capture tell whether the flow is in the row? Else it is not of those either of which
// the row is a share.
bool gi_sheet_knows(const struct gi_row *row, const struct gi_result *result);

// Decimals of a time in s that a person reads: ms, but us below 10 ms, as on a LAN.
static inline int gi_seconds_decimals(double s)
{
    return s < 0.00995 && s > -0.00995 && s != 0 ? 6 : 3;
}

struct gi_sheets;
struct gi_sheets *gi_sheets_create(void);
void gi_sheets_destroy(struct gi_sheets *sheets);
void gi_sheets_count(struct gi_sheets *sheets, const struct gi_result *result);
void gi_sheets_print(const struct gi_sheets *sheets, const struct gi_sides *sides, FILE *out);
// A line for each figure; one for each bin with flows. Their columns.
extern const struct table gi_list_tables, gi_list_bins;
void gi_sheets_csv(const struct gi_sheets *sheets, FILE *out);
void gi_sheets_csv_bins(const struct gi_sheets *sheets, FILE *out);
// Keys of the open object: a list of rows for each sheet; a histogram for each that has bins; the
// title of each.
void gi_sheets_put(const struct gi_sheets *sheets, struct json *json);
void gi_sheets_put_bins(const struct gi_sheets *sheets, struct json *json);
void gi_sheets_put_titles(const struct gi_sides *sides, struct json *json);

// A figure by its names in JSON. False: there is none, or no flow has it.
bool gi_sheets_figure(const struct gi_sheets *sheets, const char *sheet, const char *row,
                      const char *figure, double *value);
// The bins of a sheet's first row.
const uint64_t *gi_sheets_bins(const struct gi_sheets *sheets, const char *sheet, uint32_t *count);

#endif
