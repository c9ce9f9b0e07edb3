// Which packets of a capture are read: an expression of libpcap's, as tcpdump's, such as
// "host 10.0.0.1 and tcp port 80". It is compiled for each link type that comes.
#ifndef SLUICE_LAB_CAPTURE_FILTER_H
#define SLUICE_LAB_CAPTURE_FILTER_H

#include "lab/captures/read/capture_file.h"

struct capture_filter;

// The text must last as long as the filter. NULL: it is no expression, for Ethernet or for IP
// alone, and error says why.
struct capture_filter *capture_filter_create(const char *text, char error[CAPTURE_TEXT]);
void capture_filter_destroy(struct capture_filter *filter); // or NULL

// Whether it takes the packet. -1: it does not fit the packet's link type, and error says why.
int capture_filter_takes(struct capture_filter *filter, const struct capture_packet *packet,
                         char error[CAPTURE_TEXT]);

#endif
