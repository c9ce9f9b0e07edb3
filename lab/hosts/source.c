// See source.h. A constant source begins at a random point of its first interval, so that sources
// of one rate do not send in step.
#include "lab/hosts/source.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"

#define INNER_PORT       9          // discard
#define INNER_SOURCE     0xcb007109 // 203.0.113.9, a documentation address (RFC 5737)
#define TTL              64
#define TOS_ECT_0        2
#define FRAME_OCTETS_MAX 2048

// The rate holds for the mean of the sizes, whichever is drawn.
static uint64_t interval_ns(struct source *s)
{
    uint32_t octets = 0;
    for (uint32_t i = 0; i < s->sizes; i++)
        octets += s->size_octets[i];
    uint64_t mean_ns = units_line_time_ns(octets, s->rate_bit_per_s) / s->sizes;
    return s->poisson ? rng_exponential(&s->rng, mean_ns) : mean_ns;
}

// The inner packet, built from its payload outwards at the start of b.
static uint32_t put_inner(struct source *s, uint32_t octets, uint64_t now_ns, uint8_t *b)
{
    uint8_t payload[FRAME_OCTETS_MAX] = {0};
    uint32_t datagram_octets = octets - IPV4_OCTETS;
    put_be32(payload, (uint32_t)(now_ns >> 32));
    put_be32(payload + 4, (uint32_t)now_ns);
    for (uint32_t i = 8; i < datagram_octets - UDP_OCTETS; i++)
        payload[i] = (uint8_t)(s->sent_packets + i);
    struct udp udp = {INNER_PORT, INNER_PORT, 0, {payload, datagram_octets - (uint32_t)UDP_OCTETS}};
    uint8_t datagram[FRAME_OCTETS_MAX];
    udp_encode(&udp, datagram, sizeof datagram);
    udp_put_checksum(datagram, datagram_octets, INNER_SOURCE, s->ms_address);
    struct ipv4 ip = {.tos = s->ect ? TOS_ECT_0 : 0,
                      .id = (uint16_t)s->sent_packets,
                      .ttl = TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = INNER_SOURCE,
                      .destination = s->ms_address,
                      .payload = {datagram, datagram_octets}};
    return (uint32_t)ipv4_encode(&ip, b, FRAME_OCTETS_MAX);
}

// Wraps the n octets at b, layer by layer, as a GGSN would.
static uint32_t put_outer(const struct source *s, uint32_t n, uint8_t *b)
{
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = s->teid, .payload = {b, n}};
    n = (uint32_t)gtpu_encode(&gtpu, b, FRAME_OCTETS_MAX);
    struct udp udp = {GTPU_PORT, GTPU_PORT, 0, {b, n}};
    n = (uint32_t)udp_encode(&udp, b, FRAME_OCTETS_MAX);
    struct ipv4 ip = {.ttl = TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = s->gn->ggsn_address,
                      .destination = s->gn->sgsn_address,
                      .payload = {b, n}};
    n = (uint32_t)ipv4_encode(&ip, b, FRAME_OCTETS_MAX);
    struct ether ether = {.destination = s->gn->sgsn_mac,
                          .source = s->gn->ggsn_mac,
                          .type = ETHER_TYPE_IPV4,
                          .payload = {b, n}};
    return (uint32_t)ether_encode(&ether, b, FRAME_OCTETS_MAX);
}

static void source_send(void *self, uint64_t now_ns)
{
    struct source *s = self;
    if (now_ns >= s->stop_ns)
        return;
    uint8_t frame[FRAME_OCTETS_MAX];
    uint32_t octets = s->size_octets[rng_below(&s->rng, s->sizes)];
    uint32_t n = put_inner(s, octets, now_ns, frame);
    line_send(s->gn_line, frame, put_outer(s, n, frame), now_ns);
    s->sent_packets++;
    s->sent_octets += octets;
    engine_at(s->engine, now_ns + interval_ns(s), source_send, s);
}

void source_start(struct source *s)
{
    uint64_t first_ns = interval_ns(s);
    if (!s->poisson)
        first_ns = rng_below(&s->rng, first_ns + 1);
    engine_at(s->engine, s->start_ns + first_ns, source_send, s);
}
