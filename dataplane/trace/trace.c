// See trace.h: numbers, records and the ring. The ring's far end is another thread's.
#include "dataplane/trace/trace.h"

#include <rte_ring_elem.h>

const char *const trace_stage_names[TRACE_STAGES] = {
#define TRACE_STAGE(name, end, help) #name,
#include "dataplane/trace/trace.def"
#undef TRACE_STAGE
};

const bool trace_stage_ends[TRACE_STAGES] = {
#define TRACE_STAGE(name, end, help) end,
#include "dataplane/trace/trace.def"
#undef TRACE_STAGE
};

// Counts that other threads read have one writer.
static void add(uint32_t *count, uint32_t n)
{
    __atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

static bool enough(const struct trace *t)
{
    return __atomic_load_n(&t->shared->taken, __ATOMIC_RELAXED) >= t->shared->wish.packets;
}

void trace_rest(struct trace *t)
{
    if (t->going == 0 && enough(t))
        *t->owner = NULL;
}

bool trace_wants(const struct trace *t, uint32_t ms_id, uint32_t bvc_id)
{
    const struct trace_wish *wish = &t->shared->wish;
    return (wish->ms_id == TRACE_ANY || wish->ms_id == ms_id) &&
           (wish->bvc_id == TRACE_ANY || wish->bvc_id == bvc_id);
}

uint16_t trace_begin(struct trace *t)
{
    if (enough(t)) {
        trace_rest(t);
        return 0;
    }
    uint32_t n = __atomic_fetch_add(&t->shared->taken, 1, __ATOMIC_RELAXED);
    if (n >= t->shared->wish.packets) // another worker was first
        return 0;
    add(&t->going, 1);
    return (uint16_t)(t->shared->first + n);
}

// Not left over from an earlier trace.
static bool is_ours(const struct trace *t, uint16_t number)
{
    return (uint16_t)(number - t->shared->first) < t->shared->wish.packets;
}

void trace_put(struct trace *t, uint16_t number, struct trace_record record)
{
    record.time_ns = *t->now_ns;
    record.packet = number;
    if (is_ours(t, number) && rte_ring_sp_enqueue_elem(t->ring, &record, sizeof record) != 0)
        __atomic_store_n(&t->lost, t->lost + 1, __ATOMIC_RELAXED);
}

void trace_end(struct trace *t, uint16_t number, struct trace_record record)
{
    if (!is_ours(t, number))
        return;
    trace_put(t, number, record);
    add(&t->going, UINT32_MAX);
    trace_rest(t);
}

void trace_sent(struct trace *t, uint16_t number, uint32_t octets, uint8_t segments)
{
    trace_end(t, number, (struct trace_record){.stage = TRACE_sent, .sent = {octets, segments}});
}

void trace_dropped(struct trace *t, uint16_t number, enum drop_reason reason)
{
    trace_end(t, number,
              (struct trace_record){.stage = TRACE_dropped, .dropped = {(uint8_t)reason}});
}
