// See ledger.h: groups and places.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/report/ledger.h"

const char *const ledger_way_names[LEDGER_WAYS] = {"down", "up"};
const char *const ledger_kind_names[LEDGER_KINDS] = {"class", "cell", "ms", "flow"};

const char *const ledger_fault_helps[LEDGER_FAULT_COUNT] = {
#define LEDGER_FAULT(name, help) help,
    LEDGER_FAULTS(LEDGER_FAULT)
#undef LEDGER_FAULT
};

// Makes room for one more element.
static void *grown(void *array, uint32_t count, uint32_t *room, size_t octets)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    return need(realloc(array, *room * octets));
}

static uint32_t add_group(struct ledger *l, enum ledger_kind kind, const char *name, uint32_t above)
{
    struct ledger_groups *g = &l->groups[kind];
    g->group = grown(g->group, g->count, &g->room, sizeof *g->group);
    g->group[g->count] = (struct ledger_group){.name = need(strdup(name)), .above = above};
    if (l->batches && (kind == LEDGER_CLASS || kind == LEDGER_FLOW))
        g->group[g->count].batch = need(calloc(LEDGER_WAYS, sizeof(struct ledger_tally)));
    return g->count++;
}

void ledger_setup(struct ledger *l)
{
    *l = (struct ledger){0};
    for (int c = 0; c < CLASS_COUNT; c++)
        add_group(l, LEDGER_CLASS, class_names[c], 0);
}

static void release_tally(struct ledger_tally *t)
{
    free(t->loss);
    delays_release(&t->delay);
}

static void release_group(struct ledger_group *group)
{
    free(group->name);
    for (int way = 0; way < LEDGER_WAYS; way++) {
        release_tally(&group->of[way]);
        release_tally(&group->step[way]);
        if (group->batch)
            release_tally(&group->batch[way]);
    }
    free(group->batch);
}

void ledger_release(struct ledger *l)
{
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        for (uint32_t i = 0; i < l->groups[kind].count; i++)
            release_group(&l->groups[kind].group[i]);
        free(l->groups[kind].group);
    }
    free(l->context);
    underway_release(&l->underway);
    *l = (struct ledger){0};
}

uint32_t ledger_add_cell(struct ledger *l, const char *name)
{
    return add_group(l, LEDGER_CELL, name, 0);
}

uint32_t ledger_add_ms(struct ledger *l, const char *name, uint32_t cell)
{
    assert(cell < l->groups[LEDGER_CELL].count);
    return add_group(l, LEDGER_MS, name, cell);
}

uint32_t ledger_add_context(struct ledger *l, uint32_t ms, enum traffic_class traffic_class)
{
    assert(ms < l->groups[LEDGER_MS].count && traffic_class < CLASS_COUNT);
    l->context = grown(l->context, l->contexts, &l->contexts_room, sizeof *l->context);
    l->context[l->contexts] = (struct ledger_context){ms, (uint8_t)traffic_class};
    return l->contexts++;
}

uint32_t ledger_add_flow(struct ledger *l, const char *name, uint32_t context)
{
    assert(context < l->contexts);
    return add_group(l, LEDGER_FLOW, name, context);
}

uint32_t ledger_add_place(struct ledger *l, const struct ledger_place *place)
{
    assert(l->places < LEDGER_PLACES_MAX);
    uint32_t first = l->reasons;
    l->place[l->places++] = *place;
    l->reasons += place->count;
    return first;
}

const struct ledger_place *ledger_place_of(const struct ledger *l, uint32_t reason, uint32_t *own)
{
    const struct ledger_place *place = l->place;
    for (*own = reason; *own >= place->count; place++)
        *own -= place->count;
    return place;
}

void ledger_move(struct ledger *l, uint32_t ms, uint32_t cell)
{
    assert(ms < l->groups[LEDGER_MS].count && cell < l->groups[LEDGER_CELL].count);
    l->groups[LEDGER_MS].group[ms].above = cell;
}
