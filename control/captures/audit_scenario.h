// `sluice audit --scenario`: what came for the MSs of a capture and what the BSSs allowed them, as
// a configuration that `sluice run` takes, with the packets and each cell's flow control in files
// beside it.
#ifndef SLUICE_CAPTURES_AUDIT_SCENARIO_H
#define SLUICE_CAPTURES_AUDIT_SCENARIO_H

#include "control/captures/scenario.h"
#include "lab/captures/audit/audit_traffic.h"

// lasts_ns: the capture. Says what is wrong on stderr; false then.
bool audit_scenario_write(const struct scenario *scenario, const struct audit_traffic *traffic,
                          uint64_t lasts_ns);

// With @names@ for what a capture says (audit_scenario.lua).
extern const char audit_scenario_template[];

#endif
