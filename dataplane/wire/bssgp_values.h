// BSSGP information elements with values other than integers (TS 48.018 clause 11.3), as described
// structs, and the coding of all elements. Units of the wire end here: structs hold octets and
// bit/s, the wire 100 octets and 100 bit/s times the granularity; ms, the wire centiseconds; s, the
// wire GPRS timers.
#ifndef SLUICE_WIRE_BSSGP_VALUES_H
#define SLUICE_WIRE_BSSGP_VALUES_H

#include "dataplane/wire/tlv.h"

#define BSSGP_LIFETIME_INFINITE_MS 655350
#define BSSGP_PEAK_MAX_BIT_PER_S   6553500000ULL
#define BSSGP_FLOW_MAX             6553500000ULL // 65535 x 100 x 1000
#define BSSGP_PFC_FLOWS_MAX        11
#define BSSGP_TIMER_OFF_S          UINT32_MAX // a GPRS timer that never expires

#define BSSGP_QOS_FIELDS(MUST, MAY, T)                                                    \
    MUST(T, U64, peak_bit_per_s, 0, BSSGP_PEAK_MAX_BIT_PER_S, "peak rate, 0 best effort") \
    MUST(T, BOOL, not_ack, 0, 1, "C/R: holds no LLC acknowledgement")                     \
    MUST(T, BOOL, user_data, 0, 1, "T: data, not signalling")                             \
    MUST(T, BOOL, rlc_unack, 0, 1, "A: RLC in unacknowledged mode")                       \
    MUST(T, U8, precedence, 0, 7, "downlink: 0 high, 1 normal, 2 low")
FIELD_STRUCT(bssgp_qos, BSSGP_QOS_FIELDS);

// A location area, a routeing area and a cell share one struct; their tables list their fields.
#define BSSGP_LAI_FIELDS(MUST, MAY, T)                      \
    MUST(T, U16, mcc, 0, 999, "mobile country code")        \
    MUST(T, U16, mnc, 0, 999, "mobile network code")        \
    MUST(T, U8, mnc_digits, 2, 3, "how many digits it has") \
    MUST(T, U16, lac, 0, 0xffff, "location area code")
#define BSSGP_RAI_FIELDS(MUST, MAY, T) \
    BSSGP_LAI_FIELDS(MUST, MAY, T)     \
    MUST(T, U8, rac, 0, 255, "routeing area code")
#define BSSGP_CELL_FIELDS(MUST, MAY, T) \
    BSSGP_RAI_FIELDS(MUST, MAY, T)      \
    MUST(T, U16, ci, 0, 0xffff, "cell identity")
FIELD_STRUCT(bssgp_area, BSSGP_CELL_FIELDS);

// With the CBL feature every flow of a PDU has a bucket-full ratio, without CBL none has.
#define BSSGP_PFC_FLOW_FIELDS(MUST, MAY, T)                     \
    MUST(T, U8, pfi, 0, 127, "packet flow identifier")          \
    MUST(T, U64, bmax_octets, 0, BSSGP_FLOW_MAX, "bucket size") \
    MUST(T, U64, r_bit_per_s, 0, BSSGP_FLOW_MAX, "leak rate")   \
    MAY(T, U8, full_percent, 0, 255, "how full the BSS says the bucket is")
FIELD_STRUCT(bssgp_pfc_flow, BSSGP_PFC_FLOW_FIELDS);
FIELD_LIST_STRUCT(bssgp_pfc_flows, bssgp_pfc_flow, BSSGP_PFC_FLOWS_MAX);

extern const struct field_record bssgp_qos_record, bssgp_rai_record, bssgp_cell_record,
    bssgp_lai_record, bssgp_pfc_flow_record;

#define FIELD_TYPE_QOS       struct bssgp_qos
#define FIELD_KIND_QOS       FIELD_RECORD, &bssgp_qos_record
#define FIELD_TYPE_RAI       struct bssgp_area
#define FIELD_KIND_RAI       FIELD_RECORD, &bssgp_rai_record
#define FIELD_TYPE_CELL      struct bssgp_area
#define FIELD_KIND_CELL      FIELD_RECORD, &bssgp_cell_record
#define FIELD_TYPE_LAI       struct bssgp_area
#define FIELD_KIND_LAI       FIELD_RECORD, &bssgp_lai_record
#define FIELD_TYPE_PFC_FLOWS struct bssgp_pfc_flows
#define FIELD_KIND_PFC_FLOWS FIELD_LIST, &bssgp_pfc_flow_record

// The encoder refuses a value that is no multiple of its unit, as the caller chooses the rounding;
// only the QoS profile's peak rate, which is advisory, is rounded down.
extern const struct ie_coding bssgp_flow, bssgp_centiseconds, bssgp_gprs_timer, bssgp_alignment,
    bssgp_qos_coding, bssgp_area_coding, bssgp_pfc_flows_coding;

// Writes the QoS profile's three octets, also for the path, once a context.
void bssgp_put_qos(const struct bssgp_qos *qos, uint8_t *b);

#endif
