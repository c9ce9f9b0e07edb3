// See ends.h.
#include "lab/line/ends.h"

#include <stdio.h>
#include <stdlib.h>

#include "dataplane/wire/ether.h"
#include "dataplane/wire/udp.h"

#define TTL              64
#define FRAME_OCTETS_MAX (ENDS_OCTETS_MAX + 256)

// ---- To the port ----

// A datagram or a fragment of one, as the payload of an IP packet.
struct piece {
    struct octets octets;
    uint32_t offset, id;
    bool more;
};

static uint32_t put_ipv4(const struct ends *ends, const struct ends_host *from,
                         const struct piece *p, uint8_t *b)
{
    struct ipv4 ip = {.id = (uint16_t)p->id,
                      .more_fragments = p->more,
                      .fragment_offset = (uint16_t)(p->offset / 8),
                      .ttl = TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = address_ipv4(&from->address),
                      .destination = address_ipv4(&ends->to.address),
                      .payload = p->octets};
    return (uint32_t)ipv4_encode(&ip, b, FRAME_OCTETS_MAX);
}

static uint32_t put_ipv6(const struct ends *ends, const struct ends_host *from,
                         const struct piece *p, uint8_t *b)
{
    struct ipv6 ip = {.next_header = IPV6_NEXT_UDP,
                      .hop_limit = TTL,
                      .source = from->address,
                      .destination = ends->to_ipv6,
                      .has_fragment = p->more || p->offset,
                      .fragment = {(uint16_t)(p->offset / 8), p->more, p->id},
                      .payload = p->octets};
    return (uint32_t)ipv6_encode(&ip, b, FRAME_OCTETS_MAX);
}

static bool send_piece(struct ends *ends, const struct ends_host *from, uint32_t queue,
                       const struct piece *p, uint64_t tag, uint64_t now_ns)
{
    uint8_t frame[FRAME_OCTETS_MAX];
    bool ipv4 = address_is_ipv4(&from->address);
    uint32_t n = ipv4 ? put_ipv4(ends, from, p, frame) : put_ipv6(ends, from, p, frame);
    struct ether ether = {.destination = ends->to.mac,
                          .source = from->mac,
                          .has_vlan_tci = ends->vlan != 0,
                          .vlan_tci = ends->vlan,
                          .type = ipv4 ? ETHER_TYPE_IPV4 : ETHER_TYPE_IPV6,
                          .payload = {frame, n}};
    n = (uint32_t)ether_encode(&ether, frame, FRAME_OCTETS_MAX);
    return line_send(ends->line, queue, frame, n, tag, now_ns);
}

bool ends_send(struct ends *ends, const struct ends_host *from, uint32_t queue,
               struct octets payload, uint64_t tag, uint64_t now_ns)
{
    uint8_t datagram[FRAME_OCTETS_MAX];
    bool ipv4 = address_is_ipv4(&from->address);
    if (payload.n > ENDS_OCTETS_MAX)
        abort(); // the caller's fault
    struct udp udp = {from->port, ends->to.port, 0, payload};
    uint32_t n = (uint32_t)udp_encode(&udp, datagram, sizeof datagram);
    if (!ipv4)
        udp_put_checksum_ipv6(datagram, n, &from->address, &ends->to_ipv6);
    uint32_t room = ends->mtu_octets - (ipv4 ? IPV4_OCTETS : IPV6_OCTETS);
    struct piece p = {.id = ends->fragment_id++};
    bool sent = true;
    if (n > room)
        room = (room - (ipv4 ? 0 : IPV6_FRAGMENT_OCTETS)) / 8 * 8;
    for (; p.offset < n; p.offset += room) {
        uint32_t left = n - p.offset;
        p.more = left > room;
        p.octets = (struct octets){datagram + p.offset, p.more ? room : left};
        sent &= send_piece(ends, from, queue, &p, tag, now_ns);
    }
    return sent;
}

// ---- From the port ----

static void fault(struct ends *ends, const char *layer, const char *what, uint32_t offset)
{
    if (ends->faults++ == 0)
        snprintf(ends->first_fault, sizeof ends->first_fault,
                 "frame %llu, %s: %s (octet %u of the layer)", (unsigned long long)ends->frames,
                 layer, what, offset);
}

#define LAYER(layer, pdu, payload, length)                                               \
    do {                                                                                 \
        int n = layer##_decode(pdu, payload, length);                                    \
        if (n < 0) {                                                                     \
            fault(ends, #layer, wire_err_text(wire_fault_err(n)), wire_fault_offset(n)); \
            return false;                                                                \
        }                                                                                \
    } while (0)

// Returns false for a fault, and for a fragment that is not the last.
static bool decode_ip(struct ends *ends, const uint8_t *frame, uint32_t octets,
                      struct ends_datagram *d, struct octets *datagram)
{
    struct ether ether;
    struct ipv4 ipv4;
    struct ipv6 ipv6;
    const char *wrong;
    LAYER(ether, &ether, frame, octets);
    if ((ether.has_vlan_tci ? ether.vlan_tci : 0) != ends->vlan) {
        fault(ends, "Ethernet", "not the tag of the line's VLAN", ETHER_OCTETS);
        return false;
    }
    if (ether.type == ETHER_TYPE_IPV6) {
        LAYER(ipv6, &ipv6, ether.payload.at, ether.payload.n);
        wrong = join_ipv6(&ends->join, &ipv6, datagram);
        d->source = ipv6.source;
        d->destination = ipv6.destination;
    } else {
        LAYER(ipv4, &ipv4, ether.payload.at, ether.payload.n);
        wrong = join_ipv4(&ends->join, &ipv4, datagram);
        d->source = address_of_ipv4(ipv4.source);
        d->destination = address_of_ipv4(ipv4.destination);
    }
    if (wrong)
        fault(ends, "IP", wrong, 0);
    ends->fragments += !wrong && datagram->n == 0;
    return !wrong && datagram->n > 0;
}

static bool decode(struct ends *ends, const uint8_t *frame, uint32_t octets,
                   struct ends_datagram *d)
{
    struct octets datagram;
    struct udp udp;
    if (!decode_ip(ends, frame, octets, d, &datagram))
        return false;
    LAYER(udp, &udp, datagram.at, datagram.n);
    d->source_port = udp.source_port;
    d->destination_port = udp.destination_port;
    d->payload = udp.payload;
    return true;
}
#undef LAYER

void ends_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    struct ends *ends = self;
    struct ends_datagram datagram;
    ends->frames++;
    if (decode(ends, frame, octets, &datagram))
        ends->datagram(ends->self, &datagram, now_ns);
}
