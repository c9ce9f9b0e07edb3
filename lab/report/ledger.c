// See ledger.h: packets, and the check of all counts against the entries. Groups and places are in
// ledger_setup.c.
#include "lab/report/ledger.h"

#include <assert.h>
#include <stdlib.h>

#include "lab/engine/need.h"

static uint64_t key_of(struct ledger_key key)
{
    return underway_key(key.context, key.way, key.id);
}

static void count(struct ledger_count *of, uint32_t octets)
{
    of->packets++;
    of->octets += octets;
}

// The tallies that a packet counts in: those of its groups, of their steps and of their batches.
struct tallies {
    struct ledger_tally *of[3 * LEDGER_KINDS];
    uint32_t n;
};

// LEDGER_NO_FLOW: none.
static uint32_t group_of(const struct ledger *l, const struct underway_entry *e, int kind)
{
    uint32_t ms = l->context[underway_context(e->key)].ms;
    const uint32_t index[LEDGER_KINDS] = {e->traffic_class, e->cell, ms, e->flow};
    return index[kind];
}

static struct tallies tallies_of(struct ledger *l, const struct underway_entry *e)
{
    unsigned way = underway_way(e->key);
    struct tallies t = {.n = 0};
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        uint32_t index = group_of(l, e, kind);
        if (index == LEDGER_NO_FLOW)
            continue;
        struct ledger_group *group = &l->groups[kind].group[index];
        t.of[t.n++] = &group->of[way];
        if (kind != LEDGER_MS)
            t.of[t.n++] = &group->step[way];
        if (group->batch)
            t.of[t.n++] = &group->batch[way];
    }
    return t;
}

// The rows of losses grow by one now and then, no faster than reasons are met.
static void count_loss(struct ledger_tally *t, uint32_t reason, uint32_t octets)
{
    uint32_t i = 0;
    while (i < t->losses && t->loss[i].reason != reason)
        i++;
    if (i == t->loss_room) {
        t->loss_room = t->loss_room ? 2 * t->loss_room : 2;
        t->loss = need(realloc(t->loss, t->loss_room * sizeof *t->loss));
    }
    if (i == t->losses)
        t->loss[t->losses++] = (struct ledger_loss){.reason = reason};
    count(&t->loss[i].count, octets);
    count(&t->lost, octets);
}

static bool is_known(const struct ledger *l, uint32_t context, uint32_t flow)
{
    return context < l->contexts && (flow == LEDGER_NO_FLOW || flow < l->groups[LEDGER_FLOW].count);
}

void ledger_sent(struct ledger *l, struct ledger_key key, uint32_t octets, uint32_t flow, bool ect,
                 uint64_t now_ns)
{
    assert(octets <= UINT16_MAX);
    if (!is_known(l, key.context, flow)) {
        l->faults[LEDGER_FAULT_owner]++;
        return;
    }
    struct underway_entry *e = underway_add(&l->underway, key_of(key));
    if (!e) {
        l->faults[LEDGER_FAULT_id_in_use]++;
        return;
    }
    const struct ledger_context *context = &l->context[key.context];
    e->sent_ns = now_ns;
    e->flow = flow;
    e->cell = l->groups[LEDGER_MS].group[context->ms].above;
    e->octets = (uint16_t)octets;
    e->traffic_class = context->traffic_class;
    e->ect = ect;
    struct tallies t = tallies_of(l, e);
    for (uint32_t i = 0; i < t.n; i++)
        count(&t.of[i]->sent, octets);
}

// Takes the entry out; false: it is not there, which is a fault.
static bool end(struct ledger *l, struct ledger_key key, uint64_t now_ns, struct underway_entry *e)
{
    struct underway_entry *found = underway_find(&l->underway, key_of(key));
    if (!found) {
        l->faults[LEDGER_FAULT_unknown]++;
        return false;
    }
    *e = *found;
    underway_remove(&l->underway, found);
    if (now_ns < e->sent_ns)
        l->faults[LEDGER_FAULT_before_sent]++;
    return true;
}

void ledger_delivered(struct ledger *l, struct ledger_key key, uint32_t octets, bool ce,
                      uint64_t now_ns)
{
    struct underway_entry e;
    if (!end(l, key, now_ns, &e))
        return;
    l->faults[LEDGER_FAULT_octets] += octets != e.octets;
    l->faults[LEDGER_FAULT_ce] += ce && !e.ect;
    struct tallies t = tallies_of(l, &e);
    for (uint32_t i = 0; i < t.n; i++) {
        count(&t.of[i]->delivered, e.octets);
        if (ce)
            count(&t.of[i]->marked, e.octets);
        delays_add(&t.of[i]->delay, now_ns < e.sent_ns ? 0 : now_ns - e.sent_ns);
    }
}

void ledger_lost(struct ledger *l, struct ledger_key key, uint32_t reason, uint64_t now_ns)
{
    struct underway_entry e;
    if (reason >= l->reasons) { // the packet stays under way
        l->faults[LEDGER_FAULT_reason]++;
        return;
    }
    if (!end(l, key, now_ns, &e))
        return;
    struct tallies t = tallies_of(l, &e);
    for (uint32_t i = 0; i < t.n; i++)
        count_loss(t.of[i], reason, e.octets);
}

bool ledger_is_under_way(const struct ledger *l, struct ledger_key key)
{
    return underway_find(&l->underway, key_of(key)) != NULL;
}

static void clear(struct ledger_tally *t)
{
    t->sent = t->delivered = t->lost = t->marked = (struct ledger_count){0};
    t->losses = 0;
    delays_clear(&t->delay);
}

static void add(struct ledger_count *sum, const struct ledger_count *more)
{
    sum->packets += more->packets;
    sum->octets += more->octets;
}

void ledger_mark(struct ledger *l)
{
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        for (uint32_t i = 0; i < l->groups[kind].count; i++)
            for (int way = 0; way < LEDGER_WAYS; way++) {
                struct ledger_tally *t = &l->groups[kind].group[i].of[way];
                add(&t->before.sent, &t->sent);
                add(&t->before.delivered, &t->delivered);
                add(&t->before.lost, &t->lost);
                clear(t);
            }
}

void ledger_batch(struct ledger *l)
{
    static const enum ledger_kind kinds[] = {LEDGER_CLASS, LEDGER_FLOW};
    l->batches = true;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < l->groups[kinds[k]].count; i++) {
            struct ledger_group *group = &l->groups[kinds[k]].group[i];
            if (!group->batch)
                group->batch = need(calloc(LEDGER_WAYS, sizeof *group->batch));
            for (int way = 0; way < LEDGER_WAYS; way++) {
                clear(&group->batch[way]);
                group->batch[way].before.sent = ledger_under_way(&group->of[way]);
            }
        }
}

void ledger_step(struct ledger *l)
{
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        for (uint32_t i = 0; i < l->groups[kind].count; i++)
            for (int way = 0; way < LEDGER_WAYS; way++)
                clear(&l->groups[kind].group[i].step[way]);
}

// ---- The check ----

struct ledger_count ledger_begun(const struct ledger_tally *t)
{
    const struct ledger_before *b = &t->before;
    return (struct ledger_count){b->sent.packets - b->delivered.packets - b->lost.packets,
                                 b->sent.octets - b->delivered.octets - b->lost.octets};
}

struct ledger_count ledger_under_way(const struct ledger_tally *t)
{
    struct ledger_count begun = ledger_begun(t);
    return (struct ledger_count){
        begun.packets + t->sent.packets - t->delivered.packets - t->lost.packets,
        begun.octets + t->sent.octets - t->delivered.octets - t->lost.octets};
}

bool ledger_has(const struct ledger_tally *t)
{
    return ledger_begun(t).packets + t->sent.packets > 0;
}

// What is left of a group's packets under way when its entries are taken off; 0 if all is right.
typedef struct ledger_count left_of_ways[LEDGER_WAYS];

static left_of_ways *left_of(const struct ledger_groups *g)
{
    left_of_ways *left = need(calloc(g->count + 1, sizeof *left));
    for (uint32_t i = 0; i < g->count; i++)
        for (int way = 0; way < LEDGER_WAYS; way++)
            left[i][way] = ledger_under_way(&g->group[i].of[way]);
    return left;
}

static bool kind_is_right(const struct ledger *l, int kind)
{
    const struct ledger_groups *g = &l->groups[kind];
    left_of_ways *left = left_of(g);
    bool right = true;
    for (uint32_t i = 0; i < l->underway.slots; i++) {
        const struct underway_entry *e = &l->underway.slot[i];
        uint32_t group = e->key ? group_of(l, e, kind) : LEDGER_NO_FLOW;
        if (group == LEDGER_NO_FLOW)
            continue;
        left[group][underway_way(e->key)].packets--;
        left[group][underway_way(e->key)].octets -= e->octets;
    }
    for (uint32_t i = 0; i < g->count; i++)
        for (int way = 0; way < LEDGER_WAYS; way++)
            right &= left[i][way].packets == 0 && left[i][way].octets == 0;
    free(left);
    return right;
}

bool ledger_sound(const struct ledger *l)
{
    bool sound = true;
    for (int i = 0; i < LEDGER_FAULT_COUNT; i++)
        sound &= l->faults[i] == 0;
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        sound &= kind_is_right(l, kind);
    return sound;
}
