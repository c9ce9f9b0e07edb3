// A pcap file with the run's own nanosecond stamps (Ethernet, libpcap's nanosecond magic).
#ifndef SLUICE_LAB_LINE_CAPTURE_H
#define SLUICE_LAB_LINE_CAPTURE_H

#include <stdint.h>

struct capture;

// NULL, with the reason in `error`, when the file cannot be written.
struct capture *capture_open(const char *path, char error[256]);
void capture_frame(struct capture *capture, uint64_t t_ns, const uint8_t *frame, uint32_t octets);

// 0 or -EIO: whether all that was captured reached the file.
int capture_close(struct capture *capture);

#endif
