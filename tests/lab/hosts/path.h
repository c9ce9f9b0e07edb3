// Hosts and MSs with a link for each direction between them, in place of all that is in between in
// a run. The books are held against each other at every packet: what the ends sent is what the
// links took, and what came out of the links is what the ends took or refused.
#ifndef TESTS_LAB_HOSTS_PATH_H
#define TESTS_LAB_HOSTS_PATH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/hosts/app.h"
#include "lab/net/link.h"

#define PATH_HOST      0xcb007109u // 203.0.113.9
#define PATH_MS        0x0a000007u
#define PATH_SENT_MOST 200000
#define PATH_APPS_MOST 1000

struct path_sent {
    uint64_t at_ns;
    uint32_t octets, destination;
    uint8_t tos;
};

static struct {
    struct engine *engine;
    struct link link[FLOW_ENDS]; // by the sending end
    struct flow_table table;
    struct app_world world;
    uint16_t next_id[FLOW_ENDS];
    struct path_sent sent[FLOW_ENDS][PATH_SENT_MOST];
    uint32_t n[FLOW_ENDS];
    uint64_t ended; // flows
    struct app *app[PATH_APPS_MOST];
    uint32_t apps;
} path;

static void path_expect_books(void)
{
    for (int from = 0; from < FLOW_ENDS; from++) {
        const struct net_counters *c = &path.link[from].counters;
        const struct flow_side *to = &path.table.side[flow_far((enum flow_end)from)];
        uint64_t lost = 0;
        assert_int_equal(path.table.side[from].sent.packets, c->in.packets);
        assert_int_equal(path.table.side[from].sent.octets, c->in.octets);
        assert_int_equal(to->received.packets + to->faults, c->out.packets);
        if (to->faults == 0)
            assert_int_equal(to->received.octets, c->out.octets);
        for (int why = 0; why < NET_LOSSES; why++)
            lost += c->lost[why].packets;
        assert_int_equal(c->in.packets, c->out.packets + lost + c->held.packets);
    }
}

static void path_send(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                      uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)flow;
    assert_int_equal(now_ns, engine_now_ns(path.engine));
    assert_true(path.n[from] < PATH_SENT_MOST);
    path.sent[from][path.n[from]++] = (struct path_sent){
        now_ns, octets, (uint32_t)ip[16] << 24 | ip[17] << 16 | ip[18] << 8 | ip[19], ip[1]};
    link_send(&path.link[from], ip, octets, now_ns);
}

static uint16_t path_next_id(void *self, struct flow *flow, enum flow_end from)
{
    (void)self, (void)flow;
    return path.next_id[from]++;
}

static void path_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    (void)self, (void)flow, (void)now_ns;
    path.ended++;
}

static void path_arrive_at_host(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)self;
    flow_table_input(&path.table, FLOW_HOST, ip, octets, now_ns);
    path_expect_books();
}

static void path_arrive_at_ms(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)self;
    flow_table_input(&path.table, FLOW_MS, ip, octets, now_ns);
    path_expect_books();
}

static inline void path_setup(const struct link_config *down, const struct link_config *up)
{
    memset(path.n, 0, sizeof path.n);
    memset(path.next_id, 0, sizeof path.next_id);
    path.ended = 0;
    path.engine = engine_create();
    link_setup(&path.link[FLOW_HOST], path.engine, down,
               &(struct net_owner){.deliver = path_arrive_at_ms}, 5, 0);
    link_setup(&path.link[FLOW_MS], path.engine, up,
               &(struct net_owner){.deliver = path_arrive_at_host}, 5, 1);
    flow_table_setup(&path.table, path.engine,
                     &(struct flow_owner){NULL, path_send, path_next_id, path_ended}, 5, 2);
    app_world_setup(&path.world, &path.table, &(struct app_owner){0}, 5);
}

static inline void path_run_to(uint64_t until_ns)
{
    assert_int_equal(engine_run(path.engine, until_ns, NULL, NULL), 0);
    path_expect_books();
}

static inline int path_release(void **state)
{
    (void)state;
    flow_table_release(&path.table, engine_now_ns(path.engine));
    for (uint32_t i = 0; i < path.apps; i++)
        app_destroy(path.app[i]);
    path.apps = 0;
    app_world_release(&path.world);
    for (int from = 0; from < FLOW_ENDS; from++)
        link_release(&path.link[from]);
    engine_destroy(path.engine);
    return 0;
}

static inline const struct app_kind *path_kind(const char *name)
{
    for (uint32_t i = 0; i < app_kind_count; i++)
        if (strcmp(app_kinds[i]->name, name) == 0)
            return app_kinds[i];
    fail_msg("there is no application %s", name);
    return NULL;
}

// An application of the MS with that number, with the values of `config`.
static inline struct app *path_app(const char *kind, const void *config, uint32_t number)
{
    char error[APP_ERROR_ROOM] = "";
    struct app_place place = {.world = &path.world,
                              .address = {PATH_HOST, PATH_MS + number},
                              .profile = {tcp_profile_find("linux"), tcp_profile_find("linux")},
                              .stream = 10 + number};
    struct app *app = app_create(path_kind(kind), config, &place, error);
    if (!app)
        fail_msg("%s", error);
    path.app[path.apps++] = app;
    app_start(app, engine_now_ns(path.engine));
    return app;
}

// A configuration's standard values.
static inline void path_standard(const struct field_record *record, void *config)
{
    memset(config, 0, record->octets);
    for (uint32_t i = 0; i < record->count; i++)
        if (record->fields[i].key)
            field_set(&record->fields[i], config, record->fields[i].key->standard);
}

// That app_create refuses the values, and says so.
static inline void path_expect_refused(const char *kind, const void *config, const char *why)
{
    char error[APP_ERROR_ROOM] = "";
    struct app_place place = {.world = &path.world};
    assert_null(app_create(path_kind(kind), config, &place, error));
    if (!strstr(error, why))
        fail_msg("\"%s\" does not say \"%s\"", error, why);
}

#endif
