// A frame of the input's choice: an IP packet around what path_payload.c writes or around what a
// host is asked, whole or in fragments, once or again and again; or octets as they come.
#include <string.h>

#include "dataplane/wire/gtpc.h"
#include "tests/fuzz/path_draft.h"

enum { UDP = 17, FRAGMENT_HEADER = 44, PIECES_MOST = 10 };

// ---- Frames on their way ----

// Mostly as much room behind it as the path can need; else none, which costs a downlink N-PDU its
// way and an uplink one its further segments, or just enough for a FCS.
static uint32_t any_tailroom(void)
{
    uint32_t choice = input_octet();
    return choice < 64 ? LLC_FCS_OCTETS : choice < 80 ? 0 : UINT16_MAX / 2;
}

void frame_give(uint32_t cut, uint64_t nic_flags)
{
    uint32_t n = draft_octets();
    path_give(draft.worker, draft.side, draft_at(), n < PATH_FRAME_OCTETS ? n : PATH_FRAME_OCTETS,
              cut, nic_flags, any_tailroom());
}

static uint64_t any_nic_flags(void)
{
    static const uint64_t flags[] = {RTE_MBUF_F_RX_IP_CKSUM_BAD, RTE_MBUF_F_RX_L4_CKSUM_BAD,
                                     RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD,
                                     RTE_MBUF_F_RX_L4_CKSUM_NONE};
    return input_octet() >= 240 ? INPUT_ONE_OF(flags) : 0;
}

void frame_put_ether(uint16_t type, enum frame_tag tag)
{
    uint16_t vlan = path_vlan(draft.side);
    const uint16_t words[] = {0, 0xe000, vlan | 0xa000, (uint16_t)draft_octets()};
    if (tag == TAG_ANY)
        vlan = words[draft_octets() % 4];
    bool tagged = tag == TAG_ANY || (tag == TAG_OF_PORT && vlan);
    uint8_t *b = draft_front(tagged ? 18 : 14);
    memcpy(b, &draft.to_mac, 6);
    memcpy(b + 6, &draft.from.mac, 6);
    put_be16(b + 12, tagged ? ETHER_TYPE_VLAN : type);
    if (tagged)
        put_be16(b + 14, vlan), put_be16(b + 16, type);
}

static enum frame_tag any_tag(uint32_t choice)
{
    return choice == 247 ? TAG_ANY : choice == 246 ? TAG_TAKEN_OFF : TAG_OF_PORT;
}

static bool is_ipv6(void)
{
    return !address_is_ipv4(&draft.from.address);
}

static void send_packet(void)
{
    uint32_t choice = input_octet();
    uint32_t cut = choice >= 248 ? 1 + input_word() % draft_octets() : 0;
    uint32_t padding = choice % 8 == 1 ? input_octet() : 0;
    enum frame_tag tag = any_tag(choice);
    frame_put_ether(is_ipv6() ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4, tag);
    draft_behind(padding, (uint8_t)choice);
    uint64_t flags = any_nic_flags();
    if (tag == TAG_TAKEN_OFF)
        flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    draft_fault(LAYER_ETHER, false);
    draft_fault(LAYER_ETHER, true);
    for (uint32_t times = choice >= 236 && choice < 244 ? 1 + input_octet() % 40 : 1; times > 0;
         times--)
        frame_give(cut, flags);
}

// ---- IP ----

static void sum_ipv4(uint8_t *ip, uint32_t n)
{
    uint32_t header = (ip[0] & 15u) * 4;
    if (n < 20 || header > n)
        return;
    put_be16(ip + 10, 0);
    put_be16(ip + 10, ipv4_fold(ipv4_sum(0, ip, header)));
}

static void put_ipv4(uint8_t protocol)
{
    uint32_t choice = input_octet(), options = choice >= 250 ? (choice - 249) * 4 : 0;
    uint32_t header = 20 + options;
    uint8_t *ip = draft_front(header);
    memset(ip, choice == 255 ? 0x83 : 1, header); // options: no operation, or a source route
    ip[0] = (uint8_t)(0x40 | header / 4);
    ip[1] = choice >= 128 ? (uint8_t)choice : 0;
    put_be16(ip + 2, (uint16_t)draft_octets());
    put_be16(ip + 4, (uint16_t)(choice * 257));
    put_be16(ip + 6, choice % 16 ? 0 : 0x4000);
    ip[8] = 64;
    ip[9] = protocol;
    put_be32(ip + 12, address_ipv4(&draft.from.address));
    put_be32(ip + 16, address_ipv4(&draft.to));
    draft_fault(LAYER_IP, false);
    sum_ipv4(draft_at(), draft_octets());
    draft_fault(LAYER_IP, true);
}

// In front of the payload: hop-by-hop and destination options, routing headers, in any number.
static uint8_t put_extensions(uint8_t next)
{
    static const uint8_t types[] = {0, 60, 43, 60};
    uint32_t choice = input_octet(), n = choice >= 245 ? (choice - 244) : 0;
    while (n--) {
        uint32_t octets = 8 * (1 + choice % 3);
        uint8_t *b = draft_front(octets);
        memset(b, 0, octets);
        b[0] = next;
        b[1] = (uint8_t)(octets / 8 - 1);
        b[2] = 1, b[3] = (uint8_t)(octets - 4); // PadN, or a routing header of type 1
        next = types[(choice + n) % 4];
    }
    return next;
}

static void put_ipv6(uint8_t next, uint8_t hop_limit)
{
    next = put_extensions(next);
    uint32_t octets = draft_octets(), choice = input_octet();
    uint8_t *ip = draft_front(40);
    put_be32(ip, 6u << 28 | (choice >= 128 ? choice << 20 : 0));
    put_be16(ip + 4, (uint16_t)octets);
    ip[6] = next;
    ip[7] = hop_limit;
    memcpy(ip + 8, &draft.from.address, 16);
    memcpy(ip + 24, &draft.to, 16);
    draft_fault(LAYER_IP, false);
    draft_fault(LAYER_IP, true);
}

void frame_put_ip(uint8_t protocol, uint8_t hop_limit)
{
    if (is_ipv6())
        put_ipv6(protocol, hop_limit);
    else
        put_ipv4(protocol);
}

// ---- Fragments ----

struct piece {
    uint32_t at, octets;
    bool more;
};

// The head octets of a packet, an extension in which IPv6 says where the piece lies, the piece.
static void send_piece(const uint8_t *packet, uint32_t head, uint16_t id, const struct piece *p)
{
    draft.first = draft.end = PATH_FRAME_OCTETS;
    uint8_t *b = draft_front(p->octets);
    draft.end = draft.first + p->octets;
    memcpy(b, packet + head + p->at, p->octets);
    if (is_ipv6()) {
        b = draft_front(8);
        b[0] = packet[6], b[1] = 0;
        put_be16(b + 2, (uint16_t)((p->at & ~7u) | p->more));
        put_be32(b + 4, id);
    }
    b = draft_front(head);
    memcpy(b, packet, head);
    if (is_ipv6()) {
        b[6] = FRAGMENT_HEADER;
        put_be16(b + 4, (uint16_t)(draft_octets() - 40));
    } else {
        put_be16(b + 2, (uint16_t)draft_octets());
        put_be16(b + 4, id);
        put_be16(b + 6, (uint16_t)(p->at / 8 | (p->more ? 0x2000 : 0)));
        sum_ipv4(b, draft_octets());
    }
    frame_put_ether(is_ipv6() ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4, TAG_OF_PORT);
    frame_give(0, 0);
}

// Overlaps, holes, duplicates, an end that is none.
static void alter(struct piece *p, uint32_t how, uint32_t octets)
{
    if (how == 1)
        p->at = p->at >= 8 ? p->at - 8 : 0;
    else if (how == 2)
        p->at += 8;
    else if (how == 3)
        p->octets += 8;
    else if (how == 4)
        p->octets -= p->octets > 1;
    else if (how == 5)
        p->more = !p->more;
    else if (how == 6)
        p->octets = 0;
    if (p->at > octets)
        p->at = octets;
    if (p->octets > octets - p->at)
        p->octets = octets - p->at;
}

static uint32_t cut_up(struct piece *pieces, uint32_t octets, uint32_t n)
{
    uint32_t step = (octets / n + 8) & ~7u, made = 0;
    for (uint32_t at = 0; at < octets && made < PIECES_MOST; at += step, made++)
        pieces[made] =
            (struct piece){at, octets - at < step ? octets - at : step, octets - at > step};
    return made;
}

static void send_fragments(void)
{
    static uint8_t packet[2 * PATH_FRAME_OCTETS];
    struct piece pieces[PIECES_MOST];
    uint32_t total = draft_octets(), choice = input_octet();
    uint32_t head = is_ipv6() ? 40 : total ? (draft_at()[0] & 15u) * 4 : 0;
    uint16_t id = (uint16_t)input_word();
    if (total <= head || head < 20)
        return;
    memcpy(packet, draft_at(), total);
    uint32_t n =
        cut_up(pieces, total - head, choice % 8 ? 2 + choice / 8 % 3 : 1 + choice / 8 % 10);
    uint32_t turn = input_octet();
    for (uint32_t i = 0; i < n; i++) {
        struct piece p = pieces[(turn % 2 ? n - 1 - i : i + turn / 2) % n];
        uint32_t how = turn >= 192 ? input_octet() % 32 : 0;
        alter(&p, how, total - head);
        for (uint32_t times = how == 7 ? 0 : how == 8 ? 2 : 1; times > 0; times--)
            send_piece(packet, head, id, &p);
    }
}

// The first fragments of many datagrams that will never be whole.
static void send_beginnings(uint32_t n)
{
    static uint8_t packet[2 * PATH_FRAME_OCTETS];
    uint32_t total = draft_octets(), head = is_ipv6() ? 40 : 20;
    uint16_t id = (uint16_t)input_word();
    if (total < head + 16)
        return;
    memcpy(packet, draft_at(), total);
    while (n--)
        send_piece(packet, head, id++, &(struct piece){0, 8, true});
}

void frame_send_ip(void)
{
    uint32_t choice = input_octet();
    if (draft_octets() == 0)
        return;
    if (choice == 255)
        send_beginnings(1 + input_octet() % 64);
    else if (choice >= 232)
        send_fragments();
    else
        send_packet();
}

// ---- UDP ----

static void sum_udp(void)
{
    uint8_t *b = draft_at();
    uint32_t n = draft_octets();
    if (n < 8)
        return;
    put_be16(b + 6, 0);
    if (is_ipv6())
        udp_put_checksum_ipv6(b, n, &draft.from.address, &draft.to);
    else
        udp_put_checksum(b, n, address_ipv4(&draft.from.address), address_ipv4(&draft.to));
}

static void send_datagram(void)
{
    uint32_t choice = input_octet();
    uint8_t *udp = draft_front(8);
    put_be16(udp, draft.from.udp_port);
    bool gtpc = draft.side == STATS_GN && choice >= 246 && choice < 254;
    put_be16(udp + 2, gtpc ? GTPC_PORT : path_port(draft.side, choice == 255));
    put_be16(udp + 4, (uint16_t)draft_octets());
    put_be16(udp + 6, 0);
    draft_fault(LAYER_UDP, false);
    if (choice % 8)
        sum_udp();
    draft_fault(LAYER_UDP, true);
    frame_put_ip(choice == 254 ? 132 : UDP, 64);
    frame_send_ip();
}

static void send_junk(void)
{
    draft_behind(input_word() % 256, (uint8_t)input_octet());
    for (uint32_t i = 0; i < draft_octets() && i < 64; i++)
        draft_at()[i] = (uint8_t)input_octet();
    frame_give(0, 0);
}

void path_frame_from_input(enum stats_side at)
{
    uint32_t choice = input_octet(), what = choice % 32;
    draft.side = at;
    draft.worker = choice / 32 % PATH_WORKERS;
    draft.to_mac = path_mac(draft.side, 0);
    draft_begin();
    if (what == 0) {
        send_junk();
    } else if (what <= 3) {
        path_host(what);
    } else {
        draft.from = path_payload(draft.side);
        draft.to = path_address(draft.side, is_ipv6(), 0);
        send_datagram();
    }
}
