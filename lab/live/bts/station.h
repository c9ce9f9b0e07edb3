// An MS at its radio: its TBFs, when it listens and sends, what it owes to the network.
#ifndef SLUICE_LAB_LIVE_BTS_STATION_H
#define SLUICE_LAB_LIVE_BTS_STATION_H

#include "lab/live/bts/receiver.h"
#include "lab/live/bts/sender.h"
#include "lab/ms/ms.h"
#include "lab/ms/phone.h"

// Of 44.060 table 13.2.1: T3190, T3182, T3180 and T3166 are all 5 s. T3192 follows the network's
// T3193 of 1.6 s. The others are this MS's own.
#define STATION_SILENCE_BLOCKS 250
#define STATION_T3192_BLOCKS   75
#define STATION_ACCESS_BLOCKS  50 // until the next access burst
#define STATION_ASKED_BLOCKS   25 // until it asks again

enum station_up {
    STATION_UP_NONE,
    STATION_UP_ACCESS, // an access burst was sent
    STATION_UP_ASKED,  // a channel was asked for in an answer
    STATION_UP_OPEN
};

struct station {
    struct bts *bts;
    struct ms ms;
    struct ms_counters counters;
    uint32_t tlli, address, link_db;
    uint8_t nsapi;
    char imsi[16];
    // A phone that attaches, whose TLLI, address and context are the network's; NULL: a file's.
    struct phone *phone;
    bool is_on;
    uint64_t resets;       // of LLC, that the phone knows of
    uint64_t ahead_ns;     // of its cell's clock is the phone's, which no move changes: modulo 2^64
    struct ms_keys before; // that its card had
    enum phone_state told_state;
    uint32_t told_address;
    uint8_t told_cause;
    // Downlink
    bool down_open;
    uint8_t down_tfi, down_slots;
    uint64_t down_ends; // the block from which on nobody is there: silence, or the end of T3192
    struct receiver receiver;
    // Uplink
    enum station_up up;
    uint8_t up_slots, usf[RLCMAC_SLOTS];
    uint8_t burst;      // of the last access
    uint16_t frame;     // in which it was sent
    uint64_t up_ends;   // the block in which it gives up
    uint64_t up_solved; // the block by which the network must have answered with the TLLI (T3166)
    uint64_t up_after;  // the block until which a rejection forbids an access
    struct sender sender, held; // held: a queue of user data, until a phone's area is updated
    uint64_t blocks_down, blocks_up;
};

#endif
