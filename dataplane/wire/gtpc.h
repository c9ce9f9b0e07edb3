// GTPv1-C (TS 29.060) on UDP 2123: the messages between an SGSN and a GGSN, each a list of its
// elements in their order, behind a header with TEID and sequence number. They are tables as in
// tlv.h; an element has the length of its type below 128, else one of two octets.
//
// The header is GTP-U's (gtpu.h): extension headers that need not be understood are skipped. As
// every message here has a sequence number, one without is WIRE_RESERVED. An element of an unknown
// type below 128 cannot be skipped and is WIRE_TYPE at its octet. An optional element whose value
// cannot be read counts as absent (11.1.8), so that the rest of a response is not lost. Between the
// nodes IPv4 alone. Left out is the second address of a node that has both families.
#ifndef SLUICE_WIRE_GTPC_H
#define SLUICE_WIRE_GTPC_H

#include "dataplane/wire/gtpc_ies.h"

#define GTPC_PORT 2123

#define GTPC_HEAD_IES(MUST, MAY, T) MUST(T, teid, GTPC_IE_TEID) MUST(T, sequence, GTPC_IE_SEQUENCE)

#define GTPC_ECHO_REQUEST_IES(MUST, MAY, T) GTPC_HEAD_IES(MUST, MAY, T)
#define GTPC_ECHO_RESPONSE_IES(MUST, MAY, T) \
    GTPC_HEAD_IES(MUST, MAY, T) MUST(T, recovery, GTPC_IE_RECOVERY)
#define GTPC_VERSION_NOT_SUPPORTED_IES(MUST, MAY, T) GTPC_HEAD_IES(MUST, MAY, T)

#define GTPC_CREATE_REQUEST_IES(MUST, MAY, T)      \
    GTPC_HEAD_IES(MUST, MAY, T)                    \
    MAY(T, imsi, GTPC_IE_IMSI)                     \
    MAY(T, area, GTPC_IE_RAI)                      \
    MAY(T, recovery, GTPC_IE_RECOVERY)             \
    MAY(T, selection, GTPC_IE_SELECTION)           \
    MUST(T, teid_data, GTPC_IE_TEID_DATA)          \
    MAY(T, teid_control, GTPC_IE_TEID_CONTROL)     \
    MUST(T, nsapi, GTPC_IE_NSAPI)                  \
    MAY(T, address, GTPC_IE_USER_ADDRESS)          \
    MAY(T, apn, GTPC_IE_APN)                       \
    MAY(T, options, GTPC_IE_OPTIONS)               \
    MUST(T, control_address, GTPC_IE_NODE_ADDRESS) \
    MUST(T, data_address, GTPC_IE_NODE_ADDRESS)    \
    MAY(T, msisdn, GTPC_IE_MSISDN)                 \
    MUST(T, qos, GTPC_IE_QOS)                      \
    MAY(T, rat, GTPC_IE_RAT)                       \
    MAY(T, location, GTPC_IE_LOCATION)             \
    MAY(T, imeisv, GTPC_IE_IMEISV)
#define GTPC_CREATE_RESPONSE_IES(MUST, MAY, T)            \
    GTPC_HEAD_IES(MUST, MAY, T)                           \
    MUST(T, cause, GTPC_IE_CAUSE)                         \
    MAY(T, reorder, GTPC_IE_REORDER)                      \
    MAY(T, recovery, GTPC_IE_RECOVERY)                    \
    MAY(T, teid_data, GTPC_IE_TEID_DATA)                  \
    MAY(T, teid_control, GTPC_IE_TEID_CONTROL)            \
    MAY(T, charging_id, GTPC_IE_CHARGING_ID)              \
    MAY(T, address, GTPC_IE_USER_ADDRESS)                 \
    MAY(T, options, GTPC_IE_OPTIONS)                      \
    MAY(T, control_address, GTPC_IE_NODE_ADDRESS)         \
    MAY(T, data_address, TLV_AFTER(GTPC_IE_NODE_ADDRESS)) \
    MAY(T, qos, GTPC_IE_QOS)

// By either side: an SGSN sends its TEIDs and addresses, a GGSN an address of the user.
#define GTPC_UPDATE_REQUEST_IES(MUST, MAY, T)             \
    GTPC_HEAD_IES(MUST, MAY, T)                           \
    MAY(T, imsi, GTPC_IE_IMSI)                            \
    MAY(T, area, GTPC_IE_RAI)                             \
    MAY(T, recovery, GTPC_IE_RECOVERY)                    \
    MAY(T, teid_data, GTPC_IE_TEID_DATA)                  \
    MAY(T, teid_control, GTPC_IE_TEID_CONTROL)            \
    MUST(T, nsapi, GTPC_IE_NSAPI)                         \
    MAY(T, address, GTPC_IE_USER_ADDRESS)                 \
    MAY(T, options, GTPC_IE_OPTIONS)                      \
    MAY(T, control_address, GTPC_IE_NODE_ADDRESS)         \
    MAY(T, data_address, TLV_AFTER(GTPC_IE_NODE_ADDRESS)) \
    MAY(T, qos, GTPC_IE_QOS)
#define GTPC_UPDATE_RESPONSE_IES(MUST, MAY, T)            \
    GTPC_HEAD_IES(MUST, MAY, T)                           \
    MUST(T, cause, GTPC_IE_CAUSE)                         \
    MAY(T, recovery, GTPC_IE_RECOVERY)                    \
    MAY(T, teid_data, GTPC_IE_TEID_DATA)                  \
    MAY(T, teid_control, GTPC_IE_TEID_CONTROL)            \
    MAY(T, charging_id, GTPC_IE_CHARGING_ID)              \
    MAY(T, options, GTPC_IE_OPTIONS)                      \
    MAY(T, control_address, GTPC_IE_NODE_ADDRESS)         \
    MAY(T, data_address, TLV_AFTER(GTPC_IE_NODE_ADDRESS)) \
    MAY(T, qos, GTPC_IE_QOS)

#define GTPC_DELETE_REQUEST_IES(MUST, MAY, T) \
    GTPC_HEAD_IES(MUST, MAY, T)               \
    MAY(T, tear_down, GTPC_IE_TEAR_DOWN)      \
    MUST(T, nsapi, GTPC_IE_NSAPI)             \
    MAY(T, options, GTPC_IE_OPTIONS)
#define GTPC_DELETE_RESPONSE_IES(MUST, MAY, T) \
    GTPC_HEAD_IES(MUST, MAY, T)                \
    MUST(T, cause, GTPC_IE_CAUSE)              \
    MAY(T, options, GTPC_IE_OPTIONS)

#define GTPC_NOTIFICATION_REQUEST_IES(MUST, MAY, T) \
    GTPC_HEAD_IES(MUST, MAY, T)                     \
    MUST(T, imsi, GTPC_IE_IMSI)                     \
    MUST(T, teid_control, GTPC_IE_TEID_CONTROL)     \
    MUST(T, address, GTPC_IE_USER_ADDRESS)          \
    MUST(T, apn, GTPC_IE_APN)                       \
    MAY(T, options, GTPC_IE_OPTIONS)                \
    MUST(T, control_address, GTPC_IE_NODE_ADDRESS)
#define GTPC_NOTIFICATION_RESPONSE_IES(MUST, MAY, T) \
    GTPC_HEAD_IES(MUST, MAY, T) MUST(T, cause, GTPC_IE_CAUSE)

int gtpc_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n);
int gtpc_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room);

enum gtpc_type {
#define TLV_PDU(group, name, NAME, pdu_type, help) NAME##_TYPE = pdu_type,
#include "dataplane/wire/gtpc.def"
#undef TLV_PDU
};

#define TLV_PDU(group, name, NAME, pdu_type, help)                     \
    TLV_STRUCT(name, NAME##_IES);                                      \
    int name##_decode(struct name *pdu, const uint8_t *b, uint32_t n); \
    int name##_encode(const struct name *pdu, uint8_t *b, uint32_t room);
#include "dataplane/wire/gtpc.def"
#undef TLV_PDU

#endif
