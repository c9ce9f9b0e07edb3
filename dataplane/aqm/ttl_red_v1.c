// TTL-RED, first variant: the study of AQM in the 2G-SGSN (2006), section III D. Each N-PDU is
// judged at the ages low + k period, k = 1, 2, ..., and is signalled there with
//   p(k) = max_p * k period / (high - low), and from age high on with 1
// so the part that passes N judgements is the product of 1 - p(k), k = 1..N. Without a timer: at
// dequeue one random number selects the judgement that signals, with the probabilities of a draw at
// each. head_only: judgements begin when the N-PDU becomes the head: when the previous head left
// or, if dropped, was judged; so each judgement takes at most one N-PDU. For the queue of one MS or
// flow: where several queues share the vars, no N-PDU would seem to be the head for long.
// t_invariant: the product is that of reference_period's p, to the power of period /
// reference_period, so that the ages at a signal hardly depend on the period. A dead N-PDU keeps
// its place in the queue until it is the head. Left out: the fixed lifetime.
#include "dataplane/aqm/aqm.h"
#include "dataplane/base/fixed.h"
#include "dataplane/base/units.h"

#define LOOKS_MAX  256
#define ONE_Q63    (1ULL << 63)
#define MILLIONTHS 1000000u

#define PARAMS(P)                                                                                  \
    P(TTL1, low, AQM_TIME, 0, 60 * S_IN_NS, S_IN_NS, "age from which N-PDUs are judged")           \
    P(TTL1, high, AQM_TIME, MS_IN_NS, 60 * S_IN_NS, 3 * S_IN_NS,                                   \
      "age at which every N-PDU is signalled")                                                     \
    P(TTL1, max_p, AQM_PROBABILITY, 0, 1000000, 1000000, "probability just before high")           \
    P(TTL1, period, AQM_TIME, MS_IN_NS, 10 * S_IN_NS, 10 * MS_IN_NS,                               \
      "time between two judgements")                                                               \
    P(TTL1, t_invariant, AQM_SWITCH, 0, 1, 0, "max_p holds for reference_period, not for period")  \
    P(TTL1, reference_period, AQM_TIME, MS_IN_NS, 10 * S_IN_NS, 10 * MS_IN_NS, "with t_invariant") \
    P(TTL1, head_only, AQM_SWITCH, 0, 1, 0, "judge only the head; for a queue of one MS")          \
    P(TTL1, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

enum { PARAMS(AQM_PARAM_INDEX) TTL1_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint64_t low_ns, period_ns;
    uint64_t looks;       // from this k on p is 1
    uint64_t slope_q63;   // p(k) / k
    uint64_t inverse_q32; // reference_period / period; 0: not t_invariant
    bool head_only, ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

struct vars {
    uint64_t left_ns; // time at which the previous head left
};
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    uint64_t low = params[TTL1_low], high = params[TTL1_high], period = params[TTL1_period];
    if (low >= high)
        return "low must be below high";
    *c = (struct config){.low_ns = low,
                         .period_ns = period,
                         .looks = (high - low + period - 1) / period,
                         .head_only = params[TTL1_head_only],
                         .ecn = params[TTL1_ecn]};
    unsigned __int128 rise = ((unsigned __int128)params[TTL1_max_p] << 63) * period;
    c->slope_q63 = (uint64_t)(rise / ((unsigned __int128)(high - low) * MILLIONTHS));
    if (params[TTL1_t_invariant])
        c->inverse_q32 =
            (uint64_t)(((unsigned __int128)params[TTL1_reference_period] << 32) / period);
    return c->looks <= LOOKS_MAX ? NULL : "more than 256 periods between low and high";
}

static uint64_t look_at(const struct config *c, uint64_t age_ns)
{
    return age_ns > c->low_ns ? (age_ns - c->low_ns) / c->period_ns : 0;
}

// Judgements up to this one do not count: 0, or the last one before the N-PDU became the head.
static uint64_t first_look(const struct config *c, const struct vars *v,
                           const struct aqm_view *view)
{
    uint64_t at_head_ns = view->now_ns > v->left_ns ? view->now_ns - v->left_ns : 0;
    if (!c->head_only || at_head_ns >= view->sojourn_ns)
        return 0;
    return look_at(c, view->sojourn_ns - at_head_ns);
}

// A uniform number; with t_invariant to the power of reference_period / period, which replaces the
// inverse power of the product.
static uint64_t draw_q63(const struct config *c, struct rng *rng)
{
    uint64_t u = rng_next(rng) >> 1;
    if (!c->inverse_q32)
        return u;
    uint64_t neg_ln = fixed_neg_ln((u >> 31) + 1);
    return fixed_exp_neg(fixed_mul(neg_ln, c->inverse_q32)) << 31;
}

// The first judgement of `from` + 1 .. `to` that signals; 0: none.
static uint64_t signal_look(const struct config *c, uint64_t from, uint64_t to, uint64_t u)
{
    uint64_t survival = ONE_Q63;
    for (uint64_t k = from + 1; k <= to; k++) {
        if (k >= c->looks)
            return k;
        survival = (uint64_t)(((unsigned __int128)survival * (ONE_Q63 - k * c->slope_q63)) >> 63);
        if (u > survival)
            return k;
    }
    return 0;
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct vars *v = vars;
    uint64_t from = first_look(c, v, view), to = look_at(c, view->sojourn_ns), look = 0;
    if (to > from)
        look = signal_look(c, from, to, draw_q63(c, view->rng));
    v->left_ns = view->now_ns;
    if (!look)
        return AQM_PASS;
    enum aqm_verdict verdict = aqm_signal(c->ecn, view);
    if (verdict == AQM_DROP)
        v->left_ns -= view->sojourn_ns - (c->low_ns + look * c->period_ns);
    return verdict;
}

const struct aqm_ops aqm_ttl_red_v1 = {
    .name = "ttl-red-v1",
    .help = "drops by age, judged periodically (TTL-RED, first variant)",
    .params = params_table,
    .param_count = TTL1_PARAMS,
    .vars_octets = sizeof(struct vars),
    .configure = configure,
    .dequeue = dequeue};
