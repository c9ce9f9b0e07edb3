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

static enum drop_reason queue_npdu(struct down *down, const struct state_pdp *pdp,
                                   struct rte_mbuf *m, uint64_t now_ns)
{
    if (m->pkt_len > pdp->npdu_octets_max)
        return DROP_npdu_oversize;
    // The last segment is framed in this buffer: headers before the N-PDU, its FCS behind.
    if (rte_pktmbuf_headroom(m) < DOWN_HEADER_OCTETS_MAX ||
        rte_pktmbuf_tailroom(m) < LLC_FCS_OCTETS)
        return DROP_buffer_room;
    struct pdu pdu = {.buffer = m,
                      .arrived_ns = now_ns,
                      .context = teid_index(pdp->teid),
                      .octets = (uint16_t)m->pkt_len,
                      .traffic_class = pdp->traffic_class};
    return fifo_put(down->queue, &pdu) ? DROP_NONE : DROP_queue_full;
}

static void input_npdu(struct down *down, uint32_t teid, struct rte_mbuf *m, uint64_t now_ns)
{
    const struct state_pdp *pdp = state_pdp_of_teid(down->state, teid);
    if (!pdp) {
        packet_drop(down->stats, CLASS_COUNT, DROP_unknown_teid, m, m->pkt_len);
        return;
    }
    struct stats_class *stats = &down->stats->of_class[pdp->traffic_class];
    stats->in_packets++;
    stats->in_octets += m->pkt_len;
    enum drop_reason reason = queue_npdu(down, pdp, m, now_ns);
    if (reason != DROP_NONE)
        packet_drop(down->stats, pdp->traffic_class, reason, m, m->pkt_len);
}

void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns)
{
    uint32_t teids[PORT_BURST];
    n = decap_burst(down, frames, n, teids);
    for (uint32_t i = 0; i < n; i++)
        input_npdu(down, teids[i], frames[i], now_ns);
}
