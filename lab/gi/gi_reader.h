// The frames of capture files, by libpcap: pcap and pcapng, micro- and nanoseconds, either order of
// octets. A frame's octets are valid until the next call.
#ifndef SLUICE_GI_READER_H
#define SLUICE_GI_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GI_READER_TEXT 320

struct gi_frame {
    uint64_t time_ns; // since 1970
    const uint8_t *octets;
    uint32_t captured, length; // length: as it was on the line
    int link;                  // DLT_*
};

struct gi_reader {
    void *pcap;
    FILE *file; // libpcap's, for its position
    int link;
    char fault[GI_READER_TEXT];
};

// "-" is standard input. False: the reason is in fault.
bool gi_reader_open(struct gi_reader *reader, const char *path);
// False: the end, or, with a text in fault, what ended it.
bool gi_reader_next(struct gi_reader *reader, struct gi_frame *frame);
void gi_reader_close(struct gi_reader *reader);

#endif
