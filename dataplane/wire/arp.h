// ARP (RFC 826) for IPv4 over Ethernet: request and reply. Octets after the 28 are padding of the
// frame. Other operations and networks are refused.
#ifndef SLUICE_WIRE_ARP_H
#define SLUICE_WIRE_ARP_H

#include "dataplane/wire/field.h"

#define ARP_OCTETS  28
#define ARP_REQUEST 1
#define ARP_REPLY   2

#define ARP_FIELDS(MUST, MAY, T)                                                \
    MUST(T, U16, operation, ARP_REQUEST, ARP_REPLY, "1 = request, 2 = reply")   \
    MUST(T, MAC, sender_mac, 0, 0, "sender's Ethernet address")                 \
    MUST(T, U32, sender_address, 0, UINT32_MAX, "sender's IPv4 address")        \
    MUST(T, MAC, target_mac, 0, 0, "target's Ethernet address, 0 in a request") \
    MUST(T, U32, target_address, 0, UINT32_MAX, "target's IPv4 address")

FIELD_STRUCT(arp, ARP_FIELDS);

int arp_decode(struct arp *packet, const uint8_t *b, uint32_t n);
int arp_encode(const struct arp *packet, uint8_t *b, uint32_t room);

#endif
