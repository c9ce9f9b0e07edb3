// A pcap file, version 2.4 in this machine's order of octets, read in large pieces: the packets lie
// in the piece, and are not copied.
#ifndef SLUICE_LAB_CAPTURE_PLAIN_H
#define SLUICE_LAB_CAPTURE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/captures/read/capture_file.h"

#define CAPTURE_PLAIN_PIECE (256u << 10) // octets

struct capture_plain {
    int fd, link;
    uint32_t part_ns, snap; // what a unit of a stamp's second word is; the snap length of the file
    uint32_t at, end;       // of what is in the room and not given out yet
    uint64_t read_octets;   // of the file, up to `end`
    uint8_t *room;
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
void capture_plain_close(struct capture_plain *plain);

#endif
