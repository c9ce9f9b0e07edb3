// The Lua host without Lua's types: a state that loads the configuration and runs the control
// plane's modules. control/bind is the only folder that sees lua.h.
#ifndef SLUICE_CONTROL_BIND_HOST_H
#define SLUICE_CONTROL_BIND_HOST_H

#include <stdbool.h>
#include <stdio.h>

#include "control/plane/procedures.h"
#include "dataplane/wire/field.h"

struct host;

// NULL when there is no memory. `full` opens all of Lua's libraries, for the user's own scripts;
// else io, os and random numbers are left out.
struct host *host_create(bool full);
void host_destroy(struct host *host);

// Lua may use at most that many octets from now on.
void host_limit(struct host *host, size_t octets);

// A module for `require`, of functions that take described structs.
void host_add_calls(struct host *host, const char *name, const struct field_call *calls,
                    uint32_t count, void *target);

// Beside the calls of the module `dp`: ms_of, bvc_of, ms_cell (find.c).
struct dp;
void host_add_find(struct host *host, struct dp *dp);

// A module for `require` that describes the fields, as a list and each by its name
// (fields_describe).
void host_add_fields(struct host *host, const char *name, const struct field *fields,
                     uint32_t count);

// Loads a configuration; its mistakes, or else warnings, are written to `errors`, a line each.
// `sets`: KEY=VALUE.
bool host_config(struct host *host, const char *path, const char *const *sets, uint32_t set_count,
                 FILE *errors);

// The configuration with all its defaults; `memory_octets` is what a run of it needs. Keys of MSs
// are hidden unless `secrets`.
void host_config_json(struct host *host, uint64_t memory_octets, bool secrets, FILE *out);

// Fills a struct from what sluice.config.setup's function `name` makes of the configuration. Octets
// in it stay valid while the host lives. False, with the reason on stderr, is a mistake of ours.
bool host_struct(struct host *host, const char *name, const struct field *fields, uint32_t count,
                 void *out);

// The procedures (sluice.control) as a task. Their end closes the Lua state: only host_destroy may
// follow.
extern const struct procedures host_procedures;

// What `require "count"` has counted. Any thread may read it while the host lives.
struct counts;
const struct counts *host_counts(const struct host *host);

// Runs a user's script with its arguments in `arg` and as `...`; the exit status.
int host_script(struct host *host, const char *path, int argc, char *const *argv);

// The schema of the configuration as text; `limits` has to be there (host_add_fields).
void host_describe(struct host *host, FILE *out);

const char *host_lua_version(void);

#endif
