// The MS's end of a downlink TBF in RLC acknowledged mode (TS 44.060 9.1): the receive window with
// V(R), V(Q) and V(N), and LLC PDUs out of the blocks in their order. Blocks are taken in any order
// and as often as they come.
#ifndef SLUICE_LAB_LIVE_BTS_RECEIVER_H
#define SLUICE_LAB_LIVE_BTS_RECEIVER_H

#include "lab/live/bts/rlcmac.h"

#define RECEIVER_PDU_MOST 1600 // an LLC PDU is 1560 octets at most (44.064 8.9.8)

struct receiver_block {
    uint8_t octets;
    uint8_t at[RLCMAC_BLOCK_MOST];
};

struct receiver {
    uint8_t final;
    uint8_t vr, vq;                             // behind the highest; the lowest that is missing
    uint64_t vn;                                // bit i: V(R) - 1 - i has come
    bool has_final, over;                       // FBI came in block `final`; all before it, too
    bool too_long;                              // the LLC PDU that is not whole yet
    uint32_t pdu_octets;                        // of it; 0: none has begun
    struct receiver_block block[RLCMAC_WINDOW]; // by BSN, from V(Q) on
    uint8_t pdu[RECEIVER_PDU_MOST];
};

void receiver_begin(struct receiver *receiver);

enum receiver_verdict { RECEIVER_TAKEN, RECEIVER_DUPLICATE };

struct receiver_owner {
    void *self;
    // An LLC PDU is whole. too_long: its first octets, the others are gone.
    void (*pdu)(void *self, const uint8_t *llc, uint32_t octets, bool too_long);
};

// A data block has come; the block's header is decoded already.
enum receiver_verdict receiver_take(struct receiver *receiver, const struct rlcmac_data *data,
                                    const uint8_t *b, uint32_t n,
                                    const struct receiver_owner *owner);

static inline bool receiver_has(const struct receiver *receiver, uint8_t bsn)
{
    uint32_t behind = (receiver->vr - bsn) % RLCMAC_BSNS;
    return behind >= 1 && behind <= RLCMAC_WINDOW && receiver->vn >> (behind - 1) & 1;
}

#endif
