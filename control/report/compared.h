// The figures of a run's summary that runs are compared by, and where it has them. Several runs of
// one command are gathered by them, and so are runs whose folders a page is given.
#ifndef SLUICE_CONTROL_REPORT_COMPARED_H
#define SLUICE_CONTROL_REPORT_COMPARED_H

#include "control/report/statistics.h"

struct json_object;

// What has figures in a run's summary: its classes, its kinds of applications, and, of the lab, the
// phones. Batches have figures of the first two; how long phones took is of the whole run.
enum compared_what {
    COMPARED_CLASSES,
    COMPARED_APPLICATIONS,
    COMPARED_LAB,
    COMPARED_WHATS,
    COMPARED_BATCHED = COMPARED_LAB
};

// A figure: where a run's summary has it, and the decimals that it has there.
struct compared_figure {
    const char *name, *key, *member; // member: of the object `key`; NULL: the key's value
    int decimals;
    const char *help; // of a class's
};
#define COMPARED_FIGURES 16
struct compared_set {
    const char *key; // the summary's member; of the lab, that of several runs' summary
    int figures;
    struct compared_figure figure[COMPARED_FIGURES];
};
extern const struct compared_set compared_sets[COMPARED_WHATS];

// Places in the classes' figures. Packets dropped are added up over all reasons.
enum {
    COMPARED_GOODPUT,
    COMPARED_P50,
    COMPARED_P95,
    COMPARED_P99,
    COMPARED_PACKETS,
    COMPARED_DROPPED,
    COMPARED_MARKS,
    COMPARED_JAIN,
    COMPARED_LEAST
};

// More than any run has; a mean of such figures and its interval have six decimals in 64 bits.
#define COMPARED_MOST 1e12

// The subjects in a run's summary: whose members they are. To be freed.
struct json_object *compared_subjects(const struct json_object *summary, enum compared_what what);

// How many had the time that is named. It is 0 where a run has no such time: without that 0 a mean
// would be of those alone that had one.
bool compared_counts(const struct compared_figure *figure);

// Of a subject of a run's summary. NAN: it has no such figure, such as the delay of
// a class that received nothing, or one that no run can have.
double compared_value(const struct json_object *subject, enum compared_what what, int figure);

// A figure over the batches of a run, in its summary; NULL: it has none. And that read.
struct json_object *compared_batches(const struct json_object *summary, enum compared_what what,
                                     const char *subject, int figure);
struct statistics compared_over_batches(const struct json_object *of); // n = 0: NULL, or wrong

#endif
