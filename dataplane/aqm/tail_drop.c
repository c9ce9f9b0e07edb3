// No AQM: only the limits of a queue drop.
#include "dataplane/aqm/aqm.h"

const struct aqm_ops aqm_tail_drop = {.name = "tail-drop",
                                      .help = "no AQM: only the limits of the queue drop"};
