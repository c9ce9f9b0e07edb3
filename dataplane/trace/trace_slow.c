// See trace.h: the other thread's side, and memory. Nothing here runs per packet.
#include <rte_ring_elem.h>
#include <stdlib.h>

#include "dataplane/trace/trace.h"

bool trace_add(struct traces *traces, struct trace **owner, const uint64_t *now_ns,
               uint32_t records)
{
    ssize_t octets = rte_ring_get_memsize_elem(sizeof(struct trace_record), records);
    struct trace *t = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_CACHE_LINE_ROUNDUP(sizeof *t));
    struct rte_ring *ring = octets > 0 ? aligned_alloc(RTE_CACHE_LINE_SIZE, (size_t)octets) : NULL;
    if (!t || !ring || rte_ring_init(ring, "trace", records, RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
        free(ring);
        free(t);
        return false;
    }
    *t = (struct trace){.shared = &traces->shared, .owner = owner, .now_ns = now_ns, .ring = ring};
    traces->of[traces->workers++] = t;
    return true;
}

void trace_start(struct traces *traces, const struct trace_wish *wish)
{
    struct trace_shared *s = &traces->shared;
    uint32_t first = s->first + s->wish.packets;
    if (first == 0 || first + wish->packets > UINT16_MAX)
        first = 1; // 0 is nobody's number
    *s = (struct trace_shared){.wish = *wish, .first = (uint16_t)first};
    for (uint32_t i = 0; i < traces->workers; i++) {
        struct trace *t = traces->of[i];
        rte_ring_reset(t->ring);
        t->lost = 0;
        t->going = t->opens = 0;
    }
}

uint32_t trace_take(struct traces *traces, uint32_t worker, struct trace_record *records,
                    uint32_t n)
{
    return rte_ring_sc_dequeue_burst_elem(traces->of[worker]->ring, records, sizeof *records, n,
                                          NULL);
}

struct trace_progress trace_progress(const struct traces *traces)
{
    const struct trace_shared *s = &traces->shared;
    uint32_t taken = __atomic_load_n(&s->taken, __ATOMIC_RELAXED);
    struct trace_progress p = {.packets = taken < s->wish.packets ? taken : s->wish.packets,
                               .first = s->first};
    for (uint32_t i = 0; i < traces->workers; i++) {
        p.going += __atomic_load_n(&traces->of[i]->going, __ATOMIC_RELAXED);
        p.lost += __atomic_load_n(&traces->of[i]->lost, __ATOMIC_RELAXED);
    }
    return p;
}

void trace_free(struct traces *traces)
{
    for (uint32_t i = 0; i < traces->workers; i++) {
        free(traces->of[i]->ring);
        free(traces->of[i]);
    }
    traces->workers = 0;
}
