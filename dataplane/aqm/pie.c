// PIE, RFC 8033: N-PDUs are dropped at arrival with a probability p (drop_prob_) that a PI
// controller sets at each update (section 4.2), every T_UPDATE:
//   p += (alpha (delay - ref) + beta (delay - delay before)) / scale; scale from 2048 at p < 1e-6
//   to 1 at p >= 0.1; there p rises by 0.02 at most (5.5); p * 0.98 if both delays are 0
// `ref` is QDELAY_REF, `burst` MAX_BURST. No drop while burst_allowance_ is left (4.4), while the
// delay was below ref / 2 and p below 0.2, or with at most two mean packets queued (4.1).
// De-randomization: no drop before accu_prob_ is 0.85, a sure one at 8.5 (5.4). Marks only while p
// <= ecn_ceiling (5.1). The delay is queue / rate, the RFC's first choice, at the queue's share.
// There is no timer: the next enqueue or dequeue makes up for due updates. The queue did not change
// in between, so each update has its correct delay; after CATCH_UP updates the rest are forgotten:
// with an empty queue and the RFC's gains p falls from 1 to 0 in 178 updates. Left out: p by packet
// size; switching PIE off below a third of the buffer (5.3).
#include "dataplane/aqm/aqm.h"

#include "dataplane/aqm/pie.h"
#include "dataplane/base/units.h"

#define CATCH_UP   200
#define MILLIONTH  (PIE_ONE / 1000000)
#define SUM_LEAST  (PIE_ONE / 100 * 85)
#define SUM_MOST   (PIE_ONE / 10 * 85)
#define GAIN_SCALE 1000 // from a millionth a second times a ns to 1e-18

#define PARAMS(P)                                                                                \
    P(PIE, ref, AQM_LEVEL, 1, 10 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_TIME, 15 * MS_IN_NS),         \
      "target queue (QDELAY_REF); an N-PDU counts as one mean packet; 1.5 MTU times suit 10 to " \
      "240 kbit/s")                                                                              \
    P(PIE, update, AQM_TIME, MS_IN_NS, 10 * S_IN_NS, 15 * MS_IN_NS,                              \
      "time between updates of p; for 10 to 240 kbit/s as much as ref")                          \
    P(PIE, burst, AQM_TIME, 0, 100 * S_IN_NS, 150 * MS_IN_NS,                                    \
      "longest burst without drops (MAX_BURST); for 10 to 240 kbit/s ten times ref")             \
    P(PIE, alpha, AQM_COUNT, 0, 100000000, 125000,                                               \
      "millionths a second: added to p for a delay off ref; n times ref needs alpha / n")        \
    P(PIE, beta, AQM_COUNT, 0, 100000000, 1250000,                                               \
      "millionths a second: added to p for a growing delay; n times ref needs beta / n")         \
    P(PIE, mean_packet, AQM_SIZE, 1, 65535, 1500,                                                \
      "typical packet; no drop with at most two queued")                                         \
    P(PIE, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")         \
    P(PIE, ecn_ceiling, AQM_PROBABILITY, 0, 1000000, 100000,                                     \
      "p above which even ECN-capable N-PDUs are dropped; with a few flows at 10 to 240 kbit/s " \
      "p is above the RFC's 10 %: 100 % suits them")

enum { PARAMS(AQM_PARAM_INDEX) PIE_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint64_t ref_ns, ref_octets; // one of them is 0
    uint64_t update_ns, burst_ns;
    uint64_t ecn_ceiling;
    uint32_t alpha, beta;
    uint32_t two_packets_octets;
    bool ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");
_Static_assert(sizeof(struct pie_vars) <= AQM_VARS_OCTETS, "vars");

// 0 for a level in time.
static uint64_t octets_of(uint64_t level, uint64_t pdu_octets)
{
    uint64_t value = aqm_level_value(level);
    if (aqm_level_unit(level) == AQM_LEVEL_TIME)
        return 0;
    uint64_t octets = aqm_level_unit(level) == AQM_LEVEL_PDUS ? value * pdu_octets : value;
    return octets < UINT32_MAX ? octets : UINT32_MAX;
}

static const char *configure(void *config, const uint64_t *params)
{
    uint64_t ref = params[PIE_ref];
    bool timed = aqm_level_unit(ref) == AQM_LEVEL_TIME;
    *(struct config *)config =
        (struct config){.ref_ns = timed ? aqm_level_value(ref) : 0,
                        .ref_octets = octets_of(ref, params[PIE_mean_packet]),
                        .update_ns = params[PIE_update],
                        .burst_ns = params[PIE_burst],
                        .alpha = (uint32_t)params[PIE_alpha],
                        .beta = (uint32_t)params[PIE_beta],
                        .two_packets_octets = 2 * (uint32_t)params[PIE_mean_packet],
                        .ecn = params[PIE_ecn],
                        .ecn_ceiling = params[PIE_ecn_ceiling] * MILLIONTH};
    return NULL;
}

static void reset(const void *config, void *vars)
{
    const struct config *c = config;
    *(struct pie_vars *)vars = (struct pie_vars){.burst_ns = c->burst_ns, .quiet = true};
}

// The scale of section 4.2, as a shift.
static uint32_t scale_shift(uint64_t p)
{
    static const struct {
        uint64_t below;
        uint32_t shift;
    } rows[] = {{PIE_ONE / 10, 1},    {PIE_ONE / 100, 3},    {PIE_ONE / 1000, 5},
                {PIE_ONE / 10000, 7}, {PIE_ONE / 100000, 9}, {PIE_ONE / 1000000, 11}};
    uint32_t shift = 0;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0] && p < rows[i].below; i++)
        shift = rows[i].shift;
    return shift;
}

static __int128 limited(__int128 value, __int128 least, __int128 most)
{
    return value < least ? least : value > most ? most : value;
}

// p after an update; `push` is the sum of both gains' terms, before the scale.
static uint64_t p_after(uint64_t p, __int128 push, bool empty)
{
    __int128 most = p >= PIE_ONE / 10 ? PIE_ONE / 50 : PIE_ONE;
    __int128 after = (__int128)p + limited(push >> scale_shift(p), -(__int128)PIE_ONE, most);
    p = (uint64_t)limited(after, 0, PIE_ONE);
    return empty ? p - (p + 49) / 50 : p;
}

static void update(const struct config *c, struct pie_vars *v, uint64_t ref_ns, uint64_t delay_ns)
{
    __int128 push = (__int128)c->alpha * ((__int128)delay_ns - ref_ns);
    push += (__int128)c->beta * ((__int128)delay_ns - v->delay_ns);
    bool quiet = 2 * delay_ns < ref_ns;
    v->p = p_after(v->p, push * GAIN_SCALE, delay_ns == 0 && v->delay_ns == 0);
    if (v->p == 0 && quiet && v->quiet)
        v->burst_ns = c->burst_ns;
    else
        v->burst_ns -= v->burst_ns < c->update_ns ? v->burst_ns : c->update_ns;
    v->quiet = quiet;
    v->delay_ns = delay_ns;
}

// Makes the updates that are due.
static void catch_up(const struct config *c, struct pie_vars *v, const struct aqm_view *view)
{
    uint64_t delay_ns = aqm_time_of(view, view->queue_octets);
    uint64_t ref_ns = c->ref_octets ? aqm_time_of(view, c->ref_octets) : c->ref_ns;
    if (v->next_ns == 0)
        v->next_ns = view->now_ns + c->update_ns;
    for (uint32_t i = 0; i < CATCH_UP && v->next_ns <= view->now_ns; i++) {
        bool settled = delay_ns == 0 && v->delay_ns == 0 && v->p == 0;
        update(c, v, ref_ns, delay_ns);
        v->next_ns += c->update_ns;
        if (settled)
            break;
    }
    if (v->next_ns <= view->now_ns)
        v->next_ns += ((view->now_ns - v->next_ns) / c->update_ns + 1) * c->update_ns;
}

// drop_early(), sections 4.1 and 5.4.
static bool drops(const struct config *c, struct pie_vars *v, const struct aqm_view *view)
{
    if ((v->quiet && v->p < PIE_ONE / 5) || view->queue_octets <= c->two_packets_octets)
        return false;
    v->sum = v->p ? v->sum + v->p : 0;
    if (v->sum < SUM_LEAST)
        return false;
    if (v->sum < SUM_MOST && ((unsigned __int128)rng_next(view->rng) * PIE_ONE) >> 64 >= v->p)
        return false;
    v->sum = 0;
    return true;
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct pie_vars *v = vars;
    if (view->now_ns >= v->next_ns)
        catch_up(c, v, view);
    if (v->burst_ns || !drops(c, v, view))
        return AQM_PASS;
    return aqm_signal(c->ecn && v->p <= c->ecn_ceiling, view);
}

// Never drops; makes the due updates, so that each sees the queue of its time.
static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    struct pie_vars *v = vars;
    if (view->now_ns >= v->next_ns)
        catch_up(config, v, view);
    return AQM_PASS;
}

const struct aqm_ops aqm_pie = {
    .name = "pie",
    .help = "PIE (RFC 8033): drops at enqueue with a probability that holds the delay at a target",
    .params = params_table,
    .param_count = PIE_PARAMS,
    .vars_octets = sizeof(struct pie_vars),
    .configure = configure,
    .reset = reset,
    .enqueue = enqueue,
    .dequeue = dequeue};
