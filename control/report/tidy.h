// The tables of runs as one long table for a notebook: a row for each value, with what it is of.
// The columns in front of these are the caller's, such as the run's seed.
#ifndef SLUICE_CONTROL_REPORT_TIDY_H
#define SLUICE_CONTROL_REPORT_TIDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TIDY_ERROR_OCTETS 256

// The columns' names behind the caller's, and the line's end.
void tidy_head(FILE *out);

// Writes the rows of the run in the folder, `before` in front of each. A table that the run does
// not have gives no rows. root_octets: as of below_open. False: error names the file and says why.
bool tidy_put(const char *before, const char *folder, size_t root_octets, FILE *out,
              char error[TIDY_ERROR_OCTETS]);

// Between quotes, and a comma behind.
void tidy_text(const char *text, FILE *out);

#endif
