// Ethernet II without a VLAN tag. A frame's padding belongs to nobody: the layer above has a
// length.
#ifndef SLUICE_WIRE_ETHER_H
#define SLUICE_WIRE_ETHER_H

#include "dataplane/wire/field.h"

#define ETHER_OCTETS    14
#define ETHER_TYPE_IPV4 0x0800

#define ETHER_FIELDS(MUST, MAY, T)                                           \
    MUST(T, MAC, destination, 0, 0, "destination address")                   \
    MUST(T, MAC, source, 0, 0, "source address")                             \
    MUST(T, U16, type, 0x0600, 0xffff, "type of the payload, 0x0800 = IPv4") \
    MUST(T, OCTETS, payload, 0, 9000, "the packet")

FIELD_STRUCT(ether, ETHER_FIELDS);

int ether_decode(struct ether *frame, const uint8_t *b, uint32_t n);
int ether_encode(const struct ether *frame, uint8_t *b, uint32_t room);

#endif
