// GTPv1-U (TS 29.281): the header of every message (5.1), and the contents of the messages without
// a T-PDU (7). Each optional field is valid only if its own flag is set; the spare bit of the first
// octet is ignored. The chain of extension headers (5.2) stays in its wire form, checked in both
// directions: each header has a length, the last one ends the chain, and an unknown type that an
// endpoint must understand (the two high bits 10 or 11) is a fault.
//
// Echo request and end marker are a `gtpu` with an empty payload. Unused information elements are
// skipped; the first of its type counts. Left out: writing a private extension.
#ifndef SLUICE_WIRE_GTPU_H
#define SLUICE_WIRE_GTPU_H

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/field.h"

#define GTPU_PORT           2152
#define GTPU_OCTETS         8
#define GTPU_OPTIONS_OCTETS 4

#define GTPU_PLAIN 0x30 // version 1, GTP, no options

#define GTPU_ECHO_REQUEST         1
#define GTPU_ECHO_RESPONSE        2
#define GTPU_ERROR_INDICATION     26
#define GTPU_SUPPORTED_EXTENSIONS 31
#define GTPU_END_MARKER           254
#define GTPU_G_PDU                255

#define GTPU_EXTENSION_SERVICE_CLASS 0x20
#define GTPU_EXTENSION_UDP_PORT      0x40
#define GTPU_EXTENSION_PDCP_NUMBER   0xc0

#define GTPU_FIELDS(MUST, MAY, T)                                                           \
    MUST(T, U8, type, 0, 255, "message type, 255 = G-PDU")                                  \
    MUST(T, U32, teid, 0, UINT32_MAX, "tunnel endpoint of the receiver")                    \
    MAY(T, U16, sequence, 0, 0xffff, "sequence number")                                     \
    MAY(T, U8, npdu_number, 0, 255, "N-PDU number")                                         \
    MAY(T, U8, extension_type, 0, 255, "of the first extension header, 0 = none follows")   \
    MAY(T, OCTETS, extensions, 4, 65535 - 4,                                                \
        "the chain: each its length in units of 4, content, type of the next; the last: 0") \
    MUST(T, OCTETS, payload, 0, 65535 - 4, "T-PDU, or the message's information elements")
FIELD_STRUCT(gtpu, GTPU_FIELDS);

#define GTPU_ECHO_RESPONSE_FIELDS(MUST, MAY, T) \
    MUST(T, U8, restart_counter, 0, 255, "Recovery: 0, and of no meaning to the receiver")
FIELD_STRUCT(gtpu_echo_response, GTPU_ECHO_RESPONSE_FIELDS);

#define GTPU_ERROR_INDICATION_FIELDS(MUST, MAY, T)                                         \
    MUST(T, U32, teid, 0, UINT32_MAX, "of the G-PDU that had no tunnel")                   \
    MAY(T, U32, ipv4_address, 0, UINT32_MAX, "where that G-PDU went to; this or the next") \
    MAY(T, IPV6, ipv6_address, 0, 0, "where that G-PDU went to")
FIELD_STRUCT(gtpu_error_indication, GTPU_ERROR_INDICATION_FIELDS);

#define GTPU_SUPPORTED_EXTENSIONS_FIELDS(MUST, MAY, T) \
    MUST(T, OCTETS, types, 0, 255, "types of extension header that the sender knows")
FIELD_STRUCT(gtpu_supported_extensions, GTPU_SUPPORTED_EXTENSIONS_FIELDS);

// The chain may lie in the output buffer only at its final position.
int gtpu_decode(struct gtpu *message, const uint8_t *b, uint32_t n);
int gtpu_encode(const struct gtpu *message, uint8_t *b, uint32_t room);

// The form of nearly every message: a G-PDU without options, complete within n octets. gtpu_decode
// gives the same result; TEID and length are in the header, the payload behind it.
static inline bool gtpu_is_plain(const uint8_t *b, uint32_t n)
{
    return n >= GTPU_OCTETS && b[0] == GTPU_PLAIN && b[1] == GTPU_G_PDU &&
           get_be16(b + 2) <= n - GTPU_OCTETS;
}

// The payloads of the messages of these names.
int gtpu_echo_response_decode(struct gtpu_echo_response *response, const uint8_t *b, uint32_t n);
int gtpu_echo_response_encode(const struct gtpu_echo_response *response, uint8_t *b, uint32_t room);
int gtpu_error_indication_decode(struct gtpu_error_indication *error, const uint8_t *b, uint32_t n);
int gtpu_error_indication_encode(const struct gtpu_error_indication *error, uint8_t *b,
                                 uint32_t room);
int gtpu_supported_extensions_decode(struct gtpu_supported_extensions *supported, const uint8_t *b,
                                     uint32_t n);
int gtpu_supported_extensions_encode(const struct gtpu_supported_extensions *supported, uint8_t *b,
                                     uint32_t room);

// The content, at least two octets, of the first extension header of that type in a decoded
// message; false if there is none.
bool gtpu_extension(const struct gtpu *message, uint8_t type, struct octets *content);

#endif
