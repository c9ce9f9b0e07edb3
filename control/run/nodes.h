// What a run in real time says of NUMA nodes, on a machine with several.
#ifndef SLUICE_CONTROL_RUN_NODES_H
#define SLUICE_CONTROL_RUN_NODES_H

#include <stdio.h>

#include "control/process/eal.h"
#include "dataplane/dataplane.h"

// A line with the nodes of all threads, devices and memory; and a warning for each port with
// workers at another node than its device, or whose memory does not lie where it should.
void nodes_tell(const struct dp *dp, const struct eal_threads *threads, FILE *out);

#endif
