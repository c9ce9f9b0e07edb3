// See parts.h: packet flows. A packet flow has no id of its own: commands name its MS and its slot.
#include "dataplane/registry/parts.h"

int registry_pfc_there(const struct registry *r, uint32_t ms, uint32_t slot)
{
    return REGISTRY_THERE(r, ms, ms) ?: refuse(!(r->ms[ms].slots >> slot & 1), -ENOENT);
}

static int offer(struct registry *r, struct command *c)
{
    return registry_pfc_there(r, c->pfc_bucket.ms_id, c->pfc_bucket.slot)
               ?: registry_offer_ms(r, c);
}

REGISTRY_PLAIN(pfc_bucket, offer)
REGISTRY_PLAIN(pfc_credit, offer)

int registry_pfc(struct registry *r, struct command *command)
{
    const struct command_pfc c = command->pfc;
    struct registry_ms *ms = registry_made_ms(r, c.ms_id);
    int fault = refuse(c.slot >= r->pfcs_an_ms, -ERANGE) ?: REGISTRY_THERE(r, ms, c.ms_id)
        ?: refuse(ms->slots >> c.slot & 1, -EEXIST)
        ?: (c.has_shares ? registry_pfc_there(r, c.ms_id, c.shares) : 0)
        ?: registry_offer_ms(r, command);
    if (!fault)
        ms->slots |= (uint8_t)(1u << c.slot);
    return fault;
}

// -EBUSY: a PDP context uses the packet flow.
int registry_pfc_remove(struct registry *r, struct command *command)
{
    const struct command_pfc_remove c = command->pfc_remove;
    struct registry_ms *ms = registry_made_ms(r, c.ms_id);
    int fault = registry_pfc_there(r, c.ms_id, c.slot);
    for (uint32_t pdp = fault ? STATE_NONE : ms->first_pdp; pdp != STATE_NONE;
         pdp = r->pdp[pdp].next)
        if (r->pdp[pdp].slot == c.slot)
            return -EBUSY;
    fault = fault ?: registry_offer_ms(r, command);
    if (!fault)
        ms->slots &= (uint8_t) ~(1u << c.slot);
    return fault;
}
