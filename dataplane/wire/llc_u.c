// See llc_u.h.
#include "dataplane/wire/llc_u.h"

#include <string.h>

#include "dataplane/wire/fcs.h"

#define U_FORMAT     0xe0
#define BIT_PF       0x10
#define U_MODIFIER   0x0f
#define FRAME_OCTETS (LLC_U_HEADER_OCTETS + LLC_FCS_OCTETS)

int llc_u_decode(struct llc_u *frame, const uint8_t *b, uint32_t n)
{
    if (n < FRAME_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    int fault = llc_address_decode(b[0], &frame->cr, &frame->sapi);
    if (fault)
        return fault;
    if ((b[1] & U_FORMAT) != U_FORMAT)
        return wire_fault(WIRE_TYPE, 1);
    if (n > FRAME_OCTETS + LLC_U_INFO_MAX)
        return wire_fault(WIRE_LENGTH, n);
    frame->pf = b[1] & BIT_PF;
    frame->command = b[1] & U_MODIFIER;
    frame->info = (struct octets){b + LLC_U_HEADER_OCTETS, n - FRAME_OCTETS};
    if (fcs(b, n - LLC_FCS_OCTETS) != fcs_get(b + n - LLC_FCS_OCTETS))
        return wire_fault(WIRE_FCS, n - LLC_FCS_OCTETS);
    return (int)n;
}

int llc_u_encode(const struct llc_u *frame, uint8_t *b, uint32_t room)
{
    if (frame->sapi == 0 || frame->sapi > 14)
        return wire_fault(WIRE_RANGE, 0);
    if (frame->command > U_MODIFIER)
        return wire_fault(WIRE_RANGE, 1);
    if (frame->info.n > LLC_U_INFO_MAX)
        return wire_fault(WIRE_RANGE, LLC_U_HEADER_OCTETS);
    uint32_t fcs_at = LLC_U_HEADER_OCTETS + frame->info.n;
    if (room < fcs_at + LLC_FCS_OCTETS)
        return wire_fault(WIRE_NO_ROOM, room);
    if (frame->info.n)
        memmove(b + LLC_U_HEADER_OCTETS, frame->info.at, frame->info.n);
    b[0] = llc_address_encode(frame->cr, frame->sapi);
    b[1] = (uint8_t)(U_FORMAT | (frame->pf ? BIT_PF : 0) | frame->command);
    fcs_put(b + fcs_at, fcs(b, fcs_at));
    return (int)(fcs_at + LLC_FCS_OCTETS);
}
