// See tlv.h.
#include "dataplane/wire/tlv.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

#define LENGTH_SHORT     0x80
#define LENGTH_SHORT_MAX 0x7f
#define VALUE_OCTETS_MAX 640 // of a value other than plain octets

// Tag and length of an element with a length.
static int tlv_element(const uint8_t *b, uint32_t n, uint32_t at, struct tlv_element *e)
{
    e->tag = b[at];
    e->at = at;
    if (n - at < 2)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[at + 1] & LENGTH_SHORT) {
        e->octets = b[at + 1] & LENGTH_SHORT_MAX;
        e->value = at + 2;
    } else {
        if (n - at < 3)
            return wire_fault(WIRE_TRUNCATED, n);
        e->octets = get_be16(b + at + 1);
        e->value = at + 3;
    }
    return e->octets <= n - e->value ? 0 : wire_fault(WIRE_LENGTH, at + 1);
}

#define WITH_LENGTH 128 // tags of GTP-C from here on have a length of two octets

// Tag and length of an element of GTP-C. One of an unknown tag without a length cannot be skipped.
static int gtp_element(const struct tlv_pdu *pdu, const uint8_t *b, uint32_t n, uint32_t at,
                       struct tlv_element *e)
{
    bool tv = b[at] < WITH_LENGTH;
    uint32_t head = tv ? 1 : 3;
    if (tv && !pdu->tv_octets[b[at]])
        return wire_fault(WIRE_TYPE, at);
    if (n - at < head)
        return wire_fault(WIRE_TRUNCATED, n);
    *e = (struct tlv_element){b[at], at, at + head,
                              tv ? pdu->tv_octets[b[at]] : get_be16(b + at + 1)};
    if (e->octets > n - e->value)
        return tv ? wire_fault(WIRE_TRUNCATED, n) : wire_fault(WIRE_LENGTH, at + 1);
    return 0;
}

static void set_present(const struct field *field, void *out, bool present)
{
    if (field->has_offset != FIELD_ALWAYS)
        *((bool *)out + field->has_offset) = present;
}

void tlv_clear(const struct tlv_pdu *pdu, void *out)
{
    for (uint32_t row = 0; row < pdu->rows; row++)
        set_present(&pdu->fields[row], out, false);
}

int tlv_get(const struct tlv_pdu *pdu, uint32_t row, void *out, const uint8_t *b,
            const struct tlv_element *e, uint32_t unit)
{
    const struct ie *ie = &pdu->ies[row];
    if (e->octets < ie->least || e->octets > ie->most)
        return wire_fault(WIRE_LENGTH, e->at + 1);
    int fault = ie->coding->get(&pdu->fields[row], out, b + e->value, e->octets, unit);
    if (fault)
        return wire_fault(wire_fault_err(fault), e->value + wire_fault_offset(fault));
    set_present(&pdu->fields[row], out, true);
    return 0;
}

// The first row of that tag not in `filled`; pdu->rows if there is none.
static uint32_t row_of(const struct tlv_pdu *pdu, uint8_t tag, uint32_t filled)
{
    uint32_t row = 0;
    while (row < pdu->rows &&
           (tlv_format(&pdu->ies[row]) == IE_V || pdu->ies[row].tag != tag || (filled & 1u << row)))
        row++;
    return row;
}

// The element at `at`, and its row; pdu->rows if no row takes it. An element with an unknown tag is
// read as one with a length.
static int next_element(const struct tlv_pdu *pdu, const uint8_t *b, uint32_t n, uint32_t at,
                        uint32_t filled, struct tlv_element *e, uint32_t *row)
{
    uint32_t first = row_of(pdu, b[at], 0);
    *row = row_of(pdu, b[at], filled);
    if (pdu->tv_octets)
        return gtp_element(pdu, b, n, at, e);
    if (first == pdu->rows || tlv_format(&pdu->ies[first]) == IE_TLV)
        return tlv_element(b, n, at, e);
    bool longer = n - at > 1 && b[at + 1] != IE_TV_SHORTER;
    *e = (struct tlv_element){b[at], at, at + 1,
                              longer ? pdu->ies[first].most : pdu->ies[first].least};
    return e->octets <= n - e->value ? 0 : wire_fault(WIRE_TRUNCATED, n);
}

static const uint32_t granularities[4] = {1, 10, 100, 1000};

// 10^g of the granularity element, which may be behind the elements that it scales; 1 if absent.
static uint32_t unit_of(const struct tlv_pdu *pdu, const uint8_t *b, uint32_t n, uint32_t at)
{
    struct tlv_element e;
    for (; pdu->granularity_tag && at < n && tlv_element(b, n, at, &e) == 0;
         at = e.value + e.octets)
        if (e.tag == pdu->granularity_tag && e.octets == 1)
            return granularities[b[e.value] & 3];
    return 1;
}

// 0 if exactly one of the rows marked one-of is present, or if the PDU has no such rows; and if
// rows that need the row before have it.
enum wire_err tlv_together_fault(const struct tlv_pdu *pdu, const void *any)
{
    uint32_t rows = 0, there = 0;
    for (uint32_t row = 0; row < pdu->rows; row++) {
        uint8_t format = pdu->ies[row].format;
        if (!(format & (IE_ONE_OF | IE_WITH | IE_AFTER)))
            continue;
        bool present = tlv_is_present(&pdu->fields[row], any);
        rows += (format & IE_ONE_OF) != 0;
        there += (format & IE_ONE_OF) && present;
        if (format & IE_ONE_OF || present == tlv_is_present(&pdu->fields[row - 1], any))
            continue;
        if (present || format & IE_WITH)
            return present ? WIRE_UNEXPECTED_IE : WIRE_MISSING_CONDITIONAL;
    }
    if (rows && there == 0)
        return WIRE_MISSING_CONDITIONAL;
    return there > 1 ? WIRE_UNEXPECTED_IE : WIRE_OK;
}

static int whole(const struct tlv_pdu *pdu, const void *out, uint32_t filled, uint32_t n)
{
    for (uint32_t row = 0; row < pdu->rows; row++)
        if (!(filled & 1u << row) && pdu->fields[row].has_offset == FIELD_ALWAYS)
            return wire_fault(WIRE_MISSING_IE, n);
    enum wire_err err = tlv_together_fault(pdu, out);
    return err ? wire_fault(err, n) : (int)n;
}

// The fault of an element: another one for a conditional element. A truncated element counts as
// none, and keeps its fault.
static int fault_of(const struct tlv_pdu *pdu, uint32_t row, int fault)
{
    bool conditional = row < pdu->rows && pdu->ies[row].format & IE_CONDITIONAL;
    if (!conditional || wire_fault_err(fault) == WIRE_TRUNCATED)
        return fault;
    return wire_fault(WIRE_CONDITIONAL_IE, wire_fault_offset(fault));
}

// GTP-C: an optional element that cannot be read counts as absent (29.060 11.1.8).
static bool skips_wrong(const struct tlv_pdu *pdu, uint32_t row)
{
    return pdu->tv_octets && pdu->fields[row].has_offset != FIELD_ALWAYS;
}

int tlv_decode_from(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n,
                    uint32_t elements)
{
    uint32_t filled = 0, at = pdu->begin;
    if (n < at)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[pdu->type_at] != pdu->type)
        return wire_fault(WIRE_TYPE, pdu->type_at);
    tlv_clear(pdu, out);
    for (uint32_t row = 0; row < pdu->rows && tlv_format(&pdu->ies[row]) == IE_V; row++) {
        struct tlv_element e = {0, at, at, pdu->ies[row].least};
        if (e.octets > n - at)
            return wire_fault(at == n ? WIRE_MISSING_IE : WIRE_TRUNCATED, n);
        int fault = tlv_get(pdu, row, out, b, &e, 1);
        if (fault)
            return fault;
        filled |= 1u << row;
        at += e.octets;
    }
    if (at < elements)
        at = elements;
    uint32_t unit = unit_of(pdu, b, n, at);
    while (at < n) {
        struct tlv_element e;
        uint32_t row;
        int fault = next_element(pdu, b, n, at, filled, &e, &row);
        if (!fault && row < pdu->rows) {
            fault = tlv_get(pdu, row, out, b, &e, unit);
            filled |= 1u << row;
            if (skips_wrong(pdu, row))
                fault = 0;
        }
        if (fault)
            return fault_of(pdu, row, fault);
        at = e.value + e.octets;
    }
    return whole(pdu, out, filled, n);
}

int tlv_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n)
{
    return tlv_decode_from(pdu, out, b, n, 0);
}

// Encodes a value other than octets into `value`; returns its number of octets, for octets theirs.
static int value_octets(const struct ie *ie, const struct field *field, const void *in,
                        uint8_t *value, uint32_t unit)
{
    if (field->kind != FIELD_OCTETS) {
        int n = ie->coding->put(field, in, value, ie->least, unit);
        return n < 0 || (n >= ie->least && n <= ie->most) ? n : wire_fault(WIRE_RANGE, 0);
    }
    const struct octets *octets = (const struct octets *)((const char *)in + field->offset);
    bool fits = octets->n >= ie->least && octets->n <= ie->most;
    return fits ? (int)octets->n : wire_fault(WIRE_RANGE, 0);
}

static uint32_t head_octets(const struct ie *ie, uint32_t size)
{
    switch (tlv_format(ie)) {
    case IE_TV:
    case IE_LV:
        return 1;
    case IE_TLV:
        return size > LENGTH_SHORT_MAX ? 3 : 2;
    case IE_TLV8:
        return 2;
    case IE_TLV16:
        return 3;
    default:
        return 0;
    }
}

static void put_head(const struct ie *ie, uint32_t size, uint8_t *b)
{
    uint32_t head = head_octets(ie, size);
    if (head)
        b[0] = tlv_format(ie) == IE_LV ? (uint8_t)size : ie->tag;
    if (head == 2)
        b[1] = (uint8_t)((tlv_format(ie) == IE_TLV ? LENGTH_SHORT : 0) | size);
    if (head == 3)
        put_be16(b + 1, (uint16_t)size);
}

// Octets of the element, or a fault; written if b is not NULL.
static int put_element(const struct ie *ie, const struct field *field, const void *in, uint8_t *b,
                       uint32_t unit)
{
    uint8_t value[VALUE_OCTETS_MAX];
    int n = value_octets(ie, field, in, value, unit);
    if (n < 0)
        return n;
    if (tlv_format(ie) == IE_HIGH) {
        if (b)
            b[-1] |= (uint8_t)(value[0] << 4);
        return 0;
    }
    if (tlv_format(ie) == IE_TV_HALF)
        value[0] |= ie->tag;
    uint32_t head = head_octets(ie, (uint32_t)n);
    const struct octets *octets = (const struct octets *)((const char *)in + field->offset);
    const uint8_t *from = field->kind == FIELD_OCTETS ? octets->at : value;
    if (b && n)
        memmove(b + head, from, (size_t)n);
    if (b)
        put_head(ie, (uint32_t)n, b);
    return (int)head + n;
}

static uint32_t unit_to_write(const struct tlv_pdu *pdu, const void *in)
{
    for (uint32_t row = 0; pdu->granularity_tag && row < pdu->rows; row++)
        if (pdu->ies[row].tag == pdu->granularity_tag && tlv_is_present(&pdu->fields[row], in))
            return granularities[field_get(&pdu->fields[row], in) & 3];
    return 1;
}

// Writes each row at its offset. Octets are moved first, the last row first, as a payload in the
// buffer must be moved before it is overwritten; then the others, the first row first, as a high
// half joins its low half.
static int put_rows(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t unit,
                    const uint32_t *at)
{
    for (uint32_t i = 0; i < 2u * pdu->rows; i++) {
        uint32_t row = i < pdu->rows ? pdu->rows - 1u - i : i - pdu->rows;
        bool octets = pdu->fields[row].kind == FIELD_OCTETS;
        if (octets != (i < pdu->rows) || !tlv_is_present(&pdu->fields[row], in))
            continue;
        int n = put_element(&pdu->ies[row], &pdu->fields[row], in, b + at[row], unit);
        if (n < 0)
            return n;
    }
    b[pdu->type_at] = pdu->type;
    return 0;
}

int tlv_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room)
{
    uint32_t at[TLV_ROWS_MAX], end = pdu->begin, unit = unit_to_write(pdu, in);
    for (uint32_t row = 0; row < pdu->rows; row++) {
        at[row] = end;
        if (!tlv_is_present(&pdu->fields[row], in))
            continue;
        int n = put_element(&pdu->ies[row], &pdu->fields[row], in, NULL, unit);
        if (n < 0)
            return wire_fault(wire_fault_err(n), end);
        end += (uint32_t)n;
    }
    enum wire_err err = tlv_together_fault(pdu, in);
    if (err)
        return wire_fault(err, end);
    if (room < end)
        return wire_fault(WIRE_NO_ROOM, room);
    int fault = put_rows(pdu, in, b, unit, at);
    return fault ? fault : (int)end;
}
