// See gtpc.h.
#include "dataplane/wire/gtpc.h"

#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/gtpu.h"

#define FLAGS_WITH_SEQUENCE 0x32 // version 1, GTP, S

// 29.060 table 37.
const uint8_t gtpc_tv_octets[128] = {
    [1] = 1,  [2] = 8,  [3] = 6,  [4] = 4,  [5] = 4,  [8] = 1,  [9] = 28, [11] = 1, [12] = 3,
    [13] = 1, [14] = 1, [15] = 1, [16] = 4, [17] = 4, [18] = 5, [19] = 1, [20] = 1, [21] = 1,
    [22] = 9, [23] = 1, [24] = 1, [25] = 2, [26] = 2, [27] = 2, [28] = 2, [29] = 1, [127] = 4,
};

int gtpc_decode(const struct tlv_pdu *pdu, void *out, const uint8_t *b, uint32_t n)
{
    struct gtpu message;
    int end = gtpu_decode(&message, b, n);
    if (end < 0)
        return end;
    if (!message.has_sequence)
        return wire_fault(WIRE_RESERVED, 0);
    return tlv_decode_from(pdu, out, b, (uint32_t)end, (uint32_t)(message.payload.at - b));
}

int gtpc_encode(const struct tlv_pdu *pdu, const void *in, uint8_t *b, uint32_t room)
{
    int n = tlv_encode(pdu, in, b, room);
    if (n >= 0) {
        b[0] = FLAGS_WITH_SEQUENCE;
        put_be16(b + 2, (uint16_t)(n - GTPU_OCTETS));
    }
    return n;
}

static int sequence_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    (void)n, (void)unit;
    field_set(field, owner, get_be16(b));
    return 0;
}

static int sequence_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    (void)unit;
    put_be16(b, (uint16_t)field_get(field, owner));
    put_be16(b + 2, 0);
    return (int)octets;
}

const struct ie_coding gtpc_sequence = {sequence_get, sequence_put};

static int low_bits_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    int n = ie_low_bits.put(field, owner, b, octets, unit);
    b[0] |= (uint8_t)~field->most;
    return n;
}

// The get of ie_low_bits, which is no constant here.
static int low_bits_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    return ie_low_bits.get(field, owner, b, n, unit);
}

const struct ie_coding gtpc_low_bits = {low_bits_get, low_bits_put};

#define FILLER 15

// The first digit of an octet is its low half. Behind a filler there are only fillers.
static int digits_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                      uint32_t unit)
{
    struct digits *digits = (struct digits *)((char *)owner + field->offset);
    uint32_t count = 0;
    (void)unit;
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint8_t digit = i & 1 ? b[i / 2] >> 4 : b[i / 2] & 15;
        if (digit == FILLER)
            continue;
        if (digit > 9 || i != count)
            return wire_fault(WIRE_RESERVED, i / 2);
        digits->text[count++] = (char)('0' + digit);
    }
    digits->text[count] = '\0';
    return count >= field->least && count <= field->most ? 0 : wire_fault(WIRE_LENGTH, 0);
}

static int digits_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                      uint32_t unit)
{
    const struct digits *digits = (const struct digits *)((const char *)owner + field->offset);
    uint32_t count = (uint32_t)strnlen(digits->text, sizeof digits->text);
    (void)unit;
    if (count < field->least || count > field->most)
        return wire_fault(WIRE_RANGE, 0);
    memset(b, 0xff, octets);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t digit = (uint8_t)(digits->text[i] - '0');
        if (digit > 9)
            return wire_fault(WIRE_RANGE, 0);
        b[i / 2] = (uint8_t)(i & 1 ? (b[i / 2] & 15) | digit << 4 : 0xf0 | digit);
    }
    return (int)octets;
}

const struct ie_coding gtpc_digits = {digits_get, digits_put};

#define INTERNATIONAL 0x91 // 29.002: no extension, international, E.164

static int msisdn_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                      uint32_t unit)
{
    int fault = digits_get(field, owner, b + 1, n - 1, unit);
    return fault ? wire_fault(wire_fault_err(fault), 1 + wire_fault_offset(fault)) : 0;
}

static int msisdn_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                      uint32_t unit)
{
    const struct digits *digits = (const struct digits *)((const char *)owner + field->offset);
    octets = (uint32_t)(strnlen(digits->text, sizeof digits->text) + 1) / 2;
    b[0] = INTERNATIONAL;
    int n = digits_put(field, owner, b + 1, octets, unit);
    return n < 0 ? n : n + 1;
}

const struct ie_coding gtpc_msisdn = {msisdn_get, msisdn_put};
