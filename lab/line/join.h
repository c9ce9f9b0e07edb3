// Joins IP fragments at the end of one line: a datagram's fragments come in order, and at most one
// datagram per queue of the port is in fragments at a time. Anything else is an error of the
// sender.
#ifndef SLUICE_LAB_LINE_JOIN_H
#define SLUICE_LAB_LINE_JOIN_H

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#define JOIN_DATAGRAMS  16
#define JOIN_OCTETS_MAX 4096

struct join_datagram {
    struct ipv6_address source, destination;
    uint32_t id, octets; // octets received so far; 0: a free place
    uint8_t payload[JOIN_OCTETS_MAX];
};

struct join {
    struct join_datagram datagram[JOIN_DATAGRAMS];
};

// Takes one packet and sets *payload: to the packet's payload if the packet is no fragment; to the
// joined payload, valid until the next call, if it is the last fragment; else to none (n = 0).
// Returns NULL, or a text of what is wrong.
const char *join_ipv4(struct join *join, const struct ipv4 *packet, struct octets *payload);
const char *join_ipv6(struct join *join, const struct ipv6 *packet, struct octets *payload);

#endif
