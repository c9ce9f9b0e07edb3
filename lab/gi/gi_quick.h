// The short way of a segment through its flow, for what nearly all are: the flow is calm, nothing
// in it waits for a verdict, and the segment goes on in order. It does what gi_flow_take would, and
// declines whatever else it meets before it has changed anything; then gi_flow_take has it.
#ifndef SLUICE_GI_QUICK_H
#define SLUICE_GI_QUICK_H

#include "lab/gi/gi_batch.h"
#include "lab/gi/gi_flow.h"

// Is a flow calm, after a segment that gi_flow_take has taken? Its ends have addresses of IPv4
// then. A quick one leaves it so.
bool gi_quick_is_calm(const struct gi_flow *flow);

// False: nothing has changed. The flow is calm.
bool gi_quick_take(struct gi_flow *flow, const struct gi_brief *brief, uint64_t now_ns,
                   enum gi_side side, struct gi_records *records);

#endif
