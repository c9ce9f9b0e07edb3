// The figures of each class and direction of the runs of a page, as they are written: from
// classes.csv, or without that file from the summary, which has what the dataplane counted.
#ifndef SLUICE_CONTROL_REPORT_CLASSES_H
#define SLUICE_CONTROL_REPORT_CLASSES_H

#include "control/report/runs.h"

#define CLASSES_ROWS_MAX      8192
#define CLASSES_NAME_OCTETS   48
#define CLASSES_DIGITS_OCTETS 24
#define CLASSES_GOODPUT       5 // the number of the one in bit/s
#define CLASSES_FIGURES       10

struct classes_row {
    char class[CLASSES_NAME_OCTETS], direction[8]; // printable ASCII
    uint32_t run;
    char digits[CLASSES_FIGURES][CLASSES_DIGITS_OCTETS]; // a number, or "": there is none
};

struct classes {
    struct classes_row *row; // by run
    uint32_t count;
};

extern const char *const classes_heads[CLASSES_FIGURES];

bool classes_read(struct classes *classes, struct runs *runs); // false: no memory
void classes_release(struct classes *classes);

#endif
