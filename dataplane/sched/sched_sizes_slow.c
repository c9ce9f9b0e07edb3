// Effective buckets. At a level with a delay D, the bucket is at most R D and the largest LLC PDU
// that can come: for an MS, and a packet flow, by the largest N201-U of the LLEs in use; for a
// cell, and its default values, by the largest of its MSs. So a bucket always holds its PDU besides
// the octets that leak in D, and at most these wait in the BSS. A BSS that tells its bucket's level
// may count a PDU on the air whole until all of it has arrived: where less than a PDU leaks in D,
// the next one would wait for that, and the radio with it. So a bucket of which the BSS tells the
// level holds two of that PDU at least, and a step of the ratio, to which the level is rounded; of
// the step no more than a PDU, as a large Bmax would undo D.
//
// An MS may use a part of a cell's time slots only: its R is less than the cell's. So the radio is
// full only while several MSs have something there, and what a BSS measures as R may go down with
// them. A cell's bucket therefore has room for an N-PDU of each MS that its R serves side by side,
// by the R of MSs without values of their own, and of as many more as control says
// (sched_bvc_more); of N-PDUs, for the pieces of one go one behind the other.
//
// A cell counts its MSs by that N201-U, in steps of 30 octets from 140 to 1520 (so 500 and 1520 are
// exact, other values count up to 29 octets more): every change of an MS is O(1), for any number of
// MSs. Invariant: every Bmax in force follows from the present sizes. Left out: if an N201-U
// shrinks, or a context goes, while an N-PDU is half sent, the rest is larger than counted; it
// passes a sufficiently empty bucket, as 8.2.3.2 allows for a PDU larger than Bmax.
#include "dataplane/sched/sched_change.h"

#define STEP_OCTETS      30u
#define NPDU_OCTETS      1500u
#define SIDE_OCTETS_MOST (1u << 31) // so that a PDU or two more do not overflow
#define ALL_LLES         ((1u << SCHED_LLES) - 1)
static_assert((CHANGE_N201_U_MAX - CHANGE_N201_U_MIN) / STEP_OCTETS + 1 == TREE_SIZES,
              "all of them");

static uint32_t step_of(uint32_t n201_u)
{
    return (n201_u - CHANGE_N201_U_MIN + STEP_OCTETS - 1) / STEP_OCTETS;
}

uint32_t sched_sizes_n201_u(const struct sched *s, uint32_t ms)
{
    const struct tree_ms *m = tree_ms(s, ms);
    uint32_t lles = s->mate[ms].lles, most = 0;
    for (; lles; lles &= lles - 1) {
        uint32_t n201_u = m->n201_u[__builtin_ctz(lles)];
        most = n201_u > most ? n201_u : most;
    }
    return most;
}

static uint32_t ms_octets(const struct sched *s, uint32_t ms)
{
    return sched_sizes_n201_u(s, ms) + s->config.llc_octets;
}

static uint32_t bvc_octets(const struct sched *s, uint32_t bvc)
{
    uint64_t some = s->sizes ? s->sizes[bvc].some : 0;
    if (!some)
        return 0;
    uint32_t step = 63 - (uint32_t)__builtin_clzll(some);
    uint32_t octets = CHANGE_N201_U_MIN + step * STEP_OCTETS + s->config.llc_octets;
    return octets < s->config.pdu_octets_max ? octets : s->config.pdu_octets_max;
}

// side_octets: besides a PDU, for those that are served side by side.
static uint32_t effective(uint32_t rate, struct tree_offer offer, uint64_t delay_ns,
                          uint32_t pdu_octets, uint32_t side_octets)
{
    struct bucket_terms offered = {rate, offer.octets};
    uint32_t step_octets = offer.octets / 100 < pdu_octets ? offer.octets / 100 : pdu_octets;
    uint32_t least_octets = side_octets + (offer.told ? 2 * pdu_octets + step_octets : pdu_octets);
    return bucket_effective(offered, delay_ns, pdu_octets, least_octets).max_octets;
}

// How many MSs R serves; 0: no number. A rest of a sixteenth needs none: both rates are rounded.
static uint32_t side_by_side(uint32_t rate, uint32_t ms_rate)
{
    if (rate == BUCKET_UNLIMITED || ms_rate == BUCKET_UNLIMITED || rate == 0 || ms_rate == 0)
        return 0;
    return rate / ms_rate + (rate < ms_rate || 16 * (uint64_t)(rate % ms_rate) > ms_rate);
}

// 0: one MS can have all of the cell's R.
static uint32_t side_octets(const struct sched *s, uint32_t bvc, uint32_t rate, uint32_t ms_rate)
{
    uint32_t mss = s->bvc_rest[bvc].mss, wanted = side_by_side(rate, ms_rate);
    if (wanted == 0)
        return 0;
    wanted += s->sizes ? s->sizes[bvc].more : 0;
    uint64_t octets = (uint64_t)(wanted < mss ? wanted : mss) * NPDU_OCTETS;
    return octets > SIDE_OCTETS_MOST ? SIDE_OCTETS_MOST
           : octets > NPDU_OCTETS    ? (uint32_t)octets
                                     : 0;
}

static uint32_t of_bvc(const struct sched *s, uint32_t bvc, uint32_t rate, struct tree_offer offer,
                       uint32_t ms_rate)
{
    return effective(rate, offer, s->config.bvc_delay_ns, bvc_octets(s, bvc),
                     side_octets(s, bvc, rate, ms_rate));
}

static uint32_t of_default(const struct sched *s, uint32_t bvc, uint32_t rate,
                           struct tree_offer offer)
{
    return effective(rate, offer, s->config.ms_delay_ns, bvc_octets(s, bvc), 0);
}

static uint32_t of_ms(const struct sched *s, uint32_t ms, uint32_t rate, struct tree_offer offer)
{
    return effective(rate, offer, s->config.ms_delay_ns, ms_octets(s, ms), 0);
}

static uint32_t of_pfc(const struct sched *s, uint32_t ms, uint32_t rate, struct tree_offer offer)
{
    return effective(rate, offer, s->config.pfc_delay_ns, ms_octets(s, ms), 0);
}

static struct tree_offer offer_of(struct bucket_terms offered)
{
    return (struct tree_offer){
        .octets = offered.max_octets < INT32_MAX ? offered.max_octets & INT32_MAX : INT32_MAX};
}

struct bucket_terms sched_sizes_of_bvc(struct sched *s, uint32_t bvc, struct bucket_terms offered,
                                       uint32_t ms_rate)
{
    struct tree_offer offer = offer_of(offered);
    if (s->sizes)
        s->sizes[bvc].offer = offer;
    return (struct bucket_terms){offered.rate, of_bvc(s, bvc, offered.rate, offer, ms_rate)};
}

struct bucket_terms sched_sizes_of_default(struct sched *s, uint32_t bvc,
                                           struct bucket_terms offered)
{
    struct tree_offer offer = offer_of(offered);
    if (s->sizes)
        s->sizes[bvc].default_offer = offer;
    return (struct bucket_terms){offered.rate, of_default(s, bvc, offered.rate, offer)};
}

struct bucket_terms sched_sizes_of_ms(struct sched *s, uint32_t ms, struct bucket_terms offered)
{
    struct tree_offer offer = offer_of(offered);
    if (s->ms_offer)
        s->ms_offer[ms] = offer;
    return (struct bucket_terms){offered.rate, of_ms(s, ms, offered.rate, offer)};
}

static struct tree_offer *pfc_offer(const struct sched *s, uint32_t ms, uint32_t slot)
{
    return &s->pfc_offer[(size_t)ms * s->config.pfcs_an_ms + slot];
}

struct bucket_terms sched_sizes_of_pfc(struct sched *s, uint32_t ms, uint32_t slot,
                                       struct bucket_terms offered)
{
    struct tree_offer offer = offer_of(offered);
    if (s->pfc_offer)
        *pfc_offer(s, ms, slot) = offer;
    return (struct bucket_terms){offered.rate, of_pfc(s, ms, offered.rate, offer)};
}

void sched_sizes_pfc_passes(struct sched *s, uint32_t ms, uint32_t from, uint32_t to)
{
    if (s->pfc_offer)
        *pfc_offer(s, ms, to) = *pfc_offer(s, ms, from);
}

// ---- Changes of sizes ----

// The rates stay, so nothing is settled. PDUs that wait for the cell, for its pipe, or for a bucket
// on its defaults, may conform earlier now.
static void bvc_again(struct sched *s, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    const struct tree_sizes *z = &s->sizes[bvc];
    struct bucket_terms *defaults = &s->bvc_rest[bvc].defaults.terms;
    uint32_t before = c->bucket.max_octets, default_before = defaults->max_octets;
    c->bucket.max_octets = of_bvc(s, bvc, c->bucket.rate, z->offer, defaults->rate);
    defaults->max_octets = of_default(s, bvc, defaults->rate, z->default_offer);
    if (c->bucket.max_octets > before)
        sched_bvc_look_again(s, bvc);
    if (c->total && defaults->max_octets > default_before)
        sched_roll_visit(s, bvc);
}

// The same for the MS itself, whose wait is computed again.
static void ms_again(struct sched *s, uint32_t ms)
{
    struct tree_ms *m = tree_ms(s, ms);
    if (s->ms_offer && m->state & MS_OWN)
        m->bucket.max_octets = of_ms(s, ms, m->bucket.rate, s->ms_offer[ms]);
    for (uint32_t slots = s->pfc_offer ? m->slots : 0; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        struct bucket *b = &tree_pfc_of(m, slot)->bucket;
        if (b->rate != BUCKET_UNLIMITED)
            b->max_octets = of_pfc(s, ms, b->rate, *pfc_offer(s, ms, slot));
    }
}

int sched_bvc_more(struct sched *s, uint32_t bvc, uint32_t mss)
{
    int fault = sched_change_bvc(s, bvc, true);
    if (fault || !s->sizes || s->sizes[bvc].more == mss)
        return fault;
    s->sizes[bvc].more = mss;
    bvc_again(s, bvc);
    return 0;
}

void sched_sizes_bvc_told(struct sched *s, uint32_t bvc)
{
    if (!s->sizes)
        return;
    s->sizes[bvc].offer.told = true;
    bvc_again(s, bvc);
}

void sched_sizes_ms_told(struct sched *s, uint32_t ms)
{
    if (!s->ms_offer)
        return;
    s->ms_offer[ms].told = true;
    ms_again(s, ms);
}

void sched_sizes_pfc_told(struct sched *s, uint32_t ms, uint32_t slot)
{
    if (!s->pfc_offer)
        return;
    pfc_offer(s, ms, pfc_leader(tree_pfc_of(tree_ms(s, ms), slot), slot))->told = true;
    ms_again(s, ms);
}

static void count(struct sched *s, uint32_t bvc, uint32_t n201_u, bool more)
{
    struct tree_sizes *z = &s->sizes[bvc];
    uint32_t step = step_of(n201_u);
    z->mss[step] += more ? 1 : UINT32_MAX;
    z->some = z->mss[step] ? z->some | 1ULL << step : z->some & ~(1ULL << step);
}

void sched_sizes_bvc_begins(struct sched *s, uint32_t bvc)
{
    if (s->sizes)
        s->sizes[bvc] = (struct tree_sizes){0};
}

void sched_sizes_bvc_reset(struct sched *s, uint32_t bvc)
{
    if (s->sizes)
        s->sizes[bvc].more = 0;
}

void sched_sizes_ms_begins(struct sched *s, uint32_t ms)
{
    s->mate[ms].lles = ALL_LLES;
}

void sched_sizes_ms_comes(struct sched *s, uint32_t ms, uint32_t bvc)
{
    if (!s->sizes)
        return;
    count(s, bvc, sched_sizes_n201_u(s, ms), true);
    bvc_again(s, bvc);
}

void sched_sizes_ms_goes(struct sched *s, uint32_t ms, uint32_t bvc)
{
    if (!s->sizes)
        return;
    count(s, bvc, sched_sizes_n201_u(s, ms), false);
    bvc_again(s, bvc);
}

void sched_sizes_ms_changes(struct sched *s, uint32_t ms, uint32_t was)
{
    uint32_t bvc = tree_ms(s, ms)->bvc;
    if (!s->sizes)
        return;
    count(s, bvc, sched_sizes_n201_u(s, ms), true);
    count(s, bvc, was, false);
    bvc_again(s, bvc);
    ms_again(s, ms);
}

int sched_ms_lles(struct sched *s, uint32_t ms, uint32_t lles, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (!fault && lles > ALL_LLES)
        fault = -SCHED_BAD_ID;
    if (fault || !s->sizes)
        return fault;
    uint32_t was = sched_sizes_n201_u(s, ms);
    s->mate[ms].lles = (lles ? lles : ALL_LLES) & ALL_LLES;
    sched_sizes_ms_changes(s, ms, was);
    sched_ms_heads_change(s, ms, now_ns);
    return 0;
}
