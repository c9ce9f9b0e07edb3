// See gb_world.h: what can be looked at, and done to control from outside.
#include "tests/control/gb_world.h"

#include <inttypes.h>
#include <string.h>

#include "control/bind/internal.h"
#include "control/plane/counts.h"
#include "dataplane/wire/wire.h"

void world_tunnels(struct world *world, char *arguments)
{
    (void)arguments;
    for (uint32_t i = 0; i < world->load.dp.pdps; i++) {
        const struct world_tunnel *t = &world->tunnel[i];
        if (t->open)
            printf("tunnel %u %u %u %u %u\n", t->nse_id, t->tlli, t->nsapi, t->teid, i);
    }
    printf("ok\n");
}

static void put_scope(uint32_t worker, enum stats_scope scope, const char *name, const void *of)
{
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        const struct stats_counter *c = &stats_counters[i];
        uint64_t value = *(const uint64_t *)((const char *)of + c->offset);
        if (c->scope == scope)
            printf("stat %u %s %s %" PRIu64 "\n", worker, name, c->name, value);
    }
}

static void put_drops(uint32_t worker, const char *name, const struct stats_drop drop[DROP_COUNT])
{
    for (int d = 0; d < DROP_COUNT; d++)
        printf("stat %u %s drop_%s %" PRIu64 "\n", worker, name, stats_drop_names[d],
               drop[d].packets);
}

static void put_worker(uint32_t w, const struct dp_worker *worker)
{
    const struct stats_worker *s = dp_stats(worker);
    put_scope(w, STATS_SCOPE_WORKER, "worker", s);
    put_scope(w, STATS_SCOPE_UP, "up", &s->up);
    put_drops(w, "up", s->up.drop);
    for (int side = 0; side < STATS_SIDES; side++) {
        put_scope(w, STATS_SCOPE_PORT, stats_side_names[side], &s->of_port[side]);
        put_drops(w, stats_side_names[side], s->of_port[side].drop);
    }
    for (int c = 0; c < CLASS_COUNT; c++) {
        put_scope(w, STATS_SCOPE_CLASS, class_names[c], &s->of_class[c]);
        put_drops(w, class_names[c], s->of_class[c].drop);
    }
    printf("stat %u worker queued %" PRIu64 "\n", w, dp_queued(worker).packets);
}

void world_stats(struct world *world, char *arguments)
{
    (void)arguments;
    for (uint32_t w = 0; w < world->load.dp.workers; w++)
        put_worker(w, dp_worker(world->dp, w));
    printf("ok\n");
}

static void put_count(const char *way, const char *name, uint64_t value)
{
    printf("count %s %s %" PRIu64 "\n", way, name, value);
}

void world_counts(struct world *world, char *arguments)
{
    const struct counts *counts = bind_counts(world->control.lua);
    (void)arguments;
    for (int i = 0; i < COUNT_COUNT; i++)
        put_count("what", count_descriptions[i].name, counts->count[i]);
    for (int i = 0; i < GAUGE_COUNT; i++)
        put_count("now", count_gauges[i].name, counts->gauge[i]);
    for (int i = 0; i < COUNTS_PDUS; i++) {
        put_count("in", wire_pdus[i].name, counts->pdu_in[i]);
        put_count("out", wire_pdus[i].name, counts->pdu_out[i]);
    }
    for (int i = 0; i < EVENT_COUNT; i++)
        put_count("event", state_event_names[i], world->control.events[i]);
    printf("ok\n");
}

// A debug view of the procedures' own state: require "sluice.core.network" and the like. A test
// that can see the same on the wire looks there.
void world_lua(struct world *world, char *arguments)
{
    lua_State *L = world->control.lua->L;
    if (!L || world->control.phase == CONTROL_DEAD) {
        printf("error its Lua has ended\n");
        return;
    }
    if (luaL_loadstring(L, arguments) != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
        printf("error %s\n", luaL_tolstring(L, -1, NULL));
    else
        printf("value %s\nok\n", luaL_tolstring(L, -1, NULL));
    lua_pop(L, 2);
}

void world_memory(struct world *world, char *arguments)
{
    (void)arguments;
    printf("ok %zu\n", world->control.lua->used);
}

void world_used(struct world *world, char *arguments)
{
    (void)arguments;
    printf("ok %" PRIu64 "\n", world->control_ns);
}

void world_kill(struct world *world, char *arguments)
{
    control_kill(&world->control, arguments);
    printf("ok\n");
}
