// Session management (TS 24.008 clause 9.5), each message a list of its elements in their order;
// `ti` is the high half of the first octet. Left out are elements that neither side here uses: they
// are skipped as unknown ones.
#ifndef SLUICE_WIRE_SM_H
#define SLUICE_WIRE_SM_H

#include "dataplane/wire/sm_ies.h"

#define SM_ACTIVATE_REQUEST_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                     \
    MUST(T, nsapi, SM_IE_V_NSAPI)             \
    MUST(T, sapi, SM_IE_V_SAPI)               \
    MUST(T, qos, SM_IE_LV_QOS)                \
    MUST(T, address, SM_IE_LV_ADDRESS)        \
    MAY(T, apn, SM_IE_APN)                    \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_ACTIVATE_ACCEPT_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                    \
    MUST(T, sapi, SM_IE_V_SAPI)              \
    MUST(T, qos, SM_IE_LV_QOS)               \
    MUST(T, priority, SM_IE_PRIORITY_LOW)    \
    MAY(T, address, SM_IE_ADDRESS)           \
    MAY(T, options, SM_IE_OPTIONS)           \
    MAY(T, pfi, SM_IE_PFI)                   \
    MAY(T, cause, SM_IE_CAUSE)
#define SM_ACTIVATE_REJECT_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI) MUST(T, cause, SM_IE_V_CAUSE) MAY(T, options, SM_IE_OPTIONS)

#define SM_REQUEST_ACTIVATION_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                       \
    MUST(T, address, SM_IE_LV_ADDRESS)          \
    MAY(T, apn, SM_IE_APN)                      \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_REQUEST_ACTIVATION_REJECT_IES(MUST, MAY, T) SM_ACTIVATE_REJECT_IES(MUST, MAY, T)

#define SM_DEACTIVATE_REQUEST_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                       \
    MUST(T, cause, SM_IE_V_CAUSE)               \
    MAY(T, tear_down, SM_IE_TEAR_DOWN)          \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_DEACTIVATE_ACCEPT_IES(MUST, MAY, T) MUST(T, ti, SM_IE_TI) MAY(T, options, SM_IE_OPTIONS)

// By the network, and by the MS.
#define SM_MODIFY_REQUEST_DOWN_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                        \
    MUST(T, priority, SM_IE_PRIORITY_LOW)        \
    MUST(T, sapi, SM_IE_V_SAPI)                  \
    MUST(T, qos, SM_IE_LV_QOS)                   \
    MAY(T, address, SM_IE_ADDRESS)               \
    MAY(T, pfi, SM_IE_PFI)                       \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_MODIFY_ACCEPT_UP_IES(MUST, MAY, T) SM_DEACTIVATE_ACCEPT_IES(MUST, MAY, T)
#define SM_MODIFY_REQUEST_UP_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                      \
    MAY(T, sapi, SM_IE_SAPI)                   \
    MAY(T, qos, SM_IE_QOS)                     \
    MAY(T, tft, SM_IE_TFT)                     \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_MODIFY_ACCEPT_DOWN_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                       \
    MAY(T, qos, SM_IE_QOS)                      \
    MAY(T, sapi, SM_IE_SAPI)                    \
    MAY(T, priority, SM_IE_PRIORITY)            \
    MAY(T, pfi, SM_IE_PFI)                      \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_MODIFY_REJECT_IES(MUST, MAY, T) SM_ACTIVATE_REJECT_IES(MUST, MAY, T)

#define SM_ACTIVATE_SECONDARY_REQUEST_IES(MUST, MAY, T) \
    MUST(T, ti, SM_IE_TI)                               \
    MUST(T, nsapi, SM_IE_V_NSAPI)                       \
    MUST(T, sapi, SM_IE_V_SAPI)                         \
    MUST(T, qos, SM_IE_LV_QOS)                          \
    MUST(T, linked_ti, SM_IE_LV_LINKED_TI)              \
    MAY(T, tft, SM_IE_TFT_SECOND)                       \
    MAY(T, options, SM_IE_OPTIONS)
#define SM_ACTIVATE_SECONDARY_REJECT_IES(MUST, MAY, T) SM_ACTIVATE_REJECT_IES(MUST, MAY, T)

#define SM_STATUS_IES(MUST, MAY, T) MUST(T, ti, SM_IE_TI) MUST(T, cause, SM_IE_V_CAUSE)

enum sm_type {
#define TLV_PDU(group, name, NAME, pdu_type, help) NAME##_TYPE = pdu_type,
#include "dataplane/wire/sm.def"
#undef TLV_PDU
};

#define TLV_PDU(group, name, NAME, pdu_type, help)                     \
    TLV_STRUCT(name, NAME##_IES);                                      \
    int name##_decode(struct name *pdu, const uint8_t *b, uint32_t n); \
    int name##_encode(const struct name *pdu, uint8_t *b, uint32_t room);
#include "dataplane/wire/sm.def"
#undef TLV_PDU

#endif
