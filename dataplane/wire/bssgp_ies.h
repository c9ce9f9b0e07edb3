// The information elements of BSSGP (TS 48.018 clause 11.3), each declared once:
// tag, format, coding, least and most octets of its value, then kind, range and meaning of its
// field. A PDU's list (bssgp.h) names an element and the field that it fills.
#ifndef SLUICE_WIRE_BSSGP_IES_H
#define SLUICE_WIRE_BSSGP_IES_H

#include "dataplane/wire/bssgp_values.h"

#define BSSGP_OCTETS_MAX 0x7fff // the largest 15-bit length
#define BSSGP_SHORT_MAX  255    // of octet strings other than PDUs

// Fixed part, without a tag.
#define BSSGP_IE_V_TLLI 0, IE_V, ie_uint, 4, 4, U32, 0, UINT32_MAX, "TLLI of the MS"
#define BSSGP_IE_V_QOS  0, IE_V, bssgp_qos_coding, 3, 3, QOS, 0, 0, "QoS profile"

#define BSSGP_IE_ALIGNMENT \
    0x00, IE_TLV, bssgp_alignment, 0, 3, U8, 0, 3, "octets that put the LLC PDU on 32 bits"
#define BSSGP_IE_BMAX_DEFAULT_MS                            \
    0x01, IE_TLV, bssgp_flow, 2, 2, U64, 0, BSSGP_FLOW_MAX, \
        "bucket size of an MS that "                        \
        "has none of its own"
#define BSSGP_IE_BSS_AREA 0x02, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "page in the whole BSS"
#define BSSGP_IE_LEAK_RATE \
    0x03, IE_TLV, bssgp_flow, 2, 2, U64, 0, BSSGP_FLOW_MAX, "leak rate, in units of 100 bit/s"
#define BSSGP_IE_BVCI 0x04, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "BVCI"
#define BSSGP_IE_BVC_BUCKET_SIZE \
    0x05, IE_TLV, bssgp_flow, 2, 2, U64, 0, BSSGP_FLOW_MAX, "the cell's bucket size"
#define BSSGP_IE_BVC_MEASUREMENT                                                \
    0x06, IE_TLV, bssgp_centiseconds, 2, 2, U32, 0, BSSGP_LIFETIME_INFINITE_MS, \
        "delay of "                                                             \
        "the cell's queue in the BSS"
#define BSSGP_IE_CAUSE          0x07, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "cause, 11.3.8"
#define BSSGP_IE_CELL           0x08, IE_TLV, bssgp_area_coding, 8, 8, CELL, 0, 0, "cell identifier"
#define BSSGP_IE_CHANNEL_NEEDED 0x09, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "channel needed"
#define BSSGP_IE_DRX            0x0a, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "DRX parameters"
#define BSSGP_IE_EMLPP          0x0b, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "eMLPP priority"
#define BSSGP_IE_FLUSH_ACTION   0x0c, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "0 deleted, 1 transferred"
#define BSSGP_IE_IMSI           0x0d, IE_TLV, ie_imsi, 3, 8, DIGITS, 5, 15, "IMSI"
#define BSSGP_IE_LLC_PDU \
    0x0e, IE_TLV, ie_octets, 0, BSSGP_OCTETS_MAX, OCTETS, 0, BSSGP_OCTETS_MAX, "LLC frame"
#define BSSGP_IE_LLC_FRAMES_DISCARDED \
    0x0f, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "LLC frames discarded, 255 or more"
#define BSSGP_IE_LAI 0x10, IE_TLV, bssgp_area_coding, 5, 5, LAI, 0, 0, "location area"
#define BSSGP_IE_MS_BUCKET_SIZE \
    0x12, IE_TLV, bssgp_flow, 2, 2, U64, 0, BSSGP_FLOW_MAX, "the MS's bucket size"
#define BSSGP_IE_RA_CAPABILITY                                               \
    0x13, IE_TLV, ie_octets, 1, BSSGP_SHORT_MAX, OCTETS, 1, BSSGP_SHORT_MAX, \
        "MS radio access "                                                   \
        "capability, 24.008 10.5.5.12a"
#define BSSGP_IE_PDU_IN_ERROR \
    0x15, IE_TLV, ie_octets, 0, BSSGP_OCTETS_MAX, OCTETS, 0, BSSGP_OCTETS_MAX, "PDU in error"
#define BSSGP_IE_LIFETIME                                                       \
    0x16, IE_TLV, bssgp_centiseconds, 2, 2, U32, 0, BSSGP_LIFETIME_INFINITE_MS, \
        "how long "                                                             \
        "the BSS may keep it; 655350 = for ever"
#define BSSGP_IE_PRIORITY \
    0x17, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "allocation and retention priority"
#define BSSGP_IE_QOS         0x18, IE_TLV, bssgp_qos_coding, 3, 3, QOS, 0, 0, "QoS profile"
#define BSSGP_IE_RADIO_CAUSE 0x19, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "radio cause, 11.3.29"
#define BSSGP_IE_RA_UPDATE_CAUSE \
    0x1a, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "0 OK, 1 TLLI unknown, 2 no capabilities"
#define BSSGP_IE_RAI 0x1b, IE_TLV, bssgp_area_coding, 6, 6, RAI, 0, 0, "routeing area"
#define BSSGP_IE_R_DEFAULT_MS                               \
    0x1c, IE_TLV, bssgp_flow, 2, 2, U64, 0, BSSGP_FLOW_MAX, \
        "leak rate of an MS that "                          \
        "has none of its own"
#define BSSGP_IE_SUSPEND_REF     0x1d, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "suspend reference number"
#define BSSGP_IE_TAG             0x1e, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "tag, echoed by the answer"
#define BSSGP_IE_TLLI            0x1f, IE_TLV, ie_uint, 4, 4, U32, 0, UINT32_MAX, "TLLI"
#define BSSGP_IE_TMSI            0x20, IE_TLV, ie_uint, 4, 4, U32, 0, UINT32_MAX, "TMSI or P-TMSI"
#define BSSGP_IE_OCTETS_AFFECTED 0x25, IE_TLV, ie_uint, 3, 3, U32, 0, 0xffffff, "octets of LLC PDUs"
#define BSSGP_IE_LSA_INFORMATION \
    0x27, IE_TLV, ie_octets, 5, BSSGP_SHORT_MAX, OCTETS, 5, BSSGP_SHORT_MAX, "LSA information"
#define BSSGP_IE_LSA_LIST \
    0x26, IE_TLV, ie_octets, 1, BSSGP_SHORT_MAX, OCTETS, 1, BSSGP_SHORT_MAX, "LSA identifiers"
#define BSSGP_IE_PFI 0x28, IE_TLV, ie_low_bits, 1, 1, U8, 0, 127, "packet flow identifier"
#define BSSGP_IE_GPRS_TIMER \
    0x29, IE_TLV, bssgp_gprs_timer, 1, 1, U32, 0, BSSGP_TIMER_OFF_S, "24.008 10.5.7.3"
#define BSSGP_IE_ABQP                                                        \
    0x3a, IE_TLV, ie_octets, 3, BSSGP_SHORT_MAX, OCTETS, 3, BSSGP_SHORT_MAX, \
        "aggregate BSS QoS profile: an abqp"
#define BSSGP_IE_FEATURES 0x3b, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "feature bitmap, 11.3.45"
#define BSSGP_IE_FULL_RATIO \
    0x3c, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "how full the BSS says the bucket is, percent"
#define BSSGP_IE_SERVICE_UTRAN_CCO 0x3d, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "service UTRAN CCO"
#define BSSGP_IE_NSEI              0x3e, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "NSEI"
#define BSSGP_IE_PFC_FLOWS                                                              \
    0x52, IE_TLV, bssgp_pfc_flows_coding, 1, 1 + 6 * BSSGP_PFC_FLOWS_MAX, PFC_FLOWS, 0, \
        BSSGP_PFC_FLOWS_MAX, "flow control of packet flows"
#define BSSGP_IE_EXTENDED_FEATURES \
    0x69, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "extended feature bitmap, 11.3.84"
#define BSSGP_IE_GRANULARITY \
    0x7e, IE_TLV, ie_low_bits, 1, 1, U8, 0, 3, "units times 1, 10, 100, 1000"
#define BSSGP_IE_SUBSCRIBER_PROFILE          \
    0x81, IE_TLV, ie_uint, 1, 1, U8, 0, 255, \
        "subscriber profile for RAT and frequency priority, less 1"
#define BSSGP_IE_SEND_STATE \
    0x8a, IE_TLV, ie_low_bits, 2, 2, U16, 0, 511, "unconfirmed send state variable"
#define BSSGP_IE_REDIRECT_ATTEMPT 0x87, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "redirect attempt flag"
#define BSSGP_IE_REDIRECTION \
    0x88, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "redirection: why it is rerouted"
#define BSSGP_IE_REDIRECTED    0x89, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "redirection: its outcome"
#define BSSGP_IE_SCI           0x8c, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "service class indicator"
#define BSSGP_IE_GGSN_LOCATION 0x8d, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "GGSN or P-GW location"
#define BSSGP_IE_SELECTED_PLMN 0x8e, IE_TLV, ie_octets, 3, 3, OCTETS, 3, 3, "selected PLMN, in BCD"
#define BSSGP_IE_EDRX          0x92, IE_TLV, ie_low_bits, 1, 1, U8, 0, 15, "eDRX cycle value"
#define BSSGP_IE_COVERAGE_CLASS \
    0x98, IE_TLV, ie_low_bits, 1, 1, U8, 0, 63, "coverage class, downlink x 8 + uplink"
#define BSSGP_IE_OLD_RAI          0x9b, IE_TLV, bssgp_area_coding, 6, 6, RAI, 0, 0, "old routeing area"
#define BSSGP_IE_ATTACH_INDICATOR 0x9c, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "attach indicator"

#endif
