// See sweep.h.
#include "control/runs/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/cli/commands.h"
#include "control/report/runs.h"
#include "control/runs/children.h"
#include "control/runs/choose.h"
#include "control/runs/elsewhere.h"
#include "control/runs/gather.h"
#include "control/runs/knobs.h"
#include "control/run/outputs.h"
#include "control/run/run.h"
#include "control/process/signals.h"
#include "control/runs/targets.h"

#define LOOK_NS 100000000 // between two attempts to lock the folder
#define LOOKS   50

static int refuse(const char *what, const char *found_and_allowed)
{
    fprintf(stderr, "sluice run: %s: %s\n", what, found_and_allowed);
    return EXIT_USAGE;
}

static bool work(const struct run *run, const struct plan *plan, const bool *wanted)
{
    uint32_t jobs = run->options.jobs ? run->options.jobs : children_jobs(plan->need_octets);
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        count += wanted[i];
    if (count == 0)
        return true;
    jobs = jobs < count ? jobs : count;
    fprintf(stderr, "%u runs, %u at a time; memory: %u MiB each, in 4 KiB pages\n", count, jobs,
            (uint32_t)(plan->need_octets >> 20) + 1);
    return children_run(plan, wanted, jobs, run->results.folder);
}

// One page of all runs.
static bool draw(const struct run *run, const struct plan *plan)
{
    if (run->options.no_page)
        return true;
    if (plan_runs(plan) > RUNS_MAX) {
        fprintf(stderr, "no report.html: it shows %d runs at most; sluice report takes folders\n",
                RUNS_MAX);
        return true;
    }
    if (outputs_page(run))
        return false;
    printf("  page            %s/report.html\n", run->results.dir);
    return true;
}

static bool conclude(const struct run *run, const struct plan *plan)
{
    bool gathered = gather(plan, run->name, &run->results);
    bool judged = targets_judge(run, plan);
    return gathered && draw(run, plan) && judged;
}

// What an earlier command made of its runs goes; and the folder says whose it is, whatever becomes
// of this command. With --knobs there are no results of all runs.
static bool begin(struct run *run, const struct plan *plan)
{
    int fault = results_clear(&run->results);
    if (fault)
        return run_failed(run->results.at, strerror(-fault)) == EXIT_DONE;
    return run->options.knobs || gather_begin(plan, run->name, &run->results);
}

static bool do_wanted(struct run *run, const struct plan *plan, const bool *wanted)
{
    if (run->options.commands)
        return elsewhere_print(plan, wanted);
    if (!begin(run, plan))
        return false;
    bool good = work(run, plan, wanted);
    return (run->options.knobs ? knobs_judge : conclude)(run, plan) && good;
}

static int do_runs(struct run *run, const struct plan *plan)
{
    bool *wanted = calloc(plan_runs(plan), sizeof *wanted);
    if (!wanted)
        abort();
    bool good = choose_runs(run, plan, wanted) && do_wanted(run, plan, wanted);
    free(wanted);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

// The children of a command that was killed hold the folder until they have ended, a moment later.
static int open_folder(struct run *run, const char *dir)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    int fault = results_open(&run->results, dir, NULL);
    if (fault == -EWOULDBLOCK)
        fprintf(stderr,
                "sluice run: %s: another run writes into this folder; waiting for its end\n", dir);
    for (int i = 0; i < LOOKS && fault == -EWOULDBLOCK && !signals_ended; i++) {
        nanosleep(&look, NULL);
        fault = results_open(&run->results, dir, NULL);
    }
    return fault;
}

static int open_and_do(struct run *run, const struct plan *plan)
{
    run->results.simulated = true;
    int fault = open_folder(run, plan->dir);
    if (fault == -EWOULDBLOCK || fault == -EEXIST)
        return run_refuse_folder(plan->dir, fault);
    return fault ? run_failed(run->results.at, strerror(-fault)) : do_runs(run, plan);
}

// An option that a single run does not have; NULL: none.
static const char *only_of_several(const struct options *o)
{
    return o->resume ? "--resume" : o->commands ? "--commands" : o->targets ? "--targets" : NULL;
}

// What is wrong with --knobs beside the other options; NULL: nothing.
static const char *wrong_with_knobs(const struct options *o)
{
    if (!o->targets)
        return "needs --targets FILE as well: its conclusions are rows of that file";
    return o->variant_count || o->point
               ? "found --variant or --point as well; its runs { } names those to run"
               : NULL;
}

// What is wrong with --commands beside the other options; NULL: nothing.
static const char *wrong_with_commands(const struct options *o)
{
    if (o->jobs)
        return "found --jobs as well; the program that runs the commands chooses how many at a "
               "time";
    return o->force ? "found --force as well; only what is missing is printed; give another --out"
                    : NULL;
}

static bool make(struct run *run, struct plan *plan, const char *dir)
{
    if (!run->options.knobs)
        return plan_make(plan, run->control.lua, &run->options, dir) && targets_read(run);
    return targets_read(run) && knobs_plan(run, plan, dir);
}

int sweep_of(struct run *run)
{
    const struct options *o = &run->options;
    char dir[128];
    if (!plan_is_several(run->control.lua, o)) {
        const char *alone = only_of_several(o);
        return alone ? refuse(alone, "allowed with several runs only: --seeds, --variant all, "
                                     "a sweep { }")
                     : SWEEP_NONE;
    }
    if (o->has_tun)
        return refuse("--tun", "allowed with a single run only");
    if (o->knobs && wrong_with_knobs(o))
        return refuse("--knobs", wrong_with_knobs(o));
    if (o->commands && wrong_with_commands(o))
        return refuse("--commands", wrong_with_commands(o));
    run->options.resume |= o->commands; // only what is missing
    signals_leave_hangup();
    struct plan plan = {0};
    int status = EXIT_USAGE;
    if (make(run, &plan, run_dir(run, dir)))
        status = open_and_do(run, &plan);
    plan_release(&plan);
    return status;
}
