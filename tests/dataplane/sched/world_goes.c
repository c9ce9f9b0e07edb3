// See world.h: an MS goes from one world to another. Judged on the way: the order in which its
// N-PDUs leave, and that each is as it was put.
#include "tests/dataplane/sched/world_inside.h"
#include "tests/dataplane/sched/check.h"

struct going {
    struct world *from, *to;
    uint32_t ms, n;
    struct {
        struct pdu pdu;
        struct world_npdu npdu;
        uint32_t slot;
    } of[1024];
};

static void judge_head(const struct world *w, const struct world_npdu *n, uint32_t id)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    bool by_flow = w->config.of_class[p->traffic_class].flow_queues;
    for (uint32_t i = p->head; i != id; i = w->npdu[i].next) {
        assert_int_equal(w->npdu[i].sent, 0); // what is half sent leaves first
        if (!by_flow || w->npdu[i].flow == n->flow)
            fail_msg("N-PDU %u of PFC %u leaves before %u", id, n->pfc, i);
    }
}

static void leaves(void *self, uint32_t slot, const struct pdu *pdu)
{
    struct going *g = self;
    uint32_t id;
    struct world_npdu *n = world_npdu_of(g->from, pdu->buffer, &id);
    assert_int_equal(g->from->pfc[n->pfc].ms, g->ms);
    assert_int_equal(g->from->pfc[n->pfc].slot, slot);
    assert_int_equal(pdu->octets, n->octets);
    assert_int_equal(pdu->context, n->pfc);
    assert_int_equal(pdu->lle, n->lle);
    assert_int_equal(pdu->ect, n->ect);
    judge_head(g->from, n, id);
    assert_true(g->n < sizeof g->of / sizeof g->of[0]);
    g->of[g->n].pdu = *pdu;
    g->of[g->n].npdu = *n;
    g->of[g->n++].slot = slot;
    world_ledger_add(&g->from->finished, n->octets);
    world_npdu_end(g->from, id);
}

// Sources run where their PFC is.
static void sources_wake(struct world *w, uint32_t pfc)
{
    for (uint32_t i = 0; i < w->sources; i++)
        if (w->source[i].pfc == pfc)
            w->source[i].next_ns = w->now_ns;
}

static void pfcs_go(const struct going *g)
{
    for (uint32_t i = 0; i < g->from->pfcs; i++) {
        struct world_pfc *p = &g->from->pfc[i];
        if (p->ms != g->ms || !p->exists)
            continue;
        assert_int_equal(p->head, WORLD_NONE);
        assert_false(g->to->pfc[i].exists);
        uint64_t sent_octets = g->to->pfc[i].sent_octets, sent_pdus = g->to->pfc[i].sent_pdus;
        g->to->pfc[i] = *p;
        g->to->pfc[i].limited = p->exists = false; // values for it were the old cell's
        g->to->pfc[i].sent_octets = sent_octets;
        g->to->pfc[i].sent_pdus = sent_pdus;
        sources_wake(g->to, i);
    }
}

// Its clock goes on from where it was, at least.
static void ms_goes(const struct going *g, uint32_t cell, uint64_t clock_ns)
{
    struct world_ms *m = &g->to->ms[g->ms], *left = &g->from->ms[g->ms];
    uint64_t sent_octets = m->sent_octets, sent_pdus = m->sent_pdus;
    *m = *left;
    left->exists = false;
    assert_int_equal(left->packets, 0);
    m->sent_octets = sent_octets;
    m->sent_pdus = sent_pdus;
    m->cell = cell;
    m->own = false;
    m->bucket = world_bucket_empty(g->to);
    world_sizes_follow(g->from);
    world_sizes_follow(g->to);
    world_bucket_set(g->to, &m->bucket, g->to->cell[cell].ms_default, g->to->config.ms_delay_ns,
                     world_cell_largest(g->to, cell));
    world_ms_clock_follows(g->to, g->ms);
    if ((int64_t)(world_ms_clock(g->to, g->ms) - clock_ns) < 0)
        m->away_ns = g->to->now_ns - clock_ns;
}

static void arrives(struct going *g, uint32_t i, const struct sched_baggage *baggage)
{
    struct world *w = g->to;
    struct world_npdu *n = &g->of[i].npdu;
    struct world_ms *m = &w->ms[g->ms];
    struct pdu pdu = g->of[i].pdu;
    uint32_t id = world_npdu_new(w);
    pdu.buffer = world_npdu_handle(id);
    bool full = w->queued.packets == w->config.limit.packets;
    enum drop_reason reason =
        sched_ms_arrive_npdu(w->sched, g->ms, g->of[i].slot, &pdu, baggage, w->now_ns);
    assert_int_equal(reason, full ? DROP_queue_full : DROP_NONE);
    world_ledger_add(&w->put, n->octets);
    if (full) {
        world_ledger_add(&w->refused[reason], n->octets);
        w->npdu[id].next = w->npdu_free;
        w->npdu_free = id;
        return;
    }
    w->npdu[id] = *n;
    world_npdu_append(w, id);
    if (n->sent) {
        assert_int_equal(m->started[n->lle], WORLD_NONE);
        m->started[n->lle] = id;
    }
    m->packets++;
    m->octets += n->octets;
    world_ledger_add(&w->queued, n->octets);
    if (n->source != WORLD_NONE)
        w->source[n->source].queued++;
}

static void judge(const struct world *w)
{
    const char *wrong = sched_check(w->sched);
    if (wrong)
        fail_msg("sched_check at %llu ns: %s", (unsigned long long)w->now_ns, wrong);
    world_judge_ledger(w);
    world_judge_levels(w);
}

void world_ms_goes(struct world *from, uint32_t ms, struct world *to, uint32_t cell)
{
    struct going *g = calloc(1, sizeof *g);
    struct sched_baggage baggage;
    assert_non_null(g);
    *g = (struct going){.from = from, .to = to, .ms = ms};
    uint64_t clock_ns = world_ms_clock(from, ms);
    world_frames_forget(from, ms);
    assert_int_equal(sched_ms_leave(from->sched, ms, &baggage, leaves, g, from->now_ns), 0);
    assert_int_equal(world_collect_drops(from), 0);
    pfcs_go(g);
    ms_goes(g, cell, clock_ns);
    judge(from);
    assert_int_equal(sched_ms_arrive(to->sched, ms, cell, &baggage, to->now_ns), 0);
    judge(to);
    for (uint32_t i = 0; i < g->n; i++)
        arrives(g, i, &baggage);
    judge(to);
    free(g);
}
