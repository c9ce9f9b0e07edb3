// Who is largest (S11), for sched_room.c: the places of NSEs, of an NSE's cells, and by class of a
// cell's MSs, in ranks (sched_rank.h) by packets and by octets. An MS has its place in a class
// under the lowest slot that it has there. A place rises at once as its queue grows, and falls only
// when the queue is a fifth shorter, so a queue that breathes costs nothing. Small queues have
// places only while a thirty-second of a limit is taken: before that, no limit is full. Those that
// came before get theirs when one is (room_catch_up).
#include "dataplane/sched/sched_room.h"

#define FALL_LEVELS  4u
#define WORDS_A_CALL 64u // of 64 MSs each
#define MSS_A_CALL   128u

static uint32_t leader_of(struct tree_ms *m, uint32_t class)
{
    uint32_t slots = m->slots;
    while (tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->traffic_class != class)
        slots &= slots - 1;
    return (uint32_t)__builtin_ctz(slots);
}

uint64_t room_total_in_class(struct tree_ms *m, uint32_t class)
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

uint32_t room_entry_of_place(const struct sched *s, uint32_t place)
{
    return s->config.nses + s->config.bvcs + place;
}

uint32_t room_pfc_of_entry(const struct sched *s, uint32_t entry)
{
    return s->place_pfc[entry - room_entry_of_place(s, 0)];
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
    uint32_t most = entry < room_entry_of_place(s, 0) ? UINT16_MAX : UINT8_MAX;
    for (enum room_unit unit = IN_PACKETS; unit <= IN_OCTETS; unit++) {
        uint32_t to = rank_level(room_size(unit, total)), from = level[unit];
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
    follow(s, s->cell[m->cell].of_class[p->traffic_class].rank_top, room_entry_of_place(s, *place),
           level, total, grown);
    p->rank_level[IN_PACKETS] = (uint8_t)level[IN_PACKETS];
    p->rank_level[IN_OCTETS] = (uint8_t)level[IN_OCTETS];
    if (total)
        return;
    s->place_pfc[*place] = s->place_free;
    s->place_free = *place;
    *place = TREE_NONE;
}

uint64_t room_nse_total(const struct tree_nse *n)
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
    follow(s, s->rank_top, c->nse, n->rank_level, room_nse_total(n), grown);
}

static void ms_class_follows(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class,
                             bool grown)
{
    uint32_t leader = leader_of(m, class);
    place_follow(s, tree_pfc_id(ms, leader), m, tree_pfc_of(m, leader),
                 room_total_in_class(m, class), grown);
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
    const struct tree_cell *c = &s->cell[m->cell];
    if (c->rank_level[IN_PACKETS] || s->nse[c->nse].rank_level[IN_PACKETS])
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
        else
            room_placeless(s);
    }
}

void room_settle(struct sched *s, uint32_t cell)
{
    above_follow(s, cell, false);
}

static void places_take(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1)
        room_grown(s, ms, m, tree_pfc_of(m, (uint32_t)__builtin_ctz(slots)));
}

void room_catch_up(struct sched *s)
{
    uint32_t mss = 0;
    for (uint32_t n = 0; s->places_left && n < WORDS_A_CALL && mss < MSS_A_CALL; n++) {
        uint32_t word = --s->places_left;
        for (uint64_t left = s->backlogged[word]; left; left &= left - 1, mss++)
            places_take(s, word * 64 + (uint32_t)__builtin_ctzll(left));
    }
}
