// The information elements of GTPv1-C (TS 29.060 clause 7.7), each declared once: tag, format,
// coding, least and most octets of its value, then kind, range and meaning of its field.
#ifndef SLUICE_WIRE_GTPC_IES_H
#define SLUICE_WIRE_GTPC_IES_H

#include "dataplane/wire/bssgp_values.h"
#include "dataplane/wire/pdp.h"
#include "dataplane/wire/tlv.h"

#define GTPC_QOS_LEAST (1 + PDP_QOS_LEAST)
#define GTPC_QOS_MAX   (1 + PDP_QOS_MAX)

// Of the header: its second half is the TEID, then the sequence number and two octets of flags that
// are not set.
#define GTPC_IE_TEID \
    0, IE_V, ie_uint, 4, 4, U32, 0, UINT32_MAX, "the receiver's; 0 in a first request"
#define GTPC_IE_SEQUENCE 0, IE_V, gtpc_sequence, 4, 4, U16, 0, 0xffff, "echoed by the response"

#define GTPC_IE_CAUSE     1, IE_TV, ie_uint, 1, 1, U8, 0, 255, "cause, 7.7.1; 128 to 191 accepted"
#define GTPC_IE_IMSI      2, IE_TV, gtpc_digits, 8, 8, DIGITS, 5, 15, "IMSI"
#define GTPC_IE_RAI       3, IE_TV, bssgp_area_coding, 6, 6, RAI, 0, 0, "routeing area of the MS"
#define GTPC_IE_REORDER   8, IE_TV, gtpc_low_bits, 1, 1, BOOL, 0, 1, "G-PDUs need to be in order"
#define GTPC_IE_RECOVERY  14, IE_TV, ie_uint, 1, 1, U8, 0, 255, "restart counter of the sender"
#define GTPC_IE_SELECTION 15, IE_TV, gtpc_low_bits, 1, 1, U8, 0, 3, "0 APN verified, 1 from the MS"
#define GTPC_IE_TEID_DATA 16, IE_TV, ie_uint, 4, 4, U32, 0, UINT32_MAX, "for G-PDUs to the sender"
#define GTPC_IE_TEID_CONTROL \
    17, IE_TV, ie_uint, 4, 4, U32, 0, UINT32_MAX, "for messages to the sender"
#define GTPC_IE_TEAR_DOWN   19, IE_TV, gtpc_low_bits, 1, 1, BOOL, 0, 1, "all contexts of the address"
#define GTPC_IE_NSAPI       20, IE_TV, ie_low_bits, 1, 1, U8, 0, 15, "NSAPI, 5 to 15"
#define GTPC_IE_CHARGING_ID 127, IE_TV, ie_uint, 4, 4, U32, 0, UINT32_MAX, "charging id"

#define GTPC_IE_USER_ADDRESS \
    128, IE_TLV16, pdp_user_address, 2, 2 + PDP_ADDRESS_MAX, PDP_ADDRESS, 0, 0, "end user address"
#define GTPC_IE_APN \
    131, IE_TLV16, pdp_apn, 1, PDP_APN_MAX, OCTETS, 1, PDP_APN_MAX, "access point name: labels"
#define GTPC_IE_OPTIONS                                                       \
    132, IE_TLV16, ie_octets, 1, PDP_OPTIONS_MAX, OCTETS, 1, PDP_OPTIONS_MAX, \
        "protocol configuration options"
#define GTPC_IE_NODE_ADDRESS \
    133, IE_TLV16, ie_uint, 4, 4, U32, 0, UINT32_MAX, "IPv4 address of the sender"
#define GTPC_IE_MSISDN 134, IE_TLV16, gtpc_msisdn, 2, 9, DIGITS, 1, 15, "international number"
#define GTPC_IE_QOS                                                                               \
    135, IE_TLV16, ie_octets, GTPC_QOS_LEAST, GTPC_QOS_MAX, OCTETS, GTPC_QOS_LEAST, GTPC_QOS_MAX, \
        "allocation and retention priority, then quality of service"
#define GTPC_IE_RAT      151, IE_TLV16, ie_uint, 1, 1, U8, 0, 255, "2 = GERAN"
#define GTPC_IE_LOCATION 152, IE_TLV16, ie_octets, 8, 8, OCTETS, 8, 8, "0, PLMN, LAC, cell identity"
// osmo-sgsn sends 15 digits here.
#define GTPC_IE_IMEISV 154, IE_TLV16, gtpc_digits, 8, 8, DIGITS, 15, 16, "IMEI with version"

// gtpc_digits: two an octet, the rest 15; gtpc_msisdn: the same behind an octet that says
// international; gtpc_low_bits: spare bits above are 1.
extern const struct ie_coding gtpc_sequence, gtpc_digits, gtpc_msisdn, gtpc_low_bits;

// Octets of the elements without a length, by type; 0: none is known.
extern const uint8_t gtpc_tv_octets[128];

#endif
