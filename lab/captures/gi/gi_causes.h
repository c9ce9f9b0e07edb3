// Why segments to the user were sent again, as far as what passed here tells, and what kept the
// host from sending: windows of 0, silences. Only flows that have any of this need memory for it.
#ifndef SLUICE_GI_CAUSES_H
#define SLUICE_GI_CAUSES_H

#include "lab/captures/gi/gi_half.h"

#define GI_STALL_NS (3 * S_IN_NS) // a silence with data under way that is worth a note

struct gi_causes {
    uint32_t recover;    // while what was sent up to here is not acknowledged, one loss is repaired
    uint32_t advance_us; // when the last ACK that advanced passed
    uint32_t stalled_us;
    uint16_t fast, timeouts, probes, zero_windows, stalls;
    uint8_t duplicates; // ACKs that did not advance, since one did
    bool repairs : 1, closed : 1;
};

// The flow's number for its causes, 0 while it needs none.
typedef uint32_t gi_causes_number;

// Each before the half takes the packet: a segment to the user, so long after the host's last
// packet; one of the user; either, so long after the packet before, GI_STALL_NS or more.
void gi_causes_data(struct gi_records *records, gi_causes_number *number,
                    const struct gi_half *down, const struct gi_packet *packet, uint32_t silent_us);
void gi_causes_ack(struct gi_records *records, gi_causes_number *number, const struct gi_half *down,
                   const struct gi_packet *packet);
void gi_causes_silence(struct gi_records *records, gi_causes_number *number,
                       const struct gi_half *down, uint64_t silence_ns);

// Valid until the next flow needs some.
const struct gi_causes *gi_causes_read(const struct gi_records *records, gi_causes_number number);
// The flow ends.
void gi_causes_end(struct gi_records *records, gi_causes_number *number);

#endif
