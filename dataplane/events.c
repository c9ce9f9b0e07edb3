// See dataplane.h: events on their way to control. Nothing here runs per packet. An event leaves
// its worker's ring when control asks for the next one; or earlier, while control waits for a
// worker and cannot ask, into control's memory, so that neither the ring nor the port's buffers run
// out. The command registry changes with an event only when control gets the event.
//
// Control gets events in order of arrival, except those of a turn that is used up in this round:
// they wait in memory, oldest first, until no other turn has any, or for every second event. A
// round ends when control has seen all that had come, so for an event that comes only one round
// counts. An NSE has two turns: one for what the BSS itself says (NS, BVCs, flow control), one for
// what its phones say (UL-UNITDATA). So a BSS that floods delays itself, and phones that flood do
// not delay the BSS's flow control. A GGSN with GTP-C has a turn of its own. PDUs beyond a turn's
// part of the memory are shed, and phones' PDUs that have waited PHONES_WAIT_NS: the phone has
// repeated them by then, or given up.
#include <rte_ring_elem.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/dataplane_parts.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

// The most of control's memory for events; further events wait in the rings.
#define KEPT_OCTETS_MAX (16u << 20)
// The most of it for the turns of all phones together.
#define PHONES_OCTETS_MAX (KEPT_OCTETS_MAX / 2)
#define PHONES_WAIT_NS    (5 * S_IN_NS)

// The most events of a turn in a round while other turns have some too.
#define EVENTS_A_TURN 16u

#define EVENT_OCTETS_MAX (sizeof(struct kept_event) + UINT16_MAX)
#define NO_TURN          UINT32_MAX

struct kept_event {
    struct kept_event *next;
    uint64_t since_ns;
    uint32_t turn;
    struct event event;
};

bool dp_events_setup(struct dp_events *events, uint32_t workers, uint32_t nses, uint32_t ggsns)
{
    *events = (struct dp_events){
        .strangers = nses, .ggsns = 2 * nses + 1, .ggsn_count = ggsns, .first_waiting = NO_TURN};
    events->turn = calloc(events->ggsns + (size_t)ggsns, sizeof *events->turn);
    events->moves = calloc(nses, sizeof *events->moves);
    events->gtpc = calloc(workers * (size_t)ggsns, sizeof *events->gtpc);
    return events->turn && events->moves && events->gtpc;
}

void dp_events_release(struct dp_events *events)
{
    free(events->turn);
    free(events->moves);
    free(events->gtpc);
}

// Off its worker's ring.
static bool dequeue(struct dp *dp, uint32_t worker, struct event *event)
{
    struct dp_events *events = &dp->events;
    if (rte_ring_sc_dequeue_elem(dp->worker[worker]->events, event, sizeof *event) != 0)
        return false;
    if (event->kind == EVENT_gtpc)
        __atomic_fetch_add(&events->gtpc[worker * events->ggsn_count + event->ggsn_id].taken, 1,
                           __ATOMIC_RELAXED);
    return true;
}

// ---- The turn of an event ----

static bool is_phones_turn(const struct dp_events *events, uint32_t turn)
{
    return turn > events->strangers && turn < events->ggsns;
}

// UL-UNITDATA: a PDU that a phone has caused.
static bool is_of_phone(const struct octets *pdu)
{
    return pdu->n > NS_UNITDATA_OCTETS && pdu->at[0] == NS_UNITDATA_TYPE &&
           pdu->at[NS_UNITDATA_OCTETS] == BSSGP_UL_UNITDATA_TYPE;
}

static uint32_t turn_of_ns(const struct dp_events *events, const struct event *event)
{
    if (event->nse_id >= events->strangers)
        return events->strangers;
    return event->nse_id + (is_of_phone(&event->pdu) ? events->strangers + 1 : 0);
}

// A phone in a cell of that NSE has sent what proved nothing.
static uint32_t turn_of_unproven(const struct dp *dp, const struct event *event)
{
    const struct registry_bvc *bvc = registry_made_bvc(&dp->registry, event->claimed_bvc_id);
    return dp->events.strangers + (bvc ? 1 + bvc->nse : 0);
}

// Events of the path about MSs and cells have no turn: they keep their place among all others, and
// are never shed, since the path does not repeat them. An MS is paged once and then heard once; the
// number of unread moves is bounded (event_put.h).
static uint32_t turn_of(const struct dp *dp, const struct event *event)
{
    const struct dp_events *events = &dp->events;
    switch ((enum event_kind)event->kind) {
    case EVENT_ns:
        return turn_of_ns(events, event);
    case EVENT_stranger:
    case EVENT_unlisted:
    case EVENT_unreachable:
    case EVENT_error_indication:
    case EVENT_gtpc_stranger:
        return events->strangers;
    case EVENT_gtpc:
        return events->ggsns + event->ggsn_id;
    case EVENT_unproven:
        return turn_of_unproven(dp, event);
    default:
        return NO_TURN;
    }
}

static bool has_turn_left(struct dp_events *events, uint32_t turn)
{
    struct events_turn *t = &events->turn[turn];
    if (t->round != events->round) {
        t->round = events->round;
        t->taken = 0;
    }
    return t->taken < EVENTS_A_TURN;
}

void dp_events_now(struct dp *dp, uint64_t now_ns)
{
    dp->events.now_ns = now_ns;
}

// ---- In control's memory ----

static uint64_t octets_of(const struct event *event)
{
    return sizeof(struct kept_event) + event->pdu.n;
}

// Copies the PDU out of its buffer; if memory is short the buffer is kept.
static void copy_pdu(struct event *event)
{
    uint8_t *copy = event->buffer && !event->copied ? malloc(event->pdu.n) : NULL;
    if (!copy)
        return;
    memcpy(copy, event->pdu.at, event->pdu.n);
    packet_release(event->buffer);
    event->buffer = copy;
    event->pdu.at = copy;
    event->copied = true;
}

static void append(struct events_list *list, struct kept_event *kept)
{
    kept->next = NULL;
    *(list->first ? &list->last->next : &list->first) = kept;
    list->last = kept;
}

static struct kept_event *take_first(struct events_list *list)
{
    struct kept_event *kept = list->first;
    list->first = kept->next;
    return kept;
}

// A turn may have half of the free memory, so that there is always room for another's events; a
// turn of phones half of what phones may have.
static bool has_room(const struct dp_events *events, uint32_t turn, uint64_t octets)
{
    uint64_t has = turn == NO_TURN ? 0 : events->turn[turn].octets;
    uint64_t all = KEPT_OCTETS_MAX - events->octets;
    uint64_t phones = PHONES_OCTETS_MAX - events->phones_octets;
    return has + octets <= (is_phones_turn(events, turn) && phones < all ? phones : all);
}

static void account(struct dp_events *events, const struct kept_event *kept, bool comes)
{
    uint64_t octets = comes ? octets_of(&kept->event) : -octets_of(&kept->event);
    events->octets += octets;
    if (is_phones_turn(events, kept->turn))
        events->phones_octets += octets;
    if (kept->turn != NO_TURN)
        events->turn[kept->turn].octets += octets;
}

// Counts a move as read by control (event_put.h).
static void note_taken(struct dp_events *events, const struct event *event)
{
    if (event->kind == EVENT_moved)
        __atomic_fetch_add(&events->moves[event->nse_id].taken, 1, __ATOMIC_RELAXED);
}

// NULL: no room, and the event is shed.
static struct kept_event *keep(struct dp *dp, struct event *event)
{
    struct dp_events *events = &dp->events;
    uint32_t turn = turn_of(dp, event);
    struct kept_event *kept =
        has_room(events, turn, octets_of(event)) ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        events->shed++;
        note_taken(events, event);
        dp_event_done(dp, event);
        return NULL;
    }
    *kept = (struct kept_event){.since_ns = events->now_ns, .turn = turn, .event = *event};
    copy_pdu(&kept->event);
    account(events, kept, true);
    return kept;
}

// Takes the event out and frees its record.
static void unkeep(struct dp_events *events, struct kept_event *kept, struct event *event)
{
    account(events, kept, false);
    *event = kept->event;
    free(kept);
}

// An event without a turn is never shed: it leaves its ring only if there is room for the largest.
void dp_events_keep(struct dp *dp)
{
    struct event event;
    for (uint32_t w = 0; w < dp->workers; w++)
        while (dp->events.octets < KEPT_OCTETS_MAX - EVENT_OCTETS_MAX && dequeue(dp, w, &event)) {
            struct kept_event *kept = keep(dp, &event);
            if (kept)
                append(&dp->events.in_order, kept);
        }
}

// ---- In order of arrival ----

static bool take_of(struct dp *dp, uint32_t worker, struct event *event)
{
    struct registry *r = &dp->registry;
    if (registry_take_kept(r, worker, event))
        return true;
    uint64_t carried_out = registry_carried_out(r, worker);
    if (dequeue(dp, worker, event))
        return true;
    registry_note_silence(r, worker, carried_out);
    return registry_take_kept(r, worker, event);
}

// The oldest event, of each worker in turn. While control still reads kept events, the rings hold
// later ones, and are emptied into memory too, or they would fill up.
static bool take_oldest(struct dp *dp, struct event *event)
{
    if (dp->events.in_order.first) {
        unkeep(&dp->events, take_first(&dp->events.in_order), event);
        if (dp->events.in_order.first)
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

// ---- In turns ----

static void wait_behind(struct dp_events *events, uint32_t turn)
{
    events->turn[turn].next = NO_TURN;
    if (events->first_waiting == NO_TURN)
        events->first_waiting = turn;
    else
        events->turn[events->last_waiting].next = turn;
    events->last_waiting = turn;
}

static void defer(struct dp *dp, uint32_t turn, struct event *event)
{
    struct events_turn *t = &dp->events.turn[turn];
    struct kept_event *kept = keep(dp, event);
    if (!kept)
        return;
    if (!t->list.first)
        wait_behind(&dp->events, turn);
    append(&t->list, kept);
}

static void shed_late(struct dp *dp, uint32_t turn)
{
    struct dp_events *events = &dp->events;
    struct events_list *list = &events->turn[turn].list;
    struct event event;
    while (list->first && events->now_ns >= list->first->since_ns + PHONES_WAIT_NS) {
        unkeep(events, take_first(list), &event);
        events->shed_late++;
        dp_event_done(dp, &event);
    }
}

static bool take_waiting(struct dp *dp, struct event *event)
{
    struct dp_events *events = &dp->events;
    bool taken = false;
    while (!taken && events->first_waiting != NO_TURN) {
        uint32_t turn = events->first_waiting;
        struct events_turn *t = &events->turn[turn];
        events->first_waiting = t->next;
        if (is_phones_turn(events, turn))
            shed_late(dp, turn);
        taken = t->list.first != NULL;
        if (taken)
            unkeep(events, take_first(&t->list), event);
        if (t->list.first)
            wait_behind(events, turn);
    }
    return taken;
}

// Defers events whose turn is used up. False: there is no other.
static bool take_in_order(struct dp *dp, struct event *event)
{
    for (uint32_t i = 0; i < DP_EVENT_RING; i++) {
        if (!take_oldest(dp, event)) {
            dp->events.round++;
            return false;
        }
        uint32_t turn = turn_of(dp, event);
        if (turn == NO_TURN)
            return true;
        if (!dp->events.turn[turn].list.first && has_turn_left(&dp->events, turn)) {
            dp->events.turn[turn].taken++;
            return true;
        }
        defer(dp, turn, event);
    }
    return false;
}

// Alternates between waiting events and events in order.
bool dp_event(struct dp *dp, struct event *event)
{
    struct dp_events *events = &dp->events;
    events->waiting_next = !events->waiting_next;
    bool taken = (events->waiting_next && take_waiting(dp, event)) || take_in_order(dp, event) ||
                 take_waiting(dp, event);
    if (taken)
        note_taken(events, event);
    if (taken && event->kind != EVENT_bvc_kept) // which the worker did not send
        registry_note_event(&dp->registry, event);
    return taken;
}

uint64_t dp_events_shed(const struct dp *dp)
{
    return dp->events.shed;
}

uint64_t dp_events_shed_late(const struct dp *dp)
{
    return dp->events.shed_late;
}

void dp_event_done(struct dp *dp, const struct event *event)
{
    (void)dp;
    if (event->copied)
        free(event->buffer);
    else if (event->buffer)
        packet_release(event->buffer);
}
