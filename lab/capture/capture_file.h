// Packets of a capture of tcpdump, Wireshark or Sluice, one after the other: pcap or pcapng, with
// stamps in ns. libpcap reads all that it can; a plain pcap file is read by capture_plain.c, which
// is faster and does the same.
#ifndef SLUICE_LAB_CAPTURE_FILE_H
#define SLUICE_LAB_CAPTURE_FILE_H

#include <stdbool.h>
#include <stdint.h>

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

// A piece has at most so many packets.
#define CAPTURE_PIECE_PACKETS 8192
// Does the file have pieces? Then it is read by these or by capture_file_read.
bool capture_file_has_pieces(const struct capture_file *file);
// room: 0 or 1, whose packets are no longer needed. Several threads may do this at once.
void capture_file_fetch(const struct capture_file *file, uint64_t number, uint32_t room,
                        struct capture_piece *piece);
// The packets that end in the piece; the pieces come in the order of their numbers. False: there is
// none behind it.
bool capture_file_step(struct capture_file *file, const struct capture_piece *piece,
                       struct capture_packet *packets, uint32_t *n,
                       uint64_t counts[CAPTURE_COUNTS]);

// Why the end is none, for the file breaks off or is damaged there; NULL: it is the end.
const char *capture_file_damage(const struct capture_file *file);
int capture_file_link(const struct capture_file *file);
// How much of a file has been read, from 0 to 1; less than 0 of what is no file.
double capture_file_progress(const struct capture_file *file);
void capture_file_close(struct capture_file *file);

#endif
