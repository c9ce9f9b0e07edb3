// See world.h: S11, who loses an N-PDU at a full limit. The queues that share the limit are a tree,
// built anew from the world's lists for each loss:
//
//   all > NSEs, equal > cells, equal > classes by weight, signalling last > MSs, equal
//       > packet flows by weight > flows, equal
//
// and judged in the unit, packets or octets, of which there is no more room:
//   a victim is the first of its queue that is not half sent; on its way down from the limit each
//   branch is the largest for its share within 10 %, among those that have an N-PDU to give;
//   whatever is lost, victim or arrival, is of no branch below 0.9 of the level to which max-min
//   filling with what is queued comes there, if the queue's share would hold two largest N-PDUs
// What is queued is taken with the arrival and without it: a victim may be chosen before or after.
#include "tests/dataplane/sched/world_branches.h"
#include "tests/dataplane/sched/world_inside.h"

#include <math.h>
#include <string.h>

// What came while less than this part of the room was taken may be overlooked, so a branch of that
// and one N-PDU is no fault, unless what is lost instead breaks a promise.
#define OVERLOOKED 32

#define FLOWS_MOST 64

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_CLASS, LEVEL_MS, LEVEL_PFC, LEVEL_FLOW, LEVELS };
static const char *const level_names[] = {"NSE", "cell", "class", "MS", "PFC", "flow"};

enum unit { PACKETS, OCTETS };

struct leaf {
    uint32_t at[LEVELS]; // which NSE, cell, ...
    double queued[2];    // by unit
    uint32_t loose;      // N-PDUs that are not half sent
};

struct loss {
    const struct world *w;
    enum level top;  // of the branches below the limit
    uint32_t within; // the limit's NSE, cell or MS
    double limit[2];
    double largest[2];
    struct leaf *leaf;
    struct branch *branch; // of one level, at a time
    uint32_t leaves;
    uint32_t lost[LEVELS];
    bool tells; // what is wrong
};

static uint32_t flow_of(const struct world *w, const struct world_npdu *n)
{
    bool by_flow = w->config.of_class[w->pfc[n->pfc].traffic_class].flow_queues;
    return by_flow ? n->flow & (w->config.flows_a_pfc - 1) : 0;
}

static void path_of(const struct world *w, const struct world_npdu *n, uint32_t *at)
{
    const struct world_pfc *p = &w->pfc[n->pfc];
    at[LEVEL_CELL] = w->ms[p->ms].cell;
    at[LEVEL_NSE] = w->cell[at[LEVEL_CELL]].nse;
    at[LEVEL_CLASS] = p->traffic_class;
    at[LEVEL_MS] = p->ms;
    at[LEVEL_PFC] = n->pfc;
    at[LEVEL_FLOW] = flow_of(w, n);
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

static void leaf_add(struct leaf *of_flow, const struct world *w, const struct world_npdu *n)
{
    struct leaf *leaf = &of_flow[flow_of(w, n)];
    path_of(w, n, leaf->at);
    leaf->queued[PACKETS]++;
    leaf->queued[OCTETS] += n->octets;
    leaf->loose += n->sent == 0;
}

static void leaves_of(struct loss *l, uint32_t pfc, const struct world_npdu *without,
                      const struct world_npdu *with)
{
    const struct world *w = l->w;
    bool by_flow = w->config.of_class[w->pfc[pfc].traffic_class].flow_queues;
    uint32_t flows = by_flow ? w->config.flows_a_pfc : 1;
    struct leaf of_flow[FLOWS_MOST];
    memset(of_flow, 0, flows * sizeof of_flow[0]);
    for (uint32_t i = w->pfc[pfc].head; i != WORLD_NONE; i = w->npdu[i].next)
        if (&w->npdu[i] != without)
            leaf_add(of_flow, w, &w->npdu[i]);
    if (with && with->pfc == pfc)
        leaf_add(of_flow, w, with);
    for (uint32_t i = 0; i < flows; i++)
        if (of_flow[i].queued[PACKETS] > 0 && shares_the_limit(l, of_flow[i].at))
            l->leaf[l->leaves++] = of_flow[i];
}

// With `with`, which is in no list, or without an N-PDU that is.
static void leaves_collect(struct loss *l, const struct world_npdu *without,
                           const struct world_npdu *with)
{
    l->leaves = 0;
    for (uint32_t i = 0; i < l->w->pfcs; i++)
        if (l->w->pfc[i].exists)
            leaves_of(l, i, without, with);
}

static void limit_of(struct loss *l, enum drop_reason reason, const uint32_t *at)
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
    l->within = at[reason == DROP_nse_full   ? LEVEL_NSE
                   : reason == DROP_bvc_full ? LEVEL_CELL
                                             : LEVEL_MS];
    l->limit[PACKETS] = limit->packets;
    l->limit[OCTETS] = (double)limit->octets;
}

static double total(const struct loss *l, enum unit unit)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->leaves; i++)
        sum += l->leaf[i].queued[unit];
    return sum;
}

// ---- One level: the branches of a node, and which of them loses ----

static double weight_of(const struct loss *l, const struct leaf *leaf, enum level level)
{
    if (level == LEVEL_CLASS || level == LEVEL_PFC)
        return l->w->config.of_class[leaf->at[LEVEL_CLASS]].weight;
    return 1;
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
        branch->weight = weight_of(l, leaf, level);
        branch->signals = classes && leaf->at[LEVEL_CLASS] == CLASS_SIGNALLING;
        branch->gives = branch->gives || leaf->loose;
    }
    branch_of(&b, l->lost[level]);
    while (b.of[b.lost].id != l->lost[level])
        b.lost++;
    return b;
}

// ---- The judgement ----

static void tell(const struct branches *b, enum level level, enum unit unit)
{
    for (uint32_t i = 0; i < b->n; i++)
        print_message("# %s %u%s: %.0f %s, weight %.0f%s%s\n", level_names[level], b->of[i].id,
                      i == b->lost ? ", which loses" : "", b->of[i].queued,
                      unit == PACKETS ? "N-PDUs" : "octets", b->of[i].weight,
                      b->of[i].signals ? ", signalling" : "",
                      b->of[i].gives ? "" : ", cannot give");
}

// Each branch on the way is the largest.
static bool victim_is_right(const struct loss *l, enum unit unit)
{
    for (enum level level = l->top; level < LEVELS; level++) {
        struct branches b = branches_of(l, level, unit);
        if (!world_is_largest(&b, l->limit[unit] / OVERLOOKED + l->largest[unit])) {
            if (l->tells)
                tell(&b, level, unit);
            return false;
        }
    }
    return true;
}

// The first level on the way at which the branch is below 0.9 of what filling leaves each, and one
// that is over it could give.
static enum level below(const struct loss *l, enum unit unit)
{
    double room = l->limit[unit];
    for (enum level level = l->top; level < LEVELS; level++) {
        struct branches b = branches_of(l, level, unit);
        const struct branch *lost = &b.of[b.lost];
        double all = lost->signals ? room : lost->weight * world_level(&b, room, WORLD_NONE);
        bool enough = !lost->signals && isinf(all);
        if (!enough && lost->queued < 0.9 * all - 1e-6 && !world_is_largest(&b, 0))
            return level;
        room = fmin(lost->queued, all);
    }
    return LEVELS;
}

// What the queue could have if it asked for all it can get.
static double share_of(const struct loss *l, enum unit unit)
{
    double room = l->limit[unit];
    for (enum level level = l->top; level < LEVELS; level++) {
        struct branches b = branches_of(l, level, unit);
        const struct branch *lost = &b.of[b.lost];
        room = lost->signals ? room : lost->weight * world_level(&b, room, b.lost);
    }
    return room;
}

static bool is_over(const struct loss *l, enum unit unit)
{
    return total(l, unit) > l->limit[unit];
}

// A loss of that queue in that unit breaks no promise. A share of one N-PDU promises nothing.
static bool loss_is_right(const struct loss *l, enum unit unit, enum level *at)
{
    *at = below(l, unit);
    return *at == LEVELS || share_of(l, unit) < 2 * l->largest[unit];
}

static struct loss loss_open(const struct world *w, enum drop_reason reason,
                             const struct world_npdu *lost)
{
    struct loss l = {.w = w, .largest = {1, 1600}};
    path_of(w, lost, l.lost);
    limit_of(&l, reason, l.lost);
    l.leaf = calloc(w->queued.packets + 2, sizeof *l.leaf);
    l.branch = calloc(w->queued.packets + 2, sizeof *l.branch);
    assert_true(l.leaf && l.branch);
    for (uint32_t i = 0; i < w->pfcs; i++)
        for (uint32_t k = w->pfc[i].exists ? w->pfc[i].head : WORLD_NONE; k != WORLD_NONE;
             k = w->npdu[k].next)
            l.largest[OCTETS] = fmax(l.largest[OCTETS], w->npdu[k].octets);
    return l;
}

static void loss_close(struct loss *l)
{
    free(l->leaf);
    free(l->branch);
}

static void judge_place(const struct world *w, const struct world_npdu *n, uint32_t id)
{
    assert_int_equal(n->sent, 0);
    for (uint32_t i = w->pfc[n->pfc].head; i != id; i = w->npdu[i].next)
        if (flow_of(w, &w->npdu[i]) == flow_of(w, n) && w->npdu[i].sent == 0)
            fail_msg("victim %u of PFC %u was not the first of its queue", id, n->pfc);
}

// One of the list of drops of a put. `arrival` is in its queue, or refused and in none.
void world_judge_victim(const struct world *w, enum drop_reason reason, uint32_t id)
{
    const struct world_npdu *victim = &w->npdu[id], *arrival = &w->arrival;
    assert_true(w->arrives && !w->config.tail_drop);
    judge_place(w, victim, id);
    struct loss l = loss_open(w, reason, victim);
    uint32_t at[LEVELS];
    path_of(w, arrival, at);
    if (!shares_the_limit(&l, at))
        fail_msg("victim %u of PFC %u, %s: not where PFC %u fills it", id, victim->pfc,
                 drop_names[reason], arrival->pfc);
    bool in = w->arrival_id != WORLD_NONE, over = false, largest = false, promised = false;
    enum level at_level = LEVELS;
    leaves_collect(&l, NULL, in ? NULL : arrival);
    for (enum unit unit = PACKETS; unit <= OCTETS; unit++)
        if (is_over(&l, unit)) {
            over = true;
            largest = largest || victim_is_right(&l, unit);
            promised = promised || loss_is_right(&l, unit, &at_level);
        }
    if (!largest || !promised) {
        bool was_over[] = {is_over(&l, PACKETS), is_over(&l, OCTETS)};
        leaves_collect(&l, in && w->arrival_id != id ? &w->npdu[w->arrival_id] : NULL, NULL);
        l.tells = !largest;
        for (enum unit unit = PACKETS; unit <= OCTETS; unit++)
            if (was_over[unit]) {
                largest = largest || victim_is_right(&l, unit);
                promised = promised || loss_is_right(&l, unit, &at_level);
            }
    }
    loss_close(&l);
    if (!over || !largest || !promised)
        fail_msg("at %llu ns PFC %u (MS %u, cell %u) loses an N-PDU, %s, to PFC %u: %s%s",
                 (unsigned long long)w->now_ns, victim->pfc, l.lost[LEVEL_MS], l.lost[LEVEL_CELL],
                 drop_names[reason], arrival->pfc,
                 !over      ? "there was room"
                 : !largest ? "its queue is not the largest"
                            : "below its share as ",
                 over && largest ? level_names[at_level] : "");
}

static bool fits(const struct sched_limit *limit, uint32_t octets)
{
    return octets <= limit->octets && limit->packets > 0;
}

// For what some limit could never hold, nobody gives anything.
static bool fits_at_all(const struct sched_config *c, uint32_t octets)
{
    return fits(&c->limit, octets) && fits(&c->bvc_limit, octets) && fits(&c->ms_limit, octets) &&
           (c->nse_limit.packets == 0 || fits(&c->nse_limit, octets));
}

static bool someone_gives(const struct loss *l)
{
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].loose)
            return true;
    return false;
}

// The arrival is refused by that limit: it is over without a victim only if nobody has an N-PDU to
// give, or the arrival is larger than a limit.
void world_judge_refusal(const struct world *w, enum drop_reason reason,
                         const struct world_npdu *arrival)
{
    if (w->config.tail_drop || (reason != DROP_ms_full && reason != DROP_bvc_full &&
                                reason != DROP_nse_full && reason != DROP_queue_full))
        return;
    struct loss l = loss_open(w, reason, arrival);
    enum level at_level = LEVELS;
    leaves_collect(&l, NULL, NULL);
    bool gives = someone_gives(&l) && fits_at_all(&w->config, arrival->octets);
    leaves_collect(&l, NULL, arrival);
    bool over = false, right = !fits_at_all(&w->config, arrival->octets);
    for (enum unit unit = PACKETS; unit <= OCTETS; unit++)
        if (is_over(&l, unit)) {
            over = true;
            right = right || loss_is_right(&l, unit, &at_level);
        }
    loss_close(&l);
    if (gives || !over || !right)
        fail_msg("at %llu ns PFC %u (MS %u, cell %u) is refused, %s: %s%s",
                 (unsigned long long)w->now_ns, arrival->pfc, l.lost[LEVEL_MS], l.lost[LEVEL_CELL],
                 drop_names[reason],
                 !over    ? "there was room"
                 : !right ? "below its share as "
                          : "others could give",
                 over && !right ? level_names[at_level] : "");
}
