// See parts.h: NS-VCs, and the PDUs that control sends on an NS-VC. Every worker knows all NS-VCs,
// because every worker must find the worker that owns a received frame.
#include <rte_hash.h>
#include <rte_mbuf.h>

#include "dataplane/registry/parts.h"

int registry_nsvc(struct registry *r, struct command *command)
{
    const struct command_nsvc *c = &command->nsvc;
    struct registry_nse *nse = registry_made_nse(r, c->nse_id);
    struct state_endpoint endpoint = state_endpoint(c);
    int fault = REGISTRY_FREE(r, nsvc, c->nsvc_id) ?: REGISTRY_THERE(r, nse, c->nse_id)
        ?: registry_peer_check(&r->gb, &c->peer_address)
        ?: refuse(rte_hash_lookup(r->endpoints, &endpoint) >= 0, -EEXIST)
        ?: refuse(nse->nsvcs == STATE_NSVCS_AN_NSE, -ENOSPC);
    if (fault)
        return fault;
    command->worker = nse->worker;
    fault = registry_offer(r, REGISTRY_ALL(r), command);
    if (fault)
        return fault;
    r->nsvc[c->nsvc_id] =
        (struct registry_nsvc){true, c->nse_id, endpoint, r->worker[nse->worker].sent};
    rte_hash_add_key(r->endpoints, &endpoint);
    nse->nsvcs++;
    r->nsvc_changes++;
    return 0;
}

static uint32_t worker_of(const struct registry *r, uint32_t nsvc)
{
    return r->nse[r->nsvc[nsvc].nse].worker;
}

int registry_nsvc_weight(struct registry *r, struct command *c)
{
    uint32_t id = c->nsvc_weight.nsvc_id;
    return REGISTRY_THERE(r, nsvc, id) ?: registry_offer(r, 1u << worker_of(r, id), c);
}

int registry_nsvc_remove(struct registry *r, struct command *c)
{
    uint32_t id = c->nsvc_remove.nsvc_id;
    int fault = REGISTRY_THERE(r, nsvc, id) ?: registry_offer(r, REGISTRY_ALL(r), c);
    if (fault)
        return fault;
    r->nsvc[id].made = false;
    rte_hash_del_key(r->endpoints, &r->nsvc[id].endpoint);
    r->nse[r->nsvc[id].nse].nsvcs--;
    r->nsvc_changes++;
    return 0;
}

int registry_send(struct registry *r, struct command *c)
{
    uint32_t id = c->send.nsvc_id;
    int fault = refuse(c->send.pdu.n == 0, -ERANGE) ?: REGISTRY_THERE(r, nsvc, id);
    if (fault)
        return fault;
    uint32_t workers = 1u << worker_of(r, id);
    return registry_room(r, workers)
        ?: registry_take_pdu(r, c, &c->send.pdu, RTE_PKTMBUF_HEADROOM)
        ?: registry_offer(r, workers, c);
}
