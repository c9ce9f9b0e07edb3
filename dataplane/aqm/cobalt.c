// COBALT as in CAKE: CoDel's control law (names of RFC 8289), with a count that falls as it rose,
// and BLUE for traffic that ignores signals. J. Palmei et al., "Design and Evaluation of COBALT
// Queue Discipline" (LANMAN 2019); W. Feng et al., "The BLUE Active Queue Management Algorithms"
// (2002).
//   target   = max(target, 1.5 MTU times); MTU times are at the share
//   interval = max(rtt + the growth of target, 2 targets)
//   over the target, and 4 MTU times: a signal after interval / sqrt(count), then count + 1, etc.;
//             if heads come later than signals are due, each remaining head is signalled, and
//             missed signals are forgotten
//   below it: count - 1 after each such time, down to 0
//   BLUE:     p_m + 1/256 when the queue is overfull, p_m - 1/4096 when it was found empty, at most
//             once a target; BLUE drops and never marks
//   stale:    not CAKE's. A head that has waited for longer is dropped, and its signal with it; but
//             never before 5 MTU times have passed, so that slow queues keep what they need
// The AQM does not see the N-PDUs that a full queue refuses. So overfull means a head that has
// waited for more than `overfull` intervals; 4 is the buffer that CAKE allows at its rate. The last
// N-PDU of a queue may be marked, and is never dropped. Left out: what CAKE's ingress mode
// changes; CAKE's MTU time is at the whole rate, ours at the share, so that 4 of ours are 4 of
// CAKE's for each flow. An overfull queue does not hasten a signal. A head that goes over the
// target always waits first, even if a step down was due; CAKE signals it at once. README.md says
// why.
#include "dataplane/aqm/aqm.h"

#include "dataplane/aqm/codel.h"
#include "dataplane/base/units.h"

#define INTERVAL_MAX_NS (1000 * S_IN_NS)
#define GUARD_MTUS      4
#define STALE_MTUS      5
#define BLUE_ONE        4096u
#define BLUE_UP         (BLUE_ONE / 256)
#define BLUE_DOWN       (BLUE_ONE / 4096)
#define STEPS_DOWN      16 // in one call one by one; further ones in one step

#define PARAMS(P)                                                                                 \
    P(COBALT, target, AQM_TIME, MS_IN_NS, 10 * S_IN_NS, 5 * MS_IN_NS,                             \
      "acceptable queue; never less than 1.5 times an MTU's time")                                \
    P(COBALT, rtt, AQM_TIME, 10 * MS_IN_NS, 100 * S_IN_NS, S_IN_NS,                               \
      "usual round trip: time above target before the first signal; 1 s suits 10 to 240 kbit/s, " \
      "100 ms the Internet without GPRS")                                                         \
    P(COBALT, mtu, AQM_SIZE, 1, 65535, 1500, "largest N-PDU")                                     \
    P(COBALT, overfull, AQM_COUNT, 0, 1000, 4,                                                    \
      "intervals that a head may wait before N-PDUs are dropped at random; 0: never")             \
    P(COBALT, stale, AQM_TIME, 0, 1000 * S_IN_NS, 0,                                              \
      "a head that has waited longer is dropped, ECN-capable or not, where its share sends 5 "    \
      "MTUs in that time, elsewhere after 5 MTU times; 0: never")                                 \
    P(COBALT, ecn, AQM_SWITCH, 0, 1, 0, "mark ECN-capable N-PDUs instead of dropping them")

enum { PARAMS(AQM_PARAM_INDEX) COBALT_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint64_t target_ns, rtt_ns;
    uint64_t guard_nano_octets; // 4 MTU in units of 1e-9 octet
    uint64_t stale_ns;          // 0: never
    uint32_t mtu_octets, overfull_intervals;
    bool ecn;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

// 16 octets, as with queues by flow each flow has its own. Times are modulo 2^48 ns (78 h). The
// first 4 octets say whether it is calm.
struct __attribute__((packed, aligned(8))) vars {
    uint32_t count : 18;
    bool dropping : 1;  // only with count > 0
    uint32_t blue : 13; // BLUE's p_m, in 4096ths
    uint64_t drop_next : 48;
    uint64_t blue_held_until : 48;
};
_Static_assert(sizeof(struct vars) == 16, "the usual discipline's, of every PFC");
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

// The same with whole times, while a queue is judged.
struct state {
    uint32_t count;
    bool dropping;
    uint32_t blue;
    uint64_t drop_next_ns;       // also the next step down
    uint64_t blue_held_until_ns; // freeze_time after the last change of p_m
};
#define COUNT_MOST ((1u << 18) - 1)
#define TIME_MASK  ((1ULL << 48) - 1)

// No time is set farther ahead than INTERVAL_MAX_NS, so what seems to be is past. One that was set
// 78 h ago may seem to be within that: what it holds then waits for that once more.
static uint64_t time_of(uint64_t kept, uint64_t now_ns)
{
    uint64_t ahead_ns = (kept - now_ns) & TIME_MASK;
    uint64_t past_ns = TIME_MASK + 1 - ahead_ns;
    if (ahead_ns <= INTERVAL_MAX_NS)
        return now_ns + ahead_ns;
    return now_ns > past_ns ? now_ns - past_ns : 0;
}

static struct state taken(const struct vars *v, uint64_t now_ns)
{
    bool blue_has_moved = v->blue || v->blue_held_until;
    return (struct state){.count = v->count,
                          .dropping = v->dropping,
                          .blue = v->blue,
                          .drop_next_ns = time_of(v->drop_next, now_ns),
                          .blue_held_until_ns =
                              blue_has_moved ? time_of(v->blue_held_until, now_ns) : 0};
}

static void keep(struct vars *v, const struct state *s)
{
    *v = (struct vars){.count = s->count & COUNT_MOST,
                       .dropping = s->dropping,
                       .blue = s->blue & 0x1fff,
                       .drop_next = s->drop_next_ns & TIME_MASK,
                       .blue_held_until = s->blue_held_until_ns & TIME_MASK};
}

// Times computed from the share.
struct times {
    uint64_t target_ns, interval_ns;
};

static const char *configure(void *config, const uint64_t *params)
{
    if (params[COBALT_stale] && params[COBALT_stale] < params[COBALT_target])
        return "stale must be 0, or no less than target";
    *(struct config *)config =
        (struct config){.target_ns = params[COBALT_target],
                        .rtt_ns = params[COBALT_rtt],
                        .guard_nano_octets = GUARD_MTUS * S_IN_NS * params[COBALT_mtu],
                        .mtu_octets = (uint32_t)params[COBALT_mtu],
                        .overfull_intervals = (uint32_t)params[COBALT_overfull],
                        .stale_ns = params[COBALT_stale],
                        .ecn = params[COBALT_ecn]};
    return NULL;
}

static void reset(const void *config, void *vars)
{
    (void)config;
    *(struct vars *)vars = (struct vars){0};
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct times times_of(const struct config *c, const struct aqm_view *view)
{
    struct times t;
    t.target_ns = larger(c->target_ns, aqm_time_of(view, c->mtu_octets) * 3 / 2);
    t.interval_ns = larger(c->rtt_ns + (t.target_ns - c->target_ns), 2 * t.target_ns);
    t.interval_ns = lesser(t.interval_ns, INTERVAL_MAX_NS);
    t.target_ns = lesser(t.target_ns, INTERVAL_MAX_NS);
    return t;
}

static bool is_over(const struct config *c, const struct aqm_view *view)
{
    if (view->sojourn_ns <= c->target_ns)
        return false;
    return (unsigned __int128)view->sojourn_ns * aqm_share(view) > c->guard_nano_octets;
}

// The gaps between counts a and b add up to about 2 interval (sqrt(a) - sqrt(b)).
static uint32_t count_after(uint32_t count, uint64_t interval_ns, uint64_t ns)
{
    uint64_t root_q16 = fixed_sqrt((uint64_t)count << 32);
    uint64_t fall_q16 = (ns / 1024 << 15) / (interval_ns / 1024);
    uint64_t left_q16 = root_q16 > fall_q16 ? root_q16 - fall_q16 : 0;
    return (uint32_t)(left_q16 * left_q16 >> 32);
}

// Takes the steps down that are due.
static void step_down(struct state *s, uint64_t interval_ns, uint64_t now_ns)
{
    for (uint32_t i = 0; i < STEPS_DOWN; i++) {
        if (s->count == 0 || now_ns < s->drop_next_ns)
            return;
        if (--s->count)
            s->drop_next_ns += codel_gap_ns(interval_ns, s->count);
    }
    if (s->count == 0 || now_ns < s->drop_next_ns)
        return;
    s->count = count_after(s->count, interval_ns, now_ns - s->drop_next_ns) & COUNT_MOST;
    s->drop_next_ns = now_ns + (s->count ? codel_gap_ns(interval_ns, s->count) : 0);
}

// Whether a head over the target carries a signal.
static bool signals(struct state *s, uint64_t interval_ns, uint64_t now_ns)
{
    if (!s->dropping) {
        step_down(s, interval_ns, now_ns);
        s->count += s->count == 0;
        s->drop_next_ns = now_ns + codel_gap_ns(interval_ns, s->count);
        s->dropping = true;
        return false;
    }
    if (now_ns < s->drop_next_ns)
        return false;
    s->count += s->count < COUNT_MOST;
    s->drop_next_ns += codel_gap_ns(interval_ns, s->count);
    return true;
}

static void blue_up(struct state *s, uint64_t target_ns, uint64_t now_ns)
{
    if (now_ns <= s->blue_held_until_ns)
        return;
    s->blue = s->blue < BLUE_ONE - BLUE_UP ? s->blue + BLUE_UP : BLUE_ONE;
    s->blue_held_until_ns = now_ns + target_ns;
}

static void blue_down(struct state *s, uint64_t target_ns, uint64_t now_ns)
{
    if (now_ns <= s->blue_held_until_ns)
        return;
    s->blue -= s->blue < BLUE_DOWN ? s->blue : BLUE_DOWN;
    s->blue_held_until_ns = now_ns + target_ns;
}

static bool is_stale(const struct config *c, const struct aqm_view *view)
{
    return c->stale_ns && view->sojourn_ns > c->stale_ns &&
           view->sojourn_ns > STALE_MTUS * aqm_time_of(view, c->mtu_octets);
}

static bool blue_drops(const struct state *s, const struct aqm_view *view)
{
    uint64_t p_m_q32 = s->blue < BLUE_ONE ? s->blue * (FIXED_ONE / BLUE_ONE) : UINT32_MAX;
    return s->blue && rng_next(view->rng) >> 32 < p_m_q32;
}

static enum aqm_verdict judge(const struct config *c, struct state *s, const struct aqm_view *view,
                              bool over)
{
    struct times t = times_of(c, view);
    enum aqm_verdict verdict = AQM_PASS;
    if (!over) {
        s->dropping = false;
        step_down(s, t.interval_ns, view->now_ns);
    } else if (signals(s, t.interval_ns, view->now_ns)) {
        verdict = aqm_signal(c->ecn, view);
    }
    uint64_t overfull_ns = c->overfull_intervals * t.interval_ns;
    if (over && overfull_ns && view->sojourn_ns > overfull_ns)
        blue_up(s, t.target_ns, view->now_ns);
    bool stale = is_stale(c, view);
    bool drops = blue_drops(s, view) || verdict == AQM_DROP || stale;
    if (s->dropping && !drops && s->drop_next_ns < view->now_ns)
        s->drop_next_ns = view->now_ns;
    if (!drops || view->queue_pdus > 1)
        return stale ? AQM_STALE : drops ? AQM_DROP : verdict;
    return verdict == AQM_MARK ? AQM_MARK : AQM_PASS;
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    bool over = is_over(config, view);
    if (!over && !v->count && !v->blue)
        return AQM_PASS;
    struct state s = taken(v, view->now_ns);
    enum aqm_verdict verdict = judge(config, &s, view, over);
    keep(v, &s);
    return verdict;
}

// Only detects that the queue has run empty.
static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    if (view->queue_pdus)
        return AQM_PASS;
    v->dropping = false;
    if (v->blue) {
        struct state s = taken(v, view->now_ns);
        blue_down(&s, times_of(config, view).target_ns, view->now_ns);
        keep(v, &s);
    }
    return AQM_PASS;
}

// Only heads over the target change the vars then.
static struct aqm_calm calm(const void *config)
{
    const struct config *c = config;
    return (struct aqm_calm){c->target_ns + 1, c->guard_nano_octets + 1};
}

// A queue that is dropped from at a full limit ignores signals.
static void full(const void *config, void *vars, const struct aqm_view *view)
{
    struct vars *v = vars;
    struct state s = taken(v, view->now_ns);
    blue_up(&s, times_of(config, view).target_ns, view->now_ns);
    keep(v, &s);
}

const struct aqm_ops aqm_cobalt = {
    .name = "cobalt",
    .help = "COBALT (CAKE): CoDel for slow links, and BLUE for traffic that ignores it",
    .params = params_table,
    .param_count = COBALT_PARAMS,
    .vars_octets = sizeof(struct vars),
    .configure = configure,
    .reset = reset,
    .enqueue = enqueue,
    .dequeue = dequeue,
    .enqueue_if_empty = true,
    .calm = calm,
    .full = full};
