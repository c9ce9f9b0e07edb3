// BSSGP DL-UNITDATA (TS 48.018 clause 10.2.1): TLLI, QoS profile, PDU lifetime, then optional
// elements in TLV form and last the LLC-PDU. The decoder steps over the optional elements, the
// encoder writes none of them yet. Centiseconds and the peak rate's granularity end here: above,
// lifetimes are in ms and rates in bit/s.
#ifndef SLUICE_WIRE_BSSGP_H
#define SLUICE_WIRE_BSSGP_H

#include "dataplane/wire/field.h"

#define BSSGP_DL_UNITDATA 0x00

// type 1, TLLI 4, QoS 3, lifetime TLV 4; then the LLC-PDU's tag and 1 or 2 length octets
#define BSSGP_DL_UNITDATA_FIXED_OCTETS 12
#define BSSGP_DL_UNITDATA_OCTETS_MAX   (BSSGP_DL_UNITDATA_FIXED_OCTETS + 3)

#define BSSGP_LIFETIME_INFINITE_MS 655350
#define BSSGP_PEAK_MAX_BIT_PER_S   6553500000ULL

#define BSSGP_DL_UNITDATA_FIELDS(MUST, MAY, T)                                   \
    MUST(T, U32, tlli, 0, UINT32_MAX, "the MS")                                  \
    MUST(T, U64, peak_bit_per_s, 0, BSSGP_PEAK_MAX_BIT_PER_S,                    \
         "peak rate, 0 = best effort; carried in units of 100 to 100 000 bit/s") \
    MUST(T, BOOL, not_ack, 0, 1, "C/R: holds no LLC acknowledgement")            \
    MUST(T, BOOL, user_data, 0, 1, "T: data, not signalling")                    \
    MUST(T, BOOL, rlc_unack, 0, 1, "A: RLC in unacknowledged mode")              \
    MUST(T, U8, precedence, 0, 7, "0 high, 1 normal, 2 low")                     \
    MUST(T, U32, lifetime_ms, 0, BSSGP_LIFETIME_INFINITE_MS,                     \
         "how long the BSS may keep it, in steps of 10 ms; 655350 = for ever")   \
    MUST(T, OCTETS, llc_pdu, 0, 1600, "the LLC frame")

FIELD_STRUCT(bssgp_dl_unitdata, BSSGP_DL_UNITDATA_FIELDS);

int bssgp_dl_unitdata_decode(struct bssgp_dl_unitdata *pdu, const uint8_t *b, uint32_t n);
int bssgp_dl_unitdata_encode(const struct bssgp_dl_unitdata *pdu, uint8_t *b, uint32_t room);

// The same in parts, for who writes around an LLC-PDU that is already in place: the fixed part, a
// new lifetime into it, and the LLC-PDU's tag and length, whose octets depend on the length.
void bssgp_dl_unitdata_put_fixed(const struct bssgp_dl_unitdata *pdu, uint8_t *b);
void bssgp_dl_unitdata_put_lifetime(uint32_t lifetime_ms, uint8_t *b);
uint32_t bssgp_llc_tag_octets(uint32_t llc_octets);
void bssgp_put_llc_tag(uint32_t llc_octets, uint8_t *b);

#endif
