// Layer 3 messages of an MS (TS 24.008), of mobility management (gmm.h) and session management
// (sm.h): protocol discriminator, type, mandatory elements without tags in a fixed order, then
// optional elements with tags. They are tables as in tlv.h, and the encoder is that one.
//
// The decoder follows 24.008 clause 8 and 24.007 11.2: what is wrong with a mandatory element is a
// fault. Of the optional ones it skips a repeated element, one out of sequence, one that cannot be
// read, and an unknown one: one octet if bit 8 of its tag is set, else a length and a value. Only
// an unknown tag from 0 to 15 is a fault, for the sender requires that it is understood.
//
// A message whose skip indicator is not 0 is to be ignored, and so is one with an extended TI,
// which is not given to contexts here: both are WIRE_RESERVED at octet 0.
#ifndef SLUICE_WIRE_L3_H
#define SLUICE_WIRE_L3_H

#include "dataplane/wire/bssgp_values.h"
#include "dataplane/wire/tlv.h"

#define L3_GMM 0x08 // protocol discriminators
#define L3_SM  0x0a

#define L3_RA_CAPABILITY_MAX      51
#define L3_NETWORK_CAPABILITY_MAX 8

int l3_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n);
int l3_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room);

// The cause of the STATUS or REJECT that answers a fault of l3_decode, or of an unknown type
// (WIRE_TYPE): 24.008 8.4 to 8.7.
#define L3_CAUSE_MANDATORY   96
#define L3_CAUSE_TYPE        97
#define L3_CAUSE_CONDITIONAL 100
uint8_t l3_cause(enum wire_err err);

// A mobile identity, 24.008 10.5.1.4: one of these, or none, which is an identity of its own.
#define L3_IDENTITY_FIELDS(MUST, MAY, T)                \
    MAY(T, DIGITS, imsi, 5, 15, "IMSI")                 \
    MAY(T, DIGITS, imei, 14, 16, "IMEI")                \
    MAY(T, DIGITS, imeisv, 16, 16, "IMEI with version") \
    MAY(T, U32, tmsi, 0, UINT32_MAX, "TMSI or P-TMSI")
FIELD_STRUCT(l3_identity, L3_IDENTITY_FIELDS);

extern const struct field_record l3_identity_record;
#define FIELD_TYPE_IDENTITY struct l3_identity
#define FIELD_KIND_IDENTITY FIELD_RECORD, &l3_identity_record

// l3_old_area: an area whose PLMN cannot be read counts as deleted, 24.008 10.5.5.15, and becomes
// PLMN 000-00 with the LAC 0xfffe. l3_pdp_status: bit n is NSAPI n. l3_ti: the first two octets of
// SM, of which the type is the caller's.
extern const struct ie_coding l3_identity_coding, l3_imeisv, l3_tmsi, l3_old_area, l3_pdp_status,
    l3_ti;

#endif
