// What MSs send: answers that they owe, blocks that a USF grants, and access bursts.
#include <string.h>

#include "lab/live/bts/bts_parts.h"
#include "lab/live/bts/rr.h"

static uint16_t to_ask(const struct sender *sender)
{
    return (uint16_t)(sender->octets < UINT16_MAX ? sender->octets : UINT16_MAX);
}

// False: the TBF is gone. An MS with something to send asks for an uplink TBF on this occasion.
static bool put_down_ack(struct station *station, uint8_t tfi, uint8_t *b)
{
    const struct receiver *receiver = &station->receiver;
    if (!station->down_open || station->down_tfi != tfi)
        return false;
    struct rlcmac_down_ack ack = {.tfi = tfi,
                                  .ssn = receiver->vr,
                                  .final = receiver->over,
                                  .bitmap = receiver->vn,
                                  .asks = bts_wants_up(station),
                                  .ask_octets = to_ask(&station->sender)};
    rlcmac_put_down_ack(&ack, b);
    if (ack.asks) {
        station->up = STATION_UP_ASKED;
        station->up_ends = station->bts->block + STATION_ASKED_BLOCKS;
    }
    return true;
}

static bool put_reply(const struct bts_reply *reply, uint8_t *b)
{
    struct station *station = reply->station;
    switch (reply->kind) {
    case BTS_REPLY_DOWN_ACK:
        return put_down_ack(station, reply->tfi, b);
    case BTS_REPLY_REQUEST:
        rlcmac_put_resource_request(station->tlli, to_ask(&station->sender), b);
        return true;
    default:
        rlcmac_put_control_ack(station->tlli, b);
        return true;
    }
}

static void send_reply(struct bts *bts, struct bts_slot *slot, struct bts_reply *reply)
{
    if (put_reply(reply, slot->up)) {
        BTS_ADD(bts, polls_answered);
        BTS_ADD(bts, up_control);
        slot->up_octets = RLCMAC_CONTROL_OCTETS;
        slot->up_from = reply->station;
    } else {
        BTS_ADD(bts, polls_gone);
    }
    reply->station = NULL;
}

static void send_data(struct bts *bts, struct bts_slot *slot, struct station *station)
{
    struct sender_sent sent = sender_next(&station->sender);
    station->blocks_up++;
    slot->up_from = station;
    if (!sent.block) {
        rlcmac_put_dummy(station->tlli, slot->up);
        slot->up_octets = RLCMAC_CONTROL_OCTETS;
        BTS_ADD(bts, up_control);
        return;
    }
    BTS_ADD(bts, up_data);
    bts->count[BTS_COUNT_up_again] += sent.again;
    slot->up_octets = sent.block->octets;
    memcpy(slot->up, sent.block->at, sent.block->octets);
}

void bts_compose(struct bts *bts, uint8_t number)
{
    struct bts_slot *slot = &bts->slot[number];
    struct bts_reply *reply = &slot->reply[bts->block % BTS_REPLIES];
    struct station *granted = slot->granted;
    slot->granted = NULL;
    if (reply->station)
        send_reply(bts, slot, reply);
    else if (granted)
        send_data(bts, slot, granted);
}

#define ONE_PHASE      0x78 // 011110 and two random bits (44.018 table 9.1.8.1)
#define BURSTS_A_BLOCK 4    // each in a frame of its own

void bts_access(struct bts *bts)
{
    uint32_t bursts = 0;
    for (uint32_t i = 0; i < bts->stations && bursts < BURSTS_A_BLOCK; i++) {
        struct station *station = bts->station[i];
        if (station->down_open || !bts_wants_up(station))
            continue;
        uint32_t fn = bts->fn + bursts++;
        station->up = STATION_UP_ACCESS;
        station->up_ends = bts->block + STATION_ACCESS_BLOCKS + rng_below(&bts->rng, 25);
        station->burst = (uint8_t)(ONE_PHASE | rng_below(&bts->rng, 4));
        station->frame = rr_frame(fn);
        BTS_ADD(bts, bursts);
        bts_to_pcu(bts, pcuif_put_access(fn, station->burst, bts->message));
    }
}
