// See control.h.
#include "control/control.h"

#include "control/bind/host.h"
#include "dataplane/base/units.h"

void control_start(struct control *control)
{
    control->phase = CONTROL_STARTING;
    host_task(control->host, "start");
}

uint64_t control_poll(struct control *control, uint64_t now_ns)
{
    if (control->phase != CONTROL_STARTING)
        return TIME_NEVER;
    switch (host_task_step(control->host)) {
    case HOST_WAITS:
        return now_ns; // the command ring is full until the worker has been called
    case HOST_DONE:
        control->phase = CONTROL_UP;
        return now_ns; // what it sent last is still to be carried out
    case HOST_FAILED:
        control->phase = CONTROL_FAILED;
        break;
    }
    return TIME_NEVER;
}
