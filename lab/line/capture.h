// A pcap file with the run's nanosecond time stamps (libpcap's nanosecond magic).
#ifndef SLUICE_LAB_LINE_CAPTURE_H
#define SLUICE_LAB_LINE_CAPTURE_H

#include <stdint.h>
#include <stdio.h>

struct capture;

// Takes over the file in any case. Returns NULL, with the reason in `error`, after a fault.
enum capture_kind { CAPTURE_ETHERNET, CAPTURE_IP };
struct capture *capture_open(FILE *out, enum capture_kind kind, char error[256]);
void capture_frame(struct capture *capture, uint64_t t_ns, const uint8_t *frame, uint32_t octets);

// Writes what is still in memory, so that others can read it. capture_close tells a fault.
void capture_flush(struct capture *capture);

// Returns 0, or -EIO if the file is incomplete.
int capture_close(struct capture *capture);

#endif
