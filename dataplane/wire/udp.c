// See udp.h. Octets behind the length field's end are refused: IPv4 has given the length.
#include "dataplane/wire/udp.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

int udp_decode(struct udp *datagram, const uint8_t *b, uint32_t n)
{
    if (n < UDP_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (get_be16(b + 4) != n)
        return wire_fault(WIRE_LENGTH, 4);
    datagram->source_port = get_be16(b);
    datagram->destination_port = get_be16(b + 2);
    datagram->checksum = get_be16(b + 6);
    datagram->payload = (struct octets){b + UDP_OCTETS, n - UDP_OCTETS};
    return (int)n;
}

int udp_encode(const struct udp *datagram, uint8_t *b, uint32_t room)
{
    if (datagram->payload.n > 0xffff - UDP_OCTETS)
        return wire_fault(WIRE_RANGE, 4);
    if (room < UDP_OCTETS + datagram->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (datagram->payload.n)
        memmove(b + UDP_OCTETS, datagram->payload.at, datagram->payload.n);
    put_be16(b, datagram->source_port);
    put_be16(b + 2, datagram->destination_port);
    put_be16(b + 4, (uint16_t)(UDP_OCTETS + datagram->payload.n));
    put_be16(b + 6, datagram->checksum);
    return (int)(UDP_OCTETS + datagram->payload.n);
}

void udp_put_checksum(uint8_t *b, uint32_t n, uint32_t source, uint32_t destination)
{
    uint8_t pseudo[12] = {0};
    put_be32(pseudo, source);
    put_be32(pseudo + 4, destination);
    pseudo[9] = IPV4_PROTOCOL_UDP;
    put_be16(pseudo + 10, (uint16_t)n);
    put_be16(b + 6, 0);
    uint16_t checksum = ipv4_fold(ipv4_sum(ipv4_sum(0, pseudo, sizeof pseudo), b, n));
    put_be16(b + 6, checksum ? checksum : 0xffff);
}

void udp_put_checksum_ipv6(uint8_t *b, uint32_t n, const struct ipv6_address *source,
                           const struct ipv6_address *destination)
{
    put_be16(b + 6, 0);
    uint16_t checksum = ipv6_checksum(source, destination, IPV6_NEXT_UDP, b, n);
    put_be16(b + 6, checksum ? checksum : 0xffff);
}

int udp_check_checksum_ipv6(const uint8_t *b, uint32_t n, const struct ipv6_address *source,
                            const struct ipv6_address *destination)
{
    bool good =
        get_be16(b + 6) != 0 && ipv6_checksum(source, destination, IPV6_NEXT_UDP, b, n) == 0;
    return good ? 0 : wire_fault(WIRE_CHECKSUM, 6);
}
