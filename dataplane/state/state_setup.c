// See state.h: what allocates.
#include "dataplane/state/state.h"

#include <errno.h>
#include <rte_malloc.h>

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("state", n, octets, 64);
}

uint64_t state_octets(const struct state_limits *limits)
{
    return (uint64_t)limits->nses * sizeof(struct state_nse) +
           (uint64_t)limits->bvcs * sizeof(struct state_bvc) +
           (uint64_t)limits->mss * sizeof(struct state_ms) +
           (uint64_t)limits->pdps * sizeof(struct state_pdp);
}

int state_setup(struct state *state, uint32_t worker, const struct state_limits *limits,
                const struct state_gb *gb)
{
    *state = (struct state){.worker = worker, .limits = *limits, .gb = *gb};
    state->nse = zeroed(limits->nses, sizeof *state->nse);
    state->bvc = zeroed(limits->bvcs, sizeof *state->bvc);
    state->ms = zeroed(limits->mss, sizeof *state->ms);
    state->pdp = zeroed(limits->pdps, sizeof *state->pdp);
    if (state->nse && state->bvc && state->ms && state->pdp)
        return 0;
    state_release(state);
    return -ENOMEM;
}

void state_release(struct state *state)
{
    rte_free(state->nse);
    rte_free(state->bvc);
    rte_free(state->ms);
    rte_free(state->pdp);
    *state = (struct state){0};
}
