// N-PDUs to the Gn port: a G-PDU (TS 29.281) without a sequence number to the context's GGSN, in
// the N-PDU's own buffer, headers in front; and between them control's GTP-C messages. What the
// port refuses waits, in order; when UP_PENDING wait, further ones are dropped, as the uplink has
// no queue management.
#include <rte_mbuf.h>

#include "dataplane/base/units.h"
#include "dataplane/up/up_parts.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"

// The Gb headers of a first segment are longer than the Gn headers of its N-PDU.
#define UL_UNITDATA_OCTETS_MIN 20u // type, TLLI, QoS, cell, tag of the LLC PDU
#define GB_OCTETS_MIN                                                                              \
    (PEER_OUTER_IPV4_OCTETS + NS_UNITDATA_OCTETS + UL_UNITDATA_OCTETS_MIN + LLC_UI_HEADER_OCTETS + \
     SNDCP_FIRST_OCTETS)
_Static_assert(ETHER_TAG_OCTETS + PEER_OUTER_OCTETS_MAX + GTPU_OCTETS <=
                   RTE_PKTMBUF_HEADROOM + GB_OCTETS_MIN,
               "headers fit in place");

static void put_headers(struct up *up, struct peer *peer, uint32_t teid, struct rte_mbuf *m)
{
    uint32_t octets = m->pkt_len;
    uint8_t *b = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)(peer->outer_octets + GTPU_OCTETS));
    uint8_t *gtpu = b + peer->outer_octets;
    peer_put(peer, up->gn, GTPU_OCTETS + octets, b);
    gtpu[0] = GTPU_PLAIN;
    gtpu[1] = GTPU_G_PDU;
    put_be16(gtpu + 2, (uint16_t)octets);
    put_be32(gtpu + 4, teid);
    if (peer->ipv6)
        port_peer_finish(up->gn, m);
}

// The place for the next waiting N-PDU; UP_PENDING: none.
static uint32_t place(struct up *up)
{
    uint32_t end = up->first + up->pending;
    if (end < UP_PENDING)
        return end;
    memmove(up->packet, up->packet + up->first, up->pending * sizeof up->packet[0]);
    memmove(up->segments, up->segments + up->first, up->pending * sizeof up->segments[0]);
    memmove(up->octets, up->octets + up->first, up->pending * sizeof up->octets[0]);
    memmove(up->traced, up->traced + up->first, up->pending * sizeof up->traced[0]);
    up->first = 0;
    return up->pending;
}

static __attribute__((noinline)) void drop(struct up *up, enum drop_reason reason,
                                           struct rte_mbuf *m, uint8_t segments, uint16_t traced)
{
    up_trace_dropped(up, traced, reason);
    up_drop_segments(up, reason, m, segments, m->pkt_len);
}

// Holds the flow to what its share of the downlink sends in the time of its class.
static __attribute__((noinline)) void lower_window(struct up *up, const struct state_pdp *p,
                                                   struct rte_mbuf *m)
{
    uint32_t context = (uint32_t)(p - up->state->pdp);
    uint64_t window_ms = up->window->of_class_ms[p->traffic_class];
    struct window_ack ack;
    if (window_ms &&
        window_up(up->window, context, rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &ack))
        window_lower(up->window, &ack,
                     sched_flow_share(up->sched, p->ms, p->slot) * window_ms /
                         (S_IN_NS / MS_IN_NS));
}

static void wait_at(struct up *up, uint32_t at, struct rte_mbuf *m, uint8_t segments,
                    uint32_t octets, uint16_t traced)
{
    up->packet[at] = m;
    up->segments[at] = segments;
    up->octets[at] = (uint16_t)octets;
    up->traced[at] = traced;
    up->pending++;
    up->pending_segments += segments;
    up->pending_octets += octets;
}

void up_npdu(struct up *up, uint32_t pdp, struct rte_mbuf *m, uint8_t segments, uint16_t traced)
{
    const struct state_pdp_up *p = &up->state->pdp_up[pdp];
    struct peer *peer = p->ggsn == STATE_NO_GGSN ? NULL : &up->state->ggsn[p->ggsn].peer;
    uint32_t octets = m->pkt_len, at = place(up);
    if (p->ended) {
        drop(up, DROP_no_tunnel, m, segments, traced);
        return;
    }
    if (!peer || !peer_ready(peer, up->gn)) {
        drop(up, DROP_no_path, m, segments, traced);
        return;
    }
    if (at == UP_PENDING) {
        drop(up, DROP_gn_full, m, segments, traced);
        return;
    }
    if (__builtin_expect(up->window != NULL, 0))
        lower_window(up, &up->state->pdp[pdp], m);
    put_headers(up, peer, p->teid, m);
    wait_at(up, at, m, segments, octets, traced);
}

// In a buffer of the port's, of which there are enough for a port that keeps what it has sent.
static struct rte_mbuf *message_frame(struct up *up, uint32_t ggsn, uint16_t udp_port,
                                      const struct rte_mbuf *message)
{
    struct peer *peer = &up->state->ggsn[ggsn].peer;
    uint32_t octets = message->pkt_len, outer = peer->outer_octets;
    struct rte_mbuf *m = peer_ready(peer, up->gn) ? rte_pktmbuf_alloc(up->gn->answer_pool) : NULL;
    if (!m)
        return NULL;
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(outer + octets));
    memcpy(b + outer, rte_pktmbuf_mtod(message, const uint8_t *), octets);
    peer_put(peer, up->gn, octets, b);
    put_be16(b + outer - UDP_OCTETS, GTPC_PORT);
    put_be16(b + outer - UDP_OCTETS + 2, udp_port);
    port_reply_finish(m);
    return m;
}

void up_send(struct up *up, uint32_t ggsn, uint16_t udp_port, struct rte_mbuf *message)
{
    uint32_t at = place(up);
    struct rte_mbuf *m = at < UP_PENDING ? message_frame(up, ggsn, udp_port, message) : NULL;
    up->gn->stats->answers++;
    if (m)
        wait_at(up, at, m, 0, 0, 0);
    else
        up->gn->stats->answers_unsent++;
    packet_release(message);
}

// Removes the first waiting N-PDU.
static void pending_next(struct up *up)
{
    up->pending_segments -= up->segments[up->first];
    up->pending_octets -= up->octets[up->first];
    up->first++;
    up->pending--;
}

static void trace_sent_npdus(struct up *up, uint32_t sent)
{
    for (uint32_t i = up->first; i < up->first + sent && up->state->trace; i++)
        if (up->traced[i])
            trace_sent(up->state->trace, up->traced[i], up->octets[i], up->segments[i]);
}

void up_output(struct up *up)
{
    struct stats_up *stats = &up->stats->up;
    if (up->pending == 0)
        return;
    uint32_t sent = port_send(up->gn, &up->packet[up->first], up->pending);
    if (__builtin_expect(up->state->trace != NULL, 0))
        trace_sent_npdus(up, sent);
    for (uint32_t i = 0; i < sent; i++) {
        stats->out_packets += up->segments[up->first];
        stats->out_octets += up->octets[up->first];
        stats->npdus += up->segments[up->first] > 0;
        pending_next(up);
    }
}

void up_held(const struct up *up, uint64_t *packets, uint64_t *octets)
{
    *packets = up->partial_segments + up->pending_segments;
    *octets = up->partial_octets + up->pending_octets;
}

void up_flush(struct up *up)
{
    while (up->oldest != UP_NONE)
        up_forget(up, up->partial[up->oldest].pdp, DROP_shutdown);
    while (up->pending) {
        if (up->segments[up->first])
            up_drop_segments(up, DROP_shutdown, up->packet[up->first], up->segments[up->first],
                             up->octets[up->first]);
        else
            packet_release(up->packet[up->first]);
        pending_next(up);
    }
}
