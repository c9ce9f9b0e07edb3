// Reads a CSV file row by row, without trust: a first row of names, then rows of as many cells; RFC
// 4180 but for line ends within quotes. What is wrong is named with its line. Memory does not grow
// with the file.
#ifndef SLUICE_CONTROL_REPORT_READER_H
#define SLUICE_CONTROL_REPORT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define READER_LINE_OCTETS 16384 // the longest line
#define READER_CELLS_MAX   256

struct reader {
    FILE *file;
    char head[READER_LINE_OCTETS], line[READER_LINE_OCTETS];
    char *name[READER_CELLS_MAX], *cell[READER_CELLS_MAX];
    uint32_t columns, cells;
    uint64_t lines;  // read so far
    char error[192]; // "": none
};

// Opens a regular file for reading; of another kind, such as a pipe that nobody writes to, it
// returns NULL and errno is EINVAL. root_octets: as of below_open.
FILE *reader_file(const char *path, size_t root_octets);

// False: it cannot be read, and error says why; there is no file if absent.
bool reader_open(struct reader *reader, const char *path, size_t root_octets, bool *absent);
void reader_close(struct reader *reader);

int reader_column(const struct reader *reader, const char *name); // -1: there is none
// All of them. False: error names the one that is missing.
bool reader_columns(struct reader *reader, const char *const *names, int *columns, uint32_t count);
bool reader_next(struct reader *reader); // false: the end, or an error

// A decimal number without a sign or an exponent. False: the cell is empty, or an error.
bool reader_number(struct reader *reader, int column, double *number);

#endif
