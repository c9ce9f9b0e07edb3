// A station that a port sends datagrams to repeatedly: an NS-VC of a BSS, a GGSN. The headers are
// written once; lengths, id, checksums and the neighbour's Ethernet address are written per frame.
#ifndef SLUICE_PORT_PEER_H
#define SLUICE_PORT_PEER_H

#include "dataplane/port/neighbour.h"
#include "dataplane/port/port.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define PEER_OUTER_IPV4_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define PEER_OUTER_IPV6_OCTETS (ETHER_OCTETS + IPV6_OCTETS + UDP_OCTETS)
#define PEER_OUTER_OCTETS_MAX  PEER_OUTER_IPV6_OCTETS

struct peer {
    uint8_t outer[PEER_OUTER_OCTETS_MAX];
    uint16_t ip_id;
    uint32_t ip_sum; // of the IPv4 header with length, id and checksum 0
    uint32_t neighbour;
    uint8_t outer_octets;
    bool ipv6;
    bool made, gave; // gave: its neighbour's MAC was configured
};

// Set-up, by command. False: the port has no address of that family, which control prevents.
// `mac` NULL: the port asks for the neighbour at once.
bool port_peer_setup(struct peer *peer, struct port *port, const struct ipv6_address *address,
                     uint16_t udp_port, const struct mac *mac, uint64_t now_ns);
void port_peer_release(struct peer *peer, struct port *port);

static inline bool peer_ready(const struct peer *peer, const struct port *port)
{
    return peer->made && neighbour_known(port->neighbours, peer->neighbour);
}

// Writes outer_octets of headers in front of a UDP payload of so many octets at b. A frame over
// IPv6 still needs its UDP checksum (port_peer_finish), after the payload is written.
static inline void peer_put(struct peer *peer, const struct port *port, uint32_t payload_octets,
                            uint8_t *b)
{
    if (__builtin_expect(peer->ipv6, 0)) {
        memcpy(b, peer->outer, PEER_OUTER_IPV6_OCTETS);
        put_be16(b + ETHER_OCTETS + 4, (uint16_t)(payload_octets + UDP_OCTETS));
    } else {
        uint8_t *ip = b + ETHER_OCTETS;
        uint32_t ip_octets = IPV4_OCTETS + UDP_OCTETS + payload_octets;
        uint16_t id = peer->ip_id++;
        memcpy(b, peer->outer, PEER_OUTER_IPV4_OCTETS);
        put_be16(ip + 2, (uint16_t)ip_octets);
        put_be16(ip + 4, id);
        put_be16(ip + 10, ipv4_fold(peer->ip_sum + ip_octets + id));
    }
    put_be16(b + peer->outer_octets - 4, (uint16_t)(payload_octets + UDP_OCTETS));
    neighbour_put_mac(port->neighbours, peer->neighbour, b);
}

// Gives a whole frame over IPv6 its UDP checksum, or leaves that to the NIC (sums.c); over IPv4 it
// stays 0. The frame's first buffer has all of it.
void port_peer_finish(const struct port *port, struct rte_mbuf *frame);

#endif
