// From the queue to the Gb port: a burst is framed, then its FCSs in a pass of their own (byte
// stores followed by wide loads of the same line would stall), then sent. A frame that the port
// refuses waits at the head; nothing framed is dropped, and nothing more is framed until it has
// gone.
#include "dataplane/down/down.h"

#include <rte_prefetch.h>

#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define PREFETCH_AHEAD 4
#define BURSTS_A_CALL  4

// In two stages, since an MS is only known by its context.
static void prefetch_ahead(const struct down *down)
{
    const struct pdu *far = fifo_peek(down->queue, 2 * PREFETCH_AHEAD);
    const struct pdu *near = fifo_peek(down->queue, PREFETCH_AHEAD);
    if (far) {
        rte_prefetch0(far->buffer);
        rte_prefetch0(&down->state->pdp[far->context]);
    }
    if (near) {
        const struct state_pdp *pdp = &down->state->pdp[near->context];
        rte_prefetch0(&down->state->ms[pdp->ms]);
        rte_prefetch0(rte_pktmbuf_mtod((struct rte_mbuf *)near->buffer, void *));
    }
}

static uint32_t frame_burst(struct down *down)
{
    uint32_t n = 0;
    while (n < down->burst && fifo_packets(down->queue) > 0) {
        prefetch_ahead(down);
        if (!frame_next(down, n)) {
            down->stats->no_buffer++;
            break;
        }
        n++;
    }
    return n;
}

static void fcs_burst(struct down *down, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct down_frame *f = &down->frame[i];
        uint32_t covered = f->llc_octets - (uint32_t)LLC_FCS_OCTETS;
        fcs_put(f->llc + covered, fcs(f->llc, covered));
    }
}

static void count_sent(struct down *down, uint32_t first, uint32_t n, uint64_t octets)
{
    down->stats->gb_tx_packets += n;
    down->stats->gb_tx_octets += octets;
    for (uint32_t i = first; i < first + n; i++) {
        struct stats_class *stats = &down->stats->of_class[down->frame[i].traffic_class];
        stats->out_packets += down->frame[i].npdu_octets > 0;
        stats->out_octets += down->frame[i].npdu_octets;
    }
}

// Offers what is pending; true if the port took all of it.
static bool send_pending(struct down *down)
{
    uint64_t octets[PORT_BURST + 1];
    octets[0] = 0;
    for (uint32_t i = 0; i < down->pending; i++)
        octets[i + 1] = octets[i] + down->packet[down->first + i]->pkt_len;
    uint32_t sent = port_send(down->gb, &down->packet[down->first], down->pending);
    count_sent(down, down->first, sent, octets[sent]);
    down->first += sent;
    down->pending -= sent;
    if (down->pending == 0)
        return true;
    down->stats->gb_tx_refused++;
    return false;
}

// A slow port is found out by its refusals: then one frame at a time is framed, for what is framed
// is past all management; bursts that are full and taken whole double from there.
static void adapt_burst(struct down *down, uint32_t framed, bool taken)
{
    if (!taken)
        down->burst = 1;
    else if (framed == down->burst && down->burst < PORT_BURST)
        down->burst *= 2;
}

bool down_output(struct down *down)
{
    if (down->pending && !send_pending(down))
        return true;
    for (int bursts = 0; bursts < BURSTS_A_CALL && fifo_packets(down->queue) > 0; bursts++) {
        uint32_t framed = frame_burst(down);
        bool no_buffer = framed < down->burst && fifo_packets(down->queue) > 0;
        down->first = 0;
        down->pending = framed;
        fcs_burst(down, framed);
        bool taken = framed == 0 || send_pending(down);
        adapt_burst(down, framed, taken);
        if (no_buffer || !taken)
            return true;
    }
    return false;
}

void down_queued(const struct down *down, uint64_t *packets, uint64_t *octets)
{
    *packets = fifo_packets(down->queue);
    *octets = down->queue->octets;
    for (uint32_t i = down->first; i < down->first + down->pending; i++) {
        *packets += down->frame[i].npdu_octets > 0;
        *octets += down->frame[i].npdu_octets;
    }
}

void down_flush(struct down *down)
{
    for (uint32_t i = down->first; i < down->first + down->pending; i++) {
        const struct down_frame *f = &down->frame[i];
        if (f->npdu_octets)
            packet_drop(down->stats, f->traffic_class, DROP_shutdown, down->packet[i],
                        f->npdu_octets);
        else
            packet_release(down->packet[i]);
    }
    down->pending = 0;
    down->segmenter.started = false;
    for (const struct pdu *npdu; (npdu = fifo_head(down->queue)) != NULL; fifo_pop(down->queue))
        packet_drop(down->stats, npdu->traffic_class, DROP_shutdown, npdu->buffer, npdu->octets);
}
