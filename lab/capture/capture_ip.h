// From a packet of a capture to IP and UDP: Ethernet with up to four VLAN tags, Linux's "cooked"
// headers, raw IP, BSD's loopback. IPv4 and IPv6, their extension headers and fragments.
//
// A fragment that is the first one stands for its datagram: it announces the length, and what is
// missing reads as zeros, as with a snap length. Those behind are counted and left.
#ifndef SLUICE_LAB_CAPTURE_IP_H
#define SLUICE_LAB_CAPTURE_IP_H

#include "dataplane/wire/field.h"
#include "lab/capture/capture_file.h"

struct capture_ip {
    struct ipv6_address source, destination; // IPv4 as ::ffff:a.b.c.d
    uint8_t protocol;
    bool fragment;             // the first one
    uint8_t *octets;           // of the payload, in the packet
    uint32_t captured, length; // captured: octets that are real
    uint32_t room;             // octets that may be written from `octets` on
};

struct capture_udp {
    uint16_t source_port, destination_port;
    const uint8_t *octets;
    uint32_t captured, length;
};

// The packet's verdict is counted. True: it is taken, and *ip says what it is.
bool capture_ip_of(const struct capture_packet *packet, struct capture_ip *ip,
                   uint64_t counts[CAPTURE_COUNTS]);

// Of an IP packet of protocol 17. False: it is left out, and counted.
bool capture_ip_udp(const struct capture_ip *ip, struct capture_udp *udp,
                    uint64_t counts[CAPTURE_COUNTS]);

#endif
