// See gather.h: reading.
#include "control/runs/gather.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/report/tidy.h"
#include "control/runs/gather_parts.h"
#include "control/run/origin.h"
#include "control/run/run.h"

_Static_assert(CLASS_COUNT <= GATHER_SUBJECTS, "each class has a place");

const char *gather_subject(enum compared_what what, int i)
{
    if (i >= GATHER_SUBJECTS)
        return NULL;
    if (what == COMPARED_CLASSES)
        return i < CLASS_COUNT ? class_names[i] : NULL;
    return lab_application((uint32_t)i);
}

// ---- Reading ----

static enum gather_state state_of(const struct plan *plan, uint32_t run,
                                  struct json_object *summary, const char **differs)
{
    *differs = NULL;
    if (!summary)
        return GATHER_ABSENT;
    *differs = origin_differs(plan_group_of(plan, run)->origin, plan_seed(plan, run), summary);
    if (!value_is_true(value_in(summary, "complete")))
        return *differs ? GATHER_ABSENT : GATHER_INCOMPLETE;
    if (*differs)
        return GATHER_OTHER;
    return value_is_true(value_in(summary, "sound")) ? GATHER_COMPLETE : GATHER_UNSOUND;
}

static struct json_object *read_summary(const struct plan *plan, uint32_t run)
{
    char path[PATH_MAX];
    plan_path(plan, run, path);
    size_t n = strlen(path);
    snprintf(path + n, sizeof path - n, "/summary.json");
    return value_read_object(AT_FDCWD, path);
}

enum gather_state gather_look(const struct plan *plan, uint32_t run, const char **differs)
{
    struct json_object *summary = read_summary(plan, run);
    enum gather_state state = state_of(plan, run, summary, differs);
    value_free(summary);
    return state;
}

static void read_set(struct json_object *summary, enum compared_what what,
                     struct gather_figures *to)
{
    const struct compared_set *set = &compared_sets[what];
    struct json_object *subjects = value_in(summary, set->key);
    const char *name;
    for (int i = 0; (name = gather_subject(what, i)) != NULL; i++) {
        struct json_object *subject = value_in(subjects, name);
        to[i].has = subject != NULL;
        for (int f = 0; f < set->figures && subject; f++)
            to[i].value[f] = compared_value(subject, what, f);
    }
}

static void read_run(const struct plan *plan, uint32_t run, struct gather_run *to)
{
    struct json_object *summary = read_summary(plan, run);
    const char *differs;
    to->state = state_of(plan, run, summary, &differs);
    for (int what = 0; what < COMPARED_WHATS && to->state == GATHER_COMPLETE; what++)
        read_set(summary, (enum compared_what)what, to->of[what]);
    value_free(summary);
}

// The runs' values of a figure. A class without traffic in a run had a goodput of 0 there, and no
// delay.
struct statistics gather_statistics(const struct gather_all *all, struct gather_place at)
{
    const struct gather_run *run = all->run + (size_t)at.group * all->plan->seeds;
    bool counted = !compared_sets[at.what].figure[at.figure].member;
    uint32_t n = 0;
    for (uint32_t s = 0; s < all->plan->seeds; s++) {
        const struct gather_figures *of = &run[s].of[at.what][at.subject];
        double value = of->has ? of->value[at.figure] : counted ? 0 : NAN;
        if (run[s].state == GATHER_COMPLETE && !isnan(value))
            all->samples[n++] = value;
    }
    return statistics_of(all->samples, n);
}

bool gather_has(const struct gather_all *all, uint32_t group, enum compared_what what, int subject)
{
    const struct gather_run *run = all->run + (size_t)group * all->plan->seeds;
    bool has = false;
    for (uint32_t s = 0; s < all->plan->seeds; s++)
        has |= run[s].of[what][subject].has;
    return has;
}

uint32_t gather_complete(const struct gather_all *all, uint32_t first, uint32_t n)
{
    uint32_t complete = 0;
    for (uint32_t i = first; i < first + n; i++)
        complete += all->run[i].state == GATHER_COMPLETE;
    return complete;
}

bool gather_is_complete(const struct gather_all *all)
{
    return gather_complete(all, 0, plan_runs(all->plan)) == plan_runs(all->plan);
}

static int write_file(const struct results *results, const char *name,
                      void (*put)(const void *self, FILE *out), const struct gather_all *all)
{
    int fault = results_write(results, name, put, all);
    return fault ? run_failed(name, strerror(-fault)) : 0;
}

bool gather(const struct plan *plan, const char *name, const struct results *results)
{
    char error[TIDY_ERROR_OCTETS] = "";
    struct gather_all all = {.plan = plan, .name = name, .error = error};
    all.run = calloc(plan_runs(plan), sizeof *all.run);
    all.samples = calloc(plan->seeds, sizeof *all.samples);
    if (!all.run || !all.samples)
        abort();
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        read_run(plan, i, &all.run[i]);
    int fault = write_file(results, "summary.json", gather_put_summary, &all);
    fault |= write_file(results, "runs.csv", gather_put_csv, &all);
    if (plan->options->targets) // runs by the hundred, whose figures have files of their own
        unlinkat(results->folder, "results.csv", 0);
    else
        fault |= write_file(results, "results.csv", gather_put_tidy, &all);
    if (error[0])
        fault |= run_failed("results.csv", error);
    bool complete = gather_is_complete(&all);
    gather_print(&all, results->dir);
    free(all.run);
    free(all.samples);
    return complete && !fault;
}
