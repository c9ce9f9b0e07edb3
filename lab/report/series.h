// A time series as CSV, written as it comes: at each step one row for each subject, such as a class
// in one direction, with the time, what names the subject, and a value for each column. Columns are
// registered by the part that has the value, before the first step.
#ifndef SLUICE_LAB_REPORT_SERIES_H
#define SLUICE_LAB_REPORT_SERIES_H

#include "lab/base/csv.h"

#define SERIES_COLUMNS_MAX 64
#define SERIES_NONE        UINT64_MAX // the subject has no such value: an empty cell

// Reads the value of a subject, at the end of a step of that length.
typedef uint64_t series_read_fn(void *self, uint32_t subject, uint64_t step_ns);

struct series_column {
    const char *name; // with its unit, such as cwnd_octets
    int decimals;     // 3: the value is in thousandths of the unit; 0: a whole number
    series_read_fn *read;
    const char *help; // what it is
    void *self;
};

// A cell that names a subject, such as class.
struct series_name {
    const char *name, *help;
};

struct series_subjects {
    const struct series_name *names;               // the last has no name
    uint32_t (*count)(void *self);                 // may grow
    bool (*has_row)(void *self, uint32_t subject); // false: no row in this step
    void (*put)(void *self, uint32_t subject, struct csv *csv);
    void *self;
};

struct series {
    struct csv csv;
    struct series_subjects subjects;
    struct series_column column[SERIES_COLUMNS_MAX];
    uint32_t columns;
    uint64_t before_ns; // the end of the step before
    bool headed;
};

void series_setup(struct series *series, FILE *out, const struct series_subjects *subjects);
void series_column(struct series *series, const struct series_column *column);

// Prints what each column is.
void series_describe(const struct series *series, FILE *out);

// Ends a step at now_ns, at least a microsecond after the step before.
void series_step(struct series *series, uint64_t now_ns);

#endif
