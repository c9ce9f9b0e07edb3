// See dataplane.h: events on their way to control. Nothing here runs per packet. An event is taken
// off its worker's ring when control asks for the next one; or before that, while control waits for
// a worker and cannot ask, into memory of its own, so that neither the ring nor the port's buffers
// run out. What an event changes of control's picture it changes when control gets it.
#include <rte_ring_elem.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/dataplane_parts.h"

// How much of control's memory they may take; what comes then waits in the rings.
#define KEPT_OCTETS_MAX (16u << 20)

struct kept_event {
    struct kept_event *next;
    struct event event;
};

static bool dequeue(struct dp *dp, uint32_t worker, struct event *event)
{
    return rte_ring_sc_dequeue_elem(dp->worker[worker]->events, event, sizeof *event) == 0;
}

// ---- While control waits ----

static uint64_t octets_of(const struct event *event)
{
    return sizeof(struct kept_event) + event->pdu.n;
}

// The PDU out of its buffer; without memory it stays there.
static void copy_pdu(struct event *event)
{
    uint8_t *copy = event->buffer ? malloc(event->pdu.n) : NULL;
    if (!copy)
        return;
    memcpy(copy, event->pdu.at, event->pdu.n);
    packet_release(event->buffer);
    event->buffer = copy;
    event->pdu.at = copy;
    event->copied = true;
}

static void append(struct dp_events *events, struct kept_event *kept)
{
    kept->next = NULL;
    *(events->first ? &events->last->next : &events->first) = kept;
    events->last = kept;
    events->octets += octets_of(&kept->event);
}

// True: one of that worker's.
static bool keep_one(struct dp *dp, uint32_t worker)
{
    struct kept_event *kept = malloc(sizeof *kept);
    if (!kept || !dequeue(dp, worker, &kept->event)) {
        free(kept);
        return false;
    }
    copy_pdu(&kept->event);
    append(&dp->events, kept);
    return true;
}

void dp_events_keep(struct dp *dp)
{
    for (uint32_t w = 0; w < dp->workers; w++)
        while (dp->events.octets < KEPT_OCTETS_MAX && keep_one(dp, w))
            continue;
}

static bool take_kept(struct dp *dp, struct event *event)
{
    struct kept_event *kept = dp->events.first;
    if (!kept)
        return false;
    dp->events.first = kept->next;
    dp->events.octets -= octets_of(&kept->event);
    *event = kept->event;
    free(kept);
    commands_note_event(&dp->commands, event);
    return true;
}

// ---- One after the other ----

static bool take_of(struct dp *dp, uint32_t worker, struct event *event)
{
    struct commands *k = &dp->commands;
    if (commands_take_kept(k, worker, event))
        return true;
    uint64_t carried_out = commands_carried_out(k, worker);
    if (dequeue(dp, worker, event)) {
        commands_note_event(k, event);
        return true;
    }
    commands_note_silence(k, worker, carried_out);
    return commands_take_kept(k, worker, event);
}

// While control is still at those that it kept, the rings have what came behind them, and would be
// full before it gets there.
bool dp_event(struct dp *dp, struct event *event)
{
    if (take_kept(dp, event)) {
        if (dp->events.first)
            dp_events_keep(dp);
        return true;
    }
    for (uint32_t tried = 0; tried < dp->workers; tried++) {
        uint32_t worker = dp->next_event;
        dp->next_event = (dp->next_event + 1) % dp->workers;
        if (take_of(dp, worker, event))
            return true;
    }
    return false;
}

void dp_event_done(struct dp *dp, const struct event *event)
{
    (void)dp;
    if (event->copied)
        free(event->buffer);
    else if (event->buffer)
        packet_release(event->buffer);
}
