// Ethernet II, with or without one IEEE 802.1Q tag. The payload includes the frame's padding; the
// layer above has a length. Of two tags the outer one is read; the type is then 0x8100.
#ifndef SLUICE_WIRE_ETHER_H
#define SLUICE_WIRE_ETHER_H

#include "dataplane/wire/field.h"

#define ETHER_OCTETS     14
#define ETHER_TAG_OCTETS 4
#define ETHER_TYPE_IPV4  0x0800
#define ETHER_TYPE_ARP   0x0806
#define ETHER_TYPE_VLAN  0x8100
#define ETHER_TYPE_IPV6  0x86dd
#define ETHER_TYPE_STAG  0x88a8 // the outer of two tags (802.1ad); never decoded
#define ETHER_VID_MASK   0x0fff // in a tag

#define ETHER_FIELDS(MUST, MAY, T)                                               \
    MUST(T, MAC, destination, 0, 0, "destination address")                       \
    MUST(T, MAC, source, 0, 0, "source address")                                 \
    MAY(T, U16, vlan_tci, 0, 0xffff, "VLAN tag: priority 3 bits, DEI 1, VID 12") \
    MUST(T, U16, type, 0x0600, 0xffff, "type of the payload, 0x0800 = IPv4")     \
    MUST(T, OCTETS, payload, 0, 9000, "the packet")

FIELD_STRUCT(ether, ETHER_FIELDS);

int ether_decode(struct ether *frame, const uint8_t *b, uint32_t n);
int ether_encode(const struct ether *frame, uint8_t *b, uint32_t room);

#endif
