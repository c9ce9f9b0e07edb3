// A Lua state, without Lua's types. It loads the configuration and runs the control
// plane's modules. Only control/bind includes lua.h.
#ifndef SLUICE_CONTROL_BIND_BIND_H
#define SLUICE_CONTROL_BIND_BIND_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "control/plane/procedures.h"
#include "dataplane/wire/field.h"

struct bind;
struct json;

// Returns NULL without memory. `full` opens all of Lua's libraries, for the user's own scripts;
// else io, os and random numbers are missing.
struct bind *bind_create(bool full);
void bind_destroy(struct bind *lua);

// Limits Lua's memory to `octets` from now on.
void bind_limit(struct bind *lua, size_t octets);

// Adds a module for `require` with functions that take described structs.
void bind_add_calls(struct bind *lua, const char *name, const struct field_call *calls,
                    uint32_t count, void *target);

// The same as a member of the module `fields`.
void bind_add_list(struct bind *lua, const char *name, const struct field_record *record);

// Adds to the module `faults` a function that says what the values of a table do not fit together
// for, or returns nil.
typedef const char *bind_fault_fn(const void *config);
void bind_add_fault(struct bind *lua, const char *name, const struct field_record *record,
                    bind_fault_fn *fault);

// Adds to the module `measures` a function that returns a number that the values of a table come
// to, or nil and why there is none.
typedef const char *bind_measure_fn(const void *config, uint64_t *measure);
void bind_add_measure(struct bind *lua, const char *name, const struct field_record *record,
                      bind_measure_fn *measure);

// Adds look-ups to the module `dp`: ms_of, bvc_of, ms_cell ... (find.c).
struct dp;
void bind_add_find(struct bind *lua, struct dp *dp);

// Adds a module for `require` that describes the fields, as a list and each by its name
// (fields_describe).
void bind_add_fields(struct bind *lua, const char *name, const struct field *fields,
                     uint32_t count);

// What the command line changes in a configuration: the KEY=VALUE of --set, and the chosen variant
// and point of the sweep; NULL: none chosen.
struct bind_changes {
    const char *const *set;
    uint32_t sets;
    const char *variant, *point;
};

// Adds the modules that loading needs (bind_add_fields, bind_add_list ...); in any thread.
typedef void bind_prepare_fn(struct bind *lua);

// Loads a configuration; writes its mistakes, or its warnings, to `errors`, a line each. A reload
// loads it in a Lua state of its own, which `prepare` prepares as it does this one.
bool bind_config(struct bind *lua, const char *path, const struct bind_changes *changes,
                 bind_prepare_fn *prepare, FILE *errors);

// Writes what sluice.config.variants' function `name` says of the configuration.
bool bind_variants(struct bind *lua, const char *name, FILE *out);

// Prints the configuration with all defaults; memory_octets: the memory that a run needs. Ciphering
// keys are hidden unless `secrets`.
void bind_config_json(struct bind *lua, uint64_t memory_octets, bool secrets, FILE *out);

// Fills a struct from the result of sluice.config.setup's function `name`. Octets in the struct are
// valid while the Lua state lives. Returns false after an internal error, printed to stderr.
bool bind_struct(struct bind *lua, const char *name, const struct field *fields, uint32_t count,
                 void *out);

// Targets and figures of several runs (sluice.targets). Loads their file; writes its mistakes to
// `errors`, a line each.
bool bind_targets(struct bind *lua, const char *path, FILE *errors);

// What judging them asks of the runs.
struct bind_judged {
    const void *self;
    uint32_t seeds; // of each group
    uint64_t first_seed;
    // Writes the folder of the variant's run at the point, each NULL if not given, with the seed at
    // this place. Returns NULL, or why there is none; *missing: the run is only not complete.
    const char *(*find)(const void *self, const char *variant, const char *point, uint32_t seed,
                        char folder[PATH_MAX], bool *missing);
    // A number of the run's summary by a path with dots; NAN: there is none.
    double (*number)(const char *folder, const char *path);
    // Half the 95 % interval of the mean; NAN with a single sample.
    double (*interval)(const double *samples, uint32_t n, double *mean);
};

// Judges the targets that were loaded. *faults: how many could not be worked out. Returns false
// after an internal error, printed to stderr.
bool bind_judge(struct bind *lua, const struct bind_judged *judged, uint32_t *faults);

// Writes what came of it: form "table", or a file by its name with a "_" for the dot:
// "targets_csv", "targets_json", "figures_csv", "figures_json". In JSON, what `before` writes is
// first; NULL: nothing.
struct bind_members {
    void (*put)(const void *self, struct json *json); // into the open object
    const void *self;
};
void bind_put_targets(struct bind *lua, const char *form, const struct bind_members *before,
                      FILE *out);

// The same at each setting of a file of knobs (sluice.knobs). Loads it, behind the targets; writes
// its mistakes to `errors`, a line each.
bool bind_knobs(struct bind *lua, const char *path, FILE *errors);

// Writes what is to run, as sluice.knobs.language says it. Returns false after an internal error.
bool bind_knobs_plan(struct bind *lua, FILE *out);

// Judges the conclusions at the setting of this number. *missing: how many want a run that is not
// there. Returns as bind_judge.
bool bind_judge_setting(struct bind *lua, uint32_t number, const struct bind_judged *judged,
                        uint32_t *missing, uint32_t *faults);

// Once all settings are judged: writes what the conclusions depend on; form as above.
bool bind_knobs_conclude(struct bind *lua);
void bind_put_knobs(struct bind *lua, const char *form, const struct bind_members *before,
                    FILE *out);

// The procedures (sluice.control). `end` closes the Lua state: only bind_destroy may follow.
extern const struct procedures bind_procedures;

// The counters of `require "count"`. Any thread may read them while the Lua state lives.
struct counts;
const struct counts *bind_counts(const struct bind *lua);

// Runs a user's script with its arguments in `arg` and as `...`. Returns the exit status.
int bind_script(struct bind *lua, const char *path, int argc, char *const *argv);

// Prints what the module's function `describe` says as text: sluice.config.language the language,
// for which it needs the module `limits` (bind_add_fields); sluice.targets.report and
// sluice.knobs.report the columns of their files.
void bind_describe(struct bind *lua, const char *module, FILE *out);

const char *bind_lua_version(void);

#endif
