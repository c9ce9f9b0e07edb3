// See bssgp.h: the parts of DL-UNITDATA that the path writes itself.
#include "dataplane/wire/bssgp.h"

#include "dataplane/wire/bytes.h"

#define OPTIONS_MAX 512

int bssgp_dl_unitdata_put_options(const struct bssgp_dl_unitdata *pdu, uint8_t *b, uint32_t room)
{
    static const uint8_t llc_pdu[1];
    uint8_t whole[OPTIONS_MAX];
    struct bssgp_dl_unitdata with_llc = *pdu;
    with_llc.llc_pdu = (struct octets){llc_pdu, sizeof llc_pdu};
    int n = bssgp_dl_unitdata_encode(&with_llc, whole, sizeof whole);
    if (n < 0)
        return n;
    uint32_t options = (uint32_t)n - BSSGP_DL_UNITDATA_FIXED_OCTETS -
                       bssgp_llc_tag_octets(sizeof llc_pdu) - (uint32_t)sizeof llc_pdu;
    if (options > room)
        return wire_fault(WIRE_NO_ROOM, room);
    memcpy(b, whole + BSSGP_DL_UNITDATA_FIXED_OCTETS, options);
    return (int)options;
}

void bssgp_dl_unitdata_put_fixed(const struct bssgp_dl_unitdata *pdu, uint8_t *b)
{
    b[0] = BSSGP_DL_UNITDATA_TYPE;
    put_be32(b + 1, pdu->tlli);
    bssgp_put_qos(&pdu->qos, b + 5);
    b[BSSGP_LIFETIME_AT] = 0x16;
    b[BSSGP_LIFETIME_AT + 1] = BSSGP_LENGTH_SHORT | 2;
    bssgp_dl_unitdata_put_lifetime(pdu->lifetime_ms, b);
}
