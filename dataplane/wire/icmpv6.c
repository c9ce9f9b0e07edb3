// See icmpv6.h. IPv6 gives a message's length; reserved bits are ignored.
#include "dataplane/wire/icmpv6.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv6.h"

#define TYPE_ECHO_REQUEST  128
#define TYPE_ECHO_REPLY    129
#define TYPE_SOLICITATION  135
#define TYPE_ADVERTISEMENT 136

#define OPTION_SOURCE_MAC 1
#define OPTION_TARGET_MAC 2

#define FLAG_ROUTER    0x80
#define FLAG_SOLICITED 0x40
#define FLAG_OVERRIDE  0x20

#define ECHO_PAYLOAD_MAX (0xffff - ICMPV6_ECHO_OCTETS)

int icmpv6_echo_decode(struct icmpv6_echo *message, const uint8_t *b, uint32_t n)
{
    if (n < ICMPV6_ECHO_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] != TYPE_ECHO_REQUEST && b[0] != TYPE_ECHO_REPLY)
        return wire_fault(WIRE_TYPE, 0);
    if (b[1] != 0)
        return wire_fault(WIRE_RESERVED, 1);
    message->reply = b[0] == TYPE_ECHO_REPLY;
    message->checksum = get_be16(b + 2);
    message->identifier = get_be16(b + 4);
    message->sequence = get_be16(b + 6);
    message->payload = (struct octets){b + ICMPV6_ECHO_OCTETS, n - ICMPV6_ECHO_OCTETS};
    return (int)n;
}

int icmpv6_echo_encode(const struct icmpv6_echo *message, uint8_t *b, uint32_t room)
{
    if (message->payload.n > ECHO_PAYLOAD_MAX)
        return wire_fault(WIRE_RANGE, ICMPV6_ECHO_OCTETS);
    if (room < ICMPV6_ECHO_OCTETS + message->payload.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (message->payload.n)
        memmove(b + ICMPV6_ECHO_OCTETS, message->payload.at, message->payload.n);
    b[0] = message->reply ? TYPE_ECHO_REPLY : TYPE_ECHO_REQUEST;
    b[1] = 0;
    put_be16(b + 2, message->checksum);
    put_be16(b + 4, message->identifier);
    put_be16(b + 6, message->sequence);
    return (int)(ICMPV6_ECHO_OCTETS + message->payload.n);
}

// Common to solicitation and advertisement: type, code, target, and one option with a link-layer
// address, of which the first counts.
static int neighbour_decode(uint8_t type, uint8_t option, struct ipv6_address *target,
                            bool *has_mac, struct mac *mac, const uint8_t *b, uint32_t n)
{
    if (n < ICMPV6_NEIGHBOUR_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[0] != type)
        return wire_fault(WIRE_TYPE, 0);
    if (b[1] != 0)
        return wire_fault(WIRE_RESERVED, 1);
    memcpy(target->octet, b + 8, 16);
    *has_mac = false;
    for (uint32_t at = ICMPV6_NEIGHBOUR_OCTETS, octets; at < n; at += octets) {
        if (n - at < 2)
            return wire_fault(WIRE_TRUNCATED, n);
        octets = b[at + 1] * 8u;
        bool wanted = b[at] == option;
        if (octets == 0 || octets > n - at || (wanted && octets != ICMPV6_OPTION_OCTETS))
            return wire_fault(WIRE_LENGTH, at + 1);
        if (wanted && !*has_mac) {
            memcpy(mac->octet, b + at + 2, 6);
            *has_mac = true;
        }
    }
    return (int)n;
}

// `mac` NULL: no option.
static int neighbour_encode(uint8_t type, uint8_t option, uint8_t flags, uint16_t checksum,
                            const struct ipv6_address *target, const struct mac *mac, uint8_t *b,
                            uint32_t room)
{
    uint32_t n = ICMPV6_NEIGHBOUR_OCTETS + (mac ? ICMPV6_OPTION_OCTETS : 0);
    if (room < n)
        return wire_fault(WIRE_NO_ROOM, room);
    b[0] = type;
    b[1] = 0;
    put_be16(b + 2, checksum);
    put_be32(b + 4, (uint32_t)flags << 24);
    memcpy(b + 8, target->octet, 16);
    if (mac) {
        b[24] = option;
        b[25] = ICMPV6_OPTION_OCTETS / 8;
        memcpy(b + 26, mac->octet, 6);
    }
    return (int)n;
}

int icmpv6_neighbour_solicitation_decode(struct icmpv6_neighbour_solicitation *message,
                                         const uint8_t *b, uint32_t n)
{
    int result = neighbour_decode(TYPE_SOLICITATION, OPTION_SOURCE_MAC, &message->target,
                                  &message->has_source_mac, &message->source_mac, b, n);
    if (result >= 0)
        message->checksum = get_be16(b + 2);
    return result;
}

int icmpv6_neighbour_solicitation_encode(const struct icmpv6_neighbour_solicitation *message,
                                         uint8_t *b, uint32_t room)
{
    return neighbour_encode(TYPE_SOLICITATION, OPTION_SOURCE_MAC, 0, message->checksum,
                            &message->target, message->has_source_mac ? &message->source_mac : NULL,
                            b, room);
}

int icmpv6_neighbour_advertisement_decode(struct icmpv6_neighbour_advertisement *message,
                                          const uint8_t *b, uint32_t n)
{
    int result = neighbour_decode(TYPE_ADVERTISEMENT, OPTION_TARGET_MAC, &message->target,
                                  &message->has_target_mac, &message->target_mac, b, n);
    if (result < 0)
        return result;
    message->checksum = get_be16(b + 2);
    message->router = b[4] & FLAG_ROUTER;
    message->solicited = b[4] & FLAG_SOLICITED;
    message->override = b[4] & FLAG_OVERRIDE;
    return result;
}

int icmpv6_neighbour_advertisement_encode(const struct icmpv6_neighbour_advertisement *message,
                                          uint8_t *b, uint32_t room)
{
    uint8_t flags =
        (uint8_t)((message->router ? FLAG_ROUTER : 0) | (message->solicited ? FLAG_SOLICITED : 0) |
                  (message->override ? FLAG_OVERRIDE : 0));
    return neighbour_encode(TYPE_ADVERTISEMENT, OPTION_TARGET_MAC, flags, message->checksum,
                            &message->target, message->has_target_mac ? &message->target_mac : NULL,
                            b, room);
}

void icmpv6_put_checksum(uint8_t *b, uint32_t n, const struct ipv6_address *source,
                         const struct ipv6_address *destination)
{
    put_be16(b + 2, 0);
    put_be16(b + 2, ipv6_checksum(source, destination, IPV6_NEXT_ICMPV6, b, n));
}

int icmpv6_check_checksum(const uint8_t *b, uint32_t n, const struct ipv6_address *source,
                          const struct ipv6_address *destination)
{
    bool good = ipv6_checksum(source, destination, IPV6_NEXT_ICMPV6, b, n) == 0;
    return good ? 0 : wire_fault(WIRE_CHECKSUM, 2);
}
