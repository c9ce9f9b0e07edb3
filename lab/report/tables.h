// The tables of a run as CSV files, out of the ledger; README.md says what each column is. The
// bytes depend on the ledger alone.
#ifndef SLUICE_LAB_REPORT_TABLES_H
#define SLUICE_LAB_REPORT_TABLES_H

#include <stdio.h>

#include "lab/base/csv.h"
#include "lab/report/ledger.h"

struct tables {
    const struct ledger *ledger;
    uint64_t elapsed_ns; // not 0
};

// Each file by its name; put(struct tables *, out) writes it whole.
// The cells flow, application, ms, class that name a flow of the ledger in every file.
#define TABLES_FLOW_NAMES "flow,application,ms,class"
void tables_put_flow(struct csv *csv, const struct ledger *ledger, uint32_t flow);

struct tables_file {
    const char *name;
    void (*put)(const void *tables, FILE *out);
};
#define TABLES_FILES 6
extern const struct tables_file tables_files[TABLES_FILES];

#endif
