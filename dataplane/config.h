// What a dp_config means to the parts below: for dataplane.c alone.
#ifndef SLUICE_DATAPLANE_CONFIG_H
#define SLUICE_DATAPLANE_CONFIG_H

#include "dataplane/dataplane.h"
#include "dataplane/sched/sched.h"

// The scheduler's configuration. NULL, or what is wrong: an AQM that there is not, or whose
// parameters do not do.
const char *config_sched(const struct dp_config *config, struct sched_config *sched);

#endif
