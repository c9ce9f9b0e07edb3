// See capture_peel.h. One loop: each step takes one header off and says what is behind it. A header
// is judged by as little as tells what follows; what is not IP in the end is left out, by name.
#include "lab/captures/read/capture_peel.h"

#include <pcap/dlt.h>
#include <stddef.h>
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define STEPS_MAX 32 // headers; a packet has a dozen at most

#define DLT_RAW_ELSE 14  // DLT_RAW on OpenBSD
#define DLT_RAW_FILE 101 // LINKTYPE_RAW
#define DLT_ATM_FILE 100 // LINKTYPE_ATM_RFC1483

#define TYPE_QINQ_OLD    0x9100
#define TYPE_MPLS        0x8847
#define TYPE_MPLS_GROUP  0x8848
#define TYPE_PPPOE       0x8864 // with a session
#define TYPE_MACSEC      0x88e5
#define TYPE_BRIDGED     0x6558 // Ethernet in GRE
#define TYPE_FRAME_RELAY 0x6559
#define TYPE_PPP         0x880b
#define TYPE_ERSPAN      0x88be
#define TYPE_ERSPAN_3    0x22eb

#define IP_IN_IP       4
#define IPV6_IN_IP     41
#define IP_GRE         47
#define IP_ESP         50
#define IP_AH          51
#define IP_ETHER       97
#define IP_L2TP        115
#define IP_MPLS        137
#define PORT_L2TP      1701
#define PORT_TEREDO    3544
#define PORT_ESP       4500
#define PORT_VXLAN     4789
#define PORT_GENEVE    6081
#define PORT_VXLAN_OLD 8472 // Linux's own, before IANA gave one

#define PPP_IPV4       0x0021
#define PPP_COMPRESSED 0x00fd
#define PPP_IPV6       0x0057
#define PPP_MPLS       0x0281

enum step {
    STEP_ETHER,
    STEP_TYPE, // what an EtherType says; the type is known
    STEP_LLC,
    STEP_SNAP,
    STEP_SLL,
    STEP_SLL2,
    STEP_LOOP,
    STEP_WLAN,
    STEP_RADIOTAP,
    STEP_PPP,
    STEP_SERIAL, // PPP or Cisco's HDLC
    STEP_HDLC,
    STEP_PPPOE,
    STEP_MPLS,
    STEP_FRAME_RELAY,
    STEP_DIRECTION, // an octet in front of Frame Relay
    STEP_IP,
    STEP_TUNNEL, // what the IP packet carries
    STEP_GRE,
    STEP_ERSPAN,
    STEP_ERSPAN_3,
    STEP_UDP,
    STEP_VXLAN,
    STEP_GENEVE,
    STEP_END // the verdict is known
};

struct peel {
    struct capture_view view;
    uint16_t type;
    bool trailer; // of radiotap: octets are padded behind the 802.11 header
    bool outer;   // up to the first IP packet, which is not read
    struct capture_ip *ip;
    uint64_t *counts;
    enum capture_count verdict;
};

// STEP_END: the link type is not read.
static enum step step_of_link(int link)
{
    switch (link) {
    case DLT_EN10MB:
        return STEP_ETHER;
    case DLT_LINUX_SLL:
        return STEP_SLL;
    case DLT_LINUX_SLL2:
        return STEP_SLL2;
    case DLT_RAW:
    case DLT_RAW_ELSE:
    case DLT_RAW_FILE:
    case DLT_IPV4:
    case DLT_IPV6:
        return STEP_IP;
    case DLT_NULL:
    case DLT_LOOP:
        return STEP_LOOP;
    case DLT_PPP:
        return STEP_PPP;
    case DLT_PPP_SERIAL:
        return STEP_SERIAL;
    case DLT_C_HDLC:
        return STEP_HDLC;
    case DLT_PPP_ETHER:
        return STEP_PPPOE;
    case DLT_FRELAY:
        return STEP_FRAME_RELAY;
    case DLT_FRELAY_WITH_DIR:
        return STEP_DIRECTION;
    case DLT_MPLS:
        return STEP_MPLS;
    case DLT_ATM_RFC1483:
    case DLT_ATM_FILE:
        return STEP_LLC;
    case DLT_IEEE802_11:
        return STEP_WLAN;
    case DLT_IEEE802_11_RADIO:
        return STEP_RADIOTAP;
    }
    return STEP_END;
}

bool capture_peel_knows(int link)
{
    return step_of_link(link) != STEP_END;
}

// ---- What each step needs ----

static enum step ended(struct peel *p, enum capture_count verdict)
{
    p->verdict = verdict;
    return STEP_END;
}

static enum step unread(struct peel *p, enum capture_count wrapping)
{
    p->counts[wrapping]++;
    return ended(p, CAPTURE_wrapped);
}

// Steps over so many octets, and returns them; NULL: they were not captured.
static const uint8_t *take(struct peel *p, uint32_t n)
{
    const uint8_t *b = p->view.octets;
    if (p->view.captured < n)
        return NULL;
    p->view = capture_view_behind(p->view, n);
    return b;
}

static enum step cut(struct peel *p)
{
    return ended(p, CAPTURE_cut_header);
}

static enum step into(struct peel *p, enum capture_count wrapping, enum step next)
{
    p->counts[wrapping]++;
    return next;
}

static enum step by_type(struct peel *p, uint16_t type)
{
    p->type = type;
    return STEP_TYPE;
}

// ---- Links ----

static enum step step_ether(struct peel *p)
{
    const uint8_t *b = take(p, ETHER_OCTETS);
    if (!b)
        return cut(p);
    uint16_t type = get_be16(b + 12);
    return type <= 1500 ? into(p, CAPTURE_in_llc, STEP_LLC) : by_type(p, type);
}

static enum step step_type(struct peel *p)
{
    const uint8_t *b;
    switch (p->type) {
    case ETHER_TYPE_IPV4:
    case ETHER_TYPE_IPV6:
        return STEP_IP;
    case ETHER_TYPE_VLAN:
    case ETHER_TYPE_STAG:
    case TYPE_QINQ_OLD:
        b = take(p, ETHER_TAG_OCTETS);
        if (!b)
            return cut(p);
        return get_be16(b + 2) <= 1500 ? into(p, CAPTURE_in_llc, STEP_LLC)
                                       : by_type(p, get_be16(b + 2));
    case TYPE_MPLS:
    case TYPE_MPLS_GROUP:
        return STEP_MPLS;
    case TYPE_PPPOE:
        return STEP_PPPOE;
    case TYPE_MACSEC:
        return unread(p, CAPTURE_unread_macsec);
    }
    return ended(p, CAPTURE_not_ip);
}

// 802.2: SNAP, or IP by its own number, or by an OSI network layer's (RFC 2684).
static enum step step_llc(struct peel *p)
{
    const uint8_t *b = take(p, 3);
    if (!b)
        return cut(p);
    if (b[0] == 0xaa && b[1] == 0xaa && b[2] == 3)
        return STEP_SNAP;
    if (b[0] == 6 && b[1] == 6 && b[2] == 3)
        return STEP_IP;
    if (b[0] != 0xfe || b[1] != 0xfe || b[2] != 3 || !(b = take(p, 1)))
        return ended(p, CAPTURE_not_ip);
    return b[0] == 0xcc || b[0] == 0x8e ? STEP_IP : ended(p, CAPTURE_not_ip);
}

// An EtherType, or, of 802.1's organisation, a bridged frame with (1) or without (7) its FCS,
// behind two octets that fill up on ATM.
static enum step step_snap(struct peel *p)
{
    const uint8_t *b = take(p, 5);
    if (!b)
        return cut(p);
    uint32_t organisation = (uint32_t)b[0] << 16 | get_be16(b + 1);
    uint16_t type = get_be16(b + 3);
    if (organisation == 0 || organisation == 0xf8)
        return by_type(p, type);
    if (organisation == 0x80c2 && (type == 1 || type == 7))
        return take(p, 2) ? STEP_ETHER : cut(p);
    return ended(p, CAPTURE_not_ip);
}

static enum step step_sll(struct peel *p)
{
    const uint8_t *b = take(p, 16);
    if (!b)
        return cut(p);
    uint16_t type = get_be16(b + 14);
    return type == 4 ? into(p, CAPTURE_in_llc, STEP_LLC) : by_type(p, type);
}

static enum step step_sll2(struct peel *p)
{
    const uint8_t *b = take(p, 20);
    if (!b)
        return cut(p);
    uint16_t type = get_be16(b);
    return type == 4 ? into(p, CAPTURE_in_llc, STEP_LLC) : by_type(p, type);
}

// 802.11: data in the clear, one packet a frame.
static enum step step_wlan(struct peel *p)
{
    const uint8_t *b = take(p, 24);
    if (!b)
        return p->view.captured >= 10 && (p->view.octets[0] & 0x0c) != 0x08
                   ? ended(p, CAPTURE_not_ip)
                   : cut(p);
    bool is_data = (b[0] & 0x0c) == 0x08 && !(b[0] & 0x40), qos = b[0] & 0x80, order = b[1] & 0x80;
    bool four_addresses = (b[1] & 3) == 3;
    if (!is_data)
        return ended(p, CAPTURE_not_ip);
    uint32_t more = (four_addresses ? 6 : 0) + (qos ? 2 : 0) + (qos && order ? 4 : 0);
    const uint8_t *rest = take(p, more);
    if (!rest)
        return cut(p);
    if (p->trailer && (24 + more) % 4 && !take(p, 4 - (24 + more) % 4))
        return cut(p);
    if (b[1] & 0x40)
        return unread(p, CAPTURE_unread_wlan_encrypted);
    if (qos && rest[four_addresses ? 6 : 0] & 0x80)
        return unread(p, CAPTURE_unread_wlan_aggregate);
    return into(p, CAPTURE_in_wlan, STEP_LLC);
}

// The header's own length is in Intel's order. Of its fields only the flags matter, behind a time
// of 8 octets if there is one: they say whether the 802.11 header is padded.
static enum step step_radiotap(struct peel *p)
{
    const uint8_t *b = p->view.octets;
    if (p->view.captured < 8)
        return cut(p);
    uint32_t octets = b[2] | (uint32_t)b[3] << 8, at = 4;
    if (octets < 8 || p->view.captured < octets)
        return octets < 8 ? ended(p, CAPTURE_not_ip) : cut(p);
    bool has_time = b[4] & 1, has_flags = b[4] & 2;
    while (at + 8 <= octets && b[at + 3] & 0x80) // more words of what is there
        at += 4;
    at += 4;
    if (has_time)
        at = (at + 7) / 8 * 8 + 8;
    p->trailer = has_flags && at < octets && b[at] & 0x20;
    take(p, octets);
    return STEP_WLAN;
}

static enum step step_ppp(struct peel *p)
{
    const uint8_t *b = p->view.octets;
    if (p->view.captured >= 2 && b[0] == 0xff && b[1] == 3)
        take(p, 2);
    if (!(b = take(p, 1)))
        return p->view.length ? cut(p) : ended(p, CAPTURE_not_ip); // an acknowledgement of PPTP
    uint16_t protocol = b[0];
    if (!(protocol & 1)) { // else its first octet is left out
        if (!take(p, 1))
            return cut(p);
        protocol = get_be16(b);
    }
    if (protocol == PPP_COMPRESSED)
        return unread(p, CAPTURE_unread_ppp_compressed);
    return protocol == PPP_IPV4 || protocol == PPP_IPV6 ? STEP_IP
           : protocol == PPP_MPLS                       ? STEP_MPLS
                                                        : ended(p, CAPTURE_not_ip);
}

static enum step step_serial(struct peel *p)
{
    const uint8_t *b = p->view.octets;
    if (p->view.captured < 2)
        return cut(p);
    if ((b[0] == 0x0f || b[0] == 0x8f) && b[1] == 0)
        return STEP_HDLC;
    return into(p, CAPTURE_in_ppp, STEP_PPP);
}

static enum step step_hdlc(struct peel *p)
{
    const uint8_t *b = take(p, 4);
    if (!b)
        return cut(p);
    p->counts[CAPTURE_in_hdlc]++;
    return by_type(p, get_be16(b + 2));
}

static enum step step_pppoe(struct peel *p)
{
    const uint8_t *b = take(p, 6);
    if (!b)
        return cut(p);
    if (b[0] != 0x11 || b[1] != 0)
        return ended(p, CAPTURE_not_ip);
    return into(p, CAPTURE_in_pppoe, STEP_PPP);
}

// Labels say nothing about what is behind the last one: IP by its version, else Ethernet, perhaps
// behind a control word, which begins with 0 as few addresses' makers do.
static enum step step_mpls(struct peel *p)
{
    const uint8_t *b;
    do {
        if (!(b = take(p, 4)))
            return cut(p);
    } while (!(b[2] & 1));
    p->counts[CAPTURE_in_mpls]++;
    if (p->view.captured == 0)
        return cut(p);
    uint8_t first = p->view.octets[0] >> 4;
    if (first == 4 || first == 6)
        return STEP_IP;
    if (first == 0 && !take(p, 4))
        return cut(p);
    return STEP_ETHER;
}

// RFC 2427, Cisco's, or neither: of Gb (48.016) an NS PDU is behind the address. An NS-RESET-ACK
// begins with 03 as UI does, but no element of it has the number of a network layer.
static enum step step_frame_relay(struct peel *p)
{
    const uint8_t *b = take(p, 2);
    if (!b)
        return cut(p);
    if (b[0] & 1 || !(b[1] & 1))
        return unread(p, CAPTURE_unread_frame_relay_address);
    p->ip->dlci = (uint16_t)((b[0] & 0xfc) << 2 | b[1] >> 4);
    b = p->view.octets;
    uint32_t n = p->view.captured;
    uint32_t ui = n >= 3 && b[0] == 3 && b[1] == 0 ? 2 : 1; // one octet may fill up
    if (n > ui && b[0] == 3 && (b[ui] == 0xcc || b[ui] == 0x8e || b[ui] == 0x80 || b[ui] == 0xcf)) {
        take(p, ui + 1);
        p->counts[CAPTURE_in_frame_relay]++;
        return b[ui] == 0x80 ? STEP_SNAP : b[ui] == 0xcf ? STEP_PPP : STEP_IP;
    }
    if (n >= 3 && ((get_be16(b) == ETHER_TYPE_IPV4 && b[2] >> 4 == 4) ||
                   (get_be16(b) == ETHER_TYPE_IPV6 && b[2] >> 4 == 6))) {
        take(p, 2);
        return into(p, CAPTURE_in_frame_relay, STEP_IP);
    }
    p->ip->payload = p->view;
    return ended(p, CAPTURE_frame_relay);
}

static enum step step_direction(struct peel *p)
{
    const uint8_t *b = take(p, 1);
    if (!b)
        return cut(p);
    p->ip->direction = b[0] ? CAPTURE_SENT : CAPTURE_RECEIVED;
    return STEP_FRAME_RELAY;
}

// ---- Tunnels ----

static enum step step_tunnel(struct peel *p)
{
    struct capture_ip *ip = p->ip;
    p->view = ip->payload;
    if (ip->fragment) // the piece says nothing about how long what is in it was
        p->view.length = UINT16_MAX;
    switch (ip->protocol) {
    case IP_IN_IP:
    case IPV6_IN_IP:
        return into(p, CAPTURE_in_ip, STEP_IP);
    case IP_GRE:
        return STEP_GRE;
    case IPV4_PROTOCOL_UDP:
        return STEP_UDP;
    case IP_MPLS:
        return STEP_MPLS;
    case IP_ETHER:
        return take(p, 2) ? STEP_ETHER : cut(p);
    case IP_ESP:
        return unread(p, CAPTURE_unread_esp);
    case IP_AH:
        return unread(p, CAPTURE_unread_ah);
    case IP_L2TP:
        return unread(p, CAPTURE_unread_l2tp);
    }
    return ended(p, CAPTURE_taken);
}

// RFC 2784 and 2890, and PPTP's (RFC 2637), which has a key and says how long its payload is.
static enum step step_gre(struct peel *p)
{
    const uint8_t *b = take(p, 4);
    if (!b)
        return cut(p);
    bool sum = b[0] & 0x80, routed = b[0] & 0x40, key = b[0] & 0x20, sequence = b[0] & 0x10;
    uint8_t version = b[1] & 7;
    uint32_t more = 4u * (sum + key + sequence + (version == 1 && b[1] & 0x80));
    if (routed || version > 1)
        return unread(p, CAPTURE_unread_gre);
    if (!take(p, more))
        return cut(p);
    p->counts[CAPTURE_in_gre]++;
    switch (get_be16(b + 2)) {
    case TYPE_BRIDGED:
        return STEP_ETHER;
    case TYPE_PPP:
        return STEP_PPP;
    case TYPE_FRAME_RELAY:
        return STEP_FRAME_RELAY;
    case TYPE_ERSPAN:
        return sequence ? STEP_ERSPAN : into(p, CAPTURE_in_erspan, STEP_ETHER);
    case TYPE_ERSPAN_3:
        return STEP_ERSPAN_3;
    case ETHER_TYPE_IPV4:
    case ETHER_TYPE_IPV6:
    case TYPE_MPLS:
    case TYPE_MPLS_GROUP:
    case ETHER_TYPE_VLAN:
        return by_type(p, get_be16(b + 2));
    }
    return unread(p, CAPTURE_unread_gre);
}

static enum step step_erspan(struct peel *p)
{
    return take(p, 8) ? into(p, CAPTURE_in_erspan, STEP_ETHER) : cut(p);
}

// Its last bit: 8 octets more. Its P bits: a frame of what.
static enum step step_erspan_3(struct peel *p)
{
    const uint8_t *b = take(p, 12);
    if (!b || (b[11] & 1 && !take(p, 8)))
        return cut(p);
    bool is_ip = (b[10] >> 2 & 0x1f) == 2;
    return into(p, CAPTURE_in_erspan, is_ip ? STEP_IP : STEP_ETHER);
}

// A port alone proves nothing: what does not look like the tunnel is a datagram as any other.
static enum step step_udp(struct peel *p)
{
    const uint8_t *b = take(p, UDP_OCTETS);
    if (!b)
        return ended(p, CAPTURE_taken); // a reader of UDP says what is wrong
    const uint8_t *in = p->view.octets;
    uint32_t n = p->view.captured;
    uint16_t from = get_be16(b), to = get_be16(b + 2);
    if ((to == PORT_VXLAN || to == PORT_VXLAN_OLD) && n >= 8 && (in[0] & 0x08) && in[7] == 0)
        return STEP_VXLAN;
    if (to == PORT_GENEVE && n >= 8 && in[0] >> 6 == 0 && in[7] == 0)
        return STEP_GENEVE;
    if ((to == PORT_ESP || from == PORT_ESP) && n >= 8)
        return unread(p, CAPTURE_unread_esp);
    if ((to == PORT_L2TP || from == PORT_L2TP) && n >= 6 && (in[1] & 0x0f) >= 2 &&
        (in[1] & 0x0f) <= 3)
        return unread(p, CAPTURE_unread_l2tp);
    if ((to == PORT_TEREDO || from == PORT_TEREDO) && n >= 1 && (in[0] >> 4 == 6 || in[0] == 0))
        return unread(p, CAPTURE_unread_teredo);
    return ended(p, CAPTURE_taken);
}

static enum step step_vxlan(struct peel *p)
{
    take(p, 8);
    return into(p, CAPTURE_in_vxlan, STEP_ETHER);
}

static enum step step_geneve(struct peel *p)
{
    const uint8_t *b = take(p, 8);
    if (!take(p, (b[0] & 0x3f) * 4u))
        return cut(p);
    p->counts[CAPTURE_in_geneve]++;
    return get_be16(b + 2) == TYPE_BRIDGED ? STEP_ETHER : by_type(p, get_be16(b + 2));
}

// ---- The loop ----

static enum step step_loop(struct peel *p)
{
    return take(p, 4) ? STEP_IP : cut(p);
}

static enum step step_ip(struct peel *p)
{
    if (p->outer)
        return ended(p, CAPTURE_taken);
    enum capture_count verdict = capture_ip_read(p->view, p->ip, p->counts);
    return verdict == CAPTURE_taken ? STEP_TUNNEL : ended(p, verdict);
}

typedef enum step step_fn(struct peel *p);
static step_fn *const steps[] = {[STEP_ETHER] = step_ether,
                                 [STEP_TYPE] = step_type,
                                 [STEP_LLC] = step_llc,
                                 [STEP_SNAP] = step_snap,
                                 [STEP_SLL] = step_sll,
                                 [STEP_SLL2] = step_sll2,
                                 [STEP_LOOP] = step_loop,
                                 [STEP_WLAN] = step_wlan,
                                 [STEP_RADIOTAP] = step_radiotap,
                                 [STEP_PPP] = step_ppp,
                                 [STEP_SERIAL] = step_serial,
                                 [STEP_HDLC] = step_hdlc,
                                 [STEP_PPPOE] = step_pppoe,
                                 [STEP_MPLS] = step_mpls,
                                 [STEP_FRAME_RELAY] = step_frame_relay,
                                 [STEP_DIRECTION] = step_direction,
                                 [STEP_IP] = step_ip,
                                 [STEP_TUNNEL] = step_tunnel,
                                 [STEP_GRE] = step_gre,
                                 [STEP_ERSPAN] = step_erspan,
                                 [STEP_ERSPAN_3] = step_erspan_3,
                                 [STEP_UDP] = step_udp,
                                 [STEP_VXLAN] = step_vxlan,
                                 [STEP_GENEVE] = step_geneve};

static enum capture_count peel(struct peel *p, enum step step)
{
    for (int i = 0; i < STEPS_MAX && step != STEP_END; i++)
        step = steps[step](p);
    if (step != STEP_END)
        unread(p, CAPTURE_unread_deep);
    return p->verdict;
}

static enum capture_count with_sum(enum capture_count verdict, const struct capture_ip *ip)
{
    bool is_ip = verdict == CAPTURE_taken || verdict == CAPTURE_later_fragment;
    return is_ip && ip->sum_wrong ? CAPTURE_ip_checksum : verdict;
}

// Most frames are IP in Ethernet or in nothing, and the loop takes as long as all else in here.
static bool is_plain(enum step step, struct capture_view *view)
{
    if (step != STEP_ETHER || view->captured < ETHER_OCTETS)
        return step == STEP_IP;
    uint16_t type = get_be16(view->octets + 12);
    if (type != ETHER_TYPE_IPV4 && type != ETHER_TYPE_IPV6)
        return false;
    *view = capture_view_behind(*view, ETHER_OCTETS);
    return true;
}

// CAPTURE_taken: *view is the frame's first IP packet.
static inline enum capture_count find_ip(const struct capture_packet *packet,
                                         struct capture_view *view, struct capture_ip *ip,
                                         uint64_t *counts)
{
    enum step first = step_of_link(packet->link);
    *view = (struct capture_view){packet->octets, packet->captured, packet->length};
    if (first == STEP_END)
        return CAPTURE_link_unknown;
    if (is_plain(first, view))
        return CAPTURE_taken;
    struct peel p = {.view = *view, .ip = ip, .counts = counts, .outer = true};
    enum capture_count verdict = peel(&p, first);
    *view = p.view;
    return verdict;
}

bool capture_peel_to_ip(const struct capture_packet *packet, struct capture_view *view,
                        uint64_t counts[CAPTURE_COUNTS])
{
    struct capture_ip ip; // what Frame Relay says
    enum capture_count verdict = find_ip(packet, view, &ip, counts);
    counts[verdict] += verdict != CAPTURE_taken;
    return verdict == CAPTURE_taken;
}

enum capture_count capture_peel_link(const struct capture_packet *packet, struct capture_ip *ip,
                                     uint64_t counts[CAPTURE_COUNTS])
{
    struct capture_view view;
    ip->source = ip->destination = (struct ipv6_address){{0}}; // of Frame Relay
    ip->fragment = ip->sum_wrong = false;
    ip->direction = CAPTURE_UNKNOWN;
    enum capture_count verdict = find_ip(packet, &view, ip, counts);
    if (verdict == CAPTURE_taken)
        verdict = with_sum(capture_ip_read(view, ip, counts), ip);
    counts[verdict]++;
    if (verdict == CAPTURE_taken)
        counts[CAPTURE_first_fragment] += ip->fragment;
    return verdict;
}

enum capture_count capture_peel_tunnels(struct capture_ip *ip, uint64_t counts[CAPTURE_COUNTS])
{
    struct peel p = {.ip = ip, .counts = counts};
    return with_sum(peel(&p, STEP_TUNNEL), ip);
}
