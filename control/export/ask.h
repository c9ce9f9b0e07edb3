// Asking the workers from a thread of the telemetry's. One question at a time; the caller sees to
// that. A worker that does not answer within ASK_MOST_MS is given up, with a text that says so; the
// memory of its answer is static, for it may write there still.
#ifndef SLUICE_CONTROL_EXPORT_ASK_H
#define SLUICE_CONTROL_EXPORT_ASK_H

#include "dataplane/dataplane.h"

#define ASK_MOST_MS 1000u

struct ask {
    struct dp *dp;
    uint32_t workers;
};

// Each returns NULL, or why there is no answer.

// All counters and what is queued for each class: of one worker, or, VIEW_ALL, of all together.
struct ask_stats {
    struct stats_worker stats;
    struct view_class queues[CLASS_COUNT];
    uint64_t now_ns;
};
const char *ask_stats(const struct ask *ask, uint32_t worker, struct ask_stats *sum);

// Records with ids in [first, end), in their order whichever worker has them, until `take` returns
// false: it wants no more, and has not taken this one. `row` is a struct view_nse, view_bvc or
// view_ms; `drops` is NULL for an NSE. An MS's id here is where it is: ask_ms_id.
typedef bool ask_take_fn(void *self, uint32_t id, const void *row, const struct view_drops *drops);
const char *ask_rows(const struct ask *ask, enum view_kind kind, uint32_t of, uint32_t first,
                     uint32_t end, ask_take_fn *take, void *self);

// Of an MS that is there (dp_ms_at). As all workers' MSs are asked for together, those at one place
// of theirs follow each other.
static inline uint32_t ask_ms_id(const struct ask *ask, uint32_t at)
{
    return dp_at_place(at) * ask->workers + dp_at_worker(at);
}

// What there is of one id, of that worker or, VIEW_ALL, of all: packet flows or classes. Valid
// until the next question.
const char *ask_parts(const struct ask *ask, uint32_t worker, enum view_kind kind, uint32_t of,
                      const struct dp_query **answer);

#endif
