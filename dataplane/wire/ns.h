// NS-UNITDATA over the IP sub-network (TS 48.016): type, SDU control bits, BVCI, and the BSSGP PDU.
#ifndef SLUICE_WIRE_NS_H
#define SLUICE_WIRE_NS_H

#include "dataplane/wire/field.h"

#define NS_UNITDATA_OCTETS 4

#define NS_UNITDATA_FIELDS(MUST, MAY, T)                                           \
    MUST(T, BOOL, request_change_flow, 0, 1, "R bit")                              \
    MUST(T, BOOL, confirm_change_flow, 0, 1, "C bit")                              \
    MUST(T, U16, bvci, 0, 0xffff, "cell; 0 = signalling, 1 = point-to-multipoint") \
    MUST(T, OCTETS, sdu, 0, 65503, "BSSGP PDU")

FIELD_STRUCT(ns_unitdata, NS_UNITDATA_FIELDS);

int ns_unitdata_decode(struct ns_unitdata *pdu, const uint8_t *b, uint32_t n);
int ns_unitdata_encode(const struct ns_unitdata *pdu, uint8_t *b, uint32_t room);

// The four header octets alone.
void ns_unitdata_put_header(const struct ns_unitdata *pdu, uint8_t *b);

#endif
