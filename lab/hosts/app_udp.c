// See app_udp.h. The process runs on a clock that stands still while it is off, so the rate in
// on-periods is exact whatever their lengths. A constant one begins at a random point of its first
// interval, so that sources of one rate do not send in step; so do on-periods.
#include "lab/hosts/app_udp.h"

#include "dataplane/wire/bytes.h"

#define HOST_PORT 9 // discard

struct app_udp {
    struct app_datagram datagram;
    struct app_udp_config config;
    struct draw on, off;
    uint32_t sizes;
    uint16_t size_octets[APP_UDP_SIZES_MOST];
    uint64_t mean_interval_ns;
    uint64_t on_until_ns, next_ns;
};

static const struct field app_udp_fields[] = FIELD_KEYS_TABLE(app_udp_config, APP_UDP_FIELDS);
const struct field_record app_udp_config_record = FIELD_RECORD_OF(app_udp_config, app_udp_fields);

static const char *udp_fault(const void *config)
{
    const struct app_udp_config *c = config;
    struct draw on = DRAW_OF(c, on_ns), off = DRAW_OF(c, off_ns);
    if (c->sizes.n < 2 || c->sizes.n % 2 || c->sizes.n > 2 * APP_UDP_SIZES_MOST)
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

static bool udp_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_udp *udp = (struct app_udp *)app;
    const struct app_udp_config *c = &udp->config;
    uint32_t octets = 0;
    (void)error;
    udp->sizes = c->sizes.n / 2;
    for (uint32_t i = 0; i < udp->sizes; i++)
        octets += udp->size_octets[i] = get_be16(c->sizes.at + 2 * i);
    udp->config.sizes = (struct octets){0}; // the caller's memory
    udp->mean_interval_ns = units_line_time_ns(octets, c->rate_bit_per_s) / udp->sizes;
    udp->on = DRAW_OF(c, on_ns);
    udp->off = DRAW_OF(c, off_ns);
    return true;
}

static uint64_t interval_ns(struct app_udp *udp)
{
    bool poisson = udp->config.arrivals == APP_UDP_POISSON;
    return poisson ? rng_exponential(&udp->datagram.app.rng, udp->mean_interval_ns)
                   : udp->mean_interval_ns;
}

// The next time lies so far behind this one on the clock that stands still while it is off.
static void wait_for(struct app_udp *udp, uint64_t now_ns, uint64_t while_on_ns)
{
    struct app *app = &udp->datagram.app;
    uint64_t next_ns = now_ns + while_on_ns;
    while (next_ns >= udp->on_until_ns) {
        uint64_t off_ns = draw_next(&udp->off, &app->rng);
        next_ns += off_ns;
        udp->on_until_ns += off_ns + draw_next(&udp->on, &app->rng);
    }
    app_wait(app, next_ns);
}

static void udp_fire(struct app *app, uint64_t now_ns)
{
    struct app_udp *udp = (struct app_udp *)app;
    uint32_t octets = udp->size_octets[rng_below(&app->rng, udp->sizes)];
    app_datagram_send(app, app_sender(udp->config.way), octets, now_ns);
    wait_for(udp, now_ns, interval_ns(udp));
}

static void udp_start(struct app *app, uint64_t now_ns)
{
    struct app_udp *udp = (struct app_udp *)app;
    bool constant = udp->config.arrivals == APP_UDP_CONSTANT;
    app_datagram_open(app, HOST_PORT, udp->config.ect, now_ns);
    uint64_t first_ns =
        constant ? rng_below(&app->rng, udp->mean_interval_ns + 1) : interval_ns(udp);
    udp->on_until_ns = TIME_NEVER;
    if (udp->off.mean) {
        now_ns += rng_below(&app->rng, udp->on.mean + udp->off.mean);
        udp->on_until_ns = now_ns + draw_next(&udp->on, &app->rng);
    }
    wait_for(udp, now_ns, first_ns);
}

const struct app_kind app_udp_kind = {
    .name = "udp",
    .help = "UDP datagrams at constant or exponential intervals, always or in on-periods",
    .config = &app_udp_config_record,
    .octets = sizeof(struct app_udp),
    .config_at = offsetof(struct app_udp, config),
    .fault = udp_fault,
    .setup = udp_setup,
    .start = udp_start,
    .fire = udp_fire,
};
