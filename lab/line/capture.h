// A pcap file with the run's own nanosecond stamps (Ethernet, libpcap's nanosecond magic).
#ifndef SLUICE_LAB_LINE_CAPTURE_H
#define SLUICE_LAB_LINE_CAPTURE_H

#include <stdint.h>
#include <stdio.h>

struct capture;

// Takes the file, also where it cannot: NULL, with the reason in `error`.
struct capture *capture_open(FILE *out, char error[256]);
void capture_frame(struct capture *capture, uint64_t t_ns, const uint8_t *frame, uint32_t octets);

// 0 or -EIO: whether all that was captured reached the file.
int capture_close(struct capture *capture);

#endif
