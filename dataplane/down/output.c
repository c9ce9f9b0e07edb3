// From the scheduler to the Gb port: a burst of grants is framed, then gets its FCSs in a pass of
// its own (byte stores followed by wide loads of the same line would stall), then is enciphered,
// then sent. A frame that the port refuses waits at the head; no granted or made frame is dropped
// for lack of room, and nothing more is granted until it has gone.
//
// The cipher is cheap for many frames at once, so while most frames are enciphered up to
// DOWN_FRAMES are gathered, burst by burst, before any of them goes; in order, with the plaintext
// frames between them.
#include "dataplane/down/down.h"

#include <rte_prefetch.h>

#include "dataplane/trace/trace.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define PREFETCH_AHEAD 4
#define CACHED_NS      100000
#define BURSTS_A_CALL  4

// Counts a drop at its MS and cell; the buffer's TEID names the MS while its context exists.
static void count_dropped(struct down *down, const struct rte_mbuf *m, enum drop_reason reason)
{
    const struct state_pdp *pdp = state_pdp_of_teid(down->state, m->hash.usr);
    if (pdp && pdp->ms != STATE_NONE)
        state_count_drop(down->state, pdp->ms, reason);
}

void down_drops(struct down *down)
{
    const struct sched_drop *drop;
    uint32_t n = sched_dropped(down->sched, &drop);
    for (uint32_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            rte_prefetch0(drop[i + PREFETCH_AHEAD].buffer);
        count_dropped(down, drop[i].buffer, drop[i].reason);
        if (__builtin_expect(drop[i].traced, 0))
            trace_down_dropped(down->state->trace, drop[i].buffer, drop[i].reason);
        packet_drop(down->stats->of_class[drop[i].traffic_class].drop, drop[i].reason,
                    drop[i].buffer, drop[i].octets);
    }
}

// Takes a burst of grants, and prefetches what framing touches first.
static void take_grants(struct down *down, uint32_t most, uint64_t now_ns)
{
    down->grant_first = 0;
    down->grants = sched_take(down->sched, down->grant, most, now_ns);
    for (uint32_t i = 0; i < down->grants; i++) {
        const struct sched_grant *grant = &down->grant[i];
        rte_prefetch0(grant->buffer);
        rte_prefetch0(&down->state->pdp[grant->context]);
        rte_prefetch0(&down->state->ms[grant->ms]);
        if (down->state->options)
            rte_prefetch0(state_options(down->state, grant->ms));
    }
    down_drops(down);
}

struct state_nsvc *down_link(const struct down *down, uint32_t bvc, uint32_t tlli)
{
    const struct state *state = down->state;
    uint32_t link = state_link(&state->nse[state->bvc[bvc].nse], tlli);
    if (link == STATE_NONE)
        return NULL;
    struct state_nsvc *nsvc = &state->nsvc[link];
    return peer_ready(&nsvc->peer, down->gb) ? nsvc : NULL;
}

// Why no further piece of that N-PDU can be sent: its context is removed, or there is no usable
// NS-VC, or there was none for an earlier piece.
static enum drop_reason undeliverable(const struct down *down, const struct sched_grant *grant,
                                      const struct state_nsvc *nsvc)
{
    const struct rte_mbuf *m = grant->buffer;
    const struct state_pdp *pdp = &down->state->pdp[grant->context];
    if (m->hash.usr != pdp->teid)
        return DROP_removed;
    if (grant->offset > 0 && pdp->segment == STATE_SEGMENT_LOST)
        return DROP_no_link;
    if (grant->offset > 0 ? pdp->segment == STATE_SEGMENT_BEYOND
                          : grant->npdu_octets > pdp->npdu_octets_max)
        return DROP_npdu_oversize; // N201-U has shrunk since it was queued
    return nsvc ? DROP_NONE : DROP_no_link;
}

// The N-PDU ends with its last piece, when the scheduler gives its buffer back.
static void end_undeliverable(struct down *down, const struct sched_grant *grant,
                              enum drop_reason reason)
{
    struct state_pdp *pdp = &down->state->pdp[grant->context];
    if (reason == DROP_no_link)
        pdp->segment = STATE_SEGMENT_LOST;
    if (reason == DROP_npdu_oversize)
        pdp->segment = STATE_SEGMENT_BEYOND;
    if (!grant->last)
        return;
    state_count_drop(down->state, grant->ms, reason);
    if (grant->traced)
        trace_down_dropped(down->state->trace, grant->buffer, reason);
    packet_drop(down->stats->of_class[grant->traffic_class].drop, reason, grant->buffer,
                grant->npdu_octets);
}

// What framing touches first; and all that the FCS will read, if the N-PDU has waited for so long
// that its octets have probably left the caches.
static inline __attribute__((always_inline)) void prefetch_octets(const struct sched_grant *grant)
{
    const uint8_t *b =
        rte_pktmbuf_mtod_offset((struct rte_mbuf *)grant->buffer, const uint8_t *, grant->offset);
    uint32_t octets = grant->sojourn_ns > CACHED_NS ? grant->octets : 1;
    for (uint32_t i = 0; i < octets; i += RTE_CACHE_LINE_SIZE)
        rte_prefetch0(b + i);
}

// In a pass of its own, so that those of several grants overlap: an NS-VC is found by six loads,
// each of which waits for the one before. MS and cell are there, as commands wait while grants do.
static void find_links(const struct down *down, struct state_nsvc **nsvc)
{
    for (uint32_t i = down->grant_first; i < down->grants; i++) {
        const struct state_ms *ms = &down->state->ms[down->grant[i].ms];
        nsvc[i] = down_link(down, ms->bvc, ms->tlli);
    }
}

// Frames the grants, as far as there are buffers, behind all frames made already.
static void frame_grants(struct down *down)
{
    struct state_nsvc *nsvc[PORT_BURST];
    find_links(down, nsvc);
    for (; down_stalled(down); down->grant_first++) {
        const struct sched_grant *grant = &down->grant[down->grant_first];
        if (down->grant_first + PREFETCH_AHEAD < down->grants)
            prefetch_octets(&grant[PREFETCH_AHEAD]);
        enum drop_reason reason = undeliverable(down, grant, nsvc[down->grant_first]);
        if (reason != DROP_NONE) {
            end_undeliverable(down, grant, reason);
            continue;
        }
        if (!down_frame_piece(down, grant, nsvc[down->grant_first], down->pending)) {
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

// Added up while the class stays, for an addition in memory waits for the one before.
static void count_sent(struct down *down, uint32_t first, uint32_t n)
{
    uint64_t packets = 0, octets = 0;
    for (uint32_t i = first; i < first + n; i++) {
        const struct down_frame *f = &down->frame[i];
        packets += f->npdu_octets > 0;
        octets += f->npdu_octets;
        if (i + 1 < first + n && f[1].traffic_class == f->traffic_class)
            continue;
        down->stats->of_class[f->traffic_class].out_packets += packets;
        down->stats->of_class[f->traffic_class].out_octets += octets;
        packets = octets = 0;
    }
}

static void trace_sent_frames(struct down *down, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        if (down->frame[i].traced && down->frame[i].npdu_octets)
            trace_down_sent(down->state->trace, down->frame[i].traced, down->frame[i].npdu_octets);
}

// Offers the pending frames; true if the port took all of them.
static bool send_pending(struct down *down)
{
    uint32_t sent = port_send(down->gb, &down->packet[down->first], down->pending);
    count_sent(down, down->first, sent);
    if (__builtin_expect(down->state->trace != NULL, 0))
        trace_sent_frames(down, down->first, sent);
    down->first += sent;
    down->pending -= sent;
    return down->pending == 0;
}

bool down_send(struct down *down, uint32_t nsvc_id, struct rte_mbuf *pdu)
{
    struct peer *peer = &down->state->nsvc[nsvc_id].peer;
    uint32_t octets = pdu->pkt_len;
    if (down->pending == 0)
        down->first = 0;
    uint32_t i = down->first + down->pending;
    if (i == DOWN_FRAMES)
        return false;
    down->gb->stats->answers++;
    if (!peer_ready(peer, down->gb)) {
        down->gb->stats->answers_unsent++;
        packet_release(pdu);
        return true;
    }
    peer_put(peer, down->gb, octets, (uint8_t *)rte_pktmbuf_prepend(pdu, peer->outer_octets));
    if (peer->ipv6)
        port_peer_finish(down->gb, pdu);
    down->packet[i] = pdu;
    down->frame[i] = (struct down_frame){0};
    down->pending++;
    return true;
}

// Refusals reveal a slow port: then one frame at a time is made, as made frames are beyond the
// AQM's reach; from there full bursts that are taken whole double. Beyond PORT_BURST they double
// only while at least half of the frames are enciphered: plaintext gains nothing, and at 100 000
// MSs loses up to 10 %.
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

// True if more grants may follow.
static bool frame_burst(struct down *down, uint32_t most, uint64_t now_ns)
{
    uint32_t from = down->pending;
    if (!down_stalled(down))
        take_grants(down, most, now_ns);
    stages_mark(down->stages, STAGE_schedule);
    bool full = down->grants == most;
    frame_grants(down);
    stages_mark(down->stages, STAGE_frame);
    fcs_burst(down, from);
    stages_mark(down->stages, STAGE_fcs);
    return full && !down_stalled(down);
}

static bool frame_bursts(struct down *down, uint64_t now_ns)
{
    bool more = true;
    for (uint32_t left = down->burst - down->pending, n; more && left > 0; left -= n) {
        n = left < PORT_BURST ? left : PORT_BURST;
        more = frame_burst(down, n, now_ns);
    }
    return more;
}

static void encipher(struct down *down)
{
    if (down->cipher_frames)
        cipher_run(down->scratch, down->cipher_frame, down->cipher_frames);
    down->cipher_frames = 0;
}

// The UDP checksum over IPv6 is of the enciphered octets.
static void finish(struct down *down)
{
    if (address_is_none(&down->gb->host.ipv6))
        return;
    for (uint32_t i = 0; i < down->pending; i++)
        if (down->frame[i].ipv6)
            port_peer_finish(down->gb, down->packet[i]);
}

// Makes frames until one call's most. True if the next call may have something to send as well.
static bool output_frames(struct down *down, uint64_t now_ns)
{
    down->first = down->pending = 0;
    down_llc_output(down, down->burst, now_ns);
    bool more = frame_bursts(down, now_ns);
    bool ciphers = 2 * down->cipher_frames >= down->pending;
    encipher(down);
    stages_mark(down->stages, STAGE_cipher);
    finish(down);
    bool taken = down->pending == 0 || send_pending(down);
    stages_mark(down->stages, STAGE_send);
    adapt_burst(down, more, taken, ciphers);
    return more && taken;
}

// Without grants, N-PDUs expire nevertheless.
static void expire(struct down *down, uint64_t now_ns)
{
    sched_take(down->sched, NULL, 0, now_ns);
    down_drops(down);
}

// What holds the traced N-PDUs from here to the next poll.
static void look_at_traced(struct down *down)
{
    for (uint32_t i = down->grant_first; i < down->grants; i++)
        if (down->grant[i].traced && down->grant[i].last)
            trace_down_granted(down->state->trace, down->grant[i].buffer);
    trace_down_look(down->state->trace, down->sched);
}

static bool output(struct down *down, uint64_t now_ns)
{
    if (down->pending && !send_pending(down)) {
        expire(down, now_ns);
        return true;
    }
    for (uint32_t bursts = 0; bursts < BURSTS_A_CALL && output_frames(down, now_ns);
         bursts += down_bursts_in(down))
        ;
    if (down_stalled(down))
        expire(down, now_ns);
    return down->pending > 0 || down_stalled(down);
}

bool down_output(struct down *down, uint64_t now_ns)
{
    bool blocked = output(down, now_ns);
    if (__builtin_expect(down->state->trace != NULL, 0))
        look_at_traced(down);
    return blocked;
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
    for (uint32_t i = 0; i < down->llcs; i++)
        packet_release(down->llc[i].frame);
    down->llcs = 0;
    for (uint32_t i = down->first; i < down->first + down->pending; i++) {
        const struct down_frame *f = &down->frame[i];
        if (f->npdu_octets)
            packet_drop(down->stats->of_class[f->traffic_class].drop, DROP_shutdown,
                        down->packet[i], f->npdu_octets);
        else
            packet_release(down->packet[i]);
    }
    for (uint32_t i = down->grant_first; i < down->grants; i++) {
        const struct sched_grant *grant = &down->grant[i];
        if (grant->last)
            packet_drop(down->stats->of_class[grant->traffic_class].drop, DROP_shutdown,
                        grant->buffer, grant->npdu_octets);
    }
    down->pending = down->grants = down->grant_first = 0;
}
