// Where the telemetry sockets of running instances are: DPDK's runtime directory, and in it a
// folder for each instance, sluice-NAME-PID. As DPDK chooses it: $RUNTIME_DIRECTORY, else for root
// /var/run, else $XDG_RUNTIME_DIR or /tmp; and `dpdk` below that.
#ifndef SLUICE_CONTROL_PROCESS_RUNTIME_H
#define SLUICE_CONTROL_PROCESS_RUNTIME_H

#include <limits.h>

#include "control/process/user.h"

#define RUNTIME_NAME_OCTETS 64
#define RUNTIME_PREFIX      "sluice-"
#define RUNTIME_SOCKET      "dpdk_telemetry.v2"

// The folder in which those of the instances are.
void runtime_folder(char folder[PATH_MAX]);

// Makes an instance's own, which DPDK will use. 0 or a negative errno: it cannot be had, and DPDK
// would not start its telemetry.
int runtime_make(const char *instance);

// Its socket is there: for its owner and the group alone, and the user's, who is to be its owner.
// From here on this process has the folder by its descriptor, for runtime_remove may not be able to
// walk there. 0 or a negative errno. An instance "" has none.
int runtime_hold(const char *instance, const struct user *user);

// Removes it with the sockets in it.
void runtime_remove(const char *instance);

// Connects to its socket; -1: nobody is there, or, with errno EAGAIN, who is there has not taken us
// within RUNTIME_MOST_S. Nor does it wait for longer to send.
#define RUNTIME_MOST_S 1
int runtime_connect(const char *instance);

// A socket of ours in the place of its socket, listening, that does not block; -1 with errno.
#define RUNTIME_BACKLOG 64
int runtime_listen(const char *instance);

// Removes those of processes that are gone and have not removed them: killed ones.
void runtime_sweep(void);

#endif
