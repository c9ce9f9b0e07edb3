// What is under way, one piece for each segment sent: a ring in the order of positions, without
// gaps from una to next. A piece is flying, SACKed, or lost and not yet sent again; the sums of the
// latter two are kept. The ring grows with the window and is given back when nothing is under way.
#include "lab/hosts/tcp_inside.h"

#define ROOM_LEAST 16

static void grow(struct tcp_sent *sent)
{
    uint32_t room = sent->room ? 2 * sent->room : ROOM_LEAST;
    struct tcp_piece *ring = tcp_grow(NULL, room, sizeof *ring);
    for (uint32_t i = 0; i < sent->pieces; i++)
        ring[i] = *tcp_sent_at(sent, i);
    free(sent->ring);
    sent->ring = ring;
    sent->room = room;
    sent->first = 0;
}

struct tcp_piece *tcp_sent_add(struct tcp_sent *sent, uint64_t start, uint32_t octets)
{
    if (sent->pieces == sent->room)
        grow(sent);
    struct tcp_piece *piece = tcp_sent_at(sent, sent->pieces++);
    *piece = (struct tcp_piece){.start = start, .octets = octets, .state = TCP_PIECE_FLYING};
    return piece;
}

static uint64_t *sum_of(struct tcp_sent *sent, uint8_t state)
{
    if (state == TCP_PIECE_FLYING)
        return NULL;
    return state == TCP_PIECE_SACKED ? &sent->sacked_octets : &sent->lost_octets;
}

void tcp_sent_set(struct tcp_sent *sent, struct tcp_piece *piece, uint8_t state)
{
    uint64_t *from = sum_of(sent, piece->state), *to = sum_of(sent, state);
    if (from)
        *from -= piece->octets;
    if (to)
        *to += piece->octets;
    piece->state = state;
}

void tcp_sent_remove(struct tcp_sent *sent, uint64_t ack)
{
    struct tcp_piece *piece = tcp_sent_at(sent, 0);
    uint64_t octets = tcp_min(ack - piece->start, piece->octets);
    uint64_t *sum = sum_of(sent, piece->state);
    if (sum)
        *sum -= octets;
    piece->start += octets;
    piece->octets -= (uint32_t)octets;
    if (piece->octets)
        return;
    sent->first = (sent->first + 1) & (sent->room - 1);
    if (--sent->pieces == 0)
        tcp_sent_clear(sent);
}

uint32_t tcp_sent_find(const struct tcp_sent *sent, uint64_t position)
{
    uint32_t low = 0, high = sent->pieces;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (tcp_piece_end(tcp_sent_at(sent, middle)) > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// A small ring stays, so that a short exchange does not allocate with each segment.
void tcp_sent_clear(struct tcp_sent *sent)
{
    if (sent->room > ROOM_LEAST) {
        free(sent->ring);
        sent->ring = NULL;
        sent->room = 0;
    }
    sent->first = sent->pieces = 0;
    sent->sacked_octets = sent->lost_octets = 0;
}
