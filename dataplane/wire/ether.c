// See ether.h. A type field below 0x0600 is an 802.3 length: nothing on Gn or Gb uses it.
#include "dataplane/wire/ether.h"

#include "dataplane/wire/bytes.h"

#define TYPE_LEAST 0x0600

int ether_decode(struct ether *frame, const uint8_t *b, uint32_t n)
{
    uint32_t head = ETHER_OCTETS;
    if (n < head)
        return wire_fault(WIRE_TRUNCATED, n);
    memcpy(frame->destination.octet, b, 6);
    memcpy(frame->source.octet, b + 6, 6);
    frame->type = get_be16(b + 12);
    frame->has_vlan_tci = frame->type == ETHER_TYPE_VLAN;
    if (frame->has_vlan_tci) {
        head += ETHER_TAG_OCTETS;
        if (n < head)
            return wire_fault(WIRE_TRUNCATED, n);
        frame->vlan_tci = get_be16(b + 14);
        frame->type = get_be16(b + 16);
    }
    if (frame->type < TYPE_LEAST)
        return wire_fault(WIRE_TYPE, head - 2);
    frame->payload = (struct octets){b + head, n - head};
    return (int)n;
}

int ether_encode(const struct ether *frame, uint8_t *b, uint32_t room)
{
    uint32_t head = ETHER_OCTETS + (frame->has_vlan_tci ? ETHER_TAG_OCTETS : 0);
    // A tag's type without a tag would turn the payload into a tag.
    if (frame->type < TYPE_LEAST || (frame->type == ETHER_TYPE_VLAN && !frame->has_vlan_tci))
        return wire_fault(WIRE_RANGE, head - 2);
    if (room < head || room - head < frame->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (frame->payload.n)
        memmove(b + head, frame->payload.at, frame->payload.n);
    memcpy(b, frame->destination.octet, 6);
    memcpy(b + 6, frame->source.octet, 6);
    if (frame->has_vlan_tci) {
        put_be16(b + 12, ETHER_TYPE_VLAN);
        put_be16(b + 14, frame->vlan_tci);
    }
    put_be16(b + head - 2, frame->type);
    return (int)(head + frame->payload.n);
}
