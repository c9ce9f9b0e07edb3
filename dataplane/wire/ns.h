// NS PDUs (TS 48.016 clause 9), each a list of its information elements in their order; on the IP
// sub-network the SNS PDUs add and delete endpoints. UNITDATA carries the BSSGP PDUs; it has a
// codec of its own, as the path writes its four header octets itself and its control bits are two
// fields in one octet.
#ifndef SLUICE_WIRE_NS_H
#define SLUICE_WIRE_NS_H

#include "dataplane/wire/ns_ies.h"

enum ns_type {
    NS_UNITDATA_TYPE = 0x00,
#define TLV_PDU(group, name, NAME, type, help) NAME##_TYPE = type,
#include "dataplane/wire/ns.def"
#undef TLV_PDU
};

#define NS_UNITDATA_OCTETS 4

#define NS_UNITDATA_FIELDS(MUST, MAY, T)                                           \
    MUST(T, BOOL, request_change_flow, 0, 1, "R bit")                              \
    MUST(T, BOOL, confirm_change_flow, 0, 1, "C bit")                              \
    MUST(T, U16, bvci, 0, 0xffff, "cell; 0 = signalling, 1 = point-to-multipoint") \
    MUST(T, OCTETS, sdu, 0, 65503, "BSSGP PDU")

FIELD_STRUCT(ns_unitdata, NS_UNITDATA_FIELDS);

int ns_unitdata_decode(struct ns_unitdata *pdu, const uint8_t *b, uint32_t n);
int ns_unitdata_encode(const struct ns_unitdata *pdu, uint8_t *b, uint32_t room);

// Writes the four header octets.
void ns_unitdata_put_header(const struct ns_unitdata *pdu, uint8_t *b);

#define NS_RESET_IES(MUST, MAY, T) \
    MUST(T, cause, NS_IE_CAUSE)    \
    MUST(T, ns_vci, NS_IE_NS_VCI)  \
    MUST(T, nsei, NS_IE_NSEI)
#define NS_RESET_ACK_IES(MUST, MAY, T) \
    MUST(T, ns_vci, NS_IE_NS_VCI)      \
    MUST(T, nsei, NS_IE_NSEI)
#define NS_BLOCK_IES(MUST, MAY, T) \
    MUST(T, cause, NS_IE_CAUSE)    \
    MUST(T, ns_vci, NS_IE_NS_VCI)
#define NS_BLOCK_ACK_IES(MUST, MAY, T) MUST(T, ns_vci, NS_IE_NS_VCI)
#define NS_UNBLOCK_IES(MUST, MAY, T)
#define NS_UNBLOCK_ACK_IES(MUST, MAY, T)
#define NS_ALIVE_IES(MUST, MAY, T)
#define NS_ALIVE_ACK_IES(MUST, MAY, T)

// The cause decides which one of the following elements is present, so their order never matters;
// the PDU in error is last because the encoder takes it from its place in the buffer.
#define NS_STATUS_IES(MUST, MAY, T)            \
    MUST(T, cause, NS_IE_CAUSE)                \
    MAY(T, ns_vci, NS_IE_NS_VCI)               \
    MAY(T, bvci, NS_IE_BVCI)                   \
    MAY(T, ip4_endpoints, NS_IE_IP4_ENDPOINTS) \
    MAY(T, ip6_endpoints, NS_IE_IP6_ENDPOINTS) \
    MAY(T, pdu_in_error, NS_IE_PDU_IN_ERROR)

#define SNS_ACK_IES(MUST, MAY, T)              \
    MUST(T, nsei, NS_IE_V_NSEI)                \
    MUST(T, transaction, NS_IE_V_TRANSACTION)  \
    MAY(T, cause, NS_IE_CAUSE)                 \
    MAY(T, ip4_endpoints, NS_IE_IP4_ENDPOINTS) \
    MAY(T, ip6_endpoints, NS_IE_IP6_ENDPOINTS)
#define SNS_ADD_IES(MUST, MAY, T)              \
    MUST(T, nsei, NS_IE_V_NSEI)                \
    MUST(T, transaction, NS_IE_V_TRANSACTION)  \
    MAY(T, ip4_endpoints, NS_IE_IP4_ENDPOINTS) \
    MAY(T, ip6_endpoints, NS_IE_IP6_ENDPOINTS)
#define SNS_CHANGEWEIGHT_IES(MUST, MAY, T) SNS_ADD_IES(MUST, MAY, T)
#define SNS_CONFIG_IES(MUST, MAY, T)           \
    MUST(T, end_flag, NS_IE_V_END_FLAG)        \
    MUST(T, nsei, NS_IE_NSEI)                  \
    MAY(T, ip4_endpoints, NS_IE_IP4_ENDPOINTS) \
    MAY(T, ip6_endpoints, NS_IE_IP6_ENDPOINTS)
#define SNS_CONFIG_ACK_IES(MUST, MAY, T) \
    MUST(T, nsei, NS_IE_NSEI)            \
    MAY(T, cause, NS_IE_CAUSE)
#define SNS_DELETE_IES(MUST, MAY, T)           \
    MUST(T, nsei, NS_IE_V_NSEI)                \
    MUST(T, transaction, NS_IE_V_TRANSACTION)  \
    MAY(T, address, NS_IE_ADDRESS)             \
    MAY(T, ip4_endpoints, NS_IE_IP4_ENDPOINTS) \
    MAY(T, ip6_endpoints, NS_IE_IP6_ENDPOINTS)
#define SNS_SIZE_IES(MUST, MAY, T)         \
    MUST(T, nsei, NS_IE_NSEI)              \
    MUST(T, reset_flag, NS_IE_RESET_FLAG)  \
    MUST(T, max_ns_vcs, NS_IE_MAX_NS_VCS)  \
    MAY(T, ip4_endpoints, NS_IE_IP4_COUNT) \
    MAY(T, ip6_endpoints, NS_IE_IP6_COUNT)
#define SNS_SIZE_ACK_IES(MUST, MAY, T) SNS_CONFIG_ACK_IES(MUST, MAY, T)

#define TLV_PDU(group, name, NAME, type, help)                    \
    TLV_STRUCT(name, NAME##_IES);                                 \
    int name##_decode(struct name *, const uint8_t *b, uint32_t); \
    int name##_encode(const struct name *, uint8_t *b, uint32_t);
#include "dataplane/wire/ns.def"
#undef TLV_PDU

#endif
