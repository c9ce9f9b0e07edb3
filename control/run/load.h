// Loads a configuration for `run` and `check`: within Lua's memory limit, with the dataplane's
// limits for the schema's checks, into C structs.
#ifndef SLUICE_CONTROL_RUN_LOAD_H
#define SLUICE_CONTROL_RUN_LOAD_H

#include <limits.h>

#include "control/bind/bind.h"
#include "control/process/eal.h"
#include "control/run/options.h"
#include "lab/lab.h"

#define RUN_CONFIG_FIELDS(MUST, MAY, T)                                                      \
    MUST(T, OCTETS, name, 1, 64, "name of the run")                                          \
    MUST(T, U64, seed, 0, INT64_MAX, "seed of every random number")                          \
    MUST(T, BOOL, real, 0, 1, "the clock is real")                                           \
    MUST(T, U64, duration_ns, 0, INT64_MAX, "duration of the run; 0: until a signal")        \
    MUST(T, U64, warmup_ns, 0, INT64_MAX, "beginning that no figure counts")                 \
    MUST(T, U32, batches, 0, 100, "parts of the rest, each with its figures; 0: none")       \
    MUST(T, BOOL, spin, 0, 1, "a worker without work polls on")                              \
    MUST(T, OCTETS, cores, 0, 2 * EAL_LCORES_MAX, "processors, 16 bits each, network order") \
    MUST(T, OCTETS, user, 0, 64, "user that the run becomes; empty: not given")              \
    MUST(T, OCTETS, policy, 0, PATH_MAX - 1, "the policy's file; empty: none")
FIELD_STRUCT(run_config, RUN_CONFIG_FIELDS);

struct load {
    struct run_config run;
    struct dp_config dp;
    struct lab_config lab; // for a run in virtual time
};

// Adds the modules that describe what the configuration may set.
void load_add_fields(struct bind *lua);

// Returns false after mistakes, which are printed to stderr, a line each, as are warnings. The
// structs are valid while the Lua state lives. Virtual time needs no lab: the caller is the
// network.
bool load_config(struct bind *lua, const struct options *options, struct load *load);
// As load_config, but the lines go into *said, for free(), and virtual time needs a lab.
bool load_config_said(struct bind *lua, const struct options *options, struct load *load,
                      char **said);

// Every key of the configuration language, as text.
void load_describe(struct bind *lua, FILE *out);

// The memory that a run of the configuration asks of DPDK.
uint64_t load_memory_octets(const struct load *load);

#endif
