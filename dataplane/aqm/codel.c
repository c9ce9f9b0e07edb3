// CoDel by RFC 8289: when every head of a whole interval has waited for the target or longer, the
// signals begin, and the n-th is followed by the next after interval / sqrt(n). One call is one
// dodequeue() of the RFC's section 5, and after a drop the caller asks about the next head at the
// same time: then the drops and their times are those of the RFC's deque(), re-entry rule included.
// A mark is a signal like a drop, and its N-PDU goes.
// Section 4.1: no signal while what is queued behind this head is one MTU or less.
// Section 3.2: at low rates the target must exceed an MTU's time: min_target_mtus, 0 in the RFC.
// Time and octets meet by cross-multiplication: the usual path divides nothing.
// Left out: that the queue ran empty is not seen. Its last head resets the state just the same by
// section 4.1; after a flush the next head does.
#include "dataplane/aqm/aqm.h"

#include "dataplane/aqm/codel.h"
#include "dataplane/base/units.h"

#define MEMORY_INTERVALS 16 // of the rate of signals

#define PARAMS(P)                                                                               \
    P(CODEL, target, AQM_LEVEL, 1, 10 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_TIME, 5 * MS_IN_NS),    \
      "queue that may stand; an N-PDU counts as one MTU; see min_target_mtus")                  \
    P(CODEL, interval, AQM_TIME, MS_IN_NS, 100 * S_IN_NS, 100 * MS_IN_NS,                       \
      "how long it may stand above that before the first signal, a usual round trip; 1 s "      \
      "suits 10 to 240 kbit/s")                                                                 \
    P(CODEL, mtu, AQM_SIZE, 1, 65535, 1500, "largest N-PDU; behind a signal more stays queued") \
    P(CODEL, min_target_mtus, AQM_COUNT, 0, 10000, 0,                                           \
      "hundredths of an MTU whose time the target never goes below; 0 is stock CoDel, 150 "     \
      "suits 10 to 240 kbit/s")                                                                 \
    P(CODEL, ecn, AQM_SWITCH, 0, 1, 0, "mark instead of drop where the N-PDU allows it")

enum { PARAMS(AQM_PARAM_INDEX) CODEL_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

// A head is above the target if it has waited for target_ns and the share carries at least
// target_nano_octets in its sojourn, in units of 1e-9 octet.
struct config {
    uint64_t target_ns, target_nano_octets;
    uint64_t interval_ns;
    uint32_t mtu_octets;
    bool ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

enum state {
    PASSING,
    SIGNALLING,
    SIGNALLED // the head before was: drop_next_ns moves on if this one is above the target, too
};

struct vars {
    uint64_t may_signal_ns; // above the target since an interval before; 0: below it
    uint64_t drop_next_ns;
    uint32_t count, last_count;
    enum state state;
};
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// 0 for a level in time.
static uint64_t octets_of(uint64_t level, uint64_t mtu_octets)
{
    uint64_t value = aqm_level_value(level);
    if (aqm_level_unit(level) == AQM_LEVEL_TIME)
        return 0;
    uint64_t octets = aqm_level_unit(level) == AQM_LEVEL_PDUS ? value * mtu_octets : value;
    return octets < UINT32_MAX ? octets : UINT32_MAX;
}

static const char *configure(void *config, const uint64_t *params)
{
    struct config *c = config;
    uint64_t target = params[CODEL_target], mtu_octets = params[CODEL_mtu];
    bool timed = aqm_level_unit(target) == AQM_LEVEL_TIME;
    *c = (struct config){.target_ns = timed ? aqm_level_value(target) : 0,
                         .target_nano_octets =
                             larger(octets_of(target, mtu_octets) * S_IN_NS,
                                    params[CODEL_min_target_mtus] * mtu_octets * (S_IN_NS / 100)),
                         .interval_ns = params[CODEL_interval],
                         .mtu_octets = (uint32_t)mtu_octets,
                         .ecn = params[CODEL_ecn]};
    return c->target_ns > c->interval_ns ? "target must not be above interval" : NULL;
}

static void reset(const void *config, void *vars)
{
    (void)config;
    *(struct vars *)vars = (struct vars){0};
}

static bool is_above(const struct config *c, const struct aqm_view *view)
{
    if (view->sojourn_ns < c->target_ns ||
        view->queue_octets <= (uint64_t)c->mtu_octets + view->pdu_octets)
        return false;
    return (unsigned __int128)view->sojourn_ns * aqm_share(view) >= c->target_nano_octets;
}

// The RFC's ok_to_drop.
static bool may_signal(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    if (!is_above(c, view)) {
        v->may_signal_ns = 0;
        return false;
    }
    if (v->may_signal_ns == 0)
        v->may_signal_ns = view->now_ns + c->interval_ns;
    return view->now_ns >= v->may_signal_ns;
}

// The first signal. If the last ones are not long past, the rate goes on from what they had added.
static enum aqm_verdict enter(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    uint64_t forgotten_ns = v->drop_next_ns + MEMORY_INTERVALS * c->interval_ns;
    uint32_t added = v->count - v->last_count;
    v->count = added > 1 && view->now_ns < forgotten_ns ? added : 1;
    v->last_count = v->count;
    v->drop_next_ns = view->now_ns + codel_gap_ns(c->interval_ns, v->count);
    v->state = SIGNALLING;
    return aqm_signal(c->ecn, view);
}

static enum aqm_verdict control(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    if (v->state == PASSING)
        return enter(c, v, view);
    if (v->state == SIGNALLED)
        v->drop_next_ns += codel_gap_ns(c->interval_ns, v->count);
    v->state = SIGNALLING;
    if (view->now_ns < v->drop_next_ns)
        return AQM_PASS;
    v->count += v->count < UINT32_MAX;
    v->state = SIGNALLED;
    return aqm_signal(c->ecn, view);
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    if (may_signal(config, v, view))
        return control(config, v, view);
    v->state = PASSING;
    return AQM_PASS;
}

const struct aqm_ops aqm_codel = {
    .name = "codel",
    .help = "CoDel (RFC 8289): signals at a rising rate while the queue stands above a target",
    .params = params_table,
    .param_count = CODEL_PARAMS,
    .vars_octets = sizeof(struct vars),
    .configure = configure,
    .reset = reset,
    .dequeue = dequeue};
