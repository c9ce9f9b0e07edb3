// The one CSV writer (RFC 4180, lines ended by LF): cells in order, then csv_end. Numbers are
// integers, or decimals out of integers: the same bytes on every machine; csv_real rounds.
#ifndef SLUICE_LAB_BASE_CSV_H
#define SLUICE_LAB_BASE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *out;
    bool within; // a row is begun
};

void csv_text(struct csv *csv, const char *text); // quoted where it must be
void csv_quoted(struct csv *csv, const char *text);
void csv_number(struct csv *csv, uint64_t number);
void csv_hexadecimal(struct csv *csv, uint32_t number); // eight digits
// csv_decimal(c, 12345, 3) writes 12.345.
void csv_decimal(struct csv *csv, uint64_t scaled, int decimals);
// The same of a number below 0, and without a point if there are no decimals.
void csv_integer(struct csv *csv, int64_t scaled, int decimals);
void csv_real(struct csv *csv, double real, int decimals);
void csv_none(struct csv *csv); // an empty cell: there is no value
void csv_end(struct csv *csv);

// Names separated by commas, as they are.
void csv_head(struct csv *csv, const char *names);

#endif
