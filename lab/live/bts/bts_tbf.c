// TBFs of MSs begin and end. The network gives each TFI and each USF of a slot to one MS; an MS
// whose TFI or USF is given to another one does not listen to it any more.
#include "lab/live/bts/bts_parts.h"

static bool has_slot(uint8_t slots, uint32_t slot)
{
    return slots >> (7 - slot) & 1;
}

static void forget(struct station **list, uint32_t n, const struct station *station)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == station)
            list[i] = NULL;
}

static void leave_down(struct station *station)
{
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++)
        forget(station->bts->slot[i].down_at, RLCMAC_TFIS, station);
}

void bts_close_down(struct station *station)
{
    if (!station->down_open)
        return;
    leave_down(station);
    station->bts->count[BTS_COUNT_pdus_cut] += station->receiver.pdu_octets > 0;
    station->down_open = false;
}

// A TBF that goes on, in other slots or under another TFI, keeps its blocks.
void bts_open_down(struct station *station, uint8_t tfi, uint8_t slots, bool is_new)
{
    struct bts *bts = station->bts;
    if (is_new || station->receiver.over)
        bts_close_down(station);
    if (!station->down_open) {
        receiver_begin(&station->receiver);
        BTS_ADD(bts, tbfs_down);
    }
    leave_down(station);
    station->down_open = true;
    station->down_tfi = tfi;
    station->down_slots = slots;
    station->down_ends = bts->block + STATION_SILENCE_BLOCKS;
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++)
        if (has_slot(slots, i))
            bts->slot[i].down_at[tfi] = station;
}

void bts_close_up(struct station *station, bool acknowledged)
{
    struct bts *bts = station->bts;
    bool was_open = station->up == STATION_UP_OPEN;
    station->up = STATION_UP_NONE;
    if (!was_open)
        return;
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++) {
        struct bts_slot *slot = &bts->slot[i];
        forget(slot->up_at, RLCMAC_TFIS, station);
        forget(slot->usf_at, RLCMAC_USFS, station);
        slot->granted = slot->granted == station ? NULL : slot->granted;
    }
    bts->count[BTS_COUNT_pdus_up_sent] += sender_end(&station->sender, acknowledged);
}

void bts_open_up(struct station *station, const struct sender *terms, const uint8_t *usf,
                 uint8_t slots)
{
    struct bts *bts = station->bts;
    bts_close_up(station, false);
    sender_begin(&station->sender, terms->tfi, terms->coding, (uint8_t)__builtin_popcount(slots),
                 terms->has_tlli, station->tlli);
    BTS_ADD(bts, tbfs_up);
    station->up = STATION_UP_OPEN;
    station->up_slots = slots;
    station->up_ends = station->up_solved = bts->block + STATION_SILENCE_BLOCKS;
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++) {
        if (!has_slot(slots, i))
            continue;
        bts->slot[i].up_at[terms->tfi] = station;
        if (usf[i] < RLCMAC_USFS)
            bts->slot[i].usf_at[usf[i]] = station;
    }
}

void bts_time_out(struct station *station)
{
    struct bts *bts = station->bts;
    if (station->down_open && bts->block > station->down_ends) {
        bts->count[BTS_COUNT_tbfs_down_silent] += !station->receiver.over;
        bts_close_down(station);
    }
    if (station->up == STATION_UP_NONE)
        return;
    bool unsolved = station->up == STATION_UP_OPEN && station->sender.has_tlli &&
                    bts->block > station->up_solved;
    if (bts->block <= station->up_ends && !unsolved)
        return;
    bts->count[BTS_COUNT_tbfs_up_silent] += station->up == STATION_UP_OPEN;
    bts_close_up(station, false);
}
