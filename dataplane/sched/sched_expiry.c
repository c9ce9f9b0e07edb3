// Expires N-PDUs of queues that a bucket stops: the search visits every MS with a backlog within
// EXPIRY_ROUND_NS, a bounded number of them a call, and drops heads past their lifetime. The head
// is the oldest of its queue, so a queue is scanned until its head is young enough. A half-sent
// N-PDU stays, and its rest goes out; N-PDUs behind it may be dropped. A mask of MSs names the next
// ones, so their lines, usually not in the cache, are prefetched some MSs ahead. A frozen or
// stopped MS is visited as well: its N-PDUs do not age, but hold_ns bounds their stay. That of a
// half-sent one as well, whose beginning the receiver gives up when the next N-PDU begins.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

#define EXPIRY_ROUND_NS 800000000ULL // a round; S8's "within 1 s" leaves room for late calls
#define EXPIRY_STEP_NS  50000000ULL  // interval of calls by an idle worker
#define EXPIRY_MSS      256u         // most MSs a call
#define EXPIRY_BATCH    16u          // MSs prefetched together
#define DROPS_LEFT      64u

static bool drops_are_full(const struct sched *s)
{
    return s->drop_count + DROPS_LEFT > SCHED_DROPS;
}

static bool expire_queue(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_queue *q,
                         bool behind, uint64_t now_ns)
{
    const struct tree_rule *rule = &s->rule[p->traffic_class];
    uint64_t clock_ns = tree_ms_clock(tree_ms(s, tree_pfc_ms(pfc)), now_ns);
    bool dropped = false;
    while (total_packets(q->total) > behind && !drops_are_full(s)) {
        uint32_t slot = behind ? s->slot[q->head].next : q->head;
        const struct pdu *pdu = &s->slot[slot];
        if (!has_expired(rule, pdu, pdu_sojourn_ns(pdu, clock_ns), now_ns))
            break;
        sched_queue_drop(s, pfc, p, q, behind, DROP_expired);
        dropped = true;
    }
    return dropped;
}

// Drops the half-sent N-PDU that has outlived its lifetime, or, of a frozen or stopped MS, that has
// stayed for too long. One that others delay beyond the SGSN's part of its lifetime goes first.
static bool expire_begun(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint64_t now_ns)
{
    const struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    const struct tree_rule *rule = &s->rule[p->traffic_class];
    const struct pdu *pdu = queue_head(s, pfc, p);
    uint64_t sojourn_ns = pdu_sojourn_ns(pdu, tree_ms_clock(m, now_ns));
    if (sojourn_ns > rule->deadline_ns && p->state & PFC_IN_RING)
        sched_bvc_is_late(s, m->bvc, p->traffic_class);
    if (drops_are_full(s) || !begun_has_expired(rule, m, pdu, sojourn_ns, now_ns))
        return false;
    sched_drop_begun(s, pfc, p);
    return true;
}

static bool expire_pfc(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint64_t now_ns)
{
    bool dropped = p->sent_octets && expire_begun(s, pfc, p, now_ns), begun = p->sent_octets != 0;
    if (!(p->state & PFC_BY_FLOW))
        return expire_queue(s, pfc, p, &p->queue, begun, now_ns) || dropped;
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++)
        dropped |= expire_queue(s, pfc, p, &queue_flow(s, pfc, flow)->queue,
                                begun && flow == p->flow, now_ns);
    queue_choose(s, pfc, p);
    return dropped;
}

static void expire_ms(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    bool dropped = false;
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        dropped |= expire_pfc(s, tree_pfc_id(ms, slot), tree_pfc_of(m, slot), now_ns);
    }
    if (dropped) // the new head may be smaller, or of an LLE that is free
        sched_ms_heads_change(s, ms, now_ns);
}

// Distance to the next MS with a backlog, 0 if this one has one; at most to the end.
static uint32_t empty_ahead(const struct sched *s)
{
    uint64_t left = s->backlogged[s->expiry_ms / 64] >> s->expiry_ms % 64;
    uint32_t step = left ? (uint32_t)__builtin_ctzll(left) : 64 - s->expiry_ms % 64;
    uint32_t end = s->config.mss - s->expiry_ms;
    return step < end ? step : end;
}

static void advance(struct sched *s, uint32_t mss)
{
    s->expiry_ns += mss * (EXPIRY_ROUND_NS / s->config.mss + 1);
    s->expiry_ms += mss;
    if (s->expiry_ms >= s->config.mss)
        s->expiry_ms = 0;
}

// The MSs to visit, and the due times of their visits; their nodes are prefetched.
struct batch {
    uint32_t n, ms[EXPIRY_BATCH];
    uint64_t at_ns[EXPIRY_BATCH];
};

static void batch_choose(struct sched *s, struct batch *b, uint64_t now_ns)
{
    b->n = 0;
    while (b->n < EXPIRY_BATCH && s->expiry_ns < now_ns) {
        uint32_t empty = empty_ahead(s);
        if (empty) {
            advance(s, empty);
            continue;
        }
        __builtin_prefetch(tree_ms(s, s->expiry_ms));
        __builtin_prefetch(tree_pfc_of(tree_ms(s, s->expiry_ms), 0));
        b->ms[b->n] = s->expiry_ms;
        b->at_ns[b->n++] = s->expiry_ns;
        advance(s, 1);
    }
}

static SCHED_INLINE void batch_prefetch_heads(const struct sched *s, const struct batch *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct tree_ms *m = tree_ms(s, b->ms[i]);
        for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
            const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
            if (!(p->state & PFC_BY_FLOW))
                __builtin_prefetch(&s->slot[p->queue.head]);
        }
    }
}

// Prefetches the MSs of the next call: their lines are in the cache by then.
static SCHED_INLINE void prefetch_ahead(const struct sched *s)
{
    uint32_t word = s->expiry_ms / 64, n = 0;
    uint64_t mask = s->backlogged[word] & ~0ULL << s->expiry_ms % 64;
    for (; n < EXPIRY_BATCH; n++, mask &= mask - 1) {
        if (!mask && (word + 1) * 64 < s->config.mss)
            mask = s->backlogged[++word];
        if (!mask)
            return;
        struct tree_ms *m = tree_ms(s, word * 64 + (uint32_t)__builtin_ctzll(mask));
        __builtin_prefetch(m);
        __builtin_prefetch(tree_pfc_of(m, 0));
    }
}

// False if the list of drops is full: the next call begins at the last MS, which may hold more.
static bool batch_expire(struct sched *s, const struct batch *b, uint64_t now_ns)
{
    for (uint32_t i = 0; i < b->n; i++) {
        expire_ms(s, b->ms[i], now_ns);
        if (!drops_are_full(s))
            continue;
        s->expiry_ms = b->ms[i];
        s->expiry_ns = b->at_ns[i];
        return false;
    }
    return true;
}

void sched_expire(struct sched *s, uint64_t now_ns)
{
    if (!s->ages || s->total == 0) {
        s->expiry_ns = now_ns;
        return;
    }
    if (now_ns > s->expiry_ns + EXPIRY_ROUND_NS) // at most one round
        s->expiry_ns = now_ns - EXPIRY_ROUND_NS;
    struct batch b;
    b.n = EXPIRY_BATCH;
    bool visited = false, room = !drops_are_full(s);
    for (uint32_t visits = 0; room && visits < EXPIRY_MSS && b.n == EXPIRY_BATCH; visits += b.n) {
        batch_choose(s, &b, now_ns);
        visited |= b.n > 0;
        batch_prefetch_heads(s, &b);
        room = batch_expire(s, &b, now_ns);
    }
    if (visited)
        prefetch_ahead(s);
    s->expiry_broke_off = s->expiry_ns < now_ns;
}

uint64_t sched_expiry_ns(const struct sched *s, uint64_t now_ns)
{
    if (!s->ages || s->total == 0)
        return TIME_NEVER;
    uint64_t at_ns = s->expiry_ns + (s->expiry_broke_off ? 0 : EXPIRY_STEP_NS);
    return at_ns > now_ns ? at_ns : now_ns;
}
