// The one place of the dataplane where a packet ends before the wire: counted under its reason, in
// packets and octets, then freed. `drops` belong to the packet's present scope: a port for a frame,
// a class for a downlink N-PDU, the uplink for a segment. `octets` are the octets that the packet
// was counted with when it entered that scope.
#ifndef SLUICE_PORT_PACKET_H
#define SLUICE_PORT_PACKET_H

#include <rte_mbuf.h>

#include "dataplane/stats/stats.h"

// Sees each packet that this thread drops, before it is freed, with the arguments of packet_drop;
// and each uplink frame that control gets, with DROP_NONE. NULL: none. A worker's mirror, or the
// lab, on whose one thread all workers run. Of each thread its own, so it costs one look a drop.
typedef void port_watch_fn(void *self, const struct rte_mbuf *packet, enum drop_reason reason,
                           const struct stats_drop *drops, uint32_t octets);
struct port_watch {
    port_watch_fn *dropped;
    void *self;
};
extern _Thread_local struct port_watch port_watch;

static inline void packet_show(const struct rte_mbuf *packet, enum drop_reason reason,
                               const struct stats_drop *drops, uint32_t octets)
{
    if (unlikely(port_watch.dropped != NULL))
        port_watch.dropped(port_watch.self, packet, reason, drops, octets);
}

static inline void packet_drop(struct stats_drop drops[DROP_COUNT], enum drop_reason reason,
                               struct rte_mbuf *packet, uint32_t octets)
{
    drops[reason].packets++;
    drops[reason].octets += octets;
    packet_show(packet, reason, drops, octets);
    rte_pktmbuf_free(packet);
}

// Frees, without counting, a buffer whose packet is accounted for elsewhere (a framed segment, a
// segment with copied octets, a frame that was answered in another buffer).
static inline void packet_release(struct rte_mbuf *buffer)
{
    rte_pktmbuf_free(buffer);
}

#endif
