// RLC/MAC blocks of GPRS (TS 44.060 10 and 11) as an MS reads and writes them. CS-1 to CS-4.
//
// Of the messages of the network those are read that osmo-pcu sends to an MS; a field that is not
// needed is passed over, and what stands behind the last one needed is not looked at. Left out:
// EGPRS, frequency hopping, fixed allocation, power control, starting times, segmented control
// messages.
#ifndef SLUICE_LAB_LIVE_BTS_RLCMAC_H
#define SLUICE_LAB_LIVE_BTS_RLCMAC_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/wire/wire.h"

#define RLCMAC_CODINGS        4
#define RLCMAC_BLOCK_MOST     54 // octets of a CS-4 block, its spare bits included
#define RLCMAC_CONTROL_OCTETS 23
#define RLCMAC_DATA_HEAD      3
#define RLCMAC_BSNS           128u // SNS
#define RLCMAC_WINDOW         64u  // WS
#define RLCMAC_SLOTS          8
#define RLCMAC_USFS           7 // the eighth is nobody's
#define RLCMAC_TFIS           32
#define RLCMAC_PADDING        0x2b

struct rlcmac_coding {
    uint8_t block_octets,
        data_octets; // on the PCU socket; behind the header, length indicators included
};
extern const struct rlcmac_coding rlcmac_coding[RLCMAC_CODINGS];

// The index of the coding scheme of a block by its octets; RLCMAC_CODINGS: none.
uint32_t rlcmac_coding_of(uint32_t octets);

// ---- Downlink ----

enum rlcmac_payload { RLCMAC_DATA, RLCMAC_CONTROL, RLCMAC_CONTROL_HEAD, RLCMAC_RESERVED };

struct rlcmac_head {
    enum rlcmac_payload payload;
    bool polls;           // S/P: the MS is to answer,
    uint8_t after_blocks; // so many block periods later (RRBP)
    uint8_t usf;
};
struct rlcmac_head rlcmac_head(uint8_t first_octet);

// A piece of an LLC PDU in a data block.
struct rlcmac_piece {
    struct octets octets;
    bool ends; // the LLC PDU
};
#define RLCMAC_PIECES_MOST 32

struct rlcmac_data {
    uint8_t tfi, bsn;
    bool final; // FBI
    uint8_t pieces;
    struct rlcmac_piece piece[RLCMAC_PIECES_MOST];
};
// 0, or a wire fault. The block has the octets of a coding scheme.
int rlcmac_data_decode(struct rlcmac_data *data, const uint8_t *b, uint32_t n);

enum rlcmac_type {
    RLCMAC_DOWNLINK_ASSIGNMENT,
    RLCMAC_UPLINK_ASSIGNMENT,
    RLCMAC_UPLINK_ACK,
    RLCMAC_POLLING,
    RLCMAC_RELEASE,
    RLCMAC_REJECT,
    RLCMAC_DUMMY,
    RLCMAC_OTHER
};

enum rlcmac_by { RLCMAC_BY_UP_TFI, RLCMAC_BY_DOWN_TFI, RLCMAC_BY_TLLI };

struct rlcmac_to {
    enum rlcmac_by by;
    uint32_t value;
};

// A message of the network to an MS. Which members count hangs on the type.
struct rlcmac_control {
    enum rlcmac_type type;
    struct rlcmac_to to;
    // Assignments. Bit 7 - n of `slots`: time slot n.
    bool has_tfi, is_new; // is_new: while T3192 runs, another TBF begins (CONTROL_ACK)
    uint8_t tfi, slots;
    uint8_t usf[RLCMAC_SLOTS];
    uint8_t coding; // the index of the uplink's coding scheme, also with UPLINK_ACK
    // UPLINK_ACK
    bool final, has_tlli, may_ask; // may_ask: TBF_EST, for another TBF in the answer
    uint8_t ssn;
    uint64_t bitmap; // bit i: the block SSN - 1 - i was received
    uint32_t tlli;   // that the network knows the MS by
    // RELEASE
    bool up, down;
    // REJECT
    uint32_t wait_ms;
};
int rlcmac_control_decode(struct rlcmac_control *control, const uint8_t *b, uint32_t n);

// ---- Uplink ----

struct rlcmac_up {
    uint8_t countdown, tfi, bsn;
};
// The header of a data block, without length indicators.
void rlcmac_put_head(const struct rlcmac_up *up, bool has_tlli, uint8_t b[RLCMAC_DATA_HEAD]);

struct rlcmac_down_ack {
    uint8_t tfi, ssn;
    bool final;
    uint64_t bitmap;     // as above
    bool asks;           // for an uplink TBF,
    uint16_t ask_octets; // of so many octets of RLC data
};
void rlcmac_put_down_ack(const struct rlcmac_down_ack *ack, uint8_t b[RLCMAC_CONTROL_OCTETS]);
void rlcmac_put_control_ack(uint32_t tlli, uint8_t b[RLCMAC_CONTROL_OCTETS]);
void rlcmac_put_resource_request(uint32_t tlli, uint16_t octets, uint8_t b[RLCMAC_CONTROL_OCTETS]);
void rlcmac_put_dummy(uint32_t tlli, uint8_t b[RLCMAC_CONTROL_OCTETS]);

#endif
