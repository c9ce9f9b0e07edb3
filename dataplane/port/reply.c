// Frames that the host, or the path for it, sends: a buffer of the port's answer pool, the headers,
// and a datagram with its direction reversed. Without a free buffer it counts as unsent.
#include "dataplane/port/port_parts.h"
#include "dataplane/wire/udp.h"

struct rte_mbuf *port_answer_alloc(struct port *port, uint32_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(port->answer_pool);
    if (m && octets <= rte_pktmbuf_tailroom(m)) {
        rte_pktmbuf_append(m, (uint16_t)octets);
        return m;
    }
    port->stats->answers++;
    port->stats->answers_unsent++;
    if (m)
        packet_release(m);
    return NULL;
}

void port_answer_put_ether(const struct port *port, const uint8_t *destination, uint16_t type,
                           uint8_t *b)
{
    memcpy(b, destination, 6);
    memcpy(b + 6, &port->host.mac, 6);
    put_be16(b + 12, type);
}

// An answer has the DSCP of its question; ECN is for congestion control (RFC 6040, RFC 3168 5).
void port_answer_put_ipv4(struct port *port, uint32_t source, uint32_t destination, uint8_t tos,
                          uint8_t protocol, uint32_t payload_octets, uint8_t *b)
{
    struct ipv4 ip = {.tos = tos & 0xfc,
                      .id = (uint16_t)port->ip_id++,
                      .ttl = PORT_HOP_LIMIT,
                      .protocol = protocol,
                      .source = source,
                      .destination = destination};
    ipv4_put_header(&ip, payload_octets, b);
}

void port_answer_put_ipv6(const struct ipv6_address *source, const struct ipv6_address *destination,
                          uint8_t next_header, uint8_t hop_limit, uint32_t payload_octets,
                          uint8_t *b)
{
    put_be32(b, 6u << 28);
    put_be16(b + 4, (uint16_t)payload_octets);
    b[6] = next_header;
    b[7] = hop_limit;
    memcpy(b + 8, source, 16);
    memcpy(b + 24, destination, 16);
}

static bool answers_to(const struct port *port, const struct rte_mbuf *frame,
                       const struct port_endpoint *asker)
{
    if (!mac_is_unicast(rte_pktmbuf_mtod(frame, const uint8_t *) + 6))
        return false;
    return address_is_ipv4(&asker->address)
               ? port_host_answers_ipv4(port, address_ipv4(&asker->address))
               : port_host_answers_ipv6(port, &asker->address);
}

// From the address that was asked, which may be another queue's.
static uint8_t *put_headers(struct port *port, const struct rte_mbuf *frame,
                            const struct port_datagram *datagram, const struct port_endpoint *to,
                            uint32_t udp_octets, uint8_t *b)
{
    bool ipv6 = !address_is_ipv4(&to->address);
    struct ipv6_address source = port_receiver(frame, datagram);
    uint8_t *ip = b + ETHER_OCTETS;
    uint8_t *udp = ip + (ipv6 ? IPV6_OCTETS : IPV4_OCTETS);
    port_answer_put_ether(port, rte_pktmbuf_mtod(frame, const uint8_t *) + 6,
                          ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4, b);
    if (ipv6)
        port_answer_put_ipv6(&source, &to->address, IPV6_NEXT_UDP, PORT_HOP_LIMIT, udp_octets, ip);
    else
        port_answer_put_ipv4(port, address_ipv4(&source), address_ipv4(&to->address), 0,
                             IPV4_PROTOCOL_UDP, udp_octets, ip);
    put_be16(udp, port->host.udp_port);
    put_be16(udp + 2, to->udp_port);
    put_be16(udp + 4, (uint16_t)udp_octets);
    put_be16(udp + 6, 0);
    return udp + UDP_OCTETS;
}

uint8_t *port_reply(struct port *port, const struct rte_mbuf *frame,
                    const struct port_datagram *datagram, uint32_t payload_octets,
                    struct rte_mbuf **answer)
{
    struct port_endpoint asker = port_sender(frame, datagram);
    uint32_t udp_octets = UDP_OCTETS + payload_octets;
    if (!answers_to(port, frame, &asker))
        return NULL;
    *answer = port_answer_alloc(
        port, (uint32_t)ETHER_OCTETS + (datagram->ipv6 ? IPV6_OCTETS : IPV4_OCTETS) + udp_octets);
    return *answer ? put_headers(port, frame, datagram, &asker, udp_octets,
                                 rte_pktmbuf_mtod(*answer, uint8_t *))
                   : NULL;
}

void port_reply_finish(struct rte_mbuf *answer)
{
    uint8_t *b = rte_pktmbuf_mtod(answer, uint8_t *), *ip = b + ETHER_OCTETS;
    struct ipv6_address source, destination;
    if (get_be16(b + 12) == ETHER_TYPE_IPV4) {
        udp_put_checksum(ip + IPV4_OCTETS, answer->data_len - (uint32_t)ETHER_OCTETS - IPV4_OCTETS,
                         get_be32(ip + 12), get_be32(ip + 16));
        return;
    }
    memcpy(&source, ip + 8, sizeof source);
    memcpy(&destination, ip + 24, sizeof destination);
    udp_put_checksum_ipv6(ip + IPV6_OCTETS, answer->data_len - (uint32_t)ETHER_OCTETS - IPV6_OCTETS,
                          &source, &destination);
}
