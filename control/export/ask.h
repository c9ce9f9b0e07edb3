// Queries to the workers from a thread of DPDK's telemetry, one query at a time (the caller's
// lock). A query without an answer within ASK_MOST_MS ends with a text that says so; the memory of
// the answer is static, since the worker may still write to it.
#ifndef SLUICE_CONTROL_EXPORT_ASK_H
#define SLUICE_CONTROL_EXPORT_ASK_H

#include "dataplane/dataplane.h"

#define ASK_MOST_MS 1000u

struct ask {
    struct dp *dp;
    uint32_t workers;
};

// The functions return NULL, or a text of why there is no answer.

// All counters, and the queued N-PDUs of each class: of one worker, or of all (VIEW_ALL).
struct ask_stats {
    struct stats_worker stats;
    struct view_class queues[CLASS_COUNT];
    uint64_t now_ns;
};
const char *ask_stats(const struct ask *ask, uint32_t worker, struct ask_stats *sum);

// Calls `take` for the records of all workers with ids in [first, end), in the order of their ids,
// until `take` returns false, which refuses that record. row: a struct view_nse, view_bvc or
// view_ms; drops: NULL for an NSE. An MS's id here is that of ask_ms_id.
typedef bool ask_take_fn(void *self, uint32_t id, const void *row, const struct view_drops *drops);
const char *ask_rows(const struct ask *ask, enum view_kind kind, uint32_t of, uint32_t first,
                     uint32_t end, ask_take_fn *take, void *self);

// The id of an MS by its worker and place (dp_ms_at): MSs with the same place in all workers have
// consecutive ids.
static inline uint32_t ask_ms_id(const struct ask *ask, uint32_t at)
{
    return dp_at_place(at) * ask->workers + dp_at_worker(at);
}

// Gives every worker its trace (dp_trace), or takes the traces away.
const char *ask_trace(const struct ask *ask, bool on);

// The packet flows of an MS or the classes of a cell, from one worker or from all (VIEW_ALL). Valid
// until the next query.
const char *ask_parts(const struct ask *ask, uint32_t worker, enum view_kind kind, uint32_t of,
                      const struct dp_query **answer);

#endif
