// See sched.h: checks a configuration and lays out the memory that the caller gives.
#include <string.h>

#include "dataplane/sched/sched_change.h"

static const char *const err_texts[SCHED_ERR_COUNT] = {
    "no error",
#define SCHED_ERR(name, text) text,
#include "dataplane/sched/sched_err.def"
#undef SCHED_ERR
};

#define NSES_MAX    65536u
#define BVCS_MAX    1048576u
#define MSS_MAX     (1u << TREE_MATE_BITS)
#define PACKETS_MAX ((1u << 23) - 1) // the most that a total holds below its guards
#define OCTETS_MAX  ((1ULL << 39) - 1)
#define FLOWS_MAX   64u
#define SLOTS_MORE  64u
#define QUANTUM_MIN 256u // so that a turn comes after a few rounds

const char *sched_err_text(int err)
{
    if (err < 0)
        err = -err;
    return err < SCHED_ERR_COUNT ? err_texts[err] : "unknown error";
}

static bool flows_are_wanted(const struct sched_config *c)
{
    bool wanted = false;
    for (int i = 0; i < CLASS_COUNT; i++)
        wanted |= c->of_class[i].flow_queues;
    return wanted;
}

static uint32_t flows_wanted(const struct sched_config *c)
{
    return flows_are_wanted(c) ? c->flows_a_pfc : 0;
}

static bool limit_is_good(const struct sched_limit *limit)
{
    return limit->packets >= 1 && limit->packets <= PACKETS_MAX && limit->octets >= 1 &&
           limit->octets <= OCTETS_MAX;
}

int sched_change_class(const struct sched_class *k, uint32_t class)
{
    bool weighted = class != CLASS_SIGNALLING;
    if (weighted && (k->weight < 1 || k->weight > SCHED_WEIGHT_MAX))
        return -SCHED_BAD_WEIGHT;
    if (!limit_is_good(&k->limit))
        return -SCHED_BAD_LIMIT;
    if (k->bss_least_ns > k->bss_most_ns || k->bss_least_ns > k->lifetime_ns)
        return -SCHED_BAD_LIFETIME;
    if (k->scope > SCHED_SCOPE_FLOW || (k->scope == SCHED_SCOPE_FLOW && !k->flow_queues))
        return -SCHED_BAD_SCOPE;
    if (!k->aqm.ops)
        return -SCHED_BAD_AQM;
    return 0;
}

static int flows_check(const struct sched_config *c)
{
    uint32_t flows = c->flows_a_pfc;
    if (!flows_are_wanted(c))
        return flows <= FLOWS_MAX ? 0 : -SCHED_BAD_FLOWS;
    bool power = flows >= 2 && flows <= FLOWS_MAX && !(flows & (flows - 1));
    bool quantum = c->flow_quantum_octets >= QUANTUM_MIN && c->flow_quantum_octets <= UINT16_MAX;
    return power && quantum ? 0 : -SCHED_BAD_FLOWS;
}

static int config_check(const struct sched_config *c)
{
    if (c->nses < 1 || c->nses > NSES_MAX || c->bvcs < 1 || c->bvcs > BVCS_MAX || c->mss < 1 ||
        c->mss > MSS_MAX || c->pfcs_an_ms < 1 || c->pfcs_an_ms > SCHED_SLOTS)
        return -SCHED_BAD_COUNT;
    if ((c->nse_limit.packets && !limit_is_good(&c->nse_limit)) || !limit_is_good(&c->limit) ||
        !limit_is_good(&c->bvc_limit) || !limit_is_good(&c->ms_limit))
        return -SCHED_BAD_LIMIT;
    if (c->llc_octets > c->first_header_octets || c->llc_octets > c->next_header_octets ||
        c->first_header_octets > 100 || c->next_header_octets > 100 ||
        c->pipe_header_octets > UINT16_MAX || c->pdu_octets_max < 101 ||
        c->pdu_octets_max > UINT16_MAX)
        return -SCHED_BAD_HEADER;
    int fault = flows_check(c);
    for (int i = 0; i < CLASS_COUNT && !fault; i++)
        fault = sched_change_class(&c->of_class[i], (uint32_t)i);
    return fault;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// One pass over the parts, which adds up their octets or assigns their addresses.
struct layout {
    uint8_t *base; // NULL: only add up
    uint64_t octets;
};

static void *part(struct layout *l, uint64_t count, uint64_t octets)
{
    void *at = l->base ? l->base + l->octets : NULL;
    l->octets += (count * octets + 63) & ~63ULL;
    return at;
}

// The most octets of vars that an AQM of that scope needs for a queue.
static uint32_t vars_octets(const struct sched_config *c, enum sched_scope scope)
{
    uint32_t most = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct aqm_ops *ops = c->of_class[i].aqm.ops; // NULL: config_check refuses it
        uint32_t octets = ops && c->of_class[i].scope == scope ? aqm_vars_octets(ops) : 0;
        most = octets > most ? octets : most;
    }
    return most;
}

static void lay_out_vars(struct layout *l, const struct sched_config *c, struct sched *at,
                         uint64_t pfcs)
{
    const uint64_t queues[SCHED_SCOPES] = {[SCHED_SCOPE_NSE] = (uint64_t)c->nses * CLASS_COUNT,
                                           [SCHED_SCOPE_BVC] = (uint64_t)c->bvcs * CLASS_COUNT,
                                           [SCHED_SCOPE_PFC] = pfcs,
                                           [SCHED_SCOPE_FLOW] = pfcs * flows_wanted(c)};
    for (enum sched_scope scope = 0; scope < SCHED_SCOPES; scope++) {
        at->vars_octets[scope] = vars_octets(c, scope);
        at->vars[scope] = part(l, queues[scope], at->vars_octets[scope]);
    }
}

static uint32_t wheel_entries(const struct sched_config *c)
{
    return c->mss * (1 + c->pfcs_an_ms) + c->bvcs + c->nses;
}

static uint32_t slots(const struct sched_config *c)
{
    return c->limit.packets + SLOTS_MORE;
}

// A candidate has at least one slot.
static uint32_t candidates(const struct sched_config *c)
{
    return (uint32_t)least((uint64_t)c->mss * c->pfcs_an_ms, slots(c));
}

static uint32_t ranked(const struct sched_config *c)
{
    return c->nses + c->bvcs + candidates(c);
}

static void lay_out_ranks(struct layout *l, const struct sched_config *c, struct sched *at,
                          uint64_t pfcs)
{
    at->candidate_of = part(l, pfcs, sizeof *at->candidate_of);
    at->candidate = part(l, candidates(c), sizeof *at->candidate);
    for (int unit = 0; unit < 2; unit++) {
        at->rank[unit].entry = part(l, ranked(c), sizeof *at->rank[unit].entry);
        at->rank[unit].bin = part(l, ranked(c) + 1, sizeof *at->rank[unit].bin);
    }
}

static struct sched *lay_out(struct layout *l, const struct sched_config *c)
{
    struct sched scratch, *s = part(l, 1, sizeof scratch);
    struct sched *at = s ? s : &scratch;
    uint64_t pfcs = (uint64_t)c->mss * c->pfcs_an_ms, flows = flows_wanted(c);
    at->ms_stride = sizeof(struct tree_ms) + c->pfcs_an_ms * sizeof(struct tree_pfc);
    at->ms_base = part(l, c->mss, at->ms_stride);
    at->slots = slots(c);
    at->slot = part(l, at->slots, sizeof *at->slot);
    at->bvc = part(l, c->bvcs, sizeof *at->bvc);
    at->bvc_rest = part(l, c->bvcs, sizeof *at->bvc_rest);
    at->nse = part(l, c->nses, sizeof *at->nse);
    at->mate = part(l, c->mss, sizeof *at->mate);
    at->family = part(l, sched_heap_families(c->nses, c->bvcs), sizeof *at->family);
    at->family_link = part(l, sched_heap_families(c->nses, c->bvcs), sizeof *at->family_link);
    at->heap_at = part(l, c->bvcs, sizeof *at->heap_at);
    at->flow = part(l, pfcs * flows, sizeof *at->flow);
    at->flows = part(l, flows ? pfcs : 0, sizeof *at->flows);
    lay_out_vars(l, c, at, pfcs);
    at->backlogged = part(l, c->mss / 64 + 1, sizeof *at->backlogged);
    lay_out_ranks(l, c, at, pfcs);
    bool sizes = c->bvc_delay_ns || c->ms_delay_ns || c->pfc_delay_ns;
    at->sizes = sizes ? part(l, c->bvcs, sizeof *at->sizes) : NULL;
    at->ms_offer = c->ms_delay_ns ? part(l, c->mss, sizeof *at->ms_offer) : NULL;
    at->pfc_offer = c->pfc_delay_ns ? part(l, pfcs, sizeof *at->pfc_offer) : NULL;
    void *wheel = part(l, 1, sched_wheel_octets(wheel_entries(c)));
    part(l, 1, 64); // sched_fire() prefetches along the chunks and may read behind the free ones
    if (s)
        sched_wheel_setup(&s->wheel, wheel, wheel_entries(c), sched_tree_moved, s);
    return s;
}

uint64_t sched_octets(const struct sched_config *config)
{
    struct layout l = {0};
    lay_out(&l, config);
    return l.octets;
}

// More steps than these begin only after the lifetime and hold_ns (pdu_stay). A time beyond the
// range counts as no end.
static uint32_t stay_most(const struct sched *s, uint64_t lifetime_ns)
{
    uint64_t hold_ns = s->config.hold_ns, step_ns = 1ULL << PDU_STEP_SHIFT;
    uint64_t most_ns = (PDU_STAY_MOST - 1) * step_ns;
    if (!hold_ns || hold_ns > most_ns || lifetime_ns > most_ns - hold_ns)
        return UINT32_MAX;
    return (uint32_t)((lifetime_ns + hold_ns + step_ns - 1) >> PDU_STEP_SHIFT);
}

// Tail drop is never called. With in_full any other AQM is called for each N-PDU.
static struct aqm_calm calm_of(const struct sched *s, const struct sched_class *k)
{
    if (!k->aqm.ops->enqueue && !k->aqm.ops->dequeue)
        return (struct aqm_calm){UINT64_MAX, 0};
    bool may_rest = k->scope >= SCHED_SCOPE_PFC && !s->config.in_full;
    return may_rest ? k->aqm.calm : (struct aqm_calm){0, 0};
}

void sched_change_rule(struct sched *s, uint32_t class)
{
    const struct sched_class *k = &s->config.of_class[class];
    struct tree_rule *rule = &s->rule[class];
    bool ends = k->lifetime_ns != SCHED_INFINITE;
    rule->tag_an_octet = (1ULL << 32) / (class == CLASS_SIGNALLING ? 1 : k->weight);
    rule->lifetime_ns = k->lifetime_ns;
    rule->bss_most_ns = k->bss_most_ns;
    rule->aqm = &k->aqm;
    rule->asks_in = k->aqm.ops->enqueue;
    rule->asks_in_busy = !k->aqm.ops->enqueue_if_empty || k->scope == SCHED_SCOPE_FLOW;
    rule->calm = calm_of(s, k);
    rule->limit = total_limit(&k->limit);
    rule->scope = k->scope;
    rule->deadline_ns = ends ? k->lifetime_ns - k->bss_least_ns : UINT64_MAX;
    // The rest is left to classes and MSs that begin meanwhile.
    uint64_t in_time_ms = rule->deadline_ns / MS_IN_NS * 5 / 8;
    rule->late_ms = k->refuse_late ? least(in_time_ms, UINT32_MAX) : 0;
    rule->stay_most = stay_most(s, k->lifetime_ns);
    s->ages = false;
    for (int i = 0; i < CLASS_COUNT; i++)
        s->ages |= s->config.of_class[i].lifetime_ns != SCHED_INFINITE;
}

static struct sched_limit high(const struct sched_limit *limit)
{
    return (struct sched_limit){limit->packets - limit->packets / 8,
                                limit->octets - limit->octets / 8};
}

// A full limit is above `low`, whatever the size of the arriving N-PDU.
static struct sched_limit low(const struct sched_limit *limit)
{
    uint64_t octets = limit->octets - limit->octets / 4;
    return (struct sched_limit){limit->packets - (limit->packets + 3) / 4,
                                octets > UINT16_MAX ? octets - UINT16_MAX : 0};
}

static void limits_set(struct sched *s)
{
    const struct sched_limit *all = &s->config.limit, *nse = &s->config.nse_limit;
    s->watched = (struct sched_limit){(uint32_t)least(all->packets, nse->packets),
                                      least(all->octets, nse->octets)};
    s->high = high(&s->watched);
    s->low = low(&s->watched);
    s->bvc_high = high(&s->config.bvc_limit);
    s->bvc_low = low(&s->config.bvc_limit);
    s->high_total = total_limit(&s->high);
    s->bvc_high_total = total_limit(&s->bvc_high);
    s->ms_total = total_limit(&s->config.ms_limit);
    s->least_octets =
        least(s->watched.octets, least(s->config.bvc_limit.octets, s->config.ms_limit.octets));
}

static void candidates_set(struct sched *s)
{
    for (uint32_t i = 0; i < s->config.mss * s->config.pfcs_an_ms; i++)
        s->candidate_of[i] = TREE_NONE;
    for (uint32_t i = 0; i < candidates(&s->config); i++)
        s->candidate[i] = (struct tree_candidate){.pfc = TREE_NONE, .next = i + 1};
    for (uint32_t i = 0; i < TREE_YOUNG; i++)
        s->young[i] = TREE_NONE;
    for (int unit = 0; unit < 2; unit++) {
        s->rank_top[unit] = RANK_NONE;
        sched_rank_setup(&s->rank[unit], s->rank[unit].entry, s->rank[unit].bin,
                         ranked(&s->config));
    }
}

int sched_setup(struct sched **sched, const struct sched_config *config, void *memory)
{
    int fault = config_check(config);
    if (fault)
        return fault;
    struct layout l = {.base = memory};
    struct sched *s = lay_out(&l, config);
    s->config = *config;
    s->config.flows_a_pfc = flows_wanted(config);
    if (!config->nse_limit.packets)
        s->config.nse_limit = (struct sched_limit){UINT32_MAX, UINT64_MAX};
    s->nse_ready = TREE_NONE;
    s->bvcs_due = TREE_NONE;
    s->frames_at_ns = TIME_NEVER;
    rng_seed(&s->rng, config->seed, 0);
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        sched_change_rule(s, class);
    s->config.of_class[CLASS_SIGNALLING].weight = 0; // strict priority, no share
    for (uint32_t i = 0; i < s->slots; i++)
        s->slot[i].next = i + 1;
    limits_set(s);
    candidates_set(s);
    sched_heap_setup(s);
    s->reweigh_bvc = config->bvcs;
    *sched = s;
    return 0;
}
