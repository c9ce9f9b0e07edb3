// The state of a run, for run.c, real.c and virtual.c.
#ifndef SLUICE_CONTROL_RUN_RUN_H
#define SLUICE_CONTROL_RUN_RUN_H

#include "control/export/telemetry.h"
#include "control/plane/control.h"
#include "control/process/eal.h"
#include "control/run/contexts.h"
#include "control/run/links.h"
#include "control/run/shares.h"
#include "control/run/load.h"
#include "control/run/options.h"
#include "control/run/recorder.h"
#include "control/run/results.h"
#include "lab/summary/report.h"

struct run {
    struct options options;
    struct control control;
    struct load load;
    struct json_object *origin; // origin.h
    char name[65];
    struct dp *dp;
    struct board *board;
    struct lab *lab;
    struct lab_outputs outputs;
    struct passive *passive;    // NULL: lab.passive is off
    struct capture *signalling; // NULL: no capture of signalling
    char signalling_path[PATH_MAX];
    struct contexts contexts; // in real time
    struct links links;       // the same
    struct shares shares;     // the same
    bool rules_refused;       // the same: it has been said
    struct recorder recorder; // the same
    struct eal_plan plan;
    struct eal_threads threads;    // in real time; in virtual time without lcores
    char device[STATS_SIDES][256]; // of `threads`
    bool eal_started;
    bool huge_taken; // it failed, as another program has taken the huge pages meanwhile
    struct results results;
    struct user user; // the user that the run becomes
    struct engine_timer warmup;
    uint64_t marked_ns;         // by the run's clock, the end of the warm-up; 0: there was none
    struct stats_worker before; // the workers' counters then
    struct batches *batches;    // NULL: none
    double told_s;              // the last time progress was shown; 0: never
    double started_s, wall_s;
    uint32_t buffers_held;
};

// The whole run, from the loaded configuration to the results; EXIT_...
int run_once(struct run *run);

// The folder of the results, which may be in `dir`; also sets the run's name.
const char *run_dir(struct run *run, char dir[128]);

double run_wall_s(void);
int run_failed(const char *what, const char *why); // EXIT_RUN_FAILED
// fault: a negative errno; with 0 EXIT_DONE, and nothing is said.
int run_unwritten(const struct results *results, const char *name, int fault);
// Of results_open: -EWOULDBLOCK or -EEXIST. EXIT_RUN_FAILED.
int run_refuse_folder(const char *dir, int fault);
int run_write(const struct run *run, const char *name, void (*put)(const void *self, FILE *out),
              const void *self);

// Opens a capture among the results. Returns NULL, with the reason in `error`, after a fault.
struct capture *run_capture(const struct run *run, const char *name, enum capture_kind kind,
                            char error[256]);

// Starts the EAL with the run's threads and devices, and makes the dataplane.
int run_build(struct run *run, const struct eal_threads *threads);

// Makes the run visible to `sluice stats` and the other clients; control must have started.
void run_show(struct run *run);

// From now on, elapsed_ns behind the beginning, figures count; workers may run.
void run_mark(struct run *run, uint64_t elapsed_ns);

// Prints the report and writes summary.json. The caller has filled in what report_collect does not.
int run_report(struct run *run, struct report *report);

// signalling.c: lets control capture the signalling among the run's results.
void run_signalling(struct run *run);
void run_signalling_flush(const struct run *run); // for those who read the file while it is written
int run_signalling_end(struct run *run);

// owner.c: chooses the user, and checks that the user can read the files of a reload; EXIT_...
int run_owner_choose(struct run *run);
// Becomes the user in each thread, once the ports are open; EXIT_...
int run_owner_become(struct run *run);

// The whole run by each clock, from the loaded configuration to the report; EXIT_...
int run_virtual(struct run *run);
int run_real(struct run *run);

#endif
