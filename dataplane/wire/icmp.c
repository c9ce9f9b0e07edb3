// See icmp.h. IPv4 gives the message's length.
#include "dataplane/wire/icmp.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"

#define TYPE_REPLY   0
#define TYPE_REQUEST 8
#define PAYLOAD_MAX  (0xffff - IPV4_OCTETS - ICMP_ECHO_OCTETS)

int icmp_echo_decode(struct icmp_echo *message, const uint8_t *b, uint32_t n)
{
    if (n < ICMP_ECHO_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] != TYPE_REPLY && b[0] != TYPE_REQUEST)
        return wire_fault(WIRE_TYPE, 0);
    if (b[1] != 0)
        return wire_fault(WIRE_RESERVED, 1);
    if (ipv4_fold(ipv4_sum(0, b, n)) != 0)
        return wire_fault(WIRE_CHECKSUM, 2);
    message->reply = b[0] == TYPE_REPLY;
    message->identifier = get_be16(b + 4);
    message->sequence = get_be16(b + 6);
    message->payload = (struct octets){b + ICMP_ECHO_OCTETS, n - ICMP_ECHO_OCTETS};
    return (int)n;
}

int icmp_echo_encode(const struct icmp_echo *message, uint8_t *b, uint32_t room)
{
    uint32_t n = ICMP_ECHO_OCTETS + message->payload.n;
    if (message->payload.n > PAYLOAD_MAX)
        return wire_fault(WIRE_RANGE, ICMP_ECHO_OCTETS);
    if (room < n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (message->payload.n)
        memmove(b + ICMP_ECHO_OCTETS, message->payload.at, message->payload.n);
    b[0] = message->reply ? TYPE_REPLY : TYPE_REQUEST;
    b[1] = 0;
    put_be16(b + 2, 0);
    put_be16(b + 4, message->identifier);
    put_be16(b + 6, message->sequence);
    put_be16(b + 2, ipv4_fold(ipv4_sum(0, b, n)));
    return (int)n;
}
