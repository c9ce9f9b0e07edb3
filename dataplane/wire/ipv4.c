// See ipv4.h. The packet ends by its total length; octets behind it are padding.
#include "dataplane/wire/ipv4.h"

#include "dataplane/wire/bytes.h"

// A sum of words in the order of this processor, as one of big-endian words: 2^16 is 1 in both, so
// they have the same octets (RFC 1071 2).
static uint16_t in_order(unsigned __int128 total)
{
    uint8_t octet[2];
    while (total >> 64)
        total = (uint64_t)total + (total >> 64);
    uint64_t sum = (uint64_t)total;
    while (sum >> 16)
        sum = (sum & UINT16_MAX) + (sum >> 16);
    memcpy(octet, &(uint16_t){(uint16_t)sum}, sizeof octet);
    return get_be16(octet);
}

// Four words at once.
uint32_t ipv4_sum(uint32_t sum, const uint8_t *b, uint32_t n)
{
    unsigned __int128 total = 0;
    uint64_t eight;
    uint32_t four;
    uint16_t two, one = 0; // the last octet has a 0 behind it
    for (; n >= 8; b += 8, n -= 8) {
        memcpy(&eight, b, sizeof eight);
        total += eight;
    }
    if (n >= 4) {
        memcpy(&four, b, sizeof four);
        total += four;
        b += 4;
    }
    if (n & 2) {
        memcpy(&two, b, sizeof two);
        total += two;
        b += 2;
    }
    if (n & 1)
        memcpy(&one, b, 1);
    uint64_t all = (uint64_t)sum + in_order(total + one);
    return (uint32_t)all + (uint32_t)(all >> 32);
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
