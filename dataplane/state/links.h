// An NSE's links on its NS-VCs (TS 48.016 4.4.2). For apply.c alone.
#ifndef SLUICE_STATE_LINKS_H
#define SLUICE_STATE_LINKS_H

#include "dataplane/state/state.h"

// Spreads the links anew after an NS-VC came, went or changed its weight. False: there is none.
bool links_spread(const struct state *state, struct state_nse *nse);

// Whether one of its NS-VCs would have links if it were not blocked.
bool links_wait(const struct state *state, const struct state_nse *nse);

#endif
