// See bssgp.h. Lengths are "TvLV": a first octet with 0x80 set holds 7 bits, else two octets
// hold 15.
#include "dataplane/wire/bssgp.h"

#include "dataplane/wire/bytes.h"

#define IE_LLC_PDU       0x0e
#define IE_LIFETIME      0x16
#define IE_ALIGNMENT     0x00
#define LENGTH_SHORT     0x80
#define LENGTH_SHORT_MAX 0x7f
#define LENGTH_LONG_MAX  0x7fff

#define QOS_NOT_ACK    0x20
#define QOS_USER_DATA  0x10
#define QOS_RLC_UNACK  0x08
#define QOS_PRECEDENCE 0x07

#define MS_PER_CENTISECOND 10

static const uint32_t peak_unit_bit_per_s[4] = {100, 1000, 10000, 100000};

// The finest unit in which the rate fits 16 bits; what does not divide is rounded down.
static void put_qos(const struct bssgp_dl_unitdata *pdu, uint8_t *b)
{
    uint32_t granularity = 0;
    while (granularity < 3 && pdu->peak_bit_per_s / peak_unit_bit_per_s[granularity] > 0xffff)
        granularity++;
    put_be16(b, (uint16_t)(pdu->peak_bit_per_s / peak_unit_bit_per_s[granularity]));
    b[2] = (uint8_t)(granularity << 6 | (pdu->not_ack ? QOS_NOT_ACK : 0) |
                     (pdu->user_data ? QOS_USER_DATA : 0) | (pdu->rlc_unack ? QOS_RLC_UNACK : 0) |
                     (pdu->precedence & QOS_PRECEDENCE));
}

static void get_qos(struct bssgp_dl_unitdata *pdu, const uint8_t *b)
{
    pdu->peak_bit_per_s = (uint64_t)get_be16(b) * peak_unit_bit_per_s[b[2] >> 6];
    pdu->not_ack = b[2] & QOS_NOT_ACK;
    pdu->user_data = b[2] & QOS_USER_DATA;
    pdu->rlc_unack = b[2] & QOS_RLC_UNACK;
    pdu->precedence = b[2] & QOS_PRECEDENCE;
}

// Reads tag and length at `at`; sets *value to the offset behind them and *octets to the length.
static int get_tlv(const uint8_t *b, uint32_t n, uint32_t at, uint32_t *value, uint32_t *octets)
{
    if (n - at < 2)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[at + 1] & LENGTH_SHORT) {
        *octets = b[at + 1] & LENGTH_SHORT_MAX;
        *value = at + 2;
    } else {
        if (n - at < 3)
            return wire_fault(WIRE_TRUNCATED, n);
        *octets = get_be16(b + at + 1);
        *value = at + 3;
    }
    return *octets <= n - *value ? 0 : wire_fault(WIRE_LENGTH, at + 1);
}

// Walks the optional elements from `at` to the LLC-PDU, which is the last.
static int get_llc_pdu(struct bssgp_dl_unitdata *pdu, const uint8_t *b, uint32_t n, uint32_t at)
{
    uint32_t value, octets;
    for (; at < n; at = value + octets) {
        int fault = get_tlv(b, n, at, &value, &octets);
        if (fault)
            return fault;
        if (b[at] != IE_LLC_PDU)
            continue;
        if (value + octets != n)
            return wire_fault(WIRE_LENGTH, at + 1);
        pdu->llc_pdu = (struct octets){b + value, octets};
        return (int)n;
    }
    return wire_fault(WIRE_MISSING_IE, n);
}

int bssgp_dl_unitdata_decode(struct bssgp_dl_unitdata *pdu, const uint8_t *b, uint32_t n)
{
    if (n < BSSGP_DL_UNITDATA_FIXED_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] != BSSGP_DL_UNITDATA)
        return wire_fault(WIRE_TYPE, 0);
    if (b[8] != IE_LIFETIME)
        return wire_fault(WIRE_MISSING_IE, 8);
    if (b[9] != (LENGTH_SHORT | 2))
        return wire_fault(WIRE_LENGTH, 9);
    pdu->tlli = get_be32(b + 1);
    get_qos(pdu, b + 5);
    pdu->lifetime_ms = get_be16(b + 10) * (uint32_t)MS_PER_CENTISECOND;
    return get_llc_pdu(pdu, b, n, BSSGP_DL_UNITDATA_FIXED_OCTETS);
}

void bssgp_dl_unitdata_put_lifetime(uint32_t lifetime_ms, uint8_t *b)
{
    put_be16(b + 10, (uint16_t)(lifetime_ms / MS_PER_CENTISECOND));
}

void bssgp_dl_unitdata_put_fixed(const struct bssgp_dl_unitdata *pdu, uint8_t *b)
{
    b[0] = BSSGP_DL_UNITDATA;
    put_be32(b + 1, pdu->tlli);
    put_qos(pdu, b + 5);
    b[8] = IE_LIFETIME;
    b[9] = LENGTH_SHORT | 2;
    bssgp_dl_unitdata_put_lifetime(pdu->lifetime_ms, b);
}

uint32_t bssgp_llc_tag_octets(uint32_t llc_octets)
{
    return llc_octets <= LENGTH_SHORT_MAX ? 2 : 3;
}

void bssgp_put_llc_tag(uint32_t llc_octets, uint8_t *b)
{
    b[0] = IE_LLC_PDU;
    if (llc_octets <= LENGTH_SHORT_MAX)
        b[1] = (uint8_t)(LENGTH_SHORT | llc_octets);
    else
        put_be16(b + 1, (uint16_t)llc_octets);
}

int bssgp_dl_unitdata_encode(const struct bssgp_dl_unitdata *pdu, uint8_t *b, uint32_t room)
{
    uint32_t llc_octets = pdu->llc_pdu.n;
    uint32_t header = BSSGP_DL_UNITDATA_FIXED_OCTETS + bssgp_llc_tag_octets(llc_octets);
    if (llc_octets > LENGTH_LONG_MAX || pdu->lifetime_ms > BSSGP_LIFETIME_INFINITE_MS ||
        pdu->peak_bit_per_s > BSSGP_PEAK_MAX_BIT_PER_S || pdu->precedence > QOS_PRECEDENCE)
        return wire_fault(WIRE_RANGE, 0);
    if (room < header || room - header < llc_octets)
        return wire_fault(WIRE_NO_ROOM, room);
    if (llc_octets)
        memmove(b + header, pdu->llc_pdu.at, llc_octets);
    bssgp_dl_unitdata_put_fixed(pdu, b);
    bssgp_put_llc_tag(llc_octets, b + BSSGP_DL_UNITDATA_FIXED_OCTETS);
    return (int)(header + llc_octets);
}
