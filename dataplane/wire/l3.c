// See l3.h.
#include "dataplane/wire/l3.h"

#define DISCRIMINATOR 0x0f
#define ONE_OCTET     0x80 // unknown tags from here on have no length
#define TAG_HALF      0xf0 // of a tag that shares its octet with a value

// Only SM's first octet has a row: GMM's is the discriminator and a skip indicator of 0.
static bool is_gmm(const struct tlv_pdu *pdu)
{
    return pdu->begin > 0;
}

static bool is_mandatory(const struct ie *ie)
{
    enum ie_format format = tlv_format(ie);
    return format == IE_V || format == IE_LV || format == IE_LOW || format == IE_HIGH;
}

// A half of an octet is a value of its own, wherever it stands.
static int get_half(const struct tlv_pdu *pdu, uint32_t row, void *out, uint8_t half, uint32_t at)
{
    struct tlv_element e = {0, 0, 0, 1};
    int fault = tlv_get(pdu, row, out, &half, &e, 1);
    return fault ? wire_fault(wire_fault_err(fault), at) : 0;
}

// Reads the mandatory element at `at`; returns the offset behind it, or a fault.
static int get_mandatory(const struct tlv_pdu *pdu, uint32_t row, void *out, const uint8_t *b,
                         uint32_t n, uint32_t at)
{
    const struct ie *ie = &pdu->ies[row];
    enum ie_format format = tlv_format(ie);
    if (format == IE_HIGH) { // its octet is the one before
        int fault = get_half(pdu, row, out, b[at - 1] >> 4, at - 1);
        return fault ? fault : (int)at;
    }
    if (at == n)
        return wire_fault(WIRE_MISSING_IE, n);
    if (format == IE_LOW) {
        int fault = get_half(pdu, row, out, b[at] & 15, at);
        return fault ? fault : (int)at + 1;
    }
    struct tlv_element e = {0, at, at, ie->least};
    if (format == IE_LV)
        e = (struct tlv_element){0, at - 1, at + 1, b[at]}; // the length is in front of the value
    if (e.octets > n - e.value)
        return wire_fault(WIRE_TRUNCATED, n);
    int fault = tlv_get(pdu, row, out, b, &e, 1);
    return fault ? fault : (int)(e.value + e.octets);
}

static bool has_tag(const struct ie *ie, uint8_t octet)
{
    return ie->tag == (tlv_format(ie) == IE_TV_HALF ? octet & TAG_HALF : octet);
}

// The row of a tag, from `row` on; pdu->rows if there is none.
static uint32_t row_of(const struct tlv_pdu *pdu, uint8_t octet, uint32_t row)
{
    while (row < pdu->rows && (is_mandatory(&pdu->ies[row]) || !has_tag(&pdu->ies[row], octet)))
        row++;
    return row;
}

// The extent of the element at `at`, of a row or (pdu->rows) unknown; false if it ends beyond n.
static bool extent(const struct tlv_pdu *pdu, uint32_t row, const uint8_t *b, uint32_t n,
                   uint32_t at, struct tlv_element *e)
{
    enum ie_format format = IE_TLV8;
    if (row < pdu->rows)
        format = tlv_format(&pdu->ies[row]);
    else if (b[at] & ONE_OCTET)
        format = IE_TV_HALF;
    if (format == IE_TV_HALF)
        *e = (struct tlv_element){b[at], at, at, 1};
    else if (format == IE_TV)
        *e = (struct tlv_element){b[at], at, at + 1, pdu->ies[row].least};
    else if (n - at < 2)
        return false;
    else
        *e = (struct tlv_element){b[at], at, at + 2, b[at + 1]};
    return e->octets <= n - e->value;
}

static void get_optional(const struct tlv_pdu *pdu, uint32_t row, void *out, const uint8_t *b,
                         const struct tlv_element *e)
{
    if (tlv_format(&pdu->ies[row]) == IE_TV_HALF)
        get_half(pdu, row, out, b[e->at] & 15, e->at);
    else
        tlv_get(pdu, row, out, b, e, 1); // a fault leaves it absent
}

// Elements from `at` to the end. What does not end there cannot be read, nor anything behind it.
static int get_optionals(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n,
                         uint32_t at)
{
    uint32_t next = 0; // rows in front of it are done: the element is repeated or out of sequence
    while (at < n) {
        struct tlv_element e;
        uint32_t known = row_of(pdu, b[at], 0), row = row_of(pdu, b[at], next);
        if (known == pdu->rows && b[at] < 16)
            return wire_fault(WIRE_EXTENSION, at);
        if (!extent(pdu, known, b, n, at, &e))
            break;
        if (row < pdu->rows) {
            get_optional(pdu, row, out, b, &e);
            next = row + 1;
        }
        at = e.value + e.octets;
    }
    return 0;
}

int l3_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n)
{
    uint32_t at = pdu->begin;
    if (n < 2)
        return wire_fault(WIRE_TRUNCATED, n);
    if ((b[0] & DISCRIMINATOR) != (is_gmm(pdu) ? L3_GMM : L3_SM))
        return wire_fault(WIRE_VERSION, 0);
    if (is_gmm(pdu) && b[0] != L3_GMM)
        return wire_fault(WIRE_RESERVED, 0);
    if (b[pdu->type_at] != pdu->type)
        return wire_fault(WIRE_TYPE, pdu->type_at);
    tlv_clear(pdu, out);
    for (uint32_t row = 0; row < pdu->rows && is_mandatory(&pdu->ies[row]); row++) {
        int behind = get_mandatory(pdu, row, out, b, n, at);
        if (behind < 0)
            return behind;
        at = (uint32_t)behind;
    }
    int fault = get_optionals(pdu, out, b, n, at);
    enum wire_err err = fault ? WIRE_OK : tlv_together_fault(pdu, out);
    if (err)
        fault = wire_fault(err, n);
    return fault ? fault : (int)n;
}

int l3_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room)
{
    int n = tlv_encode(pdu, in, b, room);
    if (n >= 0 && is_gmm(pdu))
        b[0] = L3_GMM;
    return n;
}

uint8_t l3_cause(enum wire_err err)
{
    switch (err) {
    case WIRE_TYPE:
        return L3_CAUSE_TYPE;
    case WIRE_MISSING_CONDITIONAL:
    case WIRE_UNEXPECTED_IE:
        return L3_CAUSE_CONDITIONAL;
    default:
        return L3_CAUSE_MANDATORY;
    }
}
