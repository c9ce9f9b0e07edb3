// The tables of a run as CSV files, out of the ledger; README.md says what each column is. The
// bytes depend on the ledger alone.
#ifndef SLUICE_LAB_REPORT_TABLES_H
#define SLUICE_LAB_REPORT_TABLES_H

#include <stdio.h>

#include "lab/base/table.h"
#include "lab/report/ledger.h"

struct tables {
    const struct ledger *ledger;
    uint64_t measured_ns; // not 0
};

// What names a flow of the ledger, in every list of columns that has one.
#define TABLES_FLOW(ledger, number)                                                           \
    COLUMN(COUNT, NULL, "flow", NULL, number, "number of the flow")                           \
    COLUMN(WORD, NULL, "application", NULL, (ledger)->groups[LEDGER_FLOW].group[number].name, \
           "kind of its application")                                                         \
    COLUMN(WORD, NULL, "ms", NULL, tables_ms_of(ledger, number), "IMSI of its MS")            \
    COLUMN(WORD, NULL, "class", NULL, tables_class_of(ledger, number), "its traffic class")
const char *tables_ms_of(const struct ledger *ledger, uint32_t flow);
const char *tables_class_of(const struct ledger *ledger, uint32_t flow);

// Each file by its name; put(struct tables *, out) writes it whole.
struct tables_file {
    const char *name;
    const struct table *table; // its columns
    void (*put)(const void *tables, FILE *out);
};
#define TABLES_FILES 6
extern const struct tables_file tables_files[TABLES_FILES];

#endif
