// ICMP "destination unreachable" (RFC 792, type 3; RFC 4443, type 1) about one of our datagrams,
// which it quotes in part. Any host can send one, so it is only a hint to check. Left out:
// "fragmentation needed" (MTUs are configured), and quotes with IP options or extension headers,
// which our datagrams never have.
#include "dataplane/port/port_parts.h"
#include "dataplane/wire/icmpv6.h"
#include "dataplane/wire/udp.h"

#define ICMP_UNREACHABLE        3
#define ICMP_FRAGMENTATION      4 // the code for "fragmentation needed"
#define ICMPV6_UNREACHABLE      1
#define ERROR_OCTETS            8 // before the quote
#define QUOTED_IPV4_UDP         0x45
#define IPV4_OFFSET_MASK        0x1fff
#define UNREACHABLE_IPV4_OCTETS (ERROR_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define UNREACHABLE_IPV6_OCTETS (ERROR_OCTETS + IPV6_OCTETS + UDP_OCTETS)

// `udp` is the complete quoted UDP header.
static uint32_t tell(const struct port *port, struct ipv6_address to, const uint8_t *udp,
                     uint64_t now_ns)
{
    struct port_endpoint endpoint = {to, get_be16(udp + 2)};
    if (get_be16(udp) != port->host.udp_port)
        return DROP_icmp;
    if (port->unreachable)
        port->unreachable(port->unreachable_self, &endpoint, now_ns);
    return PORT_HOST;
}

uint32_t port_host_unreachable_ipv4(const struct port *port, const struct ipv4 *ip, uint64_t now_ns)
{
    const uint8_t *b = ip->payload.at, *quote = b + ERROR_OCTETS;
    uint32_t n = ip->payload.n;
    if (n < UNREACHABLE_IPV4_OCTETS || b[0] != ICMP_UNREACHABLE || b[1] == ICMP_FRAGMENTATION ||
        ipv4_fold(ipv4_sum(0, b, n)) != 0 || !port_host_answers_ipv4(port, ip->source))
        return DROP_icmp;
    if (quote[0] != QUOTED_IPV4_UDP || get_be16(quote + 6) & IPV4_OFFSET_MASK ||
        quote[9] != IPV4_PROTOCOL_UDP || !port_is_ours_ipv4(port, get_be32(quote + 12)))
        return DROP_icmp;
    return tell(port, address_of_ipv4(get_be32(quote + 16)), quote + IPV4_OCTETS, now_ns);
}

// The caller has checked the checksum.
uint32_t port_host_unreachable_ipv6(const struct port *port, const struct ipv6 *ip, uint64_t now_ns)
{
    const uint8_t *b = ip->payload.at, *quote = b + ERROR_OCTETS;
    struct ipv6_address from, to;
    if (ip->payload.n < UNREACHABLE_IPV6_OCTETS || b[0] != ICMPV6_UNREACHABLE ||
        !port_is_ours_ipv6(port, &ip->destination) || !port_host_answers_ipv6(port, &ip->source))
        return DROP_icmp;
    memcpy(&from, quote + 8, sizeof from);
    memcpy(&to, quote + 24, sizeof to);
    if (quote[0] >> 4 != 6 || quote[6] != IPV6_NEXT_UDP || !port_is_ours_ipv6(port, &from))
        return DROP_icmp;
    return tell(port, to, quote + IPV6_OCTETS, now_ns);
}
