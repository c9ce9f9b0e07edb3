// Segments to N-PDUs (SNDCP SN-UNITDATA, TS 44.065 6.7 and 7.2), per PDP context. Segments come in
// order or not at all: one that does not follow ends what was begun, and nothing is asked for
// again. An N-PDU grows in the buffer of its first segment. What is begun is in one list by its
// age, so the oldest is at hand when it has taken too long or when there are UP_PARTIALS of them.
//
// Left out: compression, and so its values in the first segment are refused.
#include "dataplane/base/units.h"
#include "dataplane/up/up_parts.h"

// ---- The list of what is begun. ----

static uint32_t *older_link(struct up *up, uint32_t pdp)
{
    return pdp == STATE_NONE ? &up->newest : &up->state->pdp_up[pdp].older;
}

static uint32_t *newer_link(struct up *up, uint32_t pdp)
{
    return pdp == STATE_NONE ? &up->oldest : &up->state->pdp_up[pdp].newer;
}

static void list_append(struct up *up, uint32_t pdp)
{
    struct state_pdp_up *p = &up->state->pdp_up[pdp];
    p->older = up->newest;
    p->newer = STATE_NONE;
    *newer_link(up, p->older) = pdp;
    up->newest = pdp;
    up->partials++;
}

// Takes the N-PDU out of its context: the buffer is the caller's.
static struct rte_mbuf *partial_take(struct up *up, uint32_t pdp)
{
    struct state_pdp_up *p = &up->state->pdp_up[pdp];
    struct rte_mbuf *m = p->partial;
    *newer_link(up, p->older) = p->newer;
    *older_link(up, p->newer) = p->older;
    up->partials--;
    up->partial_segments -= p->segments;
    up->partial_octets -= m->pkt_len;
    p->partial = NULL;
    return m;
}

static void partial_drop(struct up *up, uint32_t pdp, enum drop_reason reason)
{
    uint32_t segments = up->state->pdp_up[pdp].segments;
    struct rte_mbuf *m = partial_take(up, pdp);
    up_drop_segments(up, reason, m, segments, m->pkt_len);
}

void up_setup(struct up *up)
{
    up->oldest = up->newest = STATE_NONE;
    up->partials = up->first = up->pending = 0;
    up->partial_segments = up->partial_octets = 0;
    up->pending_segments = up->pending_octets = 0;
}

uint64_t up_tick(struct up *up, uint64_t now_ns)
{
    while (up->oldest != STATE_NONE) {
        uint64_t end_ns = up->state->pdp_up[up->oldest].begun_ns + UP_SEGMENTS_NS;
        if (end_ns > now_ns)
            return end_ns;
        partial_drop(up, up->oldest, DROP_segment_late);
    }
    return TIME_NEVER;
}

void up_forget(struct up *up, uint32_t pdp, enum drop_reason reason)
{
    if (up->state->pdp_up[pdp].partial)
        partial_drop(up, pdp, reason);
}

// ---- Segments. The buffer holds the segment alone. ----

static void begin(struct up *up, uint32_t pdp, struct rte_mbuf *m, const struct sndcp_unitdata *s,
                  uint64_t now_ns)
{
    struct state_pdp_up *p = &up->state->pdp_up[pdp];
    if (up->partials == UP_PARTIALS)
        partial_drop(up, up->oldest, DROP_segment_full);
    p->partial = m;
    p->npdu_number = s->npdu_number;
    p->segments = 1;
    p->begun_ns = now_ns;
    list_append(up, pdp);
    up->partial_segments++;
    up->partial_octets += m->pkt_len;
}

// Both what was begun and this segment end.
static void refuse(struct up *up, uint32_t pdp, enum drop_reason reason, struct rte_mbuf *m)
{
    up_forget(up, pdp, reason);
    up_drop_segments(up, reason, m, 1, m->pkt_len);
}

static void grow(struct up *up, uint32_t pdp, struct rte_mbuf *m, const struct sndcp_unitdata *s)
{
    struct state_pdp_up *p = &up->state->pdp_up[pdp];
    memcpy(rte_pktmbuf_append(p->partial, m->data_len), rte_pktmbuf_mtod(m, void *), m->data_len);
    p->segments++;
    up->partial_segments++;
    up->partial_octets += m->data_len;
    packet_release(m);
    if (s->more)
        return;
    uint8_t segments = p->segments;
    up_npdu(up, pdp, partial_take(up, pdp), segments);
}

// Numbers end at 15, so a 17th segment follows none.
static bool follows(const struct state_pdp_up *p, const struct sndcp_unitdata *s)
{
    return p->partial && s->npdu_number == p->npdu_number && s->segment == p->segments;
}

static void take(struct up *up, uint32_t pdp, struct rte_mbuf *m, const struct sndcp_unitdata *s,
                 uint64_t now_ns)
{
    const struct state_pdp_up *p = &up->state->pdp_up[pdp];
    if (s->first) {
        up_forget(up, pdp, DROP_segment_order);
        if (s->more)
            begin(up, pdp, m, s, now_ns);
        else
            up_npdu(up, pdp, m, 1);
    } else if (!follows(p, s)) {
        refuse(up, pdp, DROP_segment_order, m);
    } else if (rte_pktmbuf_tailroom(p->partial) < m->data_len) {
        refuse(up, pdp, DROP_npdu_long, m);
    } else {
        grow(up, pdp, m, s);
    }
}

// STATE_NONE: the MS has no such context, or has it on another SAPI.
static uint32_t context_of(const struct state *state, uint32_t ms, uint8_t nsapi, uint8_t sapi)
{
    uint32_t pdp = state->ms_up[ms].first_pdp;
    while (pdp != STATE_NONE && state->pdp[pdp].nsapi != nsapi)
        pdp = state->pdp_up[pdp].next;
    return pdp != STATE_NONE && state->pdp[pdp].sapi == sapi ? pdp : STATE_NONE;
}

// Leaves the segment alone in its buffer, and counts it as the uplink's.
static void cut_out(struct up *up, struct rte_mbuf *m, const struct sndcp_unitdata *s)
{
    up->stats->of_port[STATS_GB].header_octets += m->pkt_len - s->data.n;
    up->stats->up.in_packets++;
    up->stats->up.in_octets += s->data.n;
    m->data_off = (uint16_t)(s->data.at - (const uint8_t *)m->buf_addr);
    m->data_len = (uint16_t)s->data.n;
    m->pkt_len = s->data.n;
}

static bool malformed(const struct sndcp_unitdata *s)
{
    return s->data.n == 0 || s->dcomp || s->pcomp || (s->first && s->segment != 0);
}

enum drop_reason up_segment_take(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    struct sndcp_unitdata s;
    if (sndcp_unitdata_decode(&s, f->ui.info.at, f->ui.info.n) < 0 || malformed(&s))
        return DROP_sndcp;
    uint32_t pdp = context_of(up->state, f->ms, s.nsapi, f->ui.sapi);
    if (pdp == STATE_NONE)
        return DROP_unknown_nsapi;
    cut_out(up, f->m, &s);
    take(up, pdp, f->m, &s, now_ns);
    return DROP_NONE;
}
