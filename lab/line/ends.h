// The hosts at the far end of a line: UDP datagrams to and from the dataplane's port, over IPv4 or
// IPv6, in IP fragments where the link's MTU asks for it. Simulated; the octets are real.
#ifndef SLUICE_LAB_LINE_ENDS_H
#define SLUICE_LAB_LINE_ENDS_H

#include "dataplane/wire/address.h"
#include "lab/line/join.h"
#include "lab/line/line.h"

#define ENDS_OCTETS_MAX 4096 // the largest datagram's payload

// An end of a datagram. IPv4 as ::ffff:a.b.c.d.
struct ends_host {
    struct ipv6_address address;
    struct mac mac;
    uint16_t port;
};

struct ends_datagram {
    struct ipv6_address source, destination;
    uint16_t source_port, destination_port;
    struct octets payload;
};

typedef void ends_datagram_fn(void *self, const struct ends_datagram *datagram, uint64_t now_ns);

struct ends {
    struct line *line;
    struct ends_host to;         // the dataplane's port, its UDP port and its IPv4 address
    struct ipv6_address to_ipv6; // its IPv6 address
    uint16_t mtu_octets;
    uint16_t vlan; // of all frames; 0: they have no tag
    ends_datagram_fn *datagram;
    void *self;
    // The caller has filled in the fields above.
    uint32_t fragment_id;
    uint64_t frames, fragments; // fragments: those frames that were not their datagram's last
    uint64_t faults;            // frames that are no whole UDP datagram
    char first_fault[160];
    struct join join;
};

// Sends a datagram with at most ENDS_OCTETS_MAX octets of payload to queue `queue` of the port;
// `tag` as for line_send. Returns whether the
// port has all of it.
bool ends_send(struct ends *ends, const struct ends_host *from, uint32_t queue,
               struct octets payload, uint64_t tag, uint64_t now_ns);

// A line_deliver_fn: passes a whole datagram to `datagram`; counts a frame with a fault.
void ends_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

#endif
