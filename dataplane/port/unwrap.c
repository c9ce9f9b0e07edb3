// From a frame to the UDP datagram in it. The fast way takes nearly every frame: to our Ethernet
// address, IPv4 without options, complete, UDP to our port, in one buffer. All others, and all
// faults, take the general way, which decodes layer by layer; on a frame that the fast way accepts
// both ways give the same result (unwrap_random_test.c). Datagrams for a second UDP port are of the
// general way alone.
//
// Checksums: the IP header's is always computed. UDP's is the NIC's verdict, or computed with
// check_udp. A UDP checksum of 0 means none over IPv4; over IPv6, where tunnels may omit it (RFC
// 6935), it passes unless check_udp is set. A NIC's verdict "bad" on a checksum of 0 is ignored, as
// some NICs report it wrongly. Tags of a VLAN were taken off before (vlan.c); options of IPv4 and
// IPv6 are skipped.
#include <rte_prefetch.h>

#include "dataplane/port/port_parts.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/udp.h"

#define PREFETCH_AHEAD 4
#define IPV4_ETHER     (ETHER_OCTETS + IPV4_OCTETS)
#define FAST_OCTETS    (IPV4_ETHER + UDP_OCTETS)

static bool nic_says_bad_ip(const struct rte_mbuf *m)
{
    return (m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_BAD;
}

// Ones' complement sums are independent of octet order and word size.
static inline bool header_sum_is_good(const uint8_t *ip)
{
    uint32_t word[IPV4_OCTETS / 4];
    uint64_t sum = 0;
    memcpy(word, ip, sizeof word);
    for (uint32_t i = 0; i < IPV4_OCTETS / 4; i++)
        sum += word[i];
    sum = (sum >> 32) + (sum & UINT32_MAX);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return (sum >> 16) + (sum & 0xffff) == 0xffff;
}

bool port_unwrap_fast(const struct port *port, const struct rte_mbuf *m,
                      struct port_datagram *datagram)
{
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    const uint8_t *ip = b + ETHER_OCTETS, *udp = ip + IPV4_OCTETS;
    if (m->nb_segs != 1 || m->data_len < FAST_OCTETS || nic_says_bad_ip(m))
        return false;
    if (memcmp(b, &port->host.mac, sizeof port->host.mac) != 0 ||
        get_be16(b + 12) != ETHER_TYPE_IPV4 || ip[0] != 0x45 || get_be16(ip + 6) & ~IPV4_FLAG_DF ||
        ip[9] != IPV4_PROTOCOL_UDP || !port_is_ours_ipv4(port, get_be32(ip + 16)))
        return false;
    uint32_t total = get_be16(ip + 2);
    if (total < IPV4_OCTETS + UDP_OCTETS || total > m->data_len - (uint32_t)ETHER_OCTETS ||
        !header_sum_is_good(ip))
        return false;
    if (get_be16(udp + 2) != port->host.udp_port || get_be16(udp + 4) != total - IPV4_OCTETS)
        return false;
    uint64_t judged = m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;
    if (get_be16(udp + 6) != 0 && (judged == RTE_MBUF_F_RX_L4_CKSUM_BAD ||
                                   (judged == RTE_MBUF_F_RX_L4_CKSUM_UNKNOWN && port->check_udp)))
        return false;
    *datagram =
        (struct port_datagram){.payload_offset = FAST_OCTETS,
                               .payload_octets = (uint16_t)(total - IPV4_OCTETS - UDP_OCTETS),
                               .ecn = ip[1] & 3,
                               .ip_offset = ETHER_OCTETS};
    return true;
}

// `addresses` are the source and destination of the IP header, which are adjacent.
static bool udp_sum_is_good(const struct rte_mbuf *m, const struct udp *udp, struct octets whole,
                            struct octets addresses, bool check)
{
    if (udp->checksum == 0)
        return addresses.n == 8 || !check;
    uint64_t judged = m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;
    if (judged != RTE_MBUF_F_RX_L4_CKSUM_UNKNOWN)
        return judged != RTE_MBUF_F_RX_L4_CKSUM_BAD;
    if (!check)
        return true;
    uint32_t pseudo = ipv4_sum(IPV4_PROTOCOL_UDP + whole.n, addresses.at, addresses.n);
    return ipv4_fold(ipv4_sum(pseudo, whole.at, whole.n)) == 0;
}

static uint32_t unwrap_udp(const struct port *port, const struct rte_mbuf *m, struct octets whole,
                           struct octets addresses, struct port_datagram *datagram)
{
    struct udp udp;
    if (udp_decode(&udp, whole.at, whole.n) < 0)
        return DROP_udp;
    bool first = udp.destination_port == port->host.udp_port;
    if (!first && (port->second_udp_port == 0 || udp.destination_port != port->second_udp_port))
        return DROP_other_port;
    if (!udp_sum_is_good(m, &udp, whole, addresses, port->check_udp || !first))
        return DROP_udp_checksum;
    datagram->ip_offset = ETHER_OCTETS;
    datagram->payload_offset = (uint16_t)(udp.payload.at - rte_pktmbuf_mtod(m, const uint8_t *));
    datagram->payload_octets = (uint16_t)udp.payload.n;
    return first ? PORT_PASSED : (uint32_t)PORT_SECOND;
}

static uint32_t unwrap_ipv4(struct port *port, struct rte_mbuf **frame,
                            struct port_datagram *datagram, uint64_t now_ns)
{
    struct rte_mbuf *m = *frame;
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    struct ipv4 ip;
    if (nic_says_bad_ip(m) ||
        ipv4_decode(&ip, b + ETHER_OCTETS, m->data_len - (uint32_t)ETHER_OCTETS) < 0)
        return DROP_ip_header;
    if (!port_is_ours_ipv4(port, ip.destination))
        return DROP_not_ours;
    if (ip.more_fragments || ip.fragment_offset) {
        *frame = port_fragment_join_ipv4(port, m, &ip, now_ns);
        return *frame ? unwrap_ipv4(port, frame, datagram, now_ns) : (uint32_t)PORT_HELD;
    }
    if (ip.protocol == IPV4_PROTOCOL_ICMP)
        return port_host_icmp(port, b, &ip, now_ns);
    if (ip.protocol != IPV4_PROTOCOL_UDP)
        return DROP_other_port;
    *datagram = (struct port_datagram){.ecn = ip.tos & 3};
    return unwrap_udp(port, m, ip.payload, (struct octets){b + ETHER_OCTETS + 12, 8}, datagram);
}

// An address of ours, or a group for neighbour discovery.
static bool is_ours_ipv6(const struct port *port, const struct ether *ether, const struct ipv6 *ip)
{
    static const struct ipv6_address all_nodes = {{0xff, 2, [15] = 1}};
    if (address_is_none(&port->host.ipv6))
        return false;
    if (port_is_ours_ipv6(port, &ip->destination))
        return !(ether->destination.octet[0] & 1);
    return ip->next_header == IPV6_NEXT_ICMPV6 &&
           (port_host_is_solicited_node(port, &ip->destination) ||
            address_same(&ip->destination, &all_nodes));
}

static uint32_t unwrap_ipv6(struct port *port, struct rte_mbuf **frame, const struct ether *ether,
                            bool joined, struct port_datagram *datagram, uint64_t now_ns)
{
    struct rte_mbuf *m = *frame;
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    struct ipv6 ip;
    if (ipv6_decode(&ip, b + ETHER_OCTETS, m->data_len - (uint32_t)ETHER_OCTETS) < 0)
        return DROP_ip_header;
    if (!is_ours_ipv6(port, ether, &ip))
        return DROP_not_ours;
    // A fragment that is its whole packet waits for no other (RFC 6946).
    if (ip.has_fragment && (ip.fragment.more_fragments || ip.fragment.offset)) {
        if (joined)
            return DROP_fragment;
        *frame = port_fragment_join_ipv6(port, m, &ip, now_ns);
        return *frame ? unwrap_ipv6(port, frame, ether, true, datagram, now_ns)
                      : (uint32_t)PORT_HELD;
    }
    if (ip.next_header == IPV6_NEXT_ICMPV6)
        return port_host_icmpv6(port, b, &ip, joined || ip.has_fragment, now_ns);
    if (ip.next_header != IPV6_NEXT_UDP)
        return DROP_other_port;
    *datagram = (struct port_datagram){.ecn = ip.traffic_class & 3, .ipv6 = true};
    return unwrap_udp(port, m, ip.payload, (struct octets){b + ETHER_OCTETS + 8, 32}, datagram);
}

uint32_t port_unwrap_general(struct port *port, struct rte_mbuf **frame,
                             struct port_datagram *datagram, uint64_t now_ns)
{
    struct rte_mbuf *m = *frame;
    struct ether ether;
    if (m->nb_segs > 1 && rte_pktmbuf_linearize(m) != 0)
        return DROP_buffer_chain;
    if (!port_priority_tag(port, m))
        return DROP_vlan;
    if (ether_decode(&ether, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len) < 0 ||
        (ether.type != ETHER_TYPE_IPV4 && ether.type != ETHER_TYPE_IPV6 &&
         ether.type != ETHER_TYPE_ARP))
        return DROP_not_ip;
    bool group = ether.destination.octet[0] & 1;
    if (!group && memcmp(&ether.destination, &port->host.mac, sizeof ether.destination) != 0)
        return DROP_not_ours;
    if (ether.type == ETHER_TYPE_ARP)
        return port_host_arp(port, &ether, now_ns);
    if (ether.type == ETHER_TYPE_IPV6)
        return unwrap_ipv6(port, frame, &ether, false, datagram, now_ns);
    return group ? (uint32_t)DROP_not_ours : unwrap_ipv4(port, frame, datagram, now_ns);
}

// True if the frame, which may be a reassembled one then, is for the path.
static bool unwrap(struct port *port, struct rte_mbuf **frame, struct port_datagram *datagram,
                   uint64_t now_ns)
{
    if (port_unwrap_fast(port, *frame, datagram))
        return true;
    uint32_t verdict = port_unwrap_general(port, frame, datagram, now_ns);
    if (verdict == PORT_HOST) {
        port->stats->host_packets++;
        port->stats->host_octets += (*frame)->pkt_len;
        packet_release(*frame);
    } else if (verdict == PORT_SECOND) {
        port->second(port->second_self, *frame, datagram, now_ns);
    } else if (verdict < DROP_COUNT) {
        packet_drop(port->stats->drop, (enum drop_reason)verdict, *frame, (*frame)->pkt_len);
    }
    return verdict == PORT_PASSED;
}

uint32_t port_unwrap(struct port *port, struct rte_mbuf **frames, struct port_datagram *datagrams,
                     uint32_t n, uint64_t now_ns)
{
    uint32_t passed = 0;
    uint64_t octets = 0;
    for (uint32_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
        rte_prefetch0(rte_pktmbuf_mtod(frames[i], void *));
    for (uint32_t i = 0; i < n; i++) {
        struct rte_mbuf *m = frames[i];
        if (i + PREFETCH_AHEAD < n)
            rte_prefetch0(rte_pktmbuf_mtod(frames[i + PREFETCH_AHEAD], void *));
        octets += m->pkt_len;
        if (unwrap(port, &m, &datagrams[passed], now_ns))
            frames[passed++] = m;
    }
    port->stats->rx_packets += n;
    port->stats->rx_octets += octets;
    return passed;
}

struct ipv6_address port_receiver(const struct rte_mbuf *frame,
                                  const struct port_datagram *datagram)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, datagram->ip_offset);
    struct ipv6_address receiver;
    if (!datagram->ipv6)
        return address_of_ipv4(get_be32(ip + 16));
    memcpy(&receiver, ip + 24, sizeof receiver);
    return receiver;
}

struct port_endpoint port_sender(const struct rte_mbuf *frame, const struct port_datagram *datagram)
{
    const uint8_t *b = rte_pktmbuf_mtod(frame, const uint8_t *);
    const uint8_t *ip = b + datagram->ip_offset;
    struct port_endpoint sender = {.udp_port = get_be16(b + datagram->payload_offset - UDP_OCTETS)};
    if (datagram->ipv6)
        memcpy(&sender.address, ip + 8, sizeof sender.address);
    else
        sender.address = address_of_ipv4(get_be32(ip + 12));
    return sender;
}
