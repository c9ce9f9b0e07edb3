// See bssgp_values.h.
#include "dataplane/wire/bssgp_values.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

static const struct field qos_table[] = FIELD_TABLE(bssgp_qos, BSSGP_QOS_FIELDS);
static const struct field rai_table[] = FIELD_TABLE(bssgp_area, BSSGP_RAI_FIELDS);
static const struct field cell_table[] = FIELD_TABLE(bssgp_area, BSSGP_CELL_FIELDS);
static const struct field lai_table[] = FIELD_TABLE(bssgp_area, BSSGP_LAI_FIELDS);
static const struct field pfc_flow_table[] = FIELD_TABLE(bssgp_pfc_flow, BSSGP_PFC_FLOW_FIELDS);

const struct field_record bssgp_qos_record = FIELD_RECORD_OF(bssgp_qos, qos_table);
const struct field_record bssgp_rai_record = FIELD_RECORD_OF(bssgp_area, rai_table);
const struct field_record bssgp_cell_record = FIELD_RECORD_OF(bssgp_area, cell_table);
const struct field_record bssgp_lai_record = FIELD_RECORD_OF(bssgp_area, lai_table);
const struct field_record bssgp_pfc_flow_record = FIELD_RECORD_OF(bssgp_pfc_flow, pfc_flow_table);

#define FLOW_UNIT 100 // octets of a bucket, bit/s of a rate, at granularity 0

// A bucket size or a leak rate.
static int put_flow(uint64_t value, uint32_t unit, uint8_t *b)
{
    uint64_t step = (uint64_t)FLOW_UNIT * unit;
    if (value % step || value / step > UINT16_MAX)
        return wire_fault(WIRE_RANGE, 0);
    put_be16(b, (uint16_t)(value / step));
    return 2;
}

static int flow_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    (void)n;
    field_set(field, owner, (uint64_t)get_be16(b) * FLOW_UNIT * unit);
    return 0;
}

static int flow_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    (void)octets;
    return put_flow(field_get(field, owner), unit, b);
}

const struct ie_coding bssgp_flow = {flow_get, flow_put};

#define MS_PER_CENTISECOND 10

static int centiseconds_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                            uint32_t unit)
{
    (void)n, (void)unit;
    field_set(field, owner, get_be16(b) * (uint32_t)MS_PER_CENTISECOND);
    return 0;
}

static int centiseconds_put(const struct field *field, const void *owner, uint8_t *b,
                            uint32_t octets, uint32_t unit)
{
    uint64_t ms = field_get(field, owner);
    (void)octets, (void)unit;
    if (ms % MS_PER_CENTISECOND || ms > BSSGP_LIFETIME_INFINITE_MS)
        return wire_fault(WIRE_RANGE, 0);
    put_be16(b, (uint16_t)(ms / MS_PER_CENTISECOND));
    return 2;
}

const struct ie_coding bssgp_centiseconds = {centiseconds_get, centiseconds_put};

// 24.008 10.5.7.3: three bits of unit, five of value. Undefined units count minutes; 7 is
// "deactivated".
#define TIMER_OFF        7
#define TIMER_VALUE_MAX  31
#define TIMER_UNIT_SHIFT 5
#define TIMER_UNITS      3 // defined ones, finest first

static const uint32_t timer_unit_s[8] = {2, 60, 360, 60, 60, 60, 60, 0};

static int gprs_timer_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                          uint32_t unit)
{
    uint32_t code = b[0] >> TIMER_UNIT_SHIFT;
    (void)n, (void)unit;
    field_set(field, owner,
              code == TIMER_OFF ? BSSGP_TIMER_OFF_S
                                : (b[0] & TIMER_VALUE_MAX) * timer_unit_s[code]);
    return 0;
}

// In the finest unit that can hold the time.
static int gprs_timer_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                          uint32_t unit)
{
    uint64_t s = field_get(field, owner);
    (void)octets, (void)unit;
    b[0] = TIMER_OFF << TIMER_UNIT_SHIFT;
    if (s == BSSGP_TIMER_OFF_S)
        return 1;
    for (uint32_t code = 0; code < TIMER_UNITS; code++) {
        if (s % timer_unit_s[code] || s / timer_unit_s[code] > TIMER_VALUE_MAX)
            continue;
        b[0] = (uint8_t)(code << TIMER_UNIT_SHIFT | s / timer_unit_s[code]);
        return 1;
    }
    return wire_fault(WIRE_RANGE, 0);
}

const struct ie_coding bssgp_gprs_timer = {gprs_timer_get, gprs_timer_put};

// The number of octets; their contents are ignored, and written as 0.
static int alignment_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                         uint32_t unit)
{
    (void)b, (void)unit;
    field_set(field, owner, n);
    return 0;
}

static int alignment_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                         uint32_t unit)
{
    uint64_t n = field_get(field, owner);
    (void)octets, (void)unit;
    if (n > field->most)
        return wire_fault(WIRE_RANGE, 0);
    memset(b, 0, n);
    return (int)n;
}

const struct ie_coding bssgp_alignment = {alignment_get, alignment_put};

#define QOS_NOT_ACK    0x20
#define QOS_USER_DATA  0x10
#define QOS_RLC_UNACK  0x08
#define QOS_PRECEDENCE 0x07

static const uint32_t peak_unit_bit_per_s[4] = {100, 1000, 10000, 100000};

// In the finest unit with the rate in 16 bits, rounded down.
void bssgp_put_qos(const struct bssgp_qos *qos, uint8_t *b)
{
    uint32_t granularity = 0;
    while (granularity < 3 && qos->peak_bit_per_s / peak_unit_bit_per_s[granularity] > UINT16_MAX)
        granularity++;
    put_be16(b, (uint16_t)(qos->peak_bit_per_s / peak_unit_bit_per_s[granularity]));
    b[2] = (uint8_t)(granularity << 6 | (qos->not_ack ? QOS_NOT_ACK : 0) |
                     (qos->user_data ? QOS_USER_DATA : 0) | (qos->rlc_unack ? QOS_RLC_UNACK : 0) |
                     (qos->precedence & QOS_PRECEDENCE));
}

static int qos_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                   uint32_t unit)
{
    struct bssgp_qos *qos = (struct bssgp_qos *)((char *)owner + field->offset);
    (void)n, (void)unit;
    qos->peak_bit_per_s = (uint64_t)get_be16(b) * peak_unit_bit_per_s[b[2] >> 6];
    qos->not_ack = b[2] & QOS_NOT_ACK;
    qos->user_data = b[2] & QOS_USER_DATA;
    qos->rlc_unack = b[2] & QOS_RLC_UNACK;
    qos->precedence = b[2] & QOS_PRECEDENCE;
    return 0;
}

static int qos_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                   uint32_t unit)
{
    const struct bssgp_qos *qos = (const struct bssgp_qos *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    if (qos->peak_bit_per_s > BSSGP_PEAK_MAX_BIT_PER_S || qos->precedence > QOS_PRECEDENCE)
        return wire_fault(WIRE_RANGE, 0);
    bssgp_put_qos(qos, b);
    return 3;
}

const struct ie_coding bssgp_qos_coding = {qos_get, qos_put};

// MCC and MNC in BCD (24.008 10.5.1.3): the MNC's third digit, or 15, is beside the MCC's.
static int get_plmn(struct bssgp_area *area, const uint8_t *b)
{
    uint32_t d1 = b[0] & 15, d2 = b[0] >> 4, d3 = b[1] & 15, third = b[1] >> 4;
    uint32_t m1 = b[2] & 15, m2 = b[2] >> 4;
    if (d1 > 9 || d2 > 9 || d3 > 9 || m1 > 9 || m2 > 9 || (third > 9 && third != 15))
        return wire_fault(WIRE_RESERVED, 0);
    area->mcc = (uint16_t)(100 * d1 + 10 * d2 + d3);
    area->mnc_digits = third == 15 ? 2 : 3;
    area->mnc = (uint16_t)(third == 15 ? 10 * m1 + m2 : 100 * m1 + 10 * m2 + third);
    return 0;
}

static int put_plmn(const struct bssgp_area *area, uint8_t *b)
{
    bool two = area->mnc_digits == 2;
    if (area->mcc > 999 || area->mnc > (two ? 99 : 999) ||
        (area->mnc_digits != 2 && area->mnc_digits != 3))
        return wire_fault(WIRE_RANGE, 0);
    uint32_t first_two = two ? area->mnc : area->mnc / 10u;
    uint32_t third = two ? 15 : area->mnc % 10u;
    b[0] = (uint8_t)(area->mcc / 100u | area->mcc / 10u % 10u << 4);
    b[1] = (uint8_t)(area->mcc % 10u | third << 4);
    b[2] = (uint8_t)(first_two / 10u | first_two % 10u << 4);
    return 0;
}

#define LAI_OCTETS  5
#define RAI_OCTETS  6
#define CELL_OCTETS 8

static int area_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    struct bssgp_area *area = (struct bssgp_area *)((char *)owner + field->offset);
    (void)unit;
    area->lac = get_be16(b + 3);
    area->rac = n >= RAI_OCTETS ? b[LAI_OCTETS] : 0;
    area->ci = n >= CELL_OCTETS ? get_be16(b + RAI_OCTETS) : 0;
    return get_plmn(area, b);
}

static int area_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    const struct bssgp_area *area =
        (const struct bssgp_area *)((const char *)owner + field->offset);
    (void)unit;
    put_be16(b + 3, area->lac);
    if (octets >= RAI_OCTETS)
        b[LAI_OCTETS] = area->rac;
    if (octets >= CELL_OCTETS)
        put_be16(b + RAI_OCTETS, area->ci);
    int fault = put_plmn(area, b);
    return fault ? fault : (int)octets;
}

const struct ie_coding bssgp_area_coding = {area_get, area_put};

#define PFC_FLOW_OCTETS 5 // PFI, Bmax, R; one more with the ratio

// The number of flows, then each; the length tells whether they have a ratio.
static int pfc_flows_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                         uint32_t unit)
{
    struct bssgp_pfc_flows *flows = (struct bssgp_pfc_flows *)((char *)owner + field->offset);
    uint32_t count = b[0];
    bool ratio = n == 1 + count * (PFC_FLOW_OCTETS + 1);
    if (count > BSSGP_PFC_FLOWS_MAX)
        return wire_fault(WIRE_RESERVED, 0);
    if (!ratio && n != 1 + count * PFC_FLOW_OCTETS)
        return wire_fault(WIRE_LENGTH, 0);
    flows->n = count;
    b++;
    for (uint32_t i = 0; i < count; i++, b += PFC_FLOW_OCTETS + ratio) {
        struct bssgp_pfc_flow *flow = &flows->item[i];
        flow->pfi = b[0] & 0x7f;
        flow->bmax_octets = (uint64_t)get_be16(b + 1) * FLOW_UNIT * unit;
        flow->r_bit_per_s = (uint64_t)get_be16(b + 3) * FLOW_UNIT * unit;
        flow->has_full_percent = ratio;
        flow->full_percent = ratio ? b[PFC_FLOW_OCTETS] : 0;
    }
    return 0;
}

static int put_pfc_flow(const struct bssgp_pfc_flow *flow, bool ratio, uint32_t unit, uint8_t *b)
{
    b[0] = flow->pfi;
    int bmax = put_flow(flow->bmax_octets, unit, b + 1);
    int r = put_flow(flow->r_bit_per_s, unit, b + 3);
    if (bmax < 0 || r < 0 || flow->pfi > 0x7f || flow->has_full_percent != ratio)
        return wire_fault(WIRE_RANGE, 0);
    if (ratio)
        b[PFC_FLOW_OCTETS] = flow->full_percent;
    return PFC_FLOW_OCTETS + ratio;
}

static int pfc_flows_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                         uint32_t unit)
{
    const struct bssgp_pfc_flows *flows =
        (const struct bssgp_pfc_flows *)((const char *)owner + field->offset);
    (void)octets;
    if (flows->n > BSSGP_PFC_FLOWS_MAX)
        return wire_fault(WIRE_RANGE, 0);
    bool ratio = flows->n > 0 && flows->item[0].has_full_percent;
    int at = 1;
    b[0] = (uint8_t)flows->n;
    for (uint32_t i = 0; i < flows->n; i++) {
        int n = put_pfc_flow(&flows->item[i], ratio, unit, b + at);
        if (n < 0)
            return n;
        at += n;
    }
    return at;
}

const struct ie_coding bssgp_pfc_flows_coding = {pfc_flows_get, pfc_flows_put};
