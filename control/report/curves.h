// The curves of a page, read from the CSV files of its runs: each of a quantity, of one class, cell
// or flow, in one direction, of one group of runs: the seeds of a variant make one curve. A series
// is thinned to the means of equal parts of the run, over all seeds; a distribution is of all their
// packets, in steps of 1 %. So memory and page do not grow with the files.
#ifndef SLUICE_CONTROL_REPORT_CURVES_H
#define SLUICE_CONTROL_REPORT_CURVES_H

#include "control/report/plot.h"
#include "control/report/runs.h"

#define CURVES_GROUPS_MAX  8 // of each: classes, cells, flows
#define CURVES_NAME_OCTETS 48

enum curves_of { CURVES_CLASS, CURVES_CELL, CURVES_FLOW, CURVES_OF };

// A quantity: a column of a file.
struct curves_kind {
    const char *file, *x, *y;
    enum curves_of of;
    double scale;
    const char *title, *x_title, *y_title;
};
#define CURVES_KINDS 9
extern const struct curves_kind curves_kinds[CURVES_KINDS];

struct curves_part { // of a distribution: the longest delay of a step, and its packets
    double x, y;
    uint32_t n;
};

struct curve { // no points: there is none
    struct plot_point *point;
    uint32_t points;
    struct curves_part *part; // until all runs are read
};

struct curves {
    char name[CURVES_OF][CURVES_GROUPS_MAX][CURVES_NAME_OCTETS]; // printable ASCII
    uint32_t names[CURVES_OF];
    bool more[CURVES_OF]; // there are others
    struct curve *curve;  // curves_at
    uint32_t groups;
};

// False: no memory. What cannot be read is noted.
bool curves_read(struct curves *curves, struct runs *runs);
void curves_release(struct curves *curves);

struct curve *curves_at(const struct curves *curves, int kind, uint32_t group, int way,
                        uint32_t runs_group);

#endif
