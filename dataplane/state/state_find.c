// See state.h: finds records by the names on the wire.
#include "dataplane/state/state.h"

#include <rte_hash.h>

_Static_assert(NAMES_NONE == STATE_NONE, "no name: no id");
_Static_assert(STATE_NONE + 1 == 0, "no GGSN with GTP-C: no id");

static uint32_t found(const struct rte_hash *hash, const void *key)
{
    void *id;
    return rte_hash_lookup_data(hash, key, &id) >= 0 ? (uint32_t)(uintptr_t)id : STATE_NONE;
}

uint32_t state_nsvc_of(const struct state *state, const struct state_endpoint *endpoint)
{
    return found(state->endpoints, endpoint);
}

uint32_t state_bvc_of(const struct state *state, uint32_t nse, uint16_t bvci)
{
    const struct names *names = &state->name[STATE_NAMED_BVCI];
    struct names_search search = names_search(names, names_hash(nse, bvci));
    uint32_t id = names_next(names, &search);
    while (id != NAMES_NONE && (state->bvc[id].nse != nse || state->bvc[id].bvci != bvci))
        id = names_next(names, &search);
    return id;
}

static bool is_ms(const struct state *state, uint32_t id, uint32_t nse, uint32_t tlli)
{
    const struct state_ms *ms = &state->ms[id];
    return (ms->tlli == tlli || state->ms_up[id].old_tlli == tlli) &&
           state->bvc[ms->bvc].nse == nse;
}

uint32_t state_ms_of(const struct state *state, uint32_t nse, uint32_t tlli)
{
    const struct names *names = &state->name[STATE_NAMED_TLLI];
    struct names_search search = names_search(names, names_hash(nse, tlli));
    uint32_t id = names_next(names, &search);
    while (id != NAMES_NONE && !is_ms(state, id, nse, tlli))
        id = names_next(names, &search);
    return id;
}

const struct state_ms_counts *state_counts_of(const struct state *state, uint32_t ms)
{
    static const struct state_ms_counts none;
    uint32_t counts = state->ms_up[ms].counts;
    return counts ? &state->ms_counts[counts - 1] : &none;
}

void state_counts_give(struct state *state, uint32_t ms)
{
    uint32_t *counts = &state->ms_up[ms].counts;
    if (*counts == 0)
        return;
    state->ms_counts[*counts - 1].next = state->counts_free;
    state->counts_free = *counts;
    *counts = 0;
}

static bool is_own_ggsn(const struct state *state, const struct state_pdp *pdp,
                        const struct ipv6_address *from)
{
    if (pdp->source > STATE_NO_GGSN)
        return address_is_ipv4(from) && address_ipv4(from) == pdp->source;
    return pdp->source < STATE_NO_GGSN && address_same(&state->ggsn[pdp->source].address, from);
}

bool state_may_send(const struct state *state, const struct state_pdp *pdp,
                    const struct ipv6_address *from)
{
    if (is_own_ggsn(state, pdp, from) || port_expects(state->gn, from))
        return true;
    return pdp->source == STATE_NO_GGSN && state->gn->expected.n == 0 && state_is_ggsn(state, from);
}

uint32_t state_source_of(const struct state *state, uint32_t ggsn)
{
    if (ggsn == STATE_NO_GGSN)
        return STATE_NO_GGSN;
    const struct ipv6_address *address = &state->ggsn[ggsn].address;
    return address_is_ipv4(address) ? address_ipv4(address) : ggsn;
}

void state_pdp_uplink(struct state *state, uint32_t pdp, bool ended)
{
    struct state_pdp_up *up = &state->pdp_up[pdp];
    up->ended = ended;
    state->pdp[pdp].source = ended ? up->ggsn : state_source_of(state, up->ggsn);
}

bool state_is_ggsn(const struct state *state, const struct ipv6_address *address)
{
    return rte_hash_lookup(state->ggsns, address) >= 0;
}

uint32_t state_gtpc_of(const struct state *state, const struct ipv6_address *address)
{
    void *of = NULL;
    rte_hash_lookup_data(state->ggsns, address, &of);
    return (uint32_t)((uintptr_t)of >> STATE_GTPC_SHIFT) - 1;
}
