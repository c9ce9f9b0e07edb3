// See world.h: what was put, what came out, and whether the two agree.
#include "tests/dataplane/sched/world_inside.h"

#include <string.h>

#include "dataplane/sched/sched_parts.h"

void world_ledger_add(struct world_ledger *l, uint32_t octets)
{
    l->packets++;
    l->octets += octets;
}

static void ledger_take(struct world_ledger *l, uint32_t octets)
{
    l->packets--;
    l->octets -= octets;
}

uint64_t world_ms_clock(const struct world *w, uint32_t ms)
{
    const struct world_ms *m = &w->ms[ms];
    return (m->stands ? m->stands_since_ns : w->now_ns) - m->away_ns;
}

uint32_t world_npdu_new(struct world *w)
{
    if (w->npdu_free == WORLD_NONE) {
        uint32_t room = w->npdu_room ? 2 * w->npdu_room : 256;
        w->npdu = realloc(w->npdu, room * sizeof *w->npdu);
        assert_non_null(w->npdu);
        for (uint32_t i = w->npdu_room; i < room; i++)
            w->npdu[i] = (struct world_npdu){.next = i + 1 < room ? i + 1 : WORLD_NONE};
        w->npdu_free = w->npdu_room;
        w->npdu_room = room;
    }
    uint32_t id = w->npdu_free;
    w->npdu_free = w->npdu[id].next;
    return id;
}

void world_npdu_append(struct world *w, uint32_t id)
{
    struct world_pfc *p = &w->pfc[w->npdu[id].pfc];
    w->npdu[id].prev = p->tail;
    w->npdu[id].next = WORLD_NONE;
    *(p->tail == WORLD_NONE ? &p->head : &w->npdu[p->tail].next) = id;
    p->tail = id;
    world_ledger_add(&p->queued, w->npdu[id].octets);
}

void world_npdu_end(struct world *w, uint32_t id)
{
    struct world_npdu *n = &w->npdu[id];
    struct world_pfc *p = &w->pfc[n->pfc];
    struct world_ms *m = &w->ms[p->ms];
    *(n->prev == WORLD_NONE ? &p->head : &w->npdu[n->prev].next) = n->next;
    *(n->next == WORLD_NONE ? &p->tail : &w->npdu[n->next].prev) = n->prev;
    if (m->started[n->lle] == id)
        m->started[n->lle] = WORLD_NONE;
    m->packets--;
    m->octets -= n->octets;
    ledger_take(&p->queued, n->octets);
    ledger_take(&w->queued, n->octets);
    if (n->source != WORLD_NONE)
        w->source[n->source].queued--;
    n->live = false;
    n->next = w->npdu_free;
    w->npdu_free = id;
}

void *world_npdu_handle(uint32_t id)
{
    return (void *)(uintptr_t)(id + 1);
}

struct world_npdu *world_npdu_of(struct world *w, const void *handle, uint32_t *id)
{
    *id = (uint32_t)(uintptr_t)handle - 1;
    assert_true(*id < w->npdu_room && w->npdu[*id].live);
    return &w->npdu[*id];
}

// A limit was full at which others could make room.
static bool is_for_room(enum drop_reason reason)
{
    return reason == DROP_ms_full || reason == DROP_bvc_full || reason == DROP_nse_full ||
           reason == DROP_queue_full;
}

// ---- Queues by flow ----

static uint16_t tag_of(uint32_t flow)
{
    return (uint16_t)(flow ^ flow >> 16);
}

// A flow that has N-PDUs stays in their queue. Another one is alone in its queue; unless flows have
// one tag, or all queues have N-PDUs, or in the queue of its hash flows have met already. True:
// they meet there now.
static bool judge_queue(struct world *w, const struct world_npdu *n)
{
    uint64_t filled = 0;
    uint32_t flows = w->config.flows_a_pfc;
    bool others = false;
    for (uint32_t i = w->pfc[n->pfc].head; i != WORLD_NONE; i = w->npdu[i].next) {
        const struct world_npdu *q = &w->npdu[i];
        filled |= 1ULL << q->queue;
        if (q->flow == n->flow && q->queue != n->queue)
            fail_msg("flow %#x has N-PDUs in queues %u and %u", n->flow, q->queue, n->queue);
        others |= q->queue == n->queue && tag_of(q->flow) != tag_of(n->flow);
    }
    uint64_t *shared = &w->pfc[n->pfc].shared_queues;
    *shared &= filled;
    bool all = filled == ~0ULL >> (64 - flows), met = *shared >> n->queue & 1;
    if (others && !all && !met)
        fail_msg("flow %#x joins another in queue %u, though queues are empty", n->flow, n->queue);
    if (others && !met && n->queue != (n->flow & (flows - 1)))
        fail_msg("flow %#x joins another in queue %u, not that of its hash", n->flow, n->queue);
    return others;
}

// True: flows meet in it.
static bool choose_queue(struct world *w, struct world_npdu *n)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    n->queue = 0;
    if (!p->exists || !w->config.of_class[p->traffic_class].flow_queues)
        return false;
    n->queue = sched_queue_flow_of(w->sched, tree_pfc_id(p->ms, p->slot), n->flow);
    return judge_queue(w, n);
}

// The octets that its flow has in its queue.
static uint64_t flow_octets(const struct world *w, const struct world_npdu *n)
{
    uint64_t octets = 0;
    for (uint32_t i = w->pfc[n->pfc].head; i != WORLD_NONE; i = w->npdu[i].next)
        octets += w->npdu[i].queue == n->queue ? w->npdu[i].octets : 0;
    return octets;
}

// Late is an N-PDU of a class that asks for it, behind others of its flow, and with them more than
// a quantum. By how much is judged in late_test.c, where shares stay.
static void judge_late(const struct world *w, const struct world_npdu *n)
{
    const struct sched_class *k = &w->config.of_class[w->pfc[n->pfc].traffic_class];
    uint64_t ahead = flow_octets(w, n);
    assert_true(k->flow_queues && k->refuse_late && k->lifetime_ns != SCHED_INFINITE);
    assert_true(ahead && ahead + n->octets > w->config.flow_quantum_octets);
}

enum drop_reason world_put_from(struct world *w, struct world_npdu from)
{
    struct world_pfc *p = &w->pfc[from.pfc];
    uint32_t id = world_npdu_new(w);
    bool meets = choose_queue(w, &from);
    struct pdu pdu = {.buffer = world_npdu_handle(id),
                      .flow_hash = from.flow,
                      .octets = from.octets,
                      .context = from.pfc,
                      .lle = from.lle,
                      .ect = from.ect};
    enum drop_reason reason = sched_put(w->sched, p->ms, p->slot, &pdu, w->now_ns);
    if (reason == DROP_late)
        judge_late(w, &from);
    world_ledger_add(&w->put, from.octets);
    w->arrives = true;
    w->arrival = from;
    w->arrival_id = reason == DROP_NONE ? id : WORLD_NONE;
    if (reason != DROP_NONE) {
        assert_true((unsigned)reason < DROP_COUNT);
        world_ledger_add(&w->refused[reason], from.octets);
        p->lost++;
        w->npdu[id].next = w->npdu_free;
        w->npdu_free = id;
    } else {
        from.live = true;
        p->shared_queues |= (uint64_t)meets << from.queue;
        from.put_clock_ns = world_ms_clock(w, p->ms);
        from.put_ns = w->now_ns;
        w->npdu[id] = from;
        world_npdu_append(w, id);
        w->ms[p->ms].packets++;
        w->ms[p->ms].octets += from.octets;
        world_ledger_add(&w->queued, from.octets);
        if (from.source != WORLD_NONE)
            w->source[from.source].queued++;
    }
    uint32_t victims = world_collect_drops(w);
    assert_true(victims <= WORLD_VICTIMS);
    if (is_for_room(reason) && victims == 0)
        world_judge_refusal(w, reason);
    w->arrives = false;
    world_judge_ledger(w);
    return reason;
}

enum drop_reason world_put(struct world *w, uint32_t pfc, uint16_t octets, uint8_t lle,
                           uint32_t flow, bool ect)
{
    return world_put_from(w, (struct world_npdu){.pfc = pfc,
                                                 .source = WORLD_NONE,
                                                 .flow = flow,
                                                 .octets = octets,
                                                 .lle = lle,
                                                 .ect = ect});
}

// The lifetime ended, or less than the BSS's least part is left.
static bool npdu_expired(const struct world *w, const struct world_npdu *n, uint64_t *left_ns)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    const struct sched_class *c = &w->config.of_class[p->traffic_class];
    uint64_t age = world_ms_clock(w, p->ms) - n->put_clock_ns;
    *left_ns = SCHED_INFINITE;
    if (c->lifetime_ns == SCHED_INFINITE)
        return false;
    *left_ns = age < c->lifetime_ns ? c->lifetime_ns - age : 0;
    return *left_ns < c->bss_least_ns || *left_ns == 0;
}

bool world_overstays(const struct world *w, const struct world_npdu *n, uint64_t late_ns)
{
    uint64_t lifetime_ns = w->config.of_class[w->pfc[n->pfc].traffic_class].lifetime_ns;
    uint64_t hold_ns = w->config.hold_ns;
    if (lifetime_ns == SCHED_INFINITE || hold_ns == SCHED_INFINITE || hold_ns == 0)
        return false;
    uint64_t stay_ns = w->now_ns > n->put_ns ? w->now_ns - n->put_ns : 0; // or it came from ahead
    return stay_ns > late_ns && stay_ns - late_ns > hold_ns &&
           stay_ns - late_ns - hold_ns > lifetime_ns;
}

// What is half sent only if nothing is left of its lifetime, or if it has overstayed in an MS that
// stands.
static void judge_expired(struct world *w, const struct world_npdu *n)
{
    uint64_t left_ns;
    bool expired = npdu_expired(w, n, &left_ns);
    if (n->sent ? left_ns == 0 : expired)
        return;
    if (n->sent) {
        assert_true(w->ms[w->pfc[n->pfc].ms].stands);
        world_ledger_add(&w->given_up, n->octets);
    }
    assert_true(world_overstays(w, n, 0));
    world_ledger_add(&w->overstayed, n->octets);
}

static void drop_collect(struct world *w, const struct sched_drop *drop)
{
    uint32_t id;
    struct world_npdu *n = world_npdu_of(w, drop->buffer, &id);
    assert_int_equal(drop->octets, n->octets);
    assert_int_equal(drop->traffic_class, w->pfc[n->pfc].traffic_class);
    assert_true(drop->reason < DROP_COUNT);
    bool by_command = drop->reason == DROP_flushed || drop->reason == DROP_removed;
    assert_true(n->sent == 0 || by_command || drop->reason == DROP_expired);
    if (drop->reason == DROP_expired)
        judge_expired(w, n);
    if (is_for_room(drop->reason))
        world_judge_victim(w, drop->reason, id);
    else
        assert_int_not_equal(drop->reason, DROP_class_full);
    world_ledger_add(&w->dropped[drop->reason], n->octets);
    w->pfc[n->pfc].lost++;
    world_npdu_end(w, id);
}

uint32_t world_collect_drops(struct world *w)
{
    const struct sched_drop *drops;
    uint32_t n = sched_dropped(w->sched, &drops);
    assert_true(n <= SCHED_DROPS);
    for (uint32_t i = 0; i < n; i++)
        drop_collect(w, &drops[i]);
    assert_int_equal(sched_dropped(w->sched, &drops), 0);
    return n;
}

void world_judge_ledger(const struct world *w)
{
    struct world_ledger sum = w->queued;
    for (uint32_t i = 0; i < DROP_COUNT; i++) {
        sum.packets += w->refused[i].packets + w->dropped[i].packets;
        sum.octets += w->refused[i].octets + w->dropped[i].octets;
    }
    assert_int_equal(w->put.packets, sum.packets + w->finished.packets);
    assert_int_equal(w->put.octets, sum.octets + w->finished.octets);
    struct sched_queued q = sched_queued(w->sched);
    assert_int_equal(q.packets, w->queued.packets);
    assert_int_equal(q.octets, w->queued.octets);
}

// Octets of the N-PDU that its next LLC PDU carries, and that LLC PDU's own size.
uint32_t world_piece(const struct world *w, const struct world_npdu *n, uint32_t *llc_octets)
{
    const struct world_ms *m = &w->ms[w->pfc[n->pfc].ms];
    uint32_t n201_u = n->sent ? n->n201_u : m->n201_u[n->lle];
    uint32_t header = n->sent ? w->config.next_header_octets : w->config.first_header_octets;
    uint32_t room = n201_u + w->config.llc_octets - header, left = n->octets - n->sent;
    uint32_t piece = left < room ? left : room;
    *llc_octets = piece + header;
    return piece;
}

// Nothing of its queue, or with flow queues of its flow, is before it.
static void judge_order(const struct world *w, const struct world_npdu *n, uint32_t id)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    uint32_t started = w->ms[p->ms].started[n->lle];
    assert_true(started == WORLD_NONE || started == id);
    assert_true(n->sent == 0 || started == id);
    bool by_flow = w->config.of_class[p->traffic_class].flow_queues;
    for (uint32_t i = p->head; i != id; i = w->npdu[i].next)
        if (!by_flow || w->npdu[i].flow == n->flow)
            fail_msg("N-PDU %u of PFC %u before %u%s", id, n->pfc, i,
                     by_flow ? " of its flow" : "");
}

static void judge_grant(const struct world *w, const struct world_npdu *n,
                        const struct sched_grant *g)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    uint32_t llc_octets;
    assert_int_equal(g->ms, p->ms);
    assert_int_equal(g->slot, p->slot);
    assert_int_equal(g->context, n->pfc);
    assert_int_equal(g->lle, n->lle);
    assert_int_equal(g->traffic_class, p->traffic_class);
    assert_int_equal(g->npdu_octets, n->octets);
    assert_int_equal(g->offset, n->sent);
    assert_int_equal(g->octets, world_piece(w, n, &llc_octets));
    assert_int_equal(g->last, g->offset + g->octets == n->octets);
    assert_int_equal(g->sojourn_ns, world_ms_clock(w, p->ms) - n->put_clock_ns);
    assert_false(w->ms[p->ms].stands);
    assert_false(w->cell[w->ms[p->ms].cell].blocked);
    world_judge_before_frames(w, p->ms);
    if (g->mark)
        assert_true(n->ect && g->offset == 0);
}

static void judge_lifetime(const struct world *w, const struct world_npdu *n,
                           const struct sched_grant *g)
{
    const struct sched_class *c = &w->config.of_class[g->traffic_class];
    uint64_t left_ns;
    bool expired = npdu_expired(w, n, &left_ns);
    assert_true(n->sent ? left_ns : !(expired || world_overstays(w, n, WORLD_STEPS_NS)));
    if (left_ns != SCHED_INFINITE)
        left_ns = left_ns > c->bss_most_ns ? c->bss_most_ns : left_ns;
    assert_int_equal(g->lifetime_ns, left_ns);
}

static void trace(struct world *w, const struct world_sent *sent)
{
    if (!w->keep_trace)
        return;
    if (w->sents == w->sent_room) {
        w->sent_room = w->sent_room ? 2 * w->sent_room : 1024;
        w->sent = realloc(w->sent, w->sent_room * sizeof *w->sent);
        assert_non_null(w->sent);
    }
    w->sent[w->sents++] = *sent;
}

// Judges a grant and books it; returns its source, if it is the N-PDU's last piece.
uint32_t world_granted(struct world *w, const struct sched_grant *g)
{
    uint32_t id, llc_octets;
    struct world_npdu *n = world_npdu_of(w, g->buffer, &id);
    struct world_ms *m = &w->ms[w->pfc[n->pfc].ms];
    judge_order(w, n, id);
    judge_grant(w, n, g);
    judge_lifetime(w, n, g);
    if (n->sent == 0)
        world_judge_begins(w, id);
    world_piece(w, n, &llc_octets);
    world_charge(w, n->pfc, llc_octets);
    struct world_sent sent = {.time_ns = w->now_ns,
                              .put_ns = n->put_ns,
                              .number = n->number,
                              .lifetime_ns = g->lifetime_ns,
                              .nse = w->cell[m->cell].nse,
                              .cell = m->cell,
                              .ms = g->ms,
                              .pfc = n->pfc,
                              .source = n->source,
                              .llc_octets = (uint16_t)llc_octets,
                              .pipe_octets =
                                  (uint16_t)world_pipe_octets(w, g->ms, n->pfc, llc_octets),
                              .octets = g->octets,
                              .offset = g->offset,
                              .traffic_class = g->traffic_class,
                              .first = g->offset == 0,
                              .last = g->last,
                              .mark = g->mark};
    trace(w, &sent);
    if (n->sent == 0) {
        n->n201_u = m->n201_u[n->lle];
        m->started[n->lle] = id;
    }
    n->sent = (uint16_t)(n->sent + g->octets);
    if (!g->last)
        return WORLD_NONE;
    world_ledger_add(&w->finished, n->octets);
    w->pfc[n->pfc].finished++;
    world_npdu_end(w, id);
    return sent.source;
}
