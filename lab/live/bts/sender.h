// The MS's end of an uplink TBF in RLC acknowledged mode (TS 44.060 9.1, 9.3.1): LLC PDUs wait, are
// cut into blocks, and are kept until the network has acknowledged their last block. A TBF that is
// broken off leaves its unacknowledged LLC PDUs for the next TBF, whole.
#ifndef SLUICE_LAB_LIVE_BTS_SENDER_H
#define SLUICE_LAB_LIVE_BTS_SENDER_H

#include "lab/live/bts/rlcmac.h"

#define SENDER_QUEUE_MOST 65536 // octets that wait, the LLC PDU beyond is refused

struct sender_pdu {
    struct sender_pdu *next;
    uint32_t octets, cut; // of `cut` octets there are blocks
    uint32_t last;        // the number of the block with its last octet, when all are cut
    uint8_t at[];
};

enum sender_block_state { SENDER_PENDING, SENDER_NACKED, SENDER_ACKED };
struct sender_block {
    uint8_t octets, state;
    uint8_t at[RLCMAC_BLOCK_MOST];
};

struct sender {
    // All LLC PDUs, and the first one that is not cut whole.
    struct sender_pdu *first, *last, *cutting;
    uint32_t pdus, octets;
    // The TBF. Blocks are numbered without end: va <= again, vs.
    uint32_t va, vs, again; // again: the next of those that wait for acknowledgement to be repeated
    uint8_t tfi, coding, slots;
    bool has_tlli; // of the MS, in each block, until the network has answered with it
    uint32_t tlli;
    bool counts_down;     // later LLC PDUs are for another TBF,
    uint32_t closed_pdus; // and so many of those not cut whole are for this one
    struct sender_block block[RLCMAC_WINDOW];
};

// False: no room.
bool sender_queue(struct sender *sender, const uint8_t *llc, uint32_t octets);
// Octets of LLC PDUs that have not begun, and what the TBF, or the last one, sends in a block
// period.
uint32_t sender_waiting_octets(const struct sender *sender);
uint32_t sender_period_octets(const struct sender *sender);
void sender_release(struct sender *sender);

// A TBF begins, of so many slots. has_tlli: after an access by RACH.
void sender_begin(struct sender *sender, uint8_t tfi, uint8_t coding, uint8_t slots, bool has_tlli,
                  uint32_t tlli);

// The next block: one that the network missed, else a new one, else the oldest that waits for its
// acknowledgement. NULL: the TBF has nothing more to send.
struct sender_sent {
    const struct sender_block *block;
    bool again;
};
struct sender_sent sender_next(struct sender *sender);

// The network's report; bit i of `bitmap`: the block SSN - 1 - i was received. Returns the number
// of LLC PDUs that are acknowledged now.
uint32_t sender_ack(struct sender *sender, uint8_t ssn, uint64_t bitmap);

// The TBF is over, all of it acknowledged, or broken off. Returns as sender_ack.
uint32_t sender_end(struct sender *sender, bool acknowledged);

#endif
