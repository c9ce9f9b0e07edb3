// See world.h: S11, who loses an N-PDU at a full limit. The queues that share the limit are a tree,
// built anew for each loss from what the world has queued and the N-PDU that comes:
//
//   all > NSEs, equal > cells, equal > classes by weight, signalling last > MSs, equal
//       > packet flows by weight > flows, equal
//
// and judged in the unit, packets or octets, of which there is no more room. What is lost is the
// first of its queue that is not half sent, so what comes is lost only if it is all that its queue
// has to give. On the way down from the limit each branch is the largest for its share among those
// that have an N-PDU to give. And the promise: no queue loses that is below 0.9 of the share that
// it could have if it asked for more, if that would hold two of the largest N-PDUs.
#include "tests/dataplane/sched/world_branches.h"
#include "tests/dataplane/sched/world_inside.h"

#include <math.h>
#include <string.h>

// NSEs, cells and MSs are compared in steps of so many octets.
#define STEP_OCTETS 64

#define FLOWS_MOST 64

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_CLASS, LEVEL_MS, LEVEL_PFC, LEVEL_FLOW, LEVELS };
static const char *const level_names[] = {"NSE", "cell", "class", "MS", "PFC", "flow"};

enum unit { PACKETS, OCTETS, UNITS };

struct leaf {
    uint32_t at[LEVELS];           // which NSE, cell, ...
    double queued[UNITS], kept[2]; // kept: half sent
    bool gives;
};

struct loss {
    const struct world *w;
    enum level top;  // of the branches below the limit
    uint32_t within; // the limit's NSE, cell or MS
    double limit[UNITS], total[UNITS];
    double largest[UNITS];
    struct leaf *leaf;
    struct branch *branch; // of one level, at a time
    uint32_t leaves, leaves_room;
    uint32_t lost[LEVELS];
};

static bool by_flow(const struct world *w, uint32_t pfc)
{
    return w->config.of_class[w->pfc[pfc].traffic_class].flow_queues;
}

static uint32_t flow_of(const struct world *w, const struct world_npdu *n)
{
    return by_flow(w, n->pfc) ? n->queue : 0;
}

static void path_of(const struct world *w, uint32_t pfc, uint32_t flow, uint32_t *at)
{
    const struct world_pfc *p = &w->pfc[pfc];
    at[LEVEL_CELL] = w->ms[p->ms].cell;
    at[LEVEL_NSE] = w->cell[at[LEVEL_CELL]].nse;
    at[LEVEL_CLASS] = p->traffic_class;
    at[LEVEL_MS] = p->ms;
    at[LEVEL_PFC] = pfc;
    at[LEVEL_FLOW] = flow;
}

static bool shares_the_limit(const struct loss *l, const uint32_t *at)
{
    switch (l->top) {
    case LEVEL_NSE:
        return true;
    case LEVEL_CELL:
        return at[LEVEL_NSE] == l->within;
    case LEVEL_CLASS:
        return at[LEVEL_CELL] == l->within;
    default:
        return at[LEVEL_MS] == l->within;
    }
}

// ---- The queues ----

static void leaf_add(struct leaf *leaf, double packets, double octets, bool half_sent)
{
    leaf->queued[PACKETS] += packets;
    leaf->queued[OCTETS] += octets;
    leaf->kept[PACKETS] += half_sent ? packets : 0;
    leaf->kept[OCTETS] += half_sent ? octets : 0;
}

static void flows_fill(const struct world *w, uint32_t pfc, struct leaf *of_flow)
{
    for (uint32_t i = w->pfc[pfc].head; i != WORLD_NONE; i = w->npdu[i].next)
        leaf_add(&of_flow[flow_of(w, &w->npdu[i])], 1, w->npdu[i].octets, w->npdu[i].sent != 0);
}

// One queue: what it has in all is known.
static void queue_fill(const struct world *w, uint32_t pfc, struct leaf *leaf)
{
    const struct world_pfc *p = &w->pfc[pfc];
    leaf_add(leaf, (double)p->queued.packets, (double)p->queued.octets, false);
    for (uint32_t lle = 0; lle < SCHED_LLES; lle++) {
        uint32_t id = w->ms[p->ms].started[lle];
        if (id != WORLD_NONE && w->npdu[id].pfc == pfc && w->npdu[id].sent) {
            leaf->kept[PACKETS] += 1;
            leaf->kept[OCTETS] += w->npdu[id].octets;
        }
    }
}

static void leaves_of(struct loss *l, uint32_t pfc)
{
    const struct world *w = l->w;
    const struct world_npdu *arrival = w->arrival_id == WORLD_NONE ? &w->arrival : NULL;
    uint32_t flows = by_flow(w, pfc) ? w->config.flows_a_pfc : 1;
    struct leaf of_flow[FLOWS_MOST];
    memset(of_flow, 0, flows * sizeof of_flow[0]);
    if (flows > 1)
        flows_fill(w, pfc, of_flow);
    else
        queue_fill(w, pfc, of_flow);
    if (arrival && arrival->pfc == pfc)
        leaf_add(&of_flow[flow_of(w, arrival)], 1, arrival->octets, false);
    for (uint32_t i = 0; i < flows; i++) {
        path_of(w, pfc, i, of_flow[i].at);
        if (of_flow[i].queued[PACKETS] == 0 || !shares_the_limit(l, of_flow[i].at))
            continue;
        of_flow[i].gives = of_flow[i].queued[PACKETS] > of_flow[i].kept[PACKETS];
        assert_true(l->leaves < l->leaves_room);
        l->leaf[l->leaves++] = of_flow[i];
    }
}

static void limit_of(struct loss *l, enum drop_reason reason)
{
    const struct sched_config *c = &l->w->config;
    const struct sched_limit *limit = &c->limit;
    l->top = LEVEL_NSE;
    if (reason == DROP_nse_full) {
        l->top = LEVEL_CELL;
        limit = &c->nse_limit;
    } else if (reason == DROP_bvc_full) {
        l->top = LEVEL_CLASS;
        limit = &c->bvc_limit;
    } else if (reason == DROP_ms_full) {
        l->top = LEVEL_PFC;
        limit = &c->ms_limit;
    } else {
        assert_int_equal(reason, DROP_queue_full);
    }
    uint32_t at[LEVELS];
    path_of(l->w, l->w->arrival.pfc, 0, at);
    l->within = at[l->top == LEVEL_PFC ? LEVEL_MS : l->top == LEVEL_NSE ? LEVEL_NSE : l->top - 1];
    l->limit[PACKETS] = limit->packets;
    l->limit[OCTETS] = (double)limit->octets;
}

// Kept from drop to drop: new and cleared lists for each took longer than to judge it.
static struct {
    struct leaf *leaf;
    struct branch *branch;
    uint32_t room;
} lists;

static void lists_grow(uint32_t room)
{
    if (room <= lists.room)
        return;
    lists.leaf = realloc(lists.leaf, room * sizeof *lists.leaf);
    lists.branch = realloc(lists.branch, room * sizeof *lists.branch);
    lists.room = room;
    assert_true(lists.leaf && lists.branch);
}

static struct loss loss_open(const struct world *w, enum drop_reason reason,
                             const struct world_npdu *lost)
{
    struct loss l = {.w = w, .largest = {1, 1600}};
    l.leaves_room = (uint32_t)w->queued.packets + 2;
    path_of(w, lost->pfc, flow_of(w, lost), l.lost);
    limit_of(&l, reason);
    lists_grow(l.leaves_room);
    l.leaf = lists.leaf;
    l.branch = lists.branch;
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists)
            leaves_of(&l, i);
    for (uint32_t i = 0; i < l.leaves; i++)
        for (enum unit unit = PACKETS; unit < UNITS; unit++)
            l.total[unit] += l.leaf[i].queued[unit];
    return l;
}

// ---- One level: the branches of a node, and which of them loses ----

static double weight_of(const struct loss *l, const struct leaf *leaf, enum level level)
{
    uint32_t class = leaf->at[LEVEL_CLASS];
    bool by_weight = level == LEVEL_CLASS || level == LEVEL_PFC;
    return by_weight && class != CLASS_SIGNALLING ? l->w->config.of_class[class].weight : 1;
}

static struct branch *branch_of(struct branches *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (b->of[i].id == id)
            return &b->of[i];
    b->of[b->n] = (struct branch){.id = id, .weight = 1};
    return &b->of[b->n++];
}

static struct branches branches_of(const struct loss *l, enum level level, enum unit unit)
{
    struct branches b = {.of = l->branch};
    const bool classes = level == LEVEL_CLASS || level == LEVEL_PFC;
    for (uint32_t i = 0; i < l->leaves; i++) {
        const struct leaf *leaf = &l->leaf[i];
        if (memcmp(&leaf->at[l->top], &l->lost[l->top], (level - l->top) * sizeof leaf->at[0]) != 0)
            continue;
        struct branch *branch = branch_of(&b, leaf->at[level]);
        branch->queued += leaf->queued[unit];
        branch->kept += leaf->kept[unit];
        branch->weight = weight_of(l, leaf, level);
        branch->signals = classes && leaf->at[LEVEL_CLASS] == CLASS_SIGNALLING;
        branch->gives = branch->gives || leaf->gives;
    }
    while (b.lost < b.n && b.of[b.lost].id != l->lost[level])
        b.lost++;
    assert_true(b.lost < b.n);
    return b;
}

// ---- The judgement ----

static void tell(const struct branches *b, enum level level, enum unit unit, double room)
{
    print_message("# %s, room for %.0f %s:\n", level_names[level], room,
                  unit == PACKETS ? "N-PDUs" : "octets");
    for (uint32_t i = 0; i < b->n; i++)
        print_message("#   %u%s: %.0f, half sent %.0f, weight %.0f%s%s\n", b->of[i].id,
                      i == b->lost ? ", which loses" : "", b->of[i].queued, b->of[i].kept,
                      b->of[i].weight, b->of[i].signals ? ", signalling" : "",
                      b->of[i].gives ? "" : ", cannot give");
}

static double step_of(enum level level, enum unit unit)
{
    bool ranked = level == LEVEL_NSE || level == LEVEL_CELL || level == LEVEL_MS;
    return ranked && unit == OCTETS ? STEP_OCTETS : 0;
}

static bool is_over(const struct loss *l, enum unit unit)
{
    return l->total[unit] > l->limit[unit];
}

// What is wrong with that loss in that unit, NULL: nothing.
static const char *fault_of(const struct loss *l, enum unit unit, bool tells)
{
    double room = l->limit[unit], queued = 0;
    bool largest = true;
    for (enum level level = l->top; level < LEVELS; level++) {
        struct branches b = branches_of(l, level, unit);
        if (tells)
            tell(&b, level, unit, room);
        largest = largest && world_is_largest(&b, step_of(level, unit));
        room = world_share(&b, room);
        queued = b.of[b.lost].queued;
    }
    if (tells)
        print_message("# share %.2f\n", room);
    if (room >= 2 * l->largest[unit] && queued < 0.9 * room)
        return "it is below its share";
    return largest ? NULL : "its queue is not the largest";
}

static const char *fault_in(const struct loss *l)
{
    const char *fault = "there is room";
    for (enum unit unit = PACKETS; unit < UNITS; unit++)
        if (is_over(l, unit)) {
            fault = fault_of(l, unit, false);
            if (!fault)
                return NULL;
        }
    for (enum unit unit = PACKETS; unit < UNITS; unit++)
        if (is_over(l, unit))
            fault_of(l, unit, true);
    return fault;
}

static void judge(const struct world *w, enum drop_reason reason, const struct world_npdu *lost)
{
    struct loss l = loss_open(w, reason, lost);
    const char *fault = "it is not where the limit is full";
    if (shares_the_limit(&l, l.lost))
        fault = fault_in(&l);
    if (fault)
        fail_msg("at %llu ns PFC %u (MS %u, cell %u) loses an N-PDU, %s, to PFC %u: %s",
                 (unsigned long long)w->now_ns, lost->pfc, l.lost[LEVEL_MS], l.lost[LEVEL_CELL],
                 stats_drop_names[reason], w->arrival.pfc, fault);
}

// The first of its queue that is not half sent, or WORLD_NONE.
static uint32_t first_loose(const struct world *w, uint32_t pfc, uint32_t flow)
{
    uint32_t i = w->pfc[pfc].head;
    while (i != WORLD_NONE && (w->npdu[i].sent || flow_of(w, &w->npdu[i]) != flow))
        i = w->npdu[i].next;
    return i;
}

// One of the list of drops of a put.
void world_judge_victim(const struct world *w, enum drop_reason reason, uint32_t id)
{
    const struct world_npdu *victim = &w->npdu[id];
    assert_true(w->arrives && !w->config.tail_drop);
    assert_int_not_equal(id, w->arrival_id);
    assert_int_equal(id, first_loose(w, victim->pfc, flow_of(w, victim)));
    judge(w, reason, victim);
}

static bool fits(const struct sched_limit *limit, uint32_t octets)
{
    return octets <= limit->octets;
}

// For what some limit could never hold, nobody gives anything.
static bool fits_at_all(const struct sched_config *c, uint32_t octets)
{
    return fits(&c->limit, octets) && fits(&c->bvc_limit, octets) && fits(&c->ms_limit, octets) &&
           (c->nse_limit.packets == 0 || fits(&c->nse_limit, octets));
}

// The arrival is refused by that limit, and nobody has lost anything.
void world_judge_refusal(const struct world *w, enum drop_reason reason)
{
    const struct world_npdu *arrival = &w->arrival;
    if (w->config.tail_drop || !fits_at_all(&w->config, arrival->octets))
        return;
    if (first_loose(w, arrival->pfc, flow_of(w, arrival)) != WORLD_NONE)
        fail_msg("at %llu ns PFC %u is refused an N-PDU, %s, that others of its queue stand before",
                 (unsigned long long)w->now_ns, arrival->pfc, stats_drop_names[reason]);
    judge(w, reason, arrival);
}
