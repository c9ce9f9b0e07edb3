// A burst from Gn to the queue, in passes: decap, then tunnel, then queue, so that each pass finds
// in the cache what the one before asked for.
#include "dataplane/down/down.h"

#include <rte_prefetch.h>

#define PREFETCH_AHEAD 4

// Decap over a burst: frames and teids keep the ones that passed. Returns how many.
static uint32_t decap_burst(struct down *down, struct rte_mbuf **frames, uint32_t n,
                            uint32_t *teids)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
        rte_prefetch0(rte_pktmbuf_mtod(frames[i], void *));
    for (uint32_t i = 0; i < n; i++) {
        struct rte_mbuf *m = frames[i];
        if (i + PREFETCH_AHEAD < n)
            rte_prefetch0(rte_pktmbuf_mtod(frames[i + PREFETCH_AHEAD], void *));
        uint32_t frame_octets = m->pkt_len;
        down->stats->gn_rx_octets += frame_octets;
        enum drop_reason reason = decap(&down->gn, m, &teids[passed]);
        if (reason != DROP_NONE) {
            packet_drop(down->stats, CLASS_COUNT, reason, m, m->pkt_len);
            continue;
        }
        down->stats->gn_header_octets += frame_octets - m->pkt_len;
        if (teid_index(teids[passed]) < down->state->limits.pdps)
            rte_prefetch0(&down->state->pdp[teid_index(teids[passed])]);
        frames[passed++] = m;
    }
    down->stats->gn_rx_packets += n;
    return passed;
}

// What a frame has become on its way to the queue.
struct npdu {
    struct pdu pdu;
    uint32_t ms;
    uint8_t slot, traffic_class;
};

static void drop(struct down *down, uint32_t traffic_class, enum drop_reason reason,
                 struct rte_mbuf *m)
{
    packet_drop(down->stats, traffic_class, reason, m, m->pkt_len);
}

static enum drop_reason npdu_refused(const struct state_pdp *pdp, const struct rte_mbuf *m)
{
    if (m->pkt_len > pdp->npdu_octets_max)
        return DROP_npdu_oversize;
    // The last segment is framed in this buffer: headers before the N-PDU, its FCS behind.
    if (rte_pktmbuf_headroom(m) < DOWN_HEADER_OCTETS_MAX ||
        rte_pktmbuf_tailroom(m) < LLC_FCS_OCTETS)
        return DROP_buffer_room;
    return DROP_NONE;
}

static void classify(const struct down *down, const struct state_pdp *pdp, struct rte_mbuf *m,
                     uint64_t now_ns, struct npdu *npdu)
{
    *npdu = (struct npdu){.pdu = {.buffer = m,
                                  .arrived_ns = now_ns,
                                  .context = teid_index(pdp->teid),
                                  .lle = pdp->lle,
                                  .octets = (uint16_t)m->pkt_len},
                          .ms = pdp->ms,
                          .slot = pdp->slot,
                          .traffic_class = pdp->traffic_class};
    m->hash.usr = pdp->teid;
    inner_classify(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, down->flows, &npdu->pdu);
}

// The tunnel of each frame: its N-PDU, whose queue is asked for, or its end. Returns how many.
static uint32_t tunnel_burst(struct down *down, struct rte_mbuf **frames, uint32_t n,
                             const uint32_t *teids, uint64_t now_ns, struct npdu *npdu)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct rte_mbuf *m = frames[i];
        const struct state_pdp *pdp = state_pdp_of_teid(down->state, teids[i]);
        if (!pdp) {
            drop(down, CLASS_COUNT, DROP_unknown_teid, m);
            continue;
        }
        struct stats_class *stats = &down->stats->of_class[pdp->traffic_class];
        stats->in_packets++;
        stats->in_octets += m->pkt_len;
        enum drop_reason reason = npdu_refused(pdp, m);
        if (reason != DROP_NONE) {
            drop(down, pdp->traffic_class, reason, m);
            continue;
        }
        sched_prefetch(down->sched, pdp->ms, pdp->slot);
        classify(down, pdp, m, now_ns, &npdu[passed++]);
    }
    return passed;
}

static void queue_burst(struct down *down, const struct npdu *npdu, uint32_t n, uint64_t now_ns)
{
    for (uint32_t i = 0; i < n; i++)
        sched_prefetch_tail(down->sched, npdu[i].ms, npdu[i].slot);
    for (uint32_t i = 0; i < n; i++) {
        enum drop_reason reason =
            sched_put(down->sched, npdu[i].ms, npdu[i].slot, &npdu[i].pdu, now_ns);
        if (reason != DROP_NONE)
            drop(down, npdu[i].traffic_class, reason, npdu[i].pdu.buffer);
    }
}

void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns)
{
    uint32_t teids[PORT_BURST];
    struct npdu npdu[PORT_BURST];
    n = decap_burst(down, frames, n, teids);
    n = tunnel_burst(down, frames, n, teids, now_ns, npdu);
    queue_burst(down, npdu, n, now_ns);
}
