// See ether.h. A type field below 0x0600 is an 802.3 length: nothing on Gn or Gb uses it.
#include "dataplane/wire/ether.h"

#include "dataplane/wire/bytes.h"

#define TYPE_LEAST 0x0600

int ether_decode(struct ether *frame, const uint8_t *b, uint32_t n)
{
    if (n < ETHER_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    memcpy(frame->destination.octet, b, 6);
    memcpy(frame->source.octet, b + 6, 6);
    frame->type = get_be16(b + 12);
    if (frame->type < TYPE_LEAST)
        return wire_fault(WIRE_TYPE, 12);
    frame->payload = (struct octets){b + ETHER_OCTETS, n - ETHER_OCTETS};
    return (int)n;
}

int ether_encode(const struct ether *frame, uint8_t *b, uint32_t room)
{
    if (frame->type < TYPE_LEAST)
        return wire_fault(WIRE_RANGE, 12);
    if (room < ETHER_OCTETS || room - ETHER_OCTETS < frame->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (frame->payload.n)
        memmove(b + ETHER_OCTETS, frame->payload.at, frame->payload.n);
    memcpy(b, frame->destination.octet, 6);
    memcpy(b + 6, frame->source.octet, 6);
    put_be16(b + 12, frame->type);
    return (int)(ETHER_OCTETS + frame->payload.n);
}
