// The control plane as the engine and the run in real time see it: a Lua host and its poll. Today
// it brings the configuration into the dataplane and the lab, and takes what workers tell; the Gb
// procedures will be handlers beside it.
#ifndef SLUICE_CONTROL_CONTROL_H
#define SLUICE_CONTROL_CONTROL_H

#include <stdint.h>

#include "dataplane/dataplane.h"

struct host;

enum control_phase { CONTROL_STARTING, CONTROL_UP, CONTROL_FAILED };

struct control {
    struct host *host;
    struct dp *dp;
    enum control_phase phase;
    uint64_t events[EVENT_COUNT]; // taken, by kind
};

// Begins to bring up the configuration that the host has loaded.
void control_start(struct control *control, struct dp *dp);

// One round. Returns now_ns while work is left, else when to call again.
uint64_t control_poll(struct control *control, uint64_t now_ns);

#endif
