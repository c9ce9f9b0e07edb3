// See gb_world.h: the dataplane's commands as control has them, with a look at those that make
// tunnels, for nobody else knows which TEID leads to whom.
#include "tests/control/gb_world.h"

#include <stdlib.h>
#include <string.h>

#include "control/export/board.h"
#include "control/run/contexts.h"

static struct world *world_of_calls;

// The dataplane's own function of that name.
static int64_t carry_out(const char *name, void *dp, const void *argument)
{
    uint32_t i = 0;
    while (strcmp(dp_calls[i].name, name) != 0)
        i++;
    return dp_calls[i].call(dp, argument);
}

static int64_t make_bvc(void *dp, const void *argument)
{
    const struct command_bvc *c = argument;
    int64_t done = carry_out("bvc", dp, argument);
    if (done >= 0)
        world_of_calls->bvc_nse[c->bvc_id] = c->nse_id;
    return done;
}

static int64_t make_ms(void *dp, const void *argument)
{
    const struct command_ms *c = argument;
    int64_t done = carry_out("ms", dp, argument);
    if (done >= 0) {
        world_of_calls->ms_bvc[c->ms_id] = c->bvc_id;
        world_of_calls->ms_tlli[c->ms_id] = c->tlli;
    }
    return done;
}

static int64_t make_pdp(void *dp, const void *argument)
{
    struct world *w = world_of_calls;
    const struct command_pdp *c = argument;
    int64_t done = carry_out("pdp", dp, argument);
    if (done >= 0)
        w->tunnel[c->pdp_id] = (struct world_tunnel){
            (uint32_t)done, w->bvc_nse[w->ms_bvc[c->ms_id]], w->ms_tlli[c->ms_id], c->nsapi, true};
    return done;
}

static int64_t remove_pdp(void *dp, const void *argument)
{
    const struct command_pdp_remove *c = argument;
    int64_t done = carry_out("pdp_remove", dp, argument);
    if (done >= 0)
        world_of_calls->tunnel[c->pdp_id].open = false;
    return done;
}

static int64_t nothing(void *target, const void *argument)
{
    (void)target, (void)argument;
    return 0;
}

static uint32_t used; // of copy_of's room

static struct field_call *copy_of(const struct field_call *calls, uint32_t n)
{
    static struct field_call room[128];
    if (used + n > sizeof room / sizeof room[0])
        abort();
    struct field_call *copy = room + used;
    used += n;
    memcpy(copy, calls, n * sizeof *calls);
    return copy;
}

static void lend_dp(struct world *world)
{
    static const struct {
        const char *name;
        int64_t (*call)(void *target, const void *argument);
    } watched[] = {
        {"bvc", make_bvc}, {"ms", make_ms}, {"pdp", make_pdp}, {"pdp_remove", remove_pdp}};
    struct field_call *calls = copy_of(dp_calls, dp_call_count);
    for (uint32_t i = 0; i < dp_call_count; i++)
        for (size_t j = 0; j < sizeof watched / sizeof watched[0]; j++)
            if (strcmp(calls[i].name, watched[j].name) == 0)
                calls[i].call = watched[j].call;
    bind_add_calls(world->control.lua, "dp", calls, dp_call_count, world->dp);
}

// Who would list the contexts is told as ever, and is nobody.
static void lend_nobody(struct world *world, const char *name, const struct field_call *of,
                        uint32_t n)
{
    struct field_call *calls = copy_of(of, n);
    for (uint32_t i = 0; i < n; i++)
        calls[i].call = nothing;
    bind_add_calls(world->control.lua, name, calls, n, NULL);
}

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void world_lend_calls(struct world *world)
{
    used = 0; // an earlier world is gone, with its calls
    const struct dp_config *c = &world->load.dp;
    world_of_calls = world;
    world->tunnel = need(calloc(c->pdps, sizeof *world->tunnel));
    world->bvc_nse = need(calloc(c->bvcs, sizeof *world->bvc_nse));
    world->ms_bvc = need(calloc(c->mss, sizeof *world->ms_bvc));
    world->ms_tlli = need(calloc(c->mss, sizeof *world->ms_tlli));
    lend_dp(world);
    bind_add_find(world->control.lua, world->dp);
    bind_add_calls(world->control.lua, "lab", NULL, 0, NULL); // as in real time
    bind_add_calls(world->control.lua, "board", board_calls, board_call_count, world->board);
    lend_nobody(world, "contexts", contexts_calls, contexts_call_count);
}
