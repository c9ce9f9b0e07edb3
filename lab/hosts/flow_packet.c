// See flow_packet.h.
#include "lab/hosts/flow_packet.h"

#include <stdlib.h>

#define TTL 64

static enum flow_fault fault_of(int result)
{
    if (result >= 0)
        return FLOW_TAKEN;
    return wire_fault_err(result) == WIRE_CHECKSUM ? FLOW_FAULT_checksum : FLOW_FAULT_transport;
}

// Over the pseudo header of RFC 768 too. A datagram without a checksum is not intact.
static bool udp_is_intact(const struct ipv4 *ip)
{
    struct octets p = ip->payload;
    uint32_t sum = IPV4_PROTOCOL_UDP + p.n;
    sum += (ip->source >> 16) + (ip->source & 0xffff);
    sum += (ip->destination >> 16) + (ip->destination & 0xffff);
    return ipv4_fold(ipv4_sum(sum, p.at, p.n)) == 0;
}

static enum flow_fault decode_udp(struct flow_packet *packet)
{
    struct octets p = packet->ip.payload;
    enum flow_fault fault = fault_of(udp_decode(&packet->udp, p.at, p.n));
    if (fault == FLOW_TAKEN && !udp_is_intact(&packet->ip))
        fault = FLOW_FAULT_checksum;
    packet->source_port = packet->udp.source_port;
    packet->destination_port = packet->udp.destination_port;
    return fault;
}

static enum flow_fault decode_tcp(struct flow_packet *packet)
{
    const struct ipv4 *ip = &packet->ip;
    struct octets p = ip->payload;
    enum flow_fault fault = fault_of(tcp_decode(&packet->tcp, p.at, p.n));
    if (fault == FLOW_TAKEN)
        fault = fault_of(tcp_check_checksum(p.at, p.n, ip->source, ip->destination));
    packet->source_port = packet->tcp.source_port;
    packet->destination_port = packet->tcp.destination_port;
    return fault;
}

static enum flow_fault decode_echo(struct flow_packet *packet)
{
    struct octets p = packet->ip.payload;
    enum flow_fault fault = fault_of(icmp_echo_decode(&packet->echo, p.at, p.n));
    packet->source_port = packet->destination_port = packet->echo.identifier;
    return fault;
}

enum flow_fault flow_packet_decode(struct flow_packet *packet, const uint8_t *ip, uint32_t octets)
{
    *packet = (struct flow_packet){0};
    int taken = ipv4_decode(&packet->ip, ip, octets);
    if (taken < 0 || (uint32_t)taken != octets)
        return FLOW_FAULT_ip_header;
    if (packet->ip.more_fragments || packet->ip.fragment_offset)
        return FLOW_FAULT_fragment;
    switch (packet->ip.protocol) {
    case FLOW_PROTOCOL_UDP:
        return decode_udp(packet);
    case FLOW_PROTOCOL_TCP:
        return decode_tcp(packet);
    case FLOW_PROTOCOL_ICMP:
        return decode_echo(packet);
    default:
        return FLOW_FAULT_protocol;
    }
}

static int encode_transport(const struct flow_packet *packet, uint8_t *b, uint32_t room)
{
    const struct ipv4 *ip = &packet->ip;
    int n;
    switch (ip->protocol) {
    case FLOW_PROTOCOL_UDP:
        n = udp_encode(&packet->udp, b, room);
        if (n > 0)
            udp_put_checksum(b, (uint32_t)n, ip->source, ip->destination);
        return n;
    case FLOW_PROTOCOL_TCP:
        n = tcp_encode(&packet->tcp, b, room);
        if (n > 0)
            tcp_put_checksum(b, (uint32_t)n, ip->source, ip->destination);
        return n;
    default:
        return icmp_echo_encode(&packet->echo, b, room);
    }
}

uint32_t flow_packet_encode(const struct flow_packet *packet, uint8_t *ip)
{
    int n = encode_transport(packet, ip + IPV4_OCTETS, FLOW_OCTETS_MOST - IPV4_OCTETS);
    if (n < 0) // no packet of ours is too long
        abort();
    struct ipv4 header = packet->ip;
    header.ttl = TTL;
    ipv4_put_header(&header, (uint32_t)n, ip);
    return IPV4_OCTETS + (uint32_t)n;
}
