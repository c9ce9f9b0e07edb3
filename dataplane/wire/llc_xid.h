// LLC XID frames (TS 44.064 clauses 6.4.1.6 and 8.5.3, parameters of table 6): the parameters that
// MS and SGSN agree on for a SAPI. A parameter is a type, a length of 2 bits (XL = 0) or 8 (XL = 1)
// and a value. Each is optional; the order is free, but a receiver acts on Reset first, so Reset is
// written first. Types beyond 12 (integrity) and repeated parameters are skipped. The rules for an
// answer to a proposal are not here.
#ifndef SLUICE_WIRE_LLC_XID_H
#define SLUICE_WIRE_LLC_XID_H

#include "dataplane/wire/llc_u.h"

#define LLC_T200_MAX_MS       409500 // 4095 x 0.1 s
#define LLC_BUFFER_OCTETS_MAX 389120 // 24320 x 16 octets
#define LLC_XID_L3_OCTETS_MAX 255

#define LLC_XID_FIELDS(MUST, MAY, T)                                                              \
    MUST(T, BOOL, cr, 0, 1, "C/R: 1 is a command on the downlink, a response on the uplink")      \
    MUST(T, U8, sapi, 1, 14, "SAPI")                                                              \
    MUST(T, BOOL, pf, 0, 1, "P in a command, F in a response")                                    \
    MUST(T, BOOL, reset, 0, 1, "Reset: LLC starts anew before the others count")                  \
    MAY(T, U8, version, 0, 15, "LLC version")                                                     \
    MAY(T, U32, iov_ui, 0, UINT32_MAX, "IOV-UI: cipher input offset of UI frames")                \
    MAY(T, U32, iov_i, 0, UINT32_MAX, "IOV-I: cipher input offset of I frames")                   \
    MAY(T, U32, t200_ms, 100, LLC_T200_MAX_MS, "T200: retransmission time, in steps of 100")      \
    MAY(T, U8, n200, 1, 15, "N200: most retransmissions")                                         \
    MAY(T, U16, n201_u_octets, LLC_N201_U_MIN, LLC_N201_U_MAX, "N201-U: most of a U or UI frame") \
    MAY(T, U16, n201_i_octets, LLC_N201_U_MIN, LLC_N201_U_MAX, "N201-I: most of an I frame")      \
    MAY(T, U32, md_octets, 0, LLC_BUFFER_OCTETS_MAX,                                              \
        "mD: downlink I frame buffer, in steps of 16; 0 or 144 on")                               \
    MAY(T, U32, mu_octets, 0, LLC_BUFFER_OCTETS_MAX,                                              \
        "mU: uplink I frame buffer, in steps of 16; 0 or 144 on")                                 \
    MAY(T, U8, kd, 1, 255, "kD: downlink window, I frames")                                       \
    MAY(T, U8, ku, 1, 255, "kU: uplink window, I frames")                                         \
    MAY(T, OCTETS, layer3, 0, LLC_XID_L3_OCTETS_MAX, "layer-3 parameters: an SNDCP XID block")

FIELD_STRUCT(llc_xid, LLC_XID_FIELDS);

int llc_xid_decode(struct llc_xid *frame, const uint8_t *b, uint32_t n);
int llc_xid_encode(const struct llc_xid *frame, uint8_t *b, uint32_t room);

#endif
