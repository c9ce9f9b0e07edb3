// No AQM at all: a packet is refused when a limit of the queue is met, and by nothing else.
#include "dataplane/aqm/aqm.h"

const struct aqm_ops aqm_tail_drop = {.name = "tail-drop",
                                      .help = "no AQM: only the limits of the queue drop"};
