// Packets of a capture of tcpdump, Wireshark or Sluice, one after the other: pcap or pcapng, by
// libpcap, with stamps in ns. A packet lies in the reader's own memory with zeros behind it, as
// many as the snap length cut off, so that codecs read it as a whole packet; `captured` says how
// many octets are real.
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
// The packet's memory: behind a packet of any length a UDP datagram may be announced.
#define CAPTURE_ROOM (CAPTURE_OCTETS_MAX + 0x10000u)

struct capture_packet {
    uint64_t number; // from 1 on, as Wireshark counts
    uint64_t time_ns;
    int link;        // DLT_*
    uint8_t *octets; // CAPTURE_ROOM of them, which the packet's readers may change
    uint32_t captured, length;
};

struct capture_file;

// NULL: error says why.
struct capture_file *capture_file_open(const char *path, char error[256]);
// True: a packet. False: the end.
bool capture_file_next(struct capture_file *file, struct capture_packet *packet,
                       uint64_t counts[CAPTURE_COUNTS]);
// Why the end is none, for the file breaks off or is damaged there; NULL: it is the end.
const char *capture_file_damage(const struct capture_file *file);
void capture_file_close(struct capture_file *file);

#endif
