// See app_traffic.h. The process runs on a clock that stands still while it is off, so the rate in
// on-periods is exact whatever their lengths. A constant one begins at a random point of its first
// interval, so that sources of one rate do not send in step; so do on-periods.
#include "lab/hosts/app_traffic.h"

#include "dataplane/wire/bytes.h"

#define HOST_PORT 9 // discard

struct app_traffic {
    struct app_datagram datagram;
    struct app_traffic_config config;
    struct draw on, off;
    uint32_t sizes;
    uint16_t size_octets[APP_TRAFFIC_SIZES_MOST];
    uint64_t mean_interval_ns;
    uint64_t on_until_ns, next_ns;
};

static const struct field app_traffic_fields[] =
    FIELD_KEYS_TABLE(app_traffic_config, APP_TRAFFIC_FIELDS);
const struct field_record app_traffic_config_record =
    FIELD_RECORD_OF(app_traffic_config, app_traffic_fields);

static const char *traffic_fault(const void *config)
{
    const struct app_traffic_config *c = config;
    struct draw on = DRAW_OF(c, on_ns), off = DRAW_OF(c, off_ns);
    if (c->sizes.n < 2 || c->sizes.n % 2 || c->sizes.n > 2 * APP_TRAFFIC_SIZES_MOST)
        return "size: a list of 1 to 32";
    for (uint32_t i = 0; i < c->sizes.n; i += 2) {
        uint16_t octets = get_be16(c->sizes.at + i);
        if (octets < FLOW_DATAGRAM_LEAST || octets > APP_OCTETS_MOST)
            return "size: a packet has 32 to 1500 octets";
    }
    if (c->off_ns && !c->on_ns)
        return "off: needs on";
    const char *fault = c->off_ns ? draw_key_fault(&on, "on") : NULL;
    return fault || !c->off_ns ? fault : draw_key_fault(&off, "off");
}

static bool traffic_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_traffic *traffic = (struct app_traffic *)app;
    const struct app_traffic_config *c = &traffic->config;
    uint32_t octets = 0;
    (void)error;
    traffic->sizes = c->sizes.n / 2;
    for (uint32_t i = 0; i < traffic->sizes; i++)
        octets += traffic->size_octets[i] = get_be16(c->sizes.at + 2 * i);
    traffic->config.sizes = (struct octets){0}; // the caller's memory
    traffic->mean_interval_ns = units_line_time_ns(octets, c->rate_bit_per_s) / traffic->sizes;
    traffic->on = DRAW_OF(c, on_ns);
    traffic->off = DRAW_OF(c, off_ns);
    return true;
}

static uint64_t interval_ns(struct app_traffic *traffic)
{
    bool poisson = traffic->config.arrivals == APP_TRAFFIC_POISSON;
    return poisson ? rng_exponential(&traffic->datagram.app.rng, traffic->mean_interval_ns)
                   : traffic->mean_interval_ns;
}

// The next time lies so far behind this one on the clock that stands still while it is off.
static void wait_for(struct app_traffic *traffic, uint64_t now_ns, uint64_t while_on_ns)
{
    struct app *app = &traffic->datagram.app;
    uint64_t next_ns = now_ns + while_on_ns;
    while (next_ns >= traffic->on_until_ns) {
        uint64_t off_ns = draw_next(&traffic->off, &app->rng);
        next_ns += off_ns;
        traffic->on_until_ns += off_ns + draw_next(&traffic->on, &app->rng);
    }
    app_wait(app, next_ns);
}

static void traffic_fire(struct app *app, uint64_t now_ns)
{
    struct app_traffic *traffic = (struct app_traffic *)app;
    uint32_t octets = traffic->size_octets[rng_below(&app->rng, traffic->sizes)];
    app_datagram_send(app, app_sender(traffic->config.way), octets, now_ns);
    wait_for(traffic, now_ns, interval_ns(traffic));
}

static void traffic_start(struct app *app, uint64_t now_ns)
{
    struct app_traffic *traffic = (struct app_traffic *)app;
    bool constant = traffic->config.arrivals == APP_TRAFFIC_CONSTANT;
    app_datagram_open(app, HOST_PORT, traffic->config.ect, now_ns);
    uint64_t first_ns =
        constant ? rng_below(&app->rng, traffic->mean_interval_ns + 1) : interval_ns(traffic);
    traffic->on_until_ns = TIME_NEVER;
    if (traffic->off.mean) {
        now_ns += rng_below(&app->rng, traffic->on.mean + traffic->off.mean);
        traffic->on_until_ns = now_ns + draw_next(&traffic->on, &app->rng);
    }
    wait_for(traffic, now_ns, first_ns);
}

const struct app_kind app_traffic_kind = {
    .name = "traffic",
    .help = "UDP datagrams at constant or exponential intervals, always or in on-periods",
    .config = &app_traffic_config_record,
    .octets = sizeof(struct app_traffic),
    .config_at = offsetof(struct app_traffic, config),
    .fault = traffic_fault,
    .setup = traffic_setup,
    .start = traffic_start,
    .fire = traffic_fire,
};
