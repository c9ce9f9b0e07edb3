// See post.h: letters.
#include "dataplane/post/post.h"

#include <rte_ring_elem.h>

void post_stray(struct post *post, uint32_t to, struct port *port, enum stats_side side,
                struct rte_mbuf *frame, const struct port_datagram *datagram)
{
    struct letter letter = {.kind = LETTER_STRAY, .side = (uint8_t)side};
    uint32_t octets = frame->pkt_len;
    letter.stray.frame = frame;
    letter.stray.datagram = *datagram;
    letter.stray.datagram.hops++;
    if (rte_ring_sp_enqueue_elem(post->to[to], &letter, sizeof letter) != 0) {
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
    struct letter letter = {.kind = LETTER_NEIGHBOUR, .side = (uint8_t)side};
    letter.neighbour.address = *address;
    letter.neighbour.mac = *mac;
    for (uint32_t to = 0; to < post->workers; to++)
        if (to != post->worker && rte_ring_free_count(post->to[to]) > POST_LETTERS / 2) {
            rte_ring_sp_enqueue_elem(post->to[to], &letter, sizeof letter);
            post->news = true;
        }
}

uint32_t post_take(struct post *post, uint32_t from, struct letter *letters, uint32_t n)
{
    uint32_t there =
        rte_ring_dequeue_burst_elem_start(post->from[from], letters, sizeof *letters, n, NULL);
    uint32_t taken = 0;
    while (taken < there && letters[taken++].kind != LETTER_PARCEL)
        ;
    if (there)
        rte_ring_dequeue_elem_finish(post->from[from], taken);
    return taken;
}
