// See source.h. A constant source begins at a random point of its first interval, so that sources
// of one rate do not send in step.
#include "lab/hosts/source.h"

#include "dataplane/wire/address.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define INNER_PORT       9          // discard
#define INNER_SOURCE     0xcb007109 // 203.0.113.9, a documentation address (RFC 5737)
#define TTL              64
#define TOS_ECT_0        2
#define FRAME_OCTETS_MAX 2048

// The interval for the rate and the mean of the sizes.
static uint64_t interval_ns(struct source *s)
{
    uint32_t octets = 0;
    for (uint32_t i = 0; i < s->sizes; i++)
        octets += s->size_octets[i];
    uint64_t mean_ns = units_line_time_ns(octets, s->rate_bit_per_s) / s->sizes;
    return s->poisson ? rng_exponential(&s->rng, mean_ns) : mean_ns;
}

// Writes the inner IP packet to b; the payload begins with the sending time.
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

// Puts the GTP-U and UDP headers of a GGSN around the n octets at b.
static uint32_t put_datagram(const struct source *s, uint32_t n, uint8_t *b)
{
    const struct source_gn *gn = s->gn;
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = s->teid, .payload = {b, n}};
    n = (uint32_t)gtpu_encode(&gtpu, b, FRAME_OCTETS_MAX);
    struct udp udp = {GTPU_PORT, GTPU_PORT, 0, {b, n}};
    n = (uint32_t)udp_encode(&udp, b, FRAME_OCTETS_MAX);
    if (!address_is_ipv4(&gn->sgsn_address))
        udp_put_checksum_ipv6(b, n, &gn->ggsn_address, &gn->sgsn_address);
    return n;
}

// A datagram or a fragment of one, as the payload of an IP packet.
struct piece {
    struct octets octets;
    uint32_t offset, id;
    bool more;
};

static uint32_t put_ipv4(const struct source_gn *gn, const struct piece *p, uint8_t *b)
{
    struct ipv4 ip = {.id = (uint16_t)p->id,
                      .more_fragments = p->more,
                      .fragment_offset = (uint16_t)(p->offset / 8),
                      .ttl = TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = address_ipv4(&gn->ggsn_address),
                      .destination = address_ipv4(&gn->sgsn_address),
                      .payload = p->octets};
    return (uint32_t)ipv4_encode(&ip, b, FRAME_OCTETS_MAX);
}

static uint32_t put_ipv6(const struct source_gn *gn, const struct piece *p, uint8_t *b)
{
    struct ipv6 ip = {.next_header = IPV6_NEXT_UDP,
                      .hop_limit = TTL,
                      .source = gn->ggsn_address,
                      .destination = gn->sgsn_address,
                      .has_fragment = p->more || p->offset,
                      .fragment = {(uint16_t)(p->offset / 8), p->more, p->id},
                      .payload = p->octets};
    return (uint32_t)ipv6_encode(&ip, b, FRAME_OCTETS_MAX);
}

static void send_piece(const struct source *s, const struct piece *p, uint64_t now_ns)
{
    const struct source_gn *gn = s->gn;
    uint8_t frame[FRAME_OCTETS_MAX];
    bool ipv4 = address_is_ipv4(&gn->sgsn_address);
    uint32_t n = ipv4 ? put_ipv4(gn, p, frame) : put_ipv6(gn, p, frame);
    struct ether ether = {.destination = gn->sgsn_mac,
                          .source = gn->ggsn_mac,
                          .type = ipv4 ? ETHER_TYPE_IPV4 : ETHER_TYPE_IPV6,
                          .payload = {frame, n}};
    n = (uint32_t)ether_encode(&ether, frame, FRAME_OCTETS_MAX);
    line_send(s->gn_line, s->worker, frame, n, now_ns);
}

// Sends a datagram, in fragments if it does not fit the MTU.
static void send_datagram(const struct source *s, const uint8_t *b, uint32_t n, uint64_t now_ns)
{
    bool ipv4 = address_is_ipv4(&s->gn->sgsn_address);
    uint32_t room = s->gn->mtu_octets - (ipv4 ? IPV4_OCTETS : IPV6_OCTETS);
    struct piece p = {0};
    if (n > room) {
        room = (room - (ipv4 ? 0 : IPV6_FRAGMENT_OCTETS)) / 8 * 8;
        p.id = (uint32_t)s->gn_line->sent_packets; // unique on this line
    }
    for (; p.offset < n; p.offset += room) {
        uint32_t left = n - p.offset;
        p.more = left > room;
        p.octets = (struct octets){b + p.offset, p.more ? room : left};
        send_piece(s, &p, now_ns);
    }
}

static void source_send(void *self, uint64_t now_ns)
{
    struct source *s = self;
    if (now_ns >= s->stop_ns)
        return;
    uint8_t frame[FRAME_OCTETS_MAX];
    uint32_t octets = s->size_octets[rng_below(&s->rng, s->sizes)];
    uint32_t n = put_inner(s, octets, now_ns, frame);
    n = put_datagram(s, n, frame);
    send_datagram(s, frame, n, now_ns);
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
