// See gather.h: reading.
#include "control/runs/gather.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/tidy.h"
#include "control/runs/gather_parts.h"
#include "control/run/run.h"

#define RESULTS "results.csv"

_Static_assert(CLASS_COUNT <= GATHER_SUBJECTS, "each class has a place");

const char *gather_subject(enum compared_what what, int i)
{
    if (i >= GATHER_SUBJECTS)
        return NULL;
    if (what == COMPARED_CLASSES)
        return i < CLASS_COUNT ? class_names[i] : NULL;
    if (what == COMPARED_LAB)
        return i < 1 ? "phones" : NULL;
    return lab_application((uint32_t)i);
}

// ---- Reading ----

static void read_set(struct json_object *summary, enum compared_what what,
                     struct gather_figures *to)
{
    const struct compared_set *set = &compared_sets[what];
    struct json_object *subjects = compared_subjects(summary, what);
    const char *name;
    for (int i = 0; (name = gather_subject(what, i)) != NULL; i++) {
        struct json_object *subject = value_in(subjects, name);
        to[i].has = subject != NULL;
        for (int f = 0; f < set->figures && subject; f++) {
            to[i].value[f] = compared_value(subject, what, f);
            to[i].batches[f] = compared_over_batches(compared_batches(summary, what, name, f));
        }
    }
    value_free(subjects);
}

static void read_run(const struct plan *plan, uint32_t run, struct gather_run *to)
{
    struct json_object *summary = gather_summary(plan, run);
    to->state = gather_look_at(plan, run, summary).state;
    for (int what = 0; what < COMPARED_WHATS && to->state == GATHER_COMPLETE; what++)
        read_set(summary, (enum compared_what)what, to->of[what]);
    value_free(summary);
}

// The runs' values of a figure. A class without traffic in a run had a goodput of 0 there, and no
// delay.
struct statistics gather_statistics(const struct gather_all *all, struct gather_place at)
{
    const struct gather_run *run = all->run + (size_t)at.group * all->plan->seeds;
    const struct compared_figure *figure = &compared_sets[at.what].figure[at.figure];
    bool counted = !figure->member || compared_counts(figure);
    uint32_t n = 0;
    if (plan_is_of_batches(all->plan) && run->of[at.what][at.subject].batches[at.figure].n)
        return run->of[at.what][at.subject].batches[at.figure];
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
    return run_unwritten(results, name, results_write(results, name, put, all));
}

static void read_all(struct gather_all *all, const struct plan *plan, const char *name)
{
    *all = (struct gather_all){.plan = plan, .name = name};
    all->run = calloc(plan_runs(plan), sizeof *all->run);
    all->samples = calloc(plan->seeds, sizeof *all->samples);
    if (!all->run || !all->samples)
        abort();
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        read_run(plan, i, &all->run[i]);
}

static void release(struct gather_all *all)
{
    free(all->run);
    free(all->samples);
}

// All of it or no file: rows that are missing would be missed by nobody.
static int write_tidy(const struct results *results, struct gather_all *all)
{
    FILE *out = results_begin(results, RESULTS);
    if (!out)
        return run_unwritten(results, RESULTS, -errno);
    gather_put_tidy(all, out);
    if (all->error[0]) {
        results_drop(results, RESULTS, out);
        return run_failed(RESULTS, all->error);
    }
    return run_unwritten(results, RESULTS, results_end(results, RESULTS, out));
}

bool gather_begin(const struct plan *plan, const char *name, const struct results *results)
{
    struct gather_all all;
    read_all(&all, plan, name);
    int fault = write_file(results, "summary.json", gather_put_summary, &all);
    release(&all);
    return !fault;
}

bool gather(const struct plan *plan, const char *name, const struct results *results)
{
    struct gather_all all;
    read_all(&all, plan, name);
    all.tidy =
        !plan->options->targets; // else they are runs by the hundred, with files of their own
    if (all.tidy)
        gather_choose_tables(&all);
    int fault = write_file(results, "summary.json", gather_put_summary, &all);
    fault |= write_file(results, "runs.csv", gather_put_csv, &all);
    int tidy_fault = all.tidy ? write_tidy(results, &all) : 0;
    bool complete = gather_is_complete(&all);
    gather_print(&all, results->dir, !fault, all.tidy && !tidy_fault);
    release(&all);
    return complete && !fault && !tidy_fault;
}
