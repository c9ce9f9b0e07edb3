// See trace.h: downlink N-PDUs, from Gn to the Gb port. Each is in the list of open ones until it
// ends; its number is in its buffer, which nobody else's data takes as long as the N-PDU waits.
#include <rte_mbuf.h>

#include "dataplane/state/state.h"
#include "dataplane/trace/trace.h"
#include "dataplane/wire/llc.h"

static uint16_t number_in(const void *buffer)
{
    return (uint16_t)((const struct rte_mbuf *)buffer)->hash.fdir.hi;
}

static struct trace_open *open_of(struct trace *t, uint16_t number)
{
    for (uint32_t i = 0; t && i < t->opens; i++)
        if (t->open[i].number == number)
            return &t->open[i];
    return NULL;
}

static void close_one(struct trace *t, struct trace_open *o)
{
    *o = t->open[--t->opens];
}

// ---- It comes ----

// 0: it is not traced.
static uint16_t receive(struct trace *t, const struct state *state, const struct state_pdp *pdp,
                        uint32_t octets, bool ect)
{
    uint32_t bvc = state->ms[pdp->ms].bvc, ms_id = state->ms_up[pdp->ms].id;
    uint16_t number = trace_wants(t, ms_id, bvc) ? trace_begin(t) : 0;
    if (number)
        trace_put(t, number,
                  (struct trace_record){.stage = TRACE_received,
                                        .received = {.ms_id = ms_id,
                                                     .bvc_id = bvc,
                                                     .teid = pdp->teid,
                                                     .octets = (uint16_t)octets,
                                                     .slot = pdp->slot,
                                                     .traffic_class = pdp->traffic_class,
                                                     .nsapi = pdp->nsapi,
                                                     .ect = ect}});
    return number;
}

void trace_down(struct trace *t, const struct state *state, const struct state_pdp *pdp,
                struct rte_mbuf *m, struct pdu *pdu)
{
    if (!t || t->opens == TRACE_OPEN)
        return;
    uint16_t number = receive(t, state, pdp, pdu->octets, pdu->ect);
    if (!number)
        return;
    pdu->traced = 1;
    m->hash.fdir.hi = number;
    t->open[t->opens++] = (struct trace_open){.buffer = m,
                                              .came_ns = *t->now_ns,
                                              .ms = pdp->ms,
                                              .flow_hash = pdu->flow_hash,
                                              .number = number,
                                              .slot = pdp->slot,
                                              .traffic_class = pdp->traffic_class,
                                              .by = TRACE_HOLDERS};
}

void trace_down_refused(struct trace *t, const struct state *state, const struct state_pdp *pdp,
                        const struct rte_mbuf *m, enum drop_reason reason)
{
    uint16_t number = t ? receive(t, state, pdp, m->pkt_len, false) : 0;
    if (number)
        trace_dropped(t, number, reason);
}

static enum trace_verdict verdict_in(enum drop_reason reason, bool asks, bool mark)
{
    if (reason == DROP_aqm_in)
        return TRACE_DROP;
    if (reason != DROP_NONE || !asks)
        return TRACE_NO_VERDICT;
    return mark ? TRACE_MARK : TRACE_PASS;
}

void trace_down_put(struct trace *t, const struct sched *sched, uint32_t ms, uint32_t slot,
                    const struct pdu *pdu, enum drop_reason reason)
{
    struct trace_open *o = open_of(t, number_in(pdu->buffer));
    if (!o)
        return;
    struct sched_tail tail = sched_tail(sched, ms, slot, pdu->flow_hash);
    bool queued = reason == DROP_NONE;
    o->marked = queued && tail.mark;
    o->asks_out = tail.asks_out;
    trace_put(
        t, o->number,
        (struct trace_record){
            .stage = TRACE_enqueue,
            .enqueue = {.traffic_class = o->traffic_class,
                        .ahead_npdus = (uint32_t)(tail.queued.packets - queued),
                        .ahead_octets = (uint32_t)(tail.queued.octets - (queued ? pdu->octets : 0)),
                        .verdict = (uint8_t)verdict_in(reason, tail.asks_in, o->marked),
                        .flow = (uint8_t)tail.flow,
                        .by_flow = tail.by_flow}});
    if (!queued)
        trace_down_dropped(t, pdu->buffer, reason);
}

// ---- It goes ----

static void dequeue(struct trace *t, const struct trace_open *o, uint64_t sojourn_ns,
                    enum trace_verdict verdict)
{
    trace_put(t, o->number,
              (struct trace_record){.stage = TRACE_dequeue,
                                    .dequeue = {sojourn_ns, o->traffic_class, (uint8_t)verdict}});
}

// Of an N-PDU that was marked as it came, a second mark is not seen.
static enum trace_verdict verdict_out(const struct trace_open *o, bool mark)
{
    if (!o->asks_out)
        return TRACE_NO_VERDICT;
    return mark && !o->marked ? TRACE_MARK : TRACE_PASS;
}

uint16_t trace_down_segment(struct trace *t, const struct sched_grant *grant,
                            const struct state_ms *ms, const struct state_pdp *pdp,
                            uint32_t llc_octets, uint32_t lifetime_ms)
{
    struct trace_open *o = open_of(t, number_in(grant->buffer));
    if (!o)
        return 0;
    if (grant->offset == 0)
        dequeue(t, o, grant->sojourn_ns, verdict_out(o, grant->mark));
    trace_put(t, o->number,
              (struct trace_record){
                  .stage = TRACE_segment,
                  .segment = {.lifetime_ms = lifetime_ms,
                              .offset = grant->offset,
                              .octets = grant->octets,
                              .llc_octets = (uint16_t)llc_octets,
                              .nu = (uint16_t)((ms->sent[pdp->lle] - 1) % LLC_NU_COUNT),
                              .npdu_number = pdp->npdu_number,
                              .sapi = pdp->sapi,
                              .segment = (uint8_t)((pdp->segment - 1u) % SNDCP_SEGMENTS_MAX),
                              .last = grant->last,
                              .ce = grant->mark}});
    o->by = TRACE_HOLDERS; // what holds the rest is told again
    o->left = grant->last;
    return o->number;
}

void trace_down_sent(struct trace *t, uint16_t number, uint32_t octets)
{
    struct trace_open *o = open_of(t, number);
    if (!o)
        return;
    close_one(t, o);
    trace_sent(t, number, octets, 0);
}

void trace_down_dropped(struct trace *t, const void *buffer, enum drop_reason reason)
{
    uint16_t number = number_in(buffer);
    struct trace_open *o = open_of(t, number);
    if (!o)
        return;
    if (reason == DROP_aqm_out)
        dequeue(t, o, *t->now_ns - o->came_ns, TRACE_DROP);
    close_one(t, o);
    trace_dropped(t, number, reason);
}

void trace_down_moved(struct trace *t, const void *buffer)
{
    uint16_t number = number_in(buffer);
    struct trace_open *o = open_of(t, number);
    if (!o)
        return;
    close_one(t, o);
    trace_end(t, number, (struct trace_record){.stage = TRACE_moved});
}

void trace_down_granted(struct trace *t, const void *buffer)
{
    struct trace_open *o = open_of(t, number_in(buffer));
    if (o)
        o->left = true;
}

// ---- What holds it ----

static void hold(struct trace *t, struct trace_open *o, const struct sched_hold *h, uint32_t by)
{
    if (o->by == by)
        return;
    o->by = (uint8_t)by;
    if (o->holds == TRACE_HOLDS) {
        __atomic_store_n(&t->lost, t->lost + 1, __ATOMIC_RELAXED);
        return;
    }
    o->holds++;
    trace_put(
        t, o->number,
        (struct trace_record){.stage = TRACE_held,
                              .held = {.level_octets = h->bucket.level / BUCKET_UNITS_AN_OCTET,
                                       .until_ns = h->until_ns,
                                       .rate = h->bucket.terms.rate,
                                       .bucket_octets = h->bucket.terms.max_octets,
                                       .octets = h->octets,
                                       .by = (uint8_t)by}});
}

void trace_down_look(struct trace *t, const struct sched *sched)
{
    for (uint32_t i = 0; i < t->opens; i++) {
        struct trace_open *o = &t->open[i];
        struct sched_hold h = {0};
        if (!o->left)
            h = sched_hold(sched, o->ms, o->slot, o->flow_hash, o->buffer, *t->now_ns);
        hold(t, o, &h, o->left ? (uint32_t)TRACE_HELD_BY_PORT : h.by);
    }
    trace_rest(t); // other workers may have had the last of the packets
}
