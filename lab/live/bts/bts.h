// A BTS with MSs and without a radio, as osmo-pcu sees it on its socket. Blocks go by as on the
// air, 20 ms each (twelve in the 52 frames of a multiframe): what the PCU sends for a block is
// heard at its end; what it grants is sent in the next. Each block and each access is lost or not
// by a draw of its own; the CCCH loses none. An MS is reached by IP packets on one side and by
// RLC/MAC on the other. A BTS is one cell; an MS may change to another's.
//
// No clock and no socket: the owner calls bts_tick at each block's end, and passes messages. Left
// out: EGPRS, multislot limits of an MS, contention on the RACH, DRX.
#ifndef SLUICE_LAB_LIVE_BTS_BTS_H
#define SLUICE_LAB_LIVE_BTS_BTS_H

#include <stdio.h>

#include "lab/base/json.h"
#include "dataplane/base/units.h"
#include "lab/live/bts/pcuif.h"
#include "lab/ms/ms.h"
#include "lab/ms/phone.h"

#define BTS_BLOCK_NS 20000000 // 240 ms / 12
#define BTS_PPM      1000000

enum bts_count {
#define COUNT(name, help) BTS_COUNT_##name,
#include "lab/live/bts/counts.def"
#undef COUNT
    BTS_COUNTS
};

struct bts_config {
    struct pcuif_cell cell; // `version` is set when a PCU connects
    uint32_t loss_down_ppm, loss_up_ppm;
    uint64_t seed;
    // In an MS's modem there waits what it sends in that time, and 1500 octets; a packet more is
    // refused. 0: SENDER_QUEUE_MOST octets, however long they take.
    uint32_t up_queue_s;
};

struct bts_owner {
    void *self;
    // False: it could not be sent.
    bool (*to_pcu)(void *self, const uint8_t *message, uint32_t octets);
    bool (*to_ip)(void *self, const uint8_t *packet, uint32_t octets);
    // What has become of a phone. May be NULL.
    void (*told)(void *self, const char *imsi, const char *what);
};

struct bts_ms {
    char imsi[16];
    uint32_t tlli, address;
    uint8_t nsapi, sapi;
    struct ms_terms terms;
    uint32_t link_db; // C/I of its blocks, both ways: the PCU hears of the uplink's
    // It attaches, and has neither TLLI nor address before. NULL: it is as the fields above say.
    const struct phone_config *phone;
};

struct bts;

struct bts *bts_create(const struct bts_config *config, const struct bts_owner *owner);
void bts_destroy(struct bts *bts);
// 0, or as ms_setup and ms_add_context.
int bts_add_ms(struct bts *bts, const struct bts_ms *ms);

// A PCU has connected, or is gone: all TBFs end.
void bts_connected(struct bts *bts);
void bts_disconnected(struct bts *bts);

// A message of the PCU.
void bts_take(struct bts *bts, const uint8_t *message, uint32_t octets);

// An IP packet on the MSs' side.
void bts_send(struct bts *bts, const uint8_t *packet, uint32_t octets);
// Its source is an MS of this cell.
bool bts_sends(const struct bts *bts, const uint8_t *packet, uint32_t octets);

// An MS changes its cell and sends an LLC PDU there, so that the SGSN learns of it (TS 23.060
// 6.9.1.1). LLC and SNDCP go on; of LLC PDUs that were sent in part the uplink's are sent again.
// What is on the air already still comes to its end. False: `from` has no such MS.
bool bts_move(struct bts *from, struct bts *to, const char *imsi);

// The end of a block. The owner calls it not earlier than all blocks asked for have come
// (bts_waits), unless the PCU is too late.
void bts_tick(struct bts *bts);
bool bts_waits(const struct bts *bts);
// The PCU has its INFO.ind, so the clock runs.
bool bts_runs(const struct bts *bts);

// ---- What it did ----

uint64_t bts_counted(const struct bts *bts, enum bts_count count);
// NULL, or which equation does not hold.
const char *bts_wrong(const struct bts *bts);
// One line of what was counted since the last one.
void bts_say(struct bts *bts, FILE *out);
// Members of an object: all counts, and each MS.
void bts_put(const struct bts *bts, struct json *json);

#endif
