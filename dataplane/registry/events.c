// See registry.h: what workers tell, which may be late.
#include "dataplane/registry/parts.h"

// Whether the worker that has the MS had come to a count of the MS's when it wrote the event.
static bool had_come_to(const struct registry *r, const struct event *e, uint32_t count)
{
    uint64_t sent = r->worker[e->worker].sent;
    return (uint32_t)sent - count >= sent - e->commands;
}

// What the worker means by an id is what it is now. An MS that has gone to another worker since, or
// come back, counts as another: what is late of it is not put down to anybody.
static bool is_still(const struct event *event, bool made, uint32_t worker, uint64_t since)
{
    return made && worker == event->worker && since <= event->commands;
}

#define CLEAR_FORMER(noun, id, worker)                                                          \
    if (e->id != EVENT_NONE && !is_still(e, r->noun[e->id].made, worker, r->noun[e->id].since)) \
        e->id = EVENT_NONE;

static bool is_still_ms(const struct registry *r, const struct event *e)
{
    const struct registry_ms *ms = &r->ms[e->ms_id];
    return ms->made && dp_at_worker(ms->at) == e->worker && had_come_to(r, e, ms->since);
}

static void clear_former(const struct registry *r, struct event *e)
{
    CLEAR_FORMER(nsvc, nsvc_id, r->nse[r->nsvc[e->nsvc_id].nse].worker)
    CLEAR_FORMER(nse, nse_id, r->nse[e->nse_id].worker)
    CLEAR_FORMER(bvc, bvc_id, registry_worker_of_bvc(r, e->bvc_id))
    if (e->kind == EVENT_moved)
        CLEAR_FORMER(bvc, old_bvc_id, registry_worker_of_bvc(r, e->old_bvc_id))
    if (e->ms_id != EVENT_NONE && !is_still_ms(r, e))
        e->ms_id = EVENT_NONE;
}

void registry_note_event(struct registry *r, struct event *event)
{
    struct registry_worker *worker = &r->worker[event->worker];
    if (event->commands > worker->heard) // one that had to wait for its turn is older
        worker->heard = event->commands;
    clear_former(r, event);
    if (event->ms_id == EVENT_NONE)
        return;
    const struct registry_ms *ms = &r->ms[event->ms_id];
    // What control has said of that MS since then is the later word. A cell that has gone since the
    // MS came into it has gone without it: where it went, a later event says.
    if (event->kind == EVENT_moved && event->bvc_id != EVENT_NONE &&
        had_come_to(r, event, ms->said))
        registry_ms_moved(r, event->ms_id, event->bvc_id);
    if (event->kind == EVENT_page && !had_come_to(r, event, ms->heard))
        event->ms_id = EVENT_NONE;
}

// ---- How far it has come ----

uint64_t registry_carried_out(const struct registry *r, uint32_t worker)
{
    return __atomic_load_n(r->worker[worker].carried_out, __ATOMIC_ACQUIRE);
}

bool registry_settled(const struct registry *r)
{
    for (uint32_t w = 0; w < r->workers; w++)
        if (registry_carried_out(r, w) != r->worker[w].sent)
            return false;
    return true;
}

void registry_note_silence(struct registry *r, uint32_t worker, uint64_t carried_out)
{
    r->worker[worker].heard = carried_out;
}
