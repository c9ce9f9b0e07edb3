// The information elements of session management (TS 24.008 clause 10.5), each declared once: tag,
// format, coding, least and most octets of its value, then kind, range and meaning of its field.
// Names with V, LV or LOW are without a tag.
#ifndef SLUICE_WIRE_SM_IES_H
#define SLUICE_WIRE_SM_IES_H

#include "dataplane/wire/l3.h"
#include "dataplane/wire/pdp.h"

#define SM_IE_TI \
    0, IE_V, l3_ti, 2, 2, U8, 0, 15, "transaction, 0 to 6; + 8 to the side that chose it"
#define SM_IE_V_NSAPI      0, IE_V, ie_low_bits, 1, 1, U8, 0, 15, "NSAPI, 5 to 15"
#define SM_IE_V_SAPI       0, IE_V, ie_low_bits, 1, 1, U8, 0, 15, "LLC SAPI: 3, 5, 9 or 11; 0 = none"
#define SM_IE_V_CAUSE      0, IE_V, ie_uint, 1, 1, U8, 0, 255, "SM cause, 10.5.6.6"
#define SM_IE_PRIORITY_LOW 0, IE_LOW, ie_low_bits, 1, 1, U8, 0, 7, "radio priority, 1 highest to 4"
#define SM_IE_LV_QOS                                                                     \
    0, IE_LV, ie_octets, PDP_QOS_LEAST, PDP_QOS_MAX, OCTETS, PDP_QOS_LEAST, PDP_QOS_MAX, \
        "quality of service: an abqp, or 3 octets"
#define SM_IE_LV_ADDRESS \
    0, IE_LV, pdp_address_coding, 2, 2 + PDP_ADDRESS_MAX, PDP_ADDRESS, 0, 0, "PDP address"
#define SM_IE_LV_LINKED_TI \
    0, IE_LV, ie_octets, 1, 2, OCTETS, 1, 2, "transaction of the first context, in bits 5 to 8"

#define SM_IE_OPTIONS                                                         \
    0x27, IE_TLV8, ie_octets, 1, PDP_OPTIONS_MAX, OCTETS, 1, PDP_OPTIONS_MAX, \
        "protocol configuration options"
#define SM_IE_APN \
    0x28, IE_TLV8, pdp_apn, 1, PDP_APN_MAX, OCTETS, 1, PDP_APN_MAX, "access point name: labels"
#define SM_IE_ADDRESS \
    0x2b, IE_TLV8, pdp_address_coding, 2, 2 + PDP_ADDRESS_MAX, PDP_ADDRESS, 0, 0, "PDP address"
#define SM_IE_QOS                                                                             \
    0x30, IE_TLV8, ie_octets, PDP_QOS_LEAST, PDP_QOS_MAX, OCTETS, PDP_QOS_LEAST, PDP_QOS_MAX, \
        "quality of service: an abqp, or 3 octets"
#define SM_IE_TFT        0x31, IE_TLV8, ie_octets, 1, 255, OCTETS, 1, 255, "traffic flow template"
#define SM_IE_SAPI       0x32, IE_TV, ie_low_bits, 1, 1, U8, 0, 15, "LLC SAPI: 3, 5, 9 or 11"
#define SM_IE_PFI        0x34, IE_TLV8, ie_low_bits, 1, 1, U8, 0, 127, "packet flow identifier"
#define SM_IE_TFT_SECOND 0x36, IE_TLV8, ie_octets, 1, 255, OCTETS, 1, 255, "traffic flow template"
#define SM_IE_CAUSE      0x39, IE_TLV8, ie_uint, 1, 1, U8, 0, 255, "SM cause, 10.5.6.6"
#define SM_IE_PRIORITY   0x80, IE_TV_HALF, ie_low_bits, 1, 1, U8, 0, 7, "radio priority, 1 to 4"
#define SM_IE_TEAR_DOWN \
    0x90, IE_TV_HALF, ie_low_bits, 1, 1, BOOL, 0, 1, "all contexts of the address"

#endif
