// See ipv6.h. The packet ends by its payload length; octets behind it are padding.
#include "dataplane/wire/ipv6.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"

static const struct field fragment_fields[] = FIELD_TABLE(ipv6_fragment, IPV6_FRAGMENT_FIELDS);
const struct field_record ipv6_fragment_record = FIELD_RECORD_OF(ipv6_fragment, fragment_fields);

// Skips the headers in front of the payload; returns the offset behind them or a fault. `named` is
// the offset of the octet with the next header's type.
static int skip_extensions(const uint8_t *b, uint32_t end, uint32_t *named)
{
    uint32_t at = IPV6_OCTETS;
    *named = 6;
    for (uint32_t count = 0; ipv6_is_stepped_over(b[*named]); count++) {
        if (count == IPV6_EXTENSIONS_MAX || (count && b[*named] == IPV6_NEXT_HOP_BY_HOP))
            return wire_fault(WIRE_TYPE, *named);
        if (end - at < 8)
            return wire_fault(WIRE_TRUNCATED, end);
        uint32_t octets = (b[at + 1] + 1u) * 8;
        if (octets > end - at)
            return wire_fault(WIRE_LENGTH, at + 1);
        *named = at;
        at += octets;
    }
    return (int)at;
}

// Reserved bits are ignored.
static void get_fragment(struct ipv6_fragment *fragment, const uint8_t *b)
{
    fragment->offset = get_be16(b + 2) >> 3;
    fragment->more_fragments = b[3] & 1;
    fragment->id = get_be32(b + 4);
}

static int get_payload(struct ipv6 *packet, const uint8_t *b, uint32_t end)
{
    uint32_t named;
    int behind = skip_extensions(b, end, &named);
    if (behind < 0)
        return behind;
    uint32_t at = (uint32_t)behind;
    packet->has_fragment = b[named] == IPV6_NEXT_FRAGMENT;
    if (packet->has_fragment) {
        if (end - at < IPV6_FRAGMENT_OCTETS)
            return wire_fault(WIRE_TRUNCATED, end);
        get_fragment(&packet->fragment, b + at);
        named = at;
        at += IPV6_FRAGMENT_OCTETS;
    }
    packet->next_header = b[named];
    packet->payload = (struct octets){b + at, end - at};
    return (int)end;
}

int ipv6_decode(struct ipv6 *packet, const uint8_t *b, uint32_t n)
{
    if (n < IPV6_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] >> 4 != 6)
        return wire_fault(WIRE_VERSION, 0);
    uint32_t end = IPV6_OCTETS + get_be16(b + 4);
    if (end > n)
        return wire_fault(WIRE_LENGTH, 4);
    packet->traffic_class = (uint8_t)(get_be16(b) >> 4);
    packet->flow_label = get_be32(b) & 0xfffff;
    packet->hop_limit = b[7];
    memcpy(packet->source.octet, b + 8, 16);
    memcpy(packet->destination.octet, b + 24, 16);
    return get_payload(packet, b, end);
}

static void put_fragment(const struct ipv6 *packet, uint8_t *b)
{
    const struct ipv6_fragment *fragment = &packet->fragment;
    b[0] = packet->next_header;
    b[1] = 0;
    put_be16(b + 2, (uint16_t)(fragment->offset << 3 | fragment->more_fragments));
    put_be32(b + 4, fragment->id);
}

static int check(const struct ipv6 *packet)
{
    uint32_t longest = 0xffff - (packet->has_fragment ? IPV6_FRAGMENT_OCTETS : 0);
    if (packet->flow_label > 0xfffff)
        return wire_fault(WIRE_RANGE, 1);
    if (packet->payload.n > longest)
        return wire_fault(WIRE_RANGE, 4);
    if (packet->has_fragment && packet->fragment.offset > 0x1fff)
        return wire_fault(WIRE_RANGE, IPV6_OCTETS + 2);
    // The decoder would read the payload as a header.
    if (!packet->has_fragment &&
        (ipv6_is_stepped_over(packet->next_header) || packet->next_header == IPV6_NEXT_FRAGMENT))
        return wire_fault(WIRE_RANGE, 6);
    return 0;
}

int ipv6_encode(const struct ipv6 *packet, uint8_t *b, uint32_t room)
{
    uint32_t head = IPV6_OCTETS + (packet->has_fragment ? IPV6_FRAGMENT_OCTETS : 0);
    int fault = check(packet);
    if (fault)
        return fault;
    if (room < head + packet->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (packet->payload.n)
        memmove(b + head, packet->payload.at, packet->payload.n);
    put_be32(b, 6u << 28 | (uint32_t)packet->traffic_class << 20 | packet->flow_label);
    put_be16(b + 4, (uint16_t)(head - IPV6_OCTETS + packet->payload.n));
    b[6] = packet->has_fragment ? IPV6_NEXT_FRAGMENT : packet->next_header;
    b[7] = packet->hop_limit;
    memcpy(b + 8, packet->source.octet, 16);
    memcpy(b + 24, packet->destination.octet, 16);
    if (packet->has_fragment)
        put_fragment(packet, b + IPV6_OCTETS);
    return (int)(head + packet->payload.n);
}

uint16_t ipv6_checksum(const struct ipv6_address *source, const struct ipv6_address *destination,
                       uint8_t next_header, const uint8_t *b, uint32_t n)
{
    uint8_t pseudo[40] = {0};
    memcpy(pseudo, source->octet, 16);
    memcpy(pseudo + 16, destination->octet, 16);
    put_be32(pseudo + 32, n);
    pseudo[39] = next_header;
    return ipv4_fold(ipv4_sum(ipv4_sum(0, pseudo, sizeof pseudo), b, n));
}
