// IP packets of flows, to and from octets.
#ifndef SLUICE_LAB_HOSTS_FLOW_PACKET_H
#define SLUICE_LAB_HOSTS_FLOW_PACKET_H

#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "lab/hosts/flow.h"

// Both ports of an ICMP packet are its identifier.
struct flow_packet {
    struct ipv4 ip;
    uint16_t source_port, destination_port;
    union {
        struct udp udp;
        struct tcp tcp;
        struct icmp_echo echo;
    };
};

// Checks all but the content: headers, lengths, checksums.
enum flow_fault flow_packet_decode(struct flow_packet *packet, const uint8_t *ip, uint32_t octets);

// The packet's transport part with its payload, of which `packet->ip.payload` is not set yet, to
// octets. Returns their number.
uint32_t flow_packet_encode(const struct flow_packet *packet, uint8_t *ip);

#endif
