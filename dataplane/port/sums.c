// UDP checksums over IPv6, where each datagram needs one, of frames to peers. A NIC that can
// computes them: then the frame says so, and the driver prepares it when it is offered. They are
// computed here for a frame that goes in fragments, as a NIC would see no whole datagram; while a
// mirror copies what is sent, as a capture shows frames as they are on the wire; and for a frame
// that the driver does not want to prepare. A buffer that is refused keeps its flags and is
// prepared again.
#include "dataplane/port/peer.h"
#include "dataplane/port/port_parts.h"

#define BY_NIC (RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_UDP_CKSUM)

void port_peer_finish(const struct port *port, struct rte_mbuf *frame)
{
    if (get_be16(rte_pktmbuf_mtod(frame, const uint8_t *) + 12) != ETHER_TYPE_IPV6)
        return;
    if (!port->nic_sums || frame->pkt_len > port->frame_octets_max) {
        port_reply_finish(frame);
        return;
    }
    frame->ol_flags |= BY_NIC;
    frame->l2_len = ETHER_OCTETS;
    frame->l3_len = IPV6_OCTETS;
    frame->l4_len = UDP_OCTETS; // net_tap of DPDK before 22.11.4 wants it
}

static void sum_here(struct rte_mbuf *frame)
{
    if (!(frame->ol_flags & RTE_MBUF_F_TX_IPV6))
        return;
    frame->ol_flags &= ~BY_NIC;
    port_reply_finish(frame);
}

void port_sums_prepare(const struct port *port, struct rte_mbuf **m, uint32_t n)
{
    if (port->mirror) {
        for (uint32_t i = 0; i < n; i++)
            sum_here(m[i]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        i += rte_eth_tx_prepare(port->id, port->queue, m + i, (uint16_t)(n - i));
        if (i < n)
            sum_here(m[i]);
    }
}
