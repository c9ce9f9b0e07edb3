// A pcap file with the run's nanosecond time stamps (Ethernet, libpcap's nanosecond magic).
#ifndef SLUICE_LAB_LINE_CAPTURE_H
#define SLUICE_LAB_LINE_CAPTURE_H

#include <stdint.h>
#include <stdio.h>

struct capture;

// Takes over the file in any case. Returns NULL, with the reason in `error`, after a fault.
struct capture *capture_open(FILE *out, char error[256]);
void capture_frame(struct capture *capture, uint64_t t_ns, const uint8_t *frame, uint32_t octets);

// Returns 0, or -EIO if the file is incomplete.
int capture_close(struct capture *capture);

#endif
