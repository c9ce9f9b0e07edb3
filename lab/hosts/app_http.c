// See app_http.h. The defaults are the web users of aqm-2006. A place holds one connection at a
// time; of a connection that has lost its place no word counts. An object whose connection fails is
// asked for again, from its beginning, in the same place.
#include "lab/hosts/app_http.h"

#include <stdlib.h>

#include "dataplane/wire/bytes.h"
#include "lab/engine/need.h"

#define HOST_PORT     80
#define FAILURE_PAUSE (1 * S_IN_NS) // before a new connection
#define PPM           1000000

struct http_place {
    struct app_http *http;
    struct flow *flow;            // NULL: no connection
    struct engine_timer patience; // while it opens
    bool open, busy;              // busy: with an object
    uint64_t object_octets, begin_ns;
    uint64_t request_left; // to arrive at the server
    uint64_t answer_left;  // to arrive at the client
    uint32_t trips_left;   // round trips to the object's end
};

struct app_http {
    struct app app;
    struct app_http_config config;
    struct draw main, embedded, embedded_octets, think;
    uint32_t *listed_octets; // of the objects that are not drawn
    uint32_t listed, next_listed;
    struct http_place *place;
    bool in_page, in_main;
    uint32_t busy;    // places
    uint64_t waiting; // objects that no place has
    uint64_t page_begin_ns, page_octets;
    uint32_t pages;
};

static const struct field app_http_fields[] = FIELD_KEYS_TABLE(app_http_config, APP_HTTP_FIELDS);
const struct field_record app_http_config_record =
    FIELD_RECORD_OF(app_http_config, app_http_fields);

static const char *list_fault(const struct octets *objects)
{
    if (objects->n % 4 || objects->n > 4 * APP_HTTP_OBJECTS_MOST)
        return "objects: a list of at most 256";
    for (uint32_t i = 0; i < objects->n; i += 4) {
        uint32_t octets = get_be32(objects->at + i);
        if (octets == 0 || octets > APP_HTTP_OCTETS_MOST)
            return "objects: an object has 1 to 1000000000 octets";
    }
    return NULL;
}

static const char *http_fault(const void *config)
{
    const struct app_http_config *c = config;
    struct draw draws[] = {DRAW_OF(c, main_octets), DRAW_OF(c, embedded),
                           DRAW_OF(c, embedded_octets), DRAW_OF(c, think_ns)};
    static const char *const keys[] = {"main", "embedded", "embedded_size", "think"};
    for (uint32_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        const char *fault = draws[i].mean ? draw_key_fault(&draws[i], keys[i]) : NULL;
        if (fault)
            return fault;
    }
    if (!c->main_octets && !c->embedded && !c->objects.n)
        return "main: a page needs a main object or embedded ones";
    if (c->silent_ppm + c->refused_ppm >= PPM)
        return "silent: with refused it leaves no connection";
    return list_fault(&c->objects);
}

static uint64_t draw_some(struct app_http *http, const struct draw *draw)
{
    return draw->mean ? draw_next(draw, &http->app.rng) : 0;
}

static void http_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                          uint64_t octets, uint64_t now_ns);
static void http_event(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                       uint64_t now_ns);
static void http_ended(void *self, struct flow *flow, uint64_t now_ns);
static void http_acknowledged(void *self, struct flow *flow, enum flow_end from, uint64_t octets);

// A client with neither silent nor refusing servers draws nothing.
static enum flow_answer draw_answer(struct app_http *http)
{
    uint64_t silent = http->config.silent_ppm, refused = http->config.refused_ppm;
    uint64_t drawn = silent + refused ? rng_below(&http->app.rng, PPM) : PPM;
    return drawn < silent ? FLOW_SILENT : drawn < silent + refused ? FLOW_REFUSES : FLOW_ANSWERS;
}

static void open_connection(struct http_place *place, uint64_t now_ns)
{
    struct app_http *http = place->http;
    struct flow_config config = app_flow(&http->app, FLOW_PROTOCOL_TCP, HOST_PORT);
    struct flow_user user = {place, http_received, http_event, http_ended, http_acknowledged};
    config.opener = (enum flow_end)http->config.client;
    config.answer = draw_answer(http);
    place->open = false;
    place->flow = flow_open(http->app.place.world->table, &config, &user, now_ns);
    if (!place->flow)
        return;
    http->app.figures.connections++;
    if (http->config.patience_ns)
        engine_set(http->app.place.world->engine, &place->patience,
                   now_ns + http->config.patience_ns);
    flow_connect(place->flow, now_ns);
}

// The answer has one octet at least.
static void ask_once(struct http_place *place, uint64_t now_ns)
{
    const struct app_http_config *c = &place->http->config;
    place->request_left = c->request_octets;
    place->answer_left = c->header_octets + (place->trips_left == 1 ? place->object_octets : 0);
    place->answer_left += place->answer_left == 0;
    flow_write(place->flow, (enum flow_end)c->client, c->request_octets, now_ns);
}

static void ask(struct http_place *place, uint64_t now_ns)
{
    place->trips_left = place->http->config.round_trips;
    ask_once(place, now_ns);
}

static uint64_t next_octets(struct app_http *http)
{
    if (http->listed && !http->in_main)
        return http->listed_octets[http->next_listed++];
    uint64_t octets =
        draw_next(http->in_main ? &http->main : &http->embedded_octets, &http->app.rng);
    return octets ? octets : 1;
}

static void begin_object(struct http_place *place, uint64_t now_ns)
{
    struct app_http *http = place->http;
    place->object_octets = next_octets(http);
    place->begin_ns = now_ns;
    place->busy = true;
    http->busy++;
    http->waiting--;
    if (!place->flow)
        open_connection(place, now_ns);
    else if (place->open)
        ask(place, now_ns);
}

static void give_objects(struct app_http *http, uint64_t now_ns)
{
    for (uint32_t i = 0; i < http->config.connections && http->waiting; i++)
        if (!http->place[i].busy)
            begin_object(&http->place[i], now_ns);
}

// The connection goes on to close by itself; the place is free for another.
static void leave_connection(struct http_place *place, uint64_t now_ns)
{
    struct flow *flow = place->flow;
    place->flow = NULL;
    engine_cancel(place->http->app.place.world->engine, &place->patience);
    if (flow)
        flow_close(flow, (enum flow_end)place->http->config.client, now_ns);
}

static void leave_all(struct app_http *http, uint64_t now_ns)
{
    for (uint32_t i = 0; i < http->config.connections; i++)
        leave_connection(&http->place[i], now_ns);
}

// How many objects follow the main one.
static uint64_t begin_embedded(struct app_http *http)
{
    http->next_listed = 0;
    return http->listed ? http->listed : draw_some(http, &http->embedded);
}

static void begin_page(struct app_http *http, uint64_t now_ns)
{
    http->in_page = true;
    http->in_main = http->main.mean != 0;
    http->waiting = http->in_main ? 1 : begin_embedded(http);
    http->waiting += http->waiting == 0;
    http->page_begin_ns = now_ns;
    http->page_octets = 0;
    give_objects(http, now_ns);
}

static void end_page(struct app_http *http, uint64_t now_ns)
{
    http->in_page = false;
    http->pages++;
    app_record(&http->app, APP_RECORD_page, http->page_begin_ns, http->page_octets, now_ns);
    bool last = http->pages == http->config.pages;
    if (last || http->config.reuse == APP_HTTP_PAGE)
        leave_all(http, now_ns);
    if (!last)
        app_wait(&http->app, now_ns + draw_some(http, &http->think));
}

// The main object is followed by those embedded in it, all of these by the page's end.
static void go_on(struct app_http *http, uint64_t now_ns)
{
    if (http->in_main && http->busy == 0) {
        http->in_main = false;
        http->waiting = begin_embedded(http);
    }
    if (http->waiting)
        give_objects(http, now_ns);
    else if (http->busy == 0)
        end_page(http, now_ns);
}

static void end_object(struct http_place *place, uint64_t now_ns)
{
    struct app_http *http = place->http;
    place->busy = false;
    http->busy--;
    http->page_octets += place->object_octets;
    app_record(&http->app, APP_RECORD_object, place->begin_ns, place->object_octets, now_ns);
    if (http->config.reuse == APP_HTTP_OBJECT)
        leave_connection(place, now_ns);
    go_on(http, now_ns);
}

// At the server a whole request is answered, at the client a whole answer is asked behind, or is an
// object.
static void http_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                          uint64_t octets, uint64_t now_ns)
{
    struct http_place *place = self;
    bool is_client = at == (enum flow_end)place->http->config.client;
    uint64_t *left = is_client ? &place->answer_left : &place->request_left;
    (void)number;
    place->http->app.figures.arrived[at].octets += octets;
    if (flow != place->flow || *left == 0)
        return;
    *left -= octets < *left ? octets : *left;
    if (*left)
        return;
    if (!is_client)
        flow_write(flow, at, place->answer_left, now_ns);
    else if (--place->trips_left)
        ask_once(place, now_ns);
    else
        end_object(place, now_ns);
}

// The page goes on when the timer has given the place a new connection.
static void fail(struct http_place *place, uint64_t now_ns)
{
    struct app_http *http = place->http;
    place->flow = NULL;
    engine_cancel(http->app.place.world->engine, &place->patience);
    http->app.figures.aborted++;
    if (place->busy)
        app_wait(&http->app, now_ns + FAILURE_PAUSE);
}

// The connection has not opened. Its client's end goes without a word; what comes for it later is
// reset.
static void http_gives_up(void *self, uint64_t now_ns)
{
    struct http_place *place = self;
    struct flow *flow = place->flow;
    fail(place, now_ns);
    flow_abort(flow, (enum flow_end)place->http->config.client, now_ns);
}

static void http_event(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                       uint64_t now_ns)
{
    struct http_place *place = self;
    bool is_client = at == (enum flow_end)place->http->config.client;
    if (event == TCP_PEER_CLOSED && !is_client)
        flow_close(flow, at, now_ns);
    if (flow != place->flow)
        return;
    if (event == TCP_OPEN && is_client) {
        place->open = true;
        engine_cancel(place->http->app.place.world->engine, &place->patience);
        ask(place, now_ns);
    } else if (event == TCP_ABORTED) {
        fail(place, now_ns);
    }
}

static void http_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct http_place *place = self;
    if (flow == place->flow)
        fail(place, now_ns);
}

static void http_acknowledged(void *self, struct flow *flow, enum flow_end from, uint64_t octets)
{
    struct http_place *place = self;
    (void)flow;
    place->http->app.figures.sent[from].octets += octets;
}

static void connect_again(struct app_http *http, uint64_t now_ns)
{
    for (uint32_t i = 0; i < http->config.connections; i++)
        if (http->place[i].busy && !http->place[i].flow)
            open_connection(&http->place[i], now_ns);
}

static void http_fire(struct app *app, uint64_t now_ns)
{
    struct app_http *http = (struct app_http *)app;
    if (http->in_page)
        connect_again(http, now_ns);
    else
        begin_page(http, now_ns);
}

static void copy_list(struct app_http *http)
{
    struct octets *objects = &http->config.objects; // the caller's memory
    http->listed = objects->n / 4;
    http->listed_octets = need(calloc(http->listed + 1, sizeof *http->listed_octets));
    for (uint32_t i = 0; i < http->listed; i++)
        http->listed_octets[i] = get_be32(objects->at + 4 * i);
    *objects = (struct octets){0};
}

static bool http_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_http *http = (struct app_http *)app;
    const struct app_http_config *c = &http->config;
    (void)error;
    http->main = DRAW_OF(c, main_octets);
    http->embedded = DRAW_OF(c, embedded);
    http->embedded_octets = DRAW_OF(c, embedded_octets);
    http->think = DRAW_OF(c, think_ns);
    copy_list(http);
    http->place = need(calloc(c->connections, sizeof *http->place));
    for (uint32_t i = 0; i < c->connections; i++) {
        http->place[i].http = http;
        engine_timer_init(&http->place[i].patience, http_gives_up, &http->place[i]);
    }
    return true;
}

static void http_stop(struct app *app, uint64_t now_ns)
{
    struct app_http *http = (struct app_http *)app;
    for (uint32_t i = 0; i < http->config.connections; i++) {
        struct flow *flow = http->place[i].flow;
        http->place[i].flow = NULL;
        engine_cancel(http->app.place.world->engine, &http->place[i].patience);
        if (flow)
            flow_abort(flow, (enum flow_end)http->config.client, now_ns);
    }
}

static void http_release(struct app *app)
{
    struct app_http *http = (struct app_http *)app;
    for (uint32_t i = 0; i < http->config.connections; i++)
        engine_cancel(app->place.world->engine, &http->place[i].patience);
    free(http->listed_octets);
    free(http->place);
}

const struct app_kind app_http_kind = {
    .name = "http",
    .help = "web pages over TCP, with persistent connections or one for each object",
    .config = &app_http_config_record,
    .octets = sizeof(struct app_http),
    .config_at = offsetof(struct app_http, config),
    .fault = http_fault,
    .setup = http_setup,
    .start = http_fire,
    .fire = http_fire,
    .stop = http_stop,
    .release = http_release,
};
