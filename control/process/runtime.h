// The telemetry sockets of running instances: in DPDK's runtime directory each instance has a
// folder sluice-NAME-PID. DPDK's choice: $RUNTIME_DIRECTORY, else for root /var/run, else
// $XDG_RUNTIME_DIR; and `dpdk` below that. Where neither is set DPDK takes /tmp/dpdk,
// which any user may have made; here it is /tmp/dpdk-UID/dpdk, and only if /tmp/dpdk-UID is the
// user's alone.
#ifndef SLUICE_CONTROL_PROCESS_RUNTIME_H
#define SLUICE_CONTROL_PROCESS_RUNTIME_H

#include <limits.h>

#include "control/process/user.h"

#define RUNTIME_NAME_OCTETS 64
#define RUNTIME_PREFIX      "sluice-"
#define RUNTIME_SOCKET      "dpdk_telemetry.v2"

// The runtime folder, which holds the instances' folders.
void runtime_folder(char folder[PATH_MAX]);

// Makes an instance's folder for DPDK. Returns 0 or a negative errno: then DPDK would not start its
// telemetry. -EPERM: see above.
int runtime_make(const char *instance);

// Called once the socket exists: limits it to owner and group, and gives socket and folder to the
// user. Keeps the folder's descriptor, since runtime_remove may not be able to reach the path as
// that user. Returns 0 or a negative errno. Does nothing for instance "".
int runtime_hold(const char *instance, const struct user *user);

// Removes an instance's folder with its sockets.
void runtime_remove(const char *instance);

// Connects to an instance's socket. Returns -1 if no process listens, or, with errno EAGAIN, if the
// process has not accepted within RUNTIME_MOST_S, which is the limit for sending, too.
#define RUNTIME_MOST_S 1
int runtime_connect(const char *instance);

// Replaces the instance's socket by a listening, non-blocking one; -1 and errno after a fault.
#define RUNTIME_BACKLOG 64
int runtime_listen(const char *instance);

// Removes the folders of killed processes.
void runtime_clean(void);

#endif
