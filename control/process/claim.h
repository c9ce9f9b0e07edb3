// One instance on an interface: two would each take what is for the other.
#ifndef SLUICE_CONTROL_PROCESS_CLAIM_H
#define SLUICE_CONTROL_PROCESS_CLAIM_H

#include <stdbool.h>

// Takes the interface that a device's words name (iface=NAME), until the process ends; a device
// that names none needs no claim. False: somebody has it; *owner is that process, 0 if it is not
// known.
bool claim_device(const char *device, int *owner);

#endif
