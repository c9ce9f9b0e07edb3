// A burst from Gn to the queues, in passes: decap, then tunnel, then queue, so that each pass finds
// in the cache what the previous one prefetched.
#include "dataplane/down/down.h"

#include <rte_prefetch.h>

#include "dataplane/state/event_put.h"
#include "dataplane/trace/trace.h"

// Decapsulates a burst: the arrays keep the frames that passed. Returns their number.
static uint32_t decap_burst(struct down *down, struct rte_mbuf **frames,
                            struct port_datagram *datagrams, uint32_t n, struct gpdu *gpdus)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t reason = down_decap(down, frames[i], &datagrams[i], &gpdus[passed]);
        if (reason == DECAP_TAKEN)
            continue;
        if (reason != DROP_NONE) {
            packet_drop(down->gn->stats->drop, reason, frames[i], frames[i]->pkt_len);
            continue;
        }
        if (__builtin_expect(datagrams[i].teid != 0, 0) &&
            state_pdp_of_teid(down->state, datagrams[i].teid))
            gpdus[passed].teid = datagrams[i].teid;
        uint32_t index = teid_index(down->state->teid_bits, gpdus[passed].teid);
        if (index < down->state->limits.pdps)
            rte_prefetch0(&down->state->pdp[index]);
        datagrams[passed] = datagrams[i];
        frames[passed++] = frames[i];
    }
    return passed;
}

// A frame on its way to the queue.
struct npdu {
    struct pdu pdu;
    uint32_t ms;
    uint8_t slot;
};

// Drops an N-PDU and counts it at its class.
static void drop(struct down *down, const struct state_pdp *pdp, enum drop_reason reason,
                 struct rte_mbuf *m)
{
    state_count_drop(down->state, pdp->ms, reason);
    packet_drop(down->stats->of_class[pdp->traffic_class].drop, reason, m, m->pkt_len);
}

static enum drop_reason npdu_refused(const struct state_pdp *pdp, const struct rte_mbuf *m)
{
    if (m->pkt_len > pdp->npdu_octets_max)
        return DROP_npdu_oversize;
    // The last segment is framed in this buffer: headers before the N-PDU, its FCS behind.
    if (rte_pktmbuf_headroom(m) < DOWN_HEADER_OCTETS_MAX ||
        rte_pktmbuf_tailroom(m) < LLC_FCS_OCTETS)
        return DROP_buffer_room;
    return DROP_NONE;
}

static void classify(const struct down *down, const struct state_pdp *pdp, struct rte_mbuf *m,
                     struct npdu *npdu)
{
    *npdu = (struct npdu){.pdu = {.buffer = m,
                                  .context = teid_index(down->state->teid_bits, pdp->teid),
                                  .lle = pdp->lle,
                                  .octets = (uint16_t)m->pkt_len},
                          .ms = pdp->ms,
                          .slot = pdp->slot};
    m->hash.usr = pdp->teid;
    down_inner_classify(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len,
                        down->flows ? &down->flow_key : NULL, &npdu->pdu);
}

// Removes everything but the N-PDU from its buffer.
static void strip(struct down *down, struct rte_mbuf *m, const struct gpdu *gpdu)
{
    down->gn->stats->header_octets += m->pkt_len - gpdu->octets;
    m->data_off = (uint16_t)(m->data_off + gpdu->offset);
    m->data_len = gpdu->octets;
    m->pkt_len = gpdu->octets;
}

// Forwards a frame to the worker that the MS moved to, or to the worker that owns this TEID.
static void not_here(struct down *down, struct rte_mbuf *m, const struct port_datagram *datagram,
                     uint32_t teid, uint64_t now_ns)
{
    const struct state_pdp *pdp = state_pdp_of_teid(down->state, teid);
    struct port_datagram onward = *datagram;
    onward.teid = pdp ? pdp->elsewhere : 0;
    uint32_t to = teid_worker(down->state->teid_bits, pdp ? pdp->elsewhere : teid);
    bool elsewhere = to != down->post->worker && to < down->post->workers;
    if (elsewhere && post_may(datagram)) {
        post_stray(down->post, to, down->gn, STATS_GN, m, &onward);
        return;
    }
    if (!elsewhere) // else it may be in transit, and its GGSN must keep the tunnel
        down_gtpu_unknown(down, m, datagram, teid, now_ns);
    packet_drop(down->gn->stats->drop, DROP_unknown_teid, m, m->pkt_len);
}

// The GGSN said that it had no tunnel, and now sends in it, as after a restart. If the ring of
// events is full, the next G-PDU tries again.
static void go_on(struct down *down, const struct state_pdp *pdp)
{
    uint32_t id = (uint32_t)(pdp - down->state->pdp);
    const struct state_pdp_up *up = &down->state->pdp_up[id];
    if (!up->ended || up->ggsn == STATE_NO_GGSN)
        return;
    struct event event = event_of(EVENT_tunnel, down->state->worker, down->stats->commands);
    event.source = down->state->ggsn[up->ggsn].address;
    event.teid = up->teid;
    if (event_put_unsolicited(down->events, &event))
        state_pdp_uplink(down->state, id, false);
}

// Knowing a TEID does not authenticate the sender.
static bool may_send(struct down *down, const struct state_pdp *pdp, const struct rte_mbuf *m,
                     const struct port_datagram *datagram)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, datagram->ip_offset);
    if (__builtin_expect(!datagram->ipv6 && state_is_from_ggsn(pdp, get_be32(ip + 12)), 1))
        return true;
    struct port_endpoint sender = port_sender(m, datagram);
    if (!state_may_send(down->state, pdp, &sender.address))
        return false;
    go_on(down, pdp);
    return true;
}

// Whether any MS may be in standby.
static bool looks_for_standby(const struct down *down)
{
    return down->ready_ticks || down->state->standby;
}

// Finds the tunnel of each frame: its N-PDU, with its queue prefetched, or its drop. Returns the
// number left.
static uint32_t tunnel_burst(struct down *down, struct rte_mbuf **frames,
                             const struct port_datagram *datagrams, uint32_t n,
                             const struct gpdu *gpdus, uint64_t now_ns, struct npdu *npdu)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct rte_mbuf *m = frames[i];
        const struct state_pdp *pdp = state_pdp_of_teid(down->state, gpdus[i].teid);
        if (!pdp || pdp->ms == STATE_NONE) {
            not_here(down, m, &datagrams[i], gpdus[i].teid, now_ns);
            continue;
        }
        if (!may_send(down, pdp, m, &datagrams[i])) {
            trace_down_refused(down->state->trace, down->state, pdp, m, DROP_gn_source);
            packet_drop(down->gn->stats->drop, DROP_gn_source, m, m->pkt_len);
            continue;
        }
        strip(down, m, &gpdus[i]);
        struct stats_class *stats = &down->stats->of_class[pdp->traffic_class];
        stats->in_packets++;
        stats->in_octets += m->pkt_len;
        enum drop_reason reason = npdu_refused(pdp, m);
        if (reason == DROP_NONE)
            reason =
                down_inner_decap_ecn(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, datagrams[i].ecn);
        if (reason != DROP_NONE) {
            trace_down_refused(down->state->trace, down->state, pdp, m, reason);
            drop(down, pdp, reason, m);
            continue;
        }
        sched_prefetch(down->sched, pdp->ms, pdp->slot); // first: classify takes a while
        if (looks_for_standby(down))
            rte_prefetch0(&down->state->ms[pdp->ms]);
        classify(down, pdp, m, &npdu[passed]);
        if (down->flows)
            sched_prefetch_flow(down->sched, pdp->ms, pdp->slot, npdu[passed].pdu.flow_hash);
        passed++;
    }
    return passed;
}

// The MS must be paged first, so its queue is held. If the ring of events is full, the path does
// not hold the queue, and the next N-PDU tries again.
static void page(struct down *down, struct state_ms *ms, uint32_t ms_id, uint64_t now_ns)
{
    struct event event = event_of(EVENT_page, down->state->worker, down->stats->commands);
    event.nse_id = down->state->bvc[ms->bvc].nse;
    event.bvc_id = ms->bvc;
    event.ms_id = down->state->ms_up[ms_id].id;
    if (!event_put_unsolicited(down->events, &event))
        return;
    state_ms_hold(down->state, down->sched, ms_id, STATE_HELD_FOR_PAGING, now_ns);
}

// The MS was put in standby, or has not been heard for READY time.
static bool is_in_standby(const struct down *down, const struct state_ms *ms, uint64_t now_ns)
{
    int32_t silent_ticks = (int32_t)(state_tick(now_ns) - ms->heard); // by another worker's clock
    return ms->holds & STATE_HELD_IN_STANDBY ||
           (down->ready_ticks && silent_ticks > (int32_t)down->ready_ticks);
}

static void look_for_standby(struct down *down, uint32_t ms_id, uint64_t now_ns)
{
    struct state_ms *ms = &down->state->ms[ms_id];
    if (!(ms->holds & STATE_HELD_FOR_PAGING) && is_in_standby(down, ms, now_ns))
        page(down, ms, ms_id, now_ns);
}

void down_standby(struct down *down, uint32_t ms_id, uint64_t now_ns)
{
    if (down->state->ms[ms_id].holds & STATE_HELD_IN_STANDBY &&
        sched_ms_queued(down->sched, ms_id).packets > 0)
        look_for_standby(down, ms_id, now_ns);
}

// A loop of its own without a trace: a test of each N-PDU costs 1 % of its way.
static inline __attribute__((always_inline)) void queue_npdus(struct down *down,
                                                              const struct npdu *npdu, uint32_t n,
                                                              struct trace *trace, uint64_t now_ns)
{
    for (uint32_t i = 0; i < n; i++) {
        enum drop_reason reason =
            sched_put(down->sched, npdu[i].ms, npdu[i].slot, &npdu[i].pdu, now_ns);
        if (trace && npdu[i].pdu.traced)
            trace_down_put(trace, down->sched, npdu[i].ms, npdu[i].slot, &npdu[i].pdu, reason);
        if (reason != DROP_NONE)
            drop(down, &down->state->pdp[npdu[i].pdu.context], reason, npdu[i].pdu.buffer);
        else if (looks_for_standby(down))
            look_for_standby(down, npdu[i].ms, now_ns);
    }
}

// Chooses the N-PDUs of a burst that are traced.
static __attribute__((noinline)) void queue_traced(struct down *down, struct npdu *npdu, uint32_t n,
                                                   uint64_t now_ns)
{
    struct trace *trace = down->state->trace;
    for (uint32_t i = 0; i < n; i++)
        trace_down(trace, down->state, &down->state->pdp[npdu[i].pdu.context], npdu[i].pdu.buffer,
                   &npdu[i].pdu);
    queue_npdus(down, npdu, n, trace, now_ns);
}

static void queue_burst(struct down *down, struct npdu *npdu, uint32_t n, uint64_t now_ns)
{
    for (uint32_t i = 0; i < n; i++)
        sched_prefetch_tail(down->sched, npdu[i].ms, npdu[i].slot, npdu[i].pdu.flow_hash);
    if (__builtin_expect(!down->state->trace, 1))
        queue_npdus(down, npdu, n, NULL, now_ns);
    else
        queue_traced(down, npdu, n, now_ns);
    down_drops(down); // heads dropped for room
}

// What SYNs say is for the windows of their flows (window/window.h).
static __attribute__((noinline)) void tell_windows(struct down *down, const struct npdu *npdu,
                                                   uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t context = npdu[i].pdu.context;
        const struct rte_mbuf *m = npdu[i].pdu.buffer;
        if (down->window->of_class_ms[down->state->pdp[context].traffic_class])
            window_down(down->window, context, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len);
    }
}

void down_datagrams(struct down *down, struct rte_mbuf **frames, struct port_datagram *datagrams,
                    uint32_t n, uint64_t now_ns)
{
    struct gpdu gpdus[PORT_BURST];
    struct npdu npdu[PORT_BURST];
    n = decap_burst(down, frames, datagrams, n, gpdus);
    stages_mark(down->stages, STAGE_decap);
    n = tunnel_burst(down, frames, datagrams, n, gpdus, now_ns, npdu);
    if (__builtin_expect(down->window != NULL, 0))
        tell_windows(down, npdu, n);
    stages_mark(down->stages, STAGE_tunnel);
    queue_burst(down, npdu, n, now_ns);
    stages_mark(down->stages, STAGE_queue);
}

void down_input(struct down *down, struct rte_mbuf **frames, uint32_t n, uint64_t now_ns)
{
    struct port_datagram datagrams[PORT_BURST];
    stages_mark(down->stages, STAGE_receive);
    n = port_unwrap(down->gn, frames, datagrams, n, now_ns);
    stages_mark(down->stages, STAGE_unwrap);
    down_datagrams(down, frames, datagrams, n, now_ns);
}
