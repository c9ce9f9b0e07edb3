// Elements of a PDP context that session management (24.008 10.5.6) and GTP-C (29.060 7.7) share.
// QoS and protocol configuration options are octets: an `abqp` reads the QoS, and the options pass
// unread.
#ifndef SLUICE_WIRE_PDP_H
#define SLUICE_WIRE_PDP_H

#include "dataplane/wire/tlv.h"

#define PDP_ADDRESS_MAX 20 // octets: both families
#define PDP_APN_MAX     100
#define PDP_OPTIONS_MAX 251
#define PDP_QOS_LEAST   3 // the form of R97
#define PDP_QOS_MAX     254

#define PDP_ADDRESS_FIELDS(MUST, MAY, T)                             \
    MUST(T, U8, organisation, 0, 15, "0 ETSI: PPP; 1 IETF")          \
    MUST(T, U8, type, 0, 255, "of IETF: 33 IPv4, 87 IPv6, 141 both") \
    MUST(T, OCTETS, address, 0, PDP_ADDRESS_MAX, "IPv4 first; empty: dynamic")
FIELD_STRUCT(pdp_address, PDP_ADDRESS_FIELDS);

extern const struct field_record pdp_address_record;
#define FIELD_TYPE_PDP_ADDRESS struct pdp_address
#define FIELD_KIND_PDP_ADDRESS FIELD_RECORD, &pdp_address_record

// pdp_address_coding of 24.008, pdp_user_address of 29.060: the spare bits are 0 there, 1 here.
// pdp_apn: labels that fill the element, each behind its length.
extern const struct ie_coding pdp_address_coding, pdp_user_address, pdp_apn;

#endif
