// When something happens: first at at_ns, then again each every_ns (0: once), `times` times in all
// (0: without end). What lasts ends lasts_ns after each beginning (0: it does not end, or is over
// at once).
#ifndef SLUICE_LAB_SCHEDULE_H
#define SLUICE_LAB_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
    uint64_t at_ns, every_ns, lasts_ns;
    uint32_t times, begun;
    uint64_t next_ns; // of the next beginning or end; TIME_NEVER: none
    bool lasts;       // next_ns is an end
};

// Beginnings before now_ns are left out, but one that is not repeated.
void schedule_start(struct schedule *schedule, uint64_t now_ns);

// Goes on to the next beginning or end; returns whether the one of next_ns was a beginning.
bool schedule_step(struct schedule *schedule);

#endif
