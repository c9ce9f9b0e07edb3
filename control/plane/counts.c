// See counts.h.
#include "control/plane/counts.h"

const struct count_description count_descriptions[COUNT_COUNT] = {
#define COUNT(name, help) {#name, help},
#include "control/plane/counts.def"
#undef COUNT
};

const struct count_description count_gauges[GAUGE_COUNT] = {
#define GAUGE(name, help) {#name, help},
#include "control/plane/gauges.def"
#undef GAUGE
};
