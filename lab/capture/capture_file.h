// Packets of a capture of tcpdump, Wireshark or Sluice, one after the other: pcap or pcapng, with
// stamps in ns. libpcap reads all that it can; a plain pcap file is read by capture_plain.c, which
// is faster and does the same.
#ifndef SLUICE_LAB_CAPTURE_FILE_H
#define SLUICE_LAB_CAPTURE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/base/units.h"

#define CAPTURE_COUNT(name, help) CAPTURE_##name,
enum capture_count {
#include "lab/capture/capture_counts.def"
    CAPTURE_COUNTS
};
#undef CAPTURE_COUNT

// The names and helps, in the order of the enum.
extern const char *const capture_count_names[CAPTURE_COUNTS];
extern const char *const capture_count_helps[CAPTURE_COUNTS];

#define CAPTURE_OCTETS_MAX 262144u // libpcap's largest snap length
#define CAPTURE_TEXT       256

struct capture_packet {
    uint64_t number; // from 1 on, as Wireshark counts
    uint64_t time_ns;
    int link; // DLT_*
    const uint8_t *octets;
    uint32_t captured, length; // length: as it was on the line, and never less than captured
};

#define CAPTURE_PIECE_PACKETS 16384 // at most, of a piece: see below
#define CAPTURE_HEAD_WORDS    4     // of a record: seconds and a part of one, captured, length

// Packets of a piece as they stand in its room, each behind its head, which says what can be.
struct capture_records {
    const uint8_t *room;
    uint64_t number;  // of the first
    uint32_t part_ns; // of a unit of the part
    int link;
    uint32_t n;
    uint32_t at[CAPTURE_PIECE_PACKETS]; // where its octets are in the room
};

static inline uint32_t capture_head_word(const uint8_t *octets, int i)
{
    uint32_t word;
    memcpy(&word, octets - sizeof word * (size_t)(CAPTURE_HEAD_WORDS - i), sizeof word);
    return word;
}
static inline uint64_t capture_head_ns(const uint8_t *octets, uint64_t part_ns)
{
    return capture_head_word(octets, 0) * S_IN_NS + capture_head_word(octets, 1) * part_ns;
}
static inline uint32_t capture_head_captured(const uint8_t *octets)
{
    return capture_head_word(octets, 2);
}
static inline uint32_t capture_head_length(const uint8_t *octets)
{
    return capture_head_word(octets, 3);
}

static inline struct capture_packet capture_record(const struct capture_records *records,
                                                   uint32_t i)
{
    const uint8_t *octets = records->room + records->at[i];
    return (struct capture_packet){.number = records->number + i,
                                   .time_ns = capture_head_ns(octets, records->part_ns),
                                   .link = records->link,
                                   .octets = octets,
                                   .captured = capture_head_captured(octets),
                                   .length = capture_head_length(octets)};
}

struct capture_file;

// "-" is standard input. NULL: error says why.
struct capture_file *capture_file_open(const char *path, char error[CAPTURE_TEXT]);
// The next packets, one at least and at most so many, which are valid until the next call. 0: the
// end.
uint32_t capture_file_read(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t counts[CAPTURE_COUNTS]);

// ---- By pieces, for two threads: capture_plain.h ----

struct capture_piece {
    uint64_t number;       // from 0 on
    uint32_t room, octets; // octets: less than a piece has is the end of the file
    int error;             // errno, or 0
};

// Does the file have pieces? Then it is read by these or by capture_file_read.
bool capture_file_has_pieces(const struct capture_file *file);
// room: 0 or 1, whose packets are no longer needed. Several threads may do this at once.
void capture_file_fetch(const struct capture_file *file, uint64_t number, uint32_t room,
                        struct capture_piece *piece);
// The packets that end in the piece; the pieces come in the order of their numbers. False: there is
// none behind it.
bool capture_file_step(struct capture_file *file, const struct capture_piece *piece,
                       struct capture_records *records, uint64_t counts[CAPTURE_COUNTS]);

// The time of the last packet that was read: one whose stamp is none has it, too. A file that goes
// on where another one ended begins with the time of that; else it is 0.
uint64_t capture_file_time_ns(const struct capture_file *file);
void capture_file_begin_at(struct capture_file *file, uint64_t time_ns);

// Why the end is none, for the file breaks off or is damaged there; NULL: it is the end.
const char *capture_file_damage(const struct capture_file *file);
int capture_file_link(const struct capture_file *file);
// How much of a file has been read, from 0 to 1; less than 0 of what is no file.
double capture_file_progress(const struct capture_file *file);
void capture_file_close(struct capture_file *file);

#endif
