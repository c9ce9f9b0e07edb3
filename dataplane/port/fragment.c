// Reassembles fragments by librte_ip_frag (RFC 791 3.2, RFC 8200 4.5): at most eight per datagram,
// with separate tables for peers and for strangers. The library lists the fragments that it gives
// up; each of them ends here, so at every return the waiting frames are exactly `packets` and
// `octets`.
//
// The library does not get an empty fragment, a fragment other than the last with a length that is
// no multiple of 8, nor one that ends beyond the buffer for the whole datagram (at most 65535). It
// joins no overlapping fragments: the datagram is given up when its octets add up to its length. A
// duplicate has the same effect. Left out: fragments over IPv6 with other headers before the
// fragment header, which the library cannot join.
#define ALLOW_EXPERIMENTAL_API // rte_ip_frag_table_del_expired_entries, the same in 22.11 to 24.11
#include "dataplane/port/port_parts.h"

#define LOOK_AGAIN_NS (FRAGMENT_WAIT_NS / 8)

#define ECN_BITS  2
#define ROOM_BITS 1
_Static_assert(FRAGMENT_ROOMS <= 1 << ROOM_BITS, "a frame's mark says in which it is");

static uint32_t mark_of(uint32_t ecn, enum fragment_room room, uint32_t source)
{
    return ecn | (uint32_t)room << ECN_BITS | source << (ECN_BITS + ROOM_BITS);
}

static uint32_t ecn_of_mark(const struct rte_mbuf *m)
{
    return m->hash.fdir.hi & ((1 << ECN_BITS) - 1);
}

static void leave(struct fragments *f, const struct rte_mbuf *m)
{
    struct fragment_places *places = &f->of[m->hash.fdir.hi >> ECN_BITS & ((1 << ROOM_BITS) - 1)];
    places->taken--;
    places->of_source[m->hash.fdir.hi >> (ECN_BITS + ROOM_BITS)]--;
    f->packets--;
    f->octets -= m->hash.usr;
}

// Frames as received: the library chains them, and removes their headers.
static void end_frames(struct port *port, enum drop_reason reason, struct rte_mbuf *m)
{
    struct fragments *f = port->fragments;
    for (struct rte_mbuf *next; m; m = next) {
        next = m->next;
        m->next = NULL;
        m->nb_segs = 1;
        leave(f, m);
        packet_drop(port->stats->drop, reason, m, m->hash.usr);
    }
}

static void end_row(struct port *port, enum drop_reason reason)
{
    struct rte_ip_frag_death_row *row = &port->fragments->row;
    for (uint32_t i = 0; i < row->cnt; i++)
        end_frames(port, reason, row->row[i]);
    row->cnt = 0;
}

// The reason for the list, after the library got the fragment `shown`: a list of that fragment
// alone means no room; a list with it means that its datagram does not fit together; any other list
// is of a datagram that waited too long and made room.
static enum drop_reason row_reason(const struct rte_ip_frag_death_row *row,
                                   const struct rte_mbuf *shown)
{
    for (uint32_t i = 0; i < row->cnt; i++)
        for (const struct rte_mbuf *m = row->row[i]; m; m = m->next)
            if (m == shown)
                return row->cnt == 1 && !m->next && row->row[i] == shown ? DROP_fragment_full
                                                                         : DROP_fragment;
    return DROP_fragment_late;
}

// The ECN field of a frame's outer IP header.
static uint8_t ecn_of(const struct rte_mbuf *m)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, ETHER_OCTETS);
    return ip[0] >> 4 == 4 ? ip[1] & 3 : ip[1] >> 4 & 3;
}

static void set_ce(struct rte_mbuf *m)
{
    uint8_t *ip = rte_pktmbuf_mtod_offset(m, uint8_t *, ETHER_OCTETS);
    ip[1] |= ip[0] >> 4 == 4 ? 0x03 : 0x30;
}

static void hold(struct port *port, struct rte_mbuf *m, enum fragment_room room, uint32_t source,
                 uint32_t head_octets, uint64_t now_ns)
{
    struct fragments *f = port->fragments;
    if (f->packets == 0)
        f->due_ns = now_ns + FRAGMENT_WAIT_NS + 1;
    if (f->due_ns < port->due_ns)
        port->due_ns = f->due_ns;
    f->of[room].taken++;
    f->of[room].of_source[source]++;
    f->packets++;
    f->octets += m->pkt_len;
    m->hash.usr = m->pkt_len;
    m->hash.fdir.hi = mark_of(ecn_of(m), room, source);
    m->l2_len = ETHER_OCTETS;
    m->l3_len = head_octets & 0x1ff;
}

#define ECN_NOT_ECT 0u
#define ECN_CE      3u

// A datagram is CE if one fragment is CE and all are ECN-capable (RFC 3168 5.3). False: one
// fragment is CE and one is not ECN-capable.
static bool join_ecn(struct rte_mbuf *m)
{
    bool ce = false, not_ect = false;
    for (const struct rte_mbuf *s = m; s; s = s->next) {
        ce |= ecn_of_mark(s) == ECN_CE;
        not_ect |= ecn_of_mark(s) == ECN_NOT_ECT;
    }
    if (ce && !not_ect)
        set_ce(m);
    return !(ce && not_ect);
}

// Accounts for the frames of a complete datagram, and copies them into one buffer.
static struct rte_mbuf *whole(struct port *port, struct rte_mbuf *m)
{
    struct fragments *f = port->fragments;
    uint64_t octets = 0;
    bool sound = join_ecn(m);
    for (const struct rte_mbuf *s = m; s; s = s->next) {
        octets += s->hash.usr;
        leave(f, s);
    }
    port->stats->joined_packets += m->nb_segs - 1u;
    port->stats->header_octets += octets - m->pkt_len;
    m->ol_flags &= ~(RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK);
    if (sound && rte_pktmbuf_linearize(m) == 0)
        return m;
    packet_drop(port->stats->drop, DROP_fragment, m, m->pkt_len);
    return NULL;
}

// The position of a fragment in its datagram, and the octets before it in its frame.
struct piece {
    uint32_t offset, octets, head_octets;
    bool last;
};

static bool piece_is_sound(const struct piece *piece, const struct rte_mbuf *m)
{
    uint32_t end = piece->head_octets + piece->offset + piece->octets;
    return piece->octets > 0 && (piece->last || piece->octets % 8 == 0) &&
           ETHER_OCTETS + end + RTE_PKTMBUF_HEADROOM <= m->buf_len;
}

static uint32_t source_of(const struct ipv6_address *source)
{
    uint32_t word[4];
    memcpy(word, source, sizeof word);
    uint32_t hash = ((word[0] * 31 + word[1]) * 31 + word[2]) * 31 + word[3];
    return hash * 0x9e3779b9u >> (32 - FRAGMENT_SOURCES_BITS); // 2^32 / golden ratio
}

// The table for the fragment; NULL: the fragment was dropped.
static struct rte_ip_frag_tbl *admit(struct port *port, struct rte_mbuf *m,
                                     const struct ipv6_address *from, const struct piece *piece,
                                     uint64_t now_ns)
{
    const uint8_t *mac = rte_pktmbuf_mtod_offset(m, const uint8_t *, sizeof(struct mac));
    enum port_neighbour_sender sender = port_neighbour_sender(port, from, mac);
    enum fragment_room room = sender == NEIGHBOUR_PEER ? FRAGMENT_PEERS : FRAGMENT_STRANGERS;
    struct fragment_places *places = &port->fragments->of[room];
    uint32_t source = source_of(from), left = places->room - places->taken;
    enum drop_reason reason = DROP_NONE;
    if (!piece_is_sound(piece, m))
        reason = DROP_fragment;
    else if (sender == NEIGHBOUR_FORGED)
        reason = DROP_fragment_forged;
    else if (places->of_source[source] >= left)
        reason = DROP_fragment_full;
    if (reason == DROP_NONE)
        hold(port, m, room, source, piece->head_octets, now_ns);
    else
        packet_drop(port->stats->drop, reason, m, m->pkt_len);
    return reason == DROP_NONE ? places->table : NULL;
}

static struct rte_mbuf *joined(struct port *port, struct rte_mbuf *shown, struct rte_mbuf *m)
{
    if (port->fragments->row.cnt)
        end_row(port, row_reason(&port->fragments->row, shown));
    return m ? whole(port, m) : NULL;
}

struct rte_mbuf *port_fragment_join_ipv4(struct port *port, struct rte_mbuf *shown,
                                         const struct ipv4 *ip, uint64_t now_ns)
{
    uint8_t *b = rte_pktmbuf_mtod_offset(shown, uint8_t *, ETHER_OCTETS);
    struct piece piece = {ip->fragment_offset * 8u, ip->payload.n, (uint32_t)(ip->payload.at - b),
                          !ip->more_fragments};
    struct ipv6_address from = address_of_ipv4(ip->source);
    struct rte_ip_frag_tbl *table = admit(port, shown, &from, &piece, now_ns);
    if (!table)
        return NULL;
    struct fragments *f = port->fragments;
    struct rte_mbuf *m =
        rte_ipv4_frag_reassemble_packet(table, &f->row, shown, now_ns, (struct rte_ipv4_hdr *)b);
    m = joined(port, shown, m);
    if (!m)
        return NULL;
    b = rte_pktmbuf_mtod_offset(m, uint8_t *, ETHER_OCTETS);
    put_be16(b + 10, 0);
    put_be16(b + 10, ipv4_fold(ipv4_sum(0, b, (b[0] & 15u) * 4)));
    return m;
}

struct rte_mbuf *port_fragment_join_ipv6(struct port *port, struct rte_mbuf *shown,
                                         const struct ipv6 *ip, uint64_t now_ns)
{
    uint8_t *b = rte_pktmbuf_mtod_offset(shown, uint8_t *, ETHER_OCTETS);
    struct piece piece = {ip->fragment.offset * 8u, ip->payload.n, (uint32_t)(ip->payload.at - b),
                          !ip->fragment.more_fragments};
    if (piece.head_octets != IPV6_OCTETS + IPV6_FRAGMENT_OCTETS) {
        packet_drop(port->stats->drop, DROP_fragment, shown, shown->pkt_len);
        return NULL;
    }
    struct rte_ip_frag_tbl *table = admit(port, shown, &ip->source, &piece, now_ns);
    if (!table)
        return NULL;
    struct fragments *f = port->fragments;
    struct rte_mbuf *m =
        rte_ipv6_frag_reassemble_packet(table, &f->row, shown, now_ns, (struct rte_ipv6_hdr *)b,
                                        (struct rte_ipv6_fragment_ext *)(b + IPV6_OCTETS));
    return joined(port, shown, m);
}

void port_held(const struct port *port, uint64_t *packets, uint64_t *octets)
{
    *packets = port->fragments->packets;
    *octets = port->fragments->octets;
}

// True if any expired.
static bool end_expired(struct port *port, enum drop_reason reason, uint64_t now_ns)
{
    struct fragments *f = port->fragments;
    uint64_t before = f->packets;
    for (int room = 0; room < FRAGMENT_ROOMS; room++) {
        rte_ip_frag_table_del_expired_entries(f->of[room].table, &f->row, now_ns);
        end_row(port, reason);
    }
    return f->packets < before;
}

// The library does not tell when the next datagram expires, so it is called at intervals.
uint64_t port_fragments_tick(struct port *port, uint64_t now_ns)
{
    struct fragments *f = port->fragments;
    if (f->packets == 0)
        return TIME_NEVER;
    if (now_ns < f->due_ns)
        return f->due_ns;
    f->due_ns = now_ns + LOOK_AGAIN_NS;
    if (end_expired(port, DROP_fragment_late, now_ns))
        f->due_ns = now_ns; // the row may have been too short
    return f->due_ns;
}

void port_fragments_flush(struct port *port)
{
    while (end_expired(port, DROP_shutdown, UINT64_MAX))
        ;
}
