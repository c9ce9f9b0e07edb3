// IPv6 (RFC 8200). `next_header` is the payload's: the decoder skips hop-by-hop options, routing
// headers and destination options, eight at most. It stops at a fragment header, since further
// headers belong to the reassembled packet. The encoder writes no extension header but the fragment
// header. Left out: the meaning of options, jumbograms (RFC 2675), and source routes: with segments
// left, `destination` is not the last one.
#ifndef SLUICE_WIRE_IPV6_H
#define SLUICE_WIRE_IPV6_H

#include "dataplane/wire/field.h"

#define IPV6_OCTETS          40
#define IPV6_FRAGMENT_OCTETS 8
#define IPV6_EXTENSIONS_MAX  8

#define IPV6_NEXT_HOP_BY_HOP  0
#define IPV6_NEXT_UDP         17
#define IPV6_NEXT_ROUTING     43
#define IPV6_NEXT_FRAGMENT    44
#define IPV6_NEXT_ICMPV6      58
#define IPV6_NEXT_DESTINATION 60

static inline bool ipv6_is_stepped_over(uint8_t next)
{
    return next == IPV6_NEXT_HOP_BY_HOP || next == IPV6_NEXT_ROUTING ||
           next == IPV6_NEXT_DESTINATION;
}

#define IPV6_FRAGMENT_FIELDS(MUST, MAY, T)                     \
    MUST(T, U16, offset, 0, 0x1fff, "in units of 8 octets")    \
    MUST(T, BOOL, more_fragments, 0, 1, "M: not the last one") \
    MUST(T, U32, id, 0, UINT32_MAX, "identification")
FIELD_STRUCT(ipv6_fragment, IPV6_FRAGMENT_FIELDS);

extern const struct field_record ipv6_fragment_record;
#define FIELD_TYPE_IPV6_FRAGMENT struct ipv6_fragment
#define FIELD_KIND_IPV6_FRAGMENT FIELD_RECORD, &ipv6_fragment_record

#define IPV6_FIELDS(MUST, MAY, T)                                                  \
    MUST(T, U8, traffic_class, 0, 255, "DSCP and ECN")                             \
    MUST(T, U32, flow_label, 0, 0xfffff, "flow label")                             \
    MUST(T, U8, next_header, 0, 255, "what the payload is, 17 = UDP, 58 = ICMPv6") \
    MUST(T, U8, hop_limit, 0, 255, "hop limit")                                    \
    MUST(T, IPV6, source, 0, 0, "source address")                                  \
    MUST(T, IPV6, destination, 0, 0, "destination address")                        \
    MAY(T, IPV6_FRAGMENT, fragment, 0, 0, "fragment header")                       \
    MUST(T, OCTETS, payload, 0, 65535, "behind the extension headers; 65527 in a fragment")

FIELD_STRUCT(ipv6, IPV6_FIELDS);

int ipv6_decode(struct ipv6 *packet, const uint8_t *b, uint32_t n);
int ipv6_encode(const struct ipv6 *packet, uint8_t *b, uint32_t room);

// The checksum of RFC 8200 8.1 over the pseudo header and the n octets of a datagram or ICMPv6
// message; 0 if the octets include a correct one.
uint16_t ipv6_checksum(const struct ipv6_address *source, const struct ipv6_address *destination,
                       uint8_t next_header, const uint8_t *b, uint32_t n);

#endif
