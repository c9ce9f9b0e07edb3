// See ns.h.
#include "dataplane/wire/ns.h"

#include "dataplane/wire/bytes.h"

#define BIT_R 0x01
#define BIT_C 0x02

int ns_unitdata_decode(struct ns_unitdata *pdu, const uint8_t *b, uint32_t n)
{
    if (n < NS_UNITDATA_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] != NS_UNITDATA_TYPE)
        return wire_fault(WIRE_TYPE, 0);
    pdu->request_change_flow = b[1] & BIT_R;
    pdu->confirm_change_flow = b[1] & BIT_C;
    pdu->bvci = get_be16(b + 2);
    pdu->sdu = (struct octets){b + NS_UNITDATA_OCTETS, n - NS_UNITDATA_OCTETS};
    return (int)n;
}

void ns_unitdata_put_header(const struct ns_unitdata *pdu, uint8_t *b)
{
    b[0] = NS_UNITDATA_TYPE;
    b[1] =
        (uint8_t)((pdu->request_change_flow ? BIT_R : 0) | (pdu->confirm_change_flow ? BIT_C : 0));
    put_be16(b + 2, pdu->bvci);
}

int ns_unitdata_encode(const struct ns_unitdata *pdu, uint8_t *b, uint32_t room)
{
    if (room < NS_UNITDATA_OCTETS || room - NS_UNITDATA_OCTETS < pdu->sdu.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (pdu->sdu.n)
        memmove(b + NS_UNITDATA_OCTETS, pdu->sdu.at, pdu->sdu.n);
    ns_unitdata_put_header(pdu, b);
    return (int)(NS_UNITDATA_OCTETS + pdu->sdu.n);
}
