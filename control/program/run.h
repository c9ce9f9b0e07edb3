// What a run consists of, for run.c and for each of the two clocks.
#ifndef SLUICE_CONTROL_PROGRAM_RUN_H
#define SLUICE_CONTROL_PROGRAM_RUN_H

#include "control/export/telemetry.h"
#include "control/plane/control.h"
#include "control/process/eal.h"
#include "control/program/contexts.h"
#include "control/program/load.h"
#include "control/program/options.h"
#include "control/program/results.h"
#include "lab/report/report.h"

struct run {
    struct options options;
    struct control control;
    struct load load;
    char name[65];
    struct dp *dp;
    struct board *board;
    struct lab *lab;
    struct capture *gn, *gb;
    struct capture *signalling; // NULL: it is not captured
    char signalling_path[PATH_MAX];
    struct contexts contexts; // of a run in real time
    struct eal_plan plan;
    bool eal_started;
    struct results results;
    struct user user; // whom it becomes
    double told_s;    // when progress was last shown; 0: never
    double started_s, wall_s;
    uint32_t buffers_held;
};

double run_wall_s(void);
int run_failed(const char *what, const char *why); // EXIT_RUN_FAILED
int run_write(const struct run *run, const char *name, void (*put)(const void *self, FILE *out),
              const void *self);

// A capture among its results. NULL, with the reason in `error`, when it cannot be written.
struct capture *run_capture(const struct run *run, const char *name, char error[256]);

// Starts the EAL, with the threads and devices that the run needs, and makes the dataplane.
int run_build(struct run *run, const struct eal_threads *threads);

// From here on `sluice stats` and the like see it; control has been started.
void run_show(struct run *run);

// What it leaves: text and summary.json. The caller has filled in what report_collect does not.
int run_report(struct run *run, struct report *report);

// signalling.c: lets control capture the signalling among the run's results.
void run_signalling(struct run *run);
int run_signalling_end(struct run *run);

// owner.c: whom the run becomes: chosen, and what has to be read can be; EXIT_...
int run_owner_choose(struct run *run);
// With its ports open, in each of its threads; EXIT_...
int run_owner_become(struct run *run);

// The whole run by each clock, from a configuration that is loaded to its report; EXIT_...
int run_virtual(struct run *run);
int run_real(struct run *run);

#endif
