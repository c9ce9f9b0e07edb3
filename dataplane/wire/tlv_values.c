// The codings of elements that all protocols share: integers, octets, and BCD digits as in a mobile
// identity (24.008 10.5.1.4). See tlv.h.
#include "dataplane/wire/tlv.h"

#include <string.h>

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
int ie_get_digits(struct digits *digits, uint64_t least, uint64_t most, const uint8_t *b,
                  uint32_t n)
{
    uint32_t count = 2 * n - (b[0] & IDENTITY_ODD ? 1 : 2);
    if (count < least || count > most)
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

int ie_put_digits(const struct digits *digits, uint64_t least, uint64_t most, uint8_t type,
                  uint8_t *b)
{
    uint32_t count = (uint32_t)strnlen(digits->text, sizeof digits->text);
    if (count < least || count > most)
        return wire_fault(WIRE_RANGE, 0);
    b[0] = (uint8_t)(type | (count & 1 ? IDENTITY_ODD : 0));
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

static int imsi_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    struct digits *digits = (struct digits *)((char *)owner + field->offset);
    (void)unit;
    if ((b[0] & IDENTITY_TYPE) != IDENTITY_IMSI)
        return wire_fault(WIRE_TYPE, 0);
    return ie_get_digits(digits, field->least, field->most, b, n);
}

static int imsi_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    const struct digits *digits = (const struct digits *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    return ie_put_digits(digits, field->least, field->most, IDENTITY_IMSI, b);
}

const struct ie_coding ie_imsi = {imsi_get, imsi_put};
