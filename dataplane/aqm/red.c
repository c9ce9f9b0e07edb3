// RED: S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance" (1993),
// and its gentle form (Floyd 2000). At enqueue:
//   avg   (1 - w_q) avg + w_q queue; (1 - w_q)^m avg after an idle time of m mean N-PDUs; or, with
//   a
//         time constant, exact over time, as the queue is constant between two events
//   p_b   max_p (avg - min_th) / (max_th - min_th); gentle: from max_p to 1 between max_th and 2
//   max_th p_a   p_b / (1 - count p_b), so the distance of two signals is uniform in 1 .. 1 / p_b
// `count` (`passed`) starts from 0 after a signal, as in the derivation of that law; the
// pseudo-code of 1993 starts from 1. An empty queue is never signalled, so that a share near 0,
// where thresholds in time are 0, cannot shut a queue for ever. Left out: scaling p_b by the
// N-PDU's size. Ours: `in_turn`. A queue of many MSs that take turns is long for who fills it and
// short for the others, who would be signalled for it. So an N-PDU is judged by avg or by what goes
// ahead of it in turns, whichever is less.
#include "dataplane/aqm/red.h"
#include "dataplane/base/units.h"

#define PARAMS(P)                                                                                \
    P(RED, min, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 15000),               \
      "average queue from which signals begin")                                                  \
    P(RED, max, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_OCTETS, 45000),               \
      "average queue at which their probability is max_p; in the unit of min")                   \
    P(RED, max_p, AQM_PROBABILITY, 0, 1000000, 200000, "probability of a signal at max")         \
    P(RED, weight, AQM_PROBABILITY, 100, 1000000, 100000,                                        \
      "w_q, weight of one N-PDU's queue in the average")                                         \
    P(RED, time_constant, AQM_TIME, 0, 1000 * S_IN_NS, 0,                                        \
      "average over time with this constant instead of over N-PDUs; 0: over N-PDUs")             \
    P(RED, mean_pdu, AQM_SIZE, 1, 65535, 500, "typical N-PDU, for the average of an idle queue") \
    P(RED, gentle, AQM_SWITCH, 0, 1, 1, "from max_p to 1 between max and 2 max, not at once")    \
    P(RED, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")         \
    P(RED, drop_above_max, AQM_SWITCH, 0, 1, 0, "with ecn: do not mark above max, drop")         \
    P(RED, in_turn, AQM_SWITCH, 0, 1, 0,                                                         \
      "where MSs share the queue: judge by what goes ahead as they take turns, if it is less")

enum { PARAMS(AQM_PARAM_INDEX) RED_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    struct red_span span;
    struct red_weight weight;
    uint64_t time_constant_ns, max_p;
    uint32_t mean_pdu_octets;
    bool gentle, ecn, drop_above_max, in_turn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");
_Static_assert(sizeof(struct red_vars) <= AQM_VARS_OCTETS, "vars");

const char *aqm_red_span_configure(struct red_span *span, uint64_t min, uint64_t max)
{
    *span = (struct red_span){aqm_level_value(min), aqm_level_value(max), aqm_level_unit(min)};
    if (aqm_level_unit(max) != span->unit)
        return "min and max must have the same unit";
    return span->min < span->max ? NULL : "min must be below max";
}

struct red_weight aqm_red_weight_of(uint64_t millionths)
{
    uint64_t kept = FIXED_ONE - red_q32(millionths);
    return (struct red_weight){kept ? fixed_neg_ln(kept) : UINT32_MAX * FIXED_ONE, kept};
}

uint64_t aqm_red_kept(unsigned __int128 x_q32)
{
    return x_q32 < UINT64_MAX ? fixed_exp_neg((uint64_t)x_q32) : 0;
}

uint32_t aqm_red_length(const struct red_span *span, const struct aqm_view *view)
{
    return span->unit == AQM_LEVEL_PDUS ? view->queue_pdus : view->queue_octets;
}

static uint64_t length_of(const struct red_span *span, const struct aqm_view *view, uint64_t level)
{
    if (span->unit == AQM_LEVEL_TIME)
        return aqm_octets_in(view, level);
    return level < UINT32_MAX ? level : UINT32_MAX;
}

struct red_curve aqm_red_curve_of(const struct red_span *span, const struct aqm_view *view)
{
    return (struct red_curve){.min = length_of(span, view, span->min),
                              .max = length_of(span, view, span->max)};
}

static uint64_t since_seen_ns(const struct red_vars *v, const struct aqm_view *view)
{
    return view->now_ns > v->seen_ns ? view->now_ns - v->seen_ns : 0;
}

static void average_move(struct red_vars *v, uint32_t length, uint64_t kept)
{
    v->average = fixed_mul(v->average, kept) + length * (FIXED_ONE - kept);
}

void aqm_red_average(struct red_vars *v, const struct aqm_view *view, uint32_t length,
                     struct red_weight weight, uint32_t mean_pdu_octets)
{
    uint64_t kept = weight.kept;
    if (view->queue_pdus == 0) {
        uint64_t octets = aqm_octets_in(view, since_seen_ns(v, view));
        kept = aqm_red_kept((unsigned __int128)weight.neg_ln * octets / mean_pdu_octets);
    }
    average_move(v, length, kept);
    v->seen_ns = view->now_ns;
}

static void average_over_time(struct red_vars *v, const struct aqm_view *view, uint32_t length,
                              uint64_t time_constant_ns)
{
    unsigned __int128 elapsed = (unsigned __int128)since_seen_ns(v, view) << 32;
    average_move(v, length, aqm_red_kept(elapsed / time_constant_ns));
    v->seen_ns = view->now_ns;
}

uint64_t aqm_red_probability(const struct red_curve *curve, uint64_t average)
{
    uint64_t min = curve->min << 32, max = curve->max << 32;
    if (average < min)
        return 0;
    if (average < max)
        return fixed_mul(curve->max_p, (average - min) / (curve->max - curve->min));
    uint64_t above = average - max;
    if (!curve->gentle || above >= max)
        return FIXED_ONE;
    return curve->max_p + fixed_mul(FIXED_ONE - curve->max_p, above / curve->max);
}

bool aqm_red_signals(struct red_vars *v, const struct aqm_view *view, uint64_t pb)
{
    if (pb == 0)
        v->passed = 0;
    if (pb == 0 || view->queue_pdus == 0)
        return false;
    uint64_t spent = v->passed * pb;
    bool signals =
        spent + pb >= FIXED_ONE || (rng_next(view->rng) >> 32) * (FIXED_ONE - spent) < pb << 32;
    v->passed = signals ? 0 : v->passed + 1;
    return signals;
}

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    c->weight = aqm_red_weight_of(params[RED_weight]);
    c->time_constant_ns = params[RED_time_constant];
    c->max_p = red_q32(params[RED_max_p]);
    c->mean_pdu_octets = (uint32_t)params[RED_mean_pdu];
    c->gentle = params[RED_gentle];
    c->ecn = params[RED_ecn];
    c->drop_above_max = params[RED_drop_above_max];
    c->in_turn = params[RED_in_turn];
    return aqm_red_span_configure(&c->span, params[RED_min], params[RED_max]);
}

// Q32, in the unit of the thresholds.
static uint64_t length_in_turn(const struct red_span *span, const struct aqm_view *view)
{
    unsigned __int128 length = (unsigned __int128)view->ahead_of(view) << 32;
    if (span->unit != AQM_LEVEL_PDUS)
        length = view->queue_pdus ? length * view->queue_octets / view->queue_pdus : 0;
    return length < UINT64_MAX ? (uint64_t)length : UINT64_MAX;
}

static uint64_t judged_length(const struct config *c, const struct aqm_view *view, uint64_t average)
{
    if (!c->in_turn || !view->ahead_of)
        return average;
    uint64_t length = length_in_turn(&c->span, view);
    return length < average ? length : average;
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct red_vars *v = vars;
    uint32_t length = aqm_red_length(&c->span, view);
    if (c->time_constant_ns)
        average_over_time(v, view, length, c->time_constant_ns);
    else
        aqm_red_average(v, view, length, c->weight, c->mean_pdu_octets);
    struct red_curve curve = aqm_red_curve_of(&c->span, view);
    curve.max_p = c->max_p;
    curve.gentle = c->gentle;
    uint64_t judged = judged_length(c, view, v->average);
    if (!aqm_red_signals(v, view, aqm_red_probability(&curve, judged)))
        return AQM_PASS;
    bool too_long = c->drop_above_max && judged >= curve.max << 32;
    return aqm_signal(c->ecn && !too_long, view);
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct red_vars *v = vars;
    if (c->time_constant_ns)
        average_over_time(v, view, aqm_red_length(&c->span, view), c->time_constant_ns);
    v->seen_ns = view->now_ns;
    return AQM_PASS;
}

const struct aqm_ops aqm_red = {.name = "red",
                                .help = "Random Early Detection over the average queue",
                                .params = params_table,
                                .param_count = RED_PARAMS,
                                .vars_octets = sizeof(struct red_vars),
                                .configure = configure,
                                .enqueue = enqueue,
                                .dequeue = dequeue};
