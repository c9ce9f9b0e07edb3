// SNDCP SN-UNITDATA (TS 44.065 clause 7.2): one segment of an N-PDU. Only the first segment has the
// compression octet; the segment number is modulo 16, the N-PDU number modulo 4096.
#ifndef SLUICE_WIRE_SNDCP_H
#define SLUICE_WIRE_SNDCP_H

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/field.h"

#define SNDCP_BIT_F 0x40
#define SNDCP_BIT_T 0x20
#define SNDCP_BIT_M 0x10

#define SNDCP_FIRST_OCTETS 4
#define SNDCP_NEXT_OCTETS  3
#define SNDCP_SEGMENTS_MAX 16
#define SNDCP_NPDU_NUMBERS 4096

#define SNDCP_UNITDATA_FIELDS(MUST, MAY, T)                                       \
    MUST(T, BOOL, first, 0, 1, "F: first segment of its N-PDU")                   \
    MUST(T, BOOL, more, 0, 1, "M: more segments follow")                          \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                                            \
    MUST(T, U8, dcomp, 0, 14, "data compression, first segment only")             \
    MUST(T, U8, pcomp, 0, 14, "protocol control compression, first segment only") \
    MUST(T, U8, segment, 0, 15, "segment number")                                 \
    MUST(T, U16, npdu_number, 0, 4095, "N-PDU number")                            \
    MUST(T, OCTETS, data, 0, 1520, "the segment")

FIELD_STRUCT(sndcp_unitdata, SNDCP_UNITDATA_FIELDS);

int sndcp_unitdata_decode(struct sndcp_unitdata *pdu, const uint8_t *b, uint32_t n);
int sndcp_unitdata_encode(const struct sndcp_unitdata *pdu, uint8_t *b, uint32_t room);

// Writes the header; returns its octets, SNDCP_FIRST_OCTETS or SNDCP_NEXT_OCTETS.
static inline uint32_t sndcp_unitdata_put_header(const struct sndcp_unitdata *pdu, uint8_t *b)
{
    uint32_t header = pdu->first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS;
    b[0] = (uint8_t)((pdu->first ? SNDCP_BIT_F : 0) | SNDCP_BIT_T | (pdu->more ? SNDCP_BIT_M : 0) |
                     pdu->nsapi);
    if (pdu->first)
        b[1] = (uint8_t)(pdu->dcomp << 4 | pdu->pcomp);
    put_be16(b + header - 2, (uint16_t)(pdu->segment << 12 | pdu->npdu_number));
    return header;
}

#endif
