// What a run was made of, its provenance: the version, the digests of the configuration and of the
// files that it names, the variant, the point of the sweep, and the overrides in order. It stands
// in summary.json, and tells whether results in a folder are those of the same run.
#ifndef SLUICE_CONTROL_RUN_ORIGIN_H
#define SLUICE_CONTROL_RUN_ORIGIN_H

#include "control/bind/bind.h"
#include "control/client/value.h"
#include "control/run/results.h"
#include "lab/base/json.h"

// What sluice.config.variants' function `name` says of the loaded configuration; "origin" says what
// it was made of. The caller frees it.
struct json_object *origin_ask(struct bind *lua, const char *name);

// Writes the version and the members into the open object. self: the answer to "origin".
void origin_put(const void *self, struct json *json);

// What each of these keys means, a line each.
void origin_describe(FILE *out);

// As origin_put, of several runs: without what they differ in; and that with its key.
void origin_put_shared(const struct json_object *origin, struct json *json);
void origin_put_overrides(const struct json_object *origin, struct json *json);

// In words, the first thing in which a summary is of another run; NULL: the same run.
const char *origin_differs(const struct json_object *origin, uint64_t seed,
                           const struct json_object *summary);

// The same of the summary of several runs, of what origin_put_shared writes.
const char *origin_differs_shared(const struct json_object *origin,
                                  const struct json_object *summary);

// Looks for an earlier run's results in the folder. Those of one run may be replaced, with a line
// on stderr if it was another run; those of several runs only with `force`.
bool origin_may_replace(const struct json_object *origin, uint64_t seed,
                        const struct results *results, bool force);

#endif
