// See gi_packet.h. Lengths are those of the headers, not of what was captured: IPv4's total length
// (0, as a card that segments leaves it: the frame's), IPv6's payload length. A tunnel is opened
// once; of an outer packet in fragments the first is enough, for the inner header has its own
// length. Checksums are judged where the snap length left all of what they cover.
#include "lab/gi/gi_packet.h"

#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/udp.h"

// What IP carries.
struct inner {
    uint8_t protocol;
    bool fragment, first;
    struct gi_view view; // behind the IP header; length: as IP says
};

// ---- IP ----

static enum gi_count read_ipv4(struct gi_packet *packet, struct gi_view ip, struct inner *inner)
{
    const uint8_t *b = ip.at;
    if (ip.captured < IPV4_OCTETS)
        return GI_COUNT_cut;
    uint32_t header = (b[0] & 15u) * 4, total = get_be16(b + 2);
    total = total ? total : ip.length;
    if (header < IPV4_OCTETS || total < header || total > ip.length)
        return GI_COUNT_odd;
    if (ip.captured < header)
        return GI_COUNT_cut;
    if (get_be16(b + 10) && ipv4_fold(ipv4_sum(0, b, header)) != 0)
        return GI_COUNT_ip_checksum;
    uint16_t flags = get_be16(b + 6);
    packet->from.address = address_of_ipv4(get_be32(b + 12));
    packet->to.address = address_of_ipv4(get_be32(b + 16));
    packet->ip_octets = total;
    packet->ip_id = get_be16(b + 4);
    inner->protocol = b[9];
    inner->first = (flags & 0x1fff) == 0;
    inner->fragment = !inner->first || flags & IPV4_FLAG_MF;
    ip.length = total;
    ip.captured = ip.captured < total ? ip.captured : total;
    inner->view = gi_view_behind(ip, header);
    return GI_COUNT_segments;
}

// Steps over the extension headers that are in front of a transport header.
static enum gi_count step_over(struct inner *inner)
{
    for (int i = 0; i < IPV6_EXTENSIONS_MAX; i++) {
        uint8_t next = inner->protocol;
        if (!ipv6_is_stepped_over(next) && next != IPV6_NEXT_FRAGMENT)
            return GI_COUNT_segments;
        if (inner->view.captured < 8)
            return inner->view.length < 8 ? GI_COUNT_odd : GI_COUNT_cut;
        const uint8_t *b = inner->view.at;
        uint32_t octets = next == IPV6_NEXT_FRAGMENT ? 8 : 8 + 8u * b[1];
        if (octets > inner->view.length)
            return GI_COUNT_odd;
        if (octets > inner->view.captured)
            return GI_COUNT_cut;
        if (next == IPV6_NEXT_FRAGMENT && get_be16(b + 2) & 0xfff9) {
            inner->fragment = true;
            inner->first = (get_be16(b + 2) & 0xfff8) == 0;
        }
        inner->protocol = b[0];
        inner->view = gi_view_behind(inner->view, octets);
        if (inner->fragment && !inner->first)
            return GI_COUNT_segments;
    }
    return GI_COUNT_odd;
}

static enum gi_count read_ipv6(struct gi_packet *packet, struct gi_view ip, struct inner *inner)
{
    const uint8_t *b = ip.at;
    if (ip.captured < IPV6_OCTETS)
        return GI_COUNT_cut;
    uint32_t total = IPV6_OCTETS + get_be16(b + 4);
    total = total > IPV6_OCTETS ? total : ip.length;
    if (total > ip.length)
        return GI_COUNT_odd;
    memcpy(&packet->from.address, b + 8, 16);
    memcpy(&packet->to.address, b + 24, 16);
    packet->ip_octets = total;
    packet->ip_id = 0;
    *inner = (struct inner){.protocol = b[6], .first = true};
    ip.length = total;
    ip.captured = ip.captured < total ? ip.captured : total;
    inner->view = gi_view_behind(ip, IPV6_OCTETS);
    return step_over(inner);
}

static enum gi_count read_ip(struct gi_packet *packet, struct gi_view ip, struct inner *inner)
{
    if (ip.captured == 0)
        return GI_COUNT_cut;
    uint8_t version = ip.at[0] >> 4;
    return version == 4   ? read_ipv4(packet, ip, inner)
           : version == 6 ? read_ipv6(packet, ip, inner)
                          : GI_COUNT_odd;
}

// ---- GTP-U ----

// The T-PDU of a G-PDU. GI_COUNT_other_protocols: this is no GTP.
static enum gi_count read_gtp(struct gi_view udp, struct gi_view *ip)
{
    struct gi_view view = gi_view_behind(udp, UDP_OCTETS);
    if (view.captured < GTPU_OCTETS)
        return view.length < GTPU_OCTETS ? GI_COUNT_other_protocols : GI_COUNT_cut;
    const uint8_t *b = view.at;
    if ((b[0] & 0xf0) != GTPU_PLAIN)
        return GI_COUNT_other_protocols;
    if (b[1] != GTPU_G_PDU)
        return GI_COUNT_gtp_other;
    bool options = b[0] & 7;
    uint32_t header = GTPU_OCTETS + (options ? GTPU_OPTIONS_OCTETS : 0);
    if (view.captured < header)
        return GI_COUNT_cut;
    uint8_t next = b[0] & 4 ? b[11] : 0;
    view = gi_view_behind(view, header);
    while (next) {
        uint32_t octets = view.captured ? 4u * view.at[0] : 0;
        if (octets == 0 || octets > view.captured)
            return octets == 0 && view.captured ? GI_COUNT_odd : GI_COUNT_cut;
        next = view.at[octets - 1];
        view = gi_view_behind(view, octets);
    }
    *ip = view;
    return GI_COUNT_segments;
}

// ---- TCP ----

static void read_sack(struct gi_packet *packet, const uint8_t *b, uint32_t octets)
{
    for (uint32_t at = 2; at + 8 <= octets && packet->sack_blocks < GI_SACK_BLOCKS; at += 8) {
        packet->sack[packet->sack_blocks].left = get_be32(b + at);
        packet->sack[packet->sack_blocks++].right = get_be32(b + at + 4);
    }
}

static void read_option(struct gi_packet *packet, const uint8_t *b, uint32_t octets)
{
    if (b[0] == 3 && octets == 3) {
        packet->has_scale = true;
        packet->scale = b[2] > TCP_SCALE_MOST ? TCP_SCALE_MOST : b[2];
    } else if (b[0] == 4 && octets == 2) {
        packet->sack_permitted = true;
    } else if (b[0] == 5) {
        read_sack(packet, b, octets);
    } else if (b[0] == 8 && octets == 10) {
        packet->has_timestamps = true;
        packet->timestamp = get_be32(b + 2);
        packet->echo = get_be32(b + 6);
    }
}

// Options after one that is wrong are not read: a receiver does not know where they begin.
static void read_options(struct gi_packet *packet, const uint8_t *b, uint32_t n)
{
    for (uint32_t at = 0; at < n && b[at] != 0;) {
        uint32_t octets = b[at] == 1 ? 1 : at + 1 < n ? b[at + 1] : 0;
        if (octets == 0 || octets > n - at || (octets < 2 && b[at] != 1))
            return;
        read_option(packet, b + at, octets);
        at += octets;
    }
}

static bool tcp_sum_is_wrong(const struct gi_packet *packet, struct gi_view tcp)
{
    if (tcp.captured < tcp.length)
        return false;
    uint32_t sum = IPV4_PROTOCOL_TCP + tcp.length;
    // The first 12 octets of a mapped address would be summed, too.
    uint32_t skip = address_is_ipv4(&packet->from.address) ? 12 : 0;
    sum = ipv4_sum(sum, packet->from.address.octet + skip, 16 - skip);
    sum = ipv4_sum(sum, packet->to.address.octet + skip, 16 - skip);
    return ipv4_fold(ipv4_sum(sum, tcp.at, tcp.length)) != 0;
}

static enum gi_count read_tcp(struct gi_packet *packet, struct gi_view tcp,
                              const struct gi_packet_rules *rules, struct gi_counts *counts)
{
    const uint8_t *b = tcp.at;
    if (tcp.captured < TCP_OCTETS)
        return tcp.length < TCP_OCTETS ? GI_COUNT_odd : GI_COUNT_cut;
    uint32_t header = (b[12] >> 4) * 4u;
    if (header < TCP_OCTETS || header > tcp.length)
        return GI_COUNT_odd;
    if (!rules->take_bad_checksums && tcp_sum_is_wrong(packet, tcp))
        return GI_COUNT_tcp_checksum;
    packet->sequence = get_be32(b + 4);
    packet->acknowledgement = get_be32(b + 8);
    packet->flags = b[13];
    packet->window = get_be16(b + 14);
    packet->data_octets = tcp.length - header;
    packet->options_cut = tcp.captured < header;
    counts->n[GI_COUNT_options_cut] += packet->options_cut;
    uint32_t there = packet->options_cut ? tcp.captured : header;
    read_options(packet, b + TCP_OCTETS, there - TCP_OCTETS);
    return GI_COUNT_segments;
}

// ---- All of it ----

static enum gi_count unwrap(struct gi_packet *packet, struct inner *inner, struct gi_counts *counts)
{
    struct gi_view ip;
    if (inner->protocol != IPV4_PROTOCOL_UDP || !inner->first ||
        inner->view.captured < UDP_OCTETS || get_be16(inner->view.at + 2) != GTPU_PORT)
        return GI_COUNT_segments;
    enum gi_count fate = read_gtp(inner->view, &ip);
    if (fate == GI_COUNT_other_protocols)
        return GI_COUNT_segments;
    if (fate != GI_COUNT_segments)
        return fate;
    counts->n[GI_COUNT_tunnelled]++;
    packet->teid = get_be32(inner->view.at + UDP_OCTETS + 4);
    if (inner->fragment) // the inner packet is longer than this piece
        ip.length = UINT16_MAX;
    *inner = (struct inner){0};
    return read_ip(packet, ip, inner);
}

enum gi_count gi_packet_read(struct gi_packet *packet, const struct gi_frame *frame,
                             const struct gi_packet_rules *rules, struct gi_counts *counts)
{
    struct gi_view ip;
    struct inner inner = {0};
    *packet = (struct gi_packet){.time_ns = frame->time_ns};
    enum gi_count fate = gi_layers_ip(frame, &ip);
    if (fate == GI_COUNT_segments)
        fate = read_ip(packet, ip, &inner);
    if (fate == GI_COUNT_segments)
        fate = unwrap(packet, &inner, counts);
    if (fate != GI_COUNT_segments)
        return fate;
    bool tcp = inner.protocol == IPV4_PROTOCOL_TCP && inner.first;
    if (tcp && inner.view.captured >= 4) {
        packet->from.port = get_be16(inner.view.at);
        packet->to.port = get_be16(inner.view.at + 2);
    }
    if (inner.fragment)
        return GI_COUNT_fragments;
    return tcp ? read_tcp(packet, inner.view, rules, counts) : GI_COUNT_other_protocols;
}
