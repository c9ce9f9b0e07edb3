// See control.h.
#include "control/control.h"

#include "control/bind/host.h"
#include "dataplane/base/units.h"

#define EVENTS_A_POLL 64

void control_start(struct control *control, struct dp *dp)
{
    control->dp = dp;
    control->phase = CONTROL_STARTING;
    host_task(control->host, "start");
}

// True if there may be more of them. An event is for the procedures: the Lua function
// sluice.setup.event, which has a table of it. Until there is one it is counted and given back.
static bool take_events(struct control *control)
{
    struct event event;
    for (int i = 0; i < EVENTS_A_POLL; i++) {
        if (!dp_event(control->dp, &event))
            return false;
        control->events[event.kind]++;
        host_event(control->host, &event);
        dp_event_done(control->dp, &event);
    }
    return true;
}

uint64_t control_poll(struct control *control, uint64_t now_ns)
{
    uint64_t next_ns = take_events(control) ? now_ns : TIME_NEVER;
    if (control->phase != CONTROL_STARTING)
        return next_ns;
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
    return next_ns;
}
