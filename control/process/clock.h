// The clock of a run in real time: ns since its start, from the TSC, corrected by
// CLOCK_MONOTONIC_RAW, since the kernel's figure of the TSC's rate may be 0.1 % off.
//
// A clock is a line through one point. clock_correct begins a new line where the old one is now, so
// time never jumps; the new line removes the error within a second.
#ifndef SLUICE_CONTROL_PROCESS_CLOCK_H
#define SLUICE_CONTROL_PROCESS_CLOCK_H

#include <stdint.h>

// Both clocks at one instant.
struct clock_pair {
    uint64_t tsc, raw_ns;
};

struct clock {
    struct clock_pair first;
    uint32_t sequence; // odd while the line is being written
    uint64_t tsc, ns;  // a point of the line
    uint64_t rate;     // ns a tick, in 2^-32
};

// The line through two instants; the first is time 0.
void clock_begin(struct clock *clock, struct clock_pair first, struct clock_pair second);
void clock_correct(struct clock *clock, struct clock_pair now);
uint64_t clock_at(const struct clock *clock, uint64_t tsc);

struct clock_pair clock_read(void);
void clock_start(struct clock *clock); // takes 50 ms

// Any thread may read the clock while another corrects it.
uint64_t clock_ns(const struct clock *clock);

#endif
