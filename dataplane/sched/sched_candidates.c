// Finds the largest (S11) for sched_overflow.c: NSEs, an NSE's cells, and by class of a cell its
// MSs with an N-PDU to drop, in ranks (sched_rank.h) by packets and by octets, in steps of 64. A
// rank is true at each moment, and kept only while needed: the ranks of a cell's MSs from seven
// eighths of the cell's limit, or of the limit of all, those of cells and NSEs from seven eighths
// of the limit of all; in each case until the limit is less than three quarters full.
//
// A queue that is older than the beginning of ranks has to be ranked before the limit is full, and
// a search over all MSs would be too slow. So a queue that waits for long is a candidate, in a list
// of its cell; once ranks are kept, some of the candidates are ranked at each call. The queues that
// began last, a few in all, are no candidates (they are young): most of them end before their turn
// to become one.
//
// Invariants (tests/dataplane/sched/check_overflow.c): an MS with a backlog in a class is a
// candidate under its lowest slot there, or is young, or its cell keeps no ranks; every ranked MS
// is a candidate; sizes in ranks are true.
#include "dataplane/sched/sched_overflow.h"

// ---- Sums and entries ----

uint32_t sched_overflow_leader(struct tree_ms *m, uint32_t class)
{
    uint32_t slots = m->slots;
    while (tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->traffic_class != class)
        slots &= slots - 1;
    return (uint32_t)__builtin_ctz(slots);
}

struct sched_overflow_sum sched_overflow_sum(struct tree_ms *m, uint32_t class)
{
    uint64_t total = 0;
    uint32_t begun = 0;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (p->traffic_class != class)
            continue;
        total += p->queue.total;
        begun += p->sent_octets != 0;
    }
    return (struct sched_overflow_sum){total, total_packets(total) > begun};
}

uint64_t sched_overflow_nse_total(const struct tree_nse *n)
{
    uint64_t total = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        total += n->total[class];
    return total;
}

uint32_t sched_overflow_entry_of_bvc(const struct sched *s, uint32_t bvc)
{
    return s->config.nses + bvc;
}

uint32_t sched_overflow_entry_of_candidate(const struct sched *s, uint32_t candidate)
{
    return s->config.nses + s->config.bvcs + candidate;
}

uint32_t sched_overflow_pfc_of_entry(const struct sched *s, uint32_t entry)
{
    return s->candidate[entry - sched_overflow_entry_of_candidate(s, 0)].pfc;
}

static uint32_t *candidate_of(const struct sched *s, uint32_t pfc)
{
    return &s->candidate_of[tree_pfc_index(s, pfc)];
}

uint32_t sched_overflow_entry_of_ms(const struct sched *s, uint32_t ms, struct tree_ms *m,
                                    uint32_t class)
{
    uint32_t candidate = *candidate_of(s, tree_pfc_id(ms, sched_overflow_leader(m, class)));
    return candidate == TREE_NONE ? RANK_NONE : sched_overflow_entry_of_candidate(s, candidate);
}

// ---- Places ----

static void candidate_take(struct sched *s, uint32_t pfc, struct tree_ms *m)
{
    struct tree_bvc_rest *c = &s->bvc_rest[m->bvc];
    uint32_t candidate = s->candidate_free;
    s->candidate_free = s->candidate[candidate].next;
    s->candidate[candidate] =
        (struct tree_candidate){.pfc = pfc, .next = c->candidates, .prev = TREE_NONE};
    if (c->candidates != TREE_NONE)
        s->candidate[c->candidates].prev = candidate;
    c->candidates = candidate;
    if (candidate >= s->candidates_end)
        s->candidates_end = candidate + 1;
    *candidate_of(s, pfc) = candidate;
    m->state |= MS_CANDIDATE;
}

static void candidate_release(struct sched *s, uint32_t pfc, struct tree_ms *m)
{
    struct tree_bvc_rest *c = &s->bvc_rest[m->bvc];
    uint32_t candidate = *candidate_of(s, pfc), slots = m->slots;
    struct tree_candidate *at = &s->candidate[candidate];
    if (c->candidates_left == candidate)
        c->candidates_left = at->next;
    *(at->prev == TREE_NONE ? &c->candidates : &s->candidate[at->prev].next) = at->next;
    if (at->next != TREE_NONE)
        s->candidate[at->next].prev = at->prev;
    *at = (struct tree_candidate){.pfc = TREE_NONE, .next = s->candidate_free};
    s->candidate_free = candidate;
    *candidate_of(s, pfc) = TREE_NONE;
    while (slots && *candidate_of(s, tree_pfc_id(tree_pfc_ms(pfc),
                                                 (uint32_t)__builtin_ctz(slots))) == TREE_NONE)
        slots &= slots - 1;
    if (!slots)
        m->state &= (uint8_t)~MS_CANDIDATE;
}

// ---- Ranks ----

// The size of a total in a rank.
static uint32_t size_of(enum overflow_unit unit, uint64_t total)
{
    uint64_t size = total_packets(total);
    if (unit == IN_OCTETS)
        size = (total_octets(total) + OVERFLOW_OCTETS_A_STEP - 1) / OVERFLOW_OCTETS_A_STEP;
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

// Ranks an entry in the units that are kept; `top` has its parent's largest bin by unit.
static void entry_set(struct sched *s, uint32_t *top, uint32_t entry, uint64_t total, uint32_t kept)
{
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++)
        sched_rank_set(&s->rank[unit], &top[unit], entry,
                       kept & OVERFLOW_KEPT(unit) ? size_of(unit, total) : 0);
}

static void class_set(struct sched *s, uint32_t bvc, uint32_t class, uint32_t candidate,
                      uint64_t total, uint32_t kept)
{
    uint32_t *top = s->bvc[bvc].of_class[class].rank_top;
    uint8_t *giving = s->bvc_rest[bvc].giving;
    entry_set(s, top, sched_overflow_entry_of_candidate(s, candidate), total, kept);
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++) {
        giving[unit] &= (uint8_t) ~(1u << class);
        giving[unit] |= (uint8_t)((top[unit] != RANK_NONE) << class);
    }
}

static uint32_t bits_of(bool packets, bool octets)
{
    return packets * OVERFLOW_KEPT(IN_PACKETS) | octets * OVERFLOW_KEPT(IN_OCTETS);
}

// A cell or an NSE with nothing to drop is in no rank.
static void above_follow(struct sched *s, uint32_t bvc)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    const uint8_t *giving = s->bvc_rest[bvc].giving;
    struct tree_nse *n = &s->nse[c->nse];
    uint32_t entry = sched_overflow_entry_of_bvc(s, bvc);
    if (!s->kept && !rank_has(&s->rank[IN_PACKETS], entry) && !rank_has(&s->rank[IN_OCTETS], entry))
        return;
    entry_set(s, n->rank_top, entry, c->total,
              s->kept & bits_of(giving[IN_PACKETS], giving[IN_OCTETS]));
    entry_set(s, s->rank_top, c->nse, sched_overflow_nse_total(n),
              s->kept & bits_of(n->rank_top[IN_PACKETS] != RANK_NONE,
                                n->rank_top[IN_OCTETS] != RANK_NONE));
}

static void kept_ends(uint8_t *kept, uint64_t total, const struct sched_limit *low)
{
    *kept &=
        (uint8_t)bits_of(total_packets(total) > low->packets, total_octets(total) > low->octets);
}

static uint32_t kept_of(struct sched *s, struct tree_bvc *c)
{
    if (s->kept)
        kept_ends(&s->kept, s->total, &s->low);
    if (c->kept)
        kept_ends(&c->kept, c->total, &s->bvc_low);
    return s->kept | c->kept;
}

void sched_overflow_follow(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class)
{
    uint32_t leader = sched_overflow_leader(m, class), pfc = tree_pfc_id(ms, leader);
    struct tree_pfc *p = tree_pfc_of(m, leader);
    struct sched_overflow_sum sum = sched_overflow_sum(m, class);
    uint32_t kept = kept_of(s, &s->bvc[m->bvc]);
    if (*candidate_of(s, pfc) == TREE_NONE) {
        if (!sum.total) {
            above_follow(s, m->bvc);
            return;
        }
        candidate_take(s, pfc, m);
    }
    if (kept || p->ranked) {
        uint32_t in = sum.gives ? kept : 0;
        class_set(s, m->bvc, class, *candidate_of(s, pfc), sum.total, in);
        p->ranked = in;
        above_follow(s, m->bvc);
    }
    if (!sum.total)
        candidate_release(s, pfc, m);
}

// ---- Queues from before ----

void sched_overflow_linger(struct sched *s, uint32_t pfc)
{
    uint32_t ms = tree_pfc_ms(pfc);
    struct tree_ms *m = tree_ms(s, ms);
    sched_overflow_follow(s, ms, m, tree_pfc_of(m, tree_pfc_slot(pfc))->traffic_class);
}

static uint32_t high_bits(uint64_t total, uint32_t octets, const struct sched_limit *high)
{
    return bits_of(total_packets(total) >= high->packets,
                   total_octets(total) + octets > high->octets);
}

static void kept_begins(struct sched *s, uint32_t bvc, uint32_t octets)
{
    struct tree_bvc *c = &s->bvc[bvc];
    struct tree_bvc_rest *rest = &s->bvc_rest[bvc];
    uint32_t all = high_bits(s->total, octets, &s->high) & ~(uint32_t)s->kept;
    uint32_t own = high_bits(c->total, octets, &s->bvc_high) & ~(uint32_t)c->kept;
    if (!(all | own))
        return;
    s->kept |= (uint8_t)all;
    c->kept |= (uint8_t)own;
    if (all)
        s->candidates_left = 0;
    if (own)
        rest->candidates_left = rest->candidates;
    s->young_left = TREE_YOUNG;
}

bool sched_overflow_keep(struct sched *s, uint32_t bvc, uint32_t octets, uint32_t candidates)
{
    struct tree_bvc_rest *rest = &s->bvc_rest[bvc];
    kept_begins(s, bvc, octets);
    for (uint32_t left = candidates; left && s->young_left; left--) {
        uint32_t pfc = s->young[--s->young_left];
        if (pfc != TREE_NONE)
            sched_overflow_linger(s, pfc);
    }
    for (uint32_t left = candidates; left && rest->candidates_left != TREE_NONE; left--) {
        const struct tree_candidate *at = &s->candidate[rest->candidates_left];
        rest->candidates_left = at->next;
        sched_overflow_linger(s, at->pfc);
    }
    for (uint32_t left = candidates; s->kept && left && s->candidates_left < s->candidates_end;
         left--) {
        uint32_t pfc = s->candidate[s->candidates_left++].pfc;
        if (pfc != TREE_NONE)
            sched_overflow_linger(s, pfc);
    }
    return overflow_all_are_ranked(s, bvc);
}

// ---- Changes of the tree ----

static void leave_class(struct sched *s, uint32_t pfc, struct tree_ms *m)
{
    struct tree_pfc *p = tree_pfc_of(m, tree_pfc_slot(pfc));
    class_set(s, m->bvc, p->traffic_class, *candidate_of(s, pfc), 0, 0);
    p->ranked = false;
    above_follow(s, m->bvc);
    candidate_release(s, pfc, m);
}

void sched_overflow_leave(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        if (*candidate_of(s, pfc) != TREE_NONE)
            leave_class(s, pfc, m);
    }
}

void sched_overflow_return(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1)
        sched_overflow_linger(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)));
}

void sched_overflow_settle(struct sched *s, uint32_t bvc)
{
    above_follow(s, bvc);
}
