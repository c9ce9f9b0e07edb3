// LLC U frames (TS 44.064 clauses 6.3.4 and 6.4.1): address, one control octet, information, FCS
// over all of it. The information field stays octets: XID has a codec of its own (llc_xid.h),
// FRMR's and SABM's are not decoded. Enough to recognize each frame and to refuse SABM with DM.
#ifndef SLUICE_WIRE_LLC_U_H
#define SLUICE_WIRE_LLC_U_H

#include "dataplane/wire/llc.h"

#define LLC_U_HEADER_OCTETS 2
#define LLC_U_INFO_MAX      1520

// The modifier bits M4 to M1. NULL, DISC and SABM are commands, DM, UA and FRMR responses.
enum llc_u_command {
    LLC_U_NULL = 0x0,
    LLC_U_DM = 0x1,
    LLC_U_DISC = 0x4,
    LLC_U_UA = 0x6,
    LLC_U_SABM = 0x7,
    LLC_U_FRMR = 0x8,
    LLC_U_XID = 0xb
};

#define LLC_U_FIELDS(MUST, MAY, T)                                                           \
    MUST(T, BOOL, cr, 0, 1, "C/R: 1 is a command on the downlink, a response on the uplink") \
    MUST(T, U8, sapi, 1, 14, "SAPI")                                                         \
    MUST(T, BOOL, pf, 0, 1, "P in a command: answer at once; F in a response: this answers") \
    MUST(T, U8, command, 0, 15, "0 NULL, 1 DM, 4 DISC, 6 UA, 7 SABM, 8 FRMR, 11 XID")        \
    MUST(T, OCTETS, info, 0, LLC_U_INFO_MAX, "information")

FIELD_STRUCT(llc_u, LLC_U_FIELDS);

int llc_u_decode(struct llc_u *frame, const uint8_t *b, uint32_t n);
int llc_u_encode(const struct llc_u *frame, uint8_t *b, uint32_t room);

#endif
