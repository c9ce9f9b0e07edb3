// CoDel, RFC 8289, with its names: if every head of a whole interval has a sojourn of at least the
// target, CoDel enters the dropping state; the n-th signal is followed by the next after interval /
// sqrt(n). A signal is a drop, or a mark, and a marked N-PDU goes. One call is one dodequeue() of
// section 5, and after a drop the caller asks about the next head at the same time: so drops and
// their times are those of the RFC's deque(), re-entry rule included. Section 4.1: no signal while
// at most one MTU is queued behind this head. Section 3.2: at low rates the target must exceed an
// MTU's time: min_target_mtus, 0 in the RFC. Times and octets are compared by cross-multiplication:
// the usual path has no division. Left out: an empty queue is not observed. Its last head resets
// the state just as well by section 4.1; after a flush the next head does.
#include "dataplane/aqm/aqm.h"

#include "dataplane/aqm/codel.h"
#include "dataplane/base/units.h"

#define MEMORY_INTERVALS 16 // so many intervals after drop_next the count is forgotten

#define PARAMS(P)                                                                                  \
    P(CODEL, target, AQM_LEVEL, 1, 10 * S_IN_NS, AQM_LEVEL_OF(AQM_LEVEL_TIME, 5 * MS_IN_NS),       \
      "acceptable queue (TARGET); an N-PDU counts as one MTU; see min_target_mtus")                \
    P(CODEL, interval, AQM_TIME, MS_IN_NS, 100 * S_IN_NS, 100 * MS_IN_NS,                          \
      "time above target before the first signal (INTERVAL), a usual round trip; 1 s suits 10 to " \
      "240 kbit/s")                                                                                \
    P(CODEL, mtu, AQM_SIZE, 1, 65535, 1500,                                                        \
      "largest N-PDU; no signal unless more is queued behind it")                                  \
    P(CODEL, min_target_mtus, AQM_COUNT, 0, 10000, 0,                                              \
      "least target, in hundredths of an MTU's time; 0 is stock CoDel, 150 suits 10 to 240 "       \
      "kbit/s")                                                                                    \
    P(CODEL, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

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
    DROPPING,
    DROPPED // the RFC's inner loop: if the next head is above the target, too, drop_next advances
};

struct vars {
    uint64_t first_above_time_ns; // 0: the last head was below the target
    uint64_t drop_next_ns;
    uint32_t count, lastcount;
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

// dodequeue(): its ok_to_drop.
static bool ok_to_drop(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    if (!is_above(c, view)) {
        v->first_above_time_ns = 0;
        return false;
    }
    if (v->first_above_time_ns == 0)
        v->first_above_time_ns = view->now_ns + c->interval_ns;
    return view->now_ns >= v->first_above_time_ns;
}

// Enters the dropping state. Soon after the last one (section 5) it goes on with the count's growth
// there, count - lastcount.
static enum aqm_verdict enter(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    uint64_t forgotten_ns = v->drop_next_ns + MEMORY_INTERVALS * c->interval_ns;
    uint32_t added = v->count - v->lastcount;
    v->count = added > 1 && view->now_ns < forgotten_ns ? added : 1;
    v->lastcount = v->count;
    v->drop_next_ns = view->now_ns + codel_gap_ns(c->interval_ns, v->count);
    v->state = DROPPING;
    return aqm_signal(c->ecn, view);
}

static enum aqm_verdict control(const struct config *c, struct vars *v, const struct aqm_view *view)
{
    if (v->state == PASSING)
        return enter(c, v, view);
    if (v->state == DROPPED)
        v->drop_next_ns += codel_gap_ns(c->interval_ns, v->count);
    v->state = DROPPING;
    if (view->now_ns < v->drop_next_ns)
        return AQM_PASS;
    v->count += v->count < UINT32_MAX;
    v->state = DROPPED;
    return aqm_signal(c->ecn, view);
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    if (ok_to_drop(config, v, view))
        return control(config, v, view);
    v->state = PASSING;
    return AQM_PASS;
}

const struct aqm_ops aqm_codel = {
    .name = "codel",
    .help = "CoDel (RFC 8289): signals at a rising rate while the queue stays above a target",
    .params = params_table,
    .param_count = CODEL_PARAMS,
    .vars_octets = sizeof(struct vars),
    .configure = configure,
    .reset = reset,
    .dequeue = dequeue};
