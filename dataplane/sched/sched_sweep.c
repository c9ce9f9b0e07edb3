// What has expired behind a bucket that stands must not stay: the sweep visits every MS that has a
// backlog within SWEEP_NS, a bounded number of them a call, and drops heads past their lifetime.
// The head is the oldest of its queue, so a queue is looked at until its head is young enough. A
// half-sent N-PDU is left alone, its end goes out; those behind it are not.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

#define SWEEP_NS      800000000ULL // a round; S8's "within 1 s" leaves room for late calls
#define SWEEP_STEP_NS 50000000ULL  // how often an idle worker looks
#define SWEEP_MSS     256u         // most MSs a call
#define DROPS_LEFT    64u

static bool drops_are_full(const struct sched *s)
{
    return s->drop_count + DROPS_LEFT > SCHED_DROPS;
}

static bool has_expired(const struct sched *s, const struct tree_pfc *p, const struct pdu *pdu,
                        uint64_t clock_ns)
{
    return clock_ns - pdu->arrived_ns > s->rule[p->traffic_class].deadline_ns;
}

static bool sweep_queue(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_queue *q,
                        bool behind, uint64_t clock_ns)
{
    bool dropped = false;
    while (total_packets(q->total) > behind && !drops_are_full(s)) {
        uint32_t slot = behind ? s->slot[q->head].next : q->head;
        if (!has_expired(s, p, &s->slot[slot], clock_ns))
            break;
        queue_drop(s, pfc, p, q, behind, DROP_expired);
        dropped = true;
    }
    return dropped;
}

static bool sweep_pfc(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint64_t clock_ns)
{
    bool dropped = false, begun = p->sent_octets != 0;
    if (!(p->state & PFC_BY_FLOW))
        return sweep_queue(s, pfc, p, &p->queue, begun, clock_ns);
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++)
        dropped |= sweep_queue(s, pfc, p, &queue_flow(s, pfc, flow)->queue,
                               begun && flow == p->flow, clock_ns);
    queue_choose(s, pfc, p);
    return dropped;
}

static void sweep_ms(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    if (ms_stands(m))
        return;
    uint64_t clock_ns = tree_ms_clock(m, now_ns);
    bool dropped = false;
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        dropped |= sweep_pfc(s, tree_pfc_id(ms, slot), tree_pfc_of(m, slot), clock_ns);
    }
    if (dropped) // the new head may be smaller, or of an LLE that is free
        ms_heads_change(s, ms, now_ns);
}

// How many MSs on the next one is that has a backlog, 0 if it is this; no farther than the end.
static uint32_t empty_ahead(const struct sched *s)
{
    uint64_t left = s->backlogged[s->sweep_ms / 64] >> s->sweep_ms % 64;
    uint32_t step = left ? (uint32_t)__builtin_ctzll(left) : 64 - s->sweep_ms % 64;
    uint32_t end = s->config.mss - s->sweep_ms;
    return step < end ? step : end;
}

static void advance(struct sched *s, uint32_t mss)
{
    s->swept_ns += mss * (SWEEP_NS / s->config.mss + 1);
    s->sweep_ms += mss;
    if (s->sweep_ms >= s->config.mss)
        s->sweep_ms = 0;
}

void sweep(struct sched *s, uint64_t now_ns)
{
    if (!s->ages || s->total == 0) {
        s->swept_ns = now_ns;
        return;
    }
    if (now_ns > s->swept_ns + SWEEP_NS) // one round is all there is
        s->swept_ns = now_ns - SWEEP_NS;
    uint32_t visits = 0;
    while (visits < SWEEP_MSS && s->swept_ns < now_ns && !drops_are_full(s)) {
        uint32_t empty = empty_ahead(s);
        if (empty) {
            advance(s, empty);
            continue;
        }
        sweep_ms(s, s->sweep_ms, now_ns);
        if (drops_are_full(s)) // it may hold more
            break;
        advance(s, 1);
        visits++;
    }
    s->sweep_broke_off = s->swept_ns < now_ns;
}

uint64_t sched_expiry_ns(const struct sched *s, uint64_t now_ns)
{
    if (!s->ages || s->total == 0)
        return TIME_NEVER;
    uint64_t at_ns = s->swept_ns + (s->sweep_broke_off ? 0 : SWEEP_STEP_NS);
    return at_ns > now_ns ? at_ns : now_ns;
}
