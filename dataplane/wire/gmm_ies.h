// The information elements of GPRS mobility management (TS 24.008 clause 10.5), each declared once:
// tag, format, coding, least and most octets of its value, then kind, range and meaning of its
// field. Names with V, LV, or HIGH are without a tag; that of a half octet has its low half 0.
#ifndef SLUICE_WIRE_GMM_IES_H
#define SLUICE_WIRE_GMM_IES_H

#include "dataplane/wire/l3.h"

#define GMM_NAME_MAX 40 // octets of a network's name
#define GMM_NPDU_MAX 17 // octets of N-PDU numbers

// Halves of an octet.
#define GMM_IE_ATTACH_TYPE   0, IE_LOW, ie_uint, 1, 1, U8, 0, 15, "1 GPRS, 3 combined; + 8 follow-on"
#define GMM_IE_ATTACH_RESULT 0, IE_LOW, ie_uint, 1, 1, U8, 0, 15, "1 GPRS, 3 combined"
#define GMM_IE_DETACH_TYPE               \
    0, IE_LOW, ie_uint, 1, 1, U8, 0, 15, \
        "up: 1 GPRS, 2 IMSI, 3 both, + 8 power off; down: 1 attach again, 2 not, 3 IMSI"
#define GMM_IE_UPDATE_TYPE               \
    0, IE_LOW, ie_uint, 1, 1, U8, 0, 15, \
        "0 RA, 1 combined, 2 with IMSI attach, 3 periodic; + 8 follow-on"
#define GMM_IE_UPDATE_RESULT_HIGH  0, IE_HIGH, ie_uint, 1, 1, U8, 0, 15, "0 RA, 1 combined"
#define GMM_IE_CKSN_HIGH           0, IE_HIGH, ie_low_bits, 1, 1, U8, 0, 7, "key set, 7 = no key"
#define GMM_IE_FORCE_STANDBY       0, IE_LOW, ie_low_bits, 1, 1, U8, 0, 7, "1 forces to STANDBY"
#define GMM_IE_FORCE_STANDBY_HIGH  0, IE_HIGH, ie_low_bits, 1, 1, U8, 0, 7, "1 forces to STANDBY"
#define GMM_IE_RADIO_PRIORITY      0, IE_LOW, ie_low_bits, 1, 1, U8, 0, 7, "1 highest to 4, of SMS"
#define GMM_IE_RADIO_PRIORITY_HIGH 0, IE_HIGH, ie_low_bits, 1, 1, U8, 0, 7, "1 to 4, of TOM8"
#define GMM_IE_ALGORITHM           0, IE_LOW, ie_low_bits, 1, 1, U8, 0, 7, "GEA, 0 = none"
#define GMM_IE_IMEISV_REQUEST      0, IE_HIGH, ie_low_bits, 1, 1, U8, 0, 7, "1 asks for the IMEISV"
#define GMM_IE_REFERENCE           0, IE_LOW, ie_uint, 1, 1, U8, 0, 15, "the request's reference"
#define GMM_IE_REFERENCE_HIGH      0, IE_HIGH, ie_uint, 1, 1, U8, 0, 15, "echoed by the response"
#define GMM_IE_IDENTITY_TYPE       0, IE_LOW, ie_low_bits, 1, 1, U8, 0, 7, "1 IMSI, 2 IMEI, 3 IMEISV"

#define GMM_IE_V_CAUSE   0, IE_V, ie_uint, 1, 1, U8, 0, 255, "GMM cause, 10.5.5.14"
#define GMM_IE_V_DRX     0, IE_V, ie_uint, 2, 2, U16, 0, 0xffff, "DRX parameter"
#define GMM_IE_V_OLD_RAI 0, IE_V, l3_old_area, 6, 6, RAI, 0, 0, "the MS's last; LAC 65534 = none"
#define GMM_IE_V_RAI     0, IE_V, bssgp_area_coding, 6, 6, RAI, 0, 0, "routeing area"
#define GMM_IE_V_TIMER \
    0, IE_V, bssgp_gprs_timer, 1, 1, U32, 0, BSSGP_TIMER_OFF_S, "periodic update, 2^32 - 1 = never"

#define GMM_IE_LV_NET_CAPABILITY                                                             \
    0, IE_LV, ie_octets, 1, L3_NETWORK_CAPABILITY_MAX, OCTETS, 1, L3_NETWORK_CAPABILITY_MAX, \
        "MS network capability, 10.5.5.12"
#define GMM_IE_LV_RA_CAPABILITY                                                    \
    0, IE_LV, ie_octets, 0, L3_RA_CAPABILITY_MAX, OCTETS, 0, L3_RA_CAPABILITY_MAX, \
        "MS radio access capability, 10.5.5.12a; may be empty"
#define GMM_IE_LV_IDENTITY 0, IE_LV, l3_identity_coding, 1, 9, IDENTITY, 0, 0, "mobile identity"
#define GMM_IE_LV_P_TMSI   0, IE_LV, l3_tmsi, 5, 5, U32, 0, UINT32_MAX, "new P-TMSI"

#define GMM_IE_READY_TIMER \
    0x17, IE_TV, bssgp_gprs_timer, 1, 1, U32, 0, BSSGP_TIMER_OFF_S, "READY timer, 2^32 - 1 = off"
#define GMM_IE_P_TMSI        0x18, IE_TLV8, l3_tmsi, 5, 5, U32, 0, UINT32_MAX, "P-TMSI"
#define GMM_IE_SIGNATURE     0x19, IE_TV, ie_uint, 3, 3, U32, 0, 0xffffff, "P-TMSI signature"
#define GMM_IE_SIGNATURE_TLV 0x19, IE_TLV8, ie_uint, 3, 3, U32, 0, 0xffffff, "P-TMSI signature"
#define GMM_IE_RAND          0x21, IE_TV, ie_octets, 16, 16, OCTETS, 16, 16, "RAND"
#define GMM_IE_RES           0x22, IE_TV, ie_octets, 4, 4, OCTETS, 4, 4, "SRES, or RES from its start"
#define GMM_IE_IMEISV        0x23, IE_TLV8, l3_imeisv, 9, 9, DIGITS, 16, 16, "IMEI with version"
#define GMM_IE_IDENTITY \
    0x23, IE_TLV8, l3_identity_coding, 1, 9, IDENTITY, 0, 0, "identity for circuit services"
#define GMM_IE_CAUSE 0x25, IE_TV, ie_uint, 1, 1, U8, 0, 255, "GMM cause, 10.5.5.14"
#define GMM_IE_NPDU_NUMBERS \
    0x26, IE_TLV8, ie_octets, 2, GMM_NPDU_MAX, OCTETS, 2, GMM_NPDU_MAX, "next N-PDU of each NSAPI"
#define GMM_IE_DRX  0x27, IE_TV, ie_uint, 2, 2, U16, 0, 0xffff, "DRX parameter"
#define GMM_IE_AUTN 0x28, IE_TLV8, ie_octets, 16, 16, OCTETS, 16, 16, "AUTN, for a USIM"
#define GMM_IE_RES_REST \
    0x29, IE_TLV8, ie_octets, 1, 12, OCTETS, 1, 12, "RES from its fifth octet on"
#define GMM_IE_T3302 \
    0x2a, IE_TLV8, bssgp_gprs_timer, 1, 1, U32, 0, BSSGP_TIMER_OFF_S, "wait after five attempts"
#define GMM_IE_AUTS 0x30, IE_TLV8, ie_octets, 14, 14, OCTETS, 14, 14, "AUTS: the card's SQN"
#define GMM_IE_NET_CAPABILITY                                                                     \
    0x31, IE_TLV8, ie_octets, 1, L3_NETWORK_CAPABILITY_MAX, OCTETS, 1, L3_NETWORK_CAPABILITY_MAX, \
        "MS network capability, 10.5.5.12"
#define GMM_IE_PDP_STATUS \
    0x32, IE_TLV8, l3_pdp_status, 2, 2, U16, 0, 0xffff, "active contexts: bit n is NSAPI n"
#define GMM_IE_T3346 \
    0x3a, IE_TLV8, bssgp_gprs_timer, 1, 1, U32, 0, BSSGP_TIMER_OFF_S, "wait after a congestion"
#define GMM_IE_FULL_NAME \
    0x43, IE_TLV8, ie_octets, 1, GMM_NAME_MAX, OCTETS, 1, GMM_NAME_MAX, "network name, 10.5.3.5a"
#define GMM_IE_SHORT_NAME \
    0x45, IE_TLV8, ie_octets, 1, GMM_NAME_MAX, OCTETS, 1, GMM_NAME_MAX, "network name, 10.5.3.5a"
#define GMM_IE_TIME_ZONE       0x46, IE_TV, ie_uint, 1, 1, U8, 0, 255, "quarters of an hour, 10.5.3.8"
#define GMM_IE_TIME            0x47, IE_TV, ie_octets, 7, 7, OCTETS, 7, 7, "universal time, 10.5.3.9"
#define GMM_IE_DAYLIGHT_SAVING 0x49, IE_TLV8, ie_low_bits, 1, 1, U8, 0, 3, "hours in the time zone"
#define GMM_IE_EQUIVALENT_PLMNS \
    0x4a, IE_TLV8, ie_octets, 3, 45, OCTETS, 3, 45, "PLMNs of 3 octets each"

#define GMM_IE_CKSN             0x80, IE_TV_HALF, ie_low_bits, 1, 1, U8, 0, 7, "set of the new key"
#define GMM_IE_TMSI_STATUS      0x90, IE_TV_HALF, ie_low_bits, 1, 1, BOOL, 0, 1, "it has a valid TMSI"
#define GMM_IE_NETWORK_FEATURES 0xb0, IE_TV_HALF, ie_uint, 1, 1, U8, 0, 15, "features, 10.5.5.23"

#endif
