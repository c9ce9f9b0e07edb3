// IPv4 (RFC 791) as the outer packet of Gn and Gb, and for the lab's inner packets. The encoder
// writes no options; the decoder skips them.
#ifndef SLUICE_WIRE_IPV4_H
#define SLUICE_WIRE_IPV4_H

#include "dataplane/wire/field.h"

#define IPV4_OCTETS       20
#define IPV4_PROTOCOL_TCP 6
#define IPV4_PROTOCOL_UDP 17
#define IPV4_FLAG_DF      0x4000
#define IPV4_FLAG_MF      0x2000

#define IPV4_FIELDS(MUST, MAY, T)                                    \
    MUST(T, U8, tos, 0, 255, "DSCP and ECN")                         \
    MUST(T, U16, id, 0, 0xffff, "identification")                    \
    MUST(T, BOOL, dont_fragment, 0, 1, "DF")                         \
    MUST(T, BOOL, more_fragments, 0, 1, "MF")                        \
    MUST(T, U16, fragment_offset, 0, 0x1fff, "in units of 8 octets") \
    MUST(T, U8, ttl, 0, 255, "time to live")                         \
    MUST(T, U8, protocol, 0, 255, "17 = UDP")                        \
    MUST(T, U32, source, 0, UINT32_MAX, "source address")            \
    MUST(T, U32, destination, 0, UINT32_MAX, "destination address")  \
    MUST(T, OCTETS, payload, 0, 65515, "what the protocol carries")

FIELD_STRUCT(ipv4, IPV4_FIELDS);

int ipv4_decode(struct ipv4 *packet, const uint8_t *b, uint32_t n);
int ipv4_encode(const struct ipv4 *packet, uint8_t *b, uint32_t room);

// The ones' complement sum of RFC 1071 over n octets, to be continued or folded.
uint32_t ipv4_sum(uint32_t sum, const uint8_t *b, uint32_t n);
static inline uint16_t ipv4_fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

// Writes the 20 header octets: total length from payload_octets, checksum included.
void ipv4_put_header(const struct ipv4 *packet, uint32_t payload_octets, uint8_t *b);

#endif
