// From the scheduler to the Gb port: a burst of grants is framed, then its FCSs in a pass of their
// own (byte stores followed by wide loads of the same line would stall), then enciphered, then
// sent. A frame that the port refuses waits at the head; nothing granted or framed is dropped for
// want of room, and nothing more is granted until it has gone.
//
// The cipher is cheap for many frames at once, so while most are enciphered up to DOWN_FRAMES are
// gathered, burst by burst, before any of them goes; in order, with those in plaintext between
// them.
#include "dataplane/down/down.h"

#include <rte_prefetch.h>

#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define PREFETCH_AHEAD 4
#define BURSTS_A_CALL  4

void down_drops(struct down *down)
{
    const struct sched_drop *drop;
    uint32_t n = sched_dropped(down->sched, &drop);
    for (uint32_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            rte_prefetch0(drop[i + PREFETCH_AHEAD].buffer);
        packet_drop(down->stats, drop[i].traffic_class, drop[i].reason, drop[i].buffer,
                    drop[i].octets);
    }
}

// Asks for a burst, and for what framing it will touch first.
static void take_grants(struct down *down, uint32_t most, uint64_t now_ns)
{
    down->grant_first = 0;
    down->grants = sched_take(down->sched, down->grant, most, now_ns);
    for (uint32_t i = 0; i < down->grants; i++) {
        const struct sched_grant *grant = &down->grant[i];
        rte_prefetch0(grant->buffer);
        rte_prefetch0(&down->state->pdp[grant->context]);
        rte_prefetch0(&down->state->ms[grant->ms]);
    }
    down_drops(down);
}

// The N-PDU of a context that has been removed since: no piece of it goes, and it ends with its
// last one, which is when the scheduler lets go of it.
static bool outlived(struct down *down, const struct sched_grant *grant)
{
    struct rte_mbuf *m = grant->buffer;
    if (m->hash.usr == down->state->pdp[grant->context].teid)
        return false;
    if (grant->last)
        packet_drop(down->stats, grant->traffic_class, DROP_removed, m, grant->npdu_octets);
    return true;
}

// Frames what is granted, as far as there are buffers, behind what is framed already.
static void frame_grants(struct down *down)
{
    for (; down_stalled(down); down->grant_first++) {
        const struct sched_grant *grant = &down->grant[down->grant_first];
        if (down->grant_first + PREFETCH_AHEAD < down->grants)
            rte_prefetch0(
                rte_pktmbuf_mtod((struct rte_mbuf *)grant[PREFETCH_AHEAD].buffer, void *));
        if (outlived(down, grant))
            continue;
        if (!frame_piece(down, grant, down->pending)) {
            down->stats->no_buffer++;
            break;
        }
        down->pending++;
    }
}

static void fcs_burst(struct down *down, uint32_t from)
{
    for (uint32_t i = from; i < down->pending; i++) {
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
    uint64_t octets[DOWN_FRAMES + 1];
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
// is past all management; bursts that are full and taken whole double from there. Beyond PORT_BURST
// they do so only while half of the frames or more are enciphered: plaintext gains nothing by it,
// and at 100 000 MSs it costs up to 10 %.
static void adapt_burst(struct down *down, bool full, bool taken, bool ciphers)
{
    uint32_t most = ciphers ? DOWN_FRAMES : PORT_BURST;
    if (!taken)
        down->burst = 1;
    else if (full && down->burst < most)
        down->burst *= 2;
    else if (down->burst > most)
        down->burst = most;
}

// True if the scheduler may have more.
static bool frame_burst(struct down *down, uint32_t most, uint64_t now_ns)
{
    uint32_t from = down->pending;
    if (!down_stalled(down))
        take_grants(down, most, now_ns);
    bool full = down->grants == most;
    frame_grants(down);
    fcs_burst(down, from);
    return full && !down_stalled(down);
}

static bool frame_bursts(struct down *down, uint64_t now_ns)
{
    bool more = true;
    for (uint32_t left = down->burst, n; more && left > 0; left -= n) {
        n = left < PORT_BURST ? left : PORT_BURST;
        more = frame_burst(down, n, now_ns);
    }
    return more;
}

static void encipher(struct down *down)
{
    if (down->segments)
        cipher_run(down->scratch, down->segment, down->segments);
    down->segments = 0;
}

// What is framed at once. True if the next call may have something to send as well.
static bool output_frames(struct down *down, uint64_t now_ns)
{
    down->first = down->pending = 0;
    bool more = frame_bursts(down, now_ns);
    bool ciphers = 2 * down->segments >= down->pending;
    encipher(down);
    bool taken = down->pending == 0 || send_pending(down);
    adapt_burst(down, more, taken, ciphers);
    return more && taken;
}

bool down_output(struct down *down, uint64_t now_ns)
{
    if (down->pending && !send_pending(down)) {
        sched_take(down->sched, NULL, 0, now_ns); // what expires meanwhile does so in time
        down_drops(down);
        return true;
    }
    for (uint32_t bursts = 0; bursts < BURSTS_A_CALL && output_frames(down, now_ns);
         bursts += down_bursts_in(down))
        ;
    return down->pending > 0 || down_stalled(down);
}

void down_queued(const struct down *down, uint64_t *packets, uint64_t *octets)
{
    struct sched_queued queued = sched_queued(down->sched);
    *packets = queued.packets;
    *octets = queued.octets;
    for (uint32_t i = down->grant_first; i < down->grants; i++) {
        *packets += down->grant[i].last;
        *octets += down->grant[i].last ? down->grant[i].npdu_octets : 0;
    }
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
    for (uint32_t i = down->grant_first; i < down->grants; i++) {
        const struct sched_grant *grant = &down->grant[i];
        if (grant->last)
            packet_drop(down->stats, grant->traffic_class, DROP_shutdown, grant->buffer,
                        grant->npdu_octets);
    }
    down->pending = down->grants = down->grant_first = 0;
}
