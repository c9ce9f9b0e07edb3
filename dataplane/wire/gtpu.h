// GTPv1-U (TS 29.281 clause 5.1). Each optional field counts only if its own flag is set; the spare
// bit of the first octet is not looked at. Extension
// headers are walked and stepped over; one that the endpoint must understand is a fault, since none
// is understood yet. The encoder writes no extension headers.
#ifndef SLUICE_WIRE_GTPU_H
#define SLUICE_WIRE_GTPU_H

#include "dataplane/wire/field.h"

#define GTPU_PORT           2152
#define GTPU_OCTETS         8
#define GTPU_OPTIONS_OCTETS 4
#define GTPU_G_PDU          255

#define GTPU_FIELDS(MUST, MAY, T)                                        \
    MUST(T, U8, type, 0, 255, "message type, 255 = G-PDU")               \
    MUST(T, U32, teid, 0, UINT32_MAX, "tunnel endpoint of the receiver") \
    MAY(T, U16, sequence, 0, 0xffff, "sequence number")                  \
    MAY(T, U8, npdu_number, 0, 255, "N-PDU number")                      \
    MUST(T, OCTETS, payload, 0, 65535 - 4, "T-PDU, or the message's information elements")

FIELD_STRUCT(gtpu, GTPU_FIELDS);

int gtpu_decode(struct gtpu *message, const uint8_t *b, uint32_t n);
int gtpu_encode(const struct gtpu *message, uint8_t *b, uint32_t room);

#endif
