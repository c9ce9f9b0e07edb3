// Aggregate BSS QoS profile: the value of BSSGP's ABQP element, equal to that of the QoS element of
// 24.008 10.5.6.5 from octet 3 on. An absent optional field is "subscribed", code 0, which only an
// MS may request. Classes are the codes of the clause; sizes, rates and delays are in octets, bit/s
// and ms, and the encoder refuses values without a code. Rates above 8640 kbit/s use the extended
// octets. Left out: the form of 3 octets of R97, and the second extension, beyond 256 Mbit/s.
#ifndef SLUICE_WIRE_ABQP_H
#define SLUICE_WIRE_ABQP_H

#include "dataplane/wire/field.h"

#define ABQP_RATE_MAX 256000000ULL

#define ABQP_FIELDS(MUST, MAY, T)                                                                  \
    MUST(T, U8, delay_class, 0, 7, "1 to 4, 4 = best effort")                                      \
    MUST(T, U8, reliability, 0, 7, "2 to 5; 3 = unacknowledged LLC, 5 = and RLC, unprotected")     \
    MUST(T, U8, peak_throughput, 0, 15, "n of 1 to 9: 1000 x 2^(n-1) octets/s")                    \
    MUST(T, U8, precedence, 0, 7, "1 high, 2 normal, 3 low")                                       \
    MUST(T, U8, mean_throughput, 0, 31, "1 to 18; 31 = best effort")                               \
    MUST(T, U8, traffic_class, 0, 7, "1 conversational, 2 streaming, 3 interactive, 4 background") \
    MUST(T, U8, delivery_order, 0, 3, "1 in order, 2 not")                                         \
    MUST(T, U8, erroneous_sdus, 0, 7, "1 no detection, 2 delivered, 3 not delivered")              \
    MAY(T, U16, sdu_octets, 10, 1520, "longest SDU")                                               \
    MAY(T, U32, mbr_up_bit_per_s, 0, ABQP_RATE_MAX, "maximum rate from the MS")                    \
    MAY(T, U32, mbr_down_bit_per_s, 0, ABQP_RATE_MAX, "maximum rate to the MS")                    \
    MUST(T, U8, residual_ber, 0, 15, "code of the residual bit error ratio")                       \
    MUST(T, U8, sdu_error_ratio, 0, 15, "code of the SDU error ratio")                             \
    MAY(T, U16, transfer_delay_ms, 10, 4000, "for conversational and streaming")                   \
    MUST(T, U8, handling_priority, 0, 3, "THP of interactive, 1 first")                            \
    MAY(T, U32, gbr_up_bit_per_s, 0, ABQP_RATE_MAX, "guaranteed rate from the MS")                 \
    MAY(T, U32, gbr_down_bit_per_s, 0, ABQP_RATE_MAX, "guaranteed rate to the MS")                 \
    MUST(T, BOOL, signalling, 0, 1, "optimised for signalling")                                    \
    MUST(T, U8, source_statistics, 0, 15, "1 = speech")

FIELD_STRUCT(abqp, ABQP_FIELDS);

int abqp_decode(struct abqp *pdu, const uint8_t *b, uint32_t n);
int abqp_encode(const struct abqp *pdu, uint8_t *b, uint32_t room);

#endif
