// See ipv4.h. The packet ends by its total length; octets behind it are padding.
#include "dataplane/wire/ipv4.h"

#include "dataplane/wire/bytes.h"

uint32_t ipv4_sum(uint32_t sum, const uint8_t *b, uint32_t n)
{
    uint64_t total = sum;
    for (; n >= 4; b += 4, n -= 4) // two words at once: 2^16 is 1 in this sum
        total += get_be32(b);
    if (n >= 2)
        total += get_be16(b);
    if (n % 2)
        total += (uint32_t)b[n - 1] << 8;
    while (total >> 32)
        total = (total & UINT32_MAX) + (total >> 32);
    return (uint32_t)total;
}

int ipv4_decode(struct ipv4 *packet, const uint8_t *b, uint32_t n)
{
    if (n < IPV4_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] >> 4 != 4)
        return wire_fault(WIRE_VERSION, 0);
    uint32_t header = (b[0] & 15u) * 4;
    uint32_t total = get_be16(b + 2);
    if (header < IPV4_OCTETS)
        return wire_fault(WIRE_LENGTH, 0);
    if (total < header || total > n)
        return wire_fault(WIRE_LENGTH, 2);
    if (ipv4_fold(ipv4_sum(0, b, header)) != 0)
        return wire_fault(WIRE_CHECKSUM, 10);
    uint16_t flags = get_be16(b + 6);
    if (flags & 0x8000)
        return wire_fault(WIRE_RESERVED, 6);
    packet->tos = b[1];
    packet->id = get_be16(b + 4);
    packet->dont_fragment = flags & IPV4_FLAG_DF;
    packet->more_fragments = flags & IPV4_FLAG_MF;
    packet->fragment_offset = flags & 0x1fff;
    packet->ttl = b[8];
    packet->protocol = b[9];
    packet->source = get_be32(b + 12);
    packet->destination = get_be32(b + 16);
    packet->payload = (struct octets){b + header, total - header};
    return (int)total;
}

void ipv4_put_header(const struct ipv4 *packet, uint32_t payload_octets, uint8_t *b)
{
    b[0] = 0x45;
    b[1] = packet->tos;
    put_be16(b + 2, (uint16_t)(IPV4_OCTETS + payload_octets));
    put_be16(b + 4, packet->id);
    put_be16(b + 6,
             (uint16_t)((packet->dont_fragment ? IPV4_FLAG_DF : 0) |
                        (packet->more_fragments ? IPV4_FLAG_MF : 0) | packet->fragment_offset));
    b[8] = packet->ttl;
    b[9] = packet->protocol;
    put_be16(b + 10, 0);
    put_be32(b + 12, packet->source);
    put_be32(b + 16, packet->destination);
    put_be16(b + 10, ipv4_fold(ipv4_sum(0, b, IPV4_OCTETS)));
}

int ipv4_encode(const struct ipv4 *packet, uint8_t *b, uint32_t room)
{
    if (packet->payload.n > 0xffff - IPV4_OCTETS || packet->fragment_offset > 0x1fff)
        return wire_fault(WIRE_RANGE, 2);
    if (room < IPV4_OCTETS + packet->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (packet->payload.n)
        memmove(b + IPV4_OCTETS, packet->payload.at, packet->payload.n);
    ipv4_put_header(packet, packet->payload.n, b);
    return (int)(IPV4_OCTETS + packet->payload.n);
}
