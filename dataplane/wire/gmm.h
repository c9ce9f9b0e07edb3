// GPRS mobility management (TS 24.008 clause 9.4), each message a list of its elements in their
// order. A message that goes both ways with different contents, or with a type of the other way's,
// is two rows, `up` from the MS and `down` to it. Left out are elements that neither side here
// uses: they are skipped as unknown ones.
#ifndef SLUICE_WIRE_GMM_H
#define SLUICE_WIRE_GMM_H

#include "dataplane/wire/gmm_ies.h"

#define GMM_ATTACH_REQUEST_IES(MUST, MAY, T)          \
    MUST(T, net_capability, GMM_IE_LV_NET_CAPABILITY) \
    MUST(T, attach_type, GMM_IE_ATTACH_TYPE)          \
    MUST(T, cksn, GMM_IE_CKSN_HIGH)                   \
    MUST(T, drx, GMM_IE_V_DRX)                        \
    MUST(T, identity, GMM_IE_LV_IDENTITY)             \
    MUST(T, old_area, GMM_IE_V_OLD_RAI)               \
    MUST(T, ra_capability, GMM_IE_LV_RA_CAPABILITY)   \
    MAY(T, old_signature, GMM_IE_SIGNATURE)           \
    MAY(T, ready_timer_s, GMM_IE_READY_TIMER)         \
    MAY(T, tmsi_status, GMM_IE_TMSI_STATUS)
#define GMM_ATTACH_ACCEPT_IES(MUST, MAY, T)            \
    MUST(T, result, GMM_IE_ATTACH_RESULT)              \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY_HIGH)  \
    MUST(T, t3312_s, GMM_IE_V_TIMER)                   \
    MUST(T, priority_sms, GMM_IE_RADIO_PRIORITY)       \
    MUST(T, priority_tom8, GMM_IE_RADIO_PRIORITY_HIGH) \
    MUST(T, area, GMM_IE_V_RAI)                        \
    MAY(T, signature, GMM_IE_SIGNATURE)                \
    MAY(T, ready_timer_s, GMM_IE_READY_TIMER)          \
    MAY(T, p_tmsi, GMM_IE_P_TMSI)                      \
    MAY(T, identity, GMM_IE_IDENTITY)                  \
    MAY(T, cause, GMM_IE_CAUSE)                        \
    MAY(T, t3302_s, GMM_IE_T3302)                      \
    MAY(T, equivalent_plmns, GMM_IE_EQUIVALENT_PLMNS)  \
    MAY(T, network_features, GMM_IE_NETWORK_FEATURES)
#define GMM_ATTACH_COMPLETE_IES(MUST, MAY, T)
#define GMM_ATTACH_REJECT_IES(MUST, MAY, T) \
    MUST(T, cause, GMM_IE_V_CAUSE)          \
    MAY(T, t3302_s, GMM_IE_T3302) MAY(T, t3346_s, GMM_IE_T3346)

#define GMM_DETACH_REQUEST_UP_IES(MUST, MAY, T) \
    MUST(T, detach_type, GMM_IE_DETACH_TYPE)    \
    MAY(T, p_tmsi, GMM_IE_P_TMSI) MAY(T, signature, GMM_IE_SIGNATURE_TLV)
#define GMM_DETACH_REQUEST_DOWN_IES(MUST, MAY, T) \
    MUST(T, detach_type, GMM_IE_DETACH_TYPE)      \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY_HIGH) MAY(T, cause, GMM_IE_CAUSE)
#define GMM_DETACH_ACCEPT_UP_IES(MUST, MAY, T)
#define GMM_DETACH_ACCEPT_DOWN_IES(MUST, MAY, T) MUST(T, force_standby, GMM_IE_FORCE_STANDBY)

#define GMM_UPDATE_REQUEST_IES(MUST, MAY, T)        \
    MUST(T, update_type, GMM_IE_UPDATE_TYPE)        \
    MUST(T, cksn, GMM_IE_CKSN_HIGH)                 \
    MUST(T, old_area, GMM_IE_V_OLD_RAI)             \
    MUST(T, ra_capability, GMM_IE_LV_RA_CAPABILITY) \
    MAY(T, old_signature, GMM_IE_SIGNATURE)         \
    MAY(T, ready_timer_s, GMM_IE_READY_TIMER)       \
    MAY(T, drx, GMM_IE_DRX)                         \
    MAY(T, tmsi_status, GMM_IE_TMSI_STATUS)         \
    MAY(T, p_tmsi, GMM_IE_P_TMSI)                   \
    MAY(T, net_capability, GMM_IE_NET_CAPABILITY)   \
    MAY(T, pdp_status, GMM_IE_PDP_STATUS)
#define GMM_UPDATE_ACCEPT_IES(MUST, MAY, T)           \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY)      \
    MUST(T, result, GMM_IE_UPDATE_RESULT_HIGH)        \
    MUST(T, t3312_s, GMM_IE_V_TIMER)                  \
    MUST(T, area, GMM_IE_V_RAI)                       \
    MAY(T, signature, GMM_IE_SIGNATURE)               \
    MAY(T, p_tmsi, GMM_IE_P_TMSI)                     \
    MAY(T, identity, GMM_IE_IDENTITY)                 \
    MAY(T, npdu_numbers, GMM_IE_NPDU_NUMBERS)         \
    MAY(T, ready_timer_s, GMM_IE_READY_TIMER)         \
    MAY(T, cause, GMM_IE_CAUSE)                       \
    MAY(T, t3302_s, GMM_IE_T3302)                     \
    MAY(T, equivalent_plmns, GMM_IE_EQUIVALENT_PLMNS) \
    MAY(T, pdp_status, GMM_IE_PDP_STATUS)             \
    MAY(T, network_features, GMM_IE_NETWORK_FEATURES)
#define GMM_UPDATE_COMPLETE_IES(MUST, MAY, T) MAY(T, npdu_numbers, GMM_IE_NPDU_NUMBERS)
#define GMM_UPDATE_REJECT_IES(MUST, MAY, T)      \
    MUST(T, cause, GMM_IE_V_CAUSE)               \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY) \
    MAY(T, t3302_s, GMM_IE_T3302) MAY(T, t3346_s, GMM_IE_T3346)

#define GMM_REALLOCATION_COMMAND_IES(MUST, MAY, T) \
    MUST(T, p_tmsi, GMM_IE_LV_P_TMSI)              \
    MUST(T, area, GMM_IE_V_RAI)                    \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY) MAY(T, signature, GMM_IE_SIGNATURE)
#define GMM_REALLOCATION_COMPLETE_IES(MUST, MAY, T)

#define GMM_AUTHENTICATION_REQUEST_IES(MUST, MAY, T) \
    MUST(T, algorithm, GMM_IE_ALGORITHM)             \
    MUST(T, imeisv_request, GMM_IE_IMEISV_REQUEST)   \
    MUST(T, force_standby, GMM_IE_FORCE_STANDBY)     \
    MUST(T, reference, GMM_IE_REFERENCE_HIGH)        \
    MAY(T, rand, GMM_IE_RAND)                        \
    MAY(T, cksn, TLV_WITH(GMM_IE_CKSN))              \
    MAY(T, autn, GMM_IE_AUTN)
#define GMM_AUTHENTICATION_RESPONSE_IES(MUST, MAY, T) \
    MUST(T, reference, GMM_IE_REFERENCE)              \
    MAY(T, res, GMM_IE_RES)                           \
    MAY(T, imeisv, GMM_IE_IMEISV)                     \
    MAY(T, res_rest, GMM_IE_RES_REST)
#define GMM_AUTHENTICATION_REJECT_IES(MUST, MAY, T)
#define GMM_AUTHENTICATION_FAILURE_IES(MUST, MAY, T) \
    MUST(T, cause, GMM_IE_V_CAUSE) MAY(T, auts, GMM_IE_AUTS)

#define GMM_IDENTITY_REQUEST_IES(MUST, MAY, T) \
    MUST(T, type, GMM_IE_IDENTITY_TYPE) MUST(T, force_standby, GMM_IE_FORCE_STANDBY_HIGH)
#define GMM_IDENTITY_RESPONSE_IES(MUST, MAY, T) MUST(T, identity, GMM_IE_LV_IDENTITY)

#define GMM_STATUS_UP_IES(MUST, MAY, T)   MUST(T, cause, GMM_IE_V_CAUSE)
#define GMM_STATUS_DOWN_IES(MUST, MAY, T) MUST(T, cause, GMM_IE_V_CAUSE)
#define GMM_INFORMATION_IES(MUST, MAY, T) \
    MAY(T, full_name, GMM_IE_FULL_NAME)   \
    MAY(T, short_name, GMM_IE_SHORT_NAME) \
    MAY(T, time_zone, GMM_IE_TIME_ZONE)   \
    MAY(T, time, GMM_IE_TIME)             \
    MAY(T, daylight_saving, GMM_IE_DAYLIGHT_SAVING)

enum gmm_type {
#define TLV_PDU(group, name, NAME, pdu_type, help) NAME##_TYPE = pdu_type,
#include "dataplane/wire/gmm.def"
#undef TLV_PDU
};

#define TLV_PDU(group, name, NAME, pdu_type, help)                     \
    TLV_STRUCT(name, NAME##_IES);                                      \
    int name##_decode(struct name *pdu, const uint8_t *b, uint32_t n); \
    int name##_encode(const struct name *pdu, uint8_t *b, uint32_t room);
#include "dataplane/wire/gmm.def"
#undef TLV_PDU

#endif
