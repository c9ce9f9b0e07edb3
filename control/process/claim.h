// One instance on an interface: of two, each would receive the other's frames.
#ifndef SLUICE_CONTROL_PROCESS_CLAIM_H
#define SLUICE_CONTROL_PROCESS_CLAIM_H

#include <stdbool.h>

// Claims the interface of a device's arguments (iface=NAME) until the process ends; a device
// without one needs no claim. Returns false if another process has it; *owner is its id, 0 if
// unknown.
bool claim_device(const char *device, int *owner);

#endif
