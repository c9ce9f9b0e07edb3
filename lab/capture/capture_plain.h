// A pcap file, version 2.4 in this machine's order of octets, read in large pieces: the packets lie
// in the piece, and are not copied.
#ifndef SLUICE_LAB_CAPTURE_PLAIN_H
#define SLUICE_LAB_CAPTURE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/capture/capture_file.h"

#define CAPTURE_PLAIN_HEAD 16 // octets in front of each packet

struct capture_plain {
    int fd, link;
    uint32_t part_ns, snap; // what a unit of a stamp's second word is; the snap length of the file
    uint32_t at, end;       // of what is in the room and not given out yet
    uint64_t read_octets;   // of the file, up to `end`
    uint8_t *room;          // of these; it changes by pieces
    uint8_t *rooms;
};

// A packet as it stands in the file, with no judgement on its stamp and lengths.
struct capture_raw {
    int64_t seconds, part_ns;
    const uint8_t *octets;
    uint32_t captured, length;
};

// False: the file is of another kind, and none of it has been read.
bool capture_plain_open(struct capture_plain *plain, int fd);
enum capture_plain_got {
    CAPTURE_PLAIN_PACKET,
    CAPTURE_PLAIN_LATER, // it is not in the room; with `more`, it is read until it is
    CAPTURE_PLAIN_END,
    CAPTURE_PLAIN_DAMAGED
};
// more: the packets of the calls before are no longer needed.
enum capture_plain_got capture_plain_next(struct capture_plain *plain, struct capture_raw *raw,
                                          bool more, char damage[CAPTURE_TEXT]);

// ---- By pieces, for two threads ----

// Each thread fetches pieces into a room of its own, several threads at once and in any order. Then
// they are joined in the order of their numbers, and what is given out lies in that room, until
// another piece is fetched into it; that may be once its piece was joined and left.
#define CAPTURE_PLAIN_PIECE (256u << 10)
#define CAPTURE_PLAIN_ROOMS 2
// Packets of a piece.
#define CAPTURE_PLAIN_FRAMES (CAPTURE_PLAIN_PIECE / CAPTURE_PLAIN_HEAD)

void capture_plain_fetch(const struct capture_plain *plain, uint64_t number, uint32_t room,
                         struct capture_piece *piece);
// The next piece stands behind what was left of those before.
void capture_plain_join(struct capture_plain *plain, const struct capture_piece *piece);
// What is left waits for the next piece. False: there is none, and damage says so if something is
// left.
bool capture_plain_leave(struct capture_plain *plain, const struct capture_piece *piece,
                         char damage[CAPTURE_TEXT]);

void capture_plain_close(struct capture_plain *plain);

#endif
