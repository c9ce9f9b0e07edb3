// See audit.h. Here: the files, and packets to datagrams.
#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/captures/read/capture_merge.h"
#include "lab/captures/read/capture_peel.h"
#include "lab/engine/need.h"

struct audit *audit_create(const struct audit_options *options)
{
    struct audit *audit = need(calloc(1, sizeof *audit));
    bss_hash_by_chance();
    audit->options = *options;
    audit->join = need(capture_join_create());
    audit->traffic = options->traffic ? audit_traffic_begin() : NULL;
    audit->pairs_end = &audit->pairs;
    audit->nses_end = &audit->nses;
    audit->bvcs_end = &audit->bvcs;
    audit->mss_end = &audit->mss;
    audit->flows_end = &audit->flows;
    audit->events_end = &audit->events;
    audit->notes_end = &audit->notes;
    fcs_choose();
    return audit;
}

// ---- From packets to datagrams ----

static void take_udp(struct audit *audit, const struct capture_ip *ip, uint64_t *counts)
{
    struct capture_udp udp;
    uint16_t port = audit->options.port;
    if (!capture_ip_udp(ip, &udp, &audit->room, counts))
        return;
    if ((udp.source_port == GTPU_PORT || udp.destination_port == GTPU_PORT) &&
        audit_traffic_gn(audit, udp.octets, udp.captured, udp.length))
        return;
    if (port && udp.source_port != port && udp.destination_port != port) {
        audit->counts[AUDIT_not_gb] += audit->phase == AUDIT_JUDGE;
        return;
    }
    struct audit_end from = {ip->source, udp.source_port};
    struct audit_end to = {ip->destination, udp.destination_port};
    audit_datagram(audit, &from, &to, false, udp.octets, udp.captured, udp.length);
}

// On a line itself there are no addresses: the two ends are those that the capture tells apart, or
// else those that alone may send the PDU.
static bool ends_of_line(const struct capture_ip *ip, struct audit_end *from, struct audit_end *to)
{
    bool sent = ip->direction == CAPTURE_SENT;
    if (ip->direction == CAPTURE_UNKNOWN) {
        int sender = audit_input_sender(ip->payload.octets, ip->payload.captured);
        if (sender < 0)
            return false;
        sent = sender == 0;
    }
    from->address.octet[15] = sent ? AUDIT_LINE_HERE : AUDIT_LINE_THERE;
    to->address.octet[15] = sent ? AUDIT_LINE_THERE : AUDIT_LINE_HERE;
    return true;
}

// Gb over Frame Relay (48.016), on a line or in GRE, as routers carry it. Of a first fragment alone
// nobody knows how long it was.
static void take_frame_relay(struct audit *audit, const struct capture_ip *ip, bool is_line,
                             bool is_first_alone)
{
    struct audit_end from = {ip->source, ip->dlci}, to = {ip->destination, ip->dlci};
    uint32_t n = is_first_alone ? ip->payload.captured + 1 : ip->payload.length;
    if (is_line && !ends_of_line(ip, &from, &to)) {
        audit->counts[AUDIT_line_no_direction] += audit->phase == AUDIT_JUDGE;
        return;
    }
    const uint8_t *b = capture_ip_whole(ip, n, &audit->room);
    audit_datagram(audit, &from, &to, true, b, ip->payload.captured, n);
}

static bool is_line(const struct capture_ip *ip)
{
    static const struct ipv6_address none;
    return address_same(&ip->source, &none) && address_same(&ip->destination, &none);
}

// What an IP packet, or Frame Relay on a line, carries.
static void take_inner(struct audit *audit, struct capture_ip *ip, uint64_t *counts)
{
    bool line = is_line(ip), fragment = ip->fragment;
    enum capture_count verdict = line ? CAPTURE_frame_relay : capture_peel_tunnels(ip, counts);
    if (verdict == CAPTURE_frame_relay)
        take_frame_relay(audit, ip, line, fragment);
    else if (verdict != CAPTURE_taken)
        audit->counts[AUDIT_not_read] += audit->phase == AUDIT_JUDGE;
    else if (ip->protocol == IPV4_PROTOCOL_UDP)
        take_udp(audit, ip, counts);
    else
        audit->counts[AUDIT_not_udp] += audit->phase == AUDIT_JUDGE;
}

static void take_ip(struct audit *audit, const struct capture_joined *packet, uint64_t *counts)
{
    struct capture_ip ip = packet->ip;
    uint64_t unread = counts[CAPTURE_udp_cut];
    audit->at = (struct audit_at){.frame = packet->frame};
    audit->packet_ns = packet->stamp_ns;
    audit->packet_time_ns = packet->time_ns;
    audit->ip_id = ip.id;
    audit->ip_protocol = ip.protocol;
    if (audit->phase == AUDIT_JUDGE)
        audit->counts[AUDIT_joined] += packet->joined;
    else if (!is_line(&ip))
        audit_ids_packet(audit, &ip.source, &ip.destination);
    take_inner(audit, &ip, counts);
    audit->blind |= counts[CAPTURE_udp_cut] > unread;
}

void audit_packets_until(struct audit *audit, uint64_t stamp_ns, uint64_t *counts)
{
    struct capture_joined packet;
    while (capture_join_next(audit->join, stamp_ns, &packet))
        take_ip(audit, &packet, counts);
}

void audit_packet(struct audit *audit, const struct capture_packet *packet, uint64_t *counts)
{
    struct capture_joined one = {
        .stamp_ns = packet->time_ns, .time_ns = audit->last_ns, .frame = audit->frames};
    uint64_t unread = counts[CAPTURE_cut_header];
    enum capture_count verdict = capture_peel_link(packet, &one.ip, counts);
    audit->blind |= counts[CAPTURE_cut_header] > unread;
    if (verdict != CAPTURE_taken && verdict != CAPTURE_later_fragment &&
        verdict != CAPTURE_frame_relay)
        return;
    if (!capture_join_take(audit->join, &one))
        take_ip(audit, &one, counts);
    else
        audit_packets_until(audit, packet->time_ns, counts);
}

void audit_begin(struct audit *audit, enum audit_phase phase)
{
    uint64_t unused[CAPTURE_COUNTS] = {0};
    if (audit->phase == AUDIT_LEARN && phase == AUDIT_JUDGE) {
        audit_packets_until(audit, UINT64_MAX, unused);
        audit_whose(audit);
        audit_ids_judge(audit);
        audit_copies_begin(audit);
    }
    audit->phase = phase;
}

void audit_take(struct audit *audit, const struct capture_packet *packet)
{
    uint64_t unused[CAPTURE_COUNTS] = {0};
    if (audit->phase == AUDIT_JUDGE)
        audit_clock_packet(audit, packet);
    else
        audit_packet(audit, packet, unused);
}

static void note_damage(struct audit *audit, const struct capture_part *part, const char *name)
{
    if (part->fault[0])
        audit_note(audit, "%s breaks off behind frame %llu: %s", name,
                   (unsigned long long)part->packets, part->fault);
}

void audit_read(struct audit *audit, enum audit_phase phase, struct capture_part *parts, uint32_t n,
                char *const *names)
{
    uint64_t unused[CAPTURE_COUNTS] = {0};
    uint64_t *counts = phase == AUDIT_JUDGE ? audit->capture : unused;
    struct capture_packet packet;
    struct capture_merge *merge = capture_merge_create(parts, n, audit->options.filter);
    audit_begin(audit, phase);
    while (capture_merge_read(merge, &packet, 1, counts))
        audit_take(audit, &packet);
    capture_merge_destroy(merge);
    for (uint32_t i = 0; i < n && phase == AUDIT_JUDGE; i++)
        note_damage(audit, &parts[i], names[parts[i].place]);
}

// ---- The end ----

static void note_ends(struct audit *audit)
{
    uint32_t unknown = 0, contradicting = 0, one_way = 0, mixed = 0;
    for (const struct audit_nse *nse = audit->nses; nse; nse = nse->next) {
        one_way += nse->one_way;
        mixed += nse->mixed;
    }
    if (one_way)
        audit_note(audit,
                   "BSSs of which only one direction was captured: %u; their states and "
                   "acknowledgements are not known",
                   one_way);
    if (mixed)
        audit_note(
            audit,
            "NSEs with PDUs of more than one BSS or SGSN: %u; nothing that depends on another PDU "
            "is judged there",
            mixed);
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        unknown += pair->number && pair->sgsn < 0;
        contradicting += pair->number && pair->contradicts;
    }
    if (unknown)
        audit_note(audit, "NS-VCs of which neither end shows that it is the SGSN: %u", unknown);
    if (contradicting)
        audit_note(audit, "NS-VCs with more than one NSEI, of which the last is taken: %u",
                   contradicting);
    if (!audit->nsvc_count)
        audit_note(audit, "there is no Gb in this capture");
}

void audit_finish(struct audit *audit)
{
    audit_clock_finish(audit);
    audit_packets_until(audit, UINT64_MAX, audit->capture);
    audit_traffic_finish(audit);
    audit_flow_finish(audit);
    audit_llc_finish(audit);
    audit_book_finish(audit);
    note_ends(audit);
}

#define FREE_LIST(type, first)                              \
    for (struct type *at = (first), *next; at; at = next) { \
        next = at->next;                                    \
        free(at);                                           \
    }

void audit_destroy(struct audit *audit)
{
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next)
        audit_flow_forget(audit, &bvc->asked);
    for (struct audit_ms *ms = audit->mss; ms; ms = ms->next) {
        for (int kind = 0; kind < FLOW_KINDS; kind++)
            audit_flow_forget(audit, &ms->asked[kind]);
        audit_pfcs_end(audit, ms);
    }
    FREE_LIST(audit_flow, audit->flows)
    FREE_LIST(audit_event, audit->events)
    FREE_LIST(audit_note, audit->notes)
    audit_traffic_end(audit->traffic);
    audit_places_end(audit);
    capture_join_destroy(audit->join);
    audit_copies_begin(audit);
    audit_whose_end(audit);
    audit_ids_end(audit);
    free(audit->held_room.octets);
    free(audit->room.octets);
    free(audit->findings);
    free(audit->all.pause);
    free(audit);
}
