// See control.h.
#include "control/plane/control.h"

#include <pthread.h>
#include <string.h>

#include "control/plane/counts.h"
#include "dataplane/base/units.h"

#define EVENTS_A_POLL 64

static pthread_mutex_t hook_fault_lock = PTHREAD_MUTEX_INITIALIZER;

// The memory that Lua may take after the start: more is an error in the procedures or the user's
// policy, and must end Lua, not the traffic.
#define LUA_GROWTH_OCTETS (1ULL << 30)

static const char LUA_ENDED[] = "internal error, Lua has ended; restart sluice";

// The live view's threads read the phase.
static void set_phase(struct control *control, enum control_phase phase)
{
    __atomic_store_n(&control->phase, phase, __ATOMIC_RELAXED);
}

void control_start(struct control *control, const struct procedures *procedures, struct dp *dp)
{
    control->procedures = procedures;
    control->dp = dp;
    set_phase(control, CONTROL_STARTING);
    control->next_ns = 0;
    mailbox_begin(&control->mailbox);
    procedures->begin(control->lua, control);
}

void control_stop(struct control *control)
{
    if (control->dp)
        mailbox_end(&control->mailbox);
}

static const struct event *take(struct control *control)
{
    control_event_done(control);
    if (!dp_event(control->dp, &control->event))
        return NULL;
    counts_add(&control->events[control->event.kind], 1);
    return &control->event;
}

const struct event *control_event(struct control *control)
{
    return control->ended && *control->ended ? NULL : take(control);
}

void control_event_done(struct control *control)
{
    dp_event_done(control->dp, &control->event);
    control->event.buffer = NULL;
}

// Without Lua: counts and releases events. Returns true if there may be more.
static bool drain(struct control *control)
{
    for (int i = 0; i < EVENTS_A_POLL; i++) {
        if (!take(control))
            return false;
        control_event_done(control);
    }
    return true;
}

static void end_lua(struct control *control)
{
    bool up = control->phase == CONTROL_UP;
    set_phase(control, up ? CONTROL_DEAD : CONTROL_FAILED);
    if (up)
        log_put(
            &control->log, LOG_ERROR, control->now_ns,
            "internal error, Lua has ended; traffic goes on without signalling; restart sluice");
    control_event_done(control); // the event and the request that Lua was handling, if any
    mailbox_answer(&control->mailbox, false, LUA_ENDED);
}

static bool lives(const struct control *control)
{
    return control->phase == CONTROL_STARTING || control->phase == CONTROL_UP;
}

void control_kill(struct control *control, const char *why)
{
    if (!lives(control))
        return;
    log_put(&control->log, LOG_ERROR, control->now_ns, why);
    control->procedures->end(control->lua);
    end_lua(control);
}

static uint64_t step(struct control *control, uint64_t now_ns)
{
    switch (control->procedures->step(control->lua, now_ns, &control->next_ns)) {
    case PROCEDURES_WAIT: // a command ring is full until its worker polls
        dp_events_keep(control->dp);
        return now_ns;
    case PROCEDURES_IDLE:
        if (control->phase == CONTROL_STARTING) {
            set_phase(control, CONTROL_UP);
            control->procedures->limit_growth(control->lua, LUA_GROWTH_OCTETS);
            return now_ns; // workers have yet to apply the last commands
        }
        return control->next_ns;
    case PROCEDURES_FAILED:
        break;
    }
    end_lua(control);
    return now_ns;
}

uint64_t control_poll(struct control *control, uint64_t now_ns)
{
    control->now_ns = now_ns;
    if (lives(control))
        return step(control, now_ns);
    const char *question = mailbox_take(&control->mailbox);
    if (question)
        mailbox_answer(&control->mailbox, false, LUA_ENDED);
    return drain(control) ? now_ns : TIME_NEVER;
}

void control_note_hook_fault(struct control *control, const char *text)
{
    pthread_mutex_lock(&hook_fault_lock);
    snprintf(control->hook_fault, sizeof control->hook_fault, "%s", text);
    pthread_mutex_unlock(&hook_fault_lock);
}

void control_hook_fault(const struct control *control, char text[CONTROL_HOOK_FAULT_OCTETS])
{
    pthread_mutex_lock(&hook_fault_lock);
    memcpy(text, control->hook_fault, CONTROL_HOOK_FAULT_OCTETS);
    pthread_mutex_unlock(&hook_fault_lock);
}

void control_finish(struct control *control)
{
    while (drain(control)) {
    }
}

int control_request(struct control *control, const char *question, char *answer, size_t octets,
                    uint32_t timeout_ms)
{
    return mailbox_ask(&control->mailbox, question, answer, octets, timeout_ms);
}

bool control_post(struct control *control, const char *question)
{
    return mailbox_post(&control->mailbox, question);
}
