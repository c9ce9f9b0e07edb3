// A tun device of Linux, in this network namespace or in a named one (/run/netns): a read gives an
// IP packet that Linux sends into it, a write is a packet that arrives at Linux. A device that
// exists is taken with its addresses; else it is made, and goes with the descriptor.
#ifndef SLUICE_LAB_LIVE_DEVICE_DEVICE_H
#define SLUICE_LAB_LIVE_DEVICE_DEVICE_H

// Opens the device, not blocking, and has it up. namespace_name NULL: this one. Returns the
// descriptor, or -errno with *what, the step that failed.
int device_open(const char *name, const char *namespace_name, const char **what);

#endif
