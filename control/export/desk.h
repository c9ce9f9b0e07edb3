// A proxy in front of DPDK's telemetry socket. DPDK accepts ten connections, however long they
// last, and its listener ends for good when the process once runs out of descriptors. So the desk
// makes its connections to DPDK at the start, and accepts clients on a socket of its own with the
// same name. A client uses a connection to DPDK only while its question is answered. Without room
// for one more client, the client that has been silent for longest is disconnected.
#ifndef SLUICE_CONTROL_EXPORT_DESK_H
#define SLUICE_CONTROL_EXPORT_DESK_H

// Starts the desk of an instance, once in a process: after DPDK's telemetry has started, and before
// the process becomes another user. Returns 0 or a negative errno: then clients use DPDK's own
// socket.
int desk_open(const char *instance);

// Stops the desk and disconnects all clients.
void desk_close(void);

#endif
