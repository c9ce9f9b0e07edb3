// Loading a configuration for `run` and `check` alike: within Lua's memory limit, with the
// dataplane's own limits at hand for the schema's checks.
#ifndef SLUICE_CONTROL_LOAD_H
#define SLUICE_CONTROL_LOAD_H

#include "control/bind/host.h"
#include "control/options.h"

// False, with the mistakes on stderr, a line each.
bool load_config(struct host *host, const struct options *options);

#endif
