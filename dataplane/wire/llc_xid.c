// See llc_xid.h.
#include "dataplane/wire/llc_xid.h"

#include <string.h>

#define TYPE_LAYER3 11
#define TYPE_RESET  12
#define BIT_XL      0x80
#define SHORT_MAX   3 // octets of a value whose length takes 2 bits

static const struct field fields[] = FIELD_TABLE(llc_xid, LLC_XID_FIELDS);

// The coding of the numbers, by type; their fields are in the same order.
#define TYPE_0_FIELD 4
static const struct {
    uint8_t octets, unit;
    uint8_t least; // in units; 0 is valid besides, if the field's range begins there
} numbers[TYPE_LAYER3] = {{1, 1, 0},   {4, 1, 0},  {4, 1, 0},  {2, 100, 1}, {1, 1, 1}, {2, 1, 140},
                          {2, 1, 140}, {2, 16, 9}, {2, 16, 9}, {1, 1, 1},   {1, 1, 1}};

static bool is_present(uint32_t type, const struct llc_xid *frame)
{
    return *((const bool *)frame + fields[TYPE_0_FIELD + type].has_offset);
}

static bool in_range(uint32_t type, uint64_t value)
{
    const struct field *field = &fields[TYPE_0_FIELD + type];
    if (value < field->least || value > field->most || value % numbers[type].unit)
        return false;
    return value == 0 || value / numbers[type].unit >= numbers[type].least;
}

static enum wire_err get_number(struct llc_xid *frame, uint32_t type, const uint8_t *b, uint32_t n)
{
    uint64_t value = 0;
    if (n != numbers[type].octets)
        return WIRE_LENGTH;
    for (uint32_t i = 0; i < n; i++)
        value = value << 8 | b[i];
    value *= numbers[type].unit;
    if (!in_range(type, value))
        return WIRE_RESERVED;
    *((bool *)frame + fields[TYPE_0_FIELD + type].has_offset) = true;
    field_set(&fields[TYPE_0_FIELD + type], frame, value);
    return WIRE_OK;
}

static enum wire_err get_value(struct llc_xid *frame, uint32_t type, const uint8_t *b, uint32_t n)
{
    if (type > TYPE_RESET)
        return WIRE_OK;
    if (type == TYPE_RESET) {
        frame->reset = true;
        return n == 0 ? WIRE_OK : WIRE_LENGTH;
    }
    if (is_present(type, frame))
        return WIRE_OK;
    if (type < TYPE_LAYER3)
        return get_number(frame, type, b, n);
    frame->has_layer3 = true;
    frame->layer3 = (struct octets){b, n};
    return WIRE_OK;
}

// The octets of the parameter at `at`, or a fault.
static int get_parameter(struct llc_xid *frame, const uint8_t *b, uint32_t end, uint32_t at)
{
    uint32_t type = b[at] >> 2 & 0x1f, octets = b[at] & SHORT_MAX, value = at + 1;
    if (b[at] & BIT_XL) {
        if (value == end)
            return wire_fault(WIRE_TRUNCATED, end);
        if (b[value] & SHORT_MAX) // spare bits
            return wire_fault(WIRE_RESERVED, value);
        octets = octets << 6 | b[value] >> 2;
        value++;
    }
    if (octets > end - value)
        return wire_fault(WIRE_LENGTH, at);
    enum wire_err err = get_value(frame, type, b + value, octets);
    if (err)
        return wire_fault(err, err == WIRE_LENGTH ? at : value);
    return (int)(value - at + octets);
}

int llc_xid_decode(struct llc_xid *frame, const uint8_t *b, uint32_t n)
{
    struct llc_u u;
    int result = llc_u_decode(&u, b, n);
    if (result < 0)
        return result;
    if (u.command != LLC_U_XID)
        return wire_fault(WIRE_TYPE, 1);
    *frame = (struct llc_xid){.cr = u.cr, .sapi = u.sapi, .pf = u.pf};
    uint32_t end = LLC_U_HEADER_OCTETS + u.info.n;
    for (uint32_t at = LLC_U_HEADER_OCTETS; at < end; at += (uint32_t)result) {
        result = get_parameter(frame, b, end, at);
        if (result < 0)
            return result;
    }
    return (int)n;
}

static uint32_t head_octets(uint32_t octets)
{
    return octets > SHORT_MAX ? 2 : 1;
}

static void put_head(uint32_t type, uint32_t octets, uint8_t *b)
{
    bool xl = octets > SHORT_MAX;
    b[0] = (uint8_t)((xl ? BIT_XL : 0) | type << 2 | (xl ? octets >> 6 : octets));
    if (xl)
        b[1] = (uint8_t)(octets << 2);
}

static uint32_t put_number(const struct llc_xid *frame, uint32_t type, uint8_t *b)
{
    uint32_t octets = numbers[type].octets, head = head_octets(octets);
    uint64_t value = field_get(&fields[TYPE_0_FIELD + type], frame) / numbers[type].unit;
    put_head(type, octets, b);
    for (uint32_t i = 0; i < octets; i++)
        b[head + i] = (uint8_t)(value >> 8 * (octets - 1 - i));
    return head + octets;
}

// The offset of the layer-3 parameters, or a fault.
static int layer3_at(const struct llc_xid *frame)
{
    uint32_t at = LLC_U_HEADER_OCTETS + (frame->reset ? 1 : 0);
    for (uint32_t type = 0; type < TYPE_LAYER3; type++) {
        if (!is_present(type, frame))
            continue;
        if (!in_range(type, field_get(&fields[TYPE_0_FIELD + type], frame)))
            return wire_fault(WIRE_RANGE, at);
        at += head_octets(numbers[type].octets) + numbers[type].octets;
    }
    if (frame->has_layer3 && frame->layer3.n > LLC_XID_L3_OCTETS_MAX)
        return wire_fault(WIRE_RANGE, at);
    return (int)at;
}

// Moves the layer-3 parameters first, as they may be where the others are written.
static void put_parameters(const struct llc_xid *frame, uint8_t *b, uint32_t layer3)
{
    uint32_t at = LLC_U_HEADER_OCTETS;
    if (frame->has_layer3) {
        uint32_t head = head_octets(frame->layer3.n);
        if (frame->layer3.n)
            memmove(b + layer3 + head, frame->layer3.at, frame->layer3.n);
        put_head(TYPE_LAYER3, frame->layer3.n, b + layer3);
    }
    if (frame->reset)
        put_head(TYPE_RESET, 0, b + at++);
    for (uint32_t type = 0; type < TYPE_LAYER3; type++)
        if (is_present(type, frame))
            at += put_number(frame, type, b + at);
}

int llc_xid_encode(const struct llc_xid *frame, uint8_t *b, uint32_t room)
{
    if (frame->sapi == 0 || frame->sapi > 14)
        return wire_fault(WIRE_RANGE, 0);
    int layer3 = layer3_at(frame);
    if (layer3 < 0)
        return layer3;
    uint32_t end = (uint32_t)layer3;
    if (frame->has_layer3)
        end += head_octets(frame->layer3.n) + frame->layer3.n;
    if (room < end + LLC_FCS_OCTETS)
        return wire_fault(WIRE_NO_ROOM, room);
    put_parameters(frame, b, (uint32_t)layer3);
    struct octets info = {b + LLC_U_HEADER_OCTETS, end - LLC_U_HEADER_OCTETS};
    struct llc_u u = {frame->cr, frame->sapi, frame->pf, LLC_U_XID, info};
    return llc_u_encode(&u, b, room);
}
