// Segments to N-PDUs (SNDCP SN-UNITDATA, TS 44.065 6.7 and 7.2), per PDP context. Segments must
// arrive in order: a segment out of order drops the reassembly, and nothing is requested again. An
// N-PDU grows in the buffer of its first segment. All reassemblies are in one list by age, so the
// oldest is known when it is overdue or when there are UP_PARTIALS of them.
//
// Left out: compression; first segments with compression values are refused.
#include "dataplane/base/units.h"
#include "dataplane/up/up_parts.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

// ---- The list of reassemblies ----

static uint16_t *older_link(struct up *up, uint16_t at)
{
    return at == UP_NONE ? &up->newest : &up->partial[at].older;
}

static uint16_t *newer_link(struct up *up, uint16_t at)
{
    return at == UP_NONE ? &up->oldest : &up->partial[at].newer;
}

// Allocates a reassembly for a context; the caller has ensured that one is free.
static struct up_partial *partial_new(struct up *up, uint32_t pdp)
{
    uint16_t at = up->unused;
    struct up_partial *p = &up->partial[at];
    up->unused = p->newer;
    *p = (struct up_partial){.pdp = pdp, .older = up->newest, .newer = UP_NONE};
    *newer_link(up, p->older) = at;
    up->newest = at;
    up->partials++;
    up->state->pdp_up[pdp].partial = (uint16_t)(at + 1);
    return p;
}

// Takes a reassembly out of its context: the buffer is the caller's.
static struct rte_mbuf *partial_take(struct up *up, struct up_partial *p)
{
    *newer_link(up, p->older) = p->newer;
    *older_link(up, p->newer) = p->older;
    up->partials--;
    up->partial_segments -= p->segments;
    up->partial_octets -= p->m->pkt_len;
    up->state->pdp_up[p->pdp].partial = 0;
    p->newer = up->unused;
    up->unused = (uint16_t)(p - up->partial);
    return p->m;
}

static void partial_drop(struct up *up, struct up_partial *p, enum drop_reason reason)
{
    uint32_t segments = p->segments;
    struct rte_mbuf *m = partial_take(up, p);
    up_trace_dropped(up, p->traced, reason);
    up_drop_segments(up, reason, m, segments, m->pkt_len);
}

static struct up_partial *partial_of(struct up *up, uint32_t pdp)
{
    uint32_t at = up->state->pdp_up[pdp].partial;
    return at ? &up->partial[at - 1] : NULL;
}

void up_setup(struct up *up)
{
    up->oldest = up->newest = UP_NONE;
    up->unused = 0;
    for (uint32_t i = 0; i < UP_PARTIALS; i++)
        up->partial[i].newer = (uint16_t)(i + 1);
    up->partials = up->first = up->pending = 0;
    up->partial_segments = up->partial_octets = 0;
    up->pending_segments = up->pending_octets = 0;
}

uint64_t up_tick(struct up *up, uint64_t now_ns)
{
    while (up->oldest != UP_NONE) {
        struct up_partial *p = &up->partial[up->oldest];
        if (p->begun_ns + UP_SEGMENTS_NS > now_ns)
            return p->begun_ns + UP_SEGMENTS_NS;
        partial_drop(up, p, DROP_segment_late);
    }
    return TIME_NEVER;
}

void up_forget(struct up *up, uint32_t pdp, enum drop_reason reason)
{
    struct up_partial *p = partial_of(up, pdp);
    if (p)
        partial_drop(up, p, reason);
}

// ---- Segments. The buffer holds the segment alone. ----

static void begin(struct up *up, uint32_t ms, uint32_t pdp, struct rte_mbuf *m,
                  const struct sndcp_unitdata *s, uint16_t traced, uint64_t now_ns)
{
    if (up->partials == UP_PARTIALS)
        partial_drop(up, &up->partial[up->oldest], DROP_segment_full);
    struct up_partial *p = partial_new(up, pdp);
    p->m = m;
    p->iov_ui = up->state->ms[ms].iov_ui;
    p->npdu_number = s->npdu_number;
    p->traced = traced;
    p->segments = 1;
    p->begun_ns = now_ns;
    up->partial_segments++;
    up->partial_octets += m->pkt_len;
}

// Drops both the reassembly and this segment.
static void refuse(struct up *up, uint32_t pdp, enum drop_reason reason, struct rte_mbuf *m,
                   uint16_t traced)
{
    const struct up_partial *p = partial_of(up, pdp);
    if (!p || p->traced != traced) // else it ends as the rest of its N-PDU
        up_trace_dropped(up, traced, reason);
    up_forget(up, pdp, reason);
    up_drop_segments(up, reason, m, 1, m->pkt_len);
}

static void grow(struct up *up, struct up_partial *p, struct rte_mbuf *m,
                 const struct sndcp_unitdata *s)
{
    memcpy(rte_pktmbuf_append(p->m, m->data_len), rte_pktmbuf_mtod(m, void *), m->data_len);
    p->segments++;
    up->partial_segments++;
    up->partial_octets += m->data_len;
    packet_release(m);
    if (s->more)
        return;
    uint32_t pdp = p->pdp;
    uint8_t segments = p->segments;
    uint16_t traced = p->traced;
    up_npdu(up, pdp, partial_take(up, p), segments, traced);
}

// Segment numbers end at 15, so a 17th segment never follows.
static bool follows(const struct up *up, uint32_t ms, const struct up_partial *p,
                    const struct sndcp_unitdata *s)
{
    return p && s->npdu_number == p->npdu_number && s->segment == p->segments &&
           p->iov_ui == up->state->ms[ms].iov_ui;
}

static void take(struct up *up, uint32_t ms, uint32_t pdp, struct rte_mbuf *m,
                 const struct sndcp_unitdata *s, uint16_t traced, uint64_t now_ns)
{
    struct up_partial *p = partial_of(up, pdp);
    if (s->first) {
        up_forget(up, pdp, DROP_segment_order);
        if (s->more)
            begin(up, ms, pdp, m, s, traced, now_ns);
        else
            up_npdu(up, pdp, m, 1, traced);
    } else if (!follows(up, ms, p, s)) {
        refuse(up, pdp, DROP_segment_order, m, traced);
    } else if (rte_pktmbuf_tailroom(p->m) < m->data_len) {
        refuse(up, pdp, DROP_npdu_long, m, traced);
    } else {
        grow(up, p, m, s);
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

// Reduces the buffer to the segment, and counts it as the uplink's.
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
    uint16_t traced = 0;
    if (__builtin_expect(up->state->trace != NULL, 0)) {
        const struct up_partial *p = partial_of(up, pdp);
        traced = up_trace_segment(up, f, p, !s.first && follows(up, f->ms, p, &s), &s);
    }
    cut_out(up, f->m, &s);
    take(up, f->ms, pdp, f->m, &s, traced, now_ns);
    return DROP_NONE;
}

static bool begins_ipv4(const struct octets *packet)
{
    uint32_t header_octets = (packet->at[0] & 15u) * 4;
    return header_octets >= IPV4_OCTETS && header_octets <= packet->n &&
           ipv4_fold(ipv4_sum(0, packet->at, header_octets)) == 0;
}

static bool begins_ipv6(const struct octets *packet, bool more)
{
    if (packet->n < IPV6_OCTETS)
        return false;
    uint32_t octets = IPV6_OCTETS + get_be16(packet->at + 4);
    return more ? octets > packet->n : octets == packet->n;
}

bool up_segment_begins_ip(const struct state *state, const struct up_frame *f)
{
    struct sndcp_unitdata s;
    if (sndcp_unitdata_decode(&s, f->ui.info.at, f->ui.info.n) < 0 || malformed(&s) || !s.first ||
        context_of(state, f->ms, s.nsapi, f->ui.sapi) == STATE_NONE)
        return false;
    uint8_t version = s.data.at[0] >> 4;
    return version == 4 ? begins_ipv4(&s.data) : version == 6 && begins_ipv6(&s.data, s.more);
}
