// See sndcp.h.
#include "dataplane/wire/sndcp.h"

#include "dataplane/wire/bytes.h"

int sndcp_unitdata_decode(struct sndcp_unitdata *pdu, const uint8_t *b, uint32_t n)
{
    if (n < SNDCP_NEXT_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    pdu->first = b[0] & SNDCP_BIT_F;
    uint32_t header = pdu->first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS;
    if (n < header)
        return wire_fault(WIRE_TRUNCATED, n);
    if (!(b[0] & SNDCP_BIT_T))
        return wire_fault(WIRE_TYPE, 0);
    pdu->more = b[0] & SNDCP_BIT_M;
    pdu->nsapi = b[0] & 15;
    if (pdu->nsapi < 5)
        return wire_fault(WIRE_RESERVED, 0);
    pdu->dcomp = pdu->first ? b[1] >> 4 : 0;
    pdu->pcomp = pdu->first ? b[1] & 15 : 0;
    if (pdu->dcomp == 15 || pdu->pcomp == 15)
        return wire_fault(WIRE_RESERVED, 1);
    uint16_t numbers = get_be16(b + header - 2);
    pdu->segment = (uint8_t)(numbers >> 12);
    pdu->npdu_number = numbers & 0xfff;
    pdu->data = (struct octets){b + header, n - header};
    return (int)n;
}

int sndcp_unitdata_encode(const struct sndcp_unitdata *pdu, uint8_t *b, uint32_t room)
{
    if (pdu->nsapi < 5 || pdu->nsapi > 15 || pdu->segment > 15 || pdu->npdu_number > 4095)
        return wire_fault(WIRE_RANGE, 0);
    if (pdu->dcomp > 14 || pdu->pcomp > 14 || (!pdu->first && (pdu->dcomp || pdu->pcomp)))
        return wire_fault(WIRE_RANGE, 1);
    uint32_t header = pdu->first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS;
    if (room < header || room - header < pdu->data.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (pdu->data.n)
        memmove(b + header, pdu->data.at, pdu->data.n);
    sndcp_unitdata_put_header(pdu, b);
    return (int)(header + pdu->data.n);
}
