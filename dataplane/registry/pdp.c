// See parts.h: PDP contexts. A context keeps its place at the worker that owns its TEID. While its
// MS is at another worker, the context has a second place at that worker.
#include "dataplane/registry/parts.h"

uint32_t registry_pdp_teid(struct registry *r, uint32_t worker, uint32_t pdp)
{
    struct registry_worker *w = &r->worker[worker];
    uint32_t place = registry_places_take(&w->pdps, w->pdps.n == r->limits.pdps ? pdp : UINT32_MAX);
    uint32_t *teid = &w->teid[place], first = teid_make(r->teid_bits, worker, 0, place);
    *teid = state_teid_after(r->teid_bits, r->teid_seed, *teid ? ++w->renewed : 0,
                             *teid ? *teid : first, r->teid_hash);
    return *teid;
}

uint32_t registry_pdp_worker(const struct registry *r, uint32_t pdp)
{
    return teid_worker(r->teid_bits, r->pdp[pdp].teid);
}

static void give_place(struct registry *r, uint32_t teid)
{
    registry_places_give(&r->worker[teid_worker(r->teid_bits, teid)].pdps,
                         teid_index(r->teid_bits, teid));
}

void registry_pdp_leave(struct registry *r, uint32_t pdp)
{
    if (r->pdp[pdp].here != r->pdp[pdp].teid)
        give_place(r, r->pdp[pdp].here);
}

void registry_pdp_redirect(struct registry *r, uint32_t pdp, uint32_t to)
{
    uint32_t id = teid_index(r->teid_bits, r->pdp[pdp].teid);
    struct command c = {.op = COMMAND_redirect, .teid = to, .redirect = {id}};
    registry_put(r, registry_pdp_worker(r, pdp), &c);
}

static void note(struct registry *r, const struct command_pdp *c, uint32_t teid)
{
    struct registry_ms *ms = &r->ms[c->ms_id];
    r->pdp[c->pdp_id] = (struct registry_pdp){.made = true,
                                              .has_ggsn = c->has_ggsn_id,
                                              .nsapi = c->nsapi & 15,
                                              .slot = c->slot & 7,
                                              .teid = teid,
                                              .here = teid,
                                              .next = ms->first_pdp,
                                              .ms = c->ms_id,
                                              .ggsn = (uint16_t)c->ggsn_id};
    ms->first_pdp = c->pdp_id;
    ms->nsapis |= (uint16_t)(1u << c->nsapi);
    if (c->has_ggsn_id)
        r->ggsn[c->ggsn_id].pdps++;
}

int registry_pdp(struct registry *r, struct command *command)
{
    const struct command_pdp c = command->pdp;
    int fault = refuse(state_lle_of_sapi(c.sapi) < 0, -ERANGE) ?: REGISTRY_FREE(r, pdp, c.pdp_id)
        ?: registry_pfc_there(r, c.ms_id, c.slot)
        ?: (c.has_ggsn_id ? REGISTRY_THERE(r, ggsn, c.ggsn_id) : 0)
        ?: refuse(r->ms[c.ms_id].nsapis >> c.nsapi & 1, -EEXIST);
    if (fault)
        return fault;
    uint32_t worker = registry_worker_of_ms(r, c.ms_id);
    fault = refuse(r->worker[worker].pdps.left == 0, -ENOSPC) ?: registry_room(r, 1u << worker);
    if (fault)
        return fault;
    command->teid = registry_pdp_teid(r, worker, c.pdp_id);
    command->pdp.pdp_id = teid_index(r->teid_bits, command->teid);
    command->pdp.ms_id = dp_at_place(r->ms[c.ms_id].at);
    registry_put(r, worker, command);
    note(r, &c, command->teid);
    return 0;
}

// To the worker of the context's MS; the context's id is the first field of these commands.
static int offer(struct registry *r, struct command *c)
{
    uint32_t id = c->pdp_uplink.pdp_id;
    int fault = REGISTRY_THERE(r, pdp, id);
    if (fault)
        return fault;
    c->pdp_uplink.pdp_id = teid_index(r->teid_bits, r->pdp[id].here);
    return registry_offer(r, 1u << registry_worker_of_ms(r, r->pdp[id].ms), c);
}

REGISTRY_PLAIN(pdp_uplink, offer)

static void leave_ggsn(struct registry *r, const struct registry_pdp *pdp)
{
    if (pdp->has_ggsn)
        r->ggsn[pdp->ggsn].pdps--;
}

int registry_pdp_tunnel(struct registry *r, struct command *command)
{
    const struct command_pdp_tunnel c = command->pdp_tunnel;
    int fault = REGISTRY_THERE(r, ggsn, c.ggsn_id) ?: offer(r, command);
    if (fault)
        return fault;
    struct registry_pdp *pdp = &r->pdp[c.pdp_id];
    leave_ggsn(r, pdp);
    pdp->has_ggsn = true;
    pdp->ggsn = (uint16_t)c.ggsn_id;
    r->ggsn[c.ggsn_id].pdps++;
    return 0;
}

static void unlink_of_ms(struct registry *r, uint32_t id)
{
    uint32_t *link = &r->ms[r->pdp[id].ms].first_pdp;
    while (*link != id)
        link = &r->pdp[*link].next;
    *link = r->pdp[id].next;
}

int registry_pdp_remove(struct registry *r, struct command *c)
{
    uint32_t id = c->pdp_remove.pdp_id;
    struct registry_pdp *pdp = registry_made_pdp(r, id);
    if (!pdp)
        return REGISTRY_THERE(r, pdp, id);
    uint32_t worker = registry_worker_of_ms(r, pdp->ms), named = registry_pdp_worker(r, id);
    if (registry_room(r, 1u << worker | 1u << named))
        return -EAGAIN;
    c->pdp_remove.pdp_id = teid_index(r->teid_bits, pdp->here);
    registry_put(r, worker, c);
    if (named != worker)
        registry_pdp_redirect(r, id, 0);
    unlink_of_ms(r, id);
    pdp->made = false;
    registry_pdp_leave(r, id);
    give_place(r, pdp->teid);
    r->ms[pdp->ms].nsapis &= (uint16_t) ~(1u << pdp->nsapi);
    leave_ggsn(r, pdp);
    return 0;
}
