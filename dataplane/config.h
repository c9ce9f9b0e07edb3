// Translates a dp_config for the folders below: for dataplane.c alone.
#ifndef SLUICE_DATAPLANE_CONFIG_H
#define SLUICE_DATAPLANE_CONFIG_H

#include "dataplane/dataplane.h"
#include "dataplane/port/port.h"
#include "dataplane/sched/sched.h"
#include "dataplane/state/state.h"

// The scheduler's configuration. NULL, or the fault: an unknown AQM, or wrong parameters of one.
const char *dp_config_sched(const struct dp_config *config, struct sched_config *sched);

// The limits of the whole dataplane, and the room of each worker.
struct state_limits dp_config_limits(const struct dp_config *config);
struct state_limits dp_config_room(const struct dp_config *config);

// A port's configuration, without the values that depend on other ports; `device` gets its name.
#define CONFIG_DEVICE_OCTETS 256
void dp_config_port(const struct dp_port *p, const char *name, char device[CONFIG_DEVICE_OCTETS],
                    struct port_config *port);
// What Gn has besides: an address for each worker, and how frames come to their worker.
void dp_config_gn(const struct dp_config *config, struct port_config *gn);
// What Gb has besides: how frames come to their worker, and a check of UDP's sum.
void dp_config_gb(const struct dp_config *config, struct port_config *gb);
struct port_addresses dp_config_addresses(const struct dp_config *config);

#endif
