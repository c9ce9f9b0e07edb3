// --targets FILE: several runs judged by a file of targets (lua/sluice/targets).
#ifndef SLUICE_CONTROL_RUNS_TARGETS_H
#define SLUICE_CONTROL_RUNS_TARGETS_H

#include "control/runs/plan.h"
#include "control/run/run.h"

// Reads the file, if one is given. Returns false after mistakes, which are on stderr.
bool targets_read(const struct run *run);

// Judges the runs that are there: prints the table, and writes targets.csv and targets.json.
// Returns false if a target could not be worked out, or a file not be written.
bool targets_judge(const struct run *run, const struct plan *plan);

// For knobs.c, too. Writes the files, the last of which has no name, each by `put` in a form of
// its own, with what the runs are of as the member `origin`. Returns false after a fault.
typedef void targets_put_fn(struct bind *lua, const char *form, const struct bind_members *before,
                            FILE *out);
struct targets_file {
    const char *name, *form;
};
bool targets_write(const struct run *run, const struct plan *plan, targets_put_fn *put,
                   const struct targets_file *files);

// For knobs.c. The folder of a run at a setting, NULL for none, as bind_judged's `find`.
const char *targets_find(const struct plan *plan, const char *setting, const char *variant,
                         const char *point, uint32_t seed, char folder[PATH_MAX], bool *missing);
double targets_number(const char *folder, const char *path);
double targets_interval(const double *samples, uint32_t n, double *mean);

#endif
