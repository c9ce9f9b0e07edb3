// Packets as they stand in a pcap or pcapng file, with no judgement on their stamps and lengths.
#ifndef SLUICE_LAB_CAPTURE_RECORDS_H
#define SLUICE_LAB_CAPTURE_RECORDS_H

#include "lab/captures/read/capture_source.h"

struct capture_raw {
    int64_t seconds, part_ns; // a packet without a stamp: -1
    const uint8_t *octets;
    uint32_t captured, length;
    int link;
};

// Whom a packet of pcapng names.
struct capture_interface {
    uint16_t link;
    bool is_binary; // its stamps count 2^-digits s, else 10^-digits s
    uint8_t digits;
    uint32_t snap; // 0: none
    int64_t offset_s;
};

struct capture_records {
    bool is_pcapng;
    bool is_swapped; // the other order of octets; in pcapng, of the section
    struct {         // of pcap
        int link;
        uint32_t part_ns, snap, head_octets;
        uint16_t minor;
    } pcap;
    struct capture_interface *interface; // of the section
    uint32_t interfaces, room;
};

// Reads the file's head. False, with the reason: this is no capture.
bool capture_records_open(struct capture_records *records, struct capture_source *source,
                          char error[CAPTURE_TEXT]);
// The next packet. more: those of the calls before are no longer needed.
enum capture_got capture_records_next(struct capture_records *records,
                                      struct capture_source *source, struct capture_raw *raw,
                                      bool more, char damage[CAPTURE_TEXT]);
void capture_records_close(struct capture_records *records);

#endif
