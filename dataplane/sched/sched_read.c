// See sched.h: what can be read from outside. An id beyond the tables reads as an empty node.
#include "dataplane/sched/sched_parts.h"

static struct sched_queued split(uint64_t total)
{
    return (struct sched_queued){total_packets(total), total_octets(total)};
}

struct sched_queued sched_queued(const struct sched *s)
{
    return split(s->total);
}

struct sched_queued sched_bvc_queued(const struct sched *s, uint32_t bvc)
{
    if (bvc >= s->config.bvcs || !s->cell[bvc].state)
        return (struct sched_queued){0};
    return split(s->cell[bvc].total);
}

static bool ms_is_there(const struct sched *s, uint32_t ms)
{
    return ms < s->config.mss && tree_ms(s, ms)->state;
}

struct sched_queued sched_ms_queued(const struct sched *s, uint32_t ms)
{
    if (!ms_is_there(s, ms))
        return (struct sched_queued){0};
    return split(tree_ms(s, ms)->total);
}

static struct sched_bucket read_bucket(const struct bucket *b, uint64_t now_ns)
{
    return (struct sched_bucket){bucket_level(b, now_ns), bucket_terms(b)};
}

struct sched_bucket sched_nse_bucket(const struct sched *s, uint32_t nse, uint64_t now_ns)
{
    if (nse >= s->config.nses || !s->nse[nse].state)
        return (struct sched_bucket){0};
    return read_bucket(&s->nse[nse].bucket, now_ns);
}

struct sched_bucket sched_bvc_bucket(const struct sched *s, uint32_t bvc, uint64_t now_ns)
{
    if (bvc >= s->config.bvcs || !s->cell[bvc].state)
        return (struct sched_bucket){0};
    return read_bucket(&s->cell[bvc].bucket, now_ns);
}

struct sched_bucket sched_ms_bucket(const struct sched *s, uint32_t ms, uint64_t now_ns)
{
    if (!ms_is_there(s, ms))
        return (struct sched_bucket){0};
    const struct tree_ms *m = tree_ms(s, ms);
    return (struct sched_bucket){ms_level(s, m, now_ns), ms_terms(s, m)};
}

struct sched_bucket sched_pfc_bucket(const struct sched *s, uint32_t ms, uint32_t slot,
                                     uint64_t now_ns)
{
    if (!ms_is_there(s, ms) || slot >= s->config.pfcs_an_ms ||
        !(tree_ms(s, ms)->slots & 1u << slot))
        return (struct sched_bucket){0};
    return read_bucket(&tree_pfc_of(tree_ms(s, ms), slot)->bucket, now_ns);
}
