// Room at a full limit (S11). An N-PDU that meets a full limit of its MS, its cell, its NSE or of
// all takes the place of the head of the queue that is largest for its share, found level by level:
// NSEs equal, cells equal, classes by weight (signalling last), MSs equal, PFCs by weight, then the
// longest flow; in packets or octets, whichever limit is full. So a queue below its max-min share
// loses nothing, whoever fills the room, stopped or not; and what goes is the oldest of a queue
// that waits too long anyway. A half-sent N-PDU stays, the one behind it goes.
//
// Who is largest is known beforehand (sched_places.c). The work of a call is bounded; where nobody
// with a place has an N-PDU to give, the one that comes is refused.
#include "dataplane/sched/sched_room.h"

#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

#define VICTIMS_A_CALL 16u
#define LOOKS          16u // at places that may have fallen
#define TRIES          8u  // of those that may have nothing to give
// ---- What is dropped ----

static uint64_t exact_size(enum room_unit unit, uint64_t total)
{
    return unit == IN_PACKETS ? total_packets(total) : total_octets(total);
}

// By weight; signalling, which has none, behind all others.
static bool is_larger(uint64_t size, uint64_t weight, uint64_t than, uint64_t its_weight)
{
    if (!weight || !its_weight)
        return weight || (!its_weight && size > than);
    return size * its_weight > than * weight;
}

static bool has_one(const struct tree_queue *q, bool begun)
{
    return total_packets(q->total) > begun;
}

// The flow with the longest queue, of those that have an N-PDU to give.
static uint32_t longest_flow(const struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                             enum room_unit unit)
{
    uint32_t best = TREE_NONE;
    uint64_t most = 0;
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++) {
        const struct tree_queue *q = &queue_flow(s, pfc, flow)->queue;
        uint64_t size = exact_size(unit, q->total);
        if (size > most && has_one(q, p->sent_octets && flow == p->flow)) {
            best = flow;
            most = size;
        }
    }
    return best;
}

static bool pfc_gives(struct sched *s, uint32_t ms, uint32_t slot, enum room_unit unit,
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
static bool ms_gives(struct sched *s, uint32_t ms, uint32_t slots, enum room_unit unit,
                     enum drop_reason reason, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    uint32_t best = TREE_NONE;
    uint64_t most = 0, weight = 1;
    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        uint64_t size = exact_size(unit, p->queue.total),
                 w = s->config.of_class[p->traffic_class].weight;
        if (!has_one(&p->queue, p->sent_octets) ||
            (best != TREE_NONE && !is_larger(size, w, most, weight)))
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
        return room_nse_total(&s->nse[entry]);
    if (entry < room_entry_of_place(s, 0))
        return s->cell[entry - s->config.nses].total;
    uint32_t pfc = room_pfc_of_entry(s, entry);
    return room_total_in_class(tree_ms(s, tree_pfc_ms(pfc)), tree_pfc(s, pfc)->traffic_class);
}

static void level_set(struct sched *s, uint32_t entry, enum room_unit unit, uint32_t level)
{
    if (entry < s->config.nses)
        s->nse[entry].rank_level[unit] = (uint16_t)level;
    else if (entry < room_entry_of_place(s, 0))
        s->cell[entry - s->config.nses].rank_level[unit] = (uint16_t)level;
    else
        tree_pfc(s, room_pfc_of_entry(s, entry))->rank_level[unit] = (uint8_t)level;
}

// The first in the order; one that has fallen since it was ranked gets its true place before.
static uint32_t largest(struct sched *s, uint32_t *top, enum room_unit unit)
{
    for (uint32_t looks = 0; looks < LOOKS && top[unit] != RANK_NONE; looks++) {
        uint32_t entry = rank_first(&s->rank[unit], top[unit]);
        uint32_t to = rank_level(room_size(unit, total_of_entry(s, entry)));
        uint32_t from = s->rank[unit].bin[top[unit]].level;
        if (to >= from)
            return entry;
        rank_move(&s->rank[unit], &top[unit], entry, from, to);
        level_set(s, entry, unit, to);
    }
    return rank_first(&s->rank[unit], top[unit]);
}

static bool class_gives(struct sched *s, struct tree_class *k, uint32_t class, enum room_unit unit,
                        enum drop_reason reason, uint64_t now_ns)
{
    uint32_t entry = largest(s, k->rank_top, unit);
    for (uint32_t tries = 0; tries < TRIES && entry != RANK_NONE; tries++) {
        uint32_t next = rank_next(&s->rank[unit], k->rank_top[unit], entry);
        uint32_t ms = tree_pfc_ms(room_pfc_of_entry(s, entry)), slots = 0;
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
                              enum room_unit unit)
{
    uint32_t best = TREE_NONE;
    uint64_t most = 0, weight = 1;
    for (; classes; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        uint64_t size = exact_size(unit, c->of_class[class].total);
        uint64_t w = s->config.of_class[class].weight;
        if (c->of_class[class].rank_top[unit] == RANK_NONE ||
            (best != TREE_NONE && !is_larger(size, w, most, weight)))
            continue;
        best = class;
        most = size;
        weight = w;
    }
    return best;
}

static bool cell_gives(struct sched *s, uint32_t cell, enum room_unit unit, enum drop_reason reason,
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

static bool nse_gives(struct sched *s, uint32_t nse, enum room_unit unit, enum drop_reason reason,
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

static bool all_give(struct sched *s, enum room_unit unit, enum drop_reason reason, uint64_t now_ns)
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
                    enum room_unit *unit)
{
    *unit = total_packets(total) >= limit->packets ? IN_PACKETS : IN_OCTETS;
    return *unit == IN_PACKETS || total_octets(total) + octets > limit->octets;
}

static enum drop_reason full_limit(const struct sched *s, const struct tree_ms *m, uint32_t octets,
                                   enum room_unit *unit)
{
    const struct sched_config *config = &s->config;
    const struct tree_cell *c = &s->cell[m->cell];
    if (is_full(&config->ms_limit, m->total, octets, unit))
        return DROP_ms_full;
    if (is_full(&config->bvc_limit, c->total, octets, unit))
        return DROP_bvc_full;
    // An NSE has no more than all have.
    if (is_full(&config->nse_limit, s->total, octets, unit) &&
        is_full(&config->nse_limit, room_nse_total(&s->nse[c->nse]), octets, unit))
        return DROP_nse_full;
    return is_full(&config->limit, s->total, octets, unit) ? DROP_queue_full : DROP_NONE;
}

static bool give(struct sched *s, uint32_t ms, const struct tree_ms *m, enum drop_reason reason,
                 enum room_unit unit, uint64_t now_ns)
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
    enum room_unit unit;
    if (s->places_left && !s->config.tail_drop)
        room_catch_up(s);
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
