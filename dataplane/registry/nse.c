// See parts.h: NSEs. An NSE never changes its worker.
#include "dataplane/registry/parts.h"

static int offer(struct registry *r, struct command *c)
{
    uint32_t id = c->nse_bucket.nse_id; // the first field of all these commands
    return REGISTRY_THERE(r, nse, id) ?: registry_offer(r, 1u << r->nse[id].worker, c);
}

REGISTRY_PLAIN(nse_bucket, offer)

int registry_nse(struct registry *r, struct command *c)
{
    uint32_t id = c->nse.nse_id, worker = id % r->workers;
    int fault = REGISTRY_FREE(r, nse, id) ?: registry_offer(r, 1u << worker, c);
    if (!fault)
        r->nse[id] = (struct registry_nse){
            .made = true, .worker = (uint8_t)worker, .since = r->worker[worker].sent};
    return fault;
}

// -EAGAIN: every cell that the NSE still has is being removed.
int registry_nse_remove(struct registry *r, struct command *c)
{
    struct registry_nse *nse = registry_made_nse(r, c->nse_remove.nse_id);
    if (nse && (nse->bvcs > 0 || nse->nsvcs > 0))
        return nse->nsvcs == 0 && nse->going == nse->bvcs ? -EAGAIN : -EBUSY;
    int fault = offer(r, c);
    if (!fault)
        nse->made = false;
    return fault;
}
