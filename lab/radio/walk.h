// The downlink of one MS over time: its coding scheme and its errors, in a file of rows
// (lab/base/rows.h). Times are seconds and rise, down_bler has its %. A row holds until the next
// one's time, the first also before its own, the last for ever. A file has CS or MCS alone: a TBF
// does not change from one to the other.
#ifndef SLUICE_LAB_RADIO_WALK_H
#define SLUICE_LAB_RADIO_WALK_H

#include <stdint.h>

#define RADIO_WALK_HEAD       "time,down_coding,down_bler"
#define RADIO_WALK_ROWS_MOST  1000000
#define RADIO_WALK_TIME_MOST  1000000 // s
#define RADIO_WALK_ERROR_ROOM 300

struct radio_walk_row {
    uint64_t at_ns;
    uint32_t coding, bler_ppm; // enum radio_coding, but not RATE
};

struct radio_walk {
    struct radio_walk_row *row; // one at least
    uint32_t rows, room;
};

// NULL with the reason in `error`, which begins with "trace: ".
struct radio_walk *radio_walk_read(const char *name, char error[RADIO_WALK_ERROR_ROOM]);
void radio_walk_free(struct radio_walk *walk);

#endif
