// See tlv.h.
#include "dataplane/wire/tlv.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

#define LENGTH_SHORT     0x80
#define LENGTH_SHORT_MAX 0x7f
#define VALUE_OCTETS_MAX 640 // of a value other than plain octets

struct element {
    uint8_t tag;
    uint32_t at, value, octets; // offsets of the tag and of the value
};

static enum ie_format format_of(const struct ie *ie)
{
    return (enum ie_format)(ie->format & ~(IE_CONDITIONAL | IE_ONE_OF));
}

// Tag and length of an element with a length.
static int tlv_element(const uint8_t *b, uint32_t n, uint32_t at, struct element *e)
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

static void set_present(const struct field *field, void *out, bool present)
{
    if (field->has_offset != FIELD_ALWAYS)
        *((bool *)out + field->has_offset) = present;
}

static bool is_present(const struct field *field, const void *in)
{
    return field->has_offset == FIELD_ALWAYS || *((const bool *)in + field->has_offset);
}

static int get_value(const struct tlv_pdu *pdu, uint32_t row, void *out, const uint8_t *b,
                     const struct element *e, uint32_t unit)
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
           (format_of(&pdu->ies[row]) == IE_V || pdu->ies[row].tag != tag || (filled & 1u << row)))
        row++;
    return row;
}

// The element at `at`, and its row; pdu->rows if no row takes it. An element with an unknown tag is
// read as one with a length.
static int next_element(const struct tlv_pdu *pdu, const uint8_t *b, uint32_t n, uint32_t at,
                        uint32_t filled, struct element *e, uint32_t *row)
{
    uint32_t first = row_of(pdu, b[at], 0);
    *row = row_of(pdu, b[at], filled);
    if (first == pdu->rows || format_of(&pdu->ies[first]) == IE_TLV)
        return tlv_element(b, n, at, e);
    bool longer = n - at > 1 && b[at + 1] != IE_TV_SHORTER;
    *e = (struct element){b[at], at, at + 1, longer ? pdu->ies[first].most : pdu->ies[first].least};
    return e->octets <= n - e->value ? 0 : wire_fault(WIRE_TRUNCATED, n);
}

static const uint32_t granularities[4] = {1, 10, 100, 1000};

// 10^g of the granularity element, which may be behind the elements that it scales; 1 if absent.
static uint32_t unit_of(const struct tlv_pdu *pdu, const uint8_t *b, uint32_t n, uint32_t at)
{
    struct element e;
    for (; pdu->granularity_tag && at < n && tlv_element(b, n, at, &e) == 0;
         at = e.value + e.octets)
        if (e.tag == pdu->granularity_tag && e.octets == 1)
            return granularities[b[e.value] & 3];
    return 1;
}

// 0 if exactly one of the rows marked one-of is present, or if the PDU has no such rows.
static enum wire_err one_of_fault(const struct tlv_pdu *pdu, const void *any)
{
    uint32_t rows = 0, there = 0;
    for (uint32_t row = 0; row < pdu->rows; row++) {
        if (!(pdu->ies[row].format & IE_ONE_OF))
            continue;
        rows++;
        there += is_present(&pdu->fields[row], any);
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
    enum wire_err err = one_of_fault(pdu, out);
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

int tlv_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n)
{
    uint32_t filled = 0, at = 1;
    if (n < 1)
        return wire_fault(WIRE_TRUNCATED, 0);
    if (b[0] != pdu->type)
        return wire_fault(WIRE_TYPE, 0);
    for (uint32_t row = 0; row < pdu->rows; row++)
        set_present(&pdu->fields[row], out, false);
    for (uint32_t row = 0; row < pdu->rows && format_of(&pdu->ies[row]) == IE_V; row++) {
        struct element e = {0, at, at, pdu->ies[row].least};
        if (e.octets > n - at)
            return wire_fault(at == n ? WIRE_MISSING_IE : WIRE_TRUNCATED, n);
        int fault = get_value(pdu, row, out, b, &e, 1);
        if (fault)
            return fault;
        filled |= 1u << row;
        at += e.octets;
    }
    uint32_t unit = unit_of(pdu, b, n, at);
    while (at < n) {
        struct element e;
        uint32_t row;
        int fault = next_element(pdu, b, n, at, filled, &e, &row);
        if (!fault && row < pdu->rows) {
            fault = get_value(pdu, row, out, b, &e, unit);
            filled |= 1u << row;
        }
        if (fault)
            return fault_of(pdu, row, fault);
        at = e.value + e.octets;
    }
    return whole(pdu, out, filled, n);
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
    switch (format_of(ie)) {
    case IE_V:
        return 0;
    case IE_TV:
        return 1;
    default:
        return size > LENGTH_SHORT_MAX ? 3 : 2;
    }
}

static void put_head(const struct ie *ie, uint32_t size, uint8_t *b)
{
    uint32_t head = head_octets(ie, size);
    if (head)
        b[0] = ie->tag;
    if (head == 2)
        b[1] = (uint8_t)(LENGTH_SHORT | size);
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
        if (pdu->ies[row].tag == pdu->granularity_tag && is_present(&pdu->fields[row], in))
            return granularities[field_get(&pdu->fields[row], in) & 3];
    return 1;
}

// Writes each row at its offset. Octets are moved first, the last row first, as a payload in the
// buffer must be moved before it is overwritten.
static int put_rows(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t unit,
                    const uint32_t *at)
{
    for (uint32_t i = 0; i < 2u * pdu->rows; i++) {
        uint32_t row = pdu->rows - 1u - i % pdu->rows;
        bool octets = pdu->fields[row].kind == FIELD_OCTETS;
        if (octets != (i < pdu->rows) || !is_present(&pdu->fields[row], in))
            continue;
        int n = put_element(&pdu->ies[row], &pdu->fields[row], in, b + at[row], unit);
        if (n < 0)
            return n;
    }
    b[0] = pdu->type;
    return 0;
}

int tlv_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room)
{
    uint32_t at[TLV_ROWS_MAX], end = 1, unit = unit_to_write(pdu, in);
    for (uint32_t row = 0; row < pdu->rows; row++) {
        at[row] = end;
        if (!is_present(&pdu->fields[row], in))
            continue;
        int n = put_element(&pdu->ies[row], &pdu->fields[row], in, NULL, unit);
        if (n < 0)
            return wire_fault(wire_fault_err(n), end);
        end += (uint32_t)n;
    }
    enum wire_err err = one_of_fault(pdu, in);
    if (err)
        return wire_fault(err, end);
    if (room < end)
        return wire_fault(WIRE_NO_ROOM, room);
    int fault = put_rows(pdu, in, b, unit, at);
    return fault ? fault : (int)end;
}

static uint64_t get_uint(const uint8_t *b, uint32_t n)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < n; i++)
        value = value << 8 | b[i];
    return value;
}

static int uint_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    uint64_t value = get_uint(b, n);
    (void)unit;
    if (value < field->least || value > field->most)
        return wire_fault(WIRE_RESERVED, 0);
    field_set(field, owner, value);
    return 0;
}

static int uint_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    uint64_t value = field_get(field, owner);
    (void)unit;
    if (value < field->least || value > field->most)
        return wire_fault(WIRE_RANGE, 0);
    for (uint32_t i = 0; i < octets; i++)
        b[i] = (uint8_t)(value >> 8 * (octets - 1 - i));
    return (int)octets;
}

const struct ie_coding ie_uint = {uint_get, uint_put};

static int low_bits_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    (void)unit;
    field_set(field, owner, get_uint(b, n) & field->most);
    return 0;
}

const struct ie_coding ie_low_bits = {low_bits_get, uint_put};

static int octets_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                      uint32_t unit)
{
    (void)unit;
    *(struct octets *)((char *)owner + field->offset) = (struct octets){b, n};
    return 0;
}

// The encoder copies octets from their place.
const struct ie_coding ie_octets = {octets_get, NULL};

#define IDENTITY_IMSI 1
#define IDENTITY_ODD  0x08

// First octet: digit 1, odd or even, type of identity; then two digits each, the last padded by 15.
static int imsi_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    struct digits *digits = (struct digits *)((char *)owner + field->offset);
    uint32_t count = 2 * n - (b[0] & IDENTITY_ODD ? 1 : 2);
    (void)unit;
    if ((b[0] & 7) != IDENTITY_IMSI)
        return wire_fault(WIRE_TYPE, 0);
    if (count < field->least || count > field->most)
        return wire_fault(WIRE_LENGTH, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t digit = (i + 1) & 1 ? b[(i + 1) / 2] >> 4 : b[(i + 1) / 2] & 15;
        if (digit > 9)
            return wire_fault(WIRE_RESERVED, (i + 1) / 2);
        digits->text[i] = (char)('0' + digit);
    }
    digits->text[count] = '\0';
    if (!(b[0] & IDENTITY_ODD) && b[n - 1] >> 4 != 15)
        return wire_fault(WIRE_RESERVED, n - 1);
    return 0;
}

static int imsi_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    const struct digits *digits = (const struct digits *)((const char *)owner + field->offset);
    uint32_t count = (uint32_t)strnlen(digits->text, sizeof digits->text);
    (void)octets, (void)unit;
    if (count < field->least || count > field->most)
        return wire_fault(WIRE_RANGE, 0);
    b[0] = IDENTITY_IMSI | (count & 1 ? IDENTITY_ODD : 0);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t digit = (uint8_t)(digits->text[i] - '0');
        if (digit > 9)
            return wire_fault(WIRE_RANGE, 0);
        if ((i + 1) & 1)
            b[(i + 1) / 2] = (uint8_t)((i == 0 ? b[0] : b[(i + 1) / 2]) | digit << 4);
        else
            b[(i + 1) / 2] = digit;
    }
    if (!(count & 1))
        b[count / 2] |= 0xf0;
    return (int)(count / 2 + 1);
}

const struct ie_coding ie_imsi = {imsi_get, imsi_put};
