// The one place of the dataplane where a packet ends before the wire: counted under its reason, in
// packets and octets, then freed. `drops` are those of whom the packet belonged to when it ended: a
// port's while it is a frame, a class's as a downlink N-PDU, the uplink's as a segment. `octets`
// are those that it counted as when it came in there.
#ifndef SLUICE_PORT_PACKET_H
#define SLUICE_PORT_PACKET_H

#include <rte_mbuf.h>

#include "dataplane/stats/stats.h"

static inline void packet_drop(struct stats_drop drops[DROP_COUNT], enum drop_reason reason,
                               struct rte_mbuf *packet, uint32_t octets)
{
    drops[reason].packets++;
    drops[reason].octets += octets;
    rte_pktmbuf_free(packet);
}

// A buffer whose packet is accounted for elsewhere (a framed segment, a segment whose octets were
// copied, a frame that was answered from another): freed, not counted.
static inline void packet_release(struct rte_mbuf *buffer)
{
    rte_pktmbuf_free(buffer);
}

#endif
