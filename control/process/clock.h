// The clock of a run in real time: ns since it was started, by the TSC, held against
// CLOCK_MONOTONIC_RAW, from which the kernel's own figure of the TSC's rate may be 0.1 % off.
//
// A clock is a line through one point. clock_correct takes a new line from the point where the old
// one is now, so time never jumps; it takes a second to make up for what it was off.
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

// The line through two instants; the first one is 0.
void clock_begin(struct clock *clock, struct clock_pair first, struct clock_pair second);
void clock_correct(struct clock *clock, struct clock_pair now);
uint64_t clock_at(const struct clock *clock, uint64_t tsc);

struct clock_pair clock_read(void);
void clock_start(struct clock *clock); // takes 50 ms

// Any thread may ask, while one corrects.
uint64_t clock_ns(const struct clock *clock);

#endif
