// `sluice gi --scenario`: what a capture's users did, as a configuration that `sluice run` takes,
// with the connection vectors and the rates of channels in files beside it.
#ifndef SLUICE_CAPTURES_GI_SCENARIO_H
#define SLUICE_CAPTURES_GI_SCENARIO_H

#include "control/captures/scenario.h"
#include "lab/captures/gi/gi.h"

// Says what is wrong on stderr; false then.
bool gi_scenario_write(const struct scenario *scenario, const struct gi_vectors *vectors,
                       const struct gi_counts *counts);

// With @names@ for what a capture says: the configuration (gi_scenario.lua), and the targets.
extern const char gi_scenario_template[], gi_scenario_targets_template[];

#endif
