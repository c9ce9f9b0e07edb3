// For the files of gather: the figures of all runs, read, and what is made of them.
#ifndef SLUICE_CONTROL_RUNS_GATHER_PARTS_H
#define SLUICE_CONTROL_RUNS_GATHER_PARTS_H

#include "control/report/compared.h"
#include "control/report/statistics.h"
#include "control/report/tidy.h"
#include "control/runs/gather.h"
#include "dataplane/base/classes.h"

#define GATHER_SUBJECTS 8

// Subject i of a set, such as a class; NULL: there is no other.
const char *gather_subject(enum compared_what what, int i);

// A subject's figures in a run; NAN: it has no such figure, such as the delay of a class that
// received nothing.
struct gather_figures {
    bool has; // the class had traffic, the kind an application
    double value[COMPARED_FIGURES];
    struct statistics batches[COMPARED_FIGURES]; // n = 0: the run has none
};

struct gather_run {
    enum gather_state state;
    struct gather_figures of[COMPARED_WHATS][GATHER_SUBJECTS];
};

// A figure of the runs of a group.
struct gather_place {
    uint32_t group;
    enum compared_what what;
    int subject, figure;
};

struct gather_all {
    const struct plan *plan;
    const char *name; // of the scenario
    struct gather_run *run;
    double *samples; // room for one of each seed
    bool tidy;       // there is to be a results.csv
    bool without[TIDY_TABLES];
    uint64_t values;               // of all tables
    char error[TIDY_ERROR_OCTETS]; // "": all tables can be read
};

// gather_look.c: a run's summary, to be freed; what is in its folder, with that summary.
struct json_object *gather_summary(const struct plan *plan, uint32_t run);
struct gather_found gather_look_at(const struct plan *plan, uint32_t run,
                                   const struct json_object *summary);

bool gather_is_complete(const struct gather_all *all); // every run
uint32_t gather_complete(const struct gather_all *all, uint32_t first, uint32_t n);

// Of the complete runs of a group; of one, over its batches (plan_is_of_batches).
bool gather_has(const struct gather_all *all, uint32_t group, enum compared_what what, int subject);
struct statistics gather_statistics(const struct gather_all *all, struct gather_place place);

// gather_text.c: the tables. written: summary.json and runs.csv are; tidy: there is a results.csv.
void gather_print(const struct gather_all *all, const char *dir, bool written, bool tidy);

// gather_files.c: summary.json. gather_csv.c: runs.csv. self: a struct gather_all.
void gather_put_summary(const void *self, FILE *out);
void gather_put_csv(const void *self, FILE *out);

// results.csv: which tables it has; the file. After a table that cannot be read, all->error says
// which and why.
void gather_choose_tables(struct gather_all *all);
void gather_put_tidy(struct gather_all *all, FILE *out);

#endif
