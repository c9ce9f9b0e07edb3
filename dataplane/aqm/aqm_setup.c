// See aqm.h: makes a configuration from parameters.
#include "dataplane/aqm/aqm.h"

#include <string.h>

static bool within(const struct aqm_param *p, uint64_t param)
{
    if (p->unit != AQM_LEVEL)
        return param >= p->least && param <= p->most;
    uint64_t value = aqm_level_value(param);
    return aqm_level_unit(param) <= AQM_LEVEL_PDUS && value >= p->least && value <= p->most;
}

void aqm_standard_params(const struct aqm_ops *ops, uint64_t *params)
{
    for (uint32_t i = 0; i < ops->param_count; i++)
        params[i] = ops->params[i].standard;
}

const char *aqm_setup(struct aqm *aqm, const struct aqm_ops *ops, const uint64_t *params)
{
    *aqm = (struct aqm){.ops = ops};
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (!within(&ops->params[i], params[i]))
            return ops->params[i].name;
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (!strcmp(ops->params[i].name, "ecn"))
            aqm->marks = params[i];
    const char *wrong = ops->configure ? ops->configure(aqm->config, params) : NULL;
    if (!wrong && ops->calm)
        aqm->calm = ops->calm(aqm->config);
    return wrong;
}
