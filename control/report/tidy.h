// The tables of runs as one long table for a notebook: a row for each value, with what it is of.
// The columns in front of these are the caller's, such as the run's seed.
#ifndef SLUICE_CONTROL_REPORT_TIDY_H
#define SLUICE_CONTROL_REPORT_TIDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TIDY_ERROR_OCTETS 256
#define TIDY_VALUES_MOST  1000000 // as many rows as a spreadsheet takes

// The tables of a run that are in it.
#define TIDY_TABLES 6
const char *tidy_file(int table);

// A column, and what it means.
struct tidy_column {
    const char *name, *help;
};

// Those behind the caller's; NULL: there is no other.
const struct tidy_column *tidy_column(size_t i);

// The columns' names behind the caller's, and the line's end.
void tidy_head(FILE *out);

// Adds to `values` how many rows each table of the run in the folder would give at most. A table
// that the run does not have gives none. root_octets: as of below_open. False: error names the file
// and says why.
bool tidy_count(const char *folder, size_t root_octets, uint64_t values[TIDY_TABLES],
                char error[TIDY_ERROR_OCTETS]);

// Marks the largest tables, so that the others have no more than TIDY_VALUES_MOST values.
void tidy_leave_out(const uint64_t values[TIDY_TABLES], bool without[TIDY_TABLES]);

// Writes the rows of the run in the folder, `before` in front of each. False: as tidy_count.
bool tidy_put(const char *before, const char *folder, size_t root_octets,
              const bool without[TIDY_TABLES], FILE *out, char error[TIDY_ERROR_OCTETS]);

// Between quotes, and a comma behind.
void tidy_text(const char *text, FILE *out);

#endif
