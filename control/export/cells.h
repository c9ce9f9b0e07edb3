// All cells at one time, sorted by delay, or summed for each NSE.
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

// Reads all cells again, the longest delay first: B x 8 / R of the bucket plus the sojourn of the
// next packet. Returns NULL, or a text of why there are none.
const char *cells_read(struct cells *cells, const struct ask *ask);
void cells_free(struct cells *cells);

// The sums of an NSE's cells.
struct cells_sum {
    uint64_t down_frames, down_octets, up_frames, up_octets, marks, dropped_npdus, discarded_frames;
    struct view_drops drops;
};
struct cells_sum cells_sum(const struct cells *cells, uint32_t nse_id);

#endif
