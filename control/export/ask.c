// See ask.h.
#include "control/export/ask.h"

#include <time.h>

#include "dataplane/base/units.h"

#define NAP_NS 20000u

static struct dp_query query[DP_WORKERS_MAX];

static uint64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / MS_IN_NS;
}

static bool wait_for(const struct ask *ask, uint32_t worker, uint64_t until_ms)
{
    while (!dp_answered(ask->dp, worker)) {
        if (clock_ms() >= until_ms)
            return dp_answered(ask->dp, worker);
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
    return true;
}

// Sends the same query to the workers from `from` to `to` - 1, and waits for all answers. With
// VIEW_TRACE, `of` says whether each gets its trace.
static const char *ask_each(const struct ask *ask, uint32_t from, uint32_t to, enum view_kind kind,
                            uint32_t of, uint32_t first, uint32_t end)
{
    uint64_t until_ms = clock_ms() + ASK_MOST_MS;
    for (uint32_t i = from; i < to; i++) {
        if (!dp_answered(ask->dp, i))
            return "a worker has not answered an earlier question yet";
        query[i] = (struct dp_query){.kind = kind, .of = of, .first = first, .end = end};
        if (kind == VIEW_TRACE && of)
            query[i].trace = dp_trace(ask->dp, i);
        dp_ask(ask->dp, i, &query[i]);
    }
    for (uint32_t i = from; i < to; i++)
        if (!wait_for(ask, i, until_ms))
            return "a worker does not answer";
    return NULL;
}

const char *ask_trace(const struct ask *ask, bool on)
{
    return ask_each(ask, 0, ask->workers, VIEW_TRACE, on, 0, 0);
}

// ---- Counters ----

// Adds structs that consist of uint64_t only.
static void add_words(uint64_t *sum, const uint64_t *one, size_t octets)
{
    for (size_t i = 0; i < octets / sizeof *sum; i++)
        sum[i] += one[i];
}

const char *ask_stats(const struct ask *ask, uint32_t worker, struct ask_stats *sum)
{
    uint32_t from = worker == VIEW_ALL ? 0 : worker;
    uint32_t to = worker == VIEW_ALL ? ask->workers : worker + 1;
    const char *why = ask_each(ask, from, to, VIEW_STATS, 0, 0, 0);
    *sum = (struct ask_stats){.now_ns = 0};
    for (uint32_t i = from; i < to && !why; i++) {
        add_words((uint64_t *)&sum->stats, (const uint64_t *)&query[i].stats, sizeof sum->stats);
        for (int class = 0; class < CLASS_COUNT; class ++) {
            sum->queues[class].traffic_class = (uint8_t) class;
            sum->queues[class].queued_npdus += query[i].queues[class].queued_npdus;
            sum->queues[class].queued_octets += query[i].queues[class].queued_octets;
        }
        sum->now_ns = query[i].now_ns > sum->now_ns ? query[i].now_ns : sum->now_ns;
    }
    return why;
}

// ---- Records ----

struct row {
    uint32_t id;
    const void *at;
    const struct view_drops *drops;
};

static struct row row_of(const struct ask *ask, uint32_t worker, uint32_t i)
{
    const struct dp_query *q = &query[worker];
    switch (q->kind) {
    case VIEW_NSES:
        return (struct row){q->nse[i].nse_id, &q->nse[i], NULL};
    case VIEW_BVCS:
        return (struct row){q->bvc[i].bvc_id, &q->bvc[i], &q->bvc_drops[i]};
    default:
        return (struct row){ask_ms_id(ask, dp_at(worker, q->place[i])), &q->ms[i], &q->ms_drops[i]};
    }
}

// Takes the row with the least id below `end` from all workers' answers; at: the next row of each
// worker. Returns false if there is none.
static bool next_row(const struct ask *ask, uint32_t *at, uint32_t end, struct row *next)
{
    uint32_t best = VIEW_ALL;
    for (uint32_t w = 0; w < ask->workers; w++) {
        if (at[w] >= query[w].n)
            continue;
        struct row row = row_of(ask, w, at[w]);
        if (row.id < end && (best == VIEW_ALL || row.id < next->id)) {
            *next = row;
            best = w;
        }
    }
    if (best == VIEW_ALL)
        return false;
    at[best]++;
    return true;
}

// The number of ids to one place of a worker: MSs of all workers alternate (ask_ms_id).
static uint32_t ids_a_step(const struct ask *ask, enum view_kind kind)
{
    return kind == VIEW_MSS ? ask->workers : 1;
}

// The id of a worker's place `next`, the first that it has not looked at.
static uint32_t id_of_next(uint32_t next, uint32_t step)
{
    return next > VIEW_ALL / step ? VIEW_ALL : next * step;
}

const char *ask_rows(const struct ask *ask, enum view_kind kind, uint32_t of, uint32_t first,
                     uint32_t end, ask_take_fn *take, void *self)
{
    uint32_t step = ids_a_step(ask, kind);
    while (first < end) {
        uint32_t at[DP_WORKERS_MAX] = {0}, next = VIEW_ALL;
        struct row row;
        const char *why =
            ask_each(ask, 0, ask->workers, kind, of, first / step, (end - 1) / step + 1);
        if (why)
            return why;
        for (uint32_t w = 0; w < ask->workers; w++) { // up to the least, all workers have looked
            uint32_t id = id_of_next(query[w].next, step);
            next = id < next ? id : next;
        }
        while (next_row(ask, at, next < end ? next : end, &row))
            if (row.id >= first && !take(self, row.id, row.at, row.drops))
                return NULL;
        first = next;
    }
    return NULL;
}

const char *ask_parts(const struct ask *ask, uint32_t worker, enum view_kind kind, uint32_t of,
                      const struct dp_query **answer)
{
    uint32_t from = worker == VIEW_ALL ? 0 : worker;
    uint32_t to = worker == VIEW_ALL ? ask->workers : worker + 1;
    const char *why = ask_each(ask, from, to, kind, of, 0, VIEW_ALL);
    *answer = &query[from];
    for (uint32_t w = from; w < to; w++)
        if (query[w].n)
            *answer = &query[w];
    return why;
}
