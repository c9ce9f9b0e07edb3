// TTL-RED, second variant: the study of AQM in the 2G-SGSN (2006), figure 3. At enqueue each N-PDU
// draws a lifetime, with probability max_p uniform in (low, high), else uniform in (high, 2 high);
// at dequeue an older N-PDU is signalled. One number u makes both draws: below max_p it is spread
// over the first range, above over the second. The lifetime is in the N-PDU's word, in
// microseconds; 0: none. An expired N-PDU keeps its place in the queue until it is the head. Left
// out: the fixed lifetime.
#include "dataplane/aqm/aqm.h"
#include "dataplane/base/units.h"

#define NS_IN_US   1000u
#define MILLIONTHS 1000000u

#define PARAMS(P)                                                                         \
    P(TTL2, low, AQM_TIME, 1000, 60 * S_IN_NS, 750 * MS_IN_NS, "the shortest lifetime")   \
    P(TTL2, high, AQM_TIME, 2000, 60 * S_IN_NS, 2250 * MS_IN_NS,                          \
      "where the second range begins; it ends at twice that")                             \
    P(TTL2, max_p, AQM_PROBABILITY, 0, 1000000, 200000, "probability of the first range") \
    P(TTL2, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

enum { PARAMS(AQM_PARAM_INDEX) TTL2_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint64_t first_q63;           // max_p
    uint64_t first_us, second_us; // width of a range, over the whole scale of u
    uint32_t low_us, high_us;
    bool ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    uint64_t max_p = params[TTL2_max_p];
    *c = (struct config){.first_q63 = (uint64_t)(((unsigned __int128)max_p << 63) / MILLIONTHS),
                         .low_us = (uint32_t)(params[TTL2_low] / NS_IN_US),
                         .high_us = (uint32_t)(params[TTL2_high] / NS_IN_US),
                         .ecn = params[TTL2_ecn]};
    if (c->low_us >= c->high_us)
        return "low must be below high";
    if (max_p > 0)
        c->first_us = (uint64_t)(c->high_us - c->low_us) * MILLIONTHS / max_p;
    if (max_p < MILLIONTHS)
        c->second_us = (uint64_t)c->high_us * MILLIONTHS / (MILLIONTHS - max_p);
    return NULL;
}

static uint32_t spread(uint64_t u_q63, uint64_t us)
{
    return (uint32_t)(((unsigned __int128)u_q63 * us) >> 63);
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    uint64_t u = rng_next(view->rng) >> 1;
    (void)vars;
    *view->pdu_word = u < c->first_q63 ? c->low_us + spread(u, c->first_us)
                                       : c->high_us + spread(u - c->first_q63, c->second_us);
    return AQM_PASS;
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    uint64_t lifetime_ns = *view->pdu_word * (uint64_t)NS_IN_US;
    (void)vars;
    return lifetime_ns && view->sojourn_ns > lifetime_ns ? aqm_signal(c->ecn, view) : AQM_PASS;
}

const struct aqm_ops aqm_ttl_red_v2 = {
    .name = "ttl-red-v2",
    .help = "a random lifetime for each N-PDU (TTL-RED, second variant)",
    .params = params_table,
    .param_count = TTL2_PARAMS,
    .configure = configure,
    .enqueue = enqueue,
    .dequeue = dequeue};
