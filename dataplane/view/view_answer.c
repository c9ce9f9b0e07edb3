// See view.h: the worker's side. Runs between bursts, and only when a query is published.
#include <rte_prefetch.h>

#include "dataplane/sched/bucket.h"
#include "dataplane/state/state.h"
#include "dataplane/view/view.h"

#define PREFETCH_AHEAD 6

static uint64_t bit_per_s(struct bucket_terms terms)
{
    return terms.rate * BUCKET_RATE_BIT_PER_S;
}

// A rate of 1 leaks one unit of the level in 1 ns, so B x 8 / R is one division.
#define PUT_BUCKET(row, view)                                                   \
    do {                                                                        \
        const struct sched_bucket *b_ = &(view)->bucket;                        \
        bool limits_ = b_->terms.rate != BUCKET_UNLIMITED;                      \
        (row)->has_rate_bit_per_s = limits_;                                    \
        (row)->rate_bit_per_s = limits_ ? bit_per_s(b_->terms) : 0;             \
        (row)->bucket_octets = limits_ ? b_->terms.max_octets : 0;              \
        (row)->level_octets = limits_ ? b_->level / BUCKET_UNITS_AN_OCTET : 0;  \
        (row)->has_delay_ns = limits_ && b_->terms.rate;                        \
        (row)->delay_ns = (row)->has_delay_ns ? b_->level / b_->terms.rate : 0; \
    } while (0)

#define PUT_QUEUE(row, queued)                            \
    do {                                                  \
        (row)->queued_npdus = (uint32_t)(queued).packets; \
        (row)->queued_octets = (queued).octets;           \
    } while (0)

static void put_stats(const struct view *from, struct dp_query *q)
{
    q->stats = *from->stats;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        struct sched_queued queued = sched_class(from->sched, class);
        q->queues[class] = (struct view_class){.traffic_class = (uint8_t) class};
        PUT_QUEUE(&q->queues[class], queued);
    }
}

static bool has_nsvc(const struct state_nse *nse)
{
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        if (nse->nsvc[i] != STATE_NONE)
            return true;
    return false;
}

static bool put_nse(const struct view *from, struct dp_query *q, uint32_t id)
{
    struct sched_view view;
    struct view_nse *row = &q->nse[q->n];
    if (!sched_nse_view(from->sched, id, q->now_ns, &view))
        return false;
    *row = (struct view_nse){.nse_id = id,
                             .cells = view.below,
                             .waits = view.waits,
                             .stopped = view.stopped || !has_nsvc(&from->state->nse[id])};
    PUT_BUCKET(row, &view);
    PUT_QUEUE(row, view.queued);
    return true;
}

// What waits for its MS's bucket is next in no class, and a cell may have any number of such MSs.
// So a cell's wait is also that of what was sent of late.
static bool put_bvc(const struct view *from, struct dp_query *q, uint32_t id)
{
    struct sched_view view;
    const struct state_bvc *bvc = &from->state->bvc[id];
    struct view_bvc *row = &q->bvc[q->n];
    struct view_drops *drops = &q->bvc_drops[q->n];
    if (!sched_bvc_view(from->sched, id, q->now_ns, &view))
        return false;
    bool limits = view.defaults.rate != BUCKET_UNLIMITED;
    uint64_t sent_ns = RTE_MAX(bvc->longest_ns, bvc->longest_before_ns);
    *row =
        (struct view_bvc){.bvc_id = id,
                          .nse_id = bvc->nse,
                          .bvci = bvc->bvci,
                          .sojourn_ns = view.queued.packets ? RTE_MAX(view.sojourn_ns, sent_ns) : 0,
                          .sent_sojourn_ns = sent_ns,
                          .mss = view.below,
                          .has_ms_rate_bit_per_s = limits,
                          .ms_rate_bit_per_s = limits ? bit_per_s(view.defaults) : 0,
                          .ms_bucket_octets = limits ? view.defaults.max_octets : 0,
                          .waits = view.waits,
                          .stopped = view.stopped,
                          .blocked = bvc->blocked,
                          .down_frames = bvc->frames,
                          .down_octets = bvc->octets,
                          .up_frames = bvc->up_frames,
                          .up_octets = bvc->up_octets,
                          .marks = bvc->marks,
                          .discarded_frames = bvc->discarded};
    PUT_BUCKET(row, &view);
    PUT_QUEUE(row, view.queued);
    for (uint32_t i = 0; i < STATS_NPDU_DROPS; i++)
        row->dropped_npdus += drops->npdus[i] = bvc->drop[i];
    return true;
}

// The data of an MS's record are in cache lines that the worker has not used for long.
static void prefetch_ms(const struct view *from, struct dp_query *q, uint32_t id)
{
    const struct state *state = from->state;
    uint32_t row = q->n + PREFETCH_AHEAD;
    if (id >= state->limits.mss)
        return;
    sched_prefetch(from->sched, id, 0);
    sched_prefetch_flow(from->sched, id, 0, 0);
    rte_prefetch0(&state->ms[id]);
    rte_prefetch0(&state->ms_up[id]);
    for (size_t at = 0; row < VIEW_ROWS && at < sizeof q->ms[row]; at += 64)
        __builtin_prefetch((const char *)&q->ms[row] + at, 1);
    for (size_t at = 0; row < VIEW_ROWS && at < sizeof q->ms_drops[row]; at += 64)
        __builtin_prefetch((const char *)&q->ms_drops[row] + at, 1);
}

static bool put_ms(const struct view *from, struct dp_query *q, uint32_t id)
{
    struct sched_view view;
    const struct state_ms *ms = &from->state->ms[id];
    const struct state_ms_up *up = &from->state->ms_up[id];
    const struct state_ms_counts *counts = state_counts_of(from->state, id);
    struct view_ms *row = &q->ms[q->n];
    struct view_drops *drops = &q->ms_drops[q->n];
    prefetch_ms(from, q, id + PREFETCH_AHEAD);
    if (q->of != VIEW_ALL && sched_ms_bvc(from->sched, id) != q->of)
        return false;
    if (!sched_ms_view(from->sched, id, q->now_ns, &view))
        return false;
    q->place[q->n] = id;
    *row = (struct view_ms){.ms_id = up->id,
                            .bvc_id = view.above,
                            .tlli = ms->tlli,
                            .own = view.own,
                            .sojourn_ns = view.sojourn_ns,
                            .waits = view.waits,
                            .stopped = view.stopped,
                            .frozen = view.frozen,
                            .held_by_control = ms->holds & STATE_HELD_BY_CONTROL,
                            .held_until_heard = ms->holds & STATE_HELD_BY_SILENCE,
                            .down_octets = ms->octets,
                            .up_octets = up->octets,
                            .marks = up->marks,
                            .dropped_npdus = up->dropped,
                            .discarded_frames = counts->discarded};
    PUT_BUCKET(row, &view);
    PUT_QUEUE(row, view.queued);
    for (int lle = 0; lle < STATE_LLES; lle++)
        row->down_frames += ms->sent[lle];
    for (uint32_t i = 0; i < STATS_NPDU_DROPS; i++)
        drops->npdus[i] = counts->drop[i];
    return true;
}

static bool put_pfc(const struct view *from, struct dp_query *q, uint32_t slot)
{
    struct sched_view view;
    struct view_pfc *row = &q->pfc[q->n];
    if (!sched_pfc_view(from->sched, q->of, slot, q->now_ns, &view))
        return false;
    q->ms_id = from->state->ms_up[q->of].id;
    *row = (struct view_pfc){.slot = (uint8_t)slot,
                             .traffic_class = view.traffic_class,
                             .sojourn_ns = view.sojourn_ns,
                             .waits = view.waits,
                             .stopped = view.stopped};
    PUT_BUCKET(row, &view);
    PUT_QUEUE(row, view.queued);
    return true;
}

static bool put_bvc_class(const struct view *from, struct dp_query *q, uint32_t class)
{
    struct sched_view view;
    struct view_class *row = &q->of_class[class];
    if (!sched_bvc_view(from->sched, q->of, q->now_ns, &view))
        return false;
    *row = (struct view_class){.traffic_class = (uint8_t) class};
    struct sched_queued queued =
        sched_bvc_class(from->sched, q->of, class, q->now_ns, &row->sojourn_ns);
    PUT_QUEUE(row, queued);
    return true;
}

typedef bool put_fn(const struct view *from, struct dp_query *q, uint32_t id);

// Answers for ids from `first` on, below `end` and below `limit`.
static void put_rows(const struct view *from, struct dp_query *q, put_fn *put, uint32_t limit)
{
    uint32_t end = q->end < limit ? q->end : limit, looked = 0;
    uint32_t id = q->first;
    for (; id < end && q->n < VIEW_ROWS && looked < VIEW_LOOKED; id++, looked++)
        q->n += put(from, q, id);
    q->next = id < end ? id : VIEW_ALL;
}

static void put_answer(const struct view *from, struct dp_query *q)
{
    const struct state_limits *limits = &from->state->limits;
    switch (q->kind) {
    case VIEW_STATS:
        put_stats(from, q);
        break;
    case VIEW_NSES:
        put_rows(from, q, put_nse, limits->nses);
        break;
    case VIEW_BVCS:
        put_rows(from, q, put_bvc, limits->bvcs);
        break;
    case VIEW_MSS:
        put_rows(from, q, put_ms, limits->mss);
        break;
    case VIEW_PFCS:
        put_rows(from, q, put_pfc, SCHED_SLOTS);
        break;
    case VIEW_BVC_CLASSES:
        put_rows(from, q, put_bvc_class, CLASS_COUNT);
        break;
    case VIEW_TRACE:
        *from->trace = q->trace;
        break;
    }
}

void view_answer(struct view *view, uint64_t now_ns)
{
    struct dp_query *q = view->query;
    q->n = 0;
    q->next = VIEW_ALL;
    q->now_ns = now_ns;
    put_answer(view, q);
    __atomic_store_n(&view->query, NULL, __ATOMIC_RELEASE);
}
