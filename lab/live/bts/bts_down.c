// What MSs hear: blocks of their slots, and the CCCH. Whether an MS hears a block is drawn once for
// each MS that it concerns: the one that it is for, and the one that its USF is for.
#include <string.h>

#include "lab/live/bts/bts_parts.h"
#include "lab/live/bts/rr.h"

static bool lost(struct bts *bts, const struct bts_slot *slot, const struct station *station)
{
    return bts_draw(bts, bts->config.loss_down_ppm) ||
           bts_is_noise(bts, station, slot->down_octets);
}

// An answer in a block to come.
static void owe(struct bts *bts, struct bts_slot *slot, struct rlcmac_head head,
                struct bts_reply reply)
{
    struct bts_reply *place = &slot->reply[(bts->block + head.after_blocks) % BTS_REPLIES];
    if (!head.polls)
        return;
    BTS_ADD(bts, polls);
    if (place->station)
        BTS_ADD(bts, polls_gone);
    else
        *place = reply;
}

// ---- LLC PDUs ----

// osmo-pcu keeps a TBF open with a UI frame of SAPI 3 that holds nothing but padding.
static bool is_filler(const uint8_t *llc, uint32_t octets)
{
    static const uint8_t head[] = {0x43, 0xc0, 0x01};
    if (octets < sizeof head || memcmp(llc, head, sizeof head) != 0)
        return false;
    for (uint32_t i = sizeof head; i < octets; i++)
        if (llc[i] != RLCMAC_PADDING)
            return false;
    return true;
}

static void take_pdu(void *self, const uint8_t *llc, uint32_t octets, bool too_long)
{
    struct station *station = self;
    struct bts *bts = station->bts;
    BTS_ADD(bts, pdus_down);
    if (too_long)
        BTS_ADD(bts, pdus_long);
    else if (is_filler(llc, octets))
        BTS_ADD(bts, pdus_filler);
    else if (!bts_phone_down(station, llc, octets)) {
        ms_down(&station->ms, llc, octets, bts_now_ns(bts));
        bts_phone_heard(station);
    }
}

// ---- Data ----

static void take_data(struct bts *bts, struct bts_slot *slot, const struct rlcmac_data *data,
                      struct station *station)
{
    struct receiver_owner owner = {.self = station, .pdu = take_pdu};
    struct receiver *receiver = &station->receiver;
    if (receiver_take(receiver, data, slot->down, slot->down_octets, &owner) == RECEIVER_TAKEN)
        BTS_ADD(bts, down_data_taken);
    else
        BTS_ADD(bts, down_data_duplicate);
    station->blocks_down++;
    station->down_ends =
        bts->block + (receiver->over ? STATION_T3192_BLOCKS : STATION_SILENCE_BLOCKS);
    owe(bts, slot, rlcmac_head(slot->down[0]),
        (struct bts_reply){station, BTS_REPLY_DOWN_ACK, data->tfi});
}

// Returns the MS that heard it.
static struct station *hear_data(struct bts *bts, struct bts_slot *slot, bool *is_lost)
{
    struct rlcmac_data data;
    BTS_ADD(bts, down_data);
    if (rlcmac_data_decode(&data, slot->down, slot->down_octets) < 0) {
        BTS_ADD(bts, down_data_malformed);
        return NULL;
    }
    struct station *station = slot->down_at[data.tfi];
    if (!station) {
        BTS_ADD(bts, down_data_stray);
        return NULL;
    }
    *is_lost = lost(bts, slot, station);
    if (*is_lost)
        BTS_ADD(bts, down_data_lost);
    else
        take_data(bts, slot, &data, station);
    return station;
}

// ---- Control ----

static struct station *by_tlli(struct bts *bts, uint32_t tlli)
{
    for (uint32_t i = 0; i < bts->stations; i++)
        if (bts->station[i]->tlli == tlli || bts_phone_is(bts->station[i], tlli))
            return bts->station[i];
    return NULL;
}

static struct station *by_address(struct bts *bts, struct bts_slot *slot, struct rlcmac_to to)
{
    switch (to.by) {
    case RLCMAC_BY_UP_TFI:
        return slot->up_at[to.value];
    case RLCMAC_BY_DOWN_TFI:
        return slot->down_at[to.value];
    default:
        return by_tlli(bts, to.value);
    }
}

static void take_uplink_ack(struct station *station, const struct rlcmac_control *c)
{
    struct bts *bts = station->bts;
    struct sender *sender = &station->sender;
    sender->coding = c->coding;
    station->up_ends = bts->block + STATION_SILENCE_BLOCKS;
    if (c->has_tlli && sender->has_tlli) {
        sender->has_tlli = false;
        if (c->tlli != sender->tlli) { // another MS has won
            bts_close_up(station, false);
            return;
        }
    }
    if (c->final)
        bts_close_up(station, true);
    else
        bts->count[BTS_COUNT_pdus_up_sent] += sender_ack(sender, c->ssn, c->bitmap);
}

static void take_uplink_assignment(struct station *station, const struct rlcmac_control *c)
{
    if (c->has_tfi && c->slots)
        bts_open_up(station, &(struct sender){.tfi = c->tfi, .coding = c->coding}, c->usf,
                    c->slots);
}

static void take_downlink_assignment(struct station *station, const struct rlcmac_control *c)
{
    if (c->slots)
        bts_open_down(station, c->has_tfi ? c->tfi : station->down_tfi, c->slots, c->is_new);
}

static void take_release(struct station *station, const struct rlcmac_control *c)
{
    if (c->down && c->to.by == RLCMAC_BY_DOWN_TFI)
        bts_close_down(station);
    if (c->up && c->to.by == RLCMAC_BY_UP_TFI)
        bts_close_up(station, false);
}

static void take_reject(struct station *station, const struct rlcmac_control *c)
{
    if (station->up != STATION_UP_OPEN)
        station->up = STATION_UP_NONE;
    station->up_after = station->bts->block + c->wait_ms * MS_IN_NS / BTS_BLOCK_NS;
}

static void take_control(struct station *station, const struct rlcmac_control *c)
{
    switch (c->type) {
    case RLCMAC_DOWNLINK_ASSIGNMENT:
        take_downlink_assignment(station, c);
        break;
    case RLCMAC_UPLINK_ASSIGNMENT:
        take_uplink_assignment(station, c);
        break;
    case RLCMAC_UPLINK_ACK:
        take_uplink_ack(station, c);
        break;
    case RLCMAC_RELEASE:
        take_release(station, c);
        break;
    case RLCMAC_REJECT:
        take_reject(station, c);
        break;
    default: // RLCMAC_POLLING: the answer is all
        break;
    }
}

// 9.3.2.4 of 44.060: the answer to the last acknowledgement of an uplink TBF may ask for the next.
static struct bts_reply reply_to(struct station *station, const struct rlcmac_control *c)
{
    struct bts_reply reply = {station, BTS_REPLY_CONTROL_ACK, 0};
    if (c->type == RLCMAC_UPLINK_ACK && c->final && c->may_ask && bts_wants_up(station)) {
        reply.kind = BTS_REPLY_REQUEST;
        station->up = STATION_UP_ASKED;
        station->up_ends = station->bts->block + STATION_ASKED_BLOCKS;
    }
    return reply;
}

static struct station *hear_control(struct bts *bts, struct bts_slot *slot, bool *is_lost)
{
    struct rlcmac_control control;
    BTS_ADD(bts, down_control);
    if (rlcmac_control_decode(&control, slot->down, slot->down_octets) < 0) {
        BTS_ADD(bts, down_control_malformed);
        return NULL;
    }
    if (control.type == RLCMAC_DUMMY || control.type == RLCMAC_OTHER) {
        BTS_ADD(bts, down_dummy);
        return NULL;
    }
    struct station *station = by_address(bts, slot, control.to);
    if (!station) {
        BTS_ADD(bts, down_control_stray);
        return NULL;
    }
    *is_lost = lost(bts, slot, station);
    if (*is_lost) {
        BTS_ADD(bts, down_control_lost);
        return station;
    }
    BTS_ADD(bts, down_control_taken);
    take_control(station, &control);
    owe(bts, slot, rlcmac_head(slot->down[0]), reply_to(station, &control));
    return station;
}

// ---- A block ----

// An MS that heard the block's content, or not, has heard its USF, or not.
static void hear_usf(struct bts *bts, struct bts_slot *slot, uint8_t usf,
                     const struct station *other, bool other_lost)
{
    struct station *station = usf < RLCMAC_USFS ? slot->usf_at[usf] : NULL;
    if (!station)
        return;
    if (station == other ? other_lost : lost(bts, slot, station)) {
        BTS_ADD(bts, usf_lost);
        return;
    }
    slot->granted = station;
    station->up_ends = bts->block + STATION_SILENCE_BLOCKS;
}

static void hear_block(struct bts *bts, struct bts_slot *slot)
{
    struct rlcmac_head head = rlcmac_head(slot->down[0]);
    struct station *heard = NULL;
    bool is_lost = false;
    if (rlcmac_coding_of(slot->down_octets) == RLCMAC_CODINGS || head.payload == RLCMAC_RESERVED) {
        BTS_ADD(bts, down_odd);
        return;
    }
    if (head.payload == RLCMAC_DATA)
        heard = hear_data(bts, slot, &is_lost);
    else
        heard = hear_control(bts, slot, &is_lost);
    hear_usf(bts, slot, head.usf, heard, is_lost);
}

void bts_hear(struct bts *bts, uint8_t number)
{
    struct bts_slot *slot = &bts->slot[number];
    if (!slot->asked)
        return;
    slot->asked = false;
    if (!slot->came)
        BTS_ADD(bts, unanswered);
    else if (slot->down_octets == 0)
        BTS_ADD(bts, down_idle);
    else
        hear_block(bts, slot);
}

// ---- CCCH ----

static struct station *by_access(struct bts *bts, uint8_t burst, uint16_t frame)
{
    for (uint32_t i = 0; i < bts->stations; i++) {
        struct station *station = bts->station[i];
        if (station->up == STATION_UP_ACCESS && station->burst == burst && station->frame == frame)
            return station;
    }
    return NULL;
}

// An MS that hears of a downlink TBF gives up its own access (44.018 3.5.3.1.2).
static void take_down(struct bts *bts, const struct rr *rr)
{
    struct station *station = by_tlli(bts, rr->tlli);
    if (!station) {
        BTS_ADD(bts, ccch_stray);
        return;
    }
    BTS_ADD(bts, ccch_down);
    if (station->up == STATION_UP_ACCESS)
        station->up = STATION_UP_NONE;
    bts_open_down(station, rr->tfi, (uint8_t)(0x80 >> rr->slot), true);
}

static void take_up(struct bts *bts, const struct rr *rr)
{
    struct station *station = by_access(bts, rr->burst, rr->frame);
    uint8_t usf[RLCMAC_SLOTS] = {[0 ... RLCMAC_SLOTS - 1] = RLCMAC_USFS};
    if (!station) {
        BTS_ADD(bts, ccch_stray);
        return;
    }
    BTS_ADD(bts, ccch_up);
    usf[rr->slot] = rr->usf;
    bts_open_up(station, &(struct sender){.tfi = rr->tfi, .coding = rr->coding, .has_tlli = true},
                usf, (uint8_t)(0x80 >> rr->slot));
}

static void take_refusals(struct bts *bts, const struct rr *rr)
{
    BTS_ADD(bts, ccch_reject);
    for (uint32_t i = 0; i < RR_REFUSALS; i++) {
        struct station *station = by_access(bts, rr->refusal[i].burst, rr->refusal[i].frame);
        if (!station)
            continue;
        station->up = STATION_UP_NONE;
        station->up_after = bts->block + rr->refusal[i].wait_s * S_IN_NS / BTS_BLOCK_NS;
    }
}

static void take_page(struct bts *bts, const struct rr *rr)
{
    struct station *station = by_tlli(bts, rr->tlli);
    if (!station) {
        BTS_ADD(bts, ccch_stray);
        return;
    }
    BTS_ADD(bts, ccch_page);
    bts_hello(station);
}

void bts_hear_ccch(struct bts *bts, const struct pcuif *message)
{
    struct rr rr;
    BTS_ADD(bts, ccch);
    int fault = rr_decode(&rr, message->octets.at);
    if (fault < 0 || rr.type == RR_OTHER)
        BTS_ADD(bts, ccch_odd);
    else if (rr.type == RR_DOWN)
        take_down(bts, &rr);
    else if (rr.type == RR_UP)
        take_up(bts, &rr);
    else if (rr.type == RR_PAGE)
        take_page(bts, &rr);
    else
        take_refusals(bts, &rr);
}
