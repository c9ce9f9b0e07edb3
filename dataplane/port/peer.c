// See peer.h.
#include "dataplane/port/peer.h"

#include "dataplane/port/port_parts.h"

static uint8_t *put_ipv4(struct peer *peer, const struct port_host *host, uint32_t address,
                         uint8_t *ip)
{
    struct ipv4 header = {.ttl = PORT_HOP_LIMIT,
                          .protocol = IPV4_PROTOCOL_UDP,
                          .source = host->ipv4,
                          .destination = address};
    ipv4_put_header(&header, 0, ip);
    put_be16(ip + 2, 0);
    put_be16(ip + 10, 0);
    peer->ip_sum = ipv4_sum(0, ip, IPV4_OCTETS);
    return ip + IPV4_OCTETS;
}

static void put_outer(struct peer *peer, const struct port *port,
                      const struct ipv6_address *address, uint16_t udp_port)
{
    static const uint8_t unknown[6];
    uint8_t *ip = peer->outer + ETHER_OCTETS, *udp;
    port_answer_put_ether(port, unknown, peer->ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4,
                          peer->outer);
    if (peer->ipv6) {
        port_answer_put_ipv6(&port->host.ipv6, address, IPV6_NEXT_UDP, PORT_HOP_LIMIT, 0, ip);
        udp = ip + IPV6_OCTETS;
    } else {
        udp = put_ipv4(peer, &port->host, address_ipv4(address), ip);
    }
    put_be16(udp, port->host.udp_port);
    put_be16(udp + 2, udp_port);
    peer->outer_octets = (uint8_t)(udp + UDP_OCTETS - peer->outer);
}

bool port_peer_setup(struct peer *peer, struct port *port, const struct ipv6_address *address,
                     uint16_t udp_port, const struct mac *mac, uint64_t now_ns)
{
    bool ipv6 = !address_is_ipv4(address);
    if (ipv6 ? address_is_none(&port->host.ipv6) : port->host.ipv4 == 0)
        return false;
    *peer = (struct peer){.ipv6 = ipv6, .made = true, .gave = mac != NULL};
    put_outer(peer, port, address, udp_port);
    peer->neighbour = port_neighbour_use(port, address, mac, now_ns);
    port_neighbour_peer(port, address, 1);
    return true;
}

static struct ipv6_address address_of(const struct peer *peer)
{
    const uint8_t *ip = peer->outer + ETHER_OCTETS;
    struct ipv6_address address;
    if (!peer->ipv6)
        return address_of_ipv4(get_be32(ip + 16));
    memcpy(&address, ip + 24, sizeof address);
    return address;
}

void port_peer_release(struct peer *peer, struct port *port)
{
    if (peer->made) {
        struct ipv6_address address = address_of(peer);
        port_neighbour_peer(port, &address, -1);
        port_neighbour_unuse(port, peer->neighbour, peer->gave);
    }
    *peer = (struct peer){0};
}
