// What a dp_config means to the parts below: for dataplane.c alone.
#ifndef SLUICE_DATAPLANE_CONFIG_H
#define SLUICE_DATAPLANE_CONFIG_H

#include "dataplane/dataplane.h"
#include "dataplane/port/port.h"
#include "dataplane/sched/sched.h"
#include "dataplane/state/state.h"

// The scheduler's configuration. NULL, or what is wrong: an AQM that there is not, or whose
// parameters do not do.
const char *config_sched(const struct dp_config *config, struct sched_config *sched);

// How many there may be in all, and what each worker has room for.
struct state_limits config_limits(const struct dp_config *config);
struct state_limits config_room(const struct dp_config *config);

// A port's configuration, but for what depends on the others; `device` is where its name goes.
#define CONFIG_DEVICE_OCTETS 256
void config_port(const struct dp_port *p, const char *name, char device[CONFIG_DEVICE_OCTETS],
                 struct port_config *port);

#endif
