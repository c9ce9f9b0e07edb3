// BSSGP PDUs (TS 48.018 clause 10), each a list of its information elements in their order. The
// path writes a DL-UNITDATA for every segment: besides its table row that PDU has a writer for each
// part, which the tests compare with the table's.
#ifndef SLUICE_WIRE_BSSGP_H
#define SLUICE_WIRE_BSSGP_H

#include "dataplane/wire/bssgp_ies.h"
#include "dataplane/wire/bytes.h"

#define BSSGP_UL_UNITDATA_IES(MUST, MAY, T)             \
    MUST(T, tlli, BSSGP_IE_V_TLLI)                      \
    MUST(T, qos, BSSGP_IE_V_QOS)                        \
    MUST(T, cell, BSSGP_IE_CELL)                        \
    MAY(T, pfi, BSSGP_IE_PFI)                           \
    MAY(T, lsa_list, BSSGP_IE_LSA_LIST)                 \
    MAY(T, redirect_attempt, BSSGP_IE_REDIRECT_ATTEMPT) \
    MAY(T, imsi, BSSGP_IE_IMSI)                         \
    MAY(T, send_state, BSSGP_IE_SEND_STATE)             \
    MAY(T, selected_plmn, BSSGP_IE_SELECTED_PLMN)       \
    MAY(T, coverage_class, BSSGP_IE_COVERAGE_CLASS)     \
    MAY(T, alignment, BSSGP_IE_ALIGNMENT)               \
    MUST(T, llc_pdu, BSSGP_IE_LLC_PDU)

#define BSSGP_DL_UNITDATA_IES(MUST, MAY, T)                 \
    MUST(T, tlli, BSSGP_IE_V_TLLI)                          \
    MUST(T, qos, BSSGP_IE_V_QOS)                            \
    MUST(T, lifetime_ms, BSSGP_IE_LIFETIME)                 \
    MAY(T, ra_capability, BSSGP_IE_RA_CAPABILITY)           \
    MAY(T, priority, BSSGP_IE_PRIORITY)                     \
    MAY(T, drx, BSSGP_IE_DRX)                               \
    MAY(T, imsi, BSSGP_IE_IMSI)                             \
    MAY(T, old_tlli, BSSGP_IE_TLLI)                         \
    MAY(T, pfi, BSSGP_IE_PFI)                               \
    MAY(T, lsa_information, BSSGP_IE_LSA_INFORMATION)       \
    MAY(T, service_utran_cco, BSSGP_IE_SERVICE_UTRAN_CCO)   \
    MAY(T, subscriber_profile, BSSGP_IE_SUBSCRIBER_PROFILE) \
    MAY(T, redirection, BSSGP_IE_REDIRECTION)               \
    MAY(T, redirected, BSSGP_IE_REDIRECTED)                 \
    MAY(T, send_state, BSSGP_IE_SEND_STATE)                 \
    MAY(T, sci, BSSGP_IE_SCI)                               \
    MAY(T, ggsn_location, BSSGP_IE_GGSN_LOCATION)           \
    MAY(T, edrx, BSSGP_IE_EDRX)                             \
    MAY(T, coverage_class, BSSGP_IE_COVERAGE_CLASS)         \
    MAY(T, old_routeing_area, BSSGP_IE_OLD_RAI)             \
    MAY(T, attach_indicator, BSSGP_IE_ATTACH_INDICATOR)     \
    MAY(T, alignment, BSSGP_IE_ALIGNMENT)                   \
    MUST(T, llc_pdu, BSSGP_IE_LLC_PDU)

#define BSSGP_RA_CAPABILITY_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, ra_capability, BSSGP_IE_RA_CAPABILITY)
#define BSSGP_PAGING_PS_IES(MUST, MAY, T)           \
    MUST(T, imsi, BSSGP_IE_IMSI)                    \
    MAY(T, drx, BSSGP_IE_DRX)                       \
    MAY(T, bvci, TLV_ONE_OF(BSSGP_IE_BVCI))         \
    MAY(T, location_area, TLV_ONE_OF(BSSGP_IE_LAI)) \
    MAY(T, routeing_area, TLV_ONE_OF(BSSGP_IE_RAI)) \
    MAY(T, bss_area, TLV_ONE_OF(BSSGP_IE_BSS_AREA)) \
    MAY(T, pfi, BSSGP_IE_PFI)                       \
    MAY(T, abqp, BSSGP_IE_ABQP)                     \
    MUST(T, qos, BSSGP_IE_QOS)                      \
    MAY(T, p_tmsi, BSSGP_IE_TMSI)
#define BSSGP_PAGING_CS_IES(MUST, MAY, T)           \
    MUST(T, imsi, BSSGP_IE_IMSI)                    \
    MUST(T, drx, BSSGP_IE_DRX)                      \
    MAY(T, bvci, TLV_ONE_OF(BSSGP_IE_BVCI))         \
    MAY(T, location_area, TLV_ONE_OF(BSSGP_IE_LAI)) \
    MAY(T, routeing_area, TLV_ONE_OF(BSSGP_IE_RAI)) \
    MAY(T, bss_area, TLV_ONE_OF(BSSGP_IE_BSS_AREA)) \
    MAY(T, tlli, BSSGP_IE_TLLI)                     \
    MAY(T, channel_needed, BSSGP_IE_CHANNEL_NEEDED) \
    MAY(T, emlpp, BSSGP_IE_EMLPP)                   \
    MAY(T, tmsi, BSSGP_IE_TMSI)
#define BSSGP_RA_CAPABILITY_UPDATE_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, tag, BSSGP_IE_TAG)
#define BSSGP_RA_CAPABILITY_UPDATE_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI)                         \
    MUST(T, tag, BSSGP_IE_TAG)                           \
    MAY(T, imsi, BSSGP_IE_IMSI)                          \
    MUST(T, cause, BSSGP_IE_RA_UPDATE_CAUSE)             \
    MAY(T, ra_capability, BSSGP_IE_RA_CAPABILITY)
#define BSSGP_RADIO_STATUS_IES(MUST, MAY, T) \
    MAY(T, tlli, TLV_ONE_OF(BSSGP_IE_TLLI))  \
    MAY(T, tmsi, TLV_ONE_OF(BSSGP_IE_TMSI))  \
    MAY(T, imsi, TLV_ONE_OF(BSSGP_IE_IMSI)) MUST(T, cause, BSSGP_IE_RADIO_CAUSE)
#define BSSGP_SUSPEND_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, routeing_area, BSSGP_IE_RAI)
#define BSSGP_SUSPEND_ACK_IES(MUST, MAY, T) \
    BSSGP_SUSPEND_IES(MUST, MAY, T) MUST(T, suspend_reference, BSSGP_IE_SUSPEND_REF)
#define BSSGP_SUSPEND_NACK_IES(MUST, MAY, T) \
    BSSGP_SUSPEND_IES(MUST, MAY, T) MAY(T, cause, BSSGP_IE_CAUSE)
#define BSSGP_RESUME_IES(MUST, MAY, T)      BSSGP_SUSPEND_ACK_IES(MUST, MAY, T)
#define BSSGP_RESUME_ACK_IES(MUST, MAY, T)  BSSGP_SUSPEND_IES(MUST, MAY, T)
#define BSSGP_RESUME_NACK_IES(MUST, MAY, T) BSSGP_SUSPEND_NACK_IES(MUST, MAY, T)

#define BSSGP_BVC_BLOCK_IES(MUST, MAY, T) \
    MUST(T, bvci, BSSGP_IE_BVCI) MUST(T, cause, BSSGP_IE_CAUSE)
#define BSSGP_BVC_BLOCK_ACK_IES(MUST, MAY, T)   MUST(T, bvci, BSSGP_IE_BVCI)
#define BSSGP_BVC_UNBLOCK_IES(MUST, MAY, T)     MUST(T, bvci, BSSGP_IE_BVCI)
#define BSSGP_BVC_UNBLOCK_ACK_IES(MUST, MAY, T) MUST(T, bvci, BSSGP_IE_BVCI)
#define BSSGP_BVC_RESET_IES(MUST, MAY, T)       \
    MUST(T, bvci, BSSGP_IE_BVCI)                \
    MUST(T, cause, BSSGP_IE_CAUSE)              \
    MAY(T, cell, TLV_IF(BSSGP_IE_CELL))         \
    MAY(T, features, TLV_IF(BSSGP_IE_FEATURES)) \
    MAY(T, extended_features, TLV_IF(BSSGP_IE_EXTENDED_FEATURES))
#define BSSGP_BVC_RESET_ACK_IES(MUST, MAY, T)   \
    MUST(T, bvci, BSSGP_IE_BVCI)                \
    MAY(T, cell, TLV_IF(BSSGP_IE_CELL))         \
    MAY(T, features, TLV_IF(BSSGP_IE_FEATURES)) \
    MAY(T, extended_features, TLV_IF(BSSGP_IE_EXTENDED_FEATURES))

#define BSSGP_FLOW_CONTROL_BVC_IES(MUST, MAY, T)           \
    MUST(T, tag, BSSGP_IE_TAG)                             \
    MUST(T, bmax_octets, BSSGP_IE_BVC_BUCKET_SIZE)         \
    MUST(T, r_bit_per_s, BSSGP_IE_LEAK_RATE)               \
    MUST(T, bmax_default_octets, BSSGP_IE_BMAX_DEFAULT_MS) \
    MUST(T, r_default_bit_per_s, BSSGP_IE_R_DEFAULT_MS)    \
    MAY(T, full_percent, TLV_IF(BSSGP_IE_FULL_RATIO))      \
    MAY(T, measured_delay_ms, BSSGP_IE_BVC_MEASUREMENT)    \
    MAY(T, granularity, BSSGP_IE_GRANULARITY)
#define BSSGP_FLOW_CONTROL_BVC_ACK_IES(MUST, MAY, T) MUST(T, tag, BSSGP_IE_TAG)
#define BSSGP_FLOW_CONTROL_MS_IES(MUST, MAY, T)       \
    MUST(T, tlli, BSSGP_IE_TLLI)                      \
    MUST(T, tag, BSSGP_IE_TAG)                        \
    MUST(T, bmax_octets, BSSGP_IE_MS_BUCKET_SIZE)     \
    MUST(T, r_bit_per_s, BSSGP_IE_LEAK_RATE)          \
    MAY(T, full_percent, TLV_IF(BSSGP_IE_FULL_RATIO)) \
    MAY(T, granularity, BSSGP_IE_GRANULARITY)
#define BSSGP_FLOW_CONTROL_MS_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, tag, BSSGP_IE_TAG)
#define BSSGP_FLOW_CONTROL_PFC_IES(MUST, MAY, T)      \
    MUST(T, tlli, BSSGP_IE_TLLI)                      \
    MUST(T, tag, BSSGP_IE_TAG)                        \
    MAY(T, bmax_octets, BSSGP_IE_MS_BUCKET_SIZE)      \
    MAY(T, r_bit_per_s, BSSGP_IE_LEAK_RATE)           \
    MAY(T, full_percent, TLV_IF(BSSGP_IE_FULL_RATIO)) \
    MUST(T, flows, BSSGP_IE_PFC_FLOWS)                \
    MAY(T, granularity, BSSGP_IE_GRANULARITY)
#define BSSGP_FLOW_CONTROL_PFC_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, tag, BSSGP_IE_TAG)

#define BSSGP_FLUSH_LL_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI)         \
    MUST(T, old_bvci, BSSGP_IE_BVCI) MAY(T, new_bvci, BSSGP_IE_BVCI) MAY(T, nsei, BSSGP_IE_NSEI)
#define BSSGP_FLUSH_LL_ACK_IES(MUST, MAY, T)  \
    MUST(T, tlli, BSSGP_IE_TLLI)              \
    MUST(T, action, BSSGP_IE_FLUSH_ACTION)    \
    MAY(T, new_bvci, TLV_IF(BSSGP_IE_BVCI))   \
    MUST(T, octets, BSSGP_IE_OCTETS_AFFECTED) \
    MAY(T, nsei, TLV_IF(BSSGP_IE_NSEI))
#define BSSGP_LLC_DISCARDED_IES(MUST, MAY, T)      \
    MUST(T, tlli, BSSGP_IE_TLLI)                   \
    MUST(T, frames, BSSGP_IE_LLC_FRAMES_DISCARDED) \
    MUST(T, bvci, BSSGP_IE_BVCI)                   \
    MUST(T, octets, BSSGP_IE_OCTETS_AFFECTED)      \
    MAY(T, pfi, BSSGP_IE_PFI)
#define BSSGP_STATUS_IES(MUST, MAY, T) \
    MUST(T, cause, BSSGP_IE_CAUSE)     \
    MAY(T, bvci, BSSGP_IE_BVCI) MAY(T, pdu_in_error, BSSGP_IE_PDU_IN_ERROR)

#define BSSGP_DOWNLOAD_BSS_PFC_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI)
#define BSSGP_CREATE_BSS_PFC_IES(MUST, MAY, T)            \
    MUST(T, tlli, BSSGP_IE_TLLI)                          \
    MAY(T, imsi, BSSGP_IE_IMSI)                           \
    MUST(T, pfi, BSSGP_IE_PFI)                            \
    MUST(T, packet_flow_timer_s, BSSGP_IE_GPRS_TIMER)     \
    MUST(T, abqp, BSSGP_IE_ABQP)                          \
    MAY(T, service_utran_cco, BSSGP_IE_SERVICE_UTRAN_CCO) \
    MAY(T, ra_capability, BSSGP_IE_RA_CAPABILITY)         \
    MAY(T, priority, BSSGP_IE_PRIORITY)                   \
    MAY(T, t10_s, BSSGP_IE_GPRS_TIMER)
#define BSSGP_CREATE_BSS_PFC_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI)                   \
    MUST(T, pfi, BSSGP_IE_PFI) MUST(T, abqp, BSSGP_IE_ABQP) MAY(T, cause, BSSGP_IE_CAUSE)
#define BSSGP_CREATE_BSS_PFC_NACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI) MUST(T, cause, BSSGP_IE_CAUSE)
#define BSSGP_MODIFY_BSS_PFC_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI) MUST(T, abqp, BSSGP_IE_ABQP)
#define BSSGP_MODIFY_BSS_PFC_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI)                   \
    MUST(T, pfi, BSSGP_IE_PFI)                     \
    MUST(T, packet_flow_timer_s, BSSGP_IE_GPRS_TIMER) MUST(T, abqp, BSSGP_IE_ABQP)
#define BSSGP_DELETE_BSS_PFC_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI)
#define BSSGP_DELETE_BSS_PFC_ACK_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI)
#define BSSGP_DELETE_BSS_PFC_REQ_IES(MUST, MAY, T) \
    MUST(T, tlli, BSSGP_IE_TLLI) MUST(T, pfi, BSSGP_IE_PFI) MUST(T, cause, BSSGP_IE_CAUSE)

enum bssgp_type {
#define TLV_PDU(group, name, NAME, pdu_type, help) NAME##_TYPE = pdu_type,
#include "dataplane/wire/bssgp.def"
#undef TLV_PDU
};

#define TLV_PDU(group, name, NAME, pdu_type, help)                     \
    TLV_STRUCT(name, NAME##_IES);                                      \
    int name##_decode(struct name *pdu, const uint8_t *b, uint32_t n); \
    int name##_encode(const struct name *pdu, uint8_t *b, uint32_t room);
#include "dataplane/wire/bssgp.def"
#undef TLV_PDU

// Writers of DL-UNITDATA's parts around an LLC PDU that is already in place: the fixed part with
// the lifetime, a new lifetime in it, and the LLC PDU's tag and length.
#define BSSGP_LIFETIME_AT        8     // in the fixed part
#define BSSGP_LENGTH_SHORT       0x80u // a length in one octet
#define BSSGP_LENGTH_SHORT_MAX   0x7f
#define BSSGP_MS_PER_CENTISECOND 10

#define BSSGP_DL_UNITDATA_FIXED_OCTETS 12
#define BSSGP_DL_UNITDATA_OCTETS_MAX \
    (BSSGP_DL_UNITDATA_FIXED_OCTETS + 3) // without optional elements

// Writes the optional elements alone, in their order; returns the octets written, or a fault.
int bssgp_dl_unitdata_put_options(const struct bssgp_dl_unitdata *pdu, uint8_t *b, uint32_t room);

void bssgp_dl_unitdata_put_fixed(const struct bssgp_dl_unitdata *pdu, uint8_t *b);
// Rounded down to 10 ms; a longer lifetime than the largest is sent as infinite.
static inline void bssgp_dl_unitdata_put_lifetime(uint32_t lifetime_ms, uint8_t *b)
{
    if (lifetime_ms > BSSGP_LIFETIME_INFINITE_MS)
        lifetime_ms = BSSGP_LIFETIME_INFINITE_MS;
    put_be16(b + BSSGP_LIFETIME_AT + 2, (uint16_t)(lifetime_ms / BSSGP_MS_PER_CENTISECOND));
}

static inline uint32_t bssgp_llc_tag_octets(uint32_t llc_octets)
{
    return llc_octets <= BSSGP_LENGTH_SHORT_MAX ? 2 : 3;
}

static inline void bssgp_put_llc_tag(uint32_t llc_octets, uint8_t *b)
{
    b[0] = 0x0e;
    if (llc_octets <= BSSGP_LENGTH_SHORT_MAX)
        b[1] = (uint8_t)(BSSGP_LENGTH_SHORT | llc_octets);
    else
        put_be16(b + 1, (uint16_t)llc_octets);
}

#endif
