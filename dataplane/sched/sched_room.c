// Room at a full limit (S11). An N-PDU that meets a full limit of its MS, its cell, its NSE or of
// all takes the place of the head of the queue that is largest for its share, found level by level:
// NSEs equal, cells equal, classes by weight (signalling last), MSs equal, PFCs by weight, then the
// longest flow; in packets or octets, whichever limit is full. So a queue below its max-min share
// loses nothing, whoever fills the room, stopped or not; and what goes is the oldest of a queue
// that waits too long anyway. A half-sent N-PDU stays, the one behind it goes.
//
// Who is largest is kept in ranks (sched_rank.h): NSEs, an NSE's cells, and by class a cell's MSs,
// each under the lowest slot that it has in the class. A place rises at once as its queue grows and
// falls only when the queue is a fifth shorter, or when it is met here, so a queue that breathes
// costs nothing. Small queues have places only while a thirty-second of a limit is taken: before
// that, no limit is full. The work of a call is bounded; where nobody with a place has an N-PDU to
// give, the one that comes is refused.
#include "dataplane/sched/sched_room.h"

#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

#define VICTIMS_A_CALL 16u
#define LOOKS          16u // at places that may have fallen
#define TRIES          8u  // of those that may have nothing to give
#define FALL_LEVELS    4u
#define OCTETS_A_STEP  64u

enum unit { IN_PACKETS, IN_OCTETS };

static uint32_t size_in(enum unit unit, uint64_t total)
{
    if (unit == IN_PACKETS)
        return total_packets(total);
    return (uint32_t)((total_octets(total) + OCTETS_A_STEP - 1) / OCTETS_A_STEP);
}

// ---- Places ----

static uint32_t leader_of(struct tree_ms *m, uint32_t class)
{
    uint32_t slots = m->slots;
    while (tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->traffic_class != class)
        slots &= slots - 1;
    return (uint32_t)__builtin_ctz(slots);
}

static uint64_t total_in_class(struct tree_ms *m, uint32_t class)
{
    uint64_t total = 0;
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
        const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        total += p->traffic_class == class ? p->queue.total : 0;
    }
    return total;
}

// Those above the tree's numbers are of MSs.
static uint32_t entry_of_cell(const struct sched *s, uint32_t cell)
{
    return s->config.nses + cell;
}

static uint32_t entry_of_place(const struct sched *s, uint32_t place)
{
    return s->config.nses + s->config.bvcs + place;
}

static uint32_t pfc_of_entry(const struct sched *s, uint32_t entry)
{
    return s->place_pfc[entry - entry_of_place(s, 0)];
}

static uint32_t *place_of(const struct sched *s, uint32_t pfc)
{
    return &s->place[(size_t)tree_pfc_ms(pfc) * s->config.pfcs_an_ms + tree_pfc_slot(pfc)];
}

static bool falls(uint32_t from, uint32_t to)
{
    return to + FALL_LEVELS < from || to == 0;
}

// The levels that an entry has, and its parents' rings; `grown`: it rises, else it may fall.
static void follow(struct sched *s, uint32_t *top, uint32_t entry, uint16_t *level, uint64_t total,
                   bool grown)
{
    uint32_t most = entry < entry_of_place(s, 0) ? UINT16_MAX : UINT8_MAX;
    for (enum unit unit = IN_PACKETS; unit <= IN_OCTETS; unit++) {
        uint32_t to = rank_level(size_in(unit, total)), from = level[unit];
        to = to < most ? to : most;
        if (grown ? to <= from : !from || !falls(from, to))
            continue;
        rank_move(&s->rank[unit], &top[unit], entry, from, to);
        level[unit] = (uint16_t)to;
    }
}

static void place_follow(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                         uint64_t total, bool grown)
{
    uint32_t *place = place_of(s, pfc);
    if (*place == TREE_NONE) {
        if (!grown || s->place_free == s->places)
            return;
        *place = s->place_free;
        s->place_free = s->place_pfc[*place];
        s->place_pfc[*place] = pfc;
    }
    uint16_t level[2] = {p->rank_level[IN_PACKETS], p->rank_level[IN_OCTETS]};
    follow(s, s->cell[m->cell].of_class[p->traffic_class].rank_top, entry_of_place(s, *place),
           level, total, grown);
    p->rank_level[IN_PACKETS] = (uint8_t)level[IN_PACKETS];
    p->rank_level[IN_OCTETS] = (uint8_t)level[IN_OCTETS];
    if (total)
        return;
    s->place_pfc[*place] = s->place_free;
    s->place_free = *place;
    *place = TREE_NONE;
}

static uint64_t nse_total(const struct tree_nse *n)
{
    uint64_t total = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        total += n->total[class];
    return total;
}

static void above_follow(struct sched *s, uint32_t cell, bool grown)
{
    struct tree_cell *c = &s->cell[cell];
    struct tree_nse *n = &s->nse[c->nse];
    follow(s, n->rank_top, entry_of_cell(s, cell), c->rank_level, c->total, grown);
    follow(s, s->rank_top, c->nse, n->rank_level, nse_total(n), grown);
}

static void ms_class_follows(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class,
                             bool grown)
{
    uint32_t leader = leader_of(m, class);
    place_follow(s, tree_pfc_id(ms, leader), m, tree_pfc_of(m, leader), total_in_class(m, class),
                 grown);
}

void room_grown(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p)
{
    ms_class_follows(s, ms, m, p->traffic_class, true);
    if (room_is_short(s->total, &s->watched))
        above_follow(s, m->cell, true);
}

void room_shrunk(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p)
{
    ms_class_follows(s, ms, m, p->traffic_class, false);
    if (s->cell[m->cell].rank_level[IN_PACKETS])
        above_follow(s, m->cell, false);
}

void room_leave(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        place_follow(s, tree_pfc_id(ms, slot), m, tree_pfc_of(m, slot), 0, false);
    }
}

void room_return(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
        struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (room_is_watched(s, m, p))
            room_grown(s, ms, m, p);
    }
}

void room_settle(struct sched *s, uint32_t cell)
{
    above_follow(s, cell, false);
}

// ---- What is dropped ----

static bool has_one(const struct tree_queue *q, bool begun)
{
    return total_packets(q->total) > begun;
}

// The flow with the longest queue, of those that have an N-PDU to give.
static uint32_t longest_flow(const struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                             enum unit unit)
{
    uint32_t best = TREE_NONE, most = 0;
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++) {
        const struct tree_queue *q = &queue_flow(s, pfc, flow)->queue;
        uint32_t size = size_in(unit, q->total);
        if (size > most && has_one(q, p->sent_octets && flow == p->flow)) {
            best = flow;
            most = size;
        }
    }
    return best;
}

static bool pfc_gives(struct sched *s, uint32_t ms, uint32_t slot, enum unit unit,
                      enum drop_reason reason, uint64_t now_ns)
{
    uint32_t pfc = tree_pfc_id(ms, slot);
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    struct tree_queue *q = &p->queue;
    uint32_t flow = 0;
    if (p->state & PFC_BY_FLOW) {
        flow = longest_flow(s, pfc, p, unit);
        if (flow == TREE_NONE)
            return false;
        q = &queue_flow(s, pfc, flow)->queue;
    }
    bool behind = p->sent_octets && (!(p->state & PFC_BY_FLOW) || flow == p->flow);
    if (!has_one(q, behind))
        return false;
    aqm_tell_full(s, pfc, m, p, flow, &s->slot[behind ? s->slot[q->head].next : q->head], now_ns);
    queue_drop(s, pfc, p, q, behind, reason);
    queue_choose(s, pfc, p);
    if (!behind) // the new head may be smaller, or of an LLE that is free
        ms_heads_change(s, ms, now_ns);
    return true;
}

// Of those slots the largest by weight that has an N-PDU to give; signalling last.
static bool ms_gives(struct sched *s, uint32_t ms, uint32_t slots, enum unit unit,
                     enum drop_reason reason, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    uint32_t best = TREE_NONE;
    uint64_t most = 0, weight = 1;
    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        uint64_t size = size_in(unit, p->queue.total),
                 w = s->config.of_class[p->traffic_class].weight;
        if (!has_one(&p->queue, p->sent_octets) || (w == 0 && best != TREE_NONE))
            continue;
        if (best != TREE_NONE && weight && size * weight <= most * w)
            continue;
        best = slot;
        most = size;
        weight = w;
    }
    return best != TREE_NONE && pfc_gives(s, ms, best, unit, reason, now_ns);
}

static uint64_t total_of_entry(const struct sched *s, uint32_t entry)
{
    if (entry < s->config.nses)
        return nse_total(&s->nse[entry]);
    if (entry < entry_of_place(s, 0))
        return s->cell[entry - s->config.nses].total;
    uint32_t pfc = pfc_of_entry(s, entry);
    return total_in_class(tree_ms(s, tree_pfc_ms(pfc)), tree_pfc(s, pfc)->traffic_class);
}

static void level_set(struct sched *s, uint32_t entry, enum unit unit, uint32_t level)
{
    if (entry < s->config.nses)
        s->nse[entry].rank_level[unit] = (uint16_t)level;
    else if (entry < entry_of_place(s, 0))
        s->cell[entry - s->config.nses].rank_level[unit] = (uint16_t)level;
    else
        tree_pfc(s, pfc_of_entry(s, entry))->rank_level[unit] = (uint8_t)level;
}

// The first in the order; one that has fallen since it was ranked gets its true place before.
static uint32_t largest(struct sched *s, uint32_t *top, enum unit unit)
{
    for (uint32_t looks = 0; looks < LOOKS && top[unit] != RANK_NONE; looks++) {
        uint32_t entry = rank_first(&s->rank[unit], top[unit]);
        uint32_t to = rank_level(size_in(unit, total_of_entry(s, entry)));
        uint32_t from = s->rank[unit].bin[top[unit]].level;
        if (to >= from)
            return entry;
        rank_move(&s->rank[unit], &top[unit], entry, from, to);
        level_set(s, entry, unit, to);
    }
    return rank_first(&s->rank[unit], top[unit]);
}

static bool class_gives(struct sched *s, struct tree_class *k, uint32_t class, enum unit unit,
                        enum drop_reason reason, uint64_t now_ns)
{
    uint32_t entry = largest(s, k->rank_top, unit);
    for (uint32_t tries = 0; tries < TRIES && entry != RANK_NONE; tries++) {
        uint32_t next = rank_next(&s->rank[unit], k->rank_top[unit], entry);
        uint32_t ms = tree_pfc_ms(pfc_of_entry(s, entry)), slots = 0;
        struct tree_ms *m = tree_ms(s, ms);
        for (uint32_t left = m->backlog; left; left &= left - 1)
            if (tree_pfc_of(m, (uint32_t)__builtin_ctz(left))->traffic_class == class)
                slots |= left & -left;
        if (ms_gives(s, ms, slots, unit, reason, now_ns))
            return true;
        entry = next;
    }
    return false;
}

// The class of those left that is largest by weight; signalling last.
static uint32_t largest_class(const struct sched *s, const struct tree_cell *c, uint32_t classes,
                              enum unit unit)
{
    uint32_t best = TREE_NONE;
    uint64_t most = 0, weight = 1;
    for (; classes; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        uint64_t size = size_in(unit, c->of_class[class].total);
        uint64_t w = s->config.of_class[class].weight;
        if (c->of_class[class].rank_top[unit] == RANK_NONE || (w == 0 && best != TREE_NONE))
            continue;
        if (best != TREE_NONE && weight && size * weight <= most * w)
            continue;
        best = class;
        most = size;
        weight = w;
    }
    return best;
}

static bool cell_gives(struct sched *s, uint32_t cell, enum unit unit, enum drop_reason reason,
                       uint64_t now_ns)
{
    struct tree_cell *c = &s->cell[cell];
    uint32_t classes = (1u << CLASS_COUNT) - 1, class;
    while ((class = largest_class(s, c, classes, unit)) != TREE_NONE) {
        if (class_gives(s, &c->of_class[class], class, unit, reason, now_ns))
            return true;
        classes &= ~(1u << class);
    }
    return false;
}

static bool nse_gives(struct sched *s, uint32_t nse, enum unit unit, enum drop_reason reason,
                      uint64_t now_ns)
{
    uint32_t *top = s->nse[nse].rank_top, entry = largest(s, top, unit);
    for (uint32_t tries = 0; tries < TRIES && entry != RANK_NONE; tries++) {
        uint32_t next = rank_next(&s->rank[unit], top[unit], entry);
        if (cell_gives(s, entry - s->config.nses, unit, reason, now_ns))
            return true;
        entry = next;
    }
    return false;
}

static bool all_give(struct sched *s, enum unit unit, enum drop_reason reason, uint64_t now_ns)
{
    uint32_t entry = largest(s, s->rank_top, unit);
    for (uint32_t tries = 0; tries < TRIES && entry != RANK_NONE; tries++) {
        uint32_t next = rank_next(&s->rank[unit], s->rank_top[unit], entry);
        if (nse_gives(s, entry, unit, reason, now_ns))
            return true;
        entry = next;
    }
    return false;
}

// ---- Which limit ----

static bool is_full(const struct sched_limit *limit, uint64_t total, uint32_t octets,
                    enum unit *unit)
{
    *unit = total_packets(total) >= limit->packets ? IN_PACKETS : IN_OCTETS;
    return *unit == IN_PACKETS || total_octets(total) + octets > limit->octets;
}

static enum drop_reason full_limit(const struct sched *s, const struct tree_ms *m, uint32_t octets,
                                   enum unit *unit)
{
    const struct sched_config *config = &s->config;
    const struct tree_cell *c = &s->cell[m->cell];
    if (is_full(&config->ms_limit, m->total, octets, unit))
        return DROP_ms_full;
    if (is_full(&config->bvc_limit, c->total, octets, unit))
        return DROP_bvc_full;
    // An NSE has no more than all have.
    if (is_full(&config->nse_limit, s->total, octets, unit) &&
        is_full(&config->nse_limit, nse_total(&s->nse[c->nse]), octets, unit))
        return DROP_nse_full;
    return is_full(&config->limit, s->total, octets, unit) ? DROP_queue_full : DROP_NONE;
}

static bool give(struct sched *s, uint32_t ms, const struct tree_ms *m, enum drop_reason reason,
                 enum unit unit, uint64_t now_ns)
{
    switch (reason) {
    case DROP_ms_full:
        return ms_gives(s, ms, m->backlog, unit, reason, now_ns);
    case DROP_bvc_full:
        return cell_gives(s, m->cell, unit, reason, now_ns);
    case DROP_nse_full:
        return nse_gives(s, s->cell[m->cell].nse, unit, reason, now_ns);
    default:
        return all_give(s, unit, reason, now_ns);
    }
}

// What no limit could ever hold drives nobody out.
static bool fits_at_all(const struct sched *s, uint32_t octets)
{
    return octets <= s->least_octets;
}

enum drop_reason room_make(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t octets,
                           uint64_t now_ns)
{
    enum unit unit;
    for (uint32_t victims = 0; victims < VICTIMS_A_CALL; victims++) {
        enum drop_reason full = full_limit(s, m, octets, &unit);
        if (full == DROP_NONE || s->drop_count == SCHED_DROPS)
            break;
        if (s->config.tail_drop || !fits_at_all(s, octets))
            return full;
        if (!give(s, ms, m, full, unit, now_ns)) {
            if (victims == 0)
                return full;
            break;
        }
    }
    return s->slot_free == s->slots ? DROP_queue_full : DROP_NONE;
}
