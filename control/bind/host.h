// The Lua host, without Lua's types: a Lua state that loads the configuration and runs the control
// plane's modules. Only control/bind includes lua.h.
#ifndef SLUICE_CONTROL_BIND_HOST_H
#define SLUICE_CONTROL_BIND_HOST_H

#include <stdbool.h>
#include <stdio.h>

#include "control/plane/procedures.h"
#include "dataplane/wire/field.h"

struct host;

// Returns NULL without memory. `full` opens all of Lua's libraries, for the user's own scripts;
// else io, os and random numbers are missing.
struct host *host_create(bool full);
void host_destroy(struct host *host);

// Limits Lua's memory to `octets` from now on.
void host_limit(struct host *host, size_t octets);

// Adds a module for `require` with functions that take described structs.
void host_add_calls(struct host *host, const char *name, const struct field_call *calls,
                    uint32_t count, void *target);

// Adds look-ups to the module `dp`: ms_of, bvc_of, ms_cell ... (find.c).
struct dp;
void host_add_find(struct host *host, struct dp *dp);

// Adds a module for `require` that describes the fields, as a list and each by its name
// (fields_describe).
void host_add_fields(struct host *host, const char *name, const struct field *fields,
                     uint32_t count);

// Loads a configuration; writes its mistakes, or its warnings, to `errors`, a line each. sets:
// KEY=VALUE.
bool host_config(struct host *host, const char *path, const char *const *sets, uint32_t set_count,
                 FILE *errors);

// Prints the configuration with all defaults; memory_octets: the memory that a run needs. Ciphering
// keys are hidden unless `secrets`.
void host_config_json(struct host *host, uint64_t memory_octets, bool secrets, FILE *out);

// Fills a struct from the result of sluice.config.setup's function `name`. Octets in the struct are
// valid while the host lives. Returns false after an internal error, printed to stderr.
bool host_struct(struct host *host, const char *name, const struct field *fields, uint32_t count,
                 void *out);

// The procedures (sluice.control). `end` closes the Lua state: only host_destroy may follow.
extern const struct procedures host_procedures;

// The counters of `require "count"`. Any thread may read them while the host lives.
struct counts;
const struct counts *host_counts(const struct host *host);

// Runs a user's script with its arguments in `arg` and as `...`. Returns the exit status.
int host_script(struct host *host, const char *path, int argc, char *const *argv);

// Prints the configuration language as text; needs the module `limits` (host_add_fields).
void host_describe(struct host *host, FILE *out);

const char *host_lua_version(void);

#endif
