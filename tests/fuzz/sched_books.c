// See sched_books.h.
#include "tests/fuzz/sched_books.h"

#include "tests/fuzz/check.h"
#include "tests/dataplane/sched/check.h"

#define TAKE_MAX  64u
#define RUN_STEPS 64

struct books_npdu *books_free_npdu(struct books *b)
{
    for (uint32_t i = 0; i < BOOKS_NPDUS; i++) {
        struct books_npdu *n = &b->npdu[b->next++ % BOOKS_NPDUS];
        if (!n->queued)
            return n;
    }
    return NULL;
}

static void count(struct books *b, const struct books_npdu *n, bool in)
{
    struct books_ms *m = &b->ms[n->ms];
    struct sched_queued *of[] = {&b->queued, &b->of_class[n->class], &m->queued};
    for (int i = 0; i < 3; i++) {
        of[i]->packets += in ? 1 : UINT64_MAX;
        of[i]->octets += in ? n->pdu.octets : -(uint64_t)n->pdu.octets;
    }
    m->packets_of[n->slot] += in ? 1 : UINT32_MAX;
}

static bool is_full(const struct sched_limit *limit, const struct sched_queued *queued,
                    uint32_t octets)
{
    return queued->packets >= limit->packets || queued->octets + octets > limit->octets;
}

// Which limit refuses it; DROP_NONE: none does.
static enum drop_reason limit_met(const struct books *b, const struct books_npdu *n)
{
    const struct sched_config *c = &b->config;
    struct sched_queued bvc = {0};
    for (uint32_t i = 0; i < BOOKS_MSS; i++)
        if (b->ms[i].exists && b->ms[i].bvc == b->ms[n->ms].bvc) {
            bvc.packets += b->ms[i].queued.packets;
            bvc.octets += b->ms[i].queued.octets;
        }
    if (is_full(&c->of_class[n->class].limit, &b->of_class[n->class], n->pdu.octets))
        return DROP_class_full;
    if (is_full(&c->ms_limit, &b->ms[n->ms].queued, n->pdu.octets))
        return DROP_ms_full;
    if (is_full(&c->bvc_limit, &bvc, n->pdu.octets))
        return DROP_bvc_full;
    return is_full(&c->limit, &b->queued, n->pdu.octets) ? DROP_queue_full : DROP_NONE;
}

void books_put(struct books *b, struct books_npdu *n, enum drop_reason reason)
{
    bool there = n->ms < BOOKS_MSS && n->slot < SCHED_SLOTS && b->ms[n->ms].pfc[n->slot];
    if (!there || n->pdu.octets == 0) {
        CHECK(reason == DROP_no_queue);
        return;
    }
    n->class = b->ms[n->ms].class[n->slot];
    // Others may have made room, of whom the books hear later: no limit that they met is judged.
    enum drop_reason met = limit_met(b, n);
    bool judged = b->config.tail_drop || met == DROP_NONE;
    bool full = reason >= DROP_queue_full && reason <= DROP_ms_full;
    const struct sched_class *k = &b->config.of_class[n->class];
    if (reason == DROP_late) { // before any limit is asked
        CHECK(k->refuse_late && k->flow_queues && k->lifetime_ns != SCHED_INFINITE);
        return;
    }
    CHECK(reason == met || (met == DROP_NONE && reason == DROP_aqm_in) ||
          (!judged && (reason == DROP_NONE || reason == DROP_aqm_in || full)));
    if (reason != DROP_NONE)
        return;
    n->queued = true;
    n->flow = b->config.of_class[n->class].flow_queues ? n->pdu.flow_hash % BOOKS_HASHES : 0;
    n->sent_octets = 0;
    n->order = ++b->order;
    n->put_ns = b->now_ns;
    count(b, n, true);
}

// A handle comes back: it must be one that is out.
static struct books_npdu *returned(struct books *b, void *buffer)
{
    struct books_npdu *n = buffer;
    CHECK(n >= b->npdu && n < b->npdu + BOOKS_NPDUS);
    CHECK(n->queued);
    return n;
}

static void leave(struct books *b, struct books_npdu *n)
{
    n->queued = false;
    count(b, n, false);
    const struct books_npdu **open = &b->ms[n->ms].open[n->pdu.lle];
    if (*open == n)
        *open = NULL;
}

uint32_t books_empty_drops(struct books *b)
{
    const struct sched_drop *drops;
    uint32_t n = sched_dropped(b->sched, &drops);
    CHECK(n <= SCHED_DROPS);
    for (uint32_t i = 0; i < n; i++) {
        struct books_npdu *npdu = returned(b, drops[i].buffer);
        CHECK(drops[i].octets == npdu->pdu.octets);
        CHECK(drops[i].traffic_class == npdu->class);
        CHECK(drops[i].reason < DROP_COUNT);
        bool command = drops[i].reason == DROP_flushed || drops[i].reason == DROP_removed;
        uint64_t lifetime_ns = b->config.of_class[npdu->class].lifetime_ns;
        bool outlived = drops[i].reason == DROP_expired && b->now_ns - npdu->put_ns >= lifetime_ns;
        CHECK(command || npdu->sent_octets == 0 || outlived); // else what is begun is finished
        leave(b, npdu);
    }
    return n;
}

// The first piece of an N-PDU: in the order of its queue (S7), on a free LLE.
static void check_first(struct books *b, const struct books_npdu *n, const struct sched_grant *g)
{
    struct books_ms *m = &b->ms[n->ms];
    CHECK(n->order > m->order_of[n->slot][n->flow]);
    m->order_of[n->slot][n->flow] = n->order;
    CHECK(!m->open[n->pdu.lle]);
    CHECK(!g->mark || n->pdu.ect);
}

static void check_lifetime(const struct books *b, const struct books_npdu *n,
                           const struct sched_grant *g)
{
    const struct sched_class *k = &b->config.of_class[n->class];
    CHECK(g->sojourn_ns <= b->now_ns - n->put_ns);
    if (k->lifetime_ns == SCHED_INFINITE)
        return;
    CHECK(g->lifetime_ns >= (n->sent_octets ? 0 : k->bss_least_ns));
    CHECK(g->lifetime_ns <= k->bss_most_ns && g->lifetime_ns <= k->lifetime_ns - g->sojourn_ns);
}

static void check_grant(struct books *b, const struct sched_grant *g)
{
    struct books_npdu *n = returned(b, g->buffer);
    struct books_ms *m = &b->ms[n->ms];
    CHECK(g->ms == n->ms && g->slot == n->slot && g->traffic_class == n->class);
    CHECK(g->context == n->pdu.context && g->lle == n->pdu.lle);
    CHECK(g->npdu_octets == n->pdu.octets && g->offset == n->sent_octets && g->octets > 0);
    CHECK(!m->frozen);
    check_lifetime(b, n, g);
    if (n->sent_octets == 0)
        check_first(b, n, g);
    else
        CHECK(m->open[n->pdu.lle] == n && !g->mark);
    n->sent_octets += g->octets;
    CHECK(n->sent_octets <= n->pdu.octets && g->last == (n->sent_octets == n->pdu.octets));
    m->open[n->pdu.lle] = n;
    if (g->last)
        leave(b, n);
}

// Conformance (S1) at one instant, for each bucket: nothing leaks, so the levels that the scheduler
// shows before it takes, and what it sends, say what it must show afterwards.
struct levels {
    struct sched_bucket nse[BOOKS_NSES], bvc[BOOKS_BVCS];
    struct sched_bucket ms[BOOKS_MSS], pfc[BOOKS_MSS][SCHED_SLOTS];
};

static void levels_read(const struct books *b, struct levels *l)
{
    for (uint32_t i = 0; i < BOOKS_NSES; i++)
        if (b->nse[i])
            l->nse[i] = sched_nse_bucket(b->sched, i, b->now_ns);
    for (uint32_t i = 0; i < BOOKS_BVCS; i++)
        if (b->bvc[i])
            l->bvc[i] = sched_bvc_bucket(b->sched, i, b->now_ns);
    for (uint32_t i = 0; i < BOOKS_MSS; i++) {
        if (b->ms[i].exists)
            l->ms[i] = sched_ms_bucket(b->sched, i, b->now_ns);
        for (uint32_t slot = 0; slot < SCHED_SLOTS; slot++)
            if (b->ms[i].pfc[slot])
                l->pfc[i][slot] = sched_pfc_bucket(b->sched, i, slot, b->now_ns);
    }
}

static void charge(struct sched_bucket *bucket, uint32_t octets)
{
    if (bucket->terms.rate == BUCKET_UNLIMITED)
        return;
    uint64_t more = octets * BUCKET_UNITS_AN_OCTET;
    CHECK(bucket->terms.rate != 0);
    CHECK(bucket->level == 0 ||
          bucket->level + more <= bucket->terms.max_octets * BUCKET_UNITS_AN_OCTET);
    bucket->level += more;
}

static void charge_all(const struct books *b, struct levels *l, const struct sched_grant *g)
{
    const struct books_ms *m = &b->ms[g->ms];
    uint32_t bvc = m->bvc;
    uint32_t octets =
        g->octets + (g->offset == 0 ? b->config.first_header_octets : b->config.next_header_octets);
    for (uint32_t slot = 0; slot < SCHED_SLOTS; slot++)
        if (m->pfc[slot] && m->bucket[slot] == m->bucket[g->slot])
            charge(&l->pfc[g->ms][slot], octets);
    charge(&l->ms[g->ms], octets);
    charge(&l->bvc[bvc], octets);
    charge(&l->nse[b->nse_of[bvc]], octets + b->config.pipe_header_octets);
}

static void check_level(const struct sched_bucket *ours, const struct sched_bucket *theirs)
{
    CHECK(ours->terms.rate == theirs->terms.rate);
    CHECK(ours->terms.max_octets == theirs->terms.max_octets);
    CHECK(ours->terms.rate == BUCKET_UNLIMITED || ours->level == theirs->level);
}

static void check_levels(const struct books *b, const struct levels *l)
{
    static struct levels now;
    levels_read(b, &now);
    for (uint32_t i = 0; i < BOOKS_NSES; i++)
        if (b->nse[i])
            check_level(&l->nse[i], &now.nse[i]);
    for (uint32_t i = 0; i < BOOKS_BVCS; i++)
        if (b->bvc[i])
            check_level(&l->bvc[i], &now.bvc[i]);
    for (uint32_t i = 0; i < BOOKS_MSS; i++) {
        if (b->ms[i].exists)
            check_level(&l->ms[i], &now.ms[i]);
        for (uint32_t slot = 0; slot < SCHED_SLOTS; slot++)
            if (b->ms[i].pfc[slot])
                check_level(&l->pfc[i][slot], &now.pfc[i][slot]);
    }
}

void books_take(struct books *b, uint32_t n)
{
    static struct levels levels;
    struct sched_grant grants[TAKE_MAX];
    books_empty_drops(b);
    levels_read(b, &levels);
    bool due = sched_next_ns(b->sched, b->now_ns) <= b->now_ns;
    n = n < TAKE_MAX ? n : TAKE_MAX;
    uint32_t taken = sched_take(b->sched, grants, n, b->now_ns);
    CHECK(taken <= n && (due || taken == 0));
    books_empty_drops(b); // first: what was dropped half sent keeps its LLE from nobody
    for (uint32_t i = 0; i < taken; i++) {
        charge_all(b, &levels, &grants[i]);
        check_grant(b, &grants[i]);
    }
    check_levels(b, &levels);
}

void books_check(struct books *b)
{
    const char *broken = sched_check(b->sched);
    if (broken)
        fprintf(stderr, "sched_check: %s\n", broken);
    CHECK(!broken);
    books_empty_drops(b);
    struct sched_queued all = sched_queued(b->sched);
    CHECK(all.packets == b->queued.packets && all.octets == b->queued.octets);
    for (uint32_t i = 0; i < BOOKS_MSS; i++) {
        if (!b->ms[i].exists)
            continue;
        struct sched_queued q = sched_ms_queued(b->sched, i);
        CHECK(q.packets == b->ms[i].queued.packets && q.octets == b->ms[i].queued.octets);
    }
}

// With R = 0 somewhere above it, or at a PFC of its own: one that is half sent holds up its LLE.
static bool is_blocked(const struct books *b, uint32_t ms)
{
    const struct books_ms *m = &b->ms[ms];
    uint32_t nse = b->nse_of[m->bvc];
    bool blocked = m->frozen || sched_ms_bucket(b->sched, ms, b->now_ns).terms.rate == 0 ||
                   sched_bvc_bucket(b->sched, m->bvc, b->now_ns).terms.rate == 0 ||
                   sched_nse_bucket(b->sched, nse, b->now_ns).terms.rate == 0;
    for (uint32_t slot = 0; slot < SCHED_SLOTS; slot++)
        if (m->packets_of[slot])
            blocked |= sched_pfc_bucket(b->sched, ms, slot, b->now_ns).terms.rate == 0;
    return blocked;
}

void books_run(struct books *b)
{
    for (int step = 0; step < RUN_STEPS; step++) {
        uint64_t next_ns = sched_next_ns(b->sched, b->now_ns);
        if (next_ns == TIME_NEVER) {
            for (uint32_t i = 0; i < BOOKS_MSS; i++)
                CHECK(b->ms[i].queued.packets == 0 || is_blocked(b, i));
            return;
        }
        if (next_ns > b->now_ns)
            b->now_ns = next_ns;
        books_take(b, TAKE_MAX);
    }
}
