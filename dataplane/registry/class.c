// See parts.h: traffic classes. Every worker has all of them.
#include "dataplane/registry/parts.h"

// bss_least_ns exceeds neither bss_most_ns nor lifetime_ns; 0 is no limit there.
static int lifetimes_check(const struct command_class_set *c)
{
    bool in_most = c->bss_most_ns == 0 || c->bss_least_ns <= c->bss_most_ns;
    bool in_all = c->lifetime_ns == 0 || c->bss_least_ns <= c->lifetime_ns;
    return in_most && in_all ? 0 : -ERANGE;
}

// The command has all parameters of the class's AQM, in range and consistent.
static int aqm_check(const struct registry *r, const struct command_class_aqm *c)
{
    const struct aqm_ops *ops = r->aqm[c->traffic_class];
    uint64_t params[AQM_PARAMS_MAX];
    struct aqm aqm;
    if (c->params.n != ops->param_count)
        return -EINVAL;
    for (uint32_t i = 0; i < ops->param_count; i++) {
        const struct dp_aqm_param *p = &c->params.item[i];
        if (p->unit > AQM_LEVEL_PDUS || p->value >> AQM_LEVEL_UNIT_SHIFT)
            return -ERANGE;
    }
    dp_aqm_values(&c->params, params);
    return aqm_setup(&aqm, ops, params) ? -ERANGE : 0;
}

int registry_class_set(struct registry *r, struct command *c)
{
    return lifetimes_check(&c->class_set) ?: registry_offer(r, REGISTRY_ALL(r), c);
}

int registry_class_aqm(struct registry *r, struct command *c)
{
    return aqm_check(r, &c->class_aqm) ?: registry_offer(r, REGISTRY_ALL(r), c);
}
