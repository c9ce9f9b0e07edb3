// PDPC, packet discard prevention counter: M. Sagfors, R. Ludwig, M. Meyer, J. Peisa, "Queue
// Management for TCP Traffic over 3G Links" (WCNC 2003). Above max every N-PDU is dropped, below
// min none; between them one is signalled, and then the next n are accepted, so that a window loses
// one packet and not two. The length is the queue's at enqueue or, with at_head, the age of the
// head at dequeue. Every discard restarts n. Above max even ECN-capable N-PDUs are dropped, as the
// queue is full there (RFC 3168 section 7).
#include "dataplane/aqm/aqm.h"
#include "dataplane/base/units.h"

#define PARAMS(P)                                                                              \
    P(PDPC, min, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_TIME, 800 * MS_IN_NS),     \
      "queue from which one N-PDU in n + 1 is signalled")                                      \
    P(PDPC, max, AQM_LEVEL, 1, 60 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_TIME, 4 * S_IN_NS),        \
      "queue above which all are dropped; in the unit of min")                                 \
    P(PDPC, accept, AQM_COUNT, 0, 1000000, 20, "n: N-PDUs accepted after one signalled")       \
    P(PDPC, at_head, AQM_SWITCH, 0, 1, 0, "judge the head by its age, not the queue's length") \
    P(PDPC, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

enum { PARAMS(AQM_PARAM_INDEX) PDPC_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint64_t min, max;
    enum aqm_level_unit unit;
    uint32_t accept;
    bool at_head, ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

struct vars {
    uint32_t accept; // N-PDUs still to be accepted
};
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    *c = (struct config){.min = aqm_level_value(params[PDPC_min]),
                         .max = aqm_level_value(params[PDPC_max]),
                         .unit = aqm_level_unit(params[PDPC_min]),
                         .accept = (uint32_t)params[PDPC_accept],
                         .at_head = params[PDPC_at_head],
                         .ecn = params[PDPC_ecn]};
    if (aqm_level_unit(params[PDPC_max]) != c->unit)
        return "min and max must have the same unit";
    if (c->at_head && c->unit != AQM_LEVEL_TIME)
        return "at_head needs min and max in time";
    return c->min < c->max ? NULL : "min must be below max";
}

static enum aqm_verdict judge(const struct config *c, struct vars *v, uint64_t length,
                              const struct aqm_view *view)
{
    bool full = length > c->max;
    if (!full && (length < c->min || v->accept)) {
        v->accept -= v->accept > 0;
        return AQM_PASS;
    }
    v->accept = c->accept;
    return aqm_signal(c->ecn && !full, view);
}

static uint64_t length_of(const struct config *c, const struct aqm_view *view)
{
    if (c->unit == AQM_LEVEL_TIME)
        return aqm_time_of(view, view->queue_octets);
    return c->unit == AQM_LEVEL_OCTETS ? view->queue_octets : view->queue_pdus;
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    return c->at_head ? AQM_PASS : judge(c, vars, length_of(c, view), view);
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    return c->at_head ? judge(c, vars, view->sojourn_ns, view) : AQM_PASS;
}

const struct aqm_ops aqm_pdpc = {.name = "pdpc",
                                 .help = "one loss, then n N-PDUs without (Sagfors)",
                                 .params = params_table,
                                 .param_count = PDPC_PARAMS,
                                 .vars_octets = sizeof(struct vars),
                                 .configure = configure,
                                 .enqueue = enqueue,
                                 .dequeue = dequeue};
