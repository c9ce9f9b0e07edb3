// See sched.h: the functions for readers. An id beyond the tables reads as an empty node, except
// where the node must exist (its classes).
#include "dataplane/sched/sched_parts.h"

// The most that a reader's time may be behind that of the last N-PDU.
#define READER_BEHIND_NS (3600 * S_IN_NS)

static struct sched_queued split(uint64_t total)
{
    return (struct sched_queued){total_packets(total), total_octets(total)};
}

struct sched_queued sched_queued(const struct sched *s)
{
    return split(s->total);
}

struct sched_queued sched_bvc_queued(const struct sched *s, uint32_t bvc)
{
    if (bvc >= s->config.bvcs || !s->bvc[bvc].state)
        return (struct sched_queued){0};
    return split(s->bvc[bvc].total);
}

// Another thread may read one of the two before and the other behind a change.
static uint32_t moving_pfcs(const struct tree_class *k)
{
    uint32_t backlogged = k->backlogged, standing = k->standing_pfcs;
    return backlogged > standing ? backlogged - standing : 0;
}

uint32_t sched_bvc_waiting(const struct sched *s, uint32_t bvc)
{
    uint32_t sum = 0;
    if (bvc >= s->config.bvcs || !s->bvc[bvc].state)
        return 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        sum += moving_pfcs(&s->bvc[bvc].of_class[class]);
    return sum;
}

static bool ms_is_there(const struct sched *s, uint32_t ms)
{
    return ms < s->config.mss && tree_ms(s, ms)->state;
}

struct sched_queued sched_ms_queued(const struct sched *s, uint32_t ms)
{
    if (!ms_is_there(s, ms))
        return (struct sched_queued){0};
    return split(tree_ms(s, ms)->total);
}

static struct sched_bucket read_ms(const struct sched *s, uint32_t ms, uint64_t now_ns)
{
    const struct tree_ms *m = tree_ms(s, ms);
    uint64_t level = roll_is_stale(s, ms, m) ? 0 : ms_level(s, m, now_ns);
    return (struct sched_bucket){level, ms_terms(s, m)};
}

static struct sched_bucket read_bucket(const struct bucket *b, uint64_t now_ns)
{
    return (struct sched_bucket){bucket_level(b, now_ns), bucket_terms(b)};
}

static struct sched_bucket read_pfc(const struct sched *s, uint32_t ms, uint32_t slot,
                                    uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct sched_bucket bucket = read_bucket(pfc_bucket(m, tree_pfc_of(m, slot)), now_ns);
    if (roll_is_stale(s, ms, m))
        bucket.level = 0;
    return bucket;
}

struct sched_bucket sched_nse_bucket(const struct sched *s, uint32_t nse, uint64_t now_ns)
{
    if (nse >= s->config.nses || !s->nse[nse].state)
        return (struct sched_bucket){0};
    return read_bucket(&s->nse[nse].bucket, now_ns);
}

struct sched_bucket sched_bvc_bucket(const struct sched *s, uint32_t bvc, uint64_t now_ns)
{
    if (bvc >= s->config.bvcs || !s->bvc[bvc].state)
        return (struct sched_bucket){0};
    return read_bucket(&s->bvc[bvc].bucket, now_ns);
}

struct sched_bucket sched_ms_bucket(const struct sched *s, uint32_t ms, uint64_t now_ns)
{
    if (!ms_is_there(s, ms))
        return (struct sched_bucket){0};
    return read_ms(s, ms, now_ns);
}

struct sched_bucket sched_pfc_bucket(const struct sched *s, uint32_t ms, uint32_t slot,
                                     uint64_t now_ns)
{
    if (!ms_is_there(s, ms) || slot >= s->config.pfcs_an_ms ||
        !(tree_ms(s, ms)->slots & 1u << slot))
        return (struct sched_bucket){0};
    return read_pfc(s, ms, slot, now_ns);
}

// ---- A whole node ----

static uint64_t age(const struct sched *s, uint32_t slot, uint64_t clock_ns)
{
    uint64_t sojourn_ns = pdu_sojourn_ns(&s->slot[slot], clock_ns);
    return sojourn_ns < PDU_ARRIVED_MASK - READER_BEHIND_NS ? sojourn_ns : 0;
}

static uint64_t older(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// The oldest head among the flows that are first in their lists.
static uint64_t oldest_by_flow(const struct sched *s, uint32_t pfc, uint64_t clock_ns)
{
    const struct tree_flows *lists = queue_flows(s, pfc);
    uint64_t oldest_ns = 0;
    for (uint32_t list = 0; list < sizeof lists->head; list++) {
        if (!lists->head[list])
            continue;
        const struct tree_queue *q = &queue_flow(s, pfc, lists->head[list] - 1u)->queue;
        if (q->total)
            oldest_ns = older(oldest_ns, age(s, q->head, clock_ns));
    }
    return oldest_ns;
}

static uint64_t oldest_of_pfc(const struct sched *s, uint32_t pfc, uint64_t now_ns)
{
    const struct tree_pfc *p = tree_pfc(s, pfc);
    uint64_t clock_ns = tree_ms_clock(tree_ms(s, tree_pfc_ms(pfc)), now_ns);
    if (!p->queue.total)
        return 0;
    return p->state & PFC_BY_FLOW ? oldest_by_flow(s, pfc, clock_ns)
                                  : age(s, p->queue.head, clock_ns);
}

static uint64_t oldest_of_ms(const struct sched *s, uint32_t ms, uint64_t now_ns)
{
    uint64_t oldest_ns = 0;
    for (uint32_t slots = tree_ms(s, ms)->backlog; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        oldest_ns = older(oldest_ns, oldest_of_pfc(s, tree_pfc_id(ms, slot), now_ns));
    }
    return oldest_ns;
}

static uint64_t oldest_of_class(const struct sched *s, const struct tree_class *class,
                                uint64_t now_ns)
{
    return class->head == TREE_NONE ? 0 : oldest_of_pfc(s, class->head, now_ns);
}

static uint64_t oldest_of_bvc(const struct sched *s, const struct tree_bvc *c, uint64_t now_ns)
{
    uint64_t oldest_ns = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        oldest_ns = older(oldest_ns, oldest_of_class(s, &c->of_class[class], now_ns));
    return oldest_ns;
}

bool sched_nse_view(const struct sched *s, uint32_t nse, uint64_t now_ns, struct sched_view *view)
{
    if (nse >= s->config.nses || !s->nse[nse].state)
        return false;
    const struct tree_nse *n = &s->nse[nse];
    uint64_t total = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        total += n->total[class];
    *view = (struct sched_view){.bucket = read_bucket(&n->bucket, now_ns),
                                .queued = split(total),
                                .below = n->bvcs,
                                .waits = n->state & GATE_WAITS,
                                .stopped = n->state & (GATE_STOPPED | GATE_BLOCKED)};
    return true;
}

bool sched_bvc_view(const struct sched *s, uint32_t bvc, uint64_t now_ns, struct sched_view *view)
{
    if (bvc >= s->config.bvcs || !s->bvc[bvc].state)
        return false;
    const struct tree_bvc *c = &s->bvc[bvc];
    *view = (struct sched_view){.bucket = read_bucket(&c->bucket, now_ns),
                                .queued = split(c->total),
                                .sojourn_ns = oldest_of_bvc(s, c, now_ns),
                                .above = c->nse,
                                .below = s->bvc_rest[bvc].mss,
                                .waits = c->state & GATE_WAITS,
                                .stopped = c->state & GATE_STOPPED,
                                .defaults = s->bvc_rest[bvc].defaults.terms};
    return true;
}

bool sched_ms_view(const struct sched *s, uint32_t ms, uint64_t now_ns, struct sched_view *view)
{
    if (!ms_is_there(s, ms))
        return false;
    const struct tree_ms *m = tree_ms(s, ms);
    *view = (struct sched_view){.bucket = read_ms(s, ms, now_ns),
                                .queued = split(m->total),
                                .sojourn_ns = oldest_of_ms(s, ms, now_ns),
                                .above = m->bvc,
                                .own = m->state & MS_OWN,
                                .waits = m->state & GATE_WAITS,
                                .stopped = m->state & GATE_STOPPED,
                                .frozen = m->state & GATE_BLOCKED};
    return true;
}

bool sched_pfc_view(const struct sched *s, uint32_t ms, uint32_t slot, uint64_t now_ns,
                    struct sched_view *view)
{
    if (!ms_is_there(s, ms) || slot >= s->config.pfcs_an_ms ||
        !(tree_ms(s, ms)->slots & 1u << slot))
        return false;
    const struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    *view = (struct sched_view){.bucket = read_pfc(s, ms, slot, now_ns),
                                .queued = split(p->queue.total),
                                .sojourn_ns = oldest_of_pfc(s, tree_pfc_id(ms, slot), now_ns),
                                .above = ms,
                                .traffic_class = p->traffic_class,
                                .waits = p->state & GATE_WAITS,
                                .stopped = p->state & GATE_STOPPED};
    return true;
}

uint16_t sched_ms_n201_u_of(const struct sched *s, uint32_t ms, uint32_t lle)
{
    return tree_ms(s, ms)->n201_u[lle];
}

uint32_t sched_ms_bvc(const struct sched *s, uint32_t ms)
{
    return ms_is_there(s, ms) ? tree_ms(s, ms)->bvc : TREE_NONE;
}

struct sched_queued sched_class(const struct sched *s, uint32_t traffic_class)
{
    return split(s->rule[traffic_class].total);
}

struct sched_queued sched_bvc_class(const struct sched *s, uint32_t bvc, uint32_t traffic_class,
                                    uint64_t now_ns, uint64_t *sojourn_ns)
{
    const struct tree_class *class = &s->bvc[bvc].of_class[traffic_class];
    *sojourn_ns = oldest_of_class(s, class, now_ns);
    return split(class->total);
}
