// See app_stream.h. A credit grows at the present rate, and a packet leaves when the credit has its
// bits; so the rate holds over any time, and a change of rate loses nothing.
#include "lab/hosts/app_stream.h"

#define HOST_PORT 49152

struct app_stream {
    struct app_datagram datagram;
    struct app_stream_config config;
    struct draw period;
    uint64_t rate_bit_per_s; // at present
    uint64_t period_end_ns, credit_at_ns;
    unsigned __int128 credit, packet; // in bit * ns / s
};

static const struct field app_stream_fields[] =
    FIELD_KEYS_TABLE(app_stream_config, APP_STREAM_FIELDS);
const struct field_record app_stream_config_record =
    FIELD_RECORD_OF(app_stream_config, app_stream_fields);

static const char *stream_fault(const void *config)
{
    const struct app_stream_config *c = config;
    struct draw period = DRAW_OF(c, period_ns);
    if (c->peak_bit_per_s && c->peak_bit_per_s < c->rate_bit_per_s)
        return "peak: less than rate";
    return draw_key_fault(&period, "period");
}

// Up to twice the mean: uniform in 2 * mean - peak .. peak. Beyond, uniform in 0 .. peak in as many
// of the periods as the mean asks for.
static uint64_t draw_rate(struct app_stream *s)
{
    struct rng *rng = &s->datagram.app.rng;
    uint64_t peak = s->config.peak_bit_per_s, twice = 2 * s->config.rate_bit_per_s;
    if (twice >= peak)
        return twice - peak + rng_below(rng, 2 * peak - twice + 1);
    return rng_below(rng, peak) < twice ? rng_below(rng, peak + 1) : 0;
}

static void begin_period(struct app_stream *s, uint64_t now_ns)
{
    if (s->config.peak_bit_per_s == 0) {
        s->rate_bit_per_s = s->config.rate_bit_per_s;
        s->period_end_ns = TIME_NEVER;
        return;
    }
    s->rate_bit_per_s = draw_rate(s);
    uint64_t period_ns = draw_next(&s->period, &s->datagram.app.rng);
    s->period_end_ns = now_ns + (period_ns ? period_ns : 1);
}

// When the credit is enough, or the rate changes.
static void wait_for_next(struct app_stream *s, uint64_t now_ns)
{
    uint64_t next_ns = s->period_end_ns;
    if (s->rate_bit_per_s) {
        unsigned __int128 left = s->packet - s->credit;
        uint64_t wait_ns = (uint64_t)((left + s->rate_bit_per_s - 1) / s->rate_bit_per_s);
        next_ns = now_ns + wait_ns < next_ns ? now_ns + wait_ns : next_ns;
    }
    app_wait(&s->datagram.app, next_ns);
}

static void stream_fire(struct app *app, uint64_t now_ns)
{
    struct app_stream *s = (struct app_stream *)app;
    s->credit += (unsigned __int128)s->rate_bit_per_s * (now_ns - s->credit_at_ns);
    s->credit_at_ns = now_ns;
    if (s->credit >= s->packet) {
        s->credit -= s->packet;
        app_datagram_send(app, app_sender(s->config.way), (uint32_t)s->config.packet_octets,
                          now_ns);
    }
    if (now_ns >= s->period_end_ns)
        begin_period(s, now_ns);
    wait_for_next(s, now_ns);
}

// The first packet is due at a random point of its interval.
static void stream_start(struct app *app, uint64_t now_ns)
{
    struct app_stream *s = (struct app_stream *)app;
    uint64_t packet = s->config.packet_octets * OCTETS_IN_BITS * S_IN_NS;
    app_datagram_open(app, HOST_PORT, s->config.ect, now_ns);
    s->period = DRAW_OF(&s->config, period_ns);
    s->packet = packet;
    s->credit = rng_below(&app->rng, packet);
    s->credit_at_ns = now_ns;
    begin_period(s, now_ns);
    wait_for_next(s, now_ns);
}

const struct app_kind app_stream_kind = {
    .name = "stream",
    .help = "streaming over UDP at a constant rate, or at one that changes with a mean and a peak",
    .config = &app_stream_config_record,
    .octets = sizeof(struct app_stream),
    .config_at = offsetof(struct app_stream, config),
    .fault = stream_fault,
    .start = stream_start,
    .fire = stream_fire,
};
