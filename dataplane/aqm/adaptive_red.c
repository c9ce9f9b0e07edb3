// Adaptive RED: S. Floyd, R. Gummadi, S. Shenker (2001). RED (red.c), always gentle, that adapts
// max_p every interval so that the average avg stays near the middle between min_th and max_th:
//   avg above the band and max_p <= most:   max_p += min(alpha, max_p / 4)
//   avg below the band and max_p >= least:  max_p *= beta
// With a target delay, at C = share / mean_pdu N-PDUs a second:
//   min_th = max(5 N-PDUs, target * C / 2), max_th = 3 min_th, w_q = 1 - exp(-1 / C)
// Without a timer: an N-PDU that arrives intervals later takes their steps at once, with the
// present average. STEPS_MAX bounds the work; with alpha 0.01 and beta 0.9 max_p has reached its
// bounds by then.
#include "dataplane/aqm/red.h"
#include "dataplane/base/units.h"

#define STEPS_MAX   64
#define MIN_PDUS    5
#define MAX_P_BEGIN 100000

#define PARAMS(P)                                                                                \
    P(ARED, target, AQM_TIME, 0, 60 * S_IN_NS, S_IN_NS,                                          \
      "delay from which min, max and weight follow; 0: they are configured")                     \
    P(ARED, min, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 15000),              \
      "without a target: average queue from which signals begin")                                \
    P(ARED, max, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 45000),              \
      "without a target: average queue at which their probability is max_p; in the unit of min") \
    P(ARED, weight, AQM_PROBABILITY, 100, 1000000, 100000,                                       \
      "without a target: w_q, weight of one N-PDU's queue")                                      \
    P(ARED, mean_pdu, AQM_SIZE, 1, 65535, 500, "typical N-PDU")                                  \
    P(ARED, interval, AQM_TIME, MS_IN_NS, 60 * S_IN_NS, 500 * MS_IN_NS,                          \
      "time between steps of max_p")                                                             \
    P(ARED, alpha, AQM_PROBABILITY, 1, 1000000, 10000, "step upwards, but at most max_p / 4")    \
    P(ARED, beta, AQM_PROBABILITY, 100000, 1000000, 900000, "factor downwards")                  \
    P(ARED, band, AQM_PROBABILITY, 0, 500000, 400000,                                            \
      "the band's distance from min and from max, as a part of max - min")                       \
    P(ARED, max_p_least, AQM_PROBABILITY, 1, 1000000, 10000, "lower bound of max_p")             \
    P(ARED, max_p_most, AQM_PROBABILITY, 1, 1000000, 500000, "upper bound of max_p")             \
    P(ARED, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

enum { PARAMS(AQM_PARAM_INDEX) ARED_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};
_Static_assert(ARED_PARAMS <= AQM_PARAMS_MAX, "params");

struct config {
    uint64_t target_ns, interval_ns;
    struct red_span span;
    struct red_weight weight;
    uint64_t alpha, beta, band, least, most; // Q32
    uint32_t mean_pdu_octets;
    bool ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

struct vars {
    struct red_vars red;
    uint64_t max_p;
    uint64_t stepped_ns;
    bool begun;
};
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    c->target_ns = params[ARED_target];
    c->interval_ns = params[ARED_interval];
    c->weight = aqm_red_weight_of(params[ARED_weight]);
    c->mean_pdu_octets = (uint32_t)params[ARED_mean_pdu];
    c->alpha = red_q32(params[ARED_alpha]);
    c->beta = red_q32(params[ARED_beta]);
    c->band = red_q32(params[ARED_band]);
    c->least = red_q32(params[ARED_max_p_least]);
    c->most = red_q32(params[ARED_max_p_most]);
    c->ecn = params[ARED_ecn];
    if (c->least > c->most)
        return "max_p_least must not be above max_p_most";
    if (c->target_ns)
        return NULL;
    return aqm_red_span_configure(&c->span, params[ARED_min], params[ARED_max]);
}

static struct red_curve curve_of(const struct config *c, const struct aqm_view *view)
{
    if (!c->target_ns)
        return aqm_red_curve_of(&c->span, view);
    uint64_t least = MIN_PDUS * (uint64_t)c->mean_pdu_octets;
    uint64_t min = aqm_octets_in(view, c->target_ns / 2);
    if (min < least)
        min = least;
    else if (min > UINT32_MAX / 3)
        min = UINT32_MAX / 3;
    return (struct red_curve){.min = min, .max = 3 * min};
}

static struct red_weight weight_of(const struct config *c, const struct aqm_view *view)
{
    if (!c->target_ns)
        return c->weight;
    uint64_t per_pdu = ((uint64_t)c->mean_pdu_octets << 32) / aqm_share(view);
    return (struct red_weight){per_pdu, fixed_exp_neg(per_pdu)};
}

static void step(const struct config *c, struct vars *v, uint64_t low, uint64_t high)
{
    if (v->red.average > high && v->max_p <= c->most)
        v->max_p += c->alpha < v->max_p / 4 ? c->alpha : v->max_p / 4;
    else if (v->red.average < low && v->max_p >= c->least)
        v->max_p = fixed_mul(v->max_p, c->beta);
    if (v->max_p > FIXED_ONE)
        v->max_p = FIXED_ONE;
}

static void begin(const struct config *c, struct vars *v, uint64_t now_ns)
{
    v->max_p = red_q32(MAX_P_BEGIN);
    if (v->max_p < c->least)
        v->max_p = c->least;
    else if (v->max_p > c->most)
        v->max_p = c->most;
    v->stepped_ns = now_ns;
    v->begun = true;
}

static void adapt(const struct config *c, struct vars *v, const struct red_curve *curve,
                  uint64_t now_ns)
{
    if (!v->begun)
        begin(c, v, now_ns);
    if (now_ns < v->stepped_ns + c->interval_ns)
        return;
    uint64_t steps = (now_ns - v->stepped_ns) / c->interval_ns;
    v->stepped_ns += steps * c->interval_ns;
    uint64_t margin = (curve->max - curve->min) * c->band;
    uint64_t low = (curve->min << 32) + margin, high = (curve->max << 32) - margin;
    for (uint64_t i = 0; i < steps && i < STEPS_MAX; i++)
        step(c, v, low, high);
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct vars *v = vars;
    struct red_curve curve = curve_of(c, view);
    uint32_t length = c->target_ns ? view->queue_octets : aqm_red_length(&c->span, view);
    aqm_red_average(&v->red, view, length, weight_of(c, view), c->mean_pdu_octets);
    adapt(c, v, &curve, view->now_ns);
    curve.max_p = v->max_p;
    curve.gentle = true;
    if (!aqm_red_signals(&v->red, view, aqm_red_probability(&curve, v->red.average)))
        return AQM_PASS;
    return aqm_signal(c->ecn, view);
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    (void)config;
    v->red.seen_ns = view->now_ns;
    return AQM_PASS;
}

const struct aqm_ops aqm_adaptive_red = {
    .name = "adaptive-red",
    .help = "RED that moves max_p to keep the average queue in a band",
    .params = params_table,
    .param_count = ARED_PARAMS,
    .vars_octets = sizeof(struct vars),
    .configure = configure,
    .enqueue = enqueue,
    .dequeue = dequeue};
