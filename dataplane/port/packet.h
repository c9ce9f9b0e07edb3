// The one place of the dataplane where a packet ends before the wire: counted under its reason, in
// packets and octets, then freed. `octets` are those that the packet counted as when it came in (of
// the frame, or of the N-PDU after decap); `traffic_class` is CLASS_COUNT while no class claims it.
#ifndef SLUICE_PORT_PACKET_H
#define SLUICE_PORT_PACKET_H

#include <rte_mbuf.h>

#include "dataplane/stats/stats.h"

static inline void packet_drop(struct stats_worker *stats, uint32_t traffic_class,
                               enum drop_reason reason, struct rte_mbuf *packet, uint32_t octets)
{
    struct stats_drop *drop = &stats->of_class[traffic_class].drop[reason];
    drop->packets++;
    drop->octets += octets;
    rte_pktmbuf_free(packet);
}

// A framed segment whose N-PDU is accounted for elsewhere: freed, not counted.
static inline void packet_release(struct rte_mbuf *segment)
{
    rte_pktmbuf_free(segment);
}

#endif
