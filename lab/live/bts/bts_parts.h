// The inside of a BTS, for the files of this folder.
#ifndef SLUICE_LAB_LIVE_BTS_BTS_PARTS_H
#define SLUICE_LAB_LIVE_BTS_BTS_PARTS_H

#include "dataplane/base/rng.h"
#include "lab/live/bts/bts.h"
#include "lab/live/bts/station.h"

enum bts_reply_kind { BTS_REPLY_DOWN_ACK, BTS_REPLY_CONTROL_ACK, BTS_REPLY_REQUEST };

// What an MS owes in a block to come.
struct bts_reply {
    struct station *station; // NULL: nothing
    enum bts_reply_kind kind;
    uint8_t tfi;
};
#define BTS_REPLIES 8 // more than the blocks that RRBP reaches

struct bts_slot {
    bool active, asked, came; // of the downlink block that is on the air
    uint32_t down_octets, up_octets;
    uint8_t down[PCUIF_BLOCK_MOST], up[RLCMAC_BLOCK_MOST];
    struct station *up_from; // whose block `up` is
    struct station *granted; // the next uplink block, by a USF that was heard
    struct station *down_at[RLCMAC_TFIS], *up_at[RLCMAC_TFIS], *usf_at[RLCMAC_USFS];
    struct bts_reply reply[BTS_REPLIES]; // by the number of the block
};

// Sums over MSs.
struct bts_sums {
    uint64_t waiting, pdus, delivered, up_sent;
};

struct bts {
    struct bts_config config;
    struct bts_owner owner;
    struct rng rng;
    struct ms_shared shared;
    struct station **station;
    uint32_t stations;
    uint64_t block; // the number of the block on the air
    uint32_t fn;    // its first frame
    bool runs;
    char pcu[PCUIF_TEXT_ROOM]; // the version that it says it has
    struct bts_slot slot[PCUIF_SLOTS];
    uint64_t count[BTS_COUNTS], said[BTS_COUNTS];
    // What MSs that left had counted when they did, less what those that came had: modulo 2^64.
    struct bts_sums left;
    uint8_t message[PCUIF_OCTETS_MOST];
};

#define BTS_ADD(bts, name) ((bts)->count[BTS_COUNT_##name]++)

static inline uint64_t bts_now_ns(const struct bts *bts)
{
    return bts->block * BTS_BLOCK_NS;
}

static inline bool bts_draw(struct bts *bts, uint32_t loss_ppm)
{
    return loss_ppm && rng_below(&bts->rng, BTS_PPM) < loss_ppm;
}

// A fifth more of a coding scheme's blocks is lost for each dB below the least C/I at which
// osmo-pcu keeps to it (its cs link-quality-ranges); none from there on.
static inline bool bts_is_noise(struct bts *bts, const struct station *station, uint32_t octets)
{
    static const uint8_t least_db[RLCMAC_CODINGS + 1] = {0, 5, 7, 12, 0};
    uint32_t least = least_db[rlcmac_coding_of(octets)];
    return station->link_db < least && bts_draw(bts, (least - station->link_db) * BTS_PPM / 5);
}

// bts.c: sends bts->message; an LLC PDU of an MS, into one of its queues; an MS more.
void bts_to_pcu(struct bts *bts, uint32_t octets);
void bts_queue(struct station *station, struct sender *queue, const uint8_t *llc, uint32_t octets);
// An LLC PDU goes up from now on: a NULL frame (TS 44.064 6.4.1) if none waits of which nothing is
// sent.
void bts_hello(struct station *station);
void bts_take_in(struct bts *bts, struct station *station);

// bts_phone.c: an MS that attaches. It has come from a cell with that time, and says so.
void bts_phone_make(struct station *station, const struct phone_config *config);
void bts_phone_enter(struct station *station, uint64_t from_ns);
// What does nothing for another MS. At each block's end; behind user data that went up; an LLC PDU
// of SAPI 1, else false; behind any other; whether it is heard by that TLLI, too.
void bts_phone_turn(struct station *station);
// Its user data wait, in station->held.
bool bts_phone_holds(const struct station *station);
void bts_phone_sent(struct station *station);
bool bts_phone_down(struct station *station, const uint8_t *llc, uint32_t octets);
void bts_phone_heard(struct station *station);
bool bts_phone_is(const struct station *station, uint32_t tlli);
void bts_phone_put(const struct station *station, struct json *json);

// bts_report.c: what the MS has counted.
struct bts_sums bts_sums_of(const struct station *station);

// bts_down.c: the block that a slot has got, at its end; a message on the CCCH.
void bts_hear(struct bts *bts, uint8_t slot);
void bts_hear_ccch(struct bts *bts, const struct pcuif *message);

// bts_up.c: what goes up in the block that begins; the accesses of its frames.
void bts_compose(struct bts *bts, uint8_t slot);
void bts_access(struct bts *bts);

// bts_tbf.c
void bts_open_down(struct station *station, uint8_t tfi, uint8_t slots, bool is_new);
void bts_close_down(struct station *station);
void bts_open_up(struct station *station, const struct sender *terms, const uint8_t *usf,
                 uint8_t slots);
void bts_close_up(struct station *station, bool acknowledged);
// What nobody has answered for too long ends.
void bts_time_out(struct station *station);
static inline bool bts_wants_up(const struct station *station)
{
    return station->up == STATION_UP_NONE && station->sender.first &&
           station->bts->block >= station->up_after;
}

#endif
