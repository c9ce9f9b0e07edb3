// What `sluice gi` says of captures without any TCP that it can measure.
#ifndef SLUICE_CONTROL_CAPTURES_GI_NOTHING_H
#define SLUICE_CONTROL_CAPTURES_GI_NOTHING_H

#include <stdbool.h>

struct gi_counts;

// Whether there was none: then says on stderr what was found in its place, and what to do.
bool gi_nothing(const struct gi_counts *counts);

#endif
