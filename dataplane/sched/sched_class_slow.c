// See sched.h: changes a traffic class while there is traffic. A new weight holds at once (S3,
// S10): a class that just sent under its old weight owes at most one PDU at the new one.
#include "dataplane/sched/sched_change.h"

int sched_class_set(struct sched *s, uint32_t class, const struct sched_class *values)
{
    if (class >= CLASS_COUNT)
        return -SCHED_BAD_CLASS;
    struct sched_class k = s->config.of_class[class];
    uint32_t old = k.weight;
    k.weight = class == CLASS_SIGNALLING ? 0 : values->weight;
    k.limit = values->limit;
    k.lifetime_ns = values->lifetime_ns;
    k.bss_least_ns = values->bss_least_ns;
    k.bss_most_ns = values->bss_most_ns;
    int fault = sched_change_class(&k, class);
    if (fault)
        return fault;
    s->config.of_class[class] = k;
    sched_change_rule(s, class);
    if (k.weight != old) {
        s->reweighed = true;
        s->reweigh_bvc = 0;
    }
    return 0;
}

int sched_class_aqm(struct sched *s, uint32_t class, const uint64_t *params, uint32_t count)
{
    struct aqm aqm;
    if (class >= CLASS_COUNT)
        return -SCHED_BAD_CLASS;
    const struct aqm_ops *ops = s->config.of_class[class].aqm.ops;
    if (count != ops->param_count || aqm_setup(&aqm, ops, params))
        return -SCHED_BAD_AQM;
    s->config.of_class[class].aqm = aqm;
    sched_change_rule(s, class);
    return 0;
}
