// IP fragments back to datagrams, as a host at the end of one line sees them: those of a datagram
// come in order, and no more datagrams are under way at once than the port has queues. Anything
// else is a fault of the sender's.
#ifndef SLUICE_LAB_BSS_JOIN_H
#define SLUICE_LAB_BSS_JOIN_H

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#define JOIN_DATAGRAMS  16
#define JOIN_OCTETS_MAX 4096

struct join_datagram {
    struct ipv6_address source, destination;
    uint32_t id, octets; // none: free
    uint8_t payload[JOIN_OCTETS_MAX];
};

struct join {
    struct join_datagram datagram[JOIN_DATAGRAMS];
};

// Each takes one packet and sets *payload to that of its datagram: its own, if it is no fragment;
// all of it, until the next call, if this was the last one; none (n is 0) if more are to come.
// NULL, or in words what is wrong.
const char *join_ipv4(struct join *join, const struct ipv4 *packet, struct octets *payload);
const char *join_ipv6(struct join *join, const struct ipv6 *packet, struct octets *payload);

#endif
