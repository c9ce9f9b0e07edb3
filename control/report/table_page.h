// A table (lab/base/table.h) on a page.
#ifndef SLUICE_CONTROL_REPORT_TABLE_PAGE_H
#define SLUICE_CONTROL_REPORT_TABLE_PAGE_H

#include "lab/base/table.h"

// A section with the rows that are shown, as many as a page bears.
void table_page(const struct table *table, const void *owner, FILE *out);

#endif
