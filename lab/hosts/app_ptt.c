// See app_ptt.h. Who is alone is a group of one. The group's timer is that of the burst: a packet
// at its begin and at each interval, then silence, then the next speaker, who is drawn.
#include "lab/hosts/app_ptt.h"

#include <stdlib.h>

#include "lab/engine/need.h"

#define HOST_PORT 49154

struct app_ptt {
    struct app_datagram datagram;
    struct app_ptt_config config;
    struct ptt_group *group;
    struct app_ptt *next; // member
};

struct ptt_group {
    struct app_world *world;
    struct app_ptt_config config;
    struct draw talk, silence;
    struct rng rng;
    struct engine_timer timer;
    struct app_ptt *first, *speaker;
    uint32_t members;
    uint64_t packets_left; // of the burst
};

static const struct field app_ptt_fields[] = FIELD_KEYS_TABLE(app_ptt_config, APP_PTT_FIELDS);
const struct field_record app_ptt_config_record = FIELD_RECORD_OF(app_ptt_config, app_ptt_fields);

static const char *ptt_fault(const void *config)
{
    const struct app_ptt_config *c = config;
    struct draw talk = DRAW_OF(c, talk_ns), silence = DRAW_OF(c, silence_ns);
    const char *fault = draw_key_fault(&talk, "talk");
    return fault || !c->silence_ns ? fault : draw_key_fault(&silence, "silence");
}

// A member that leaves amid its burst ends it.
static void begin_burst(struct ptt_group *group)
{
    const struct app_ptt_config *c = &group->config;
    uint64_t talk_ns = draw_next(&group->talk, &group->rng);
    uint32_t speaker = (uint32_t)rng_below(&group->rng, group->members);
    group->speaker = group->first;
    while (speaker--)
        group->speaker = group->speaker->next;
    group->packets_left = (talk_ns + c->interval_ns - 1) / c->interval_ns;
    group->packets_left += group->packets_left == 0;
}

static void ptt_talk(void *self, uint64_t now_ns)
{
    struct ptt_group *group = self;
    const struct app_ptt_config *c = &group->config;
    if (!group->packets_left)
        begin_burst(group);
    bool alone = c->group == 0;
    app_datagram_send(&group->speaker->datagram.app, alone ? app_sender(c->way) : FLOW_MS,
                      (uint32_t)c->packet_octets, now_ns);
    uint64_t next_ns = now_ns + c->interval_ns;
    if (--group->packets_left == 0)
        next_ns += c->silence_ns ? draw_next(&group->silence, &group->rng) : 0;
    engine_set(group->world->engine, &group->timer, next_ns);
}

// At the server: to all others.
static void ptt_received(struct app *app, enum flow_end at, uint64_t octets, uint64_t now_ns)
{
    struct app_ptt *ptt = (struct app_ptt *)app;
    if (at != FLOW_HOST || !ptt->group || ptt->config.group == 0)
        return;
    for (struct app_ptt *m = ptt->group->first; m; m = m->next)
        if (m != ptt)
            app_datagram_send(&m->datagram.app, FLOW_HOST, (uint32_t)octets + APP_DATAGRAM_HEADERS,
                              now_ns);
}

static struct ptt_group *make_group(struct app_ptt *ptt)
{
    const struct app_place *place = &ptt->datagram.app.place;
    struct ptt_group *group = need(calloc(1, sizeof *group));
    group->world = place->world;
    group->config = ptt->config;
    group->talk = DRAW_OF(&group->config, talk_ns);
    group->silence = DRAW_OF(&group->config, silence_ns);
    group->rng = ptt->datagram.app.rng;
    engine_timer_init(&group->timer, ptt_talk, group);
    if (ptt->config.group)
        map_add(&place->world->ptt_groups, ptt->config.group, group);
    return group;
}

// The newest member is the last. A group begins to talk after a silence, so that not all do at
// once.
static void ptt_start(struct app *app, uint64_t now_ns)
{
    struct app_ptt *ptt = (struct app_ptt *)app;
    struct app_world *world = app->place.world;
    app_datagram_open(app, HOST_PORT, ptt->config.ect, now_ns);
    ptt->datagram.received = ptt_received;
    struct ptt_group *group =
        ptt->config.group ? map_find(&world->ptt_groups, ptt->config.group) : NULL;
    ptt->group = group = group ? group : make_group(ptt);
    struct app_ptt **end = &group->first;
    while (*end)
        end = &(*end)->next;
    *end = ptt;
    uint64_t silence_ns = group->config.silence_ns + group->config.interval_ns;
    if (group->members++ == 0)
        engine_set(world->engine, &group->timer, now_ns + rng_below(&group->rng, silence_ns));
}

static void free_group(struct ptt_group *group)
{
    engine_cancel(group->world->engine, &group->timer);
    if (group->config.group)
        map_remove(&group->world->ptt_groups, group->config.group);
    free(group);
}

static void leave(struct app_ptt *ptt)
{
    struct ptt_group *group = ptt->group;
    if (!group)
        return;
    struct app_ptt **at = &group->first;
    while (*at != ptt)
        at = &(*at)->next;
    *at = ptt->next;
    ptt->next = NULL;
    ptt->group = NULL;
    if (group->speaker == ptt)
        group->packets_left = 0;
    if (--group->members == 0)
        free_group(group);
}

static void ptt_stop(struct app *app, uint64_t now_ns)
{
    (void)now_ns;
    leave((struct app_ptt *)app);
}

static void ptt_fire(struct app *app, uint64_t now_ns)
{
    (void)app, (void)now_ns; // the group has the timer
}

static void ptt_release(struct app *app)
{
    leave((struct app_ptt *)app);
}

const struct app_kind app_ptt_kind = {
    .name = "ptt",
    .help = "push-to-talk: bursts of voice frames and silence, alone or in a group",
    .config = &app_ptt_config_record,
    .octets = sizeof(struct app_ptt),
    .config_at = offsetof(struct app_ptt, config),
    .fault = ptt_fault,
    .start = ptt_start,
    .fire = ptt_fire,
    .stop = ptt_stop,
    .release = ptt_release,
};
