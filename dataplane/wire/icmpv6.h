// The ICMPv6 messages of a port: echo (RFC 4443), neighbour solicitation and advertisement (RFC
// 4861) with the link-layer address option; other options are skipped. The checksum needs the
// addresses of the layer below, so writing and checking it are separate functions, as with UDP. The
// caller checks that a neighbour's message has hop limit 255, a target that is no multicast
// address, and from :: no link-layer address.
#ifndef SLUICE_WIRE_ICMPV6_H
#define SLUICE_WIRE_ICMPV6_H

#include "dataplane/wire/field.h"

#define ICMPV6_ECHO_OCTETS      8
#define ICMPV6_NEIGHBOUR_OCTETS 24
#define ICMPV6_OPTION_OCTETS    8

#define ICMPV6_ECHO_FIELDS(MUST, MAY, T)                                     \
    MUST(T, BOOL, reply, 0, 1, "type 129, the reply; else 128, the request") \
    MUST(T, U16, checksum, 0, 0xffff, "icmpv6_put_checksum computes it")     \
    MUST(T, U16, identifier, 0, 0xffff, "identifier, the asker's")           \
    MUST(T, U16, sequence, 0, 0xffff, "sequence number")                     \
    MUST(T, OCTETS, payload, 0, 65527, "data, sent back as it came")
FIELD_STRUCT(icmpv6_echo, ICMPV6_ECHO_FIELDS);

#define ICMPV6_NEIGHBOUR_SOLICITATION_FIELDS(MUST, MAY, T)               \
    MUST(T, U16, checksum, 0, 0xffff, "icmpv6_put_checksum computes it") \
    MUST(T, IPV6, target, 0, 0, "whose link-layer address is asked for") \
    MAY(T, MAC, source_mac, 0, 0, "the asker's link-layer address")
FIELD_STRUCT(icmpv6_neighbour_solicitation, ICMPV6_NEIGHBOUR_SOLICITATION_FIELDS);

#define ICMPV6_NEIGHBOUR_ADVERTISEMENT_FIELDS(MUST, MAY, T)              \
    MUST(T, U16, checksum, 0, 0xffff, "icmpv6_put_checksum computes it") \
    MUST(T, BOOL, router, 0, 1, "R: the sender is a router")             \
    MUST(T, BOOL, solicited, 0, 1, "S: answers a solicitation")          \
    MUST(T, BOOL, override, 0, 1, "O: replaces what is known")           \
    MUST(T, IPV6, target, 0, 0, "whose link-layer address it is")        \
    MAY(T, MAC, target_mac, 0, 0, "the target's link-layer address")
FIELD_STRUCT(icmpv6_neighbour_advertisement, ICMPV6_NEIGHBOUR_ADVERTISEMENT_FIELDS);

int icmpv6_echo_decode(struct icmpv6_echo *message, const uint8_t *b, uint32_t n);
int icmpv6_echo_encode(const struct icmpv6_echo *message, uint8_t *b, uint32_t room);
int icmpv6_neighbour_solicitation_decode(struct icmpv6_neighbour_solicitation *message,
                                         const uint8_t *b, uint32_t n);
int icmpv6_neighbour_solicitation_encode(const struct icmpv6_neighbour_solicitation *message,
                                         uint8_t *b, uint32_t room);
int icmpv6_neighbour_advertisement_decode(struct icmpv6_neighbour_advertisement *message,
                                          const uint8_t *b, uint32_t n);
int icmpv6_neighbour_advertisement_encode(const struct icmpv6_neighbour_advertisement *message,
                                          uint8_t *b, uint32_t room);

// Writes the checksum of RFC 4443 2.3 into a message of n octets, at least 4.
void icmpv6_put_checksum(uint8_t *b, uint32_t n, const struct ipv6_address *source,
                         const struct ipv6_address *destination);

// Checks a decoded message: 0, or the fault.
int icmpv6_check_checksum(const uint8_t *b, uint32_t n, const struct ipv6_address *source,
                          const struct ipv6_address *destination);

#endif
