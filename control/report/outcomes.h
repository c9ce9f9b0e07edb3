// What the variants of several runs are compared by, out of the summary of their command: the means
// over the seeds of each application and class, at each point of a sweep, with the 95 % confidence
// interval; and differences of two variants. Those are of the same seeds, in which both had the
// same traffic, so that what the seeds change alike is in no interval.
#ifndef SLUICE_CONTROL_REPORT_OUTCOMES_H
#define SLUICE_CONTROL_REPORT_OUTCOMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "control/report/statistics.h"

#define OUTCOMES_GROUPS_MAX   512 // variants at points
#define OUTCOMES_VARIANTS_MAX 32
#define OUTCOMES_POINTS_MAX   128
#define OUTCOMES_AXES_MAX     8  // as a sweep
#define OUTCOMES_SUBJECTS_MAX 16 // of a set
#define OUTCOMES_NAME_OCTETS  48
#define OUTCOMES_LABEL_OCTETS 320 // a point's 200 behind a variant's 64: no name is cut
#define OUTCOMES_DIGITS       40

struct json_object;

// A figure that all subjects of a set may have.
struct outcomes_kind {
    const char *set, *key, *text, *unit;
    double scale;
    int better;          // 1: more is better, -1: less is; 0: neither
    bool counted;        // a run without the subject had none of it
    bool first;          // one of those that an answer begins with
    bool time;           // of an application
    const char *samples; // key of the outcome that counts what a time is of
    bool counts;         // what has a time; none at all is no outcome
};

struct outcome {
    char subject[OUTCOMES_NAME_OCTETS]; // a class or an application, printable ASCII
    const struct outcomes_kind *kind;
    bool first; // for the answer
};

struct outcomes_group {
    const struct json_object *json;
    uint32_t variant, point;
    size_t run, runs; // in the summary's list
};

// An axis of the sweep, its values in the order of the groups.
struct outcomes_axis {
    char name[OUTCOMES_NAME_OCTETS]; // printable ASCII, as its values
    char value[OUTCOMES_POINTS_MAX][OUTCOMES_LABEL_OCTETS];
    uint32_t values;
};

struct outcomes {
    const struct json_object *list; // of the runs
    struct outcomes_group *group;
    struct outcome *outcome;
    char (*variant)[OUTCOMES_LABEL_OCTETS]; // printable ASCII, with the values of its own axes; one
                                            // "" if there are none
    char (*point)[OUTCOMES_LABEL_OCTETS];   // the same
    struct outcomes_axis *axis;
    uint32_t (*at)[OUTCOMES_AXES_MAX]; // of a point: the number of its value of each axis
    uint32_t groups, outcomes, variants, points, axes;
    uint32_t seeds; // of a group at most
    bool uneven;    // another group has fewer
    bool batches;   // one seed, but intervals over its batches
    bool more;      // groups that are left out
};

// What a run or a group of a summary is compared as: a variant with the values of its own axes is
// like another variant, at the point that all share.
void outcomes_label(const struct json_object *of, char variant[OUTCOMES_LABEL_OCTETS],
                    char point[OUTCOMES_LABEL_OCTETS]);

// False: no memory. The summary is to be kept as long as this.
bool outcomes_read(struct outcomes *o, const struct json_object *summary);
void outcomes_release(struct outcomes *o);

// The mean in the outcome's unit; n = 0: there is none.
struct statistics outcomes_at(const struct outcomes *o, uint32_t outcome, uint32_t variant,
                              uint32_t point);

// How a variant is beside another. A difference is told from 0 if its interval has no 0.
enum outcomes_verdict {
    OUTCOMES_UNKNOWN, // one has no mean, or both have one seed alone or none; or neither direction
                      // is better
    OUTCOMES_SAME,    // not told apart
    OUTCOMES_BETTER,
    OUTCOMES_WORSE
};
// difference: the variant's less the other's, over the seeds that both have.
enum outcomes_verdict outcomes_compare(const struct outcomes *o, uint32_t outcome, uint32_t variant,
                                       uint32_t other, uint32_t point,
                                       struct statistics *difference);

// The same beside the best of all variants. The best is chosen by what it is compared with, which
// amounts to comparing all pairs (Bonferroni): the interval is
// so much wider that where no variant differs, in one outcome of twenty at most any is told from
// the best.
enum outcomes_verdict outcomes_compare_best(const struct outcomes *o, uint32_t outcome,
                                            uint32_t variant, uint32_t best, uint32_t point,
                                            struct statistics *difference);

// The least and the most of what a time's means at a point are of, in a run; false: not known.
bool outcomes_samples(const struct outcomes *o, uint32_t outcome, uint32_t point, double *least,
                      double *most);

// The variant whose mean is best; UINT32_MAX: none has a mean.
uint32_t outcomes_best(const struct outcomes *o, uint32_t outcome, uint32_t point);
// Whether that is this one, and it is told from each other.
bool outcomes_is_best(const struct outcomes *o, uint32_t outcome, uint32_t variant, uint32_t point);

// Three significant digits, and the interval to the last of them; but two of its own, if it is
// less. "": no interval.
void outcomes_digits(const struct statistics *s, char mean[OUTCOMES_DIGITS],
                     char interval[OUTCOMES_DIGITS]);
// Both as HTML; where there is no interval although n > 1, `alike`.
void outcomes_put(const struct statistics *s, const char *alike, FILE *out);
// How many seeds a variant has at a point.
void outcomes_put_seeds(const struct outcomes *o, FILE *out);

#endif
