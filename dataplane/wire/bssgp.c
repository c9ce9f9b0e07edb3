// See bssgp.h: the parts of DL-UNITDATA that the path writes by itself.
#include "dataplane/wire/bssgp.h"

#include "dataplane/wire/bytes.h"

#define LIFETIME_AT        8
#define LENGTH_SHORT       0x80
#define LENGTH_SHORT_MAX   0x7f
#define MS_PER_CENTISECOND 10

void bssgp_dl_unitdata_put_lifetime(uint32_t lifetime_ms, uint8_t *b)
{
    if (lifetime_ms > BSSGP_LIFETIME_INFINITE_MS)
        lifetime_ms = BSSGP_LIFETIME_INFINITE_MS;
    put_be16(b + LIFETIME_AT + 2, (uint16_t)(lifetime_ms / MS_PER_CENTISECOND));
}

void bssgp_dl_unitdata_put_fixed(const struct bssgp_dl_unitdata *pdu, uint8_t *b)
{
    b[0] = 0x00;
    put_be32(b + 1, pdu->tlli);
    bssgp_put_qos(&pdu->qos, b + 5);
    b[LIFETIME_AT] = 0x16;
    b[LIFETIME_AT + 1] = LENGTH_SHORT | 2;
    bssgp_dl_unitdata_put_lifetime(pdu->lifetime_ms, b);
}

uint32_t bssgp_llc_tag_octets(uint32_t llc_octets)
{
    return llc_octets <= LENGTH_SHORT_MAX ? 2 : 3;
}

void bssgp_put_llc_tag(uint32_t llc_octets, uint8_t *b)
{
    b[0] = 0x0e;
    if (llc_octets <= LENGTH_SHORT_MAX)
        b[1] = (uint8_t)(LENGTH_SHORT | llc_octets);
    else
        put_be16(b + 1, (uint16_t)llc_octets);
}
