// See capture_ip.h. Lengths are those of the headers, not of what was captured: IPv4's total length
// and IPv6's payload length; 0, as a card that segments leaves it: the frame's.
#include "lab/captures/read/capture_ip.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define IPV6_EXTENSION_OCTETS 8 // the least, and a fragment header's

// ---- IP ----

// The packet without what is behind it, such as padding.
static struct capture_view ended(struct capture_view view, uint32_t length)
{
    view.length = length;
    view.captured = view.captured < length ? view.captured : length;
    return view;
}

// Nearly all headers have 20 octets: those are added up in words. A sum of ones' complement is the
// same in either order of octets, but for that order.
static bool is_header_wrong(const uint8_t *b, uint32_t header)
{
    uint32_t word[IPV4_OCTETS / 4];
    if (header != sizeof word)
        return ipv4_fold(ipv4_sum(0, b, header)) != 0;
    memcpy(word, b, sizeof word);
    uint64_t sum = (uint64_t)word[0] + word[1] + word[2] + word[3] + word[4];
    sum = (sum & 0xffffffff) + (sum >> 32);
    return ipv4_fold((uint32_t)((sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32))) != 0;
}

static enum capture_count read_ipv4(struct capture_view packet, struct capture_ip *ip,
                                    uint64_t *counts)
{
    const uint8_t *b = packet.octets;
    if (packet.captured < IPV4_OCTETS)
        return packet.length < IPV4_OCTETS ? CAPTURE_ip_malformed : CAPTURE_cut_header;
    uint32_t header = (b[0] & 15u) * 4, total = get_be16(b + 2);
    total = total ? total : packet.length;
    if (header < IPV4_OCTETS || total < header || total > packet.length)
        return CAPTURE_ip_malformed;
    if (packet.captured < header)
        return CAPTURE_cut_header;
    if (is_header_wrong(b, header)) {
        bool none = get_be16(b + 10) == 0;
        ip->sum_wrong |= !none;
        counts[CAPTURE_ip_checksum_offloaded] += none;
    }
    uint16_t flags = get_be16(b + 6);
    ip->source = address_of_ipv4(get_be32(b + 12));
    ip->destination = address_of_ipv4(get_be32(b + 16));
    ip->packet_octets = total;
    ip->id = get_be16(b + 4);
    ip->protocol = b[9];
    ip->fragment_id = ip->id;
    ip->fragment_at = (flags & 0x1fffu) * 8;
    ip->more = flags & IPV4_FLAG_MF;
    ip->first = (flags & 0x1fff) == 0;
    ip->fragment = !ip->first || flags & IPV4_FLAG_MF;
    ip->payload = capture_view_behind(ended(packet, total), header);
    return ip->first ? CAPTURE_taken : CAPTURE_later_fragment;
}

// Steps over the extension headers that are in front of a transport header.
static enum capture_count step_over(struct capture_ip *ip)
{
    for (int i = 0; i < IPV6_EXTENSIONS_MAX; i++) {
        bool is_fragment = ip->protocol == IPV6_NEXT_FRAGMENT;
        const uint8_t *b = ip->payload.octets;
        if (!ipv6_is_stepped_over(ip->protocol) && !is_fragment)
            return CAPTURE_taken;
        if (ip->payload.length < IPV6_EXTENSION_OCTETS)
            return CAPTURE_ip_malformed;
        if (ip->payload.captured < IPV6_EXTENSION_OCTETS)
            return CAPTURE_cut_header;
        uint32_t octets = IPV6_EXTENSION_OCTETS + (is_fragment ? 0 : 8u * b[1]);
        if (octets > ip->payload.length)
            return CAPTURE_ip_malformed;
        if (octets > ip->payload.captured)
            return CAPTURE_cut_header;
        if (is_fragment && get_be16(b + 2) & 0xfff9) { // else it is all of the datagram
            ip->fragment = true;
            ip->fragment_id = get_be32(b + 4);
            ip->fragment_at = get_be16(b + 2) & 0xfff8;
            ip->more = b[3] & 1;
            ip->first = (get_be16(b + 2) & 0xfff8) == 0;
        }
        ip->protocol = b[0];
        ip->payload = capture_view_behind(ip->payload, octets);
        if (!ip->first)
            return CAPTURE_later_fragment;
    }
    return CAPTURE_ip_malformed;
}

static enum capture_count read_ipv6(struct capture_view packet, struct capture_ip *ip)
{
    const uint8_t *b = packet.octets;
    if (packet.captured < IPV6_OCTETS)
        return packet.length < IPV6_OCTETS ? CAPTURE_ip_malformed : CAPTURE_cut_header;
    uint32_t total = IPV6_OCTETS + get_be16(b + 4);
    total = total > IPV6_OCTETS ? total : packet.length;
    if (total > packet.length)
        return CAPTURE_ip_malformed;
    memcpy(&ip->source, b + 8, 16);
    memcpy(&ip->destination, b + 24, 16);
    ip->packet_octets = total;
    ip->id = 0;
    ip->protocol = b[6];
    ip->fragment = false;
    ip->first = true;
    ip->payload = capture_view_behind(ended(packet, total), IPV6_OCTETS);
    return step_over(ip);
}

enum capture_count capture_ip_read(struct capture_view packet, struct capture_ip *ip,
                                   uint64_t counts[CAPTURE_COUNTS])
{
    if (packet.captured == 0)
        return packet.length == 0 ? CAPTURE_ip_malformed : CAPTURE_cut_header;
    uint8_t version = packet.octets[0] >> 4;
    return version == 4   ? read_ipv4(packet, ip, counts)
           : version == 6 ? read_ipv6(packet, ip)
                          : CAPTURE_ip_malformed;
}

// ---- Checksums ----

static uint32_t sum_of_halves(uint32_t word)
{
    return (word >> 16) + (word & 0xffff);
}

static uint32_t pseudo_sum(const struct capture_ip *ip, uint32_t n)
{
    uint32_t sum = ip->protocol + sum_of_halves(n);
    if (address_is_ipv4(&ip->source))
        return sum + sum_of_halves(address_ipv4(&ip->source)) +
               sum_of_halves(address_ipv4(&ip->destination));
    return ipv4_sum(ipv4_sum(sum, ip->source.octet, 16), ip->destination.octet, 16);
}

enum capture_sum capture_ip_sum(const struct capture_ip *ip, uint32_t n, uint32_t at)
{
    uint32_t pseudo = pseudo_sum(ip, n);
    if (ipv4_fold(ipv4_sum(pseudo, ip->payload.octets, n)) == 0)
        return CAPTURE_SUM_RIGHT;
    uint16_t of_pseudo = ipv4_fold(pseudo) ^ 0xffff;
    bool left = get_be16(ip->payload.octets + at) == of_pseudo;
    return left ? CAPTURE_SUM_LEFT : CAPTURE_SUM_WRONG;
}

// ---- UDP ----

uint8_t *capture_room_of(struct capture_room *room, uint32_t n)
{
    if (room->n < n || !room->octets) {
        free(room->octets);
        room->octets = malloc(n ? n : 1);
        if (!room->octets)
            abort();
        room->n = n;
    }
    return room->octets;
}

const uint8_t *capture_ip_whole(const struct capture_ip *ip, uint32_t n, struct capture_room *room)
{
    uint32_t there = ip->payload.captured;
    if (n <= there)
        return ip->payload.octets;
    uint8_t *octets = capture_room_of(room, n);
    memcpy(octets, ip->payload.octets, there);
    memset(octets + there, 0, n - there);
    return octets;
}

static bool checksum_right(const struct capture_ip *ip, uint32_t n, uint64_t *counts)
{
    bool none = get_be16(ip->payload.octets + 6) == 0;
    if (none)
        return address_is_ipv4(&ip->source);
    enum capture_sum sum = capture_ip_sum(ip, n, 6);
    counts[CAPTURE_udp_checksum_offloaded] += sum == CAPTURE_SUM_LEFT;
    return sum != CAPTURE_SUM_WRONG;
}

bool capture_ip_udp(const struct capture_ip *ip, struct capture_udp *udp, struct capture_room *room,
                    uint64_t counts[CAPTURE_COUNTS])
{
    const uint8_t *b = ip->payload.octets;
    uint32_t captured = ip->payload.captured;
    if (captured < UDP_OCTETS) {
        counts[CAPTURE_udp_cut]++;
        return false;
    }
    uint32_t n = get_be16(b + 4);
    if (n < UDP_OCTETS || (ip->fragment ? n <= ip->payload.length : n != ip->payload.length)) {
        counts[CAPTURE_udp_malformed]++;
        return false;
    }
    if (n <= captured && !checksum_right(ip, n, counts)) {
        counts[CAPTURE_udp_checksum]++;
        return false;
    }
    *udp = (struct capture_udp){get_be16(b), get_be16(b + 2),
                                capture_ip_whole(ip, n, room) + UDP_OCTETS, captured - UDP_OCTETS,
                                n - UDP_OCTETS};
    return true;
}

const char *capture_ip_text(const struct ipv6_address *address, char *room)
{
    bool is_ipv4 = address_is_ipv4(address);
    return inet_ntop(is_ipv4 ? AF_INET : AF_INET6, address->octet + (is_ipv4 ? 12 : 0), room,
                     INET6_ADDRSTRLEN);
}
