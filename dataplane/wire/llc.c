// See llc.h.
#include "dataplane/wire/llc.h"

#include <string.h>

#include "dataplane/wire/fcs.h"

#define BIT_PD        0x80
#define ADDRESS_SPARE 0x30

static uint32_t covered_octets(bool protect_all, uint32_t info)
{
    if (!protect_all && info > LLC_N202_OCTETS)
        info = LLC_N202_OCTETS;
    return LLC_UI_HEADER_OCTETS + info;
}

bool llc_ui_fcs_good(const uint8_t *b, uint32_t n)
{
    uint32_t info = n - LLC_UI_HEADER_OCTETS - LLC_FCS_OCTETS;
    return fcs(b, covered_octets(b[2] & LLC_BIT_PM, info)) == fcs_get(b + n - LLC_FCS_OCTETS);
}

int llc_address_decode(uint8_t octet, bool *cr, uint8_t *sapi)
{
    if (octet & BIT_PD)
        return wire_fault(WIRE_TYPE, 0);
    *cr = octet & LLC_BIT_CR;
    *sapi = octet & 15;
    if ((octet & ADDRESS_SPARE) || *sapi == 0 || *sapi == 15)
        return wire_fault(WIRE_RESERVED, 0);
    return 0;
}

int llc_ui_decode(struct llc_ui *frame, const uint8_t *b, uint32_t n)
{
    if (n < LLC_UI_HEADER_OCTETS + LLC_FCS_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    int fault = llc_address_decode(b[0], &frame->cr, &frame->sapi);
    if (fault)
        return fault;
    if ((b[1] & LLC_UI_FORMAT_MASK) != LLC_UI_FORMAT)
        return wire_fault(WIRE_TYPE, 1);
    frame->nu = (uint16_t)((b[1] & 7) << 6 | b[2] >> 2);
    frame->enciphered = b[2] & LLC_BIT_E;
    frame->protect_all = b[2] & LLC_BIT_PM;
    frame->info =
        (struct octets){b + LLC_UI_HEADER_OCTETS, n - LLC_UI_HEADER_OCTETS - LLC_FCS_OCTETS};
    frame->has_enciphered_fcs = frame->enciphered;
    frame->enciphered_fcs = frame->enciphered ? fcs_get(b + n - LLC_FCS_OCTETS) : 0;
    if (!frame->enciphered && !llc_ui_fcs_good(b, n))
        return wire_fault(WIRE_FCS, n - LLC_FCS_OCTETS);
    return (int)n;
}

int llc_ui_encode(const struct llc_ui *frame, uint8_t *b, uint32_t room)
{
    if (frame->sapi == 0 || frame->sapi > 14)
        return wire_fault(WIRE_RANGE, 0);
    if (frame->nu >= LLC_NU_COUNT)
        return wire_fault(WIRE_RANGE, 1);
    if (frame->has_enciphered_fcs && (!frame->enciphered || frame->enciphered_fcs > FCS_MASK))
        return wire_fault(WIRE_RANGE, LLC_UI_HEADER_OCTETS + frame->info.n);
    if (room < LLC_UI_HEADER_OCTETS + LLC_FCS_OCTETS ||
        room - LLC_UI_HEADER_OCTETS - LLC_FCS_OCTETS < frame->info.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (frame->info.n)
        memmove(b + LLC_UI_HEADER_OCTETS, frame->info.at, frame->info.n);
    llc_ui_put_header(frame, b);
    uint32_t value = frame->has_enciphered_fcs
                         ? frame->enciphered_fcs
                         : fcs(b, covered_octets(frame->protect_all, frame->info.n));
    fcs_put(b + LLC_UI_HEADER_OCTETS + frame->info.n, value);
    return (int)(LLC_UI_HEADER_OCTETS + frame->info.n + LLC_FCS_OCTETS);
}
