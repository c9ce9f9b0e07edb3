// See registry.h: events from workers. An event may be older than the latest commands.
#include "dataplane/registry/parts.h"

// The worker had carried out command `count` (modulo 2^32, of an MS's record) before the event.
static bool had_come_to(const struct registry *r, const struct event *e, uint32_t count)
{
    uint64_t sent = r->worker[e->worker].sent;
    return (uint32_t)sent - count >= sent - e->commands;
}

// The id in the event has the same user as when the worker wrote the event. An MS that has left the
// worker since counts as another user, even if the MS came back: its late events lose the id.
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
    if (event->commands > worker->heard) // an event that waited for its turn is older
        worker->heard = event->commands;
    clear_former(r, event);
    if (event->ms_id == EVENT_NONE)
        return;
    const struct registry_ms *ms = &r->ms[event->ms_id];
    // A later command about the MS's cell overrides the move. If the new cell is removed already,
    // the MS has left that cell, and a later event names the MS's next cell.
    if (event->kind == EVENT_moved && event->bvc_id != EVENT_NONE &&
        had_come_to(r, event, ms->said))
        registry_ms_moved(r, event->ms_id, event->bvc_id);
    if (event->kind == EVENT_page && !had_come_to(r, event, ms->heard))
        event->ms_id = EVENT_NONE;
}

// ---- Progress of the workers ----

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
