// See sched.h: sets bucket levels as the BSS reports them, or lowers them by octets.
#include "dataplane/sched/sched_change.h"

// The most that a bucket-full ratio can mean for the largest bucket.
static int change_level(uint64_t level)
{
    return level <= bucket_level_of_ratio(UINT32_MAX, UINT8_MAX) ? 0 : -SCHED_BAD_LEVEL;
}

int sched_change_bvc_level(struct sched *s, uint32_t bvc, uint64_t level, uint64_t now_ns)
{
    int fault = sched_change_bvc(s, bvc, true);
    if (!fault)
        fault = change_level(level);
    if (fault)
        return fault;
    s->bvc[bvc].bucket.level = level;
    s->bvc[bvc].bucket.at_ns = now_ns;
    sched_bvc_look_again(s, bvc);
    return 0;
}

int sched_bvc_level(struct sched *s, uint32_t bvc, uint64_t level, uint64_t now_ns)
{
    int fault = sched_change_bvc_level(s, bvc, level, now_ns);
    if (!fault)
        sched_sizes_bvc_told(s, bvc);
    return fault;
}

static int ms_level_set(struct sched *s, uint32_t ms, uint64_t level, bool told, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (!fault)
        fault = change_level(level);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    sched_roll_refresh(s, ms, now_ns);
    if (m->state & MS_OWN)
        bucket_charge(&m->bucket, level, 0, now_ns);
    else
        bucket_default_set(&m->bucket, &s->bvc_rest[m->bvc].defaults, level, now_ns);
    if (told)
        sched_sizes_ms_told(s, ms);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_ms_level(struct sched *s, uint32_t ms, uint64_t level, uint64_t now_ns)
{
    return ms_level_set(s, ms, level, true, now_ns);
}

static int pfc_level_set(struct sched *s, uint32_t ms, uint32_t slot, uint64_t level, bool told,
                         uint64_t now_ns)
{
    int fault = sched_change_pfc(s, ms, slot);
    if (!fault)
        fault = change_level(level);
    if (fault)
        return fault;
    struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    sched_roll_refresh(s, ms, now_ns);
    bucket_charge(pfc_bucket(tree_ms(s, ms), p), level, 0, now_ns);
    if (told)
        sched_sizes_pfc_told(s, ms, slot);
    sched_pfc_unwait(s, tree_pfc_id(ms, slot), p);
    sched_ms_update(s, ms, now_ns);
    return 0;
}

int sched_pfc_level(struct sched *s, uint32_t ms, uint32_t slot, uint64_t level, uint64_t now_ns)
{
    return pfc_level_set(s, ms, slot, level, true, now_ns);
}

static uint64_t less(struct sched_bucket bucket, uint32_t octets)
{
    return bucket_after(bucket.level, octets * BUCKET_UNITS_AN_OCTET);
}

int sched_bvc_credit(struct sched *s, uint32_t bvc, uint32_t octets, uint64_t now_ns)
{
    uint64_t level = less(sched_bvc_bucket(s, bvc, now_ns), octets);
    return sched_change_bvc_level(s, bvc, level, now_ns);
}

int sched_ms_credit(struct sched *s, uint32_t ms, uint32_t octets, uint64_t now_ns)
{
    return ms_level_set(s, ms, less(sched_ms_bucket(s, ms, now_ns), octets), false, now_ns);
}

int sched_pfc_credit(struct sched *s, uint32_t ms, uint32_t slot, uint32_t octets, uint64_t now_ns)
{
    uint64_t level = less(sched_pfc_bucket(s, ms, slot, now_ns), octets);
    return pfc_level_set(s, ms, slot, level, false, now_ns);
}
