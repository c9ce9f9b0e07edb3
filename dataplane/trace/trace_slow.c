// See trace.h: the other thread's side, and memory. Nothing here runs per packet.
#include <rte_ring_elem.h>

#include "dataplane/base/near.h"
#include "dataplane/trace/trace.h"

static size_t ring_octets(uint32_t records)
{
    return (size_t)rte_ring_get_memsize_elem(sizeof(struct trace_record), records);
}

bool trace_add(struct traces *traces, struct trace **owner, const uint64_t *now_ns,
               uint32_t records, int node)
{
    struct trace *t = near_alloc(sizeof *t, node);
    struct rte_ring *ring = near_alloc(ring_octets(records), node);
    if (!t || !ring || rte_ring_init(ring, "trace", records, RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
        near_free(ring, ring_octets(records));
        near_free(t, sizeof *t);
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
        struct trace *t = traces->of[i];
        near_free(t->ring, ring_octets(rte_ring_get_size(t->ring)));
        near_free(t, sizeof *t);
    }
    traces->workers = 0;
}
