// TCP segments in IP fragments. What counts of a segment is its header, which is in the first
// piece, and how many octets there are: so the pieces are joined where they wait, without their
// data, and each is looked for once. Bounded: 64 datagrams at once, of 16 pieces.
#ifndef SLUICE_GI_PIECES_H
#define SLUICE_GI_PIECES_H

#include "lab/captures/gi/gi_window.h"

#define GI_DATAGRAMS      64
#define GI_DATAGRAM_PARTS 16

struct gi_datagram {
    struct ipv6_address source, destination;
    uint32_t id;
    uint32_t sum, total; // octets behind the IP header that are there; of all, 0: not known
    uint32_t ip_octets;
    uint32_t parts; // 0: this is none
    struct {
        struct gi_waiting *waiting;
        uint32_t frame; // that waits there
        uint32_t at, octets;
    } part[GI_DATAGRAM_PARTS];
};

struct gi_pieces {
    uint32_t oldest; // which gives way to the next
    struct gi_datagram datagram[GI_DATAGRAMS];
};

// A piece that waits there. If it is the last one that was missing, the first becomes the segment,
// and the others have the fate `joined`.
void gi_pieces_take(struct gi_pieces *pieces, struct gi_waiting *waiting,
                    const struct gi_piece *piece);

#endif
