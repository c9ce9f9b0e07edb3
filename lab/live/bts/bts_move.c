// An MS changes its cell. It takes along its LLC and SNDCP, the uplink LLC PDUs that the network
// has not acknowledged, and what it has counted. Its TBFs, its accesses and what it owes stay
// behind and end: blocks for it in the old cell are for nobody from then on.
#include <string.h>

#include "lab/live/bts/bts_parts.h"

static struct station *by_imsi(struct bts *bts, const char *imsi)
{
    for (uint32_t i = 0; i < bts->stations; i++)
        if (strcmp(bts->station[i]->imsi, imsi) == 0)
            return bts->station[i];
    return NULL;
}

static void drop_replies(struct bts *bts, const struct station *station)
{
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++)
        for (uint32_t r = 0; r < BTS_REPLIES; r++)
            if (bts->slot[i].reply[r].station == station) {
                BTS_ADD(bts, polls_gone);
                bts->slot[i].reply[r].station = NULL;
            }
}

// The others keep their order.
static void take_out(struct bts *bts, const struct station *station)
{
    uint32_t at = 0;
    while (bts->station[at] != station)
        at++;
    bts->stations--;
    memmove(bts->station + at, bts->station + at + 1,
            (bts->stations - at) * sizeof(struct station *));
}

static void leave(struct bts *bts, struct station *station)
{
    bts_close_down(station);
    bts_close_up(station, false);
    drop_replies(bts, station);
    take_out(bts, station);
    struct bts_sums sums = bts_sums_of(station);
    bts->left.pdus += sums.pdus;
    bts->left.delivered += sums.delivered;
    bts->left.up_sent += sums.up_sent;
    bts->count[BTS_COUNT_pdus_up_out] += sums.waiting;
    BTS_ADD(bts, moves_out);
}

static void enter(struct bts *bts, struct station *station)
{
    bts_take_in(bts, station);
    station->ms.has_moved = true;
    station->up_after = 0; // of the old cell's blocks
    struct bts_sums sums = bts_sums_of(station);
    bts->left.pdus -= sums.pdus;
    bts->left.delivered -= sums.delivered;
    bts->left.up_sent -= sums.up_sent;
    bts->count[BTS_COUNT_pdus_up_in] += sums.waiting;
    BTS_ADD(bts, moves_in);
}

bool bts_move(struct bts *from, struct bts *to, const char *imsi)
{
    struct station *station = by_imsi(from, imsi);
    if (!station)
        return false;
    leave(from, station);
    enter(to, station);
    if (station->phone)
        bts_phone_enter(station, bts_now_ns(from));
    else
        bts_hello(station); // any LLC PDU will do
    return true;
}
