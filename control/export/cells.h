// All cells at one time, sorted by delay: as they are, or summed for each NSE.
#ifndef SLUICE_CONTROL_EXPORT_CELLS_H
#define SLUICE_CONTROL_EXPORT_CELLS_H

#include "control/export/ask.h"

struct cell {
    struct view_bvc view;
    struct view_drops drops;
};

struct cells {
    struct cell *cell;
    uint32_t n, room;
};

// Those that were there are replaced; the longest time in queue and bucket first: B x 8 / R and the
// wait of who is next. NULL, or why there are none.
const char *cells_read(struct cells *cells, const struct ask *ask);
void cells_free(struct cells *cells);

// Traffic of an NSE's cells together.
struct cells_sum {
    uint64_t down_frames, down_octets, up_frames, up_octets, marks, dropped_npdus;
    struct view_drops drops;
};
struct cells_sum cells_sum(const struct cells *cells, uint32_t nse_id);

#endif
