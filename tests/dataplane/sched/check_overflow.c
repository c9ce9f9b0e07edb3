// Computes the candidates and ranks (sched_candidates.c) that should exist, and compares.
#include "tests/dataplane/sched/check.h"

#include "dataplane/sched/sched_overflow.h"

#define MUST(what, text) \
    do {                 \
        if (!(what))     \
            return text; \
    } while (0)

static const struct rank_bin *bin_of(const struct sched *s, enum overflow_unit unit, uint32_t entry)
{
    const struct rank *r = &s->rank[unit];
    return rank_has(r, entry) ? &r->bin[r->entry[entry].bin] : NULL;
}

static uint64_t size_of(enum overflow_unit unit, uint64_t total)
{
    if (unit == IN_PACKETS)
        return total_packets(total);
    return (total_octets(total) + OVERFLOW_OCTETS_A_STEP - 1) / OVERFLOW_OCTETS_A_STEP;
}

// Counts a parent's ranked entries; an impossible number if an entry or a bin is out of order.
static uint32_t rank_count(const struct rank *r, uint32_t top)
{
    uint32_t n = 0, bin = top, entry;
    if (top == RANK_NONE)
        return 0;
    do {
        const struct rank_bin *b = &r->bin[bin];
        if (r->bin[b->down].up != bin || (b->down != top && r->bin[b->down].size >= b->size) ||
            b->size == 0)
            return UINT32_MAX / 4;
        entry = b->first;
        do {
            if (r->entry[entry].bin != bin || r->entry[r->entry[entry].next].prev != entry)
                return UINT32_MAX / 4;
            entry = r->entry[entry].next;
            n++;
        } while (entry != b->first);
        bin = b->down;
    } while (bin != top);
    return n;
}

static uint32_t candidate_of(const struct sched *s, uint32_t pfc)
{
    return s->candidate_of[tree_pfc_index(s, pfc)];
}

static bool is_young(const struct sched *s, struct tree_ms *m, uint32_t ms, uint32_t class)
{
    for (uint32_t i = 0; i < TREE_YOUNG; i++)
        if (s->young[i] != TREE_NONE && tree_pfc_ms(s->young[i]) == ms &&
            tree_pfc_of(m, tree_pfc_slot(s->young[i]))->traffic_class == class)
            return true;
    return false;
}

static const char *check_rank(const struct sched *s, uint32_t bvc, struct sched_overflow_sum sum,
                              uint32_t candidate)
{
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++) {
        bool kept = (s->kept | s->bvc[bvc].kept) & OVERFLOW_KEPT(unit);
        const struct rank_bin *bin = NULL;
        if (candidate != TREE_NONE)
            bin = bin_of(s, unit, sched_overflow_entry_of_candidate(s, candidate));
        MUST(!bin || (sum.gives && bin->size == size_of(unit, sum.total)), "a rank is not true");
        MUST(bin || !sum.gives || !kept || !overflow_all_are_ranked(s, bvc),
             "a queue is not ranked");
    }
    return NULL;
}

static const char *check_ms(const struct sched *s, uint32_t ms, struct tree_ms *m)
{
    const struct tree_bvc *c = &s->bvc[m->bvc];
    uint32_t placed = 0, classes = 0;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots), pfc = tree_pfc_id(ms, slot);
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        uint32_t class = p->traffic_class, candidate = candidate_of(s, pfc);
        bool leads = !(classes >> class & 1);
        classes |= 1u << class;
        placed += candidate != TREE_NONE;
        MUST(leads || candidate == TREE_NONE, "a PFC is a candidate that does not lead");
        if (!leads)
            continue;
        struct sched_overflow_sum sum = sched_overflow_sum(m, class);
        MUST(candidate == TREE_NONE || (sum.total && s->candidate[candidate].pfc == pfc),
             "a PFC's candidate");
        MUST(candidate != TREE_NONE || !sum.total || is_young(s, m, ms, class),
             "a queue is no candidate and is not young");
        MUST(candidate != TREE_NONE || !sum.total || !(s->kept | c->kept) || s->young_left,
             "a queue is no candidate");
        const char *fault = check_rank(s, m->bvc, sum, candidate);
        if (fault)
            return fault;
        bool ranked = candidate != TREE_NONE &&
                      (bin_of(s, IN_PACKETS, sched_overflow_entry_of_candidate(s, candidate)) ||
                       bin_of(s, IN_OCTETS, sched_overflow_entry_of_candidate(s, candidate)));
        MUST(ranked == p->ranked, "a PFC's mark that it is ranked");
    }
    MUST(!!placed == !!(m->state & MS_CANDIDATE), "an MS's mark that it has candidates");
    return NULL;
}

// A cell, with the list of its candidates.
static const char *check_bvc(const struct sched *s, uint32_t bvc, uint32_t *candidates)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    uint32_t ranked[OVERFLOW_UNITS] = {0}, before = TREE_NONE;
    const struct tree_bvc_rest *rest = &s->bvc_rest[bvc];
    bool left = rest->candidates_left == TREE_NONE;
    for (uint32_t i = rest->candidates; i != TREE_NONE;
         before = i, i = s->candidate[i].next, ++*candidates) {
        MUST(s->candidate[i].prev == before &&
                 tree_ms(s, tree_pfc_ms(s->candidate[i].pfc))->bvc == bvc &&
                 *candidates < s->candidates_end,
             "a cell's candidates");
        left |= i == rest->candidates_left;
        for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++)
            ranked[unit] += bin_of(s, unit, sched_overflow_entry_of_candidate(s, i)) != NULL;
    }
    MUST(left, "a cell's candidate to go on from");
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++) {
        uint32_t n = 0;
        for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
            n += rank_count(&s->rank[unit], c->of_class[class].rank_top[unit]);
            MUST((c->of_class[class].rank_top[unit] != RANK_NONE) ==
                     (rest->giving[unit] >> class & 1),
                 "a cell's classes that give");
        }
        MUST(n == ranked[unit], "a class's ranks");
        const struct rank_bin *bin = bin_of(s, unit, sched_overflow_entry_of_bvc(s, bvc));
        bool settled = s->kept && overflow_all_are_ranked(s, bvc);
        MUST(!bin || rest->giving[unit], "a cell is ranked that cannot give");
        MUST(!settled || !bin || bin->size == size_of(unit, c->total), "a cell's rank is not true");
        MUST(!settled || bin || !rest->giving[unit] || !(s->kept & OVERFLOW_KEPT(unit)),
             "a cell is not ranked");
    }
    return NULL;
}

static const char *check_nse(const struct sched *s, uint32_t nse)
{
    const struct tree_nse *n = &s->nse[nse];
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++) {
        uint32_t bvcs = 0;
        for (uint32_t bvc = 0; bvc < s->config.bvcs; bvc++)
            bvcs += s->bvc[bvc].state && s->bvc[bvc].nse == nse &&
                    bin_of(s, unit, sched_overflow_entry_of_bvc(s, bvc));
        MUST(rank_count(&s->rank[unit], n->rank_top[unit]) == bvcs, "an NSE's ranks");
        const struct rank_bin *bin = bin_of(s, unit, nse);
        MUST(!bin || bvcs, "an NSE is ranked that cannot give");
        if (!(s->kept & OVERFLOW_KEPT(unit)) || s->candidates_left < s->candidates_end ||
            s->young_left)
            continue;
        MUST(!bin || bin->size == size_of(unit, sched_overflow_nse_total(n)),
             "an NSE's rank is not true");
        MUST(!bin == !bvcs, "an NSE is not ranked");
    }
    return NULL;
}

static uint32_t free_candidates(const struct sched *s, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t i = s->candidate_free; n < most && s->candidate[i].pfc == TREE_NONE; n++)
        i = s->candidate[i].next;
    return n;
}

const char *sched_check_overflow(const struct sched *s)
{
    const char *fault = NULL;
    uint32_t candidates = 0, nses[OVERFLOW_UNITS] = {0};
    for (uint32_t ms = 0; ms < s->config.mss && !fault; ms++)
        fault = tree_ms(s, ms)->state ? check_ms(s, ms, tree_ms(s, ms)) : NULL;
    for (uint32_t bvc = 0; bvc < s->config.bvcs && !fault; bvc++)
        fault = s->bvc[bvc].state ? check_bvc(s, bvc, &candidates) : NULL;
    for (uint32_t nse = 0; nse < s->config.nses && !fault; nse++) {
        fault = s->nse[nse].state ? check_nse(s, nse) : NULL;
        for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++)
            nses[unit] += s->nse[nse].state && bin_of(s, unit, nse);
    }
    if (fault)
        return fault;
    for (enum overflow_unit unit = IN_PACKETS; unit < OVERFLOW_UNITS; unit++)
        MUST(rank_count(&s->rank[unit], s->rank_top[unit]) == nses[unit], "the NSEs' ranks");
    MUST(free_candidates(s, s->candidates_end - candidates) == s->candidates_end - candidates,
         "free candidates");
    return NULL;
}
