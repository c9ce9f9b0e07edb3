// See gi_pieces.h. Pieces that overlap, or go on behind the end, make no datagram; the same piece
// again, as of a packet that was captured twice, changes nothing.
#include "lab/captures/gi/gi_pieces.h"

static bool is_of(const struct gi_datagram *one, const struct gi_packet *packet,
                  const struct gi_piece *piece)
{
    return one->parts && one->id == piece->id &&
           memcmp(&one->source, &packet->from.address, sizeof one->source) == 0 &&
           memcmp(&one->destination, &packet->to.address, sizeof one->destination) == 0;
}

static struct gi_datagram *datagram_of(struct gi_pieces *pieces, const struct gi_packet *packet,
                                       const struct gi_piece *piece)
{
    for (uint32_t i = 0; i < GI_DATAGRAMS; i++)
        if (is_of(&pieces->datagram[i], packet, piece))
            return &pieces->datagram[i];
    struct gi_datagram *one = &pieces->datagram[pieces->oldest++ % GI_DATAGRAMS];
    *one = (struct gi_datagram){
        .source = packet->from.address, .destination = packet->to.address, .id = piece->id};
    return one;
}

// One that has left is judged, so the datagram cannot be put together any more.
static bool all_wait(const struct gi_datagram *one)
{
    for (uint32_t i = 0; i < one->parts; i++)
        if (one->part[i].waiting->frame != one->part[i].frame)
            return false;
    return true;
}

static bool fits(const struct gi_datagram *one, const struct gi_piece *piece)
{
    uint32_t to = piece->at + piece->octets;
    for (uint32_t i = 0; i < one->parts; i++) {
        uint32_t end = one->part[i].at + one->part[i].octets;
        if ((piece->at < end && one->part[i].at < to) || (!piece->more && end > to))
            return false;
    }
    return one->parts < GI_DATAGRAM_PARTS && (!one->total || to <= one->total);
}

static bool is_there(const struct gi_datagram *one, const struct gi_piece *piece)
{
    for (uint32_t i = 0; i < one->parts; i++)
        if (one->part[i].at == piece->at && one->part[i].octets == piece->octets)
            return true;
    return false;
}

static void join(struct gi_datagram *one)
{
    for (uint32_t i = 0; i < one->parts; i++) {
        struct gi_waiting *waiting = one->part[i].waiting;
        waiting->fate = GI_COUNT_joined;
        if (one->part[i].at)
            continue;
        waiting->fate = GI_COUNT_segments;
        waiting->packet.data_octets += one->total - one->part[i].octets;
        waiting->packet.ip_octets = one->ip_octets;
    }
    one->parts = 0;
}

void gi_pieces_take(struct gi_pieces *pieces, struct gi_waiting *waiting,
                    const struct gi_piece *piece)
{
    struct gi_datagram *one = datagram_of(pieces, &waiting->packet, piece);
    if (is_there(one, piece)) {
        waiting->fate = GI_COUNT_joined;
        return;
    }
    if (!fits(one, piece) || !all_wait(one)) {
        one->parts = 0;
        return;
    }
    one->part[one->parts].waiting = waiting;
    one->part[one->parts].frame = waiting->frame;
    one->part[one->parts].at = piece->at;
    one->part[one->parts++].octets = piece->octets;
    one->sum += piece->octets;
    one->ip_octets += waiting->packet.ip_octets;
    if (!piece->more)
        one->total = piece->at + piece->octets;
    if (one->total && one->sum == one->total)
        join(one);
}
