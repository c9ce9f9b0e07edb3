// UDP (RFC 768). The checksum needs the addresses of the layer below, so it has functions of its
// own; 0 on the wire means no checksum.
#ifndef SLUICE_WIRE_UDP_H
#define SLUICE_WIRE_UDP_H

#include "dataplane/wire/field.h"

#define UDP_OCTETS 8

#define UDP_FIELDS(MUST, MAY, T)                                                \
    MUST(T, U16, source_port, 0, 0xffff, "source port")                         \
    MUST(T, U16, destination_port, 0, 0xffff, "destination port")               \
    MUST(T, U16, checksum, 0, 0xffff, "0 = none; udp_put_checksum computes it") \
    MUST(T, OCTETS, payload, 0, 65507, "the datagram")

FIELD_STRUCT(udp, UDP_FIELDS);

int udp_decode(struct udp *datagram, const uint8_t *b, uint32_t n);
int udp_encode(const struct udp *datagram, uint8_t *b, uint32_t room);

// Writes the checksum of RFC 768 into the n octets of a datagram between two IPv4 addresses.
void udp_put_checksum(uint8_t *b, uint32_t n, uint32_t source, uint32_t destination);

// The same between two IPv6 addresses, where a checksum is mandatory (RFC 8200 8.1).
void udp_put_checksum_ipv6(uint8_t *b, uint32_t n, const struct ipv6_address *source,
                           const struct ipv6_address *destination);

// Checks a decoded datagram over IPv6: 0, or the fault.
int udp_check_checksum_ipv6(const uint8_t *b, uint32_t n, const struct ipv6_address *source,
                            const struct ipv6_address *destination);

#endif
