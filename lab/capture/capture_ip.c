// See capture_ip.h.
#include "lab/capture/capture_ip.h"

#include <pcap/dlt.h>
#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define VLAN_TAGS_MAX   4
#define TYPE_QINQ       0x88a8
#define TYPE_QINQ_OLD   0x9100
#define SLL_OCTETS      16
#define SLL_TYPE_AT     14
#define SLL2_OCTETS     20
#define LOOPBACK_OCTETS 4
#define DLT_RAW_ELSE    14  // DLT_RAW on OpenBSD
#define DLT_RAW_FILE    101 // LINKTYPE_RAW

// Where IP begins.
struct start {
    enum { AT_IP, AT_OTHER, AT_CUT, AT_UNKNOWN } what;
    uint32_t at;
};

static struct start behind_type(uint16_t type, uint32_t at)
{
    bool is_ip = type == ETHER_TYPE_IPV4 || type == ETHER_TYPE_IPV6;
    return (struct start){is_ip ? AT_IP : AT_OTHER, at};
}

static struct start in_ethernet(const struct capture_packet *packet)
{
    uint32_t at = ETHER_OCTETS;
    for (uint32_t tags = 0; tags <= VLAN_TAGS_MAX && at <= packet->captured; tags++) {
        uint16_t type = get_be16(packet->octets + at - 2);
        if (type != ETHER_TYPE_VLAN && type != TYPE_QINQ && type != TYPE_QINQ_OLD)
            return behind_type(type, at);
        at += ETHER_TAG_OCTETS;
    }
    return (struct start){at > packet->captured ? AT_CUT : AT_OTHER, at};
}

static struct start at_offset(const struct capture_packet *packet, uint32_t type_at, uint32_t at)
{
    if (packet->captured < at)
        return (struct start){AT_CUT, at};
    return behind_type(get_be16(packet->octets + type_at), at);
}

static struct start start_of(const struct capture_packet *packet)
{
    switch (packet->link) {
    case DLT_EN10MB:
        return in_ethernet(packet);
    case DLT_LINUX_SLL:
        return at_offset(packet, SLL_TYPE_AT, SLL_OCTETS);
    case DLT_LINUX_SLL2:
        return at_offset(packet, 0, SLL2_OCTETS);
    case DLT_NULL:
    case DLT_LOOP: // the family's number is the system's own; IP's version tells as much
        return (struct start){packet->captured < LOOPBACK_OCTETS ? AT_CUT : AT_IP, LOOPBACK_OCTETS};
    case DLT_RAW:
    case DLT_RAW_ELSE:
    case DLT_RAW_FILE:
    case DLT_IPV4:
    case DLT_IPV6:
        return (struct start){AT_IP, 0};
    default:
        return (struct start){AT_UNKNOWN, 0};
    }
}

static uint32_t captured_from(const struct capture_packet *packet, const uint8_t *at, uint32_t n)
{
    uint32_t offset = (uint32_t)(at - packet->octets);
    uint32_t there = packet->captured > offset ? packet->captured - offset : 0;
    return there < n ? there : n;
}

static void set_payload(const struct capture_packet *packet, struct capture_ip *ip,
                        const struct octets *payload)
{
    ip->octets = packet->octets + (payload->at - packet->octets);
    ip->length = payload->n;
    ip->captured = captured_from(packet, payload->at, payload->n);
    ip->room = CAPTURE_ROOM - (uint32_t)(ip->octets - packet->octets);
}

// Puts in what hardware was to compute. False: the checksum is just wrong.
static bool put_checksum(uint8_t *header)
{
    uint32_t octets = (header[0] & 15u) * 4;
    if (get_be16(header + 10) != 0)
        return false;
    put_be16(header + 10, ipv4_fold(ipv4_sum(0, header, octets)));
    return true;
}

static enum capture_count from_ipv4(const struct capture_packet *packet, uint32_t at,
                                    struct capture_ip *ip, uint64_t *counts)
{
    struct ipv4 in;
    uint8_t *b = packet->octets + at;
    uint32_t n = packet->length - at;
    int fault = ipv4_decode(&in, b, n);
    if (fault < 0 && wire_fault_err(fault) == WIRE_CHECKSUM && put_checksum(b)) {
        counts[CAPTURE_ip_checksum_offloaded]++;
        fault = ipv4_decode(&in, b, n);
    }
    if (fault < 0)
        return wire_fault_err(fault) == WIRE_CHECKSUM ? CAPTURE_ip_checksum : CAPTURE_ip_malformed;
    if (captured_from(packet, b, n) < (b[0] & 15u) * 4)
        return CAPTURE_cut_header;
    if (in.fragment_offset)
        return CAPTURE_later_fragment;
    ip->source = address_of_ipv4(in.source);
    ip->destination = address_of_ipv4(in.destination);
    ip->protocol = in.protocol;
    ip->fragment = in.more_fragments;
    set_payload(packet, ip, &in.payload);
    return CAPTURE_taken;
}

static enum capture_count from_ipv6(const struct capture_packet *packet, uint32_t at,
                                    struct capture_ip *ip)
{
    struct ipv6 in;
    if (ipv6_decode(&in, packet->octets + at, packet->length - at) < 0)
        return CAPTURE_ip_malformed;
    if ((uint32_t)(in.payload.at - packet->octets) > packet->captured)
        return CAPTURE_cut_header;
    if (in.has_fragment && in.fragment.offset)
        return CAPTURE_later_fragment;
    ip->source = in.source;
    ip->destination = in.destination;
    ip->protocol = in.next_header;
    ip->fragment = in.has_fragment && in.fragment.more_fragments;
    set_payload(packet, ip, &in.payload);
    return CAPTURE_taken;
}

static enum capture_count verdict_on(const struct capture_packet *packet, struct capture_ip *ip,
                                     uint64_t *counts)
{
    struct start start = start_of(packet);
    if (start.what == AT_UNKNOWN)
        return CAPTURE_link_unknown;
    if (start.what == AT_OTHER)
        return CAPTURE_not_ip;
    if (start.what == AT_CUT || packet->captured < start.at + IPV4_OCTETS)
        return CAPTURE_cut_header;
    switch (packet->octets[start.at] >> 4) {
    case 4:
        return from_ipv4(packet, start.at, ip, counts);
    case 6:
        return from_ipv6(packet, start.at, ip);
    default:
        return CAPTURE_not_ip;
    }
}

bool capture_ip_of(const struct capture_packet *packet, struct capture_ip *ip,
                   uint64_t counts[CAPTURE_COUNTS])
{
    enum capture_count verdict = verdict_on(packet, ip, counts);
    counts[verdict]++;
    if (verdict == CAPTURE_taken)
        counts[CAPTURE_first_fragment] += ip->fragment;
    return verdict == CAPTURE_taken;
}

// ---- UDP ----

// The sum without the one of the pseudo header is what the kernel leaves for hardware.
static uint16_t pseudo_sum(const struct capture_ip *ip, uint32_t n)
{
    uint8_t pseudo[40] = {0};
    bool four = address_is_ipv4(&ip->source);
    uint32_t each = four ? 4 : 16;
    memcpy(pseudo, ip->source.octet + 16 - each, each);
    memcpy(pseudo + each, ip->destination.octet + 16 - each, each);
    put_be32(pseudo + 32, n);
    pseudo[39] = IPV4_PROTOCOL_UDP;
    return (uint16_t)~ipv4_fold(ipv4_sum(0, pseudo, sizeof pseudo));
}

static bool checksum_right(const struct capture_ip *ip, uint32_t n, uint64_t *counts)
{
    uint16_t field = get_be16(ip->octets + 6), pseudo = pseudo_sum(ip, n);
    if (field == 0 && address_is_ipv4(&ip->source))
        return true;
    if (ipv4_fold(ipv4_sum(pseudo, ip->octets, n)) == 0 && field != 0)
        return true;
    counts[CAPTURE_udp_checksum_offloaded] += field == pseudo;
    return field == pseudo;
}

bool capture_ip_udp(const struct capture_ip *ip, struct capture_udp *udp,
                    uint64_t counts[CAPTURE_COUNTS])
{
    if (ip->captured < UDP_OCTETS) {
        counts[CAPTURE_udp_cut]++;
        return false;
    }
    uint32_t n = get_be16(ip->octets + 4);
    bool fits = ip->fragment ? n > ip->length : n == ip->length;
    if (n < UDP_OCTETS || !fits || n > ip->room) {
        counts[CAPTURE_udp_malformed]++;
        return false;
    }
    if (n > ip->captured)
        memset(ip->octets + ip->captured, 0, n - ip->captured);
    else if (!checksum_right(ip, n, counts)) {
        counts[CAPTURE_udp_checksum]++;
        return false;
    }
    *udp = (struct capture_udp){get_be16(ip->octets), get_be16(ip->octets + 2),
                                ip->octets + UDP_OCTETS, ip->captured - UDP_OCTETS, n - UDP_OCTETS};
    return true;
}
