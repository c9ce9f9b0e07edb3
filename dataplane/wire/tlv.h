// PDUs made of information elements, as BSSGP (TS 48.018 clause 11) and NS (48.016) write them: a
// type octet, elements of fixed length without a tag (V), then elements with a tag and a fixed
// length (TV) or with a length of their own (TLV). The length is one octet with its top bit set for
// up to 127 octets, else two. 24.008 (l3.h) adds formats, and decodes by rules of its own; GTP-C
// (gtpc.h) tells by the tag whether an element has a length.
//
// A PDU is a table: row i of `ies` is the coding of field i of the struct, so that one decoder and
// one encoder serve all PDUs. The decoder takes elements in any order, the first of a tag for the
// first row of that tag, and skips unknown and repeated elements; the encoder writes them in the
// order of the table. A PDU has exactly one of its rows marked TLV_ONE_OF. The caller checks the
// presence of an element that depends on another element's value (TLV_IF); a fault inside such an
// element has a code of its own, since the answer to it has a cause of its own (48.018 clause 9).
#ifndef SLUICE_WIRE_TLV_H
#define SLUICE_WIRE_TLV_H

#include "dataplane/wire/field.h"

enum ie_format {
    IE_V,
    IE_TV,
    IE_TLV,
    IE_LV,      // 24.007 11.2.1.1: a length of one octet, no tag
    IE_LOW,     // bits 1 to 4 of an octet
    IE_HIGH,    // bits 5 to 8 of the octet of the row before, which is IE_LOW
    IE_TV_HALF, // one octet: the tag is its high half, the value its low half
    IE_TLV8,    // a length of one octet
    IE_TLV16    // a length of two octets
};
#define IE_CONDITIONAL 0x40 // flag of the format
#define IE_ONE_OF      0x80 // likewise
#define IE_WITH        0x20 // likewise: present if and only if the row before is
#define IE_AFTER       0x10 // likewise: present only if the row before is

// A TV element has one length, except the IP Address of NS (48.016 10.3.2b): if its first octet is
// 1 it has the shorter one.
#define IE_TV_SHORTER 1

// Converts the octets of an element to a field's value and back. `unit` is the granularity of the
// PDU's bucket sizes and leak rates. get: 0, or a fault with the offset within the element. put:
// octets written (at most 640), or a fault; `octets` is the fixed length, if the element has one.
struct ie_coding {
    int (*get)(const struct field *field, void *owner, const uint8_t *b, uint32_t n, uint32_t unit);
    int (*put)(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
               uint32_t unit);
};

struct ie {
    uint8_t tag;
    uint8_t format;
    uint16_t least, most; // octets of the value; V: both the same
    const struct ie_coding *coding;
};

#define TLV_ROWS_MAX 32

struct tlv_pdu {
    uint8_t type;
    uint8_t type_at;          // offset of the type octet
    uint8_t begin;            // of the first row; octets in front of it are the caller's
    uint8_t granularity_tag;  // of the element that scales the others; 0: none
    const uint8_t *tv_octets; // of GTP-C, by tag below 128: octets of a value; 0: unknown tag
    uint8_t rows;
    const struct field *fields;
    const struct ie *ies;
};

int tlv_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n);
int tlv_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room);

// The same, with elements from that offset on at the earliest.
int tlv_decode_from(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n,
                    uint32_t elements);

// Parts of a decoder.
struct tlv_element {
    uint8_t tag;
    uint32_t at, value, octets; // offsets of the tag and of the value
};

static inline enum ie_format tlv_format(const struct ie *ie)
{
    return (enum ie_format)(ie->format & ~(IE_CONDITIONAL | IE_ONE_OF | IE_WITH | IE_AFTER));
}

static inline bool tlv_is_present(const struct field *field, const void *in)
{
    return field->has_offset == FIELD_ALWAYS || *((const bool *)in + field->has_offset);
}

// No row is present. The value of an element becomes that of its row.
void tlv_clear(const struct tlv_pdu *pdu, void *out);
int tlv_get(const struct tlv_pdu *pdu, uint32_t row, void *out, const uint8_t *b,
            const struct tlv_element *e, uint32_t unit);
// 0, or the fault of elements that are there, or not, because of others.
enum wire_err tlv_together_fault(const struct tlv_pdu *pdu, const void *any);

// A PDU's list has rows MUST(T, field, ELEMENT) and MAY(T, field, ELEMENT), where ELEMENT is a
// macro for: tag, format, coding, least and most octets, kind, least and most value, meaning. The
// list generates the struct, its field table and its table of elements.
#define TLV_MEMBER_MUST(T, name, ...) TLV_MEMBER_MUST_(name, __VA_ARGS__)
#define TLV_MEMBER_MUST_(name, tag, fmt, code, lo, hi, kind, least, most, help) \
    FIELD_TYPE_##kind name;
#define TLV_MEMBER_MAY(T, name, ...) TLV_MEMBER_MAY_(name, __VA_ARGS__)
#define TLV_MEMBER_MAY_(name, tag, fmt, code, lo, hi, kind, least, most, help) \
    bool has_##name;                                                           \
    FIELD_TYPE_##kind name;
#define TLV_STRUCT(name, LIST)                      \
    struct name {                                   \
        LIST(TLV_MEMBER_MUST, TLV_MEMBER_MAY, name) \
    }

#define TLV_FIELD_MUST(T, name, ...) TLV_FIELD_MUST_(T, name, __VA_ARGS__)
#define TLV_FIELD_MUST_(T, name, tag, fmt, code, lo, hi, kind, least, most, help) \
    FIELD_ROW_MUST(T, kind, name, least, most, help)
#define TLV_FIELD_MAY(T, name, ...) TLV_FIELD_MAY_(T, name, __VA_ARGS__)
#define TLV_FIELD_MAY_(T, name, tag, fmt, code, lo, hi, kind, least, most, help) \
    FIELD_ROW_MAY(T, kind, name, least, most, help)

// One of the elements of which the PDU has exactly one: MAY(T, bvci, TLV_ONE_OF(BSSGP_IE_BVCI)).
#define TLV_ONE_OF(...)            TLV_ONE_OF_(__VA_ARGS__)
#define TLV_ONE_OF_(tag, fmt, ...) tag, fmt | IE_CONDITIONAL | IE_ONE_OF, __VA_ARGS__

// An element whose presence depends on another one: MAY(T, cell, TLV_IF(BSSGP_IE_CELL)).
#define TLV_IF(...)            TLV_IF_(__VA_ARGS__)
#define TLV_IF_(tag, fmt, ...) tag, fmt | IE_CONDITIONAL, __VA_ARGS__

// An element that is there if and only if the one before is.
#define TLV_WITH(...)            TLV_WITH_(__VA_ARGS__)
#define TLV_WITH_(tag, fmt, ...) tag, fmt | IE_WITH, __VA_ARGS__

// One of the same tag as the one before, which alone would be taken for that.
#define TLV_AFTER(...)            TLV_AFTER_(__VA_ARGS__)
#define TLV_AFTER_(tag, fmt, ...) tag, fmt | IE_AFTER, __VA_ARGS__

#define TLV_IE(T, name, ...)                                     TLV_IE_(__VA_ARGS__)
#define TLV_IE_(tag, fmt, code, lo, hi, kind, least, most, help) {tag, fmt, lo, hi, &code},

// Integers of 1 to 4 octets; the same with ignored spare bits above the field's range, which is
// 2^k - 1; unchanged octets; BCD digits as in a mobile identity (24.008 10.5.1.4).
extern const struct ie_coding ie_uint, ie_low_bits, ie_octets, ie_imsi;

// The mobile identity in n octets, one or more, of the kinds that are digits. Its type is in bits 1
// to 3 of the first octet. put returns the octets; `least` and `most` are numbers of digits.
#define IDENTITY_TYPE 0x07
int ie_get_digits(struct digits *digits, uint64_t least, uint64_t most, const uint8_t *b,
                  uint32_t n);
int ie_put_digits(const struct digits *digits, uint64_t least, uint64_t most, uint8_t type,
                  uint8_t *b);

#endif
