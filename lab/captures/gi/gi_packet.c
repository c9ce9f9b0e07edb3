// See gi_packet.h. GTP is opened once; of an outer packet in fragments the first is enough,
// for the inner header has its own length. Checksums are judged where the snap length left all of
// what they cover.
#include "lab/captures/gi/gi_packet.h"

#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/udp.h"
#include "lab/captures/read/capture_peel.h"

#define CHECKSUM_AT 16 // in a TCP header

#define GTP_0_PORT   3386
#define GTP_0_OCTETS 20
#define GTP_0_PLAIN  0x10       // version 0, GTP
#define GTP_0_TUNNEL (1u << 31) // beside TEIDs, of which few begin so

// GI_COUNT_segments: there is more to read.
static const enum gi_count fates[] = {
    [CAPTURE_taken] = GI_COUNT_segments,    [CAPTURE_link_unknown] = GI_COUNT_link_other,
    [CAPTURE_not_ip] = GI_COUNT_link_other, [CAPTURE_cut_header] = GI_COUNT_cut,
    [CAPTURE_ip_malformed] = GI_COUNT_odd,  [CAPTURE_frame_relay] = GI_COUNT_link_other,
    [CAPTURE_wrapped] = GI_COUNT_wrapped,   [CAPTURE_later_fragment] = GI_COUNT_fragments};

// ---- GTP-U ----

// The T-PDU of GTP version 0 (09.60), whose tunnels have a flow label of 16 bits.
static enum gi_count read_gtp_0(struct capture_view view, struct capture_view *ip, uint32_t *teid)
{
    const uint8_t *b = view.octets;
    if (view.captured < GTP_0_OCTETS)
        return view.length < GTP_0_OCTETS ? GI_COUNT_other_protocols : GI_COUNT_cut;
    if ((b[0] & 0xf0) != GTP_0_PLAIN)
        return GI_COUNT_other_protocols;
    if (b[1] != GTPU_G_PDU)
        return GI_COUNT_gtp_other;
    *teid = GTP_0_TUNNEL | get_be16(b + 6);
    *ip = capture_view_behind(view, GTP_0_OCTETS);
    return GI_COUNT_segments;
}

// The T-PDU of a G-PDU. GI_COUNT_other_protocols: this is no GTP.
static enum gi_count read_gtp(struct capture_view view, struct capture_view *ip, uint32_t *teid)
{
    if (view.captured < GTPU_OCTETS)
        return view.length < GTPU_OCTETS ? GI_COUNT_other_protocols : GI_COUNT_cut;
    const uint8_t *b = view.octets;
    if ((b[0] & 0xf0) != GTPU_PLAIN)
        return GI_COUNT_other_protocols;
    if (b[1] != GTPU_G_PDU)
        return GI_COUNT_gtp_other;
    bool options = b[0] & 7;
    uint32_t header = GTPU_OCTETS + (options ? GTPU_OPTIONS_OCTETS : 0);
    if (view.captured < header)
        return GI_COUNT_cut;
    uint8_t next = b[0] & 4 ? b[11] : 0;
    view = capture_view_behind(view, header);
    while (next) {
        uint32_t octets = view.captured ? 4u * view.octets[0] : 0;
        if (octets == 0 || octets > view.captured)
            return octets == 0 && view.captured ? GI_COUNT_odd : GI_COUNT_cut;
        next = view.octets[octets - 1];
        view = capture_view_behind(view, octets);
    }
    *teid = get_be32(b + 4);
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

static void forget_options(struct gi_packet *packet)
{
    packet->has_scale = packet->sack_permitted = packet->has_timestamps = false;
    packet->scale = packet->sack_blocks = 0;
    packet->mss_octets = 0;
    packet->timestamp = packet->echo = 0;
}

static void read_option(struct gi_packet *packet, const uint8_t *b, uint32_t octets)
{
    if (b[0] == 2 && octets == 4) {
        packet->mss_octets = get_be16(b + 2);
    } else if (b[0] == 3 && octets == 3) {
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

static bool is_sum_wrong(const struct capture_ip *ip, struct gi_counts *counts)
{
    if (ip->payload.captured < ip->payload.length)
        return false;
    enum capture_sum sum = capture_ip_sum(ip, ip->payload.length, CHECKSUM_AT);
    counts->n[GI_COUNT_checksum_left] += sum == CAPTURE_SUM_LEFT;
    return sum == CAPTURE_SUM_WRONG;
}

static enum gi_count read_tcp(struct gi_packet *packet, const struct capture_ip *ip,
                              const struct gi_packet_rules *rules, struct gi_counts *counts)
{
    const uint8_t *b = ip->payload.octets;
    uint32_t captured = ip->payload.captured, length = ip->payload.length;
    if (captured < TCP_OCTETS)
        return length < TCP_OCTETS ? GI_COUNT_odd : GI_COUNT_cut;
    uint32_t header = (b[12] >> 4) * 4u;
    if (header < TCP_OCTETS || header > length)
        return GI_COUNT_odd;
    if (!rules->take_bad_checksums && !packet->doubt && !ip->fragment && is_sum_wrong(ip, counts))
        packet->doubt = GI_COUNT_tcp_checksum;
    packet->sequence = get_be32(b + 4);
    packet->acknowledgement = get_be32(b + 8);
    packet->flags = b[13];
    packet->window = get_be16(b + 14);
    packet->data_octets = length - header;
    packet->options_cut = captured < header;
    forget_options(packet);
    read_options(packet, b + TCP_OCTETS, (packet->options_cut ? captured : header) - TCP_OCTETS);
    counts->n[GI_COUNT_options_cut] += packet->options_cut;
    return GI_COUNT_segments;
}

// ---- All of it ----

// 0: the packet is none.
static uint16_t gtp_port(const struct capture_ip *ip)
{
    if (ip->protocol != IPV4_PROTOCOL_UDP || ip->payload.captured < UDP_OCTETS)
        return 0;
    uint16_t port = get_be16(ip->payload.octets + 2);
    return port == GTPU_PORT || port == GTP_0_PORT ? port : 0;
}

static enum gi_count unwrap(struct gi_packet *packet, struct capture_ip *ip, uint16_t port,
                            struct gi_counts *counts)
{
    struct capture_view inner, udp = capture_view_behind(ip->payload, UDP_OCTETS);
    uint32_t teid = 0;
    enum gi_count fate =
        port == GTPU_PORT ? read_gtp(udp, &inner, &teid) : read_gtp_0(udp, &inner, &teid);
    if (fate == GI_COUNT_other_protocols)
        return GI_COUNT_segments;
    if (fate != GI_COUNT_segments)
        return fate;
    counts->n[GI_COUNT_tunnelled]++;
    packet->teid = teid;
    packet->tunnel_end = ip->destination;
    if (ip->fragment) // the inner packet is longer than this piece
        inner.length = UINT16_MAX;
    return fates[capture_ip_read(inner, ip, counts->capture)];
}

static enum capture_count but_for_sum(enum capture_count verdict, const struct capture_ip *ip)
{
    return verdict != CAPTURE_ip_checksum ? verdict
           : ip->first                    ? CAPTURE_taken
                                          : CAPTURE_later_fragment;
}

// Without its header a first piece is not to be joined, and so none of them are.
static enum gi_count read_piece(struct gi_packet *packet, struct gi_piece *piece,
                                const struct capture_ip *ip, const struct gi_packet_rules *rules,
                                struct gi_counts *counts)
{
    bool tcp = ip->protocol == IPV4_PROTOCOL_TCP;
    if (tcp && ip->first)
        tcp = read_tcp(packet, ip, rules, counts) == GI_COUNT_segments;
    *piece = (struct gi_piece){ip->fragment_id, ip->first ? 0 : ip->fragment_at,
                               tcp ? ip->payload.length : 0, ip->more};
    return GI_COUNT_fragments;
}

enum gi_count gi_packet_read(struct gi_packet *packet, struct gi_piece *piece,
                             const struct capture_packet *frame,
                             const struct gi_packet_rules *rules, struct gi_counts *counts)
{
    struct capture_ip ip;
    packet->time_ns = frame->time_ns;
    packet->teid = 0;
    enum capture_count verdict = but_for_sum(capture_peel_link(frame, &ip, counts->capture), &ip);
    if (verdict == CAPTURE_taken && ip.protocol != IPV4_PROTOCOL_TCP) // which is no tunnel
        verdict = but_for_sum(capture_peel_tunnels(&ip, counts->capture), &ip);
    enum gi_count fate = fates[verdict];
    uint16_t port = fate == GI_COUNT_segments ? gtp_port(&ip) : 0;
    if (port)
        fate = unwrap(packet, &ip, port, counts);
    if (fate != GI_COUNT_segments && fate != GI_COUNT_fragments)
        return fate;
    packet->from = (struct gi_end){.address = ip.source};
    packet->to = (struct gi_end){.address = ip.destination};
    packet->ip_octets = ip.packet_octets;
    packet->ip_id = ip.id;
    packet->doubt =
        ip.sum_wrong && !rules->take_bad_checksums ? GI_COUNT_ip_checksum : GI_COUNT_segments;
    bool tcp = ip.protocol == IPV4_PROTOCOL_TCP && ip.first;
    if (tcp && ip.payload.captured >= 4) {
        packet->from.port = get_be16(ip.payload.octets);
        packet->to.port = get_be16(ip.payload.octets + 2);
    }
    if (ip.fragment)
        return read_piece(packet, piece, &ip, rules, counts);
    return tcp ? read_tcp(packet, &ip, rules, counts) : GI_COUNT_other_protocols;
}
