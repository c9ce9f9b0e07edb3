// LLC UI frames (TS 44.064 clauses 5 and 6): address, control with N(U), information, FCS. With PM
// the FCS covers header and information, without PM the header and the first N202 octets. The FCS
// of an enciphered frame (E) is enciphered too: the codec copies it from and to `enciphered_fcs`.
// For a plaintext frame the encoder computes the FCS; the caller then enciphers.
#ifndef SLUICE_WIRE_LLC_H
#define SLUICE_WIRE_LLC_H

#include "dataplane/wire/field.h"

#define LLC_BIT_CR         0x40 // of the address
#define LLC_UI_FORMAT_MASK 0xe0 // of the control field; E and PM are its last two bits
#define LLC_UI_FORMAT      0xc0
#define LLC_BIT_E          0x02
#define LLC_BIT_PM         0x01

#define LLC_UI_HEADER_OCTETS 3
#define LLC_FCS_OCTETS       3
#define LLC_N202_OCTETS      4
#define LLC_N201_U_MIN       140
#define LLC_N201_U_MAX       1520
#define LLC_NU_COUNT         512

#define LLC_UI_FIELDS(MUST, MAY, T)                                                          \
    MUST(T, BOOL, cr, 0, 1, "C/R: 1 is a command on the downlink, a response on the uplink") \
    MUST(T, U8, sapi, 1, 14, "SAPI")                                                         \
    MUST(T, U16, nu, 0, 511, "N(U)")                                                         \
    MUST(T, BOOL, enciphered, 0, 1, "E: information and FCS are enciphered")                 \
    MUST(T, BOOL, protect_all, 0, 1, "PM: the FCS covers all of the information")            \
    MAY(T, U32, enciphered_fcs, 0, 0xffffff,                                                 \
        "FCS of an enciphered frame, as it stands, low octet first")                         \
    MUST(T, OCTETS, info, 0, 1520, "information")

FIELD_STRUCT(llc_ui, LLC_UI_FIELDS);

// C/R has opposite meanings in the two directions (clause 6.2.2): it is set in an SGSN's command
// and in an MS's response. llc_cr gives the bit of a command or response, and tells whether a bit
// means a command.
static inline bool llc_cr(bool command, bool downlink)
{
    return command == downlink;
}

// The address octet (clause 6.2): 0, or a fault at octet 0.
int llc_address_decode(uint8_t octet, bool *cr, uint8_t *sapi);
static inline uint8_t llc_address_encode(bool cr, uint8_t sapi)
{
    return (uint8_t)((cr ? LLC_BIT_CR : 0) | sapi);
}

int llc_ui_decode(struct llc_ui *frame, const uint8_t *b, uint32_t n);
int llc_ui_encode(const struct llc_ui *frame, uint8_t *b, uint32_t room);

// Checks the FCS of a whole frame of n octets (at least header and FCS) as it is in memory. An
// enciphered frame must be deciphered first; its header keeps E.
bool llc_ui_fcs_good(const uint8_t *b, uint32_t n);

// Writes the three header octets.
static inline void llc_ui_put_header(const struct llc_ui *frame, uint8_t *b)
{
    b[0] = llc_address_encode(frame->cr, frame->sapi);
    b[1] = (uint8_t)(LLC_UI_FORMAT | frame->nu >> 6);
    b[2] = (uint8_t)(frame->nu << 2 | (frame->enciphered ? LLC_BIT_E : 0) |
                     (frame->protect_all ? LLC_BIT_PM : 0));
}

#endif
