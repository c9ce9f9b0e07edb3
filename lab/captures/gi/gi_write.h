// The files of flows and of losses.
#ifndef SLUICE_GI_WRITE_H
#define SLUICE_GI_WRITE_H

#include "lab/base/table.h"
#include "lab/captures/gi/gi_result.h"

// A row is a struct gi_result, which comes when its flow ends: nobody has them all.
extern const struct table gi_list_flows;

// Each segment that was sent again or came late, with the verdict: the flow by its ends, direction,
// the time of the packet that decided, the segment's first number, and what it counts as.
// `instead`: a verdict of the same flow that is taken back, on the latest such segment if none has
// that number.
extern const struct table gi_list_losses; // its columns
void gi_write_loss(const struct gi_records *records, const struct gi_half *half,
                   enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence);

#endif
