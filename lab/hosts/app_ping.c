// See app_ping.h. The times of the requests that wait are kept in a ring that grows, up to the
// timeout by the interval. ICMP numbers have 16 bits, so no more than that may wait.
#include "lab/hosts/app_ping.h"

#include <stdlib.h>

#include "lab/engine/need.h"

#define WAITING_MOST 65536
#define ROOM_LEAST   8
#define ANSWERED     TIME_NEVER

struct app_ping {
    struct app app;
    struct app_ping_config config;
    struct flow *flow;
    uint64_t *sent_ns;    // by number, in a ring; or ANSWERED
    uint32_t first, next; // numbers that may wait
    uint32_t room;        // 0 or a power of two
};

static const struct field app_ping_fields[] = FIELD_KEYS_TABLE(app_ping_config, APP_PING_FIELDS);
const struct field_record app_ping_config_record =
    FIELD_RECORD_OF(app_ping_config, app_ping_fields);

static const char *ping_fault(const void *config)
{
    const struct app_ping_config *c = config;
    return c->timeout_ns / c->interval_ns >= WAITING_MOST
               ? "timeout: too many requests would wait, allowed at most 65535 intervals"
               : NULL;
}

static uint64_t *slot(struct app_ping *ping, uint32_t number)
{
    return &ping->sent_ns[number & (ping->room - 1)];
}

// Gives up what has waited too long, and forgets what is done.
static void expire(struct app_ping *ping, uint64_t now_ns)
{
    for (; ping->first != ping->next; ping->first++) {
        uint64_t sent_ns = *slot(ping, ping->first);
        if (sent_ns != ANSWERED && sent_ns + ping->config.timeout_ns > now_ns)
            return;
        bool given_up = sent_ns != ANSWERED && sent_ns >= ping->app.place.world->mark_ns;
        ping->app.figures.unanswered += given_up;
        ping->app.figures.open -= given_up;
    }
}

static void grow(struct app_ping *ping)
{
    struct app_ping old = *ping;
    ping->room = old.room ? 2 * old.room : ROOM_LEAST;
    ping->sent_ns = need(malloc(ping->room * sizeof *ping->sent_ns));
    for (uint32_t i = old.first; i != old.next; i++)
        *slot(ping, i) = *slot(&old, i);
    free(old.sent_ns);
}

static void ping_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                          uint64_t octets, uint64_t now_ns)
{
    struct app_ping *ping = self;
    (void)flow;
    net_count_add(&ping->app.figures.arrived[at], (uint32_t)octets);
    expire(ping, now_ns);
    uint32_t back = (ping->next - number) & (WAITING_MOST - 1); // from 1
    uint32_t full = ping->next - back;
    if (at != app_sender(ping->config.way) || back == 0 || back > ping->next - ping->first ||
        *slot(ping, full) == ANSWERED) {
        ping->app.figures.duplicates[at]++;
        return;
    }
    uint64_t sent_ns = *slot(ping, full);
    *slot(ping, full) = ANSWERED;
    ping->app.figures.open -= sent_ns >= ping->app.place.world->mark_ns;
    app_record(&ping->app, APP_RECORD_round_trip, sent_ns, octets, now_ns);
}

static void ping_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct app_ping *ping = self;
    (void)flow, (void)now_ns;
    ping->flow = NULL;
}

// The timer also gives up the last ones, when there is nothing more to send.
static void ping_fire(struct app *app, uint64_t now_ns)
{
    struct app_ping *ping = (struct app_ping *)app;
    const struct app_ping_config *c = &ping->config;
    expire(ping, now_ns);
    if (!ping->flow || (c->count && ping->next == c->count))
        return;
    if (ping->next - ping->first == ping->room)
        grow(ping);
    enum flow_end from = app_sender(c->way);
    uint32_t octets = (uint32_t)c->data_octets + FLOW_PING_LEAST;
    *slot(ping, ping->next) = now_ns;
    ping->next++;
    app->figures.open++;
    net_count_add(&app->figures.sent[from], (uint32_t)c->data_octets);
    flow_send(ping->flow, from, octets, now_ns);
    bool last = c->count && ping->next == c->count;
    app_wait(app, now_ns + (last ? c->timeout_ns : c->interval_ns));
}

static void ping_start(struct app *app, uint64_t now_ns)
{
    struct app_ping *ping = (struct app_ping *)app;
    struct flow_config config = app_flow(app, FLOW_PROTOCOL_ICMP, 0);
    struct flow_user user = {.self = ping, .received = ping_received, .ended = ping_ended};
    ping->flow = flow_open(app->place.world->table, &config, &user, now_ns);
    ping_fire(app, now_ns);
}

static void ping_release(struct app *app)
{
    struct app_ping *ping = (struct app_ping *)app;
    free(ping->sent_ns);
}

const struct app_kind app_ping_kind = {
    .name = "ping",
    .help = "ICMP echo from the host or the MS",
    .config = &app_ping_config_record,
    .octets = sizeof(struct app_ping),
    .config_at = offsetof(struct app_ping, config),
    .fault = ping_fault,
    .start = ping_start,
    .fire = ping_fire,
    .release = ping_release,
};
