// See abqp.h. The codes of 24.008 are rows of steps here: within a row of codes the value grows
// from `least` by `step`.
#include "dataplane/wire/abqp.h"

#include <string.h>

#define OCTETS_LEAST 11 // up to the guaranteed rate downlink
#define OCTETS_MOST  16 // with all four extended rates

struct steps {
    uint8_t first, last;
    uint32_t least, step; // value of the first code, and the growth per code
};

#define KBIT 1000u
#define MBIT 1000000u

static const struct steps rate_steps[] = {
    {0x01, 0x3f, 1 * KBIT, KBIT},
    {0x40, 0x7f, 64 * KBIT, 8 * KBIT},
    {0x80, 0xfe, 576 * KBIT, 64 * KBIT},
    {0, 0, 0, 0},
};
static const struct steps extended_steps[] = {
    {0x01, 0x4a, 8700 * KBIT, 100 * KBIT},
    {0x4b, 0xba, 17 * MBIT, MBIT},
    {0xbb, 0xfa, 130 * MBIT, 2 * MBIT},
    {0, 0, 0, 0},
};
static const struct steps delay_steps[] = {
    {1, 15, 10, 10},
    {16, 31, 200, 50},
    {32, 62, 1000, 100},
    {0, 0, 0, 0},
};
static const struct steps sdu_steps[] = {
    {1, 150, 10, 10},
    {151, 151, 1502, 1},
    {152, 153, 1510, 10},
    {0, 0, 0, 0},
};

#define RATE_NONE      0xff // 0 kbit/s
#define RATE_EXTENDED  0xfe // the highest; the extended octet has the rate
#define RATE_PLAIN_MAX 8640000u

static bool value_of(const struct steps *s, uint8_t code, uint32_t *value)
{
    while (s->first && code > s->last)
        s++;
    *value = s->least + (uint32_t)(code - s->first) * s->step;
    return s->first;
}

// 0, which no row has, if the value has no code.
static uint8_t code_of(const struct steps *s, uint32_t value)
{
    for (; s->first; s++) {
        uint32_t most = s->least + (uint32_t)(s->last - s->first) * s->step;
        if (value >= s->least && value <= most && (value - s->least) % s->step == 0)
            return (uint8_t)(s->first + (value - s->least) / s->step);
    }
    return 0;
}

// False if a code is reserved.
static bool get_rate(uint8_t code, uint8_t extended, bool *has, uint32_t *bit_per_s)
{
    *has = code || extended;
    *bit_per_s = 0;
    if (extended)
        return value_of(extended_steps, extended, bit_per_s);
    return code == 0 || code == RATE_NONE || value_of(rate_steps, code, bit_per_s);
}

// False if the rate has no code.
static bool put_rate(bool has, uint32_t bit_per_s, uint8_t *code, uint8_t *extended)
{
    *extended = 0;
    *code = 0;
    if (!has)
        return true;
    if (bit_per_s > RATE_PLAIN_MAX) {
        *code = RATE_EXTENDED;
        *extended = code_of(extended_steps, bit_per_s);
        return *extended;
    }
    *code = bit_per_s ? code_of(rate_steps, bit_per_s) : RATE_NONE;
    return *code;
}

static int get_rates(struct abqp *pdu, const uint8_t *b, uint32_t n)
{
    uint8_t down = n > 12 ? b[12] : 0, guaranteed_down = n > 13 ? b[13] : 0;
    uint8_t up = n > 14 ? b[14] : 0, guaranteed_up = n > 15 ? b[15] : 0;
    if (!get_rate(b[6], down, &pdu->has_mbr_down_bit_per_s, &pdu->mbr_down_bit_per_s))
        return wire_fault(WIRE_RESERVED, 12);
    if (!get_rate(b[10], guaranteed_down, &pdu->has_gbr_down_bit_per_s, &pdu->gbr_down_bit_per_s))
        return wire_fault(WIRE_RESERVED, 13);
    if (!get_rate(b[5], up, &pdu->has_mbr_up_bit_per_s, &pdu->mbr_up_bit_per_s))
        return wire_fault(WIRE_RESERVED, 14);
    if (!get_rate(b[9], guaranteed_up, &pdu->has_gbr_up_bit_per_s, &pdu->gbr_up_bit_per_s))
        return wire_fault(WIRE_RESERVED, 15);
    return 0;
}

static void get_classes(struct abqp *pdu, const uint8_t *b, uint32_t n)
{
    pdu->delay_class = b[0] >> 3 & 7;
    pdu->reliability = b[0] & 7;
    pdu->peak_throughput = b[1] >> 4;
    pdu->precedence = b[1] & 7;
    pdu->mean_throughput = b[2] & 31;
    pdu->traffic_class = b[3] >> 5;
    pdu->delivery_order = b[3] >> 3 & 3;
    pdu->erroneous_sdus = b[3] & 7;
    pdu->residual_ber = b[7] >> 4;
    pdu->sdu_error_ratio = b[7] & 15;
    pdu->handling_priority = b[8] & 3;
    pdu->signalling = n > 11 && (b[11] & 0x10);
    pdu->source_statistics = n > 11 ? b[11] & 15 : 0;
}

int abqp_decode(struct abqp *pdu, const uint8_t *b, uint32_t n)
{
    uint32_t value = 0;
    if (n < OCTETS_LEAST || n == 13 || n == 15) // the extended rates come in pairs
        return wire_fault(WIRE_TRUNCATED, n);
    get_classes(pdu, b, n);
    pdu->has_sdu_octets = b[4];
    if (b[4] && !value_of(sdu_steps, b[4], &value))
        return wire_fault(WIRE_RESERVED, 4);
    pdu->sdu_octets = (uint16_t)value;
    pdu->has_transfer_delay_ms = b[8] >> 2;
    if (b[8] >> 2 && !value_of(delay_steps, b[8] >> 2, &value))
        return wire_fault(WIRE_RESERVED, 8);
    pdu->transfer_delay_ms = (uint16_t)value;
    int fault = get_rates(pdu, b, n);
    return fault ? fault : (int)n;
}

static int put_rates(const struct abqp *pdu, uint8_t *b)
{
    if (!put_rate(pdu->has_mbr_up_bit_per_s, pdu->mbr_up_bit_per_s, b + 5, b + 14))
        return wire_fault(WIRE_RANGE, 5);
    if (!put_rate(pdu->has_mbr_down_bit_per_s, pdu->mbr_down_bit_per_s, b + 6, b + 12))
        return wire_fault(WIRE_RANGE, 6);
    if (!put_rate(pdu->has_gbr_up_bit_per_s, pdu->gbr_up_bit_per_s, b + 9, b + 15))
        return wire_fault(WIRE_RANGE, 9);
    if (!put_rate(pdu->has_gbr_down_bit_per_s, pdu->gbr_down_bit_per_s, b + 10, b + 13))
        return wire_fault(WIRE_RANGE, 10);
    return 0;
}

static void put_classes(const struct abqp *pdu, uint8_t *b)
{
    b[0] = (uint8_t)((pdu->delay_class & 7) << 3 | (pdu->reliability & 7));
    b[1] = (uint8_t)((pdu->peak_throughput & 15) << 4 | (pdu->precedence & 7));
    b[2] = pdu->mean_throughput & 31;
    b[3] = (uint8_t)((pdu->traffic_class & 7) << 5 | (pdu->delivery_order & 3) << 3 |
                     (pdu->erroneous_sdus & 7));
    b[7] = (uint8_t)((pdu->residual_ber & 15) << 4 | (pdu->sdu_error_ratio & 15));
    b[11] = (uint8_t)((pdu->signalling ? 0x10 : 0) | (pdu->source_statistics & 15));
}

// Trailing octets that equal their absence are omitted, in the pairs of the clause.
static uint32_t octets_needed(const uint8_t b[OCTETS_MOST])
{
    if (b[14] || b[15])
        return 16;
    if (b[12] || b[13])
        return 14;
    return b[11] ? 12 : 11;
}

static const struct field fields[] = FIELD_TABLE(abqp, ABQP_FIELDS);

// Small values share octets, so a value out of range would change its neighbour. Other values are
// checked by their codes.
static bool all_in_range(const struct abqp *pdu)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const struct field *f = &fields[i];
        uint64_t value = field_get(f, pdu);
        bool present =
            f->has_offset == FIELD_ALWAYS || *((const bool *)(const void *)pdu + f->has_offset);
        bool small = f->kind == FIELD_BOOL || f->kind == FIELD_U8;
        if (present && small && (value < f->least || value > f->most))
            return false;
    }
    return true;
}

int abqp_encode(const struct abqp *pdu, uint8_t *b, uint32_t room)
{
    uint8_t all[OCTETS_MOST], delay;
    if (!all_in_range(pdu))
        return wire_fault(WIRE_RANGE, 0);
    put_classes(pdu, all);
    all[4] = pdu->has_sdu_octets ? code_of(sdu_steps, pdu->sdu_octets) : 0;
    if (pdu->has_sdu_octets && !all[4])
        return wire_fault(WIRE_RANGE, 4);
    delay = pdu->has_transfer_delay_ms ? code_of(delay_steps, pdu->transfer_delay_ms) : 0;
    if (pdu->has_transfer_delay_ms && !delay)
        return wire_fault(WIRE_RANGE, 8);
    all[8] = (uint8_t)(delay << 2 | (pdu->handling_priority & 3));
    int fault = put_rates(pdu, all);
    if (fault)
        return fault;
    uint32_t n = octets_needed(all);
    if (room < n)
        return wire_fault(WIRE_NO_ROOM, room);
    memcpy(b, all, n);
    return (int)n;
}
