// The runs of one command: each variant at each point of the sweep with each seed, in this order,
// which is that of the file and of the command line. With --knobs, all that at each setting.
#ifndef SLUICE_CONTROL_RUNS_PLAN_H
#define SLUICE_CONTROL_RUNS_PLAN_H

#include <limits.h>

#include "control/run/load.h"

// The runs that differ only in their seed.
struct plan_group {
    const char *setting;          // the folder of a setting of the knobs; NULL: there are none
    struct json_object *sets;     // its KEY=VALUE
    const char *variant, *point;  // NULL: none
    struct json_object *origin;   // origin.h
    struct json_object *replaced; // `replaced` of lua/sluice/config/variants.lua
    uint64_t seed_first;
    bool series, passive; // its runs write these files
    uint32_t batches;     // of each run
};

struct plan {
    const struct options *options;
    const char *command;       // run or check, for messages
    const char *dir;           // of all results
    struct json_object *names; // what the file has: `plan` of lua/sluice/config/variants.lua
    struct json_object *asked; // what the knobs are to run
    struct plan_group *group;
    uint32_t groups, seeds;
    bool real;            // a run is in real time
    uint64_t need_octets; // the most memory that a run needs
    char **failure;       // of each run how it failed, in words; NULL: it did not
    double told_s;        // when progress was last shown; 0: none is on the terminal
};

// Returns whether the options and the loaded file mean several runs.
bool plan_is_several(struct bind *lua, const struct options *options);

// Loads the file for each group, so that every mistake is found before anything runs. Returns false
// after mistakes, which are on stderr.
bool plan_make(struct plan *plan, struct bind *lua, const struct options *options, const char *dir);

// Loads the file for each variant at each point, or for those of the options, as several runs
// would; then again as it was. said: of the load before. What they say is on stderr, each line
// once. Returns false after mistakes.
bool plan_check(struct bind *lua, const struct options *options, char *said);

// The same at each setting of the knobs. asked: of bind_knobs_plan; the plan takes it.
bool plan_make_knobs(struct plan *plan, struct bind *lua, const struct options *options,
                     const char *dir, struct json_object *asked);
void plan_release(struct plan *plan);

// The axes of the file's sweep and of its variants: their number, their names, and the value at the
// group's point; "": the group's variant does not have the axis.
size_t plan_axes(const struct plan *plan);
const char *plan_axis(const struct plan *plan, size_t axis);
const char *plan_value(const struct plan *plan, const struct plan_group *group, size_t axis);

// How many of the axes all variants share, the sweep's; they are the first.
size_t plan_shared_axes(const struct plan *plan);

// The end of the point's name that the variant's own axes make; "": it has none.
const char *plan_own(const struct plan *plan, const struct plan_group *group);

// The axes of the group's point, each as KEY=VALUE.
void plan_put_axes(const struct plan *plan, const struct plan_group *group, FILE *out);

// Whether no --set replaces what one of several variants sets itself; else says so on stderr.
bool plan_keeps_variants(const struct plan *plan);

// What the list `key` of what the file has is for a variant, or, with NULL, for the default or a
// file without variants. An unknown variant, which its load refuses, has none.
struct json_object *plan_list(const struct json_object *names, const char *key,
                              const char *variant);

// Whether the file has that point for the variant. A NULL is right where the file has none.
bool plan_has_point(const struct plan *plan, const char *variant, const char *point);

// The run that has the captures, and what became of each packet, if the options ask for them.
#define PLAN_CAPTURED 0

uint32_t plan_runs(const struct plan *plan);

// The run that is done as the turn-th: one seed of all groups before the next seed of any, so that
// what an interrupted command leaves can be compared.
uint32_t plan_in_turn(const struct plan *plan, uint32_t turn);

// Whether the figures of all groups are over the batches of their runs: one seed, and of each as
// many batches. Else the figures are of whole runs, or counts of batches and runs were side by
// side.
bool plan_is_of_batches(const struct plan *plan);
const struct plan_group *plan_group_of(const struct plan *plan, uint32_t run);
uint64_t plan_seed(const struct plan *plan, uint32_t run);

// The run's folder below DIR: SETTING/VARIANT/POINT/SEED, without what the file does not have.
void plan_folder(const struct plan *plan, uint32_t run, char folder[PATH_MAX]);
void plan_path(const struct plan *plan, uint32_t run, char path[PATH_MAX]);

// The arguments that make this program do the run, ended by NULL, for plan_words_free.
char **plan_words(const struct plan *plan, uint32_t run);
void plan_words_free(char **words);

#endif
