// See flow_outside.h. Left out: the handshakes of QUIC and WireGuard, as TLS is with plain TCP;
// what QUIC puts together in one packet, or sends other than TCP would; datagrams and pings of an
// MS with a tunnel, which go beside it. ECN is outside what it is inside (RFC 6040, RFC 9000 13.4).
#include "lab/hosts/flow_outside.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/hosts/flow_parts.h"

struct flow_outside_segment {
    struct flow_outside_segment *next; // of all
    struct flow_outside_segment *next_spare;
    struct tcp tcp;
    struct udp datagram; // its payload points into the table's content
};

enum tcp_outside flow_outside_of(const struct flow *flow)
{
    const struct flow_config *c = &flow->config;
    return c->protocol == FLOW_PROTOCOL_TCP ? (enum tcp_outside)c->profile[FLOW_HOST]->outside
                                            : TCP_OUTSIDE_PLAIN;
}

bool flow_outside_is_tunnel(enum flow_end at, const struct flow_packet *packet)
{
    uint16_t ms_port = at == FLOW_MS ? packet->destination_port : packet->source_port;
    return packet->ip.protocol == FLOW_PROTOCOL_UDP && ms_port == FLOW_TUNNEL_MS_PORT;
}

static uint32_t payload_octets(enum tcp_outside kind, const struct tcp *tcp)
{
    if (kind == TCP_OUTSIDE_TUNNEL) {
        uint32_t inner = IPV4_OCTETS + tcp_header_octets(tcp) + tcp->payload.n;
        uint32_t blocks = (inner + TCP_TUNNEL_BLOCK - 1) / TCP_TUNNEL_BLOCK;
        return TCP_TUNNEL_OCTETS + blocks * TCP_TUNNEL_BLOCK;
    }
    if (tcp->payload.n || tcp->flags & (TCP_SYN | TCP_FIN | TCP_RST))
        return TCP_QUIC_OCTETS + TCP_QUIC_STREAM_OCTETS + tcp->payload.n;
    return TCP_QUIC_OCTETS + TCP_QUIC_ACK_OCTETS + (uint32_t)tcp->sack.n * TCP_QUIC_RANGE_OCTETS;
}

static uint64_t key_of(enum flow_end to, const struct ipv4 *ip)
{
    uint32_t ms_address = to == FLOW_MS ? ip->destination : ip->source;
    return (uint64_t)ms_address << 32 | (uint32_t)(to == FLOW_MS) << 16 | ip->id;
}

static struct flow_outside_segment *make(struct flow_outside *outside, uint64_t key)
{
    struct flow_outside_segment *segment = map_remove(&outside->segments, key);
    if (!segment && outside->spare) {
        segment = outside->spare;
        outside->spare = segment->next_spare;
    } else if (!segment) {
        segment = need(calloc(1, sizeof *segment));
        segment->next = outside->all;
        outside->all = segment;
    }
    map_add(&outside->segments, key, segment);
    return segment;
}

void flow_outside_close(struct flow_table *table, enum flow_end from, enum tcp_outside kind,
                        struct flow_packet *packet)
{
    struct flow_outside *outside = &table->outside;
    struct flow_outside_segment *s = make(outside, key_of(flow_far(from), &packet->ip));
    bool tunnel = kind == TCP_OUTSIDE_TUNNEL, from_ms = from == FLOW_MS;
    uint16_t ends[] = {FLOW_TUNNEL_HOST_PORT, FLOW_TUNNEL_MS_PORT};
    s->tcp = packet->tcp;
    s->datagram =
        (struct udp){.source_port = tunnel ? ends[from_ms] : s->tcp.source_port,
                     .destination_port = tunnel ? ends[!from_ms] : s->tcp.destination_port,
                     .payload = {flow_table_content(table, outside->datagrams++),
                                 payload_octets(kind, &s->tcp)}};
    packet->ip.protocol = FLOW_PROTOCOL_UDP;
    packet->udp = s->datagram;
}

static bool is_as_sent(const struct udp *got, const struct udp *sent)
{
    return got->source_port == sent->source_port &&
           got->destination_port == sent->destination_port && got->payload.n == sent->payload.n &&
           memcmp(got->payload.at, sent->payload.at, sent->payload.n) == 0;
}

enum flow_fault flow_outside_open(struct flow_table *table, enum flow_end at,
                                  struct flow_packet *packet)
{
    struct flow_outside *outside = &table->outside;
    uint64_t key = key_of(at, &packet->ip);
    struct flow_outside_segment *s = map_find(&outside->segments, key);
    if (!s || !is_as_sent(&packet->udp, &s->datagram))
        return FLOW_FAULT_content;
    map_remove(&outside->segments, key);
    s->next_spare = outside->spare;
    outside->spare = s;
    packet->ip.protocol = FLOW_PROTOCOL_TCP;
    packet->tcp = s->tcp;
    packet->source_port = s->tcp.source_port;
    packet->destination_port = s->tcp.destination_port;
    return FLOW_TAKEN;
}

void flow_outside_release(struct flow_outside *outside)
{
    for (struct flow_outside_segment *s = outside->all, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    map_release(&outside->segments);
    *outside = (struct flow_outside){0};
}
