// What the runs of a page lost, by place, reason and class: from drops.csv, or without that file
// from the summary, which knows the dataplane's.
#ifndef SLUICE_CONTROL_REPORT_DROPS_H
#define SLUICE_CONTROL_REPORT_DROPS_H

#include "control/report/runs.h"

#define DROPS_ROWS_MAX    32768
#define DROPS_NAME_OCTETS 48

struct drops_row {
    char what[DROPS_NAME_OCTETS]; // "place: reason", printable ASCII
    char class[DROPS_NAME_OCTETS];
    uint32_t run;
    uint64_t packets, octets;
};

struct drops {
    struct drops_row *row; // by run
    uint32_t count;
    bool more; // there were more rows than fit
};

bool drops_read(struct drops *drops, struct runs *runs); // false: no memory
void drops_release(struct drops *drops);

#endif
