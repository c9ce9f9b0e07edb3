// See sweep.h.
#include "control/runs/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/cli/commands.h"
#include "control/report/below.h"
#include "control/report/runs.h"
#include "control/runs/children.h"
#include "control/runs/gather.h"
#include "control/runs/knobs.h"
#include "control/run/origin.h"
#include "control/run/outputs.h"
#include "control/run/run.h"
#include "control/process/signals.h"
#include "control/runs/slurm.h"
#include "control/runs/targets.h"

static int refuse(const char *what, const char *found_and_allowed)
{
    fprintf(stderr, "sluice run: %s: %s\n", what, found_and_allowed);
    return EXIT_USAGE;
}

// ---- What is to do ----

// Without --resume and --force nobody's results are touched. Returns whether the run may be done.
static bool may_do(const struct run *run, const char *path, enum gather_state state,
                   const char *differs)
{
    const struct options *o = &run->options;
    if (o->force || state == GATHER_ABSENT || (o->resume && state != GATHER_OTHER))
        return true;
    if (o->resume)
        fprintf(stderr,
                "sluice run: %s: has the results of another run (%s); give another --out, or "
                "--force to do it again\n",
                path, differs);
    else
        fprintf(stderr,
                "sluice run: %s: has results; --resume does what is missing, --force does all "
                "again, or give another --out\n",
                path);
    return false;
}

// A folder may have come from elsewhere, with links in the places of runs: nothing is written or
// read where these lead.
static bool is_within(const struct plan *plan, const char *path)
{
    bool leads_out = below_leads_out(path, strlen(plan->dir));
    if (leads_out)
        fprintf(stderr, "sluice run: %s: %s; give another --out\n", path, below_fault(ELOOP));
    return !leads_out;
}

// Fills in which runs are to do. Returns false if one may not be done, with the reason on stderr.
static bool choose(const struct run *run, const struct plan *plan, bool *wanted)
{
    for (uint32_t i = 0; i < plan_runs(plan); i++) {
        char path[PATH_MAX];
        const char *differs;
        plan_path(plan, i, path);
        if (!is_within(plan, path))
            return false;
        enum gather_state state = gather_look(plan, i, &differs);
        wanted[i] = !run->options.resume || state != GATHER_COMPLETE;
        if (wanted[i] && !may_do(run, path, state, differs))
            return false;
    }
    return true;
}

// The folder may hold the results of a single run.
static bool is_free(const struct run *run)
{
    struct json_object *summary = value_read_object(run->results.folder, "summary.json");
    bool single = summary && !value_in(summary, "runs");
    value_free(summary);
    if (!single || run->options.force)
        return true;
    fprintf(stderr,
            "sluice run: %s: has the results of a single run; give another --out, or --force to "
            "replace its summary\n",
            run->results.dir);
    return false;
}

// ---- All of it ----

static bool work(const struct run *run, const struct plan *plan, const bool *wanted)
{
    uint32_t jobs = run->options.jobs ? run->options.jobs : children_jobs(plan->need_octets);
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        count += wanted[i];
    if (count == 0)
        return true;
    if (run->options.slurm)
        return slurm_run(plan, wanted, run->options.jobs);
    jobs = jobs < count ? jobs : count;
    fprintf(stderr, "%u runs, %u at a time; memory: %u MiB each\n", count, jobs,
            (uint32_t)(plan->need_octets >> 20) + 1);
    return children_run(plan, wanted, jobs);
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

static int do_runs(struct run *run, const struct plan *plan)
{
    bool *wanted = calloc(plan_runs(plan), sizeof *wanted);
    if (!wanted)
        abort();
    bool good = is_free(run) && choose(run, plan, wanted);
    if (good) {
        good = work(run, plan, wanted);
        good = (run->options.knobs ? knobs_judge : conclude)(run, plan) && good;
    }
    free(wanted);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

static int open_and_do(struct run *run, const struct plan *plan)
{
    run->results.simulated = true;
    int fault = results_open(&run->results, plan->dir, NULL);
    if (fault == -EWOULDBLOCK)
        return run_failed(plan->dir,
                          "another run writes into this folder; wait for its end, or give "
                          "another --out");
    return fault ? run_failed(run->results.at, strerror(-fault)) : do_runs(run, plan);
}

// An option that a single run does not have; NULL: none.
static const char *only_of_several(const struct options *o)
{
    return o->resume ? "--resume" : o->slurm ? "--slurm" : o->targets ? "--targets" : NULL;
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
    signals_leave_hangup();
    struct plan plan = {0};
    int status = EXIT_USAGE;
    if (make(run, &plan, run_dir(run, dir)))
        status = open_and_do(run, &plan);
    plan_release(&plan);
    return status;
}
