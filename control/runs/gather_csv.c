// See gather_parts.h: runs.csv and results.csv. Both begin with which run a row is of.
#include "control/runs/gather_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The columns in front: which run ----

static const struct tidy_column of_run[] = {
    {"folder", "the run's, in that of all"},
    {"variant", "its variant; empty: the file has none"},
    {"AXIS",
     "a column for each axis of the sweep and of the variants, by its name, or axis_NAME if "
     "another column has that name, or NAME begins with axis_: the value at the run's point; "
     "empty: its variant has no such axis"},
    {"seed", "the run's"},
};
#define OF_RUN (sizeof of_run / sizeof of_run[0])
#define AXES   2 // their place

static const struct tidy_column of_class = {"class", "the traffic class"};

#define PREFIX "axis_"

// Whether a column may have the name: another one, or an axis with the prefix.
static bool is_column(const char *name)
{
    const struct compared_set *set = &compared_sets[COMPARED_CLASSES];
    const struct tidy_column *column;
    bool is = strcmp(name, of_class.name) == 0 || strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    for (size_t i = 0; i < OF_RUN; i++)
        is |= strcmp(name, of_run[i].name) == 0;
    for (int f = 0; f < set->figures; f++)
        is |= strcmp(name, set->figure[f].name) == 0;
    for (size_t i = 0; (column = tidy_column(i)) != NULL; i++)
        is |= strcmp(name, column->name) == 0;
    return is;
}

static void put_run_names(const struct gather_all *all, FILE *out)
{
    for (size_t i = 0; i < OF_RUN; i++) {
        if (i != AXES) {
            fprintf(out, "%s,", of_run[i].name);
            continue;
        }
        for (size_t axis = 0; axis < plan_axes(all->plan); axis++) {
            const char *name = plan_axis(all->plan, axis);
            fprintf(out, "%s%s,", is_column(name) ? PREFIX : "", name);
        }
    }
}

static void put_run_cells(const struct gather_all *all, uint32_t run, FILE *out)
{
    const struct plan_group *group = plan_group_of(all->plan, run);
    char folder[PATH_MAX];
    plan_folder(all->plan, run, folder);
    tidy_text(folder, out);
    tidy_text(group->variant ? group->variant : "", out);
    for (size_t axis = 0; axis < plan_axes(all->plan); axis++)
        tidy_text(plan_value(all->plan, group, axis), out);
    fprintf(out, "%" PRIu64 ",", plan_seed(all->plan, run));
}

// ---- runs.csv: a row for each run and class ----

static void put_row(const struct gather_all *all, uint32_t run, int c, FILE *out)
{
    put_run_cells(all, run, out);
    fputs(class_names[c], out);
    const struct compared_set *set = &compared_sets[COMPARED_CLASSES];
    for (int f = 0; f < set->figures; f++) {
        double value = all->run[run].of[COMPARED_CLASSES][c].value[f];
        if (isnan(value))
            fputc(',', out);
        else
            fprintf(out, ",%.*f", set->figure[f].decimals, value);
    }
    fputc('\n', out);
}

void gather_put_csv(const void *self, FILE *out)
{
    const struct gather_all *all = self;
    put_run_names(all, out);
    fputs(of_class.name, out);
    for (int f = 0; f < compared_sets[COMPARED_CLASSES].figures; f++)
        fprintf(out, ",%s", compared_sets[COMPARED_CLASSES].figure[f].name);
    fputc('\n', out);
    for (uint32_t i = 0; i < plan_runs(all->plan); i++)
        for (int c = 0; c < CLASS_COUNT; c++)
            if (all->run[i].of[COMPARED_CLASSES][c].has)
                put_row(all, i, c, out);
}

// ---- results.csv: a row for each value of each complete run ----

static bool is_there(const struct gather_all *all, uint32_t run, char path[PATH_MAX])
{
    plan_path(all->plan, run, path);
    return !all->error[0] && all->run[run].state == GATHER_COMPLETE;
}

void gather_choose_tables(struct gather_all *all)
{
    uint64_t values[TIDY_TABLES] = {0};
    size_t root_octets = strlen(all->plan->dir);
    char path[PATH_MAX];
    for (uint32_t i = 0; i < plan_runs(all->plan); i++)
        if (is_there(all, i, path))
            tidy_count(path, root_octets, values, all->error);
    for (int i = 0; i < TIDY_TABLES; i++)
        all->values += values[i];
    tidy_leave_out(values, all->without);
}

static void put_values(struct gather_all *all, uint32_t run, const char *path, FILE *out)
{
    char *before = NULL;
    size_t octets;
    FILE *cells = open_memstream(&before, &octets);
    if (!cells)
        abort();
    put_run_cells(all, run, cells);
    if (fclose(cells))
        abort();
    tidy_put(before, path, strlen(all->plan->dir), all->without, out, all->error);
    free(before);
}

void gather_put_tidy(struct gather_all *all, FILE *out)
{
    char path[PATH_MAX];
    put_run_names(all, out);
    tidy_head(out);
    for (uint32_t i = 0; i < plan_runs(all->plan); i++)
        if (is_there(all, i, path))
            put_values(all, i, path, out);
}

// ---- What they are ----

static void describe(const struct tidy_column *column, FILE *out)
{
    fprintf(out, "%s: %s\n", column->name, column->help);
}

static void describe_file(const char *name, FILE *out)
{
    fprintf(out, "\n%s\n", name);
    for (size_t i = 0; i < OF_RUN; i++)
        describe(&of_run[i], out);
}

void gather_describe(FILE *out)
{
    const struct compared_set *set = &compared_sets[COMPARED_CLASSES];
    const struct tidy_column *column;
    describe_file("runs.csv", out);
    describe(&of_class, out);
    for (int f = 0; f < set->figures; f++)
        describe(&(struct tidy_column){set->figure[f].name, set->figure[f].help}, out);
    describe_file("results.csv", out);
    for (size_t i = 0; (column = tidy_column(i)) != NULL; i++)
        describe(column, out);
}
