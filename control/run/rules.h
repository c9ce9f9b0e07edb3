// What a run in real time does for the rules by peer of Gb's device ("peer" of gb.steering), and
// says.
#ifndef SLUICE_CONTROL_RUN_RULES_H
#define SLUICE_CONTROL_RUN_RULES_H

#include <stdint.h>

struct run;

// At the start: how frames come to their worker on each port, and why not in a better way. With one
// worker there is nothing to say.
void rules_tell_steering(const struct run *run);

// Once a second: whether the device has refused rules since, or has taken them all.
void rules_tell(struct run *run, uint64_t now_ns);

#endif
