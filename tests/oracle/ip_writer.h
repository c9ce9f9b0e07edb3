// The senders' lower layers: a UDP datagram with its checksum in IPv4 or IPv6 in an Ethernet frame,
// and fragments of such a frame. Plain and slow, as ip_reader.h, and apart from it.
#ifndef TESTS_ORACLE_IP_WRITER_H
#define TESTS_ORACLE_IP_WRITER_H

#include <stddef.h>

#include "tests/oracle/ip_ends.h"

#define IP_FRAME_OCTETS_MAX 9100

struct ip_frame {
    size_t n;
    uint8_t octets[IP_FRAME_OCTETS_MAX];
};

void ip_write(struct ip_frame *frame, const struct ip_ends *ends, const uint8_t *payload,
              size_t payload_octets);

// The fragment that begins at `offset` of the packet's payload, with an id, so that it is no larger
// than the MTU. Returns where the next one begins, or 0 if it was the last.
size_t ip_fragment(const struct ip_frame *whole, uint32_t id, size_t mtu_octets, size_t offset,
                   struct ip_frame *fragment);

// The checksums of a whole frame, of whatever it holds now.
void ip_repair(struct ip_frame *frame);

#endif
