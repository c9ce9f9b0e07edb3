// The IP host that a port is: ARP (RFC 826), neighbour discovery (RFC 4861 7), ICMP echo (RFC 792,
// 4443). An answer goes to the Ethernet address of the question, in a buffer of its own; a source
// that is a group's address, our own or none gets no answer. The host learns a neighbour's address
// from the neighbour's messages, whatever the override flag. Left out: multicast listener reports
// (a switch that snoops on MLD must pass solicited-node groups), router discovery and redirects
// (the gateway is configured), and ICMP errors of our own; received "destination unreachable" is
// handled (unreachable.c).
#include "dataplane/port/port_parts.h"
#include "dataplane/wire/arp.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/icmpv6.h"

static const uint8_t *ether_source(const uint8_t *ether)
{
    return ether + 6;
}

// Not 0/8, 127/8, multicast and beyond, our own, or the broadcast address of our link.
bool port_host_answers_ipv4(const struct port *port, uint32_t source)
{
    const struct port_host *host = &port->host;
    uint32_t net = source >> 24;
    if (net == 0 || net == 127 || net >= 224 || port_is_ours_ipv4(port, source))
        return false;
    if (host->ipv4_prefix == 0 || host->ipv4_prefix > 30)
        return true;
    return source != (host->ipv4 | UINT32_MAX >> host->ipv4_prefix);
}

bool port_host_answers_ipv6(const struct port *port, const struct ipv6_address *source)
{
    static const struct ipv6_address loopback = {{[15] = 1}};
    return source->octet[0] != 0xff && !address_is_none(source) &&
           !address_same(source, &loopback) && !port_is_ours_ipv6(port, source);
}

struct ipv6_address port_host_solicited_node(const struct ipv6_address *address)
{
    struct ipv6_address group = {{0xff, 2, [11] = 1, [12] = 0xff}};
    memcpy(group.octet + 13, address->octet + 13, 3);
    return group;
}

bool port_host_is_solicited_node(const struct port *port, const struct ipv6_address *group)
{
    struct ipv6_address of = port_host_solicited_node(&port->host.ipv6);
    bool is = address_same(group, &of);
    for (uint32_t q = 0; !is && q < port->addresses.n; q++) {
        of = port_host_solicited_node(&port->addresses.of[q].ipv6);
        is = address_same(group, &of);
    }
    return is;
}

// True if the message is useful, here or to another worker: its sender is a neighbour here, or asks
// for us, or tells its own address.
static bool learn(struct port *port, const struct ipv6_address *address, const struct mac *mac,
                  bool for_all, uint64_t now_ns)
{
    bool learnt = port_neighbour_learn(port, address, mac, now_ns);
    if (!port->tell || (!learnt && !for_all))
        return learnt;
    port->tell(port->tell_self, address, mac);
    return true;
}

static void arp_answer(struct port *port, const struct ether *ether, const struct arp *asked)
{
    struct rte_mbuf *m = port_answer_alloc(port, ETHER_OCTETS + ARP_OCTETS);
    if (!m)
        return;
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    port_answer_put_ether(port, ether->source.octet, ETHER_TYPE_ARP, b);
    struct arp reply = {.operation = ARP_REPLY,
                        .sender_mac = port->host.mac,
                        .sender_address = asked->target_address,
                        .target_mac = asked->sender_mac,
                        .target_address = asked->sender_address};
    arp_encode(&reply, b + ETHER_OCTETS, ARP_OCTETS);
    port_answer(port, m);
}

// A request from 0.0.0.0 asks whether our address is taken (RFC 5227), and is answered.
static bool arp_sender_is_sound(const struct port *port, const struct ether *ether,
                                const struct arp *arp)
{
    return mac_is_unicast(ether->source.octet) && mac_is_unicast(arp->sender_mac.octet) &&
           (arp->sender_address == 0 || port_host_answers_ipv4(port, arp->sender_address));
}

uint32_t port_host_arp(struct port *port, const struct ether *ether, uint64_t now_ns)
{
    struct arp arp;
    if (port->host.ipv4 == 0 || arp_decode(&arp, ether->payload.at, ether->payload.n) < 0 ||
        !arp_sender_is_sound(port, ether, &arp))
        return DROP_arp;
    struct ipv6_address sender = address_of_ipv4(arp.sender_address);
    bool about_us = port_is_ours_ipv4(port, arp.target_address);
    bool answer = arp.operation == ARP_REPLY || arp.target_address == arp.sender_address;
    bool learnt = learn(port, &sender, &arp.sender_mac, about_us || answer, now_ns);
    if (!about_us)
        return learnt ? (uint32_t)PORT_HOST : DROP_arp;
    if (arp.operation == ARP_REQUEST)
        arp_answer(port, ether, &arp);
    return PORT_HOST;
}

uint32_t port_host_icmp(struct port *port, const uint8_t *ether, const struct ipv4 *ip,
                        uint64_t now_ns)
{
    struct icmp_echo echo;
    int fault = icmp_echo_decode(&echo, ip->payload.at, ip->payload.n);
    if (fault == wire_fault(WIRE_TYPE, 0))
        return port_host_unreachable_ipv4(port, ip, now_ns);
    if (fault < 0 || echo.reply || !port_host_answers_ipv4(port, ip->source) ||
        !mac_is_unicast(ether_source(ether)))
        return DROP_icmp;
    uint32_t octets = ip->payload.n;
    struct rte_mbuf *m = port_answer_alloc(port, ETHER_OCTETS + IPV4_OCTETS + octets);
    if (!m)
        return PORT_HOST;
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    port_answer_put_ether(port, ether_source(ether), ETHER_TYPE_IPV4, b);
    port_answer_put_ipv4(port, ip->destination, ip->source, ip->tos, IPV4_PROTOCOL_ICMP, octets,
                         b + ETHER_OCTETS);
    echo.reply = true;
    icmp_echo_encode(&echo, b + ETHER_OCTETS + IPV4_OCTETS, octets);
    port_answer(port, m);
    return PORT_HOST;
}

// Makes the IPv6 packet for a message of so many octets; returns the message's address.
static uint8_t *icmpv6_begin(struct port *port, const uint8_t *ether_destination,
                             const struct ipv6_address *source,
                             const struct ipv6_address *destination, uint8_t hop_limit,
                             uint32_t octets, struct rte_mbuf **m)
{
    *m = port_answer_alloc(port, ETHER_OCTETS + IPV6_OCTETS + octets);
    if (!*m)
        return NULL;
    uint8_t *b = rte_pktmbuf_mtod(*m, uint8_t *);
    port_answer_put_ether(port, ether_destination, ETHER_TYPE_IPV6, b);
    port_answer_put_ipv6(source, destination, IPV6_NEXT_ICMPV6, hop_limit, octets,
                         b + ETHER_OCTETS);
    return b + ETHER_OCTETS + IPV6_OCTETS;
}

static uint32_t echo_answer(struct port *port, const uint8_t *ether, const struct ipv6 *ip,
                            struct icmpv6_echo *echo)
{
    if (echo->reply || !port_is_ours_ipv6(port, &ip->destination) ||
        !port_host_answers_ipv6(port, &ip->source) || !mac_is_unicast(ether_source(ether)))
        return DROP_icmp;
    struct rte_mbuf *m;
    uint32_t octets = ip->payload.n;
    uint8_t *b = icmpv6_begin(port, ether_source(ether), &ip->destination, &ip->source,
                              PORT_HOP_LIMIT, octets, &m);
    if (!b)
        return PORT_HOST;
    echo->reply = true;
    icmpv6_echo_encode(echo, b, octets);
    icmpv6_put_checksum(b, octets, &ip->destination, &ip->source);
    port_answer(port, m);
    return PORT_HOST;
}

// Sends to `to`, from the address asked for; answers duplicate address detection, which has no
// source address (RFC 4862 5.4), to all nodes.
static void advertise(struct port *port, const uint8_t *ether, const struct ipv6_address *own,
                      const struct ipv6_address *to)
{
    static const struct ipv6_address all_nodes = {{0xff, 2, [15] = 1}};
    static const uint8_t all_nodes_mac[6] = {0x33, 0x33, 0, 0, 0, 1};
    const uint32_t octets = ICMPV6_NEIGHBOUR_OCTETS + ICMPV6_OPTION_OCTETS;
    bool probe = address_is_none(to);
    const struct ipv6_address *destination = probe ? &all_nodes : to;
    struct rte_mbuf *m;
    uint8_t *b = icmpv6_begin(port, probe ? all_nodes_mac : ether_source(ether), own, destination,
                              ND_HOP_LIMIT, octets, &m);
    if (!b)
        return;
    struct icmpv6_neighbour_advertisement advertisement = {.solicited = !probe,
                                                           .override = true,
                                                           .target = *own,
                                                           .has_target_mac = true,
                                                           .target_mac = port->host.mac};
    icmpv6_neighbour_advertisement_encode(&advertisement, b, octets);
    icmpv6_put_checksum(b, octets, own, destination);
    port_answer(port, m);
}

// The checks of RFC 4861 7.1.1, and that we are the target.
static bool solicitation_is_sound(const struct port *port, const uint8_t *ether,
                                  const struct ipv6 *ip,
                                  const struct icmpv6_neighbour_solicitation *asked)
{
    if (!port_is_ours_ipv6(port, &asked->target) || !mac_is_unicast(ether_source(ether)))
        return false;
    if (!address_is_none(&ip->source))
        return port_host_answers_ipv6(port, &ip->source);
    struct ipv6_address group = port_host_solicited_node(&asked->target);
    return !asked->has_source_mac && address_same(&ip->destination, &group);
}

static uint32_t solicited(struct port *port, const uint8_t *ether, const struct ipv6 *ip,
                          const struct icmpv6_neighbour_solicitation *asked, uint64_t now_ns)
{
    if (!solicitation_is_sound(port, ether, ip, asked))
        return DROP_icmp;
    if (asked->has_source_mac)
        learn(port, &ip->source, &asked->source_mac, true, now_ns);
    advertise(port, ether, &asked->target, &ip->source);
    return PORT_HOST;
}

// RFC 4861 7.1.2. An advertisement to us may repeat a known address; one to all is useful only if
// its address is new.
static uint32_t advertised(struct port *port, const struct ipv6 *ip,
                           const struct icmpv6_neighbour_advertisement *said, uint64_t now_ns)
{
    bool to_us = port_is_ours_ipv6(port, &ip->destination);
    if (!port_host_answers_ipv6(port, &said->target) || (said->solicited && !to_us))
        return DROP_icmp;
    bool learnt =
        said->has_target_mac && learn(port, &said->target, &said->target_mac, true, now_ns);
    return learnt || to_us ? (uint32_t)PORT_HOST : DROP_icmp;
}

uint32_t port_host_icmpv6(struct port *port, const uint8_t *ether, const struct ipv6 *ip,
                          bool fragmented, uint64_t now_ns)
{
    const uint8_t *b = ip->payload.at;
    uint32_t n = ip->payload.n;
    struct icmpv6_echo echo;
    struct icmpv6_neighbour_solicitation asked;
    struct icmpv6_neighbour_advertisement said;
    if (icmpv6_check_checksum(b, n, &ip->source, &ip->destination) != 0)
        return DROP_icmp;
    if (icmpv6_echo_decode(&echo, b, n) >= 0)
        return echo_answer(port, ether, ip, &echo);
    if (ip->hop_limit != ND_HOP_LIMIT || fragmented) // RFC 6980
        return port_host_unreachable_ipv6(port, ip, now_ns);
    if (icmpv6_neighbour_solicitation_decode(&asked, b, n) >= 0)
        return solicited(port, ether, ip, &asked, now_ns);
    if (icmpv6_neighbour_advertisement_decode(&said, b, n) >= 0)
        return advertised(port, ip, &said, now_ns);
    return port_host_unreachable_ipv6(port, ip, now_ns);
}
