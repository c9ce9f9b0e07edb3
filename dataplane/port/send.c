// Gives frames to the device. Frames of the path go unchanged; a frame larger than the MTU is
// copied into fragments (RFC 791 2.3, RFC 8200 4.5), which wait in the port together with the
// host's frames. While fragments wait no frame of the path goes, so fragments of one frame are
// never mixed with the next frame, and a frame is taken whole or not at all. Some of the host's
// frames go before the path's frames and the others after them (port_tick), so neither starves the
// other at a slow port. A sent frame is in one buffer.
//
// Counting: a frame of the path counts as sent when it is taken, an answer when its last octet
// goes. A waiting frame has in hash.usr the octets that it will count as, a fragment but the last
// 0.
#include "dataplane/port/port_parts.h"

#define RUN_FRAMES 256u

// Of the host's frames, if the path's frames wait, too.
#define ANSWERS_BEFORE_FRAMES 8u

// Offers frames to the device; returns how many it took.
static uint32_t offer(const struct port *port, struct rte_mbuf **m, uint32_t n)
{
    struct mirror *mirror = port->mirror;
    if (unlikely(port->nic_sums))
        port_sums_prepare(port, m, n);
    uint32_t ready = unlikely(port->vlan != 0) ? port_tags_put(port, m, n) : n;
    if (unlikely(mirror != NULL)) // what the device has taken cannot be copied any more
        mirror_put(mirror, port->mirror_interface, MIRROR_OUT, m, ready);
    uint32_t taken = rte_eth_tx_burst(port->id, port->queue, m, (uint16_t)ready);
    if (unlikely(mirror != NULL))
        mirror_take(mirror, port->mirror_interface, taken);
    if (unlikely(port->vlan != 0))
        port_tags_off(m + taken, n - taken);
    return taken;
}

// A fragment; the last one of its frame goes before the next frame.
static bool is_piece(const struct rte_mbuf *m)
{
    return m->hash.fdir.hi != 0;
}

// Offers `most` waiting frames, or all if fragments are among them. True if no fragment waits then.
static bool answers_offer(struct port *port, uint32_t most)
{
    uint32_t octets[PORT_ANSWERS];
    bool piece[PORT_ANSWERS];
    while (port->answers && (most || port->pieces)) {
        uint32_t first = port->answer_first, n = PORT_ANSWERS - first;
        n = n < port->answers ? n : port->answers;
        n = port->pieces || n < most ? n : most;
        for (uint32_t i = 0; i < n; i++) {
            octets[i] = port->answer[first + i]->hash.usr;
            piece[i] = is_piece(port->answer[first + i]);
        }
        uint32_t sent = offer(port, &port->answer[first], n);
        for (uint32_t i = 0; i < sent; i++) {
            port->stats->tx_packets += octets[i] > 0;
            port->stats->tx_octets += octets[i];
            port->pieces -= piece[i];
        }
        port->answer_first = (first + sent) % PORT_ANSWERS;
        port->answers -= sent;
        most -= sent < most ? sent : most;
        if (sent < n)
            break;
    }
    return port->pieces == 0;
}

void port_answers_flush(struct port *port)
{
    for (; port->answers; port->answers--) {
        struct rte_mbuf *m = port->answer[port->answer_first];
        port->answer_first = (port->answer_first + 1) % PORT_ANSWERS;
        port->stats->answers_unsent += m->hash.usr > 0;
        packet_release(m);
    }
    port->pieces = 0;
}

static void answers_put(struct port *port, struct rte_mbuf *m, uint32_t counts_as_octets,
                        bool piece)
{
    m->hash.usr = counts_as_octets;
    m->hash.fdir.hi = piece;
    port->pieces += piece;
    port->answer[(port->answer_first + port->answers++) % PORT_ANSWERS] = m;
}

// The cut of a frame into fragments: a head that each fragment copies, then pieces of the rest.
struct cut {
    uint32_t head_octets;  // Ethernet and IP, copied
    uint32_t extra_octets; // of IPv6's fragment header
    uint32_t piece_octets, pieces;
};

static struct cut cut_into(const struct port *port, uint32_t ip_octets, uint32_t extra_octets,
                           uint32_t frame_octets)
{
    struct cut cut = {.head_octets = ETHER_OCTETS + ip_octets, .extra_octets = extra_octets};
    cut.piece_octets = (port->frame_octets_max - cut.head_octets - extra_octets) & ~7u;
    cut.pieces = (frame_octets - cut.head_octets + cut.piece_octets - 1) / cut.piece_octets;
    return cut;
}

// Zero pieces: the frame cannot be fragmented.
static struct cut cut_of(const struct port *port, const struct rte_mbuf *m)
{
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    if (get_be16(b + 12) == ETHER_TYPE_IPV4)
        return cut_into(port, (b[ETHER_OCTETS] & 15u) * 4, 0, m->data_len);
    if (get_be16(b + 12) == ETHER_TYPE_IPV6)
        return cut_into(port, IPV6_OCTETS, IPV6_FRAGMENT_OCTETS, m->data_len);
    return (struct cut){0};
}

uint32_t port_ip_octets(const struct port *port, bool ipv6, uint32_t payload_octets)
{
    uint32_t ip_octets = ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
    uint32_t extra_octets = ipv6 ? IPV6_FRAGMENT_OCTETS : 0;
    uint32_t frame_octets = ETHER_OCTETS + ip_octets + payload_octets;
    if (frame_octets <= port->frame_octets_max)
        return ip_octets + payload_octets;
    struct cut cut = cut_into(port, ip_octets, extra_octets, frame_octets);
    return cut.pieces * (ip_octets + extra_octets) + payload_octets;
}

static void head_ipv4(uint8_t *ip, uint16_t id, uint32_t head_octets, uint32_t at, uint32_t octets,
                      bool last)
{
    put_be16(ip + 2, (uint16_t)(head_octets + octets));
    put_be16(ip + 4, id);
    put_be16(ip + 6, (uint16_t)(at / 8 | (last ? 0 : IPV4_FLAG_MF)));
    put_be16(ip + 10, 0);
    put_be16(ip + 10, ipv4_fold(ipv4_sum(0, ip, head_octets)));
}

static void head_ipv6(uint8_t *ip, uint32_t id, uint32_t at, uint32_t octets, bool last)
{
    uint8_t *fragment = ip + IPV6_OCTETS;
    put_be16(ip + 4, (uint16_t)(IPV6_FRAGMENT_OCTETS + octets));
    fragment[0] = ip[6];
    fragment[1] = 0;
    put_be16(fragment + 2, (uint16_t)(at | !last));
    put_be32(fragment + 4, id);
    ip[6] = IPV6_NEXT_FRAGMENT;
}

static void put_piece(const struct cut *cut, uint32_t id, const uint8_t *from, uint32_t from_octets,
                      uint32_t at, struct rte_mbuf *piece)
{
    uint32_t left = from_octets - cut->head_octets - at;
    bool last = left <= cut->piece_octets;
    uint32_t octets = last ? left : cut->piece_octets, head = cut->head_octets + cut->extra_octets;
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(piece, (uint16_t)(head + octets));
    memcpy(b, from, cut->head_octets);
    memcpy(b + head, from + cut->head_octets + at, octets);
    if (cut->extra_octets)
        head_ipv6(b + ETHER_OCTETS, id, at, octets, last);
    else
        head_ipv4(b + ETHER_OCTETS, (uint16_t)id, head - ETHER_OCTETS, at, octets, last);
}

// Queues a frame's fragments and releases the frame; false without room or buffers, and then
// nothing has changed.
static bool wait_in_pieces(struct port *port, const struct cut *cut, struct rte_mbuf *m,
                           uint32_t counts_as_octets)
{
    struct rte_mbuf *piece[PORT_ANSWERS];
    if (cut->pieces > PORT_ANSWERS - port->answers ||
        rte_pktmbuf_alloc_bulk(port->answer_pool, piece, cut->pieces) != 0)
        return false;
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    // The id is the port's: peers have counters of their own, and two may have one address.
    uint32_t id = port->ip_id++;
    for (uint32_t i = 0; i < cut->pieces; i++) {
        put_piece(cut, id, b, m->data_len, i * cut->piece_octets, piece[i]);
        answers_put(port, piece[i], i + 1 == cut->pieces ? counts_as_octets : 0, true);
    }
    port->stats->tx_fragmented++;
    packet_release(m);
    return true;
}

void port_answer(struct port *port, struct rte_mbuf *m)
{
    struct cut cut = {0};
    bool taken = true;
    port->stats->answers++;
    if (m->pkt_len > port->frame_octets_max)
        cut = cut_of(port, m);
    if (cut.pieces)
        taken = wait_in_pieces(port, &cut, m, m->pkt_len);
    else if (port->answers < PORT_ANSWERS)
        answers_put(port, m, m->pkt_len, false);
    else
        taken = false;
    if (!taken) {
        port->stats->answers_unsent++;
        packet_release(m);
    }
}

static void count_sent(struct port *port, uint32_t packets, uint64_t octets)
{
    port->stats->tx_packets += packets;
    port->stats->tx_octets += octets;
}

// The number of frames, from the first on, that need no fragments; `octets` of the first i of them.
static uint32_t run_of(const struct port *port, struct rte_mbuf **m, uint32_t n, uint32_t *octets)
{
    uint32_t run = 0;
    octets[0] = 0;
    for (; run < n && run < RUN_FRAMES && m[run]->pkt_len <= port->frame_octets_max; run++)
        octets[run + 1] = octets[run] + m[run]->pkt_len;
    return run;
}

// Sends a frame larger than the MTU; true if it was taken.
static bool send_large(struct port *port, struct rte_mbuf *m)
{
    struct cut cut = cut_of(port, m);
    uint32_t octets = m->pkt_len;
    bool taken = cut.pieces ? wait_in_pieces(port, &cut, m, 0) : offer(port, &m, 1) == 1;
    if (taken)
        count_sent(port, 1, octets);
    return taken;
}

uint32_t port_send(struct port *port, struct rte_mbuf **m, uint32_t n)
{
    uint32_t octets[RUN_FRAMES + 1];
    uint32_t sent = 0, run, taken;
    uint32_t waiting = port->answers;
    uint32_t first = n && port->frames_first ? 0 : ANSWERS_BEFORE_FRAMES;
    for (; answers_offer(port, first) && sent < n; first = 0) {
        run = run_of(port, &m[sent], n - sent, octets);
        taken = run ? offer(port, &m[sent], run) : send_large(port, m[sent]);
        if (run)
            count_sent(port, taken, octets[taken]);
        sent += taken;
        if (taken == 0)
            break;
    }
    // Answers took all the room.
    port->frames_first = n && sent == 0 && port->answers < waiting;
    port->stats->tx_refused += sent < n;
    return sent;
}

uint64_t port_tick(struct port *port, uint64_t now_ns)
{
    uint64_t ask_ns = port_neighbours_ask(port, now_ns),
             joined_ns = port_fragments_tick(port, now_ns);
    port->due_ns = ask_ns < joined_ns ? ask_ns : joined_ns;
    answers_offer(port, PORT_ANSWERS);
    return port->due_ns;
}
