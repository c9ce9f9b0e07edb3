// An NSE's links on its NS-VCs (TS 48.016 4.4.2). For apply.c alone.
#ifndef SLUICE_STATE_LINKS_H
#define SLUICE_STATE_LINKS_H

#include "dataplane/state/state.h"

// Distributes the links after an NS-VC was added, removed or changed. False: no NS-VC can take any.
bool state_links_spread(const struct state *state, struct state_nse *nse);

// Whether an NS-VC would have links if it were not blocked.
bool state_links_wait(const struct state *state, const struct state_nse *nse);

#endif
