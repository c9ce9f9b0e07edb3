// The octets of a file or a pipe, plain or compressed by gzip or zstd, in large pieces: a reader
// looks at them where they lie, without a copy.
#ifndef SLUICE_LAB_CAPTURE_SOURCE_H
#define SLUICE_LAB_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/captures/read/capture_file.h"

#define CAPTURE_SOURCE_PIECE (256u << 10) // octets
#define CAPTURE_SOURCE_PAGE  4096u
// The most that can be asked for in one piece.
#define CAPTURE_SOURCE_MOST (CAPTURE_OCTETS_MAX + CAPTURE_SOURCE_PAGE)

enum capture_packing { CAPTURE_PLAIN, CAPTURE_GZIP, CAPTURE_ZSTD };

struct capture_unpack; // of gzip or zstd
struct capture_source {
    int fd;
    enum capture_packing packing;
    struct capture_unpack *unpack;
    uint64_t read_octets; // of the file
    uint64_t came_octets; // into the room, since the beginning
    uint64_t skip_octets; // of what is to come, that nobody wants
    uint32_t at, end;     // of what is in the room and not used yet
    uint8_t *room;
};

enum capture_got {
    CAPTURE_GOT_IT,
    CAPTURE_GOT_LATER, // not in the room; with `more`, it is read until it is
    CAPTURE_GOT_END,   // there is nothing any more
    CAPTURE_GOT_DAMAGE
};

// The source reads from the descriptor's place on, and does not close it. False, with the reason.
bool capture_source_open(struct capture_source *source, int fd, char error[CAPTURE_TEXT]);
// So many octets are in the room, from `at` on, at most CAPTURE_SOURCE_MOST. more: what was there
// before is no longer needed. what: whose they are, for the text of the damage.
enum capture_got capture_source_get(struct capture_source *source, uint32_t octets, bool more,
                                    const char *what, char damage[CAPTURE_TEXT]);
static inline enum capture_got capture_source_has(struct capture_source *source, uint32_t octets,
                                                  bool more, const char *what,
                                                  char damage[CAPTURE_TEXT])
{
    if (!source->skip_octets && source->end - source->at >= octets)
        return CAPTURE_GOT_IT;
    return capture_source_get(source, octets, more, what, damage);
}
static inline const uint8_t *capture_source_at(const struct capture_source *source)
{
    return source->room + source->at;
}
// Goes on behind so many octets, whether they are in the room or not.
static inline void capture_source_skip(struct capture_source *source, uint64_t octets)
{
    uint64_t have = source->end - source->at, n = octets < have ? octets : have;
    source->at += (uint32_t)n;
    source->skip_octets += octets - n;
}
void capture_source_close(struct capture_source *source);

#endif
