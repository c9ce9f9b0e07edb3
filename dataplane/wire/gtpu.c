// See gtpu.h.
#include "dataplane/wire/gtpu.h"

#include "dataplane/wire/bytes.h"

#define FLAGS_V1_GTP 0x30
#define FLAG_E       0x04
#define FLAG_S       0x02
#define FLAG_PN      0x01

// The two high bits of an extension's type: 10 and 11 have to be understood by an endpoint.
#define EXTENSION_REQUIRED 0x80

// Steps over the chain whose first type is `next`; returns the offset behind it or a fault.
static int skip_extensions(uint8_t next, uint32_t at, const uint8_t *b, uint32_t end)
{
    while (next) {
        if (next & EXTENSION_REQUIRED)
            return wire_fault(WIRE_EXTENSION, at - 1);
        if (at >= end)
            return wire_fault(WIRE_TRUNCATED, at);
        uint32_t octets = b[at] * 4u;
        if (octets == 0 || octets > end - at)
            return wire_fault(WIRE_LENGTH, at);
        at += octets;
        next = b[at - 1];
    }
    return (int)at;
}

int gtpu_decode(struct gtpu *message, const uint8_t *b, uint32_t n)
{
    if (n < GTPU_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if ((b[0] & 0xf0) != FLAGS_V1_GTP)
        return wire_fault(WIRE_VERSION, 0);
    uint32_t end = GTPU_OCTETS + get_be16(b + 2);
    if (end > n)
        return wire_fault(WIRE_LENGTH, 2);
    int at = GTPU_OCTETS;
    message->type = b[1];
    message->teid = get_be32(b + 4);
    message->has_sequence = b[0] & FLAG_S;
    message->has_npdu_number = b[0] & FLAG_PN;
    if (b[0] & (FLAG_E | FLAG_S | FLAG_PN)) {
        if (end < GTPU_OCTETS + GTPU_OPTIONS_OCTETS)
            return wire_fault(WIRE_TRUNCATED, end);
        message->sequence = message->has_sequence ? get_be16(b + 8) : 0;
        message->npdu_number = message->has_npdu_number ? b[10] : 0;
        uint8_t next = b[0] & FLAG_E ? b[11] : 0;
        at = skip_extensions(next, GTPU_OCTETS + GTPU_OPTIONS_OCTETS, b, end);
        if (at < 0)
            return at;
    }
    message->payload = (struct octets){b + at, end - (uint32_t)at};
    return (int)end;
}

int gtpu_encode(const struct gtpu *message, uint8_t *b, uint32_t room)
{
    bool options = message->has_sequence || message->has_npdu_number;
    uint32_t header = GTPU_OCTETS + (options ? GTPU_OPTIONS_OCTETS : 0);
    if (message->payload.n > 0xffff - GTPU_OPTIONS_OCTETS)
        return wire_fault(WIRE_RANGE, 2);
    if (room < header + message->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (message->payload.n)
        memmove(b + header, message->payload.at, message->payload.n);
    b[0] = (uint8_t)(FLAGS_V1_GTP | (message->has_sequence ? FLAG_S : 0) |
                     (message->has_npdu_number ? FLAG_PN : 0));
    b[1] = message->type;
    put_be16(b + 2, (uint16_t)(header - GTPU_OCTETS + message->payload.n));
    put_be32(b + 4, message->teid);
    if (options) {
        put_be16(b + 8, message->has_sequence ? message->sequence : 0);
        b[10] = message->has_npdu_number ? message->npdu_number : 0;
        b[11] = 0;
    }
    return (int)(header + message->payload.n);
}
