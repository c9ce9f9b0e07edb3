// See control.h.
#include "control/control.h"

#include "control/bind/host.h"
#include "dataplane/base/units.h"

// The command ring is full: the worker gets this long to empty it.
#define RETRY_NS 1000

void control_start(struct control *control)
{
    control->phase = CONTROL_STARTING;
    host_task(control->host, "start");
}

uint64_t control_poll(struct control *control, uint64_t now_ns)
{
    if (control->phase != CONTROL_STARTING)
        return TIME_NEVER;
    if (now_ns < control->retry_ns)
        return control->retry_ns;
    switch (host_task_step(control->host)) {
    case HOST_WAITS:
        return control->retry_ns = now_ns + RETRY_NS;
    case HOST_DONE:
        control->phase = CONTROL_UP;
        return now_ns; // what it sent last is still to be carried out
    case HOST_FAILED:
        control->phase = CONTROL_FAILED;
        break;
    }
    return TIME_NEVER;
}
