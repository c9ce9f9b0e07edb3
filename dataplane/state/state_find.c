// See state.h: finding by what the wire says.
#include "dataplane/state/state.h"

#include <rte_hash.h>

static uint32_t found(const struct rte_hash *hash, const void *key)
{
    void *id;
    return rte_hash_lookup_data(hash, key, &id) >= 0 ? (uint32_t)(uintptr_t)id : STATE_NONE;
}

static uint32_t of_name(const struct state *state, uint32_t nse, enum state_named kind,
                        uint32_t value)
{
    struct state_name name = state_name(nse, kind, value);
    return found(state->names, &name);
}

uint32_t state_nsvc_of(const struct state *state, const struct state_endpoint *endpoint)
{
    return found(state->endpoints, endpoint);
}

uint32_t state_bvc_of(const struct state *state, uint32_t nse, uint16_t bvci)
{
    return of_name(state, nse, STATE_NAMED_BVCI, bvci);
}

uint32_t state_ms_of(const struct state *state, uint32_t nse, uint32_t tlli)
{
    return of_name(state, nse, STATE_NAMED_TLLI, tlli);
}

bool state_is_ggsn(const struct state *state, const struct ipv6_address *address)
{
    return rte_hash_lookup(state->ggsns, address) >= 0;
}
