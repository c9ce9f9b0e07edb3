// The control plane as the engine sees it: a Lua host and its poll. Today its one task is to bring
// the configuration into the dataplane and the lab; the Gb procedures will be handlers beside it.
#ifndef SLUICE_CONTROL_CONTROL_H
#define SLUICE_CONTROL_CONTROL_H

#include <stdint.h>

struct host;

enum control_phase { CONTROL_STARTING, CONTROL_UP, CONTROL_FAILED };

struct control {
    struct host *host;
    enum control_phase phase;
};

// Begins to bring up the configuration that the host has loaded.
void control_start(struct control *control);

// One round. Returns now_ns while work is left, else when to call again.
uint64_t control_poll(struct control *control, uint64_t now_ns);

#endif
