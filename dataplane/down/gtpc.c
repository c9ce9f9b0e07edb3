// GTP-C (TS 29.060) on its way to control: the datagrams of GGSNs with GTP-C, unread. Those of
// anybody else are dropped, and control is told of one a second. Nobody is answered here.
//
// Control gets a copy in a buffer of Gb's pool, which has one for each place of the ring of events:
// so a control that reads no events holds no buffer of the downlink's.
#include "dataplane/down/down.h"

static void stranger(struct down *down, struct event *event, uint64_t now_ns)
{
    if (now_ns < down->gtpc_stranger_ns)
        return;
    down->gtpc_stranger_ns = now_ns + DOWN_GTPC_STRANGER_NS;
    event->kind = EVENT_gtpc_stranger;
    event_put_unsolicited(down->events, event);
}

// DROP_NONE: control has it.
static enum drop_reason to_control(struct down *down, struct octets message, struct event *event)
{
    struct event_unread *unread = &down->gtpc[event->ggsn_id];
    struct rte_mbuf *copy =
        event_may_be_told(unread, EVENT_GTPC_MOST) ? rte_pktmbuf_alloc(down->event_pool) : NULL;
    if (!copy)
        return DROP_control_full;
    enum drop_reason reason = DROP_buffer_chain;
    event->buffer = copy;
    event->pdu.n = message.n;
    event->pdu.at = (uint8_t *)rte_pktmbuf_append(copy, (uint16_t)message.n);
    if (event->pdu.at) {
        memcpy((uint8_t *)(uintptr_t)event->pdu.at, message.at, message.n);
        reason = event_put_unsolicited(down->events, event) ? DROP_NONE : DROP_control_full;
    }
    if (reason == DROP_NONE)
        unread->told++;
    else
        packet_release(copy);
    return reason;
}

void down_gtpc(void *self, struct rte_mbuf *frame, const struct port_datagram *datagram,
               uint64_t now_ns)
{
    struct down *down = self;
    struct stats_port *stats = down->gn->stats;
    struct port_endpoint from = port_sender(frame, datagram);
    struct event event = event_of(EVENT_gtpc, down->state->worker, down->stats->commands);
    enum drop_reason reason = DROP_gtpc_stranger;
    event.source = from.address;
    event.udp_port = from.udp_port;
    event.ggsn_id = state_gtpc_of(down->state, &from.address);
    if (event.ggsn_id == STATE_NONE)
        stranger(down, &event, now_ns);
    else
        reason = to_control(
            down,
            (struct octets){rte_pktmbuf_mtod_offset(frame, uint8_t *, datagram->payload_offset),
                            datagram->payload_octets},
            &event);
    if (reason != DROP_NONE) {
        packet_drop(stats->drop, reason, frame, frame->pkt_len);
        return;
    }
    stats->control_packets++;
    stats->control_octets += frame->pkt_len;
    packet_release(frame);
}
