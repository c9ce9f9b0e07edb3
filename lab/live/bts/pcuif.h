// The messages between a BTS and osmo-pcu on the PCU socket, a Unix SEQPACKET of which the BTS is
// the server: a header of four octets (type, number of the BTS, two spare), then packed fields in
// little-endian order. osmo-pcu up to 1.2 speaks version 10, 1.3 version 11, from 1.4 on 12. They
// differ in INFO.ind (12 ends with the model of the BTS), and in how a message for the CCCH comes
// and is confirmed: by its octets in version 10, by a number from 11 on.
//
// Left out: E1, interference, neighbours, ETWS, and suspension, which no MS here asks for.
#ifndef SLUICE_LAB_LIVE_BTS_PCUIF_H
#define SLUICE_LAB_LIVE_BTS_PCUIF_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/wire/bssgp_values.h"
#include "dataplane/wire/wire.h"

#define PCUIF_OCTETS_MOST 1007 // of a message to the PCU
#define PCUIF_SLOTS       8
#define PCUIF_CCCH_OCTETS 23
#define PCUIF_BLOCK_MOST  162
#define PCUIF_TEXT_ROOM   128 // of the PCU's version, with a NUL

#define PCUIF_BS_CV_MAX 4 // an uplink TBF counts down its last blocks from there (44.060 9.3.1)

// ---- From the PCU ----

enum pcuif_kind {
    PCUIF_TEXT,     // its version: the first message
    PCUIF_BLOCK,    // for a PDCH; no octets: nothing to send
    PCUIF_CCCH,     // a message for the AGCH or PCH, 23 octets
    PCUIF_ACTIVATE, // or deactivate a PDCH
    PCUIF_OTHER     // of no meaning here
};

struct pcuif {
    enum pcuif_kind kind;
    struct octets octets; // text, block or message
    uint32_t fn;          // of a block
    uint8_t slot;         // of a block, or of ACTIVATE
    bool on;              // of ACTIVATE
    bool confirm;         // of a message for the CCCH: the PCU waits for pcuif_put_confirm
    bool numbered;        // it has a number
    uint8_t sapi;
    uint32_t number;
};

// 0, or a wire fault. The octets stay in the message.
int pcuif_decode(struct pcuif *message, const uint8_t *b, uint32_t n);

// The version of the interface that osmo-pcu of that version speaks, such as "1.1.0".
uint8_t pcuif_version_of(struct octets text);

// ---- To the PCU. Each returns the octets of the message. ----

struct pcuif_cell {
    uint8_t version;
    uint8_t pdchs;  // the last time slots of the carrier
    uint8_t coding; // the best of CS-1 to CS-4, and the one to begin with
    uint16_t nsei, nsvci, bvci, local_port, remote_port;
    uint32_t remote_address; // IPv4, the SGSN's
    struct bssgp_area area;
};

static inline uint8_t pcuif_first_slot(const struct pcuif_cell *cell)
{
    return (uint8_t)(PCUIF_SLOTS - cell->pdchs);
}

uint32_t pcuif_put_info(const struct pcuif_cell *cell, uint8_t b[PCUIF_OCTETS_MOST]);

#define PCUIF_LINK_DB 20 // C/I of a radio without noise

// What came on a PDCH in the block that begins with frame fn, with that C/I; no octets: nothing was
// received.
uint32_t pcuif_put_block(uint32_t fn, uint8_t slot, struct octets block, uint32_t link_db,
                         uint8_t b[PCUIF_OCTETS_MOST]);
// The PCU is to send what goes out on a PDCH with frame fn.
uint32_t pcuif_put_ready(uint32_t fn, uint8_t slot, uint8_t b[PCUIF_OCTETS_MOST]);
// An access burst of 8 bits in frame fn.
uint32_t pcuif_put_access(uint32_t fn, uint8_t burst, uint8_t b[PCUIF_OCTETS_MOST]);
// A message for the CCCH was sent.
uint32_t pcuif_put_confirm(const struct pcuif *message, uint8_t b[PCUIF_OCTETS_MOST]);

// The number of a block, 0 to 11, by its first frame.
static inline uint8_t pcuif_block_number(uint32_t fn)
{
    return (uint8_t)(fn % 52 / 13 * 3 + fn % 13 / 4);
}

#endif
