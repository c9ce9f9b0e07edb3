// See post.h: messages.
#include "dataplane/post/post.h"

#include <rte_ring_elem.h>

void post_stray(struct post *post, uint32_t to, struct port *port, enum stats_side side,
                struct rte_mbuf *frame, const struct port_datagram *datagram)
{
    struct message message = {.kind = MESSAGE_STRAY, .side = (uint8_t)side};
    uint32_t octets = frame->pkt_len;
    message.stray.frame = frame;
    message.stray.datagram = *datagram;
    message.stray.datagram.hops++;
    if (rte_ring_sp_enqueue_elem(post->to[to], &message, sizeof message) != 0) {
        packet_drop(port->stats->drop, DROP_stray_full, frame, octets);
        return;
    }
    post->news = true;
    port->stats->strays_out_packets++;
    port->stats->strays_out_octets += octets;
}

void post_neighbour(struct post *post, enum stats_side side, const struct ipv6_address *address,
                    const struct mac *mac)
{
    struct message message = {.kind = MESSAGE_NEIGHBOUR, .side = (uint8_t)side};
    message.neighbour.address = *address;
    message.neighbour.mac = *mac;
    for (uint32_t to = 0; to < post->workers; to++)
        if (to != post->worker && rte_ring_free_count(post->to[to]) > POST_MESSAGES / 2) {
            rte_ring_sp_enqueue_elem(post->to[to], &message, sizeof message);
            post->news = true;
        }
}

uint32_t post_take(struct post *post, uint32_t from, struct message *messages, uint32_t n)
{
    uint32_t there =
        rte_ring_dequeue_burst_elem_start(post->from[from], messages, sizeof *messages, n, NULL);
    uint32_t taken = 0;
    while (taken < there && messages[taken++].kind != MESSAGE_MIGRATION)
        ;
    if (there)
        rte_ring_dequeue_elem_finish(post->from[from], taken);
    return taken;
}
