// See counts.h.
#include "control/counts.h"

const struct count_description count_descriptions[COUNT_COUNT] = {
#define COUNT(name, help) {#name, help},
#include "control/counts.def"
#undef COUNT
};
