// The messages of RR on the CCCH that assign a TBF to an MS, or none, and those that page one
// (TS 44.018 9.1.18, 9.1.20, 9.1.22, 10.5.2.16). Left out: hopping, starting times, an answer in
// access bursts, a single block for an access in two phases, which no MS here asks for; pages by
// IMSI, and of several MSs.
#ifndef SLUICE_LAB_LIVE_BTS_RR_H
#define SLUICE_LAB_LIVE_BTS_RR_H

#include <stdint.h>

#include "dataplane/wire/wire.h"

#define RR_OCTETS 23

enum rr_type { RR_DOWN, RR_UP, RR_REJECT, RR_PAGE, RR_OTHER };

struct rr_refusal {
    uint8_t burst;
    uint16_t frame;
    uint8_t wait_s;
};
#define RR_REFUSALS 4

struct rr {
    enum rr_type type;
    uint8_t slot, tfi;
    uint32_t tlli;  // of RR_DOWN; of RR_PAGE that of the P-TMSI
    uint8_t burst;  // of RR_UP: of the access burst that it answers,
    uint16_t frame; // sent in that frame, as rr_frame makes it
    uint8_t usf, coding;
    struct rr_refusal refusal[RR_REFUSALS]; // of RR_REJECT
};
int rr_decode(struct rr *rr, const uint8_t b[RR_OCTETS]);

// T1', T3 and T2 of a frame number (44.018 10.5.2.30).
static inline uint16_t rr_frame(uint32_t fn)
{
    return (uint16_t)(fn / (26 * 51) % 32 << 11 | fn % 51 << 5 | fn % 26);
}

#endif
