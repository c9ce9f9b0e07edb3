// ICMP echo and echo reply (RFC 792), the only ICMP that a port answers. The encoder computes the
// checksum, the decoder checks it.
#ifndef SLUICE_WIRE_ICMP_H
#define SLUICE_WIRE_ICMP_H

#include "dataplane/wire/field.h"

#define ICMP_ECHO_OCTETS   8
#define IPV4_PROTOCOL_ICMP 1

#define ICMP_ECHO_FIELDS(MUST, MAY, T)                                   \
    MUST(T, BOOL, reply, 0, 1, "type 0, the reply; else 8, the request") \
    MUST(T, U16, identifier, 0, 0xffff, "identifier, the asker's")       \
    MUST(T, U16, sequence, 0, 0xffff, "sequence number")                 \
    MUST(T, OCTETS, payload, 0, 65507, "data, sent back as it came")

FIELD_STRUCT(icmp_echo, ICMP_ECHO_FIELDS);

int icmp_echo_decode(struct icmp_echo *message, const uint8_t *b, uint32_t n);
int icmp_echo_encode(const struct icmp_echo *message, uint8_t *b, uint32_t room);

#endif
