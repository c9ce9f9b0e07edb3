// What stands before DPDK's telemetry socket. DPDK takes ten connections for as long as they last,
// and its listener ends for good when the process is out of descriptors once. So its connections
// are all ours, made at the start, and clients come to a socket of our own under the same name: any
// number of them, each of which has a connection of DPDK's only while its question is being
// answered. Where there is no room for one more, the client that has been silent for longest is
// disconnected.
#ifndef SLUICE_CONTROL_EXPORT_DESK_H
#define SLUICE_CONTROL_EXPORT_DESK_H

// Of the instance whose telemetry runs by now, once in a process; before it becomes another user.
// 0 or a negative errno: DPDK's own socket is all there is.
int desk_open(const char *instance);

// Nobody is answered any more.
void desk_close(void);

#endif
