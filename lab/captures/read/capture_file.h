// Packets of a capture of tcpdump, Wireshark or Sluice, one after the other: pcap or pcapng, plain
// or compressed, with stamps in ns.
#ifndef SLUICE_LAB_CAPTURE_FILE_H
#define SLUICE_LAB_CAPTURE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define CAPTURE_COUNT(name, help) CAPTURE_##name,
enum capture_count {
#include "lab/captures/read/capture_counts.def"
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
// Of a descriptor, which it closes.
struct capture_file *capture_file_of(int fd, char error[CAPTURE_TEXT]);
struct capture_filter;
// What the filter leaves out is counted; NULL: nothing.
void capture_file_filter(struct capture_file *file, struct capture_filter *filter);
// The next packets, one at least and at most so many, which are valid until the next call. 0: the
// end.
uint32_t capture_file_read(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t counts[CAPTURE_COUNTS]);

// The time of the first packet, before any is read; false: there is none, or it has no stamp.
bool capture_file_first_ns(struct capture_file *file, uint64_t *time_ns);
// A packet whose stamp is none has the time of the one before it; the first one has this, else 0.
void capture_file_begin_at(struct capture_file *file, uint64_t time_ns);

// Why the end is none, for the file breaks off or is damaged there; NULL: it is the end.
const char *capture_file_damage(const struct capture_file *file);
// Of a pcap file; -1: each packet has its own.
int capture_file_link(const struct capture_file *file);
// How much of a file has been read, from 0 to 1; less than 0 of what is no file.
double capture_file_progress(const struct capture_file *file);
void capture_file_close(struct capture_file *file);

#endif
