// See app.h.
#include "lab/hosts/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/hosts/app_dialogue.h"
#include "lab/hosts/app_ptt.h"
#include "lab/hosts/app_replay.h"

#define STREAM_BEGINS (3ULL << 40) // lab_gn.c and lab_gb.c have those before

#define APP(name) extern const struct app_kind app_##name##_kind;
#include "lab/hosts/apps.def"
#undef APP

const struct app_kind *const app_kinds[] = {
#define APP(name) &app_##name##_kind,
#include "lab/hosts/apps.def"
#undef APP
};
const uint32_t app_kind_count = sizeof app_kinds / sizeof app_kinds[0];

const char *const app_record_names[APP_RECORDS] = {
#define APP_RECORD(name, help) #name,
#include "lab/hosts/app_records.def"
#undef APP_RECORD
};

void app_world_setup(struct app_world *world, struct flow_table *table,
                     const struct app_owner *owner, uint64_t seed)
{
    *world =
        (struct app_world){.engine = table->engine, .table = table, .owner = *owner, .seed = seed};
}

void app_world_release(struct app_world *world)
{
    map_release(&world->ptt_groups);
    app_replay_free(world->replay_files);
    app_dialogue_free(world->dialogue_files);
    *world = (struct app_world){0};
}

static const struct app_span *span_of(const struct app *app)
{
    return (const void *)((const char *)app + app->kind->config_at);
}

static void app_fire(void *self, uint64_t now_ns)
{
    struct app *app = self;
    if (app->started) {
        app->kind->fire(app, now_ns);
        return;
    }
    app->started = true;
    app->kind->start(app, now_ns);
}

static void app_stop(void *self, uint64_t now_ns)
{
    struct app *app = self;
    engine_cancel(app->place.world->engine, &app->timer);
    if (app->started && app->kind->stop)
        app->kind->stop(app, now_ns);
}

struct app *app_create(const struct app_kind *kind, const void *config,
                       const struct app_place *place, char error[APP_ERROR_ROOM])
{
    const char *fault = kind->fault ? kind->fault(config) : NULL;
    if (fault) {
        snprintf(error, APP_ERROR_ROOM, "%s: %s", kind->name, fault);
        return NULL;
    }
    struct app *app = need(calloc(1, kind->octets));
    app->kind = kind;
    app->place = *place;
    memcpy((char *)app + kind->config_at, config, kind->config->octets);
    rng_seed(&app->rng, place->world->seed, place->stream);
    engine_timer_init(&app->timer, app_fire, app);
    engine_timer_init(&app->stop, app_stop, app);
    if (kind->setup && !kind->setup(app, error)) {
        free(app);
        return NULL;
    }
    return app;
}

// Drawn from a stream of its own, so that no other draw of the run depends on the spread.
static uint64_t begin_ns(const struct app *app, uint64_t now_ns)
{
    const struct app_span *span = span_of(app);
    const struct app_place *place = &app->place;
    uint64_t first_ns = span->start_ns > now_ns ? span->start_ns : now_ns;
    struct rng rng;
    if (!span->spread_ns)
        return first_ns;
    rng_seed(&rng, place->world->seed, STREAM_BEGINS + place->stream);
    return first_ns + rng_below(&rng, span->spread_ns);
}

// The stop is set first: an application that would begin when it stops does nothing.
void app_start(struct app *app, uint64_t now_ns)
{
    const struct app_span *span = span_of(app);
    if (span->stop_ns)
        engine_set(app->place.world->engine, &app->stop, span->stop_ns);
    engine_set(app->place.world->engine, &app->timer, begin_ns(app, now_ns));
}

void app_destroy(struct app *app)
{
    engine_cancel(app->place.world->engine, &app->timer);
    engine_cancel(app->place.world->engine, &app->stop);
    if (app->kind->release)
        app->kind->release(app);
    free(app);
}

void app_wait(struct app *app, uint64_t t_ns)
{
    engine_set(app->place.world->engine, &app->timer, t_ns);
}

static void tally(struct app_tally *t, uint64_t octets, uint64_t time_ns)
{
    t->least_ns = t->n == 0 || time_ns < t->least_ns ? time_ns : t->least_ns;
    t->most_ns = time_ns > t->most_ns ? time_ns : t->most_ns;
    t->sum_ns += time_ns;
    t->octets += octets;
    t->n++;
}

void app_record(struct app *app, enum app_record what, uint64_t begin_ns, uint64_t octets,
                uint64_t now_ns)
{
    const struct app_owner *owner = &app->place.world->owner;
    if (begin_ns < app->place.world->mark_ns)
        return;
    tally(&app->figures.of[what], octets, now_ns - begin_ns);
    if (app->place.times)
        histogram_add(&app->place.times->of[what], now_ns - begin_ns);
    if (app->place.batch)
        histogram_add(&app->place.batch->of[what], now_ns - begin_ns);
    if (owner->record)
        owner->record(owner->self, app, what, begin_ns, octets, now_ns);
}

void app_mark(struct app *app)
{
    app->figures = (struct app_figures){0};
}

struct flow_config app_flow(const struct app *app, uint8_t protocol, uint16_t port)
{
    const struct app_place *p = &app->place;
    return (struct flow_config){.stream = p->stream,
                                .protocol = protocol,
                                .opener = FLOW_MS,
                                .address = {p->address[FLOW_HOST], p->address[FLOW_MS]},
                                .port = {[FLOW_HOST] = port},
                                .profile = {p->profile[FLOW_HOST], p->profile[FLOW_MS]}};
}
