// See links.h. Each NS-VC gets links by its weight, rounded by largest remainder; a link stays on
// its NS-VC while that NS-VC's number of links allows, so a change moves as few MSs as possible.
#include "dataplane/state/links.h"

#define NOWHERE STATE_NSVCS_AN_NSE

static uint32_t weight_of(const struct state *state, const struct state_nse *nse, uint32_t place)
{
    if (nse->nsvc[place] == STATE_NONE)
        return 0;
    const struct state_nsvc *nsvc = &state->nsvc[nse->nsvc[place]];
    return nsvc->blocked ? 0 : nsvc->weight;
}

// The number of links due to each place.
static uint32_t share_out(const struct state *state, const struct state_nse *nse,
                          uint32_t due[STATE_NSVCS_AN_NSE])
{
    uint32_t sum = 0, given = 0, rest[STATE_NSVCS_AN_NSE];
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        sum += weight_of(state, nse, i);
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++) {
        uint32_t share = STATE_LINKS * weight_of(state, nse, i);
        due[i] = sum ? share / sum : 0;
        rest[i] = sum ? share % sum : 0;
        given += due[i];
    }
    for (; sum && given < STATE_LINKS; given++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < STATE_NSVCS_AN_NSE; i++)
            if (rest[i] > rest[most])
                most = i;
        due[most]++;
        rest[most] = 0;
    }
    return sum;
}

bool state_links_wait(const struct state *state, const struct state_nse *nse)
{
    bool any = false;
    for (uint32_t i = 0; i < STATE_NSVCS_AN_NSE; i++)
        if (nse->nsvc[i] != STATE_NONE)
            any |= state->nsvc[nse->nsvc[i]].blocked && state->nsvc[nse->nsvc[i]].weight > 0;
    return any;
}

bool state_links_spread(const struct state *state, struct state_nse *nse)
{
    uint32_t due[STATE_NSVCS_AN_NSE];
    uint32_t sum = share_out(state, nse, due);
    for (uint32_t l = 0; l < STATE_LINKS; l++) {
        if (nse->link[l] < NOWHERE && due[nse->link[l]] > 0)
            due[nse->link[l]]--;
        else
            nse->link[l] = NOWHERE;
    }
    if (!sum)
        return false;
    for (uint32_t l = 0, place = 0; l < STATE_LINKS; l++) {
        if (nse->link[l] < NOWHERE)
            continue;
        while (due[place] == 0)
            place++;
        nse->link[l] = (uint8_t)place;
        due[place]--;
    }
    return true;
}
